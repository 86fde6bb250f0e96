"""Inside a body in space: the nearest points of its surface, and the integrals for displacement and stress.

Kelvin's solution (spatial_integrals.py) and its stresses, for G = 1, on what a linear field v (value, gradient and
stress S of the nearest point of the surface) leaves over:

    u_i(y) = v_i(y) + integral U_ij (t_j - S_jk n_k) - integral T_ij (u_j - v_j)
    sigma_ij(y) = S_ij + integral D_kij (t_k - S_kl n_l) - integral S_kij (u_k - v_k)
    D_kij = 1 / (8 pi (1 - nu) r^2) { (1 - 2 nu) (r,j d_ki + r,i d_kj - r,k d_ij) + 3 r,i r,j r,k }
    S_kij = 1 / (4 pi (1 - nu) r^3) { 3 dr/dn [(1 - 2 nu) d_ij r,k + nu (r,i d_jk + r,j d_ik) - 5 r,i r,j r,k]
            + 3 nu (n_i r,j r,k + n_j r,i r,k) + (1 - 2 nu) (3 n_k r,i r,j + n_j d_ik + n_i d_jk)
            - (1 - 4 nu) n_k d_ij }

What is left vanishes at the nearest point as fast as the kernels grow there, so that nothing cancels near the surface.
In an infinite region v satisfies the equations inside the holes: it is taken off, and not added.
Source: C. A. Brebbia, J. Dominguez, Boundary Elements: An Introductory Course, 1992, chapter 4.
"""

from __future__ import annotations

import math

import numpy as np

from framework.kernel import kernel
from systems.kernels.bem.spatial_elements import norm3, surface_point
from systems.kernels.bem.spatial_integrals import piece_ratio, split
from systems.kernels.bem.spatial_rules import DEEPEST
from systems.kernels.bem.terms import FUSED

STEPS = 30  # of the search for the nearest point of one element
SLACK = 1.5  # a curved element bulges out of the sphere around its corners by less than this


@kernel(fastmath=FUSED)
def nearest(places, points, nodes, count, centre, radius, mirrors, work, image, element, local, distance):
    """The nearest point of the surface and its images to each of places (p, 3).

    centre (m, 3), radius (m,): of elements. Found: image (p,), element (p,), local (p, 2), distance (p,).
    """
    z, y = np.empty(2), np.empty(3)
    for p in range(places.shape[0]):
        best = np.inf
        for q in range(mirrors.shape[0]):
            for j in range(3):
                y[j] = mirrors[q, j] * places[p, j]
            for e in range(nodes.shape[0]):
                dx, dy, dz = centre[e, 0] - y[0], centre[e, 1] - y[1], centre[e, 2] - y[2]
                if norm3(dx, dy, dz) - SLACK * radius[e] > best:
                    continue
                found = _foot(count[e], nodes[e], points, y, work, z)
                if found < best:
                    best, image[p], element[p], local[p, 0], local[p, 1] = found, q, e, z[0], z[1]
        distance[p] = best


@kernel(fastmath=FUSED)
def _foot(k, row, points, y, work, z):
    """Distance of y from an element, and the local place z (2,) of its nearest point: steps of Gauss and Newton."""
    triangle, out = k == 3 or k == 6, work.out
    a = b = 1.0 / 3.0 if triangle else 0.0
    best = np.inf
    for _ in range(STEPS):
        surface_point(k, row, points, a, b, work.shape, work.dx, work.dy, out)
        dx, dy, dz = y[0] - out[0], y[1] - out[1], y[2] - out[2]
        far = norm3(dx, dy, dz)
        if far < best:
            best, z[0], z[1] = far, a, b
        aa = out[3] * out[3] + out[4] * out[4] + out[5] * out[5]
        bb = out[6] * out[6] + out[7] * out[7] + out[8] * out[8]
        ab = out[3] * out[6] + out[4] * out[7] + out[5] * out[8]
        ra, rb = dx * out[3] + dy * out[4] + dz * out[5], dx * out[6] + dy * out[7] + dz * out[8]
        determinant = max(aa * bb - ab * ab, 1e-300)
        c, d = a + (bb * ra - ab * rb) / determinant, b + (aa * rb - ab * ra) / determinant
        if triangle:
            over = 0.5 * max(c + d - 1.0, 0.0)
            c, d = min(max(c - over, 0.0), 1.0), min(max(d - over, 0.0), 1.0)
            if c + d > 1.0:
                c, d = c / (c + d), d / (c + d)
        else:
            c, d = min(max(c, -1.0), 1.0), min(max(d, -1.0), 1.0)
        if abs(c - a) + abs(d - b) < 1e-14:
            break
        a, b = c, d
    return best


@kernel(fastmath=FUSED)
def interior(
    places, points, nodes, count, least, u, t, foot, value, gradient, pull, mirrors, start, rule_points, weights, reach,
    nu, work, found,
):  # fmt: skip
    """What the linear fields leave over: found (p, 9), displacement, then stress xx, yy, zz, xy, xz, yz.

    u (n, 3), t (m, 8, 3) on the surface; the field of place p is value[p] + gradient[p] (x - foot[p]), with stress
    pull[p]. least (m,): the first rule that is good enough for an element's curvature.
    """
    y, x, n, moved, drawn = np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    stack, piece, out, rules = work.stack, work.piece, work.out, reach.shape[1]
    for p in range(places.shape[0]):
        found[p, :] = 0.0
        for q in range(mirrors.shape[0]):
            for j in range(3):
                y[j] = mirrors[q, j] * places[p, j]
            for e in range(nodes.shape[0]):
                k, row = count[e], nodes[e]
                s = 0 if k == 3 or k == 6 else 1
                stack[0, :] = 0.0
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
                    rule = least[e] if piece[6] == 0.0 else 0
                    while rule < rules - 1 and ratio < reach[s, rule]:
                        rule += 1
                    size = abs(piece[2] * piece[5] - piece[3] * piece[4])
                    for g in range(start[s, rule], start[s, rule + 1]):
                        a, b = rule_points[s, g, 0], rule_points[s, g, 1]
                        a, b = (
                            piece[0] + a * piece[2] + b * piece[4], piece[1] + a * piece[3] + b * piece[5]
                        )  # fmt: skip
                        surface_point(k, row, points, a, b, work.shape, work.dx, work.dy, out)
                        w = size * weights[s, g]
                        n[0] = w * mirrors[q, 0] * (out[4] * out[8] - out[5] * out[7])
                        n[1] = w * mirrors[q, 1] * (out[5] * out[6] - out[3] * out[8])
                        n[2] = w * mirrors[q, 2] * (out[3] * out[7] - out[4] * out[6])
                        area = norm3(n[0], n[1], n[2])
                        for j in range(3):
                            v = f = 0.0
                            for c in range(k):
                                v += work.shape[c] * u[row[c], j]
                                f += work.shape[c] * t[e, c, j]
                            x[j] = mirrors[q, j] * out[j]
                            moved[j], drawn[j] = mirrors[q, j] * v, area * mirrors[q, j] * f
                        for j in range(3):
                            moved[j] -= value[p, j]
                            for i in range(3):
                                moved[j] -= gradient[p, j, i] * (x[i] - foot[p, i])
                                drawn[j] -= pull[p, j, i] * n[i]
                        for j in range(3):
                            x[j] -= places[p, j]
                        _add_point(x, n, moved, drawn, nu, found[p])


@kernel(fastmath=FUSED)
def _add_point(d, n, u, t, nu, sums):
    """Add U t - T u, and D t - S u, of one Gauss point at distance d (3,) from the place; n and t carry its weight."""
    inverse = 1.0 / norm3(d[0], d[1], d[2])
    x, y, z = d[0] * inverse, d[1] * inverse, d[2] * inverse
    less, c1 = 1.0 - 2.0 * nu, 0.0625 * inverse / (math.pi * (1.0 - nu))
    c2 = 2.0 * c1 * inverse
    c3 = 2.0 * c2 * inverse
    dn, rt, ru = x * n[0] + y * n[1] + z * n[2], x * t[0] + y * t[1] + z * t[2], x * u[0] + y * u[1] + z * u[2]
    un = n[0] * u[0] + n[1] * u[1] + n[2] * u[2]
    # T_ij u_j = -c2 { less dn u_i + 3 dn ru r,i - less (r,i un - n_i ru) }
    along = c1 * rt + c2 * (3.0 * dn * ru - less * un)
    more = c1 * (3.0 - 4.0 * nu)
    sums[0] += along * x + more * t[0] + c2 * less * (dn * u[0] + n[0] * ru)
    sums[1] += along * y + more * t[1] + c2 * less * (dn * u[1] + n[1] * ru)
    sums[2] += along * z + more * t[2] + c2 * less * (dn * u[2] + n[2] * ru)
    both = 3.0 * c2 * rt + c3 * (15.0 * dn * ru - 3.0 * less * un)  # times r,i r,j
    one = -c2 * less * rt - c3 * (3.0 * dn * less * ru - (1.0 - 4.0 * nu) * un)  # times d_ij
    a, b, c, e = c2 * less, -3.0 * nu * c3 * dn, -3.0 * nu * c3 * ru, -c3 * less
    # r,i (a t_j + b u_j + c n_j) + e n_i u_j, and the same with i and j exchanged
    p0, p1, p2 = (
        a * t[0] + b * u[0] + c * n[0], a * t[1] + b * u[1] + c * n[1], a * t[2] + b * u[2] + c * n[2]
    )  # fmt: skip
    e0, e1, e2 = e * n[0], e * n[1], e * n[2]
    sums[3] += both * x * x + one + 2.0 * (x * p0 + e0 * u[0])
    sums[4] += both * y * y + one + 2.0 * (y * p1 + e1 * u[1])
    sums[5] += both * z * z + one + 2.0 * (z * p2 + e2 * u[2])
    sums[6] += both * x * y + x * p1 + y * p0 + e0 * u[1] + e1 * u[0]
    sums[7] += both * x * z + x * p2 + z * p0 + e0 * u[2] + e2 * u[0]
    sums[8] += both * y * z + y * p2 + z * p1 + e1 * u[2] + e2 * u[1]
