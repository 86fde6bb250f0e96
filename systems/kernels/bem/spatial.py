"""Rows of the boundary integral equation of elastostatics in space, and the system of the unknowns made from them.

    integral T(x, y) (u(x) - u(y)) dS + [u(y) in an infinite region] = integral U(x, y) t(x) dS

Subtracting u(y) is the rigid-body motion that gives the free term and the strongly singular diagonal. Lengths are over
a length and tractions over G.
Source: C. A. Brebbia, J. Dominguez, Boundary Elements: An Introductory Course, 1992, chapters 3 and 4.

*Limitations*: a point that is nearer to an element than about 1e-9 of its size, not on it, costs many pieces.
"""

from __future__ import annotations

import numpy as np

from framework.kernel import kernel
from systems.kernels.bem.spatial_batch import far_batch, one_element
from systems.kernels.bem.spatial_elements import BATCH, CHEAP, norm3, shape_values
from systems.kernels.bem.spatial_integrals import near, singular
from systems.kernels.bem.terms import FUSED, gather, turn


@kernel(fastmath=FUSED)
def assemble(
    points, nodes, count, batches, start, places, weights, reach, line, line_weights, radial, digits, sources,
    source_node, source_element, source_place, local, mirrors, nu, infinite, loaded, rows, turned, terms, work, a, b,
    right,
):  # fmt: skip
    """The system a x = right + b known of the unknowns, straight from the integrals.

    sources (s, 3); each is node source_node (s,), or where that is -1 the point source_place (s, 2) of source_element.
    local (2, 8, 2): local coordinates of the points of triangles and quadrilaterals. mirrors (q, 3): signs of the
    coordinates of the images, (1, 1, 1) first. loaded (m,): whether the tractions of an element enter the equations,
    with influences always. rows (s, 3): row of each equation, -1 to leave it out; turned (s,): node in whose axes they
    are, -1 for global ones. b: influences of the known values, or no columns.
    """
    y, h, g, sums = np.empty(3), work.h, work.g, work.sums
    for p in range(sources.shape[0]):
        h[:, :] = 0.0
        sums[:, :] = 0.0
        for q in range(mirrors.shape[0]):
            for j in range(3):
                y[j] = mirrors[q, j] * sources[p, j]
            on_plane = y[0] == sources[p, 0] and y[1] == sources[p, 1] and y[2] == sources[p, 2]
            for batch in range(batches.element.shape[0]):
                _integrate_batch(
                    batch, points, nodes, batches, start, places, weights, reach, line, line_weights, radial, digits,
                    y, source_node[p] if on_plane else -2, source_element[p], source_place[p], local, mirrors[q],
                    q == 0, nu, loaded, work,
                )  # fmt: skip
        if infinite:
            for j in range(3):
                sums[j, j] -= 1.0
        _subtract(source_node[p], source_element[p], source_place[p], nodes, count, work)
        if turned[p] >= 0:
            turn(h, terms.frames[turned[p]])
            turn(g, terms.frames[turned[p]])
        for axis in range(3):
            if rows[p, axis] >= 0:
                influences = b[rows[p, axis]] if b.shape[1] > 0 else b.reshape(-1)
                gather(h[axis], g[axis], terms, a[rows[p, axis]], right[rows[p, axis]], influences)


@kernel(fastmath=FUSED)
def _integrate_batch(
    batch, points, nodes, batches, start, places, weights, reach, line, line_weights, radial, digits, y, source_node,
    source_element, source_place, local, signs, fresh, nu, loaded, work,
):  # fmt: skip
    """A batch takes the largest of the cheap rules that one of its elements needs; nearer elements go one by one.

    source_node: -2 when y is no point of this image.
    """
    k, wanted = batches.count[batch], work.wanted
    s, order = 0 if k == 3 or k == 6 else 1, 1 if k == 6 or k == 8 else 0
    cheap, some = -1, False
    for i in range(BATCH):
        e, wanted[i] = batches.element[batch, i], 0.0
        if e < 0:
            continue
        c = _corner(e, k, nodes, source_node, source_element)
        if c >= 0:
            x0, y0 = local[s, c, 0], local[s, c, 1]
            if source_node < 0:
                x0, y0 = source_place[0], source_place[1]
            singular(e, k, x0, y0, nodes, points, line, line_weights, radial, digits, nu, signs, fresh, loaded[e], work)
            continue
        dx, dy = batches.centre[batch, 0, i] - y[0], batches.centre[batch, 1, i] - y[1]
        ratio = norm3(dx, dy, batches.centre[batch, 2, i] - y[2]) / batches.radius[batch, i]
        rule = batches.least[batch, i]
        while rule < reach.shape[1] and ratio < reach[s, rule]:
            rule += 1
        if rule < CHEAP:
            wanted[i], cheap = 1.0, max(cheap, rule)
            some = some or loaded[e]
        elif rule < reach.shape[1]:
            one_element(
                e, k, batches.solo_start[s, rule], batches.solo_start[s, rule + 1], batches.solo[e],
                batches.solo_values[s, order], nodes, y, nu, signs, fresh, loaded[e], work,
            )  # fmt: skip
        else:
            near(e, k, nodes, points, start, places, weights, reach, y, nu, signs, fresh, loaded[e], work)
    first = batches.offset[batch]
    if cheap >= 0:
        far_batch(
            k, batches.element[batch], start[s, cheap], start[s, cheap + 1],
            batches.gauss[first : first + start[s, -1]], batches.values[s, order], nodes, wanted, y, nu, signs, fresh,
            some, work,
        )  # fmt: skip


@kernel
def _corner(e, k, nodes, node, element):
    """Which point of element e the source is; 0 where it lies inside it; -1 elsewhere."""
    if node < 0:
        return 0 if node == -1 and element == e else -1
    for c in range(k):
        if nodes[e, c] == node:
            return c
    return -1


@kernel(fastmath=FUSED)
def _subtract(node, element, place, nodes, count, work):
    """Take off what the elements that do not hold the source give for its own displacement."""
    h, sums = work.h, work.sums
    if node >= 0:
        for i in range(3):
            for j in range(3):
                h[i, 3 * node + j] -= sums[i, j]
        return
    shape_values(count[element], place[0], place[1], work.shape, work.dx, work.dy)
    for c in range(count[element]):
        for i in range(3):
            for j in range(3):
                h[i, 3 * nodes[element, c] + j] -= work.shape[c] * sums[i, j]
