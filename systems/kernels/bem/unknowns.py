"""Unknowns of a boundary-element problem, and the points of its equations.

Displacement is one vector per node, traction one per element point, so that it may jump at edges and corners. The sides
of a node are the elements there that are smooth continuations of each other. Where displacement is prescribed on one
side only, that side's traction is the unknown. Where it is prescribed on several sides, there are several: their
equations come from points inside an element of each side, instead of from the node. On one side the elements share one
unknown.

On a plane of symmetry the equation along its normal says nothing, 0 = 0. A traction along it is 0 where the boundary
runs smoothly across the plane; where it meets its image at an edge, the equation comes from inside an element.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class Unknowns(NamedTuple):
    """Numbering. u_column (d n,), t_column (d m k,): column in the matrix, or -1 - (number among the known values).

    source_node (s,): of each point of equations, or -1 where it is moved from corner source_corner of source_element
    into that element; rows (s, d): their rows in the matrix, -1 to leave one out; turned (s,): node in whose axes they
    are, -1 for global ones.
    """

    u_column: np.ndarray
    t_column: np.ndarray
    unknown: int
    known: int
    source_node: np.ndarray
    source_element: np.ndarray
    source_corner: np.ndarray
    rows: np.ndarray
    turned: np.ndarray


def number_unknowns(problem: Any, side: np.ndarray, smooth: np.ndarray) -> Unknowns:
    """Number unknown and known values; side (m, k): number of the side of its node that an element point is on.

    smooth (m, k, d): whether the boundary would run smoothly across a plane of symmetry through the point.
    """
    nodes = problem.nodes
    (n, d), (m, k) = problem.points.shape, nodes.shape
    used = nodes >= 0
    fixed = fixed_displacements(problem)
    points: list[list[tuple[int, int, int]]] = [[] for _ in range(n)]
    sides = side.tolist()
    for e, row in enumerate(nodes.tolist()):
        for c, i in enumerate(row):
            if i >= 0:
                points[i].append((e, c, sides[e][c]))
    on_plane = (problem.points == 0.0) & np.array(problem.mirror)
    odd = on_plane[nodes] & problem.u_fixed
    u_fixed, fixed_rows = (problem.u_fixed & ~(odd & smooth)).tolist(), fixed.tolist()
    edges = np.zeros((n, d), bool)
    np.logical_or.at(edges, nodes[used], (odd & ~smooth)[used])
    moved = edges.any(axis=1).tolist()
    turned_nodes = np.any(problem.frames != np.eye(d), axis=(1, 2)).tolist()

    u_column = np.full((n, d), -1)
    unknown = int(np.count_nonzero(~fixed))
    u_column[~fixed] = np.arange(unknown)
    t_column = np.full((m, k, d), -1)
    sources: list[tuple[int, ...]] = []  # node, element, corner, turned, rows wanted
    for i, own in enumerate(points):
        if not own:
            continue
        turned = i if turned_nodes[i] else -1
        if not any(fixed_rows[i]):
            sources.append((i, 0, 0, turned, *([1] * d)))
            continue
        held: dict[int, tuple[int, int]] = {}  # side -> its first point that is held
        counts = [1] * d
        for axis in range(d):
            columns: dict[int, int] = {}
            for e, c, s in own:
                if u_fixed[e][c][axis]:
                    if s not in columns:
                        columns[s], unknown = unknown, unknown + 1
                        held.setdefault(s, (e, c))
                    t_column[e, c, axis] = columns[s]
            if fixed_rows[i][axis]:
                counts[axis] = len(columns)
        if max(counts) < 2 and not moved[i]:
            sources.append((i, 0, 0, turned, *counts))
            continue
        for number, (e, c) in enumerate(list(held.values())[: max(counts)]):
            sources.append((-1, e, c, turned, *(int(count > number) for count in counts)))
    known = int(np.count_nonzero(fixed))
    u_column[fixed] = -1 - np.arange(known)
    others = (t_column < 0) & used[..., None]
    given = int(np.count_nonzero(others))
    t_column[others] = -1 - known - np.arange(given)
    t_column[~used] = -1 - known - given  # no value at all
    table = np.array(sources)
    wanted = table[:, 4:] > 0
    rows = np.full(wanted.shape, -1)
    rows[wanted] = np.arange(np.count_nonzero(wanted))
    return Unknowns(
        u_column.reshape(-1), t_column.reshape(-1), unknown, known + given,
        *(np.ascontiguousarray(column) for column in table[:, :3].T), rows, np.ascontiguousarray(table[:, 3]),
    )  # fmt: skip


def fixed_displacements(problem: Any) -> np.ndarray:
    """(n, d) whether a displacement is known: prescribed, or 0 on a plane of symmetry."""
    used = problem.nodes >= 0
    fixed = np.zeros(problem.points.shape, bool)
    np.logical_or.at(fixed, problem.nodes[used], problem.u_fixed[used])
    for axis, mirrored in enumerate(problem.mirror):
        if mirrored:
            fixed[problem.points[:, axis] == 0.0, axis] = True
    return fixed


def prescribed(problem: Any, u_value: np.ndarray) -> np.ndarray:
    """(n, d) prescribed displacements along the axes of the nodes, 0 elsewhere."""
    u = np.zeros(problem.points.shape)
    e, c, axis = np.nonzero(problem.u_fixed)
    u[problem.nodes[e, c], axis] = u_value[e, c, axis]
    return u
