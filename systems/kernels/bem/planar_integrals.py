"""Integrals of Kelvin's solution over one element: near the source, and holding it.

Kelvin's solution for G = 1, n out of the material. U_ij, T_ij: response in direction j at x to a unit load in direction
i at y:

    U_ij = 1 / (8 pi (1 - nu)) [ -(3 - 4 nu) ln r d_ij + r,i r,j ]
    T_ij = -1 / (4 pi (1 - nu) r) { [ (1 - 2 nu) d_ij + 2 r,i r,j ] dr/dn - (1 - 2 nu) (r,i n_j - r,j n_i) }

On an element that holds y, T (N_k(xi) - N_k(xi0)) is regular, and (x - y) / (xi - xi0) is a polynomial, so nothing
cancels; the logarithm is split off and integrated by a rule of its own.
Each function adds to the equations' rows h on nodal displacements and g on tractions per element point; mx, my turn the
equation of a mirror image.
"""

from __future__ import annotations

import math

from framework.kernel import kernel
from systems.kernels.bem.planar_elements import FUSED, along, lagrange, point, slope
from systems.kernels.bem.quadrature import FEWEST, MOST

DEEPEST = 45  # halvings of an element towards a near point: its ends are then rounding apart


@kernel(fastmath=FUSED)
def kelvin(dx, dy, nx, ny, nu, log_shift):
    """(T00, T01, T10, T11, U00, U01, U11) at x - y = (dx, dy); the normal may carry a weight, then T does."""
    cu, ct = 0.125 / (math.pi * (1.0 - nu)), 0.25 / (math.pi * (1.0 - nu))
    inverse = 1.0 / (dx * dx + dy * dy)
    xx, xy, yy = dx * dx * inverse, dx * dy * inverse, dy * dy * inverse
    dn, turn = dx * nx + dy * ny, (1.0 - 2.0 * nu) * (dx * ny - dy * nx)
    c = -ct * inverse
    log = -(3.0 - 4.0 * nu) * (log_shift - 0.5 * math.log(inverse))
    return (
        c * (1.0 - 2.0 * nu + 2.0 * xx) * dn, c * (2.0 * xy * dn - turn), c * (2.0 * xy * dn + turn),
        c * (1.0 - 2.0 * nu + 2.0 * yy) * dn, cu * (log + xx), cu * xy, cu * (log + yy),
    )  # fmt: skip


@kernel(fastmath=FUSED)
def _add(e, c, v, length, nodes, t00, t01, t10, t11, u00, u01, u11, mx, my, hp, gp):
    """Add one Gauss point to the columns of corner c; a mirror image turns the equation's direction."""
    i, j = 2 * nodes[e, c], 2 * (nodes.shape[1] * e + c)
    hp[0, i] += mx * v * t00
    hp[0, i + 1] += mx * v * t01
    hp[1, i] += my * v * t10
    hp[1, i + 1] += my * v * t11
    w = v * length
    gp[0, j] += mx * w * u00
    gp[0, j + 1] += mx * w * u01
    gp[1, j] += my * w * u01
    gp[1, j + 1] += my * w * u11


@kernel(fastmath=FUSED)
def near(e, nodes, shape, offset, abscissae, weights, reach, yx, yy, nu, log_shift, mx, my, hp, gp):
    """An element near the source, halved until each piece is far enough for its rule."""
    s00 = s01 = s10 = s11 = 0.0
    k, order = nodes.shape[1], shape.shape[1]
    low = -1.0
    size = 1.0
    depth = 0
    while low < 1.0:
        # the longest piece that starts at `low`, is a dyadic interval, and is far enough
        x0, y0 = point(shape, e, low, order)
        x1, y1 = point(shape, e, low + 2.0 * size, order)
        half = 0.5 * math.sqrt((x1 - x0) ** 2 + (y1 - y0) ** 2)
        d0 = math.sqrt((x0 - yx) ** 2 + (y0 - yy) ** 2)
        d1 = math.sqrt((x1 - yx) ** 2 + (y1 - yy) ** 2)
        if (d0 + d1) < reach[MOST] * half and depth < DEEPEST:
            size *= 0.5
            depth += 1
            continue
        rule = FEWEST + 2
        while rule < MOST and (d0 + d1) < reach[rule] * half:
            rule += 1
        for a in range(offset[rule], offset[rule] + rule):
            xi = low + size * (abscissae[a] + 1.0)
            px, py = point(shape, e, xi, order)
            vx, vy = along(shape, e, xi, order)
            weight = size * weights[a]
            t00, t01, t10, t11, u00, u01, u11 = kelvin(px - yx, py - yy, weight * vy, -weight * vx, nu, log_shift)
            length = weight * math.sqrt(vx * vx + vy * vy)
            for c in range(k):
                _add(e, c, lagrange(c, xi, k), length, nodes, t00, t01, t10, t11, u00, u01, u11, mx, my, hp, gp)
            s00 += t00
            s01 += t01
            s10 += t10
            s11 += t11
        low += 2.0 * size
        while depth > 0 and (low + 1.0) / (2.0 * size) % 2.0 == 0.0:  # back to the parent interval where one ends
            size *= 2.0
            depth -= 1
    return s00, s01, s10, s11


@kernel(fastmath=FUSED)
def singular(e, xi0, nodes, shape, inner, inner_weights, log_weights, nu, log_shift, mx, my, hp, gp):
    """An element that holds the source at xi0, cut there; its part of u(y) is subtracted."""
    k, order = nodes.shape[1], shape.shape[1]
    log_part = -(3.0 - 4.0 * nu) * 0.125 / (math.pi * (1.0 - nu))
    for side in (-1.0, 1.0):
        reach = 1.0 + side * (-xi0)
        if reach <= 0.0:
            continue
        shift = log_shift + math.log(reach)
        for a in range(inner.shape[0]):
            xi = xi0 + side * reach * inner[a]
            # (x - y) / (xi - xi0), without cancellation
            px, py = shape[e, 1, 0], shape[e, 1, 1]
            if order == 3:
                px += shape[e, 2, 0] * (xi + xi0)
                py += shape[e, 2, 1] * (xi + xi0)
            vx, vy = along(shape, e, xi, order)
            weight = reach * inner_weights[a]
            t00, t01, t10, t11, u00, u01, u11 = kelvin(px, py, weight * vy, -weight * vx, nu, shift)
            speed = math.sqrt(vx * vx + vy * vy)
            log = log_part * reach * log_weights[a] / weight
            u00 += log
            u11 += log
            for c in range(k):
                i, j = 2 * nodes[e, c], 2 * (k * e + c)
                rise = slope(c, xi + xi0, k)
                hp[0, i] += mx * rise * t00
                hp[0, i + 1] += mx * rise * t01
                hp[1, i] += my * rise * t10
                hp[1, i + 1] += my * rise * t11
                w = lagrange(c, xi, k) * weight * speed
                gp[0, j] += mx * w * u00
                gp[0, j + 1] += mx * w * u01
                gp[1, j] += my * w * u01
                gp[1, j + 1] += my * w * u11
