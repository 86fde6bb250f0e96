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
from typing import NamedTuple

import numpy as np

from framework.kernel import kernel
from systems.kernels.bem.planar_batch import BATCH, far_elements
from systems.kernels.bem.planar_elements import FUSED, lagrange
from systems.kernels.bem.planar_integrals import near, singular
from systems.kernels.bem.quadrature import FEWEST, MOST_BATCHED


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


class Terms(NamedTuple):
    """Which entries of the rows go where. u..., t...: numbers among the 2n displacements and 2km tractions.

    Unknowns: u, t and their columns. known, value: those that are known and not 0. free, free_value: a particular
    solution, in global axes. frames (n, 2, 2): columns are the local axes of nodes; turned: nodes whose axes are not
    the global ones, and t_turned (q, 2): their tractions (number of the first component) and nodes. spring (q, 2):
    traction and displacement that a support joins, spring_value [traction per displacement]. all_known: for influences.
    """

    u: np.ndarray
    u_column: np.ndarray
    t: np.ndarray
    t_column: np.ndarray
    u_known: np.ndarray
    u_value: np.ndarray
    t_known: np.ndarray
    t_value: np.ndarray
    u_free: np.ndarray
    u_free_value: np.ndarray
    t_free: np.ndarray
    t_free_value: np.ndarray
    frames: np.ndarray
    turned: np.ndarray
    t_turned: np.ndarray
    spring: np.ndarray
    spring_value: np.ndarray
    u_all_known: np.ndarray
    t_all_known: np.ndarray


@kernel(fastmath=FUSED)
def assemble(
    points, nodes, shape, batched, values, half_chord, offset, abscissae, weights, reach, inner, inner_weights,
    log_weights, sources, source_node, source_element, source_xi, mirrors, nu, log_shift, infinite,
    rows, turned, terms, a, b, right,
):  # fmt: skip
    """The system a x = right + b known of the unknowns, straight from the integrals.

    rows (s, 2): row of each equation, -1 to leave it out; turned (s,): node in whose axes they are, -1 for global ones.
    right (rows,): of the known values. b: their influences, one by one, or no columns.
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
            _turn(h, terms.frames[turned[p]])
            _turn(g, terms.frames[turned[p]])
        for axis in range(2):
            if rows[p, axis] >= 0:
                influences = b[rows[p, axis]] if b.shape[1] > 0 else b.reshape(-1)
                right[rows[p, axis]] += _gather(h[axis], g[axis], terms, a[rows[p, axis]], influences)


@kernel(fastmath=FUSED)
def _gather(h, g, terms, row, influences):
    """Put an equation into its row of the matrix; returns its right-hand side."""
    total = 0.0
    for q in range(terms.u_free.shape[0]):
        total += h[terms.u_free[q]] * terms.u_free_value[q]
    for q in range(terms.t_free.shape[0]):
        total -= g[terms.t_free[q]] * terms.t_free_value[q]
    for i in terms.turned:
        _local(h, 2 * i, terms.frames[i])
    for q in range(terms.t_turned.shape[0]):
        _local(g, terms.t_turned[q, 0], terms.frames[terms.t_turned[q, 1]])
    for q in range(terms.spring.shape[0]):  # the support pulls with -spring u
        h[terms.spring[q, 1]] += g[terms.spring[q, 0]] * terms.spring_value[q]
    for q in range(terms.u.shape[0]):
        row[terms.u_column[q]] += h[terms.u[q]]
    for q in range(terms.t.shape[0]):
        row[terms.t_column[q]] -= g[terms.t[q]]
    for q in range(terms.u_known.shape[0]):
        total -= h[terms.u_known[q]] * terms.u_value[q]
    for q in range(terms.t_known.shape[0]):
        total += g[terms.t_known[q]] * terms.t_value[q]
    if influences.shape[0] > 0:
        for q in range(terms.u_all_known.shape[0]):
            influences[q] -= h[terms.u_all_known[q]]
        for q in range(terms.t_all_known.shape[0]):
            influences[terms.u_all_known.shape[0] + q] += g[terms.t_all_known[q]]
    return total


@kernel(fastmath=FUSED)
def _local(row, i, frame):
    """Columns i and i + 1 in the axes of a frame."""
    first = row[i] * frame[0, 0] + row[i + 1] * frame[1, 0]
    row[i + 1] = row[i] * frame[0, 1] + row[i + 1] * frame[1, 1]
    row[i] = first


@kernel
def _turn(rows, frame):
    """Two equations in the axes of a frame."""
    for i in range(rows.shape[1]):
        first = frame[0, 0] * rows[0, i] + frame[1, 0] * rows[1, i]
        rows[1, i] = frame[0, 1] * rows[0, i] + frame[1, 1] * rows[1, i]
        rows[0, i] = first
