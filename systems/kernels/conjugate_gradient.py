"""Preconditioned conjugate gradients under constraints, for the linear systems of implicit integrators.

Solves S A S u = S (b - A z) and x = u + z, where S is the block-diagonal orthogonal projection that leaves each
constrained node its free directions, and z = (I - S) v holds the prescribed values of the others. Pins on axes are
projections with 0 and 1 on the diagonal, sliding contact with normal n is I - n n^T, sticking contact is 0.

Filtered conjugate gradients: D. Baraff, A. Witkin, "Large steps in cloth simulation", SIGGRAPH 1998,
doi 10.1145/280814.280821; with the corrected start (residual S (b - A z), a projected initial guess and a norm that
leaves the prescribed part out) of U. Ascher, E. Boxerman, "On the modified conjugate gradient method in cloth
simulation", The Visual Computer 19 (2003), 526-531. The preconditioner is block Jacobi: the 3x3 diagonal blocks of the
filtered operator, factorised as L D L^T.

*Limitations*: A must be symmetric and positive definite in the free directions (otherwise the solve stops and says so);
block Jacobi does not keep the number of iterations from growing with the mesh and the stiffness; serial.
"""
from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from framework.kernel import kernel
from systems.kernels.block_jacobi import factor_blocks, precondition
from systems.kernels.blocks import FUSED, BlockMatrix, flat, symmetric_product

ROUNDING = 1e-16  # a smaller relative residual is beyond reach
OBLIQUE = 1e-15  # and so is one below this part of what projections that are oblique to the axes take away


class Status(IntEnum):
    """How a solve ended."""

    CONVERGED = 0  # the true residual is within the tolerance
    MAX_ITERATIONS = 1
    INDEFINITE = 2  # p . A p <= 0, or an entry <= 0 on the diagonal (then x is untouched): x is the last good iterate
    STAGNATED = 3  # rounding keeps the true residual above the tolerance
    NOT_FINITE = 4  # infinity or NaN in A, b or the constraints


class Result(NamedTuple):
    """How many iterations a solve took and how far it came."""

    iterations: int
    residual: float  # |S (b - A x)| / |S (b - A z)|, computed from x at the end
    status: Status


class Constraints(NamedTuple):
    """Constrained nodes, ascending, each at most once."""

    nodes: np.ndarray  # (c,) int32
    projections: np.ndarray  # (c, 3, 3), S of each node: onto its free directions
    values: np.ndarray  # (c, 3), v: x in the constrained directions; what it holds in free directions is ignored

    @classmethod
    def none(cls) -> Constraints:
        return cls(np.empty(0, dtype=np.int32), np.empty((0, 3, 3)), np.empty((0, 3)))


@dataclass(frozen=True, slots=True)
class Work:
    """Arrays of the solver, made once for n nodes: 120 bytes a node."""

    residual: np.ndarray  # (n, 3), after a solve the true residual S (b - A x)
    direction: np.ndarray  # (n, 3)
    product: np.ndarray  # (n, 3)
    factors: np.ndarray  # (n, 6)

    @classmethod
    def zeros(cls, n: int) -> Work:
        return cls(np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((n, 6)))


def solve(
    matrix: BlockMatrix,
    b: np.ndarray,
    constraints: Constraints,
    tolerance: float,
    max_iterations: int,
    x: np.ndarray,
    work: Work,
) -> Result:
    """Solve A x = b in the free directions; b and x (n, 3). On entry x is the initial guess: zeros for a cold start."""
    pattern = matrix.pattern
    iterations, residual, status = _solve(
        pattern.indptr, pattern.columns, flat(matrix.diagonal), flat(matrix.upper), flat(b),
        constraints.nodes, flat(constraints.projections), flat(constraints.values), float(tolerance), max_iterations,
        flat(x), flat(work.residual), flat(work.direction), flat(work.product), flat(work.factors),
    )  # fmt: skip
    return Result(iterations, residual, Status(status))


@kernel(fastmath=FUSED)
def _solve(
    indptr, columns, diagonal, upper, b, nodes, projections, values, tolerance, max_iterations,
    x, residual, direction, product, factors,
):  # fmt: skip
    status = factor_blocks(diagonal, nodes, projections, factors)
    if status != 0:
        return 0, np.inf, status

    # Residual of the prescribed part alone: its norm is the scale of the tolerance.
    direction[:] = 0.0
    _add_prescribed(nodes, projections, values, direction)
    if _any(direction):
        symmetric_product(indptr, columns, diagonal, upper, direction, product)
        _difference(b, product, residual)
    else:
        residual[:] = b
    floor = OBLIQUE * math.sqrt(_oblique_square(nodes, projections, residual))
    project(nodes, projections, residual)
    scale = math.sqrt(_square(residual))
    if not scale < np.inf:
        return 0, np.inf, 4
    if scale == 0.0:
        x[:] = 0.0
        _add_prescribed(nodes, projections, values, x)
        return 0, 0.0, 0
    project(nodes, projections, x)
    known = not _any(x)  # a cold start: the residual is there already
    _add_prescribed(nodes, projections, values, x)

    goal = max(max(tolerance, ROUNDING) * scale, floor) ** 2
    before = np.inf
    iterations = 0
    while True:  # a round of conjugate gradients; another one follows when the recurrence had drifted from the truth
        if not known:
            symmetric_product(indptr, columns, diagonal, upper, x, product)
            _difference(b, product, residual)
            project(nodes, projections, residual)
        known = False
        square = _square(residual)
        if not square < np.inf:
            status = 4
        elif status == 0 and goal < square and before <= square:
            status = 3
        if status != 0 or square <= goal:
            return iterations, math.sqrt(square) / scale, status
        before = square

        ratio = rho = 0.0
        direction[:] = 0.0
        while square > goal:
            if iterations >= max_iterations:
                status = 1
                break
            following = precondition(factors, residual, product)
            project(nodes, projections, product)
            if rho > 0.0:
                ratio = following / rho
            rho = following
            for i in range(direction.shape[0]):
                direction[i] = product[i] + ratio * direction[i]
            curvature = symmetric_product(indptr, columns, diagonal, upper, direction, product)
            if not curvature > 0.0:
                status = 2 if curvature <= 0.0 else 4
                break
            project(nodes, projections, product)
            square = _advance(rho / curvature, direction, product, x, residual)
            iterations += 1


@kernel(fastmath=FUSED)
def _advance(step, direction, product, x, residual):
    """x += step p and r -= step A p; returns r . r."""
    square_x = square_y = square_z = 0.0
    for i in range(0, x.shape[0], 3):
        x[i] += step * direction[i]
        x[i + 1] += step * direction[i + 1]
        x[i + 2] += step * direction[i + 2]
        rx = residual[i] - step * product[i]
        ry = residual[i + 1] - step * product[i + 1]
        rz = residual[i + 2] - step * product[i + 2]
        residual[i], residual[i + 1], residual[i + 2] = rx, ry, rz
        square_x += rx * rx
        square_y += ry * ry
        square_z += rz * rz
    return square_x + square_y + square_z


@kernel(fastmath=FUSED)
def _square(v):
    square_x = square_y = square_z = 0.0
    for i in range(0, v.shape[0], 3):
        square_x += v[i] * v[i]
        square_y += v[i + 1] * v[i + 1]
        square_z += v[i + 2] * v[i + 2]
    return square_x + square_y + square_z


@kernel
def _oblique_square(nodes, projections, v):
    """v . v over the nodes whose projection is not along the axes: rounding leaves a trace of it after projection."""
    square = 0.0
    for k in range(nodes.shape[0]):
        s, i = 9 * k, 3 * nodes[k]
        if projections[s + 1] != 0.0 or projections[s + 2] != 0.0 or projections[s + 5] != 0.0:
            square += v[i] * v[i] + v[i + 1] * v[i + 1] + v[i + 2] * v[i + 2]
    return square


@kernel
def _any(v):
    found = False
    for i in range(v.shape[0]):
        found |= v[i] != 0.0
    return found


@kernel
def _difference(a, b, out):
    for i in range(a.shape[0]):
        out[i] = a[i] - b[i]


@kernel(fastmath=FUSED)
def project(nodes, projections, v):
    """v := S v in place; `projections` (9c,) and v (3n,) flat."""
    for k in range(nodes.shape[0]):
        s = 9 * k
        i = 3 * nodes[k]
        x, y, z = v[i], v[i + 1], v[i + 2]
        v[i] = projections[s] * x + projections[s + 1] * y + projections[s + 2] * z
        v[i + 1] = projections[s + 3] * x + projections[s + 4] * y + projections[s + 5] * z
        v[i + 2] = projections[s + 6] * x + projections[s + 7] * y + projections[s + 8] * z


@kernel(fastmath=FUSED)
def _add_prescribed(nodes, projections, values, v):
    """v += (I - S) values at the constrained nodes: exactly the value on a pinned axis, exactly 0 on a free one."""
    for k in range(nodes.shape[0]):
        for r in range(3):
            s = 9 * k + 3 * r
            free = (
                projections[s] * values[3 * k]
                + projections[s + 1] * values[3 * k + 1]
                + projections[s + 2] * values[3 * k + 2]
            )
            v[3 * nodes[k] + r] += values[3 * k + r] - free
