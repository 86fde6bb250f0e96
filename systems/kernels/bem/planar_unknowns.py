"""A plane boundary-element problem, its unknowns, and the points of its equations.

Displacement is one vector per node, traction one per element point, so that it may jump at corners. Where displacement
is prescribed on one side of a node only, that side's traction is the unknown. Where it is prescribed on both sides of a
corner, there are two unknown tractions: the two equations come from points inside the elements on either side, instead
of from the corner. At smooth nodes the two sides share one unknown.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from systems.kernels.bem.planar_elements import shape_functions

INSET = 1.0 / 3.0  # of an element: where a corner's equation is taken inside (xi = +-(1 - 2 INSET))
SMOOTH = math.cos(math.radians(1.0))  # cosine of the angle between sides up to which a node counts as smooth


@dataclass(frozen=True, kw_only=True)
class PlanarProblem:
    """A body or a region, its boundary and what acts on it.

    points (n, 2) [m]; nodes (m, 2 or 3): elements, first, [middle,] last, with the material on the left.
    shear_modulus [Pa]; poisson_ratio: of plane strain; nu / (1 + nu) for plane stress.
    u_fixed (m, k, 2): prescribed displacements; u_value (m, k, 2) [m]; t_value (m, k, 2) [Pa]: tractions elsewhere;
    spring (m, k, 2) [Pa/m]: elastic support: all along the axes of frames (n, 2, 2), whose columns are unit vectors.
    mirror: whether x = 0 and y = 0 are planes of symmetry. u_free (n, 2), t_free (m, k, 2): a particular solution, of a
    body force or of a far field. log_length [m]: None for equations that need none. accuracy: of matrix entries.
    """

    points: np.ndarray
    nodes: np.ndarray
    shear_modulus: float
    poisson_ratio: float
    u_fixed: np.ndarray
    u_value: np.ndarray
    t_value: np.ndarray
    spring: np.ndarray
    frames: np.ndarray
    u_free: np.ndarray
    t_free: np.ndarray
    infinite: bool = False
    mirror: tuple[bool, bool] = (False, False)
    log_length: float | None = None
    accuracy: float = 1e-6


class Unknowns(NamedTuple):
    """Numbering. u_column (2n,), t_column (2km,): column in the matrix, or -1 - (number among the known values).

    sources (s, 2), source_node, source_element, source_xi (s,): points of the equations; rows (s, 2), turned
    (s,): see `assemble`.
    """

    u_column: np.ndarray
    t_column: np.ndarray
    unknown: int
    known: int
    sources: np.ndarray
    source_node: np.ndarray
    source_element: np.ndarray
    source_xi: np.ndarray
    rows: np.ndarray
    turned: np.ndarray


def number_unknowns(problem: PlanarProblem) -> Unknowns:
    """Number unknown and known values, and choose the points of the equations."""
    n, (m, k) = len(problem.points), problem.nodes.shape
    fixed = np.zeros((n, 2), bool)
    np.logical_or.at(fixed, problem.nodes, problem.u_fixed)
    for axis in range(2):
        if problem.mirror[axis]:
            fixed[problem.points[:, axis] == 0.0, axis] = True
    sides: list[list[tuple[int, int]]] = [[] for _ in range(n)]
    for e, row in enumerate(problem.nodes.tolist()):
        for c, i in enumerate(row):
            sides[i].append((e, c))
    smooth = _smooth(problem, sides).tolist()
    u_fixed, fixed_rows = problem.u_fixed.tolist(), fixed.tolist()
    turned_nodes = np.any(problem.frames != np.eye(2), axis=(1, 2)).tolist()

    u_column = np.full((n, 2), -1)
    u_column[~fixed] = np.arange(np.count_nonzero(~fixed))
    unknown = int(np.count_nonzero(~fixed))
    t_column = np.full((m, k, 2), -1)
    points: list[tuple[int, int, float, int, bool, bool]] = []  # node, element, xi, turned, rows wanted
    for i in range(n):
        counts = [0, 0]
        for axis in range(2):
            own = [(e, c) for e, c in sides[i] if u_fixed[e][c][axis]]
            for side in own:
                if not (smooth[i] and counts[axis] == 1):
                    counts[axis] += 1
                    unknown += 1
                t_column[*side, axis] = unknown - 1
            counts[axis] = counts[axis] if fixed_rows[i][axis] else 1
        turned = i if turned_nodes[i] else -1
        if max(counts) < 2:
            points.append((i, 0, 0.0, turned, counts[0] > 0, counts[1] > 0))
        else:
            for number, (e, c) in enumerate(sides[i]):
                xi = (-1.0 if c == 0 else 1.0) * (1.0 - 2.0 * INSET)
                points.append((-1, e, xi, turned, counts[0] > number, counts[1] > number))
    u_column[fixed] = -1 - np.arange(np.count_nonzero(fixed))
    known = int(np.count_nonzero(fixed))
    others = t_column < 0
    t_column[others] = -1 - known - np.arange(np.count_nonzero(others))
    node, element, xi, turned_, first, second = (np.array(values) for values in zip(*points, strict=True))
    rows = np.stack([first, second], axis=1)
    numbers = np.full(rows.shape, -1)
    numbers[rows] = np.arange(np.count_nonzero(rows))
    corner = problem.points[problem.nodes[element]]
    inside = (shape_functions(xi, k)[:, :, None] * corner).sum(axis=1)
    sources = np.where(node[:, None] >= 0, problem.points[node], inside)
    return Unknowns(
        u_column.reshape(-1), t_column.reshape(-1), unknown, known + int(np.count_nonzero(others)), sources, node,
        element, xi.astype(float), numbers, turned_,
    )  # fmt: skip


def _smooth(problem: PlanarProblem, sides: list[list[tuple[int, int]]]) -> np.ndarray:
    """(n,): whether the boundary has one tangent at each node. Nodes inside elements have."""
    corner = problem.points[problem.nodes]
    if problem.nodes.shape[1] == 2:
        start = end = corner[:, 1] - corner[:, 0]
    else:
        start = -3 * corner[:, 0] + 4 * corner[:, 1] - corner[:, 2]
        end = corner[:, 0] - 4 * corner[:, 1] + 3 * corner[:, 2]
    found = np.ones(len(problem.points), bool)
    pairs = [(i, *own[0], *own[1]) for i, own in enumerate(sides) if len(own) == 2]
    if pairs:
        i, e, c, f, d = np.array(pairs).T
        a = np.where((c == 0)[:, None], start[e], end[e])
        b = np.where((d == 0)[:, None], start[f], end[f])
        found[i] = (a * b).sum(1) >= SMOOTH * np.sqrt((a * a).sum(1) * (b * b).sum(1))
    return found
