"""Block Jacobi preconditioner of a constrained symmetric block matrix: factorised 3x3 diagonal blocks.

A block is kept as L D L^T, which stays positive definite where an inverse by cofactors would not (a node between stiff
springs in line has a block with a condition number of stiffness h^2 / mass).
"""
from __future__ import annotations

import math

import numpy as np

from framework.kernel import kernel
from systems.kernels.blocks import FUSED

# A pivot below this fraction of its diagonal entry is rounding: such a block is preconditioned by its diagonal alone.
SMALLEST_PIVOT = 1e-14


@kernel(fastmath=FUSED)
def precondition(factors, residual, out):
    """out = M^-1 r with the factorised diagonal blocks; returns r . M^-1 r."""
    sum_x = sum_y = sum_z = 0.0
    for i in range(residual.shape[0] // 3):
        v, f = 3 * i, 6 * i
        x, y, z = residual[v], residual[v + 1], residual[v + 2]
        out[v], out[v + 1], out[v + 2] = back_substitute(
            factors[f], factors[f + 1], factors[f + 2], factors[f + 3], factors[f + 4], factors[f + 5], x, y, z
        )
        sum_x += x * out[v]
        sum_y += y * out[v + 1]
        sum_z += z * out[v + 2]
    return sum_x + sum_y + sum_z


@kernel(fastmath=FUSED)
def factor_blocks(diagonal, nodes, projections, factors):
    """Factors (6n,) of the diagonal blocks (9n,) of S A S + (I - S), with projections (9c,) at the constrained `nodes`.

    I - S is scaled to the block's size, so that a small block does not drown in it. Returns 0, or 2 when a block has an
    entry <= 0 on its diagonal, or 4 when it is not finite.
    """
    status = 0
    half = np.empty((3, 3))
    block = np.empty(9)
    k = 0
    for i in range(diagonal.shape[0] // 9):
        d, f = 9 * i, 6 * i
        for m in range(9):
            block[m] = diagonal[d + m]
        if k < nodes.shape[0] and nodes[k] == i:
            _project_block(projections[9 * k : 9 * k + 9], half, block)
            k += 1
        good, l10, l20, l21, i0, i1, i2 = factor(block[0], block[1], block[2], block[4], block[5], block[8])
        factors[f], factors[f + 1], factors[f + 2] = l10, l20, l21
        factors[f + 3], factors[f + 4], factors[f + 5] = i0, i1, i2
        if not good and status == 0:
            status = 2 if math.isfinite(block[0] + block[4] + block[8]) else 4
    return status


@kernel(fastmath=FUSED)
def _project_block(projection, half, block):
    """block := S block S + size (I - S)."""
    size = (abs(block[0]) + abs(block[4]) + abs(block[8])) / 3.0
    if size == 0.0:
        size = 1.0
    for r in range(3):
        for c in range(3):
            half[r, c] = 0.0
            for m in range(3):
                half[r, c] += block[3 * r + m] * projection[3 * m + c]
    for r in range(3):
        for c in range(3):
            value = size * ((1.0 if r == c else 0.0) - projection[3 * r + c])
            for m in range(3):
                value += projection[3 * r + m] * half[m, c]
            block[3 * r + c] = value


@kernel(fastmath=FUSED)
def factor(a00, a01, a02, a11, a12, a22):
    """L D L^T of a symmetric 3x3 block: (good, l10, l20, l21, 1/d0, 1/d1, 1/d2)."""
    if not (a00 > 0.0 and a11 > 0.0 and a22 > 0.0):
        return False, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0
    l10 = a01 / a00
    l20 = a02 / a00
    d1 = a11 - l10 * a01
    t = a12 - l20 * a01
    l21 = t / d1
    d2 = a22 - l20 * a02 - l21 * t
    if d1 > SMALLEST_PIVOT * a11 and d2 > SMALLEST_PIVOT * a22:
        return True, l10, l20, l21, 1.0 / a00, 1.0 / d1, 1.0 / d2
    return True, 0.0, 0.0, 0.0, 1.0 / a00, 1.0 / a11, 1.0 / a22


@kernel(fastmath=FUSED)
def back_substitute(l10, l20, l21, i0, i1, i2, x, y, z):
    """(L D L^T)^-1 (x, y, z)."""
    y -= l10 * x
    z -= l20 * x + l21 * y
    z *= i2
    y = y * i1 - l21 * z
    x = x * i0 - l10 * y - l20 * z
    return x, y, z
