"""What the <bc> of a file prescribe, and whether it can be meant."""

from __future__ import annotations

from typing import Any

import numpy as np

from components.boundary_mesh import gauss_points
from systems.readers.bem_defo.model import BemDefo, Conditions
from systems.readers.bem_defo.places import Places, line_of
from systems.readers.bem_defo.schema import described
from systems.readers.bem_defo.values import coordinates

MOST_VALUES = 20_000_000  # of all <bc> together: displacement and traction of 160 MB each
AGREE = 1e-9  # relative difference up to which elements prescribe the same displacement at a point
BALANCED = 1e-6  # of the size of the tractions: what may be out of balance where nothing holds a body


def read_conditions(
    children: Any, element_ids: np.ndarray, elements: np.ndarray, dimension: int, where: Places
) -> tuple[Conditions, ...]:
    """One `Conditions` for each <bc>."""
    values = len(children) * elements.size * dimension
    if values > MOST_VALUES:
        where.fail(line_of(children[0]), f"may hold {MOST_VALUES} values of all <bc> together, got {len(children)} of "
                                         f"them with {elements.size * dimension} values each; divide the file")
    where.conditions += [line_of(child) for child in children]
    rows = {number: row for row, number in enumerate(element_ids.tolist())}
    return tuple(
        Conditions(
            _values(child.find("DBC"), "dbc", rows, elements, dimension, where),
            _values(child.find("NBC"), "nbc", rows, elements, dimension, where),
        )
        for child in children
    )


def _values(
    parent: Any, kind: str, rows: dict[int, int], elements: np.ndarray, dimension: int, where: Places
) -> np.ndarray:
    found = np.full((*elements.shape, dimension), np.nan)
    seen: dict[int, Any] = {}
    for child in () if parent is None else parent.findall(f"{kind}_node"):
        number = int(child.get("id"))
        if number not in rows:
            where.fail(line_of(child), f"{described(child)} must name an element (<node>), got {number}; there is no "
                                       "such id")
        if number in seen:
            where.fail(line_of(child), f"{described(child)} must be there once in a <{parent.tag}>, got it again after "
                                       f"line {line_of(seen[number])}; delete one, or move it to a <bc> of its own")
        seen[number] = child
        row, points = rows[number], child.findall(f"{kind}_point")
        wanted = int((elements[row] >= 0).sum())
        if len(points) != wanted:
            where.fail(line_of(child), f"{described(child)} must have one <{kind}_point> for each point of the "
                                       f"element, {wanted}, got {len(points)}; correct it")
        found[row, :wanted] = [coordinates(point, dimension, where) for point in points]
    found.flags.writeable = False
    return found


def check_conditions(problem: BemDefo, where: Places) -> None:
    """Displacements that agree, bodies that something holds; a warning for loads that supports take."""
    warned = False
    for number, conditions in enumerate(problem.conditions):
        held, loaded = ~np.isnan(conditions.displacement).all(), ~np.isnan(conditions.traction).all()
        if not held:
            if loaded and not problem.infinite and problem.symmetry == 0:
                _check_balance(problem, number, conditions.traction, where)
            continue
        _check_agreement(problem, number, conditions.displacement, where)
        both = ~np.isnan(conditions.displacement) & (np.nan_to_num(conditions.traction) != 0)
        if both.any() and not warned:
            e, _, axis = np.argwhere(both)[0]
            line = where.conditions[number] if number < len(where.conditions) else None
            where.warn(line, f"element {problem.element_ids[e]}: {'xyz'[axis]} has a displacement and a traction, the "
                             "displacement counts")
            warned = True


def _check_agreement(problem: BemDefo, number: int, displacement: np.ndarray, where: Places) -> None:
    used = problem.elements >= 0
    given, values = problem.elements[used], displacement[used]
    n, d = problem.points.shape
    low, high = np.full((n, d), np.inf), np.full((n, d), -np.inf)
    np.fmin.at(low, given, values)
    np.fmax.at(high, given, values)
    prescribed = np.isfinite(low) & np.isfinite(high)
    scale = np.abs(np.where(prescribed, high, 0)) + np.abs(np.where(prescribed, low, 0))
    off = prescribed & (np.where(prescribed, high, 0) - np.where(prescribed, low, 0) > AGREE * scale)
    for i, axis in np.argwhere(off)[:1]:
        rows = [e for e in np.flatnonzero((problem.elements == i).any(axis=1))
                if not np.isnan(displacement[e, problem.elements[e] == i, axis]).all()]
        where.fail_condition(
            number, f"elements {' and '.join(str(problem.element_ids[e]) for e in rows)} must prescribe the same "
                    f"{'xyz'[axis]} at point {problem.point_ids[i]}, got {low[i, axis]!s} and {high[i, axis]!s}; "
                    f"correct one, or leave out one {'xyz'[axis]}")
    for axis in range(problem.symmetry):
        across = prescribed[:, axis] & (np.abs(np.where(prescribed, high, 0)[:, axis]) > 0)
        across &= np.abs(problem.points[:, axis]) <= 1e-9 * np.ptp(problem.points, axis=0).max()
        for i in np.flatnonzero(across)[:1]:
            where.fail_condition(
                number, f"point {problem.point_ids[i]} must not move across the plane of symmetry {'xyz'[axis]} = 0 "
                        f"that it lies on, got {'xyz'[axis]} = {high[i, axis]!s}; write 0, or leave it out")


def _check_balance(problem: BemDefo, number: int, traction: np.ndarray, where: Places) -> None:
    """Without supports, forces and moments must add up to nothing."""
    points = np.zeros((len(problem.points), 3))
    points[:, : problem.dimension] = problem.points
    values = np.zeros((*problem.elements.shape, 3))
    values[..., : problem.dimension] = np.nan_to_num(traction)
    force, moment, size = np.zeros(3), np.zeros(3), 0.0
    middle, extent = points.mean(axis=0), np.ptp(points, axis=0).max()
    for rows, shape, at, vectors in gauss_points(problem.dimension, problem.elements, points):
        area = np.sqrt((vectors * vectors).sum(axis=-1))[..., None]
        pull = np.einsum("gk,eki->egi", shape, values[rows, : shape.shape[1]]) * area
        force += pull.sum(axis=(0, 1))
        moment += np.cross((at - middle) / extent, pull).sum(axis=(0, 1))
        size += float(np.abs(pull).sum())
    if max(np.abs(force).max(), np.abs(moment).max()) > BALANCED * size:
        where.fail_condition(
            number, "a <bc> must hold the body, or have tractions in balance, got no displacement at all and a "
                    f"resultant force of ({', '.join(f'{part:.6g}' for part in force[: problem.dimension])}); "
                    "prescribe displacements in its <DBC>")
