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
def far_batch(k, element, first, last, gauss, values, nodes, wanted, y, nu, signs, fresh, work):
    """One batch by the Gauss points first ... last - 1 of its own, for elements with wanted (BATCH,) = 1.

    gauss (q, 7 BATCH), values (q, 8) from the first point of all rules on; signs (3,) of the image's equations; fresh:
    it is the first image.
    """
    point, total, column = work.point, work.total, work.column
    clear(k, total)
    for a in range(first, last, 4):  # four at a time: fewer passes over the sums
        count = min(4, last - a)
        for j in range(count):
            batch_point(gauss[a + j], wanted, y[0], y[1], y[2], nu, point[j * ROWS : (j + 1) * ROWS])
        for c in range(k):
            row = total[c]
            v0 = values[a, c]
            v1 = values[a + 1, c] if count > 1 else 0.0
            v2 = values[a + 2, c] if count > 2 else 0.0
            v3 = values[a + 3, c] if count > 3 else 0.0
            for i in range(ROWS):
                row[i] += v0 * point[i] + v1 * point[ROWS + i] + v2 * point[2 * ROWS + i] + v3 * point[3 * ROWS + i]
    for i in range(BATCH):
        if wanted[i] != 0.0:
            for c in range(k):
                for j in range(15):
                    column[j] = total[c, j * BATCH + i]
                _scatter(element[i], c, nodes, signs, fresh, column, work.h, work.g)
    _add_sums(k, signs, total, work.sums)


@kernel(fastmath=FUSED)
def one_element(e, k, first, last, gauss, values, nodes, y, nu, signs, fresh, work):
    """One element by the chunks first ... last - 1 of BATCH Gauss points: gauss (chunks, 7 BATCH), values (chunks, 8,
    BATCH)."""
    clear(k, work.total)
    for a in range(first, last):
        batch_point(gauss[a], work.ones, y[0], y[1], y[2], nu, work.point[:ROWS])
        accumulate(k, values[a], values[a], work.point, work.total)
    finish(e, k, nodes, signs, fresh, work.sums, work)


@kernel(fastmath=FUSED)
def clear(k, total):
    for c in range(k):
        for i in range(ROWS):
            total[c, i] = 0.0


@kernel(fastmath=FUSED)
def accumulate(k, moving, still, point, total):
    """Add a chunk of points, with values moving (8, BATCH) for T and still (8, BATCH) for U.

    Written out: as a loop over the 15 rows the compiler makes no vectors of it, and it takes three times as long.
    """
    for c in range(k):
        row, first, second = total[c], moving[c], still[c]
        for i in range(BATCH):
            v, w = first[i], second[i]
            row[i] += v * point[i]
            row[BATCH + i] += v * point[BATCH + i]
            row[2 * BATCH + i] += v * point[2 * BATCH + i]
            row[3 * BATCH + i] += v * point[3 * BATCH + i]
            row[4 * BATCH + i] += v * point[4 * BATCH + i]
            row[5 * BATCH + i] += v * point[5 * BATCH + i]
            row[6 * BATCH + i] += v * point[6 * BATCH + i]
            row[7 * BATCH + i] += v * point[7 * BATCH + i]
            row[8 * BATCH + i] += v * point[8 * BATCH + i]
            row[9 * BATCH + i] += w * point[9 * BATCH + i]
            row[10 * BATCH + i] += w * point[10 * BATCH + i]
            row[11 * BATCH + i] += w * point[11 * BATCH + i]
            row[12 * BATCH + i] += w * point[12 * BATCH + i]
            row[13 * BATCH + i] += w * point[13 * BATCH + i]
            row[14 * BATCH + i] += w * point[14 * BATCH + i]


@kernel(fastmath=FUSED)
def finish(e, k, nodes, signs, fresh, sums, work):
    """Add the sums of one element to the equations, and those of T to `sums`."""
    total, column = work.total, work.column
    for c in range(k):
        for j in range(15):
            column[j] = 0.0
            for i in range(BATCH):
                column[j] += total[c, j * BATCH + i]
        _scatter(e, c, nodes, signs, fresh, column, work.h, work.g)
    _add_sums(k, signs, total, sums)


@kernel(fastmath=FUSED)
def _scatter(e, c, nodes, signs, fresh, column, h, g):
    """Add the integrals (15,) with one shape function to the equations; fresh: those of g are the first."""
    n, s = 3 * nodes[e, c], 3 * (8 * e + c)
    s0, s1, s2 = signs[0], signs[1], signs[2]
    for j in range(3):
        h[0, n + j] += s0 * column[j]
        h[1, n + j] += s1 * column[3 + j]
        h[2, n + j] += s2 * column[6 + j]
    if fresh:
        for row in range(3):
            for j in range(3):
                g[row, s + j] = 0.0
    g[0, s] += s0 * column[9]
    g[0, s + 1] += s0 * column[10]
    g[0, s + 2] += s0 * column[11]
    g[1, s] += s1 * column[10]
    g[1, s + 1] += s1 * column[12]
    g[1, s + 2] += s1 * column[13]
    g[2, s] += s2 * column[11]
    g[2, s + 1] += s2 * column[13]
    g[2, s + 2] += s2 * column[14]


@kernel(fastmath=FUSED)
def _add_sums(k, signs, total, sums):
    """The integral of T alone: shape functions add up to 1."""
    for j in range(9):
        t = 0.0
        for c in range(k):
            for i in range(BATCH):
                t += total[c, j * BATCH + i]
        sums[j // 3, j % 3] += signs[j // 3] * signs[j % 3] * t
