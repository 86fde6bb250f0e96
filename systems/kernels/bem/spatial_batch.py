"""Far elements of a surface, many at a time: loops without branches that the compiler turns into vectors.

Work space is flat, with rows of BATCH numbers at fixed places, so that the compiler sees that no two overlap.
"""

from __future__ import annotations

import math

from framework.kernel import kernel
from systems.kernels.bem.spatial_elements import BATCH
from systems.kernels.bem.terms import FUSED

ROWS = 15 * BATCH  # T in rows 0 to 8, U (symmetric: xx, xy, xz, yy, yz, zz) in rows 9 to 14
ROWS_OF_T = 9 * BATCH
SUMMED = FUSED | {"reassoc"}  # sums over a row in any order: else each addition waits for the one before


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
def far_batch(k, element, first, last, gauss, values, nodes, wanted, y, nu, signs, fresh, loaded, work):
    """One batch by the Gauss points first ... last - 1 of its own, for elements with wanted (BATCH,) = 1.

    gauss (q, 7 BATCH), values (q, 8) from the first point of all rules on; signs (3,) of the image's equations; fresh:
    it is the first image. loaded: whether the tractions of one of them enter the equations.
    """
    point, total, rows = work.point, work.total, ROWS if loaded else ROWS_OF_T
    clear(k + (k & 1), total)
    for a in range(first, last, 4):  # four at a time: fewer passes over the sums
        count = min(4, last - a)
        for j in range(count):
            batch_point(gauss[a + j], wanted, y[0], y[1], y[2], nu, point[j * ROWS : (j + 1) * ROWS])
        for c in range(0, k, 2):  # and two functions: a triangle's fourth is 0
            row, next_ = total[c], total[c + 1]
            v0, w0 = values[a, c], values[a, c + 1]
            v1, w1 = (values[a + 1, c], values[a + 1, c + 1]) if count > 1 else (0.0, 0.0)
            v2, w2 = (values[a + 2, c], values[a + 2, c + 1]) if count > 2 else (0.0, 0.0)
            v3, w3 = (values[a + 3, c], values[a + 3, c + 1]) if count > 3 else (0.0, 0.0)
            for i in range(rows):
                p0, p1, p2, p3 = point[i], point[ROWS + i], point[2 * ROWS + i], point[3 * ROWS + i]
                row[i] += v0 * p0 + v1 * p1 + v2 * p2 + v3 * p3
                next_[i] += w0 * p0 + w1 * p1 + w2 * p2 + w3 * p3
    for i in range(BATCH):
        if wanted[i] != 0.0:
            _scatter(element[i], k, i, BATCH, nodes, signs, fresh, loaded, total, work.h, work.g)
    _add_sums(k, signs, total, work.sums)


@kernel(fastmath=FUSED)
def one_element(e, k, first, last, gauss, values, nodes, y, nu, signs, fresh, loaded, work):
    """One element by the chunks first ... last - 1 of BATCH Gauss points: gauss (chunks, 7 BATCH), values (chunks, 8,
    BATCH)."""
    clear(k, work.total)
    for a in range(first, last):
        batch_point(gauss[a], work.ones, y[0], y[1], y[2], nu, work.point[:ROWS])
        accumulate(k, values[a], values[a], loaded, work.point, work.total)
    finish(e, k, nodes, signs, fresh, loaded, work.sums, work)


@kernel(fastmath=FUSED)
def clear(k, total):
    for c in range(k):
        for i in range(ROWS):
            total[c, i] = 0.0


@kernel(fastmath=FUSED)
def accumulate(k, moving, still, loaded, point, total):
    """Add a chunk of points, with values moving (8, BATCH) for T and still (8, BATCH) for U.

    Written out: as a loop over the 15 rows the compiler makes no vectors of it, and it takes three times as long.
    """
    for c in range(k):
        row, first, second = total[c], moving[c], still[c]
        for i in range(BATCH):
            v = first[i]
            row[i] += v * point[i]
            row[BATCH + i] += v * point[BATCH + i]
            row[2 * BATCH + i] += v * point[2 * BATCH + i]
            row[3 * BATCH + i] += v * point[3 * BATCH + i]
            row[4 * BATCH + i] += v * point[4 * BATCH + i]
            row[5 * BATCH + i] += v * point[5 * BATCH + i]
            row[6 * BATCH + i] += v * point[6 * BATCH + i]
            row[7 * BATCH + i] += v * point[7 * BATCH + i]
            row[8 * BATCH + i] += v * point[8 * BATCH + i]
        if not loaded:
            continue
        for i in range(BATCH):
            w = second[i]
            row[9 * BATCH + i] += w * point[9 * BATCH + i]
            row[10 * BATCH + i] += w * point[10 * BATCH + i]
            row[11 * BATCH + i] += w * point[11 * BATCH + i]
            row[12 * BATCH + i] += w * point[12 * BATCH + i]
            row[13 * BATCH + i] += w * point[13 * BATCH + i]
            row[14 * BATCH + i] += w * point[14 * BATCH + i]


@kernel(fastmath=SUMMED)
def finish(e, k, nodes, signs, fresh, loaded, sums, work):
    """Add the sums of one element to the equations, and those of T to `sums`."""
    total, column = work.total, work.column
    for c in range(k):
        for j in range(15 if loaded else 9):
            t = 0.0
            for i in range(BATCH):
                t += total[c, j * BATCH + i]
            column[c, j] = t
    _scatter(e, k, 0, 1, nodes, signs, fresh, loaded, column, work.h, work.g)
    for i in range(3):
        for j in range(3):
            t = 0.0  # the integral of T alone: shape functions add up to 1
            for c in range(k):
                t += column[c, 3 * i + j]
            sums[i, j] += signs[i] * signs[j] * t


@kernel(fastmath=FUSED)
def _scatter(e, k, i, step, nodes, signs, fresh, loaded, total, h, g):
    """Add the integrals of an element, total[c, i + step j], to the equations; fresh: those of g are the first."""
    s0, s1, s2 = signs[0], signs[1], signs[2]
    for c in range(k):
        n = 3 * nodes[e, c]
        row = total[c]
        h[0, n] += s0 * row[i]
        h[0, n + 1] += s0 * row[i + step]
        h[0, n + 2] += s0 * row[i + 2 * step]
        h[1, n] += s1 * row[i + 3 * step]
        h[1, n + 1] += s1 * row[i + 4 * step]
        h[1, n + 2] += s1 * row[i + 5 * step]
        h[2, n] += s2 * row[i + 6 * step]
        h[2, n + 1] += s2 * row[i + 7 * step]
        h[2, n + 2] += s2 * row[i + 8 * step]
    if not loaded:
        return
    old = 0.0 if fresh else 1.0
    for c in range(k):
        s = 3 * (8 * e + c)
        row = total[c]
        xx, xy, xz = row[i + 9 * step], row[i + 10 * step], row[i + 11 * step]
        yy, yz, zz = row[i + 12 * step], row[i + 13 * step], row[i + 14 * step]
        g[0, s] = old * g[0, s] + s0 * xx
        g[0, s + 1] = old * g[0, s + 1] + s0 * xy
        g[0, s + 2] = old * g[0, s + 2] + s0 * xz
        g[1, s] = old * g[1, s] + s1 * xy
        g[1, s + 1] = old * g[1, s + 1] + s1 * yy
        g[1, s + 2] = old * g[1, s + 2] + s1 * yz
        g[2, s] = old * g[2, s] + s2 * xz
        g[2, s + 1] = old * g[2, s + 1] + s2 * yz
        g[2, s + 2] = old * g[2, s + 2] + s2 * zz


@kernel(fastmath=SUMMED)
def _add_sums(k, signs, total, sums):
    """The integral of T alone over a batch: shape functions add up to 1. The sums are left in the first row."""
    first = total[0]
    for c in range(1, k):
        row = total[c]
        for i in range(ROWS_OF_T):
            first[i] += row[i]
    for j in range(9):
        t = 0.0
        for i in range(BATCH):
            t += first[j * BATCH + i]
        sums[j // 3, j % 3] += signs[j // 3] * signs[j % 3] * t
