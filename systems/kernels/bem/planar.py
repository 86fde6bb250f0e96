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
from systems.kernels.bem.planar_batch import BATCH, far_elements
from systems.kernels.bem.planar_elements import FUSED, lagrange
from systems.kernels.bem.planar_integrals import near, singular
from systems.kernels.bem.quadrature import FEWEST, MOST_BATCHED
from systems.kernels.bem.terms import gather, turn


@kernel(fastmath=FUSED)
def integrate_row(
    p, points, nodes, shape, batched, values, half_chord, offset, abscissae, weights, reach, inner, inner_weights,
    log_weights, sources, source_node, source_element, source_xi, mirrors, nu, log_shift, infinite,
    distance, wanted, square, bits, mantissa, mantissa_bits, log, point, sums, h, g,
):  # fmt: skip
    """The two equations of source p: h (2, 2n) on nodal displacements, g (2, 2 k m) on tractions per element point.

    sources (s, 2); each is node source_node (s,), or where that is -1 the point source_xi of source_element. mirrors
    (q, 2): signs of the coordinates of the images of the boundary, (1, 1) first. log_shift is added to ln r.
    distance (n,) and what follows it: work space.
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
        for first in range(0, nodes.shape[0], BATCH):
            count, rule, some = min(BATCH, nodes.shape[0] - first), FEWEST, False
            for i in range(count):
                e, wanted[i] = first + i, 0.0
                if on_plane:
                    xi0 = _within(e, nodes, source_node[p], source_element[p], source_xi[p])
                    if xi0 <= 1.0:
                        singular(e, xi0, nodes, shape, inner, inner_weights, log_weights, nu, log_shift, mx, my, h, g)
                        continue
                ratio = (distance[nodes[e, 0]] + distance[nodes[e, k - 1]]) / half_chord[e]
                if ratio >= reach[MOST_BATCHED]:
                    wanted[i], some = 1.0, True
                    while ratio < reach[rule]:
                        rule += 1
                    continue
                a, b, c, d = near(
                    e, nodes, shape, offset, abscissae, weights, reach, yx, yy, nu, log_shift, mx, my, h, g
                )
                s00, s01, s10, s11 = s00 + a, s01 + mx * my * b, s10 + mx * my * c, s11 + d
            if some:
                a, b, c, d = far_elements(
                    first, count, offset[rule], rule, wanted, nodes, batched, values, yx, yy, nu, log_shift, mx, my,
                    square, bits, mantissa, mantissa_bits, log, point, sums, h, g,
                )  # fmt: skip
                s00, s01, s10, s11 = s00 + a, s01 + mx * my * b, s10 + mx * my * c, s11 + d
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
    points, nodes, shape, batched, values, half_chord, offset, abscissae, weights, reach, inner, inner_weights,
    log_weights, sources, source_node, source_element, source_xi, mirrors, nu, log_shift, infinite,
    rows, turned, terms, a, b, right,
):  # fmt: skip
    """The system a x = right + b known of the unknowns, straight from the integrals.

    rows (s, 2): row of each equation, -1 to leave it out; turned (s,): node in whose axes they are, -1 for global ones.
    right (rows, loads): of the known values. b: their influences, one by one, or no columns.
    """
    n, k = points.shape[0], nodes.shape[1]
    distance, wanted, square, mantissa = np.empty(n), np.empty(BATCH), np.ones(BATCH), np.ones(BATCH)
    log, point, sums = np.empty(BATCH), np.empty((7, BATCH)), np.empty((4 + 7 * k, BATCH))
    h, g = np.empty((2, 2 * n)), np.empty((2, 2 * k * nodes.shape[0]))
    for p in range(sources.shape[0]):
        integrate_row(
            p, points, nodes, shape, batched, values, half_chord, offset, abscissae, weights, reach, inner,
            inner_weights, log_weights, sources, source_node, source_element, source_xi, mirrors, nu, log_shift,
            infinite, distance, wanted, square, square.view(np.int64), mantissa, mantissa.view(np.int64), log, point,
            sums, h, g,
        )  # fmt: skip
        if turned[p] >= 0:
            turn(h, terms.frames[turned[p]])
            turn(g, terms.frames[turned[p]])
        for axis in range(2):
            if rows[p, axis] >= 0:
                influences = b[rows[p, axis]] if b.shape[1] > 0 else b.reshape(-1)
                gather(h[axis], g[axis], terms, a[rows[p, axis]], right[rows[p, axis]], influences)
