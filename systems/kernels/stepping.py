"""Explicit time steps of particles: symplectic Euler with contact, and parts of velocity Verlet and Runge-Kutta 4.

x [m], v [m/s], f [N] are (n, 3) C-contiguous; inverse_mass (n,) [1/kg] is 0 where a particle is held. Contact is that
of contact.py.

Limitations: conditionally stable: symplectic Euler and Verlet need h < 2 / omega, Runge-Kutta 4 h < 2.8 / omega, for
the fastest oscillation omega of the system; damping lowers the first two.
"""
from __future__ import annotations

import numpy as np

from framework.kernel import kernel
from systems.kernels.contact import resolve_block
from systems.kernels.crossing import far_squared
from systems.kernels.particle_blocks import BLOCK, SCRATCH, store_block

FAST = {"contract", "nsz"}


@kernel(fastmath=FAST)
def gravity_fill(mass, acceleration, f):
    """f = m g: start the sum of forces with a uniform acceleration (3,) [m/s^2]."""
    fs = f.reshape(-1)
    gx, gy, gz = acceleration[0], acceleration[1], acceleration[2]
    for i in range(len(mass)):
        fs[3 * i], fs[3 * i + 1], fs[3 * i + 2] = mass[i] * gx, mass[i] * gy, mass[i] * gz


@kernel(fastmath=FAST)
def gravity_add(mass, acceleration, f):
    """f += m g."""
    fs = f.reshape(-1)
    gx, gy, gz = acceleration[0], acceleration[1], acceleration[2]
    for i in range(len(mass)):
        fs[3 * i] += mass[i] * gx
        fs[3 * i + 1] += mass[i] * gy
        fs[3 * i + 2] += mass[i] * gz


@kernel(fastmath=FAST)
def symplectic_step(x, v, f, inverse_mass, h, colliders):
    """v += h f / m, then x += h v, then contact with `colliders` (k, 16); returns the number of touching particles."""
    x_flat, v_flat, f_flat = x.reshape(-1), v.reshape(-1), f.reshape(-1)
    b = np.empty(SCRATCH)
    count, limit = 0, far_squared(colliders, h) / (h * h)
    for start in range(0, len(x), BLOCK):
        stop = min(start + BLOCK, len(x))
        size = stop - start
        xs, vs, fs = x_flat[3 * start : 3 * stop], v_flat[3 * start : 3 * stop], f_flat[3 * start : 3 * stop]
        ws = inverse_mass[start:stop]
        for i in range(size):
            kick = h * ws[i]
            b[i], b[i + BLOCK], b[i + 2 * BLOCK] = xs[3 * i], xs[3 * i + 1], xs[3 * i + 2]
            b[i + 6 * BLOCK] = vs[3 * i] + kick * fs[3 * i]
            b[i + 7 * BLOCK] = vs[3 * i + 1] + kick * fs[3 * i + 1]
            b[i + 8 * BLOCK] = vs[3 * i + 2] + kick * fs[3 * i + 2]
            b[i + 9 * BLOCK] = ws[i]
        far = 0
        for i in range(size):
            vx, vy, vz = b[i + 6 * BLOCK], b[i + 7 * BLOCK], b[i + 8 * BLOCK]
            b[i + 3 * BLOCK] = b[i] + h * vx
            b[i + 4 * BLOCK] = b[i + BLOCK] + h * vy
            b[i + 5 * BLOCK] = b[i + 2 * BLOCK] + h * vz
            far += vx * vx + vy * vy + vz * vz > limit
        count += resolve_block(b, size, colliders, h, far > 0)
        store_block(b, size, xs, vs)
    return count


@kernel(fastmath=FAST)
def kick(v, f, inverse_mass, h):
    """v += h f / m."""
    vs, fs = v.reshape(-1), f.reshape(-1)
    for i in range(len(inverse_mass)):
        scale = h * inverse_mass[i]
        vs[3 * i] += scale * fs[3 * i]
        vs[3 * i + 1] += scale * fs[3 * i + 1]
        vs[3 * i + 2] += scale * fs[3 * i + 2]


@kernel(fastmath=FAST)
def drift(x, v, h):
    """x += h v."""
    xs, vs = x.reshape(-1), v.reshape(-1)
    for i in range(len(xs)):
        xs[i] += h * vs[i]


@kernel(fastmath=FAST)
def runge_kutta_stage(x0, v0, f, inverse_mass, weight, ahead, x, v, sum_x, sum_v):
    """Add a stage's rates, times `weight` [s], to the sums; put x, v at the next stage: x0 + ahead v, v0 + ahead f / m.

    On entry x, v, f are those of this stage. `ahead` [s] is the next stage's distance from the start of the step.
    """
    xs, vs, fs, sx, sv = x.reshape(-1), v.reshape(-1), f.reshape(-1), sum_x.reshape(-1), sum_v.reshape(-1)
    xb, vb = x0.reshape(-1), v0.reshape(-1)
    for i in range(len(inverse_mass)):
        for j in range(3 * i, 3 * i + 3):
            rate = inverse_mass[i] * fs[j]
            sx[j] += weight * vs[j]
            sv[j] += weight * rate
            xs[j] = xb[j] + ahead * vs[j]
            vs[j] = vb[j] + ahead * rate


@kernel
def runge_kutta_end(x0, v0, sum_x, sum_v, x, v):
    """x = x0 + sum_x, v = v0 + sum_v."""
    for i in range(len(x)):
        for j in range(3):
            x[i, j] = x0[i, j] + sum_x[i, j]
            v[i, j] = v0[i, j] + sum_v[i, j]
