"""5,000 broken bem_defo files: each gives one ProblemFileError, or what a naive reading of the same bytes gives."""

from __future__ import annotations

import re
import warnings
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from framework.errors import ProblemFileError
from systems.readers.bem_defo import BemDefo, read_bem_defo, same, write_problem
from tests.property.test_fuzz_meshes import double_line, drop_line, flip, no_longer_than, swap_numbers, truncate
from tests.unit.bem_defo_files import beam, cube

EACH, FAST, LONGEST = 5000, 300, 10  # files in all, in a fast run; seconds for one
LATIN = '<?xml version="1.0" encoding="ISO-8859-1"?>\n<!-- a beam -->\n' + beam('x="-30.0" y="0.0"', 'x="1"')
SOUND = [beam().encode(), LATIN.encode(), cube(2).encode()]
ODD = ["nan", "INF", "1e999", "-1e999", "1e-999", "-0", "+5", "0x10", "1_0", "１", "٣", "1,5", "", " 7 ", "1.", ".5",
       "1e3", "1E+2", "99999999999", "-1", "1 2", "&#49;", "&amp;", "&x;", "\u200b1", "\u00a01", "true", "1.0", "01"]
PIECES = ["<!-- x -->", "<?x y?>", "<![CDATA[1]]>", "<!DOCTYPE a>", "\x00", "\ufeff", "“", "”", "<", ">", "/", "&", '"',
          "'", "=", " ", "\t", "<E>1</E>", "<a/>", "]]>", "--", "xmlns='u'", "xml:id='a'", "</bc><bc>", "\r", "z='1'"]
RECODED = ["utf-8-sig", "utf-16", "utf-16-le", "utf-32", "cp1252", "cp500", "utf-7"]


def odd_number(data: bytes, random: np.random.Generator) -> bytes:
    numbers = list(re.finditer(rb"-?\d+(?:\.\d+)?", data))
    return _put(data, numbers, str(random.choice(ODD)), random)


def insert(data: bytes, random: np.random.Generator) -> bytes:
    at = int(random.integers(0, len(data) + 1))
    return data[:at] + str(random.choice(PIECES)).encode() + data[at:]


def rename(data: bytes, random: np.random.Generator) -> bytes:
    words = list(re.finditer(rb"[A-Za-z_]+", data))
    other = words[int(random.integers(0, len(words)))][0].decode() if words else "a"
    return _put(data, words, other, random)


def drop_token(data: bytes, random: np.random.Generator) -> bytes:
    return _put(data, list(re.finditer(rb'\s\w+="[^"]*"|<[^<>]*>|"', data)), "", random)


def swap_tokens(data: bytes, random: np.random.Generator) -> bytes:
    tokens = list(re.finditer(rb'\w+="[^"]*"|<\w+[^<>]*/>', data))
    if len(tokens) < 2:
        return flip(data, random)
    a, b = (tokens[i] for i in sorted(random.choice(len(tokens), 2, replace=False)))
    return data[: a.start()] + b[0] + data[a.end() : b.start()] + a[0] + data[b.end() :]


def nudge(data: bytes, random: np.random.Generator) -> bytes:
    """Another digit: what remains is nearly always well-formed."""
    return _put(data, list(re.finditer(rb"\d", data)), str(random.integers(0, 10)), random)


def recode(data: bytes, random: np.random.Generator) -> bytes:
    return data.decode("latin-1").encode(str(random.choice(RECODED)), "replace")


MUTATIONS: tuple[Callable[[bytes, np.random.Generator], bytes], ...] = (
    flip, odd_number, insert, rename, drop_token, swap_tokens, nudge, nudge, swap_numbers, double_line, drop_line,
    recode, truncate,
)  # fmt: skip


def _put(data: bytes, places: list[re.Match[bytes]], new: str, random: np.random.Generator) -> bytes:
    if not places:
        return data
    chosen = places[int(random.integers(0, len(places)))]
    return data[: chosen.start()] + new.encode() + data[chosen.end() :]


def naive(data: bytes) -> dict[str, Any]:
    """What is in the file, by another parser, without a question."""
    root = ET.fromstring(data)
    config = {item.tag: float("".join(item.itertext())) for item in root[0]}
    points = {int(p.get("id")): [float(p.get(a)) for a in "xyz" if a in p.attrib] for p in root.find("points")}
    nodes: dict[int, list[int]] = {}
    for node in root.find("nodes"):
        inner = [int(point.get("id")) for point in node]
        ends = [[int(node.get(name))] if name in node.attrib else [] for name in ("ip", "ep")]
        nodes[int(node.get("id"))] = [*ends[0], *inner, *ends[1]]
    conditions = [
        {kind: {int(node.get("id")): [{a: float(v) for a, v in point.attrib.items()} for point in node]
                for part in bc.findall(kind) for node in part} for kind in ("DBC", "NBC")}
        for bc in root.findall("bc")
    ]  # fmt: skip
    return {"config": config, "points": points, "nodes": nodes, "conditions": conditions}


def in_words(problem: BemDefo) -> dict[str, Any]:
    """The same of what was read."""
    ids, rows = problem.point_ids.tolist(), problem.elements.tolist()
    config = {
        "dimension": problem.dimension, "degree_of_freedom": problem.dimension,
        "type_of_analysis": {"plane strain": 1, "plane stress": 2, "three-dimensional": 3}[problem.analysis],
        "region_type": 1 + problem.infinite, "simetry": problem.symmetry, "element_type": problem.order,
        "E": problem.young_modulus, "v": problem.poisson_ratio,
    }  # fmt: skip
    names = [[ids[i] for i in row if i >= 0] for row in rows]
    nodes = dict(zip(problem.element_ids.tolist(), names, strict=True))
    return {"config": config, "points": dict(zip(ids, problem.points.tolist(), strict=True)), "nodes": nodes}


def check(data: bytes, file: Path) -> bool:
    """Read a file; whether it gave a problem, which must then be what is in it."""
    file.write_bytes(data)
    try:
        with warnings.catch_warnings(), no_longer_than(LONGEST):
            warnings.simplefilter("ignore")
            found = read_bem_defo(file)
    except ProblemFileError as error:
        text = str(error)
        assert text.startswith(f"{file}:") and text.isprintable() and len(text) < 600
        return False
    expected = naive(data)
    conditions = expected.pop("conditions")
    assert in_words(found) == expected
    assert len(conditions) == len(found.conditions)
    for said, got in zip(conditions, found.conditions, strict=True):
        for kind, array in (("DBC", got.displacement), ("NBC", got.traction)):
            given = {(e, i, axis) for e, points in said[kind].items() for i, p in enumerate(points) for axis in p}
            assert len(given) == np.count_nonzero(~np.isnan(array))
            for e, i, axis in given:
                assert array[found.element_ids.tolist().index(e), i, "xyz".index(axis)] == said[kind][e][i][axis]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        write_problem(found, file)
        assert same(read_bem_defo(file), found)
    return True


def fuzz(count: int, seed: int, file: Path) -> int:
    random = np.random.default_rng([23, seed])
    read = 0
    for number in range(count):
        data = SOUND[int(random.integers(0, len(SOUND)))]
        for _ in range(1 + int(random.random() < 0.2)):
            data = MUTATIONS[int(random.integers(0, len(MUTATIONS)))](data, random) if data else data
        try:
            read += check(data, file)
        except BaseException as error:
            error.add_note(f"file {number}: {data!r}")
            raise
    return read


def test_broken_files_give_one_error_or_what_is_in_them(tmp_path: Path, capfd: Any) -> None:
    assert all(check(data, tmp_path / "sound.xml") for data in SOUND)
    read = fuzz(FAST, 0, tmp_path / "broken.xml")
    assert 0 < read < FAST
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
def test_many_broken_files_give_one_error_or_what_is_in_them(tmp_path: Path, capfd: Any) -> None:
    read = fuzz(EACH, 1, tmp_path / "broken.xml")
    assert EACH // 50 < read < EACH // 2
    assert capfd.readouterr() == ("", "")
