"""Far elements of a surface, many at a time: loops without branches that the compiler turns into vectors.

Work space is flat, with rows of BATCH numbers at fixed places, so that the compiler sees that no two overlap.
"""

from __future__ import annotations

import math

from framework.kernel import kernel
from systems.kernels.bem.spatial_elements import BATCH
from systems.kernels.bem.terms import FUSED

ROWS = 15 * BATCH  # T in rows 0 to 8, U (symmetric: xx, xy, xz, yy, yz, zz) in rows 9 to 14


@kernel(fastmath=FUSED)
def batch_point(at, wanted, yx, yy, yz, nu, point):
    """Kelvin's solution at one Gauss point of each element: at (7 BATCH,), wanted (BATCH,), point (15 BATCH,)."""
    ct, cu = -0.125 / (math.pi * (1.0 - nu)), 0.0625 / (math.pi * (1.0 - nu))
    less, more = 1.0 - 2.0 * nu, 3.0 - 4.0 * nu
    for i in range(BATCH):
        on = wanted[i]
        dx, dy, dz = at[i] - yx, at[BATCH + i] - yy, at[2 * BATCH + i] - yz
        nx, ny, nz = at[3 * BATCH + i], at[4 * BATCH + i], at[5 * BATCH + i]
        inverse = 1.0 / math.sqrt(dx * dx + dy * dy + dz * dz + (1.0 - on))  # never 0: y may be a point of the rule
        dx, dy, dz = dx * inverse, dy * inverse, dz * inverse
        t = ct * inverse * inverse * on
        dn = t * (dx * nx + dy * ny + dz * nz)
        tx, ty, tz = t * less * nx, t * less * ny, t * less * nz
        three, base = 3.0 * dn, less * dn
        xy, xz, yz2 = dx * dy, dx * dz, dy * dz
        sxy, sxz, syz = dx * ty - dy * tx, dx * tz - dz * tx, dy * tz - dz * ty
        point[i] = base + three * dx * dx
        point[BATCH + i] = three * xy - sxy
        point[2 * BATCH + i] = three * xz - sxz
        point[3 * BATCH + i] = three * xy + sxy
        point[4 * BATCH + i] = base + three * dy * dy
        point[5 * BATCH + i] = three * yz2 - syz
        point[6 * BATCH + i] = three * xz + sxz
        point[7 * BATCH + i] = three * yz2 + syz
        point[8 * BATCH + i] = base + three * dz * dz
        u = cu * inverse * at[6 * BATCH + i] * on
        point[9 * BATCH + i] = u * (more + dx * dx)
        point[10 * BATCH + i] = u * xy
        point[11 * BATCH + i] = u * xz
        point[12 * BATCH + i] = u * (more + dy * dy)
        point[13 * BATCH + i] = u * yz2
        point[14 * BATCH + i] = u * (more + dz * dz)


@kernel(fastmath=FUSED)
def far_batch(k, element, first, last, gauss, values, nodes, wanted, yx, yy, yz, nu, signs, point, total, sums, h, g):
    """One batch by the Gauss points first ... last - 1 of its own, for elements with wanted (BATCH,) = 1.

    gauss (q, 7 BATCH), values (q, 8) from the first point of all rules on; signs (3,) of the image's equations. sums
    (3, 3): the integral of T is added. point (4 * 15 BATCH,), total (8, 15 BATCH): work space.
    """
    for c in range(k):
        for i in range(ROWS):
            total[c, i] = 0.0
    for a in range(first, last, 4):  # four at a time: fewer passes over the sums
        count = min(4, last - a)
        for j in range(count):
            batch_point(gauss[a + j], wanted, yx, yy, yz, nu, point[j * ROWS : (j + 1) * ROWS])
        for c in range(k):
            row = total[c]
            v0 = values[a, c]
            v1 = values[a + 1, c] if count > 1 else 0.0
            v2 = values[a + 2, c] if count > 2 else 0.0
            v3 = values[a + 3, c] if count > 3 else 0.0
            for i in range(ROWS):
                row[i] += v0 * point[i] + v1 * point[ROWS + i] + v2 * point[2 * ROWS + i] + v3 * point[3 * ROWS + i]
    for i in range(BATCH):
        if wanted[i] == 0.0:
            continue
        e = element[i]
        for c in range(k):
            n, s = 3 * nodes[e, c], 3 * (8 * e + c)
            for row in range(3):
                for column in range(3):
                    t = signs[row] * total[c, (3 * row + column) * BATCH + i]
                    h[row, n + column] += t
                    sums[row, column] += signs[column] * t
            xx, xy, xz = total[c, 9 * BATCH + i], total[c, 10 * BATCH + i], total[c, 11 * BATCH + i]
            yy2, yz2, zz = total[c, 12 * BATCH + i], total[c, 13 * BATCH + i], total[c, 14 * BATCH + i]
            g[0, s] += signs[0] * xx
            g[0, s + 1] += signs[0] * xy
            g[0, s + 2] += signs[0] * xz
            g[1, s] += signs[1] * xy
            g[1, s + 1] += signs[1] * yy2
            g[1, s + 2] += signs[1] * yz2
            g[2, s] += signs[2] * xz
            g[2, s + 1] += signs[2] * yz2
            g[2, s + 2] += signs[2] * zz
