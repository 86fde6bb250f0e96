"""Integrals of Kelvin's solution over one element of a surface: near the source, and holding it.

Kelvin's solution for G = 1, n out of the material. U_ij, T_ij: response in direction j at x to a unit load in direction
i at y:

    U_ij = 1 / (16 pi (1 - nu) r) [ (3 - 4 nu) d_ij + r,i r,j ]
    T_ij = -1 / (8 pi (1 - nu) r^2) { [ (1 - 2 nu) d_ij + 3 r,i r,j ] dr/dn - (1 - 2 nu) (r,i n_j - r,j n_i) }

An element that holds y is cut into triangles with a corner there. Along a ray r cancels in U, and in T (N_k - N_k(y));
across rays the integrand is as 1 / distance on the opposite side, which a sinh of the foot's distance makes smooth
(J. C. F. Telles, Int. J. Numer. Methods Eng. 24 (1987) 959-973; P. R. Johnston, B. M. Johnston, D. Elliott 2013).
Each function adds to the equations' rows h (3, 3 n) on nodal displacements and g (3, 24 m) on tractions per element
point; signs (3,) turn the equations of a mirror image.
"""

from __future__ import annotations

import math

from framework.kernel import kernel
from systems.kernels.bem.spatial_elements import norm3, shape_values, surface_point
from systems.kernels.bem.spatial_rules import DEEPEST, MOST_LINE
from systems.kernels.bem.terms import FUSED


@kernel(fastmath=FUSED)
def kelvin(dx, dy, dz, nx, ny, nz, area, nu, out):
    """out (15,): T (9, row by row) and U (xx, xy, xz, yy, yz, zz) at x - y; normal and area carry a weight."""
    inverse = 1.0 / math.sqrt(dx * dx + dy * dy + dz * dz)
    dx, dy, dz = dx * inverse, dy * inverse, dz * inverse
    less = 1.0 - 2.0 * nu
    t = -0.125 / (math.pi * (1.0 - nu)) * inverse * inverse
    dn = t * (dx * nx + dy * ny + dz * nz)
    tx, ty, tz = t * less * nx, t * less * ny, t * less * nz
    three, base = 3.0 * dn, less * dn
    sxy, sxz, syz = dx * ty - dy * tx, dx * tz - dz * tx, dy * tz - dz * ty
    out[0], out[1], out[2] = base + three * dx * dx, three * dx * dy - sxy, three * dx * dz - sxz
    out[3], out[4], out[5] = three * dx * dy + sxy, base + three * dy * dy, three * dy * dz - syz
    out[6], out[7], out[8] = three * dx * dz + sxz, three * dy * dz + syz, base + three * dz * dz
    u, more = 0.0625 / (math.pi * (1.0 - nu)) * inverse * area, 3.0 - 4.0 * nu
    out[9], out[10], out[11] = u * (more + dx * dx), u * dx * dy, u * dx * dz
    out[12], out[13], out[14] = u * (more + dy * dy), u * dy * dz, u * (more + dz * dz)


@kernel(fastmath=FUSED)
def add_t(c, v, e, nodes, signs, out, h):
    n = 3 * nodes[e, c]
    for row in range(3):
        for column in range(3):
            h[row, n + column] += signs[row] * v * out[3 * row + column]


@kernel(fastmath=FUSED)
def add_u(c, v, e, signs, out, g):
    s = 3 * (8 * e + c)
    g[0, s] += signs[0] * v * out[9]
    g[0, s + 1] += signs[0] * v * out[10]
    g[0, s + 2] += signs[0] * v * out[11]
    g[1, s] += signs[1] * v * out[10]
    g[1, s + 1] += signs[1] * v * out[12]
    g[1, s + 2] += signs[1] * v * out[13]
    g[2, s] += signs[2] * v * out[11]
    g[2, s + 1] += signs[2] * v * out[13]
    g[2, s + 2] += signs[2] * v * out[14]


@kernel(fastmath=FUSED)
def piece_ratio(k, row, points, piece, y, n, dx, dy, out, corners):
    """Distance of y over radius of a piece (6,) of an element: origin and two local vectors. corners (4, 3)."""
    count = 3 if k == 3 or k == 6 else 4
    cx = cy = cz = 0.0
    for q in range(count):
        if count == 3:
            a, b = (1.0 if q == 1 else 0.0), (1.0 if q == 2 else 0.0)
        else:
            a, b = (1.0 if q == 1 or q == 2 else -1.0), (1.0 if q >= 2 else -1.0)
        x, z = piece[0] + a * piece[2] + b * piece[4], piece[1] + a * piece[3] + b * piece[5]
        surface_point(k, row, points, x, z, n, dx, dy, out)
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
def near(e, k, nodes, points, start, places, weights, reach, y, nu, signs, stack, piece, n, dx, dy, out, corners, kern,
         sums, h, g):  # fmt: skip
    """An element near the source, cut in four until each piece is far enough for a rule."""
    s = 0 if k == 3 or k == 6 else 1
    row, rules = nodes[e], reach.shape[1]
    for j in range(7):
        stack[0, j] = 0.0
    stack[0, 2] = stack[0, 5] = 1.0
    top = 1
    while top > 0:
        top -= 1
        for j in range(7):
            piece[j] = stack[top, j]
        ratio = piece_ratio(k, row, points, piece, y, n, dx, dy, out, corners)
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
            surface_point(k, row, points, x, z, n, dx, dy, out)
            w = size * weights[s, q]
            nx = w * (out[4] * out[8] - out[5] * out[7])
            ny = w * (out[5] * out[6] - out[3] * out[8])
            nz = w * (out[3] * out[7] - out[4] * out[6])
            kelvin(out[0] - y[0], out[1] - y[1], out[2] - y[2], nx, ny, nz, norm3(nx, ny, nz), nu, kern)
            for c in range(k):
                add_t(c, n[c], e, nodes, signs, kern, h)
                add_u(c, n[c], e, signs, kern, g)
            for i in range(3):
                for j in range(3):
                    sums[i, j] += signs[i] * signs[j] * kern[3 * i + j]


@kernel(fastmath=FUSED)
def singular(e, k, x0, y0, nodes, points, line, line_weights, radial, digits, nu, signs, n, dx, dy, out, kern, n0,
             tangent, h, g):  # fmt: skip
    """An element that holds the source at local (x0, y0), without its part of u(y)."""
    row = nodes[e]
    surface_point(k, row, points, x0, y0, n0, dx, dy, tangent)
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
        count = int(math.ceil(2.0 + 0.5 * digits / math.log(ratio + math.sqrt(1.0 + ratio * ratio))))
        count = min(count, MOST_LINE)
        for i in range(count):
            mu = low + (high - low) * line[count, i]
            t = (height * math.sinh(mu) - begin) / length
            across = line_weights[count, i] * (high - low) * height * math.cosh(mu) / length
            ex, ey = ax + t * (bx - ax), ay + t * (by - ay)
            for j in range(radial):
                s = line[radial, j]
                x, z = x0 + s * ex, y0 + s * ey
                surface_point(k, row, points, x, z, n, dx, dy, out)
                w = across * line_weights[radial, j] * s * size
                nx = w * (out[4] * out[8] - out[5] * out[7])
                ny = w * (out[5] * out[6] - out[3] * out[8])
                nz = w * (out[3] * out[7] - out[4] * out[6])
                kelvin(
                    out[0] - tangent[0], out[1] - tangent[1], out[2] - tangent[2], nx, ny, nz, norm3(nx, ny, nz), nu,
                    kern,
                )  # fmt: skip
                for c in range(k):
                    add_t(c, n[c] - n0[c], e, nodes, signs, kern, h)
                    add_u(c, n[c], e, signs, kern, g)


@kernel
def at_source(k, x, y, n, dx, dy):
    """Shape functions n (8,) at the source."""
    for c in range(8):
        n[c] = 0.0
    shape_values(k, x, y, n, dx, dy)
