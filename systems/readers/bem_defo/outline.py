"""Outlines in the plane: closed, simple, with the material on the left."""

from __future__ import annotations

import numpy as np

from systems.readers.bem_defo.model import BemDefo
from systems.readers.bem_defo.places import Places, listed
from systems.readers.bem_defo.plane import chords, crossing, nearness, winding
from systems.readers.bem_defo.shape import (
    CLOSE,
    check_distinct,
    check_middles,
    check_sides_of_planes,
    mirrored,
    size_of,
)

ON = 1e-6  # of the size of the body: how near to the outline a point is taken to lie on it
MOST_INSIDE = 20_000  # points that no element uses


def check_outline(problem: BemDefo, where: Places) -> None:
    """ProblemFileError where the elements are no outline of one body, or of holes in an infinite region."""
    check_distinct(problem, where)
    check_sides_of_planes(problem, where)
    _check_use(problem, where)
    if problem.order == 2:
        check_middles(problem, problem.elements, np.arange(len(problem.elements)), where)
    near = CLOSE * size_of(problem)
    ends, numbers, rows = chords(problem.points, problem.elements)
    pair = crossing(ends, numbers, near)
    if pair is not None:
        a, b = sorted(int(rows[place]) for place in pair)
        where.fail_element(b, f"elements {problem.element_ids[a]} and {problem.element_ids[b]} must not cross, touch "
                              "or lie on each other, got an outline that meets itself there; correct the coordinates "
                              "of their points")
    points, elements, owner = mirrored(problem)
    loops = _loops(problem, points, elements, owner, where)
    ends, _, rows = chords(points, elements)
    loop = np.zeros(len(elements), int)
    for number, members in enumerate(loops):
        loop[members] = number
    _check_direction(problem, points, elements, owner, ends, loop[rows], loops, where)
    _check_unused(problem, ends, where)


def _check_use(problem: BemDefo, where: Places) -> None:
    """Each point is the end of two elements, where one ends and one begins, or the middle of one."""
    n, ids = len(problem.points), problem.element_ids
    near = CLOSE * size_of(problem)
    on_plane = np.zeros(n, bool)
    for axis in range(problem.symmetry):
        on_plane |= np.abs(problem.points[:, axis]) <= near
    begins, ends = (np.bincount(problem.elements[:, j], minlength=n) for j in (0, -1))
    middles = np.bincount(problem.elements[:, 1], minlength=n) if problem.order == 2 else np.zeros(n, int)
    wrong = (begins > 1) | (ends > 1) | (middles > 1) | ((middles > 0) & (begins + ends > 0))
    wrong |= (begins != ends) & ~on_plane & (middles == 0)
    wrong |= on_plane & (begins + ends + middles > 1)
    for i in np.flatnonzero(wrong)[:1]:
        rows = np.flatnonzero((problem.elements == i).any(axis=1))
        name, who = f"point {problem.point_ids[i]}", listed(ids[rows])
        if len(rows) == 1:
            planes = f", or end the outline on {' or '.join(f'{a} = 0' for a in 'xy'[: problem.symmetry])}" * bool(
                problem.symmetry)
            where.fail_element(rows[0], f"the outline must be closed at {name}, got element {who} alone there; add the "
                                        f"element that goes on, or correct the id{planes}")
        if on_plane[i]:
            where.fail_element(rows[-1], f"{name} on a plane of symmetry must belong to one element, which ends there, "
                                         f"got elements {who}; move it, or delete the elements beyond")
        if len(rows) == 2 and not middles[i]:
            both = "begin" if begins[i] > 1 else "end"
            where.fail_element(rows[1], f"one element must end and one begin at {name}, got elements {who} that both "
                                        f"{both} there; swap ip and ep of one of them, and the order of its values")
        where.fail_element(rows[-1], f"{name} must be the end of two elements or the inner point of one, got elements "
                                     f"{who}; correct their ids")


def _loops(
    problem: BemDefo, points: np.ndarray, elements: np.ndarray, owner: np.ndarray, where: Places
) -> list[np.ndarray]:
    """Rows of the elements of each closed loop of the whole outline, in the order that they run in."""
    after = np.full(len(points), -1)
    after[elements[:, 0]] = np.arange(len(elements))
    left, found = np.ones(len(elements), bool), []
    for start in range(len(elements)):
        members, e = [], start
        while e >= 0 and left[e]:
            left[e] = False
            members.append(e)
            e = int(after[elements[e, -1]])
        if members and e != start:
            row = owner[members[-1]]
            where.fail_element(row, f"the outline must be closed, got an end at element {problem.element_ids[row]}; "
                                    "add the element that goes on, or correct the id")
        if members:
            found.append(np.array(members))
    return found


def _check_direction(
    problem: BemDefo, points: np.ndarray, elements: np.ndarray, owner: np.ndarray, ends: np.ndarray, loop: np.ndarray,
    loops: list[np.ndarray], where: Places,
) -> None:  # fmt: skip
    """Anticlockwise outside, clockwise around holes; one body."""
    middle = points.mean(axis=0)
    a, b = ends[:, 0] - middle, ends[:, 1] - middle
    area = np.bincount(loop, a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0], minlength=len(loops))
    outer = []
    for number, members in enumerate(loops):
        others = ends[loop != number]
        around = loop[loop != number]
        at = points[elements[members[0], 0]][None]
        depth = sum(1 for other in np.unique(around) if winding(others[around == other], at)[0])
        rows = np.unique(owner[members])
        names = f"elements {listed(problem.element_ids[rows])}"
        if depth > (0 if problem.infinite else 1):
            where.fail_element(rows[0], f"{names} must not lie in a hole of the body, got a loop inside of another "
                                        "hole; give a body of its own a file of its own")
        clockwise = depth == 1 or problem.infinite
        if (area[number] < 0) != clockwise:
            kind = "a hole" if clockwise else "the outline of a finite region"
            runs = "clockwise" if clockwise else "anticlockwise"
            do = "" if depth else f", or write region_type {1 if problem.infinite else 2}"
            where.fail_element(rows[0], f"{kind} must run {runs}, with the material on the left, got {names} the other "
                                        f"way round; swap ip and ep of each, and the order of its values{do}")
        if depth == 0:
            outer.append(rows)
    if not problem.infinite and len(outer) > 1:
        where.fail_element(outer[1][0], f"a finite region must be one body, got {len(outer)}, the second with elements "
                                        f"{listed(problem.element_ids[outer[1]])}; give each a file of its own")


def _check_unused(problem: BemDefo, ends: np.ndarray, where: Places) -> None:
    """Points that no element uses are places in the material where results are wanted."""
    unused = np.setdiff1d(np.arange(len(problem.points)), problem.elements)
    if len(unused) > MOST_INSIDE:
        where.fail_point(unused[0], f"may have {MOST_INSIDE} points that no element uses, got {len(unused)}; delete "
                                    "some")
    at = problem.points[unused]
    on = nearness(ends, at) <= ON * size_of(problem)
    for i in unused[on][:1]:
        where.fail_point(i, f"point {problem.point_ids[i]} must belong to an element, or lie inside the material, got "
                            "one on the outline that no element uses; delete it, or check element_type and ids")
    around = winding(ends, at)
    for i in unused[(around != 0) if problem.infinite else (around != 1)][:1]:
        where.fail_point(i, f"point {problem.point_ids[i]} must belong to an element, or lie inside the material, got "
                            "one outside of it that no element uses; delete it, or correct its coordinates")
