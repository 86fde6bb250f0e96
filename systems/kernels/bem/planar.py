"""Rows of the boundary integral equation of plane elastostatics, and the system of the unknowns made from them.

    integral T(x, y) (u(x) - u(y)) dS + [u(y) in an infinite region] = integral U(x, y) t(x) dS

Subtracting u(y) is the rigid-body motion that gives the free term and the strongly singular diagonal. Lengths are over
a length and tractions over G. Plane stress has nu / (1 + nu) for nu.
Source: C. A. Brebbia, J. Dominguez, Boundary Elements: An Introductory Course, 1992, chapters 3 and 4.

*Limitations*: elements of one order; a point closer to an element than about 1e-9 of its length, not on it, costs many
pieces.
"""

from __future__ import annotations

import math

import numpy as np

from framework.kernel import kernel
from systems.kernels.bem.planar_elements import FUSED, lagrange
from systems.kernels.bem.planar_integrals import near, regular, singular
from systems.kernels.bem.quadrature import FEWEST, MOST


@kernel(fastmath=FUSED)
def integrate_row(
    p, points, nodes, shape, gauss, values, half_chord, offset, abscissae, weights, reach, inner, inner_weights,
    log_weights, sources, source_node, source_element, source_xi, mirrors, nu, log_shift, infinite,
    distance, kept, h, g,
):  # fmt: skip
    """The two equations of source p: h (2, 2n) on nodal displacements, g (2, 2 k m) on tractions per element point.

    sources (s, 2); each is node source_node (s,), or where that is -1 the point source_xi of source_element. mirrors
    (q, 2): signs of the coordinates of the images of the boundary, (1, 1) first. log_shift is added to ln r.
    distance (n,), kept (MOST, 7): work space.
    """
    n, k = points.shape[0], nodes.shape[1]
    h[:, :] = 0.0
    g[:, :] = 0.0
    s00 = s01 = s10 = s11 = 0.0  # integral of T over all elements that do not hold the source
    for q in range(mirrors.shape[0]):
        mx, my = mirrors[q, 0], mirrors[q, 1]
        yx, yy = mx * sources[p, 0], my * sources[p, 1]
        on_plane = yx == sources[p, 0] and yy == sources[p, 1]
        for i in range(n):
            dx, dy = points[i, 0] - yx, points[i, 1] - yy
            distance[i] = math.sqrt(dx * dx + dy * dy)
        for e in range(nodes.shape[0]):
            if on_plane:
                xi0 = _within(e, nodes, source_node[p], source_element[p], source_xi[p])
                if xi0 <= 1.0:
                    singular(e, xi0, nodes, shape, inner, inner_weights, log_weights, nu, log_shift, mx, my, h, g)
                    continue
            ratio = (distance[nodes[e, 0]] + distance[nodes[e, k - 1]]) / half_chord[e]
            if ratio >= reach[MOST]:
                rule = FEWEST
                while ratio < reach[rule]:
                    rule += 1
                a, b, c, d = regular(
                    e, offset[rule], rule, nodes, gauss, values, yx, yy, nu, log_shift, mx, my, kept, h, g
                )
            else:
                a, b, c, d = near(
                    e, nodes, shape, offset, abscissae, weights, reach, yx, yy, nu, log_shift, mx, my, h, g
                )
            s00 += a
            s01 += mx * my * b
            s10 += mx * my * c
            s11 += d
    if infinite:
        s00 -= 1.0
        s11 -= 1.0
    for c in range(k):
        i, v = source_node[p], 1.0
        if i < 0:
            i, v = nodes[source_element[p], c], lagrange(c, source_xi[p], k)
        elif c > 0:
            break
        h[0, 2 * i] -= v * s00
        h[0, 2 * i + 1] -= v * s01
        h[1, 2 * i] -= v * s10
        h[1, 2 * i + 1] -= v * s11


@kernel
def _within(e, nodes, node, element, xi):
    """Where on element e the source lies: xi0, or 2 when elsewhere."""
    k = nodes.shape[1]
    if node < 0:
        return xi if element == e else 2.0
    for c in range(k):
        if nodes[e, c] == node:
            return -1.0 + 2.0 * c / (k - 1)
    return 2.0


@kernel(fastmath=FUSED)
def assemble(
    points, nodes, shape, gauss, values, half_chord, offset, abscissae, weights, reach, inner, inner_weights,
    log_weights, sources, source_node, source_element, source_xi, mirrors, nu, log_shift, infinite,
    rows, turned, u_column, t_column, frames, spring, u_value, t_value, u_free, t_free, a, b, right,
):  # fmt: skip
    """The system a x = right of the unknowns, straight from the integrals.

    rows (s, 2): row of each equation, -1 to leave it out; turned (s,): node in whose axes they are, -1 for global ones.
    u_column (2n,), t_column (2km,): column of an unknown in a; known ones have -1 - column in b, the matrix of
    influences of known values, which may have no columns. frames (n, 2, 2): columns are the local axes of nodes, in
    which displacements, tractions, u_value, t_value and springs (2km,) [traction per displacement] are given. u_free,
    t_free: a particular solution, in global axes. right (rows,).
    """
    n, k = points.shape[0], nodes.shape[1]
    distance, kept = np.empty(n), np.empty((MOST, 7))
    h, g = np.empty((2, 2 * n)), np.empty((2, 2 * k * nodes.shape[0]))
    for p in range(sources.shape[0]):
        integrate_row(
            p, points, nodes, shape, gauss, values, half_chord, offset, abscissae, weights, reach, inner,
            inner_weights, log_weights, sources, source_node, source_element, source_xi, mirrors, nu, log_shift,
            infinite, distance, kept, h, g,
        )  # fmt: skip
        if turned[p] >= 0:
            _turn(h, frames[turned[p]])
            _turn(g, frames[turned[p]])
        for axis in range(2):
            row = rows[p, axis]
            if row < 0:
                continue
            hr, gr, total = h[axis], g[axis], 0.0
            for i in range(2 * n):
                total += hr[i] * u_free[i]
            for j in range(gr.shape[0]):
                total -= gr[j] * t_free[j]
            for e in range(nodes.shape[0]):
                for c in range(k):
                    i, j = nodes[e, c], 2 * (k * e + c)
                    first = gr[j] * frames[i, 0, 0] + gr[j + 1] * frames[i, 1, 0]
                    gr[j + 1] = gr[j] * frames[i, 0, 1] + gr[j + 1] * frames[i, 1, 1]
                    gr[j] = first
            for i in range(n):
                first = hr[2 * i] * frames[i, 0, 0] + hr[2 * i + 1] * frames[i, 1, 0]
                hr[2 * i + 1] = hr[2 * i] * frames[i, 0, 1] + hr[2 * i + 1] * frames[i, 1, 1]
                hr[2 * i] = first
            for e in range(nodes.shape[0]):
                for c in range(k):
                    for d in range(2):
                        i, j = 2 * nodes[e, c] + d, 2 * (k * e + c) + d
                        hr[i] += gr[j] * spring[j]  # the support pulls with -spring u
                        column = t_column[j]
                        if column >= 0:
                            a[row, column] -= gr[j]
                        else:
                            total += gr[j] * t_value[j]
                            if b.shape[1] > 0:
                                b[row, -1 - column] += gr[j]
            for i in range(2 * n):
                column = u_column[i]
                if column >= 0:
                    a[row, column] += hr[i]
                else:
                    total -= hr[i] * u_value[i]
                    if b.shape[1] > 0:
                        b[row, -1 - column] -= hr[i]
            right[row] += total


@kernel
def _turn(rows, frame):
    """Two equations in the axes of a frame."""
    for i in range(rows.shape[1]):
        first = frame[0, 0] * rows[0, i] + frame[1, 0] * rows[1, i]
        rows[1, i] = frame[0, 1] * rows[0, i] + frame[1, 1] * rows[1, i]
        rows[0, i] = first
