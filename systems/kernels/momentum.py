"""Restore momentum to rounding after an iterative solve that stopped at a loose tolerance.

Internal forces cancel in the sum over a connected component, so the sum of the residual b - A x over it is the momentum
(times the unit of b) that the unfinished solve lost. A rigid translation c of the component with

    (1^T A 1) c = sum of the residual

takes it out: one 3x3 system per component, restricted to the axes on which none of its nodes is constrained. This is
the coarse correction of a deflation with rigid translations (R. A. Nicolaides, "Deflation of conjugate gradients with
applications to boundary value problems", SIAM J. Numer. Anal. 24 (1987), doi 10.1137/0724027), made once at the end; it
never raises the error in the energy norm.

*Limitations*: linear momentum only, not angular; a component with a constraint oblique to an axis, such as contact, is
not corrected along any axis its normal touches.
"""
from __future__ import annotations

import numpy as np

from framework.kernel import kernel
from systems.kernels.block_jacobi import back_substitute, factor
from systems.kernels.blocks import BlockMatrix, flat
from systems.kernels.conjugate_gradient import Constraints


def free_axes(labels: np.ndarray, count: int, constraints: Constraints) -> np.ndarray:
    """(count, 3) uint8: 1 where no node of the component, with labels (n,), is constrained along the axis."""
    free = np.ones((count, 3), dtype=np.uint8)
    touched = np.any(constraints.projections != np.eye(3), axis=2)
    node, axis = np.nonzero(touched)
    free[labels[constraints.nodes[node]], axis] = 0
    return free


def restore_momentum(
    matrix: BlockMatrix, residual: np.ndarray, labels: np.ndarray, free: np.ndarray, x: np.ndarray
) -> None:
    """Shift x (n, 3) rigidly per component and free axis so that the sum of b - A x over it is zero to rounding.

    `residual` (n, 3) is b - A x, of which only free axes are read: what `solve` left in `work.residual` will do.
    `labels` (n,) int32 come from `components`, `free` (components, 3) uint8 from `free_axes`.
    """
    pattern = matrix.pattern
    sums = np.zeros((len(free), 2, 9))  # per component a sum and its compensation: 3 of the residual, 6 of 1^T A 1
    _restore(
        pattern.indptr, flat(matrix.diagonal), flat(matrix.upper), flat(residual), labels, free, sums, flat(x)
    )  # fmt: skip


@kernel
def _restore(indptr, diagonal, upper, residual, labels, free, sums, x):
    row = np.empty(9)
    for i in range(labels.shape[0]):
        total, lost = sums[labels[i], 0], sums[labels[i], 1]
        v, d = 3 * i, 9 * i
        row[0], row[1], row[2] = residual[v], residual[v + 1], residual[v + 2]
        # Of the row's blocks B only B + B^T counts; a component is closed, so all columns belong to it.
        xx = xy = xz = yy = yz = zz = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            u = 9 * k
            xx += upper[u]
            xy += upper[u + 1] + upper[u + 3]
            xz += upper[u + 2] + upper[u + 6]
            yy += upper[u + 4]
            yz += upper[u + 5] + upper[u + 7]
            zz += upper[u + 8]
        row[3] = diagonal[d] + 2.0 * xx
        row[4] = diagonal[d + 1] + xy
        row[5] = diagonal[d + 2] + xz
        row[6] = diagonal[d + 4] + 2.0 * yy
        row[7] = diagonal[d + 5] + yz
        row[8] = diagonal[d + 8] + 2.0 * zz
        for m in range(9):  # compensated sums (Neumaier 1974, doi 10.1002/zamm.19740540106)
            added = total[m] + row[m]
            if abs(total[m]) >= abs(row[m]):
                lost[m] += (total[m] - added) + row[m]
            else:
                lost[m] += (row[m] - added) + total[m]
            total[m] = added
    for c in range(free.shape[0]):
        total, lost = sums[c, 0], sums[c, 1]
        for m in range(9):
            total[m] += lost[m]
        fx, fy, fz = float(free[c, 0]), float(free[c, 1]), float(free[c, 2])
        good, l10, l20, l21, i0, i1, i2 = factor(
            fx * total[3] + 1.0 - fx, fx * fy * total[4], fx * fz * total[5],
            fy * total[6] + 1.0 - fy, fy * fz * total[7], fz * total[8] + 1.0 - fz,
        )  # fmt: skip
        if good:
            total[0], total[1], total[2] = back_substitute(
                l10, l20, l21, i0, i1, i2, fx * total[0], fy * total[1], fz * total[2]
            )
        else:
            total[0] = total[1] = total[2] = 0.0
    for i in range(labels.shape[0]):
        shift = sums[labels[i], 0]
        for axis in range(3):
            if free[labels[i], axis]:  # a constrained axis keeps its bits
                x[3 * i + axis] += shift[axis]
