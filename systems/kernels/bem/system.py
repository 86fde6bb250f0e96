"""The linear system of an elastostatic boundary-element problem, in the plane or in space, and its solution.

Lengths are over the body's size and tractions over the shear modulus. Rigid motions that no support prevents are
unknowns of their own, against the condition that the displacement has none of them.

*Limitations*: dense; at nu = 1/2 displacements prescribed all around leave the matrix singular: see `condition`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg

from systems.kernels.bem import planar_system, spatial_system
from systems.kernels.bem.terms import Terms
from systems.kernels.bem.unknowns import Unknowns, number_unknowns, prescribed

ROWS = 64  # of the matrix, whose absolute values are held at a time
RANK = 1e-9  # relative singular value below which a rigid motion counts as free


@dataclass(frozen=True)
class Solution:
    """u (n, d) [m] and t (m, k, d) [Pa] in global axes.

    condition: estimated condition number of the scaled matrix, in the largest norm. free (r, 3 or 6): rigid motions
    (translation, rotation about the mean of the points, times the size) that no support holds; the solution has none.
    """

    u: np.ndarray
    t: np.ndarray
    condition: float
    free: np.ndarray = field(repr=False)


class Load(NamedTuple):
    """Known values of one load, as in a problem: u_value, t_value (m, k, d), u_free (n, d), t_free (m, k, d)."""

    u_value: np.ndarray
    t_value: np.ndarray
    u_free: np.ndarray
    t_free: np.ndarray


@dataclass(frozen=True)
class System:
    """a x = right (rows, loads); the first `numbering.unknown` of x are those of the problem. scale [m]: its size."""

    a: np.ndarray
    right: np.ndarray
    numbering: Unknowns
    scale: float
    free: np.ndarray


def solve(problem: Any) -> Solution:
    """Assemble and solve. scipy.linalg.LinAlgError when the matrix is singular."""
    return responses(problem, [own_load(problem)])[0]


def responses(problem: Any, loads: list[Load]) -> list[Solution]:
    """The solution for each of several loads on the same supports, from one factorisation."""
    system = assembled(problem, loads)
    a = system.a
    # rows are contiguous where they are assembled, columns in LAPACK: the transpose is factored, without a copy
    norm = max(float(np.abs(a[i : i + ROWS]).sum(axis=1).max()) for i in range(0, len(a), ROWS))
    factors, pivots, info = scipy.linalg.lapack.dgetrf(a.T, overwrite_a=True)
    if info > 0:
        raise scipy.linalg.LinAlgError(f"the matrix is singular at unknown {info - 1}")
    reciprocal, _ = scipy.linalg.lapack.dgecon(factors, norm)
    x, _ = scipy.linalg.lapack.dgetrs(factors, pivots, system.right, trans=1)
    condition = 1.0 / max(float(reciprocal), 1e-300)
    return [
        Solution(*results(problem, system, load, x[:, number]), condition, system.free)
        for number, load in enumerate(loads)
    ]


def own_load(problem: Any) -> Load:
    return Load(problem.u_value, np.where(problem.u_fixed, 0.0, problem.t_value), problem.u_free, problem.t_free)


def assembled(problem: Any, loads: list[Load]) -> System:
    """The system of a PlanarProblem or SpatialProblem under several loads."""
    space = _space(problem)
    scale = size(problem)
    boundary = space.prepared(problem, scale)
    numbering = number_unknowns(problem, space.sides(problem), space.smooth_across(problem))
    free = free_motions(problem, scale)
    borders = space.borders(problem, scale, boundary, numbering, loads)
    total = numbering.unknown + borders.count + len(free)
    a, right = np.zeros((total, total)), np.zeros((total, len(loads)))
    terms = _terms(problem, scale, numbering, loads)
    sources = space.assemble_into(problem, scale, boundary, numbering, terms, a, right)
    space.add_borders(problem, scale, boundary, numbering, borders, loads, a, right)
    if len(free):
        _border_free(problem, scale, numbering, sources, free, a, numbering.unknown + borders.count)
    return System(a, right, numbering, scale, free)


def size(problem: Any) -> float:
    """The largest extent of the points [m]."""
    return float(np.ptp(problem.points, axis=0).max())


def free_motions(problem: Any, scale: float) -> np.ndarray:
    """(r, 3 or 6) combinations of translations and rotations that no support of a body prevents."""
    count = 3 if problem.points.shape[1] == 2 else 6
    if problem.infinite:
        return np.zeros((0, count))
    used = problem.nodes >= 0
    held = np.zeros(problem.points.shape, bool)
    np.logical_or.at(held, problem.nodes[used], (problem.u_fixed | (problem.spring > 0))[used])
    motions = rigid_motions(problem, problem.points, scale)
    conditions = [np.zeros((count, count))]
    if held.any():
        conditions.append(np.einsum("nab,nam->nbm", problem.frames, motions)[held])
    for axis, mirrored in enumerate(problem.mirror):
        if mirrored and np.any(problem.points[:, axis] == 0.0):  # the body is cut by the plane
            conditions.append(_against_plane(count, axis))
    _, s, v = np.linalg.svd(np.concatenate(conditions), full_matrices=False)
    return v[s <= RANK * max(s.max(), 1.0)]


def _against_plane(count: int, axis: int) -> np.ndarray:
    """Motions that symmetry forbids: along the plane's normal, and turning about axes in the plane."""
    if count == 3:
        return np.eye(3)[[axis, 2]]
    return np.eye(6)[[axis, *(3 + other for other in range(3) if other != axis)]]


def rigid_motions(problem: Any, points: np.ndarray, scale: float) -> np.ndarray:
    """(len(points), d, 3 or 6): unit translations, and rotations about the mean of the body's points."""
    offset = (points - problem.points.mean(axis=0)) / scale
    n, d = points.shape
    if d == 2:
        turning = np.stack([-offset[:, 1], offset[:, 0]], axis=1)[..., None]
    else:
        turning = np.stack([np.cross(axis, offset) for axis in np.eye(3)], axis=2)
    return np.concatenate([np.broadcast_to(np.eye(d), (n, d, d)), turning], axis=2)


def results(problem: Any, system: System, load: Load, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(u (n, d) [m], t (m, k, d) [Pa]) of a solution x for a load, in global axes."""
    numbering, g = system.numbering, problem.shear_modulus
    u = prescribed(problem, load.u_value)
    columns = numbering.u_column.reshape(u.shape)
    u[columns >= 0] = x[columns[columns >= 0]] * system.scale
    t = load.t_value - problem.spring * u[problem.nodes]
    columns = numbering.t_column.reshape(t.shape)
    t[columns >= 0] = x[columns[columns >= 0]] * g
    t[problem.nodes < 0] = 0.0
    return np.einsum("nab,nb->na", problem.frames, u), np.einsum("ekab,ekb->eka", problem.frames[problem.nodes], t)


def _space(problem: Any) -> ModuleType:
    return planar_system if problem.points.shape[1] == 2 else spatial_system


def _terms(problem: Any, scale: float, numbering: Unknowns, loads: list[Load]) -> Terms:
    """The problem's values, scaled, as `gather` takes them."""
    g, nodes, d = problem.shear_modulus, problem.nodes, problem.points.shape[1]
    used = np.repeat(nodes.reshape(-1) >= 0, d)
    u, t = np.flatnonzero(numbering.u_column >= 0), np.flatnonzero(numbering.t_column >= 0)
    u_known, t_known = numbering.u_column < 0, (numbering.t_column < 0) & used
    spring = problem.spring.reshape(-1) * (scale / g)
    turned = np.flatnonzero((problem.frames != np.eye(d)).any(axis=(1, 2)))
    t_turned = np.flatnonzero(np.isin(nodes, turned))
    springs = np.flatnonzero(spring)
    return Terms(
        u, numbering.u_column[u], t, numbering.t_column[t],
        *_listed([prescribed(problem, load.u_value).reshape(-1) * u_known / scale for load in loads]),
        *_listed([load.t_value.reshape(-1) * t_known / g for load in loads]),
        *_listed([load.u_free.reshape(-1) / scale for load in loads]),
        *_listed([load.t_free.reshape(-1) * used / g for load in loads]),
        problem.frames, turned, np.stack([d * t_turned, nodes.reshape(-1)[t_turned]], axis=1).astype(np.int64),
        np.stack([springs, d * nodes.reshape(-1)[springs // d] + springs % d], axis=1).astype(np.int64),
        spring[springs], np.flatnonzero(u_known), np.flatnonzero(t_known),
    )  # fmt: skip


def _listed(values: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(where each begins, numbers, values) of those that are not 0."""
    numbers = [np.flatnonzero(value) for value in values]
    start = np.cumsum([0, *(len(number) for number in numbers)])
    return start, np.concatenate(numbers), np.concatenate([v[n] for v, n in zip(values, numbers, strict=True)])


def _border_free(
    problem: Any, scale: float, numbering: Unknowns, sources: np.ndarray, free: np.ndarray, a: np.ndarray, first: int
) -> None:
    """Rigid motions that nothing holds, as unknowns, against the displacement's part in them."""
    motions = rigid_motions(problem, sources, scale) @ free.T  # (s, d, r)
    turned = numbering.turned >= 0
    motions[turned] = np.einsum("sab,sar->sbr", problem.frames[numbering.turned[turned]], motions[turned])
    wanted = numbering.rows >= 0
    a[numbering.rows[wanted], first : first + len(free)] = motions[wanted]
    local = np.einsum("nab,nar->nbr", problem.frames, rigid_motions(problem, problem.points, scale) @ free.T)
    unknown = numbering.u_column >= 0
    a[first : first + len(free), numbering.u_column[unknown]] = local.reshape(len(unknown), len(free))[unknown].T
