"""Far elements of a plane boundary, many at a time: loops without branches that the compiler turns into vectors.

The logarithm is our own for that reason, to 1e-14: mantissa m in [1/sqrt(2), sqrt(2)) and exponent from the bits, then
log m = 2 artanh((m - 1) / (m + 1)) by its series.
"""

from __future__ import annotations

import math

import numpy as np

from framework.kernel import kernel
from systems.kernels.bem.planar_elements import FUSED

BATCH = 128  # elements at a time: what is kept of them fits into the first cache


@kernel(fastmath=FUSED)
def logarithms(square, bits, mantissa, mantissa_bits, out, count):
    """out = log(square) of the first `count`; bits and mantissa_bits are int64 views of square and mantissa."""
    for i in range(count):
        exponent = (bits[i] - np.int64(0x3FE6A09E667F3BCD)) >> np.int64(52)
        mantissa_bits[i] = bits[i] - (exponent << np.int64(52))
        out[i] = np.float64(exponent)
    for i in range(count):
        s = (mantissa[i] - 1.0) / (mantissa[i] + 1.0)
        z = s * s
        p = 1.0 / 21.0
        p = p * z + 1.0 / 19.0
        p = p * z + 1.0 / 17.0
        p = p * z + 1.0 / 15.0
        p = p * z + 1.0 / 13.0
        p = p * z + 1.0 / 11.0
        p = p * z + 1.0 / 9.0
        p = p * z + 1.0 / 7.0
        p = p * z + 1.0 / 5.0
        p = p * z + 1.0 / 3.0
        out[i] = out[i] * 0.6931471805599453 + 2.0 * s * (1.0 + z * p)


@kernel(fastmath=FUSED)
def far_elements(
    first, count, start, rule, wanted, nodes, batched, values, yx, yy, nu, log_shift, mx, my,
    square, bits, mantissa, mantissa_bits, log, point, total, h, g,
):  # fmt: skip
    """Elements first ... first + count - 1 by one rule, those with wanted (BATCH,) = 1; returns the integral of T.

    batched (5, points, m): x, y, weighted normal (2) and length of Gauss points. The rest is work space: square ... log
    (BATCH,), point (7, BATCH), total (4 + 7 k, BATCH).
    """
    k = nodes.shape[1]
    cu, ct = 0.125 / (math.pi * (1.0 - nu)), -0.25 / (math.pi * (1.0 - nu))
    less, log_part = 1.0 - 2.0 * nu, -0.5 * (3.0 - 4.0 * nu)
    constant = 2.0 * log_part * log_shift
    total[:, :] = 0.0
    for a in range(start, start + rule):
        x, y, n0, n1, weight = batched[0, a], batched[1, a], batched[2, a], batched[3, a], batched[4, a]
        for i in range(count):
            dx, dy = x[first + i] - yx, y[first + i] - yy
            square[i] = dx * dx + dy * dy + (1.0 - wanted[i])  # never 0: the source may be a point of the rule
        logarithms(square, bits, mantissa, mantissa_bits, log, count)
        for i in range(count):
            dx, dy, nx, ny = x[first + i] - yx, y[first + i] - yy, n0[first + i], n1[first + i]
            inverse, on = 1.0 / square[i], wanted[i]
            xx, xy, yy2 = dx * dx * inverse, dx * dy * inverse, dy * dy * inverse
            dn, turn = (dx * nx + dy * ny) * inverse * ct * on, less * (dx * ny - dy * nx) * inverse * ct * on
            w = cu * weight[first + i] * on
            u = log_part * log[i] + constant
            point[0, i] = (less + 2.0 * xx) * dn
            point[1, i] = 2.0 * xy * dn - turn
            point[2, i] = 2.0 * xy * dn + turn
            point[3, i] = (less + 2.0 * yy2) * dn
            point[4, i] = w * (u + xx)
            point[5, i] = w * xy
            point[6, i] = w * (u + yy2)
        for j in range(4):
            for i in range(count):
                total[j, i] += point[j, i]
        for c in range(k):
            v = values[a, c]
            for j in range(7):
                row, one = total[4 + 7 * c + j], point[j]
                for i in range(count):
                    row[i] += v * one[i]
    s00 = s01 = s10 = s11 = 0.0
    for i in range(count):
        s00 += total[0, i]
        s01 += total[1, i]
        s10 += total[2, i]
        s11 += total[3, i]
        for c in range(k):
            e, t = first + i, 4 + 7 * c
            n, j = 2 * nodes[e, c], 2 * (k * e + c)
            h[0, n] += mx * total[t, i]
            h[0, n + 1] += mx * total[t + 1, i]
            h[1, n] += my * total[t + 2, i]
            h[1, n + 1] += my * total[t + 3, i]
            g[0, j] += mx * total[t + 4, i]
            g[0, j + 1] += mx * total[t + 5, i]
            g[1, j] += my * total[t + 5, i]
            g[1, j + 1] += my * total[t + 6, i]
    return s00, s01, s10, s11
