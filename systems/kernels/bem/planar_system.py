"""The linear system of a plane elastostatic boundary-element problem, and its solution.

The logarithm in Kelvin's solution is that of a length over some unit. By default an unknown rigid translation is added
to the equations, with the condition that all tractions are in balance; no result then depends on the unit, and
resultants balance exactly. With `log_length` the unit is given, as in textbooks; such a system is singular for a disc
of radius log_length exp(1 / (2 (3 - 4 nu))) with displacements all around (the degenerate scale): see `condition`.

*Limitations*: dense; at nu = 1/2 displacements prescribed all around leave the matrix singular.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import scipy.linalg
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from systems.kernels.bem.planar import Terms, assemble
from systems.kernels.bem.planar_elements import Elements, elements
from systems.kernels.bem.planar_results import image_signs
from systems.kernels.bem.planar_unknowns import PlanarProblem, Unknowns, number_unknowns
from systems.kernels.bem.quadrature import MOST, Rules, rules

INCOMPRESSIBLE = 1e-4  # 1 - 2 nu below which the equations say too little of the area of holes
ROWS = 64  # of the matrix, whose absolute values are held at a time
RANK = 1e-9  # relative singular value below which a rigid motion counts as free


@dataclass(frozen=True)
class PlanarSolution:
    """u (n, 2) [m] and t (m, k, 2) [Pa] in global axes.

    condition: estimated condition number of the scaled matrix, in the largest norm. free (r, 3): rigid motions
    (translation, rotation) that no support holds; the solution has none of them.
    """

    u: np.ndarray
    t: np.ndarray
    condition: float
    free: np.ndarray = field(repr=False)


def solve(problem: PlanarProblem) -> PlanarSolution:
    """Assemble and solve. scipy.linalg.LinAlgError when the matrix is singular."""
    scale = float(np.ptp(problem.points, axis=0).max())
    rule = rules(problem.accuracy)
    boundary = elements(problem.points / scale, problem.nodes, rule)
    numbering = number_unknowns(problem)
    gauge, balance = _gauge(problem, scale, boundary, numbering)
    free = free_motions(problem, scale)
    holes = _holes(problem) if 1.0 - 2.0 * problem.poisson_ratio < INCOMPRESSIBLE else []
    a, right = _assembled(problem, scale, rule, boundary, numbering, len(gauge) + len(free) + len(holes))
    _border(problem, scale, numbering, gauge, balance, free, a, right)
    for number, hole in enumerate(holes):
        _border_of_hole(problem, scale, boundary, numbering, hole, a, right, len(a) - len(holes) + number)
    # rows are contiguous where they are assembled, columns in LAPACK: the transpose is factored, without a copy
    norm = max(float(np.abs(a[i : i + ROWS]).sum(axis=1).max()) for i in range(0, len(a), ROWS))
    factors, pivots, info = scipy.linalg.lapack.dgetrf(a.T, overwrite_a=True)
    if info > 0:
        raise scipy.linalg.LinAlgError(f"the matrix is singular at unknown {info - 1}")
    reciprocal, _ = scipy.linalg.lapack.dgecon(factors, norm)
    x, _ = scipy.linalg.lapack.dgetrs(factors, pivots, right, trans=1)
    u, t = _results(problem, scale, numbering, x)
    return PlanarSolution(u, t, 1.0 / max(float(reciprocal), 1e-300), free)


def traction_weights(boundary: Elements) -> np.ndarray:
    """(m, k) integral of each element's functions along it: their sum times the traction is the force."""
    return boundary.batched[4, -MOST:].T @ boundary.values[-MOST:]


def _gauge(
    problem: PlanarProblem, scale: float, boundary: Elements, numbering: Unknowns
) -> tuple[np.ndarray, np.ndarray]:
    """(directions (r, 2) in which a translation is unknown, (r, unknown + 1): tractions balance along them)."""
    directions, balance = np.zeros((0, 2)), np.zeros((0, numbering.unknown + 1))
    if problem.log_length is not None:
        return directions, balance
    g = problem.shear_modulus
    weights = traction_weights(boundary)
    total = np.zeros((2, numbering.unknown + 1))
    force = weights[..., None, None] * problem.frames[problem.nodes]  # (m, k, direction, axis)
    t_column = numbering.t_column.reshape(problem.u_fixed.shape)
    u_column = numbering.u_column.reshape(-1, 2)[problem.nodes]
    stiffness = problem.spring * (scale / g)
    springs = (stiffness != 0) & (u_column >= 0)
    for axis in range(2):
        along = force[:, :, axis]
        np.add.at(total[axis], t_column[t_column >= 0], along[t_column >= 0])
        np.subtract.at(total[axis], u_column[springs], (along * stiffness)[springs])
        total[axis, -1] = np.sum(weights * problem.t_free[..., axis]) / g
        total[axis, -1] -= np.sum(along * np.where(t_column < 0, problem.t_value, 0.0)) / g
    total[list(problem.mirror)] = 0.0  # balanced by the image
    u, s, _ = np.linalg.svd(total[:, :-1], full_matrices=False)
    keep = s > RANK * max(s.max(initial=0.0), 1.0)
    directions = u[:, keep].T
    return directions, directions @ total


def free_motions(problem: PlanarProblem, scale: float) -> np.ndarray:
    """(r, 3) combinations of the translations and the rotation about the centre that no support of a body prevents."""
    if problem.infinite:
        return np.zeros((0, 3))
    held = np.zeros((len(problem.points), 2), bool)
    np.logical_or.at(held, problem.nodes, problem.u_fixed | (problem.spring > 0))
    motions = rigid_motions(problem, problem.points, scale)
    local = np.einsum("nab,nam->nbm", problem.frames, motions)
    conditions = [local[held], np.zeros((3, 3))]
    for axis in range(2):
        if problem.mirror[axis] and np.any(problem.points[:, axis] == 0.0):  # the body is cut by the plane
            conditions += [np.eye(3)[[axis, 2]]]
    _, s, v = np.linalg.svd(np.concatenate(conditions), full_matrices=False)
    return v[s <= RANK * max(s.max(), 1.0)]


def rigid_motions(problem: PlanarProblem, points: np.ndarray, scale: float) -> np.ndarray:
    """(len(points), 2, 3): unit translations along x and y, and a rotation about the centre of the body."""
    offset = (points - problem.points.mean(axis=0)) / scale
    zero, one = np.zeros(len(points)), np.ones(len(points))
    return np.stack([np.stack([one, zero], 1), np.stack([zero, one], 1), np.stack([-offset[:, 1], offset[:, 0]], 1)], 2)


def _assembled(
    problem: PlanarProblem, scale: float, rule: Rules, boundary: Elements, numbering: Unknowns, borders: int
) -> tuple[np.ndarray, np.ndarray]:
    """(matrix with room for borders, right-hand side)."""
    size = numbering.unknown + borders
    a, right = np.zeros((size, size)), np.zeros(size)
    mirrors = image_signs(problem.mirror)
    shift = 0.0 if problem.log_length is None else math.log(scale / problem.log_length)
    assemble(
        problem.points / scale, *boundary[:4], boundary.half_chord, rule.offset, rule.points, rule.weights, rule.reach,
        rule.inner, rule.inner_weights, rule.log_weights, numbering.sources / scale, numbering.source_node,
        numbering.source_element, numbering.source_xi, mirrors, problem.poisson_ratio, shift, problem.infinite,
        numbering.rows, numbering.turned, _terms(problem, scale, numbering), a, np.zeros((0, 0)), right,
    )  # fmt: skip
    return a, right


def _terms(problem: PlanarProblem, scale: float, numbering: Unknowns) -> Terms:
    """The problem's values, scaled, as `assemble` takes them."""
    g, nodes = problem.shear_modulus, problem.nodes
    u_value = np.zeros((len(problem.points), 2))
    e, c, axis = np.nonzero(problem.u_fixed)
    u_value[nodes[e, c], axis] = problem.u_value[e, c, axis] / scale
    u, t = np.flatnonzero(numbering.u_column >= 0), np.flatnonzero(numbering.t_column >= 0)
    u_known, t_known = np.flatnonzero(numbering.u_column < 0), np.flatnonzero(numbering.t_column < 0)
    t_value, spring = problem.t_value.reshape(-1) / g, problem.spring.reshape(-1) * (scale / g)
    u_free, t_free = problem.u_free.reshape(-1) / scale, problem.t_free.reshape(-1) / g
    turned = np.flatnonzero((problem.frames != np.eye(2)).any(axis=(1, 2)))
    t_turned = np.flatnonzero(np.isin(nodes, turned))
    springs = np.flatnonzero(spring)
    given_u, given_t = u_known[u_value.reshape(-1)[u_known] != 0], t_known[t_value[t_known] != 0]
    free_u, free_t = np.flatnonzero(u_free), np.flatnonzero(t_free)
    return Terms(
        u, numbering.u_column[u], t, numbering.t_column[t], given_u, u_value.reshape(-1)[given_u], given_t,
        t_value[given_t], free_u, u_free[free_u], free_t, t_free[free_t], problem.frames, turned,
        np.stack([2 * t_turned, nodes.reshape(-1)[t_turned]], axis=1).astype(np.int64),
        np.stack([springs, 2 * nodes.reshape(-1)[springs // 2] + springs % 2], axis=1).astype(np.int64),
        spring[springs], u_known, t_known,
    )  # fmt: skip


def _border(
    problem: PlanarProblem, scale: float, numbering: Unknowns, gauge: np.ndarray, balance: np.ndarray, free: np.ndarray,
    a: np.ndarray, right: np.ndarray,
) -> None:  # fmt: skip
    """Unknown translation against balance of tractions; rigid motions that nothing holds against their mean."""
    size, r = numbering.unknown, len(gauge)
    motions = rigid_motions(problem, numbering.sources, scale) @ free.T  # (s, 2, f)
    constants = np.concatenate([np.broadcast_to(gauge.T, (len(motions), 2, r)), motions], axis=2)
    for p, node in enumerate(numbering.turned):
        if node >= 0:
            constants[p] = problem.frames[node].T @ constants[p]
    wanted = numbering.rows >= 0
    a[numbering.rows[wanted], size : size + constants.shape[2]] = constants[wanted]
    a[size : size + r, :size] = balance[:, :-1]
    right[size : size + r] = balance[:, -1]
    local = np.einsum("nab,naf->nbf", problem.frames, rigid_motions(problem, problem.points, scale) @ free.T)
    unknown = numbering.u_column >= 0
    a[size + r : size + r + len(free), numbering.u_column[unknown]] = local.reshape(len(unknown), len(free))[unknown].T


def _holes(problem: PlanarProblem) -> list[np.ndarray]:
    """Element numbers of each closed curve that the material lies outside of; planes of symmetry may close it."""
    n = len(problem.points)
    joins = coo_array((np.ones(len(problem.nodes)), tuple(problem.nodes[:, [0, -1]].T)), (n, n))
    label = connected_components(joins, directed=False)[1][problem.nodes[:, 0]]
    a, b = problem.points[problem.nodes[:, 0]], problem.points[problem.nodes[:, -1]]
    area = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]  # what closes a curve along a plane through the origin adds nothing
    on_plane = np.any((problem.points == 0.0) & np.array(problem.mirror), axis=1)
    times = np.bincount(problem.nodes[:, [0, -1]].ravel(), minlength=n)
    curves = [np.flatnonzero(label == one) for one in np.unique(label)]
    closed = (times == 2) | ((times == 1) & on_plane)
    return [c for c in curves if area[c].sum() < 0 and np.all(closed[problem.nodes[c][:, [0, -1]]])]


def _centres(problem: PlanarProblem, around: np.ndarray) -> np.ndarray:
    """(q, 2) the middle of a hole with points `around`, and of its images."""
    centre = problem.points[around].mean(axis=0)
    for axis in range(2):
        if problem.mirror[axis] and np.any(problem.points[around, axis] == 0.0):
            centre[axis] = 0.0
    return np.unique(image_signs(problem.mirror) * centre + 0.0, axis=0)


def _border_of_hole(
    problem: PlanarProblem, scale: float, boundary: Elements, numbering: Unknowns, hole: np.ndarray,
    a: np.ndarray, right: np.ndarray, border: int,
) -> None:  # fmt: skip
    """Without change of volume, the equations around a hole do not say how much it opens: one repeats the others.

    The missing one is reciprocity with centres of dilatation in the hole and its images, u* = d / d^2, sigma* n =
    2 (n - 2 d (d.n) / d^2) / d^2 with G = 1. An unknown along the normals of the hole makes room for it.
    """
    k, g = problem.nodes.shape[1], problem.shear_modulus
    around = np.unique(problem.nodes[hole])
    outward = np.zeros((len(problem.points), 2))
    for e in hole:
        chord = problem.points[problem.nodes[e, -1]] - problem.points[problem.nodes[e, 0]]
        outward[problem.nodes[e]] += np.array([chord[1], -chord[0]]) / scale
    for p, node in enumerate(numbering.source_node):
        for axis in range(2):
            if node in around and numbering.rows[p, axis] >= 0:
                a[numbering.rows[p, axis], border] = outward[node] @ problem.frames[node][:, axis]
    values, gauss = boundary.values[-MOST:], boundary.batched[:, -MOST:].transpose(2, 1, 0)
    n, h, w = gauss[:, :, 2:4], 0.0, 0.0
    for centre in _centres(problem, around) / scale:
        d = gauss[:, :, :2] - centre
        square = (d * d).sum(axis=2)[..., None]
        traction = 2 * (n - 2 * d * (d * n).sum(axis=2)[..., None] / square) / square
        h = h + np.einsum("mgi,gc->mci", traction, values)  # on u
        w = w + np.einsum("mgi,gc->mci", d / square * gauss[:, :, 4:], values)  # on t
    total = np.sum(h * problem.u_free[problem.nodes]) / scale - np.sum(w * problem.t_free) / g
    frames = problem.frames[problem.nodes]
    h, w = np.einsum("mkab,mka->mkb", frames, h), np.einsum("mkab,mka->mkb", frames, w)
    h = h + w * problem.spring * (scale / g)
    for e, c, axis in np.ndindex(*h.shape):
        column, row = numbering.u_column[2 * problem.nodes[e, c] + axis], numbering.t_column[2 * (k * e + c) + axis]
        if column >= 0:
            a[border, column] += h[e, c, axis]
        elif problem.u_fixed[e, c, axis]:
            total -= h[e, c, axis] * problem.u_value[e, c, axis] / scale
        if row >= 0:
            a[border, row] -= w[e, c, axis]
        else:
            total += w[e, c, axis] * problem.t_value[e, c, axis] / g
    right[border] = total


def _results(problem: PlanarProblem, scale: float, numbering: Unknowns, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    (m, k), g = problem.nodes.shape, problem.shear_modulus
    u = np.zeros((len(problem.points), 2))
    e, c, axis = np.nonzero(problem.u_fixed)
    u[problem.nodes[e, c], axis] = problem.u_value[e, c, axis]
    found = numbering.u_column.reshape(-1, 2) >= 0
    u[found] = x[numbering.u_column.reshape(-1, 2)[found]] * scale
    t = problem.t_value - problem.spring * u[problem.nodes]
    found = numbering.t_column.reshape(m, k, 2) >= 0
    t[found] = x[numbering.t_column.reshape(m, k, 2)[found]] * g
    frames = problem.frames
    return np.einsum("nab,nb->na", frames, u), np.einsum("ekab,ekb->eka", frames[problem.nodes], t)
