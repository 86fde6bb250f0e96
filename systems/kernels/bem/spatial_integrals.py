"""Integrals of Kelvin's solution over one element of a surface: near the source, and holding it.

Kelvin's solution for G = 1, n out of the material. U_ij, T_ij: response in direction j at x to a unit load in direction
i at y:

    U_ij = 1 / (16 pi (1 - nu) r) [ (3 - 4 nu) d_ij + r,i r,j ]
    T_ij = -1 / (8 pi (1 - nu) r^2) { [ (1 - 2 nu) d_ij + 3 r,i r,j ] dr/dn - (1 - 2 nu) (r,i n_j - r,j n_i) }

An element that holds y is cut into triangles with a corner there. Along a ray r cancels in U, and in T (N_k - N_k(y));
across rays the integrand is as 1 / distance on the opposite side, which a sinh of the foot's distance makes smooth
(J. C. F. Telles, Int. J. Numer. Methods Eng. 24 (1987) 959-973; P. R. Johnston, B. M. Johnston, D. Elliott 2013).
Gauss points are collected in chunks of BATCH and evaluated together (spatial_batch.py).
"""

from __future__ import annotations

import math

from framework.kernel import kernel
from systems.kernels.bem.spatial_batch import ROWS, accumulate, batch_point, clear, finish
from systems.kernels.bem.spatial_elements import BATCH, norm3, surface_point
from systems.kernels.bem.spatial_rules import DEEPEST, MOST_LINE
from systems.kernels.bem.terms import FUSED


@kernel(fastmath=FUSED)
def put(i, weight, k, work):
    """Gauss point i of a chunk, from work.out and work.shape: values shape - shape0 for T, and shape for U."""
    at, out = work.at, work.out
    at[i], at[BATCH + i], at[2 * BATCH + i] = out[0], out[1], out[2]
    nx = weight * (out[4] * out[8] - out[5] * out[7])
    ny = weight * (out[5] * out[6] - out[3] * out[8])
    nz = weight * (out[3] * out[7] - out[4] * out[6])
    at[3 * BATCH + i], at[4 * BATCH + i], at[5 * BATCH + i] = nx, ny, nz
    at[6 * BATCH + i] = norm3(nx, ny, nz)
    for c in range(k):
        work.moving[c, i], work.still[c, i] = work.shape[c] - work.shape0[c], work.shape[c]


@kernel(fastmath=FUSED)
def flush(count, k, y, nu, loaded, work):
    """Add the first `count` points of a chunk to the sums."""
    at = work.at
    for i in range(count, BATCH):  # the rest has no weight; its place is not y
        for j in range(7):
            at[j * BATCH + i] = at[j * BATCH] if j < 3 else 0.0
    batch_point(at, work.ones, y[0], y[1], y[2], nu, work.point[:ROWS])
    accumulate(k, work.moving, work.still, loaded, work.point, work.total)


@kernel(fastmath=FUSED)
def piece_ratio(k, row, points, y, work):
    """Distance of y over radius of a piece of an element: its origin and two local vectors."""
    piece, out, corners = work.piece, work.out, work.corners
    count = 3 if k == 3 or k == 6 else 4
    cx = cy = cz = 0.0
    for q in range(count):
        if count == 3:
            a, b = (1.0 if q == 1 else 0.0), (1.0 if q == 2 else 0.0)
        else:
            a, b = (1.0 if q == 1 or q == 2 else -1.0), (1.0 if q >= 2 else -1.0)
        x, z = piece[0] + a * piece[2] + b * piece[4], piece[1] + a * piece[3] + b * piece[5]
        surface_point(k, row, points, x, z, work.shape, work.dx, work.dy, out)
        corners[q, 0], corners[q, 1], corners[q, 2] = out[0], out[1], out[2]
        cx, cy, cz = cx + out[0] / count, cy + out[1] / count, cz + out[2] / count
    radius = 0.0
    for q in range(count):
        radius = max(radius, norm3(corners[q, 0] - cx, corners[q, 1] - cy, corners[q, 2] - cz))
    return norm3(cx - y[0], cy - y[1], cz - y[2]) / max(radius, 1e-300)


@kernel(fastmath=FUSED)
def split(s, piece, stack, top):
    """Push the four pieces that a piece of shape s (0: triangle) is cut into; returns the new top."""
    for q in range(4):
        a, b, turn = 0.0, 0.0, 1.0
        if s == 0:
            a, b = (0.5 if q == 1 else 0.0), (0.5 if q == 2 else 0.0)
            if q == 3:
                a, b, turn = 0.5, 0.5, -1.0
        else:
            a, b = (0.5 if q % 2 == 1 else -0.5), (0.5 if q >= 2 else -0.5)
        stack[top, 0] = piece[0] + a * piece[2] + b * piece[4]
        stack[top, 1] = piece[1] + a * piece[3] + b * piece[5]
        for j in range(2, 6):
            stack[top, j] = 0.5 * turn * piece[j]
        stack[top, 6] = piece[6] + 1.0
        top += 1
    return top


@kernel(fastmath=FUSED)
def near(e, k, nodes, points, start, places, weights, reach, y, nu, signs, fresh, loaded, work):
    """An element near the source, cut in four until each piece is far enough for a rule."""
    s = 0 if k == 3 or k == 6 else 1
    row, rules, count = nodes[e], reach.shape[1], 0
    stack, piece, out = work.stack, work.piece, work.out
    clear(k, work.total)
    work.shape0[:] = 0.0
    for j in range(7):
        stack[0, j] = 0.0
    stack[0, 2] = stack[0, 5] = 1.0
    top = 1
    while top > 0:
        top -= 1
        for j in range(7):
            piece[j] = stack[top, j]
        ratio = piece_ratio(k, row, points, y, work)
        if ratio < reach[s, rules - 1] and piece[6] < DEEPEST:
            top = split(s, piece, stack, top)
            continue
        rule = 0
        while rule < rules - 1 and ratio < reach[s, rule]:
            rule += 1
        size = abs(piece[2] * piece[5] - piece[3] * piece[4])
        for q in range(start[s, rule], start[s, rule + 1]):
            a, b = places[s, q, 0], places[s, q, 1]
            x, z = piece[0] + a * piece[2] + b * piece[4], piece[1] + a * piece[3] + b * piece[5]
            surface_point(k, row, points, x, z, work.shape, work.dx, work.dy, out)
            put(count, size * weights[s, q], k, work)
            count += 1
            if count == BATCH:
                flush(count, k, y, nu, loaded, work)
                count = 0
    if count > 0:
        flush(count, k, y, nu, loaded, work)
    finish(e, k, nodes, signs, fresh, loaded, work.sums, work)


@kernel(fastmath=FUSED)
def singular(e, k, x0, y0, nodes, points, line, line_weights, radial, digits, nu, signs, fresh, loaded, work):
    """An element that holds the source at local (x0, y0), without its part of u(y)."""
    row, filled = nodes[e], 0
    out, tangent = work.out, work.tangent
    surface_point(k, row, points, x0, y0, work.shape0, work.dx, work.dy, tangent)
    clear(k, work.total)
    corners = 3 if k == 3 or k == 6 else 4
    for q in range(corners):
        if corners == 3:
            ax, ay = (1.0 if q == 1 else 0.0), (1.0 if q == 2 else 0.0)
            bx, by = (1.0 if q == 0 else 0.0), (1.0 if q == 1 else 0.0)
        else:
            ax, ay = (1.0 if q == 1 or q == 2 else -1.0), (1.0 if q >= 2 else -1.0)
            bx, by = (1.0 if q == 0 or q == 1 else -1.0), (1.0 if q == 1 or q == 2 else -1.0)
        ax, ay, bx, by = ax - x0, ay - y0, bx - x0, by - y0
        size = ax * by - ay * bx
        if size <= 1e-12:
            continue
        # the opposite side in the tangent plane: foot of y on it, and how far the ends are from there
        px, py = ax * tangent[3] + ay * tangent[6], ax * tangent[4] + ay * tangent[7]
        pz = ax * tangent[5] + ay * tangent[8]
        sx, sy = (bx - ax) * tangent[3] + (by - ay) * tangent[6], (bx - ax) * tangent[4] + (by - ay) * tangent[7]
        sz = (bx - ax) * tangent[5] + (by - ay) * tangent[8]
        length = norm3(sx, sy, sz)
        begin = (px * sx + py * sy + pz * sz) / length
        height = math.sqrt(max(px * px + py * py + pz * pz - begin * begin, 0.0))
        height = max(height, 1e-9 * length)
        low, high = math.asinh(begin / height), math.asinh((begin + length) / height)
        half = 0.5 * (high - low)
        # poles at +- i pi / 2: Gauss' error falls with the ellipse through them
        ratio = 0.5 * math.pi / half
        count = math.ceil(2.0 + 0.5 * digits / math.log(ratio + math.sqrt(1.0 + ratio * ratio)))
        count = min(count, MOST_LINE)
        for i in range(count):
            mu = low + (high - low) * line[count, i]
            t = (height * math.sinh(mu) - begin) / length
            across = line_weights[count, i] * (high - low) * height * math.cosh(mu) / length
            ex, ey = ax + t * (bx - ax), ay + t * (by - ay)
            for j in range(radial):
                s = line[radial, j]
                x, z = x0 + s * ex, y0 + s * ey
                surface_point(k, row, points, x, z, work.shape, work.dx, work.dy, out)
                put(filled, across * line_weights[radial, j] * s * size, k, work)
                filled += 1
                if filled == BATCH:
                    flush(filled, k, tangent, nu, loaded, work)
                    filled = 0
    if filled > 0:
        flush(filled, k, tangent, nu, loaded, work)
    finish(e, k, nodes, signs, fresh, loaded, work.unused, work)
