"""`write_problem`: a problem as a bem_defo file, which reads back bit for bit."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from framework.errors import OutputError
from systems.readers.bem_defo.model import ANALYSES, BemDefo
from systems.readers.bem_defo.parse import check
from systems.readers.bem_defo.places import Places


def write_problem(problem: BemDefo, path: str | os.PathLike[str]) -> None:
    """Write a bem_defo file; ProblemFileError for a problem that no such file can say, OutputError for a bad place."""
    check(problem, Places(str(path)))
    try:
        Path(path).write_text(text_of_problem(problem), encoding="utf-8", newline="\n")
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror or error}") from None


def text_of_problem(problem: BemDefo) -> str:
    """The text of the file."""
    return "\n".join(_lines(problem)) + "\n"


def _lines(problem: BemDefo) -> Iterator[str]:
    d = problem.dimension
    used = problem.elements >= 0
    sizes = np.unique(used.sum(axis=1))
    each = f' points_per_node="{sizes[0]}"' if len(sizes) == 1 else ""
    config = {
        "dimension": d, "degree_of_freedom": d, "type_of_analysis": ANALYSES.index(problem.analysis) + 1,
        "region_type": 2 if problem.infinite else 1, "simetry": problem.symmetry, "element_type": problem.order,
        "E": repr(float(problem.young_modulus)), "v": repr(float(problem.poisson_ratio)),
    }  # fmt: skip
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield "<bem_defo>"
    yield "  <general_config>"
    yield from (f"    <{name}>{value}</{name}>" for name, value in config.items())
    yield "  </general_config>"
    yield f'  <points number="{len(problem.points)}">'
    for number, place in zip(problem.point_ids, problem.points.tolist(), strict=True):
        yield f'    <point id="{number}"{_attributes(place)}/>'
    yield "  </points>"
    yield f'  <nodes number="{len(problem.elements)}"{each}>'
    for number, row, mask in zip(problem.element_ids, problem.elements, used, strict=True):
        yield f"    {_node(int(number), problem.point_ids[row[mask]].tolist(), d)}"
    yield "  </nodes>"
    for conditions in problem.conditions:
        yield "  <bc>"
        yield from _values("dbc", problem.element_ids, used, conditions.displacement)
        yield from _values("nbc", problem.element_ids, used, conditions.traction)
        yield "  </bc>"
    yield "</bem_defo>"


def _attributes(values: list[float]) -> str:
    return "".join(f' {axis}="{value!r}"' for axis, value in zip("xyz", values, strict=False) if value == value)


def _node(number: int, points: list[int], dimension: int) -> str:
    if dimension == 2:
        inner = "".join(f'<inner_point id="{point}"/>' for point in points[1:-1])
        return f'<node id="{number}" ip="{points[0]}" ep="{points[-1]}">{inner}</node>'
    corners = len(points) if len(points) < 5 else len(points) // 2
    kinds = ["corner_point"] * corners + ["inner_point"] * (len(points) - corners)
    inside = "".join(f'<{kind} id="{point}"/>' for kind, point in zip(kinds, points, strict=True))
    return f'<node id="{number}">{inside}</node>'


def _values(kind: str, ids: np.ndarray, used: np.ndarray, values: np.ndarray) -> Iterator[str]:
    given = np.flatnonzero(~np.isnan(values).all(axis=(1, 2)))
    if len(given) == 0:
        return
    yield f"    <{kind.upper()}>"
    for e in given:
        points = "".join(f"<{kind}_point{_attributes(row)}/>" for row in values[e][used[e]].tolist())
        yield f'      <{kind}_node id="{ids[e]}">{points}</{kind}_node>'
    yield f"    </{kind.upper()}>"
