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

    at rest:   D.n becomes -g,                          v.n becomes max(v.n, 0)
    bouncing:  D.n becomes -g - e w s + a s^2 / 2,      v.n becomes -e w + a s

where a = 2 (v.n - D.n / h) / h is the acceleration that the integrator's D and v tell of (none for symplectic Euler,
whose D is h v), w the velocity at the impact, w^2 = (v.n)^2 - 2 a (D.n + g), and s the time that is left after it. With
uniform gravity and e = 1 a bounce keeps the energy to rounding in integrators of second order and higher.

Displacement and velocity each keep their own Coulomb cone: the tangential part shrinks by at most the friction
coefficient times the change of the normal part, and at most to zero: then the particle sticks exactly. With a
second-order displacement an incline gives a = g (sin - mu cos) to rounding, and no creep below the friction angle.
(Impulse form of Coulomb friction: Bridson, Fedkiw & Anderson 2002, doi:10.1145/566654.566623.)

A particle that moves far may also cross a whole sphere in one step: crossing.py finds where.

Limitations: one friction coefficient (static and kinetic alike); colliders do not turn (shape_contact.py has those that
do, and other shapes); where several are hit at once they are resolved in turn, in a few sweeps; a particle that slides
on a sphere faster than gravity holds it may leave in hops of the order of h^2.
"""
from __future__ import annotations

import math

import numpy as np

from framework.kernel import kernel
from systems.kernels.crossing import count_far, far_squared, meet_on_path
from systems.kernels.particle_blocks import BLOCK, EXACT, ROWS, SCRATCH, put_back, store_block

ROUNDING = 2e-15  # a gap below this part of the size of the coordinates is none
SWEEPS = 4


@kernel(fastmath=EXACT)
def is_inside(c, reach, rx, ry, rz):
    """Whether a point at r from the centre or point of the collider c (16,) is nearer than its thickness."""
    if c[0] == 0.0:
        return rx * rx + ry * ry + rz * rz < reach * reach
    return rx * c[4] + ry * c[5] + rz * c[6] < reach


@kernel(fastmath=EXACT)
def count_inside(b, size, c, h):
    """Number of free particles of the block b that end inside the collider c (16,)."""
    cx, cy, cz, reach = c[1] + h * c[8], c[2] + h * c[9], c[3] + h * c[10], c[7] + c[13]
    count = 0
    for i in range(size):
        inside = is_inside(c, reach, b[i + 3 * BLOCK] - cx, b[i + 4 * BLOCK] - cy, b[i + 5 * BLOCK] - cz)
        count += inside & (b[i + 9 * BLOCK] > 0.0)
    return count


@kernel(fastmath=EXACT)
def mark_inside(b, size, c, h):
    """Mark the particles that `count_inside` counts."""
    cx, cy, cz, reach = c[1] + h * c[8], c[2] + h * c[9], c[3] + h * c[10], c[7] + c[13]
    for i in range(size):
        inside = is_inside(c, reach, b[i + 3 * BLOCK] - cx, b[i + 4 * BLOCK] - cy, b[i + 5 * BLOCK] - cz)
        b[i + 14 * BLOCK] = inside & (b[i + 9 * BLOCK] > 0.0)


@kernel(fastmath=EXACT)
def pick_inside(b, size, c, h, t):
    """Copy the particles that `count_inside` counts to the block t, marked."""
    cx, cy, cz, reach = c[1] + h * c[8], c[2] + h * c[9], c[3] + h * c[10], c[7] + c[13]
    k = 0
    for i in range(size):
        inside = is_inside(c, reach, b[i + 3 * BLOCK] - cx, b[i + 4 * BLOCK] - cy, b[i + 5 * BLOCK] - cz)
        if inside & (b[i + 9 * BLOCK] > 0.0):
            for row in range(10):
                t[k + row * BLOCK] = b[i + row * BLOCK]
            t[k + 14 * BLOCK] = 1.0
            t[k + 15 * BLOCK] = i
            k += 1


@kernel(fastmath=EXACT)
def gaps_and_normals(b, size, c):
    """Gap and normal at the start of the step; returns how many particles began inside."""
    cx, cy, cz, px, py, pz, reach = c[1], c[2], c[3], c[4], c[5], c[6], c[7] + c[13]
    extent = abs(cx) + abs(cy) + abs(cz) + reach
    buried = 0
    for i in range(size):
        rx, ry, rz = b[i] - cx, b[i + BLOCK] - cy, b[i + 2 * BLOCK] - cz
        if c[0] == 0.0:
            distance = math.sqrt(rx * rx + ry * ry + rz * rz)
            centred = distance == 0.0  # any way out is right
            inverse = 0.0 if centred else 1.0 / distance
            nx, ny, nz = rx * inverse, 1.0 if centred else ry * inverse, rz * inverse
        else:
            distance = rx * px + ry * py + rz * pz
            nx, ny, nz = px, py, pz
        gap = distance - reach
        rounding = ROUNDING * (abs(b[i]) + abs(b[i + BLOCK]) + abs(b[i + 2 * BLOCK]) + extent)
        b[i + 10 * BLOCK], b[i + 11 * BLOCK], b[i + 12 * BLOCK] = nx, ny, nz
        b[i + 13 * BLOCK] = 0.0 if abs(gap) < rounding else gap
        buried += (gap <= -rounding) & (b[i + 14 * BLOCK] > 0.0)
    return buried


@kernel(fastmath=EXACT)
def unbury(b, size, c, h):
    """Move the paths that began inside out as a whole; unmark those that then end outside."""
    reach = c[7] + c[13]
    for i in range(size):
        if b[i + 14 * BLOCK] > 0.0 and b[i + 13 * BLOCK] < 0.0:
            for axis in range(3):
                out = b[i + 13 * BLOCK] * b[i + (10 + axis) * BLOCK]
                b[i + axis * BLOCK] -= out
                b[i + (3 + axis) * BLOCK] -= out
            b[i + 13 * BLOCK] = 0.0
            rx = b[i + 3 * BLOCK] - c[1] - h * c[8]
            ry = b[i + 4 * BLOCK] - c[2] - h * c[9]
            rz = b[i + 5 * BLOCK] - c[3] - h * c[10]
            b[i + 14 * BLOCK] = is_inside(c, reach, rx, ry, rz)


@kernel(fastmath=EXACT)
def kept(limit, square):
    """Factor by which friction of the size `limit` shrinks a tangential vector of the squared length `square`."""
    return 0.0 if square <= limit * limit else 1.0 - limit / math.sqrt(square)


@kernel(fastmath=EXACT)
def after_bounce(d, v, touching, h, restitution):
    """(displacement, velocity) along the normal at the end, for `d` and `v` without contact; it touches at `touching`.

    The rule above; v < 0.
    """
    acceleration = 2.0 * (v - d / h) / h
    square = v * v - 2.0 * acceleration * (d - touching)
    impact = -math.sqrt(max(square, 0.0))
    left = min(2.0 * (d - touching) / (v + impact), h)
    end = touching - restitution * impact * left + 0.5 * acceleration * left * left
    return max(end, touching), acceleration * left - restitution * impact


@kernel(fastmath=EXACT)
def respond(b, size, c, h):
    """Give the marked particles the end and velocity of the rule above; returns how many slide on."""
    ux, uy, uz, friction, restitution, bounce = c[8], c[9], c[10], c[11], c[12], c[14]
    sx, sy, sz = h * ux, h * uy, h * uz
    sliding = 0
    for i in range(size):
        nx, ny, nz, gap = b[i + 10 * BLOCK], b[i + 11 * BLOCK], b[i + 12 * BLOCK], b[i + 13 * BLOCK]
        marked = b[i + 14 * BLOCK] > 0.0
        x0, y0, z0 = b[i], b[i + BLOCK], b[i + 2 * BLOCK]
        x1, y1, z1 = b[i + 3 * BLOCK], b[i + 4 * BLOCK], b[i + 5 * BLOCK]
        dx, dy, dz = x1 - sx - x0, y1 - sy - y0, z1 - sz - z0
        vx, vy, vz = b[i + 6 * BLOCK] - ux, b[i + 7 * BLOCK] - uy, b[i + 8 * BLOCK] - uz
        d = min(dx * nx + dy * ny + dz * nz, -gap)
        v = vx * nx + vy * ny + vz * nz
        bounces = restitution > 0.0 and -v > bounce
        d_new, v_new = -gap, max(v, 0.0)
        if restitution > 0.0:
            d_bounce, v_bounce = after_bounce(d, v, -gap, h, restitution)
            d_new = d_bounce if bounces else d_new
            v_new = v_bounce if bounces else v_new

        dx, dy, dz = dx - d * nx, dy - d * ny, dz - d * nz
        vx, vy, vz = vx - v * nx, vy - v * ny, vz - v * nz
        d_keep = kept(friction * (d_new - d), dx * dx + dy * dy + dz * dz)
        v_keep = kept(friction * (v_new - v), vx * vx + vy * vy + vz * vz)
        b[i + 3 * BLOCK] = x0 + (d_keep * dx + d_new * nx) + sx if marked else x1
        b[i + 4 * BLOCK] = y0 + (d_keep * dy + d_new * ny) + sy if marked else y1
        b[i + 5 * BLOCK] = z0 + (d_keep * dz + d_new * nz) + sz if marked else z1
        b[i + 6 * BLOCK] = v_keep * vx + v_new * nx + ux if marked else b[i + 6 * BLOCK]
        b[i + 7 * BLOCK] = v_keep * vy + v_new * ny + uy if marked else b[i + 7 * BLOCK]
        b[i + 8 * BLOCK] = v_keep * vz + v_new * nz + uz if marked else b[i + 8 * BLOCK]
        slides = marked and d_keep > 0.0 and not bounces
        b[i + 14 * BLOCK] = slides
        sliding += slides
    return sliding


@kernel(fastmath=EXACT)
def back_to_sphere(b, size, c, h):
    """Bring the marked particles from the tangent plane back to the sphere."""
    cx, cy, cz, reach = c[1] + h * c[8], c[2] + h * c[9], c[3] + h * c[10], c[7] + c[13]
    for i in range(size):
        rx, ry, rz = b[i + 3 * BLOCK] - cx, b[i + 4 * BLOCK] - cy, b[i + 5 * BLOCK] - cz
        scale = reach / math.sqrt(rx * rx + ry * ry + rz * rz)
        marked = b[i + 14 * BLOCK] > 0.0
        b[i + 3 * BLOCK] = cx + scale * rx if marked else b[i + 3 * BLOCK]
        b[i + 4 * BLOCK] = cy + scale * ry if marked else b[i + 4 * BLOCK]
        b[i + 5 * BLOCK] = cz + scale * rz if marked else b[i + 5 * BLOCK]


@kernel(fastmath=EXACT)
def resolve_block(b, size, colliders, h, far):
    """Contact of a block of particles with all colliders; returns the number of contacts. b: (SCRATCH,).

    far: whether one of the particles may move so far in the step that it could cross a sphere.
    """
    contacts = 0
    t = b[ROWS * BLOCK :]
    for sweep in range(SWEEPS if len(colliders) > 1 else 1):
        found = 0
        for k in range(len(colliders)):
            c = colliders[k]
            inside = count_inside(b, size, c, h)
            crosses = far and c[0] == 0.0
            if crosses:
                mark_inside(b, size, c, h)
                inside += meet_on_path(b, size, c, h, True)
            if inside > 0:
                found += inside
                few = 4 * inside < size and not crosses  # then it pays to handle them on their own
                if few:
                    pick_inside(b, size, c, h, t)
                elif not crosses:
                    mark_inside(b, size, c, h)
                hit, count = (t, inside) if few else (b, size)
                if gaps_and_normals(hit, count, c) > 0:
                    unbury(hit, count, c, h)
                if crosses:
                    meet_on_path(hit, count, c, h, False)
                if respond(hit, count, c, h) > 0 and c[0] == 0.0:
                    back_to_sphere(hit, count, c, h)
                if few:
                    put_back(t, inside, b)
        if sweep == 0:
            contacts = found
        if found == 0:
            break
    return contacts


@kernel(fastmath=EXACT)
def contact_resolve(x0, x1, v1, inverse_mass, h, colliders):
    """Correct the ends x1 [m] and v1 [m/s] (n, 3) of a step of h [s] from x0 for contact; returns how many touch.

    inverse_mass (n,): particles where it is 0 are held by something else and pass. colliders (k, 16).
    """
    if len(colliders) == 0:
        return 0
    start_flat, x_flat, v_flat = x0.reshape(-1), x1.reshape(-1), v1.reshape(-1)
    b = np.empty(SCRATCH)
    count, limit = 0, far_squared(colliders, h)
    for start in range(0, len(x1), BLOCK):
        stop = min(start + BLOCK, len(x1))
        size = stop - start
        ss, xs, vs = start_flat[3 * start : 3 * stop], x_flat[3 * start : 3 * stop], v_flat[3 * start : 3 * stop]
        ws = inverse_mass[start:stop]
        for i in range(size):
            b[i], b[i + BLOCK], b[i + 2 * BLOCK] = ss[3 * i], ss[3 * i + 1], ss[3 * i + 2]
            b[i + 3 * BLOCK], b[i + 4 * BLOCK], b[i + 5 * BLOCK] = xs[3 * i], xs[3 * i + 1], xs[3 * i + 2]
            b[i + 6 * BLOCK], b[i + 7 * BLOCK], b[i + 8 * BLOCK] = vs[3 * i], vs[3 * i + 1], vs[3 * i + 2]
            b[i + 9 * BLOCK] = ws[i]
        touching = resolve_block(b, size, colliders, h, count_far(b, size, limit) > 0)
        if touching > 0:
            store_block(b, size, xs, vs)
        count += touching
    return count
