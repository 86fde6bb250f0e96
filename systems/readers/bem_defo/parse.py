"""From the XML tree to arrays, and `read_bem_defo`, which does all of it."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from systems.readers.bem_defo.conditions import check_conditions, read_conditions
from systems.readers.bem_defo.model import ANALYSES, WIDEST, BemDefo
from systems.readers.bem_defo.outline import check_outline
from systems.readers.bem_defo.places import Places, line_of, listed
from systems.readers.bem_defo.schema import described, validate
from systems.readers.bem_defo.source import LARGEST_FILE, load
from systems.readers.bem_defo.surface import check_surface
from systems.readers.bem_defo.values import coordinates, finite, text_of

MOST_ELEMENTS, MOST_POINTS = 20_000, 100_000
SIZES = (1e-12, 1e12)  # [m] of a body: beyond, areas would lose all digits


def read_bem_defo(
    path: str | os.PathLike[str], *, largest_file: int = LARGEST_FILE, most_elements: int = MOST_ELEMENTS
) -> BemDefo:
    """Read a bem_defo file: a boundary-element problem (docs/bem-defo.md).

    largest_file [bytes] and most_elements stop files that are probably not meant.

    Raises ProblemFileError, one line: file, line of the file, rule, what was found, what to do. Warns of middle points
    that are off the middle, and of tractions where displacements are prescribed. *Limitations*: whether faces of a
    solid cut each other is not looked for.
    """
    root, where = load(path, largest_file)
    validate(root, where)
    settings = _settings(root.find("general_config"), where)
    point_ids, points = _points(root.find("points"), settings["dimension"], where)
    element_ids, elements = _elements(root.find("nodes"), settings, point_ids, most_elements, where)
    conditions = read_conditions(root.findall("bc"), element_ids, elements, settings["dimension"], where)
    problem = BemDefo(**settings, point_ids=point_ids, points=points, element_ids=element_ids, elements=elements,
                      conditions=conditions)
    check(problem, where)
    for array in (point_ids, points, element_ids, elements):
        array.flags.writeable = False
    return problem


def check(problem: BemDefo, where: Places) -> None:
    """ProblemFileError where the shape or the conditions of a problem cannot be meant."""
    size = float(np.ptp(problem.points, axis=0).max())
    far = float(np.abs(problem.points).max())
    if not SIZES[0] <= size <= SIZES[1] or far > SIZES[1]:
        where.fail_point(int(np.abs(problem.points).max(axis=1).argmax()),
                         f"points must be {SIZES[0]:g} m to {SIZES[1]:g} m apart, got a body of {size:g} m that is "
                         f"{far:g} m from the origin; write metres")
    (check_outline if problem.dimension == 2 else check_surface)(problem, where)
    check_conditions(problem, where)


def _settings(config: Any, where: Places) -> dict[str, Any]:
    def whole(name: str) -> tuple[int, int | None]:
        element = config.find(name)
        return int(text_of(element)), line_of(element)

    dimension, _ = whole("dimension")
    freedom, line = whole("degree_of_freedom")
    if freedom != dimension:
        where.fail(line, f"<degree_of_freedom> must be {dimension} where <dimension> is {dimension}, got {freedom}; "
                         "correct one of them")
    analysis, line = whole("type_of_analysis")
    if (analysis == 3) != (dimension == 3):
        allowed = "3 (three-dimensional)" if dimension == 3 else "1 (plane strain) or 2 (plane stress)"
        where.fail(line, f"<type_of_analysis> must be {allowed} where <dimension> is {dimension}, got {analysis}; "
                         "correct one of them")
    symmetry, line = whole("simetry")
    if symmetry > dimension:
        where.fail(line, f"<simetry> must be 0, 1 or 2 where <dimension> is 2, got {symmetry}; there is no plane z = 0")
    modulus, line = finite(config.find("E"), where)
    if not modulus > 0:
        where.fail(line, f"<E> must be positive, in Pa, got {modulus!r}; write Young's modulus of the material")
    ratio, line = finite(config.find("v"), where)
    if not -1 < ratio <= 0.5:
        where.fail(line, f"<v> must be above -1 and at most 0.5, got {ratio!r}; write Poisson's ratio of the material")
    return {
        "dimension": dimension, "analysis": ANALYSES[analysis - 1], "infinite": whole("region_type")[0] == 2,
        "symmetry": symmetry, "order": whole("element_type")[0], "young_modulus": modulus, "poisson_ratio": ratio,
    }  # fmt: skip


def _count(parent: Any, children: Any, what: str, where: Places) -> None:
    if int(parent.get("number")) != len(children):
        where.fail(line_of(parent), f"number of <{parent.tag}> must be that of its {what}, {len(children)}, got "
                                    f"{int(parent.get('number'))}; correct it, or add what is missing")


def _ids(children: Any, lines: list[int | None], where: Places) -> np.ndarray:
    ids: dict[int, int] = {}
    for row, child in enumerate(children):
        number = int(child.get("id"))
        if number in ids:
            first = where.at(lines[ids[number]]).removeprefix(f"{where.name}:")
            where.fail(lines[row], f"{described(child)} must have an id of its own, got one that line {first} has too; "
                                   "give it another id")
        ids[number] = row
    return np.fromiter(ids, np.int32, len(ids))


def _points(parent: Any, dimension: int, where: Places) -> tuple[np.ndarray, np.ndarray]:
    children = parent.findall("point")
    _count(parent, children, "points", where)
    if len(children) > MOST_POINTS:
        where.fail(line_of(parent), f"may hold {MOST_POINTS} points, got {len(children)}; use a coarser mesh")
    where.points += [line_of(child) for child in children]
    ids = _ids(children, where.points, where)
    if dimension == 3:
        for child in children:
            if "z" not in child.attrib:
                where.fail(line_of(child), f"{described(child)} must have a z where <dimension> is 3, got none; add it")
    return ids, np.array([coordinates(child, dimension, where) for child in children])


def _elements(
    parent: Any, settings: dict[str, Any], point_ids: np.ndarray, most: int, where: Places
) -> tuple[np.ndarray, np.ndarray]:
    children = parent.findall("node")
    _count(parent, children, "elements (<node>)", where)
    if len(children) > most:
        where.fail(line_of(parent), f"may hold {most} elements, got {len(children)}; use a coarser mesh, or pass "
                                    f"most_elements={len(children)} to read_bem_defo")
    where.elements += [line_of(child) for child in children]
    ids = _ids(children, where.elements, where)
    each = parent.get("points_per_node")
    index = {number: row for row, number in enumerate(point_ids.tolist())}
    width = settings["order"] + 1 if settings["dimension"] == 2 else WIDEST
    found = np.full((len(children), width), -1, np.int32)
    for row, child in enumerate(children):
        numbers = (_line_points if settings["dimension"] == 2 else _face_points)(child, settings["order"], where)
        if each is not None and int(each) != len(numbers):
            where.fail(line_of(parent), f"points_per_node of <nodes> must be that of its elements, got {int(each)} and "
                                        f"{len(numbers)} points in {described(child)}; correct it"
                       + (", or leave it out" if settings["dimension"] == 3 else ""))
        for number in numbers:
            if number not in index:
                where.fail(where.elements[row], f"{described(child)} must refer to points that there are, got "
                                                f"{number}; the ids are {_range(point_ids)}")
        if len(set(numbers)) < len(numbers):
            where.fail(where.elements[row], f"{described(child)} must have different points, got {listed(numbers)}; "
                                            "correct the one that is there twice")
        found[row, : len(numbers)] = [index[number] for number in numbers]
    return ids, found


def _range(ids: np.ndarray) -> str:
    low, high = int(ids.min()), int(ids.max())
    return f"{low} to {high}" if high - low == len(ids) - 1 else listed(sorted(ids.tolist()))


def _line_points(child: Any, order: int, where: Places) -> list[int]:
    """Ids of an element in the plane: first, (middle,) last."""
    if child.find("corner_point") is not None:
        where.fail(line_of(child), f"{described(child)} must have ip, ep and <inner_point> in two dimensions, got "
                                   "<corner_point>; that is for three dimensions")
    for name in ("ip", "ep"):
        if name not in child.attrib:
            where.fail(line_of(child), f"{described(child)} must have the attribute {name}, got none; write the id of "
                                       f"its {'first' if name == 'ip' else 'last'} point")
    inner = [int(point.get("id")) for point in child.findall("inner_point")]
    if len(inner) != order - 1:
        rule = "one <inner_point> (element_type 2)" if order == 2 else "no <inner_point> (element_type 1)"
        where.fail(line_of(child), f"{described(child)} must have {rule}, got {len(inner)}; correct one of them")
    return [int(child.get("ip")), *inner, int(child.get("ep"))]


def _face_points(child: Any, order: int, where: Places) -> list[int]:
    """Ids of an element in space: corners, then the middles of the sides."""
    for name in ("ip", "ep"):
        if name in child.attrib:
            where.fail(line_of(child), f"{described(child)} must have <corner_point> and <inner_point> in three "
                                       f"dimensions, got {name}; that is for two dimensions")
    corners = [int(point.get("id")) for point in child.findall("corner_point")]
    inner = [int(point.get("id")) for point in child.findall("inner_point")]
    if len(corners) not in (3, 4):
        where.fail(line_of(child), f"{described(child)} must have 3 or 4 <corner_point>, got {len(corners)}; "
                   + ("divide it into triangles and quadrilaterals" if len(corners) > 4 else "add what is missing"))
    wanted = len(corners) if order == 2 else 0
    if len(inner) != wanted:
        rule = f"{wanted} <inner_point> (element_type 2)" if order == 2 else "no <inner_point> (element_type 1)"
        where.fail(line_of(child), f"{described(child)} must have {rule}, got {len(inner)}; correct one of them")
    return corners + inner
