"""Far elements of a surface, many at a time: loops without branches that the compiler turns into vectors."""

from __future__ import annotations

import math

from framework.kernel import kernel
from systems.kernels.bem.spatial_elements import BATCH
from systems.kernels.bem.terms import FUSED


@kernel(fastmath=FUSED)
def far_batch(k, element, first, last, gauss, values, nodes, wanted, yx, yy, yz, nu, signs, point, total, sums, h, g):
    """One batch by the Gauss points first ... last - 1 of its own, for elements with wanted (BATCH,) = 1.

    gauss (q, 7, BATCH), values (q, 8) from the first point of the rule on; signs (3,) of the image's equations. sums
    (3, 3): the integral of T is added. point (15, BATCH), total (8, 15, BATCH): work space. T in rows 0 to 8 of
    `point`, U (symmetric: xx, xy, xz, yy, yz, zz) in rows 9 to 14.
    """
    ct, cu = -0.125 / (math.pi * (1.0 - nu)), 0.0625 / (math.pi * (1.0 - nu))
    less, more = 1.0 - 2.0 * nu, 3.0 - 4.0 * nu
    total[:, :, :] = 0.0
    for a in range(first, last):
        at = gauss[a]
        for i in range(BATCH):
            on = wanted[i]
            dx, dy, dz = at[0, i] - yx, at[1, i] - yy, at[2, i] - yz
            nx, ny, nz = at[3, i], at[4, i], at[5, i]
            square = dx * dx + dy * dy + dz * dz + (1.0 - on)  # never 0: the source may be a point of the rule
            inverse = 1.0 / math.sqrt(square)
            dx, dy, dz = dx * inverse, dy * inverse, dz * inverse
            t = ct * inverse * inverse * on
            dn = t * (dx * nx + dy * ny + dz * nz)
            tx, ty, tz = t * less * nx, t * less * ny, t * less * nz
            three = 3.0 * dn
            base = less * dn
            xy, xz, yz2 = dx * dy, dx * dz, dy * dz
            sxy, sxz, syz = dx * ty - dy * tx, dx * tz - dz * tx, dy * tz - dz * ty
            point[0, i] = base + three * dx * dx
            point[1, i] = three * xy - sxy
            point[2, i] = three * xz - sxz
            point[3, i] = three * xy + sxy
            point[4, i] = base + three * dy * dy
            point[5, i] = three * yz2 - syz
            point[6, i] = three * xz + sxz
            point[7, i] = three * yz2 + syz
            point[8, i] = base + three * dz * dz
            u = cu * inverse * at[6, i] * on
            point[9, i] = u * (more + dx * dx)
            point[10, i] = u * xy
            point[11, i] = u * xz
            point[12, i] = u * (more + dy * dy)
            point[13, i] = u * yz2
            point[14, i] = u * (more + dz * dz)
        for c in range(k):
            v = values[a, c]
            for j in range(15):
                for i in range(BATCH):
                    total[c, j, i] += v * point[j, i]
    for i in range(BATCH):
        if wanted[i] == 0.0:
            continue
        e = element[i]
        for c in range(k):
            n, s = 3 * nodes[e, c], 3 * (8 * e + c)
            for row in range(3):
                for column in range(3):
                    t = signs[row] * total[c, 3 * row + column, i]
                    h[row, n + column] += t
                    sums[row, column] += signs[column] * t
            xx, xy, xz = total[c, 9, i], total[c, 10, i], total[c, 11, i]
            yy2, yz2, zz = total[c, 12, i], total[c, 13, i], total[c, 14, i]
            g[0, s] += signs[0] * xx
            g[0, s + 1] += signs[0] * xy
            g[0, s + 2] += signs[0] * xz
            g[1, s] += signs[1] * xy
            g[1, s + 1] += signs[1] * yy2
            g[1, s + 2] += signs[1] * yz2
            g[2, s] += signs[2] * xz
            g[2, s + 1] += signs[2] * yz2
            g[2, s + 2] += signs[2] * zz
