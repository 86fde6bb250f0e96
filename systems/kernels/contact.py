"""Contact of particles with moving spheres and planes: restitution and Coulomb friction, after an explicit step.

Each row of a collider table (k, 16) holds, for the start of the step,

    0      kind: 0 sphere (particles stay outside), 1 plane (particles stay on the normal's side)
    1-3    centre or point [m]           4-6   unit normal of a plane
    7      radius [m]                    8-10  velocity [m/s]
    11     friction coefficient          12    restitution
    13     thickness [m]: gap at which particles touch
    14     approach speed above which particles bounce [m/s]; slower ones come to rest       15    unused

A particle is looked at in the collider's frame. It went from x0, at gap g, by D to x1 and arrives with velocity v.
If x1 is inside, it touches, and with n the normal at x0,

    at rest:   D.n becomes -g,                v.n becomes max(v.n, 0)
    bouncing:  D.n becomes -g - e (D.n + g),  v.n becomes -e v.n        (the impact falls inside the step)

Displacement and velocity each keep their own Coulomb cone: the tangential part shrinks by at most the friction
coefficient times the change of the normal part, and at most to zero: then the particle sticks exactly. With a
second-order displacement an incline gives a = g (sin - mu cos) to rounding, and no creep below the friction angle.
(Impulse form of Coulomb friction: Bridson, Fedkiw & Anderson 2002, doi:10.1145/566654.566623.)

Limitations: one friction coefficient (static and kinetic alike); no path test, so that a particle that crosses a whole
sphere in one step misses it; colliders do not turn; where several are hit at once they are resolved in turn, in a few
sweeps; a particle that slides on a sphere faster than gravity holds it may leave in hops of the order of h^2.
"""
from __future__ import annotations

import math

import numpy as np

from framework.kernel import kernel

EXACT = {"contract", "nsz"}
BLOCK = 64  # particles handled together in vector registers
ROWS = 11  # rows of a block: x0 y0 z0 x1 y1 z1 vx vy vz inverse-mass touched
ROUNDING = 2e-15  # a gap below this part of the size of the coordinates is none
SWEEPS = 4


@kernel(fastmath=EXACT)
def hits(b, size, c, h):
    """Number of free particles of the block b whose end lies inside the collider c (16,)."""
    cx, cy, cz, reach = c[1] + h * c[8], c[2] + h * c[9], c[3] + h * c[10], c[7] + c[13]
    count = 0
    if c[0] == 0.0:
        for i in range(size):
            rx, ry, rz = b[i + 3 * BLOCK] - cx, b[i + 4 * BLOCK] - cy, b[i + 5 * BLOCK] - cz
            count += (rx * rx + ry * ry + rz * rz < reach * reach) & (b[i + 9 * BLOCK] > 0.0)
    else:
        for i in range(size):
            rx, ry, rz = b[i + 3 * BLOCK] - cx, b[i + 4 * BLOCK] - cy, b[i + 5 * BLOCK] - cz
            count += (rx * c[4] + ry * c[5] + rz * c[6] < c[13]) & (b[i + 9 * BLOCK] > 0.0)
    return count


@kernel(fastmath=EXACT)
def kept(limit, square):
    """Factor by which friction of the size `limit` shrinks a tangential vector of the squared length `square`."""
    return 0.0 if square <= limit * limit else 1.0 - limit / math.sqrt(square)


@kernel(fastmath=EXACT)
def resolve_one(b, size, c, h):
    """Correct the ends and velocities of the particles of the block b that end inside the collider c (16,)."""
    sphere = c[0] == 0.0
    cx, cy, cz, px, py, pz = c[1], c[2], c[3], c[4], c[5], c[6]
    ux, uy, uz, friction, restitution, bounce = c[8], c[9], c[10], c[11], c[12], c[14]
    reach = c[13] + (c[7] if sphere else 0.0)
    extent = abs(cx) + abs(cy) + abs(cz) + reach
    for i in range(size):
        # Frame and normal at the start; r runs from the centre or point to x0.
        x0, y0, z0 = b[i], b[i + BLOCK], b[i + 2 * BLOCK]
        rx, ry, rz = x0 - cx, y0 - cy, z0 - cz
        dx, dy, dz = b[i + 3 * BLOCK] - h * ux - x0, b[i + 4 * BLOCK] - h * uy - y0, b[i + 5 * BLOCK] - h * uz - z0
        vx, vy, vz = b[i + 6 * BLOCK] - ux, b[i + 7 * BLOCK] - uy, b[i + 8 * BLOCK] - uz
        nx, ny, nz = px, py, pz
        gap = rx * px + ry * py + rz * pz - reach
        if sphere:
            distance = math.sqrt(rx * rx + ry * ry + rz * rz)
            gap = distance - reach
            inverse = 1.0 / distance
            nx, ny, nz = rx * inverse, ry * inverse, rz * inverse
            if distance == 0.0:  # at the centre any way out is right
                nx, ny, nz = 0.0, 1.0, 0.0
        rounding = ROUNDING * (abs(x0) + abs(y0) + abs(z0) + extent)

        # A path that began inside is first moved out as a whole.
        out = -gap if gap < -rounding else 0.0
        gap = 0.0 if gap < rounding else gap
        x0, y0, z0 = x0 + out * nx, y0 + out * ny, z0 + out * nz
        ex, ey, ez = x0 + dx - cx, y0 + dy - cy, z0 + dz - cz
        inside = ex * ex + ey * ey + ez * ez < reach * reach if sphere else ex * nx + ey * ny + ez * nz < reach

        d_n = min(dx * nx + dy * ny + dz * nz, -gap)
        v_n = vx * nx + vy * ny + vz * nz
        bounces = restitution > 0.0 and -v_n > bounce
        new_d_n = -gap - restitution * (d_n + gap) if bounces else -gap
        new_v_n = -restitution * v_n if bounces else max(v_n, 0.0)

        tx, ty, tz = dx - d_n * nx, dy - d_n * ny, dz - d_n * nz
        keep_d = kept(friction * (new_d_n - d_n), tx * tx + ty * ty + tz * tz)
        ax = x0 + (keep_d * tx + new_d_n * nx)
        ay = y0 + (keep_d * ty + new_d_n * ny)
        az = z0 + (keep_d * tz + new_d_n * nz)
        if sphere and not bounces and keep_d > 0.0:  # from the tangent plane back to the sphere
            ex, ey, ez = ax - cx, ay - cy, az - cz
            scale = reach / math.sqrt(ex * ex + ey * ey + ez * ez)
            ax, ay, az = cx + scale * ex, cy + scale * ey, cz + scale * ez

        tx, ty, tz = vx - v_n * nx, vy - v_n * ny, vz - v_n * nz
        keep_v = kept(friction * (new_v_n - v_n), tx * tx + ty * ty + tz * tz)
        wx, wy, wz = keep_v * tx + new_v_n * nx, keep_v * ty + new_v_n * ny, keep_v * tz + new_v_n * nz

        ex, ey, ez = b[i + 3 * BLOCK] - h * ux - cx, b[i + 4 * BLOCK] - h * uy - cy, b[i + 5 * BLOCK] - h * uz - cz
        touches = ex * ex + ey * ey + ez * ez < reach * reach if sphere else ex * nx + ey * ny + ez * nz < reach
        touches = touches and b[i + 9 * BLOCK] > 0.0
        hit = touches and inside
        b[i + 3 * BLOCK] = (ax if hit else x0 + dx) + h * ux if touches else b[i + 3 * BLOCK]
        b[i + 4 * BLOCK] = (ay if hit else y0 + dy) + h * uy if touches else b[i + 4 * BLOCK]
        b[i + 5 * BLOCK] = (az if hit else z0 + dz) + h * uz if touches else b[i + 5 * BLOCK]
        b[i + 6 * BLOCK] = wx + ux if hit else b[i + 6 * BLOCK]
        b[i + 7 * BLOCK] = wy + uy if hit else b[i + 7 * BLOCK]
        b[i + 8 * BLOCK] = wz + uz if hit else b[i + 8 * BLOCK]
        b[i + 10 * BLOCK] = 1.0 if touches else b[i + 10 * BLOCK]


@kernel(fastmath=EXACT)
def resolve_block(b, size, colliders, h):
    """Contact of a block of particles (ROWS * BLOCK,) with all colliders; returns how many touch one."""
    any_hit = False
    for _ in range(SWEEPS if len(colliders) > 1 else 1):
        again = False
        for k in range(len(colliders)):
            if hits(b, size, colliders[k], h) > 0:
                if not any_hit:
                    b[10 * BLOCK : 11 * BLOCK] = 0.0
                any_hit = again = True
                resolve_one(b, size, colliders[k], h)
        if not again:
            break
    count = 0
    if any_hit:
        for i in range(size):
            count += b[i + 10 * BLOCK] > 0.0
    return count


@kernel(fastmath=EXACT)
def store_block(b, size, xs, vs):
    """Write the ends and velocities of a block back to flat arrays (3 size,)."""
    for i in range(size):
        xs[3 * i], xs[3 * i + 1], xs[3 * i + 2] = b[i + 3 * BLOCK], b[i + 4 * BLOCK], b[i + 5 * BLOCK]
        vs[3 * i], vs[3 * i + 1], vs[3 * i + 2] = b[i + 6 * BLOCK], b[i + 7 * BLOCK], b[i + 8 * BLOCK]


@kernel(fastmath=EXACT)
def contact_resolve(x0, x1, v1, inverse_mass, h, colliders):
    """Correct the ends x1 [m] and v1 [m/s] (n, 3) of a step of h [s] from x0 for contact; returns how many touch.

    inverse_mass (n,): particles where it is 0 are held by something else and pass. colliders (k, 16).
    """
    if len(colliders) == 0:
        return 0
    b = np.empty(ROWS * BLOCK)
    count = 0
    for start in range(0, len(x1), BLOCK):
        size = min(BLOCK, len(x1) - start)
        xs, vs = x1[start : start + size].reshape(-1), v1[start : start + size].reshape(-1)
        ss, ws = x0[start : start + size].reshape(-1), inverse_mass[start : start + size]
        for i in range(size):
            b[i], b[i + BLOCK], b[i + 2 * BLOCK] = ss[3 * i], ss[3 * i + 1], ss[3 * i + 2]
            b[i + 3 * BLOCK], b[i + 4 * BLOCK], b[i + 5 * BLOCK] = xs[3 * i], xs[3 * i + 1], xs[3 * i + 2]
            b[i + 6 * BLOCK], b[i + 7 * BLOCK], b[i + 8 * BLOCK] = vs[3 * i], vs[3 * i + 1], vs[3 * i + 2]
            b[i + 9 * BLOCK] = ws[i]
        touching = resolve_block(b, size, colliders, h)
        if touching > 0:
            store_block(b, size, xs, vs)
        count += touching
    return count
