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
from systems.kernels.bem.spatial_batch import ROWS, far_batch
from systems.kernels.bem.spatial_elements import BATCH, norm3
from systems.kernels.bem.spatial_integrals import at_source, near, singular
from systems.kernels.bem.spatial_rules import DEEPEST
from systems.kernels.bem.terms import FUSED, gather, turn

CHEAP, DEAR = 4, 7  # how many rules count as cheap, and how many whole batches are integrated by: a batch takes the
# largest that one of its elements needs, once among the cheap and once among the dear; nearer elements go one by one


@kernel(fastmath=FUSED)
def assemble(
    points, nodes, count, element, kind, centre, radius, least, offset, gauss, values, start, places, weights, reach, line,
    line_weights, radial, digits, sources, source_node, source_element, source_place, local, mirrors, nu, infinite,
    rows, turned, terms, a, b, right,
):  # fmt: skip
    """The system a x = right + b known of the unknowns, straight from the integrals.

    sources (s, 3); each is node source_node (s,), or where that is -1 the point source_place (s, 2) of source_element.
    local (2, 8, 2): local coordinates of the points of triangles and quadrilaterals. mirrors (q, 3): signs of the
    coordinates of the images, (1, 1, 1) first. rows (s, 3): row of each equation, -1 to leave it out; turned (s,): node
    in whose axes they are, -1 for global ones. b: influences of the known values, or no columns.
    """
    n, m = points.shape[0], nodes.shape[0]
    h, g = np.empty((3, 3 * n)), np.empty((3, 24 * m))
    point, total, wanted = np.zeros(4 * ROWS), np.empty((8, ROWS)), np.empty((2, BATCH))
    stack, piece, out, kern = np.empty((4 * DEEPEST + 4, 7)), np.empty(7), np.empty(9), np.empty(15)
    shape, dx, dy, n0 = np.empty(8), np.empty(8), np.empty(8), np.empty(8)
    corners, tangent, y, sums = np.empty((4, 3)), np.empty(9), np.empty(3), np.empty((3, 3))
    for p in range(sources.shape[0]):
        h[:, :] = 0.0
        g[:, :] = 0.0
        sums[:, :] = 0.0
        for q in range(mirrors.shape[0]):
            signs = mirrors[q]
            for j in range(3):
                y[j] = signs[j] * sources[p, j]
            on_plane = y[0] == sources[p, 0] and y[1] == sources[p, 1] and y[2] == sources[p, 2]
            for batch in range(element.shape[0]):
                k = kind[batch]
                s = 0 if k == 3 or k == 6 else 1
                cheap, dear = -1, -1
                for i in range(BATCH):
                    e, wanted[0, i], wanted[1, i] = element[batch, i], 0.0, 0.0
                    if e < 0:
                        continue
                    if on_plane:
                        c = _corner(e, k, nodes, source_node[p], source_element[p])
                        if c >= 0:
                            x0, y0 = local[s, c, 0], local[s, c, 1]
                            if source_node[p] < 0:
                                x0, y0 = source_place[p, 0], source_place[p, 1]
                            singular(
                                e, k, x0, y0, nodes, points, line, line_weights, radial, digits, nu, signs, shape, dx,
                                dy, out, kern, n0, tangent, h, g,
                            )  # fmt: skip
                            continue
                    ratio = (
                        norm3(centre[batch, 0, i] - y[0], centre[batch, 1, i] - y[1], centre[batch, 2, i] - y[2])
                        / radius[batch, i]
                    )
                    rule = least[batch, i]
                    while rule < DEAR and ratio < reach[s, rule]:
                        rule += 1
                    if rule < CHEAP:
                        wanted[0, i], cheap = 1.0, max(cheap, rule)
                    elif rule < DEAR:
                        wanted[1, i], dear = 1.0, max(dear, rule)
                    else:
                        near(
                            e, k, nodes, points, start, places, weights, reach, y, nu, signs, stack, piece, shape, dx,
                            dy, out, corners, kern, sums, h, g,
                        )  # fmt: skip
                order = 1 if k == 6 or k == 8 else 0
                for part in range(2):
                    rule = cheap if part == 0 else dear
                    if rule >= 0:
                        far_batch(
                            k, element[batch], start[s, rule], start[s, rule + 1],
                            gauss[offset[batch] : offset[batch] + start[s, -1]], values[s, order], nodes, wanted[part],
                            y[0], y[1], y[2], nu, signs, point, total, sums, h, g,
                        )  # fmt: skip
        if infinite:
            for j in range(3):
                sums[j, j] -= 1.0
        _subtract(source_node[p], source_element[p], source_place[p], nodes, count, sums, shape, dx, dy, h)
        if turned[p] >= 0:
            turn(h, terms.frames[turned[p]])
            turn(g, terms.frames[turned[p]])
        for axis in range(3):
            if rows[p, axis] >= 0:
                influences = b[rows[p, axis]] if b.shape[1] > 0 else b.reshape(-1)
                right[rows[p, axis]] += gather(h[axis], g[axis], terms, a[rows[p, axis]], influences)


@kernel
def _corner(e, k, nodes, node, element):
    """Which point of element e the source is; 0 where it lies inside it; -1 elsewhere."""
    if node < 0:
        return 0 if element == e else -1
    for c in range(k):
        if nodes[e, c] == node:
            return c
    return -1


@kernel(fastmath=FUSED)
def _subtract(node, element, place, nodes, count, sums, shape, dx, dy, h):
    """Take off what the elements that do not hold the source give for its own displacement."""
    if node >= 0:
        for i in range(3):
            for j in range(3):
                h[i, 3 * node + j] -= sums[i, j]
        return
    k = count[element]
    at_source(k, place[0], place[1], shape, dx, dy)
    for c in range(k):
        for i in range(3):
            for j in range(3):
                h[i, 3 * nodes[element, c] + j] -= shape[c] * sums[i, j]
