"""Sums over the particles of a body."""
from __future__ import annotations

import math

from framework.kernel import kernel


@kernel
def body_totals(x, v, m, momentum, angular):
    """(kinetic energy [J], largest speed [m/s]) of a body; momentum (3,) and angular momentum (3,) about the origin.

    Sums run in particle order. x [m], v [m/s]: (n, 3); m [kg]: (n,).
    """
    kinetic = fastest = 0.0
    px = py = pz = lx = ly = lz = 0.0
    for i in range(len(m)):
        square = v[i, 0] * v[i, 0] + v[i, 1] * v[i, 1] + v[i, 2] * v[i, 2]
        kinetic += 0.5 * m[i] * square
        fastest = max(fastest, square)
        qx, qy, qz = m[i] * v[i, 0], m[i] * v[i, 1], m[i] * v[i, 2]
        px += qx
        py += qy
        pz += qz
        lx += x[i, 1] * qz - x[i, 2] * qy
        ly += x[i, 2] * qx - x[i, 0] * qz
        lz += x[i, 0] * qy - x[i, 1] * qx
    momentum[0], momentum[1], momentum[2] = px, py, pz
    angular[0], angular[1], angular[2] = lx, ly, lz
    return kinetic, math.sqrt(fastest)


@kernel(fastmath={"contract", "reassoc", "nsz"})
def first_moment(x, m, out):
    """out (3,) = the sum of m x [kg m]; the order of the sum is that of vector registers."""
    xs = x.reshape(-1)
    a = b = c = 0.0
    for i in range(len(m)):
        a += m[i] * xs[3 * i]
        b += m[i] * xs[3 * i + 1]
        c += m[i] * xs[3 * i + 2]
    out[0], out[1], out[2] = a, b, c
