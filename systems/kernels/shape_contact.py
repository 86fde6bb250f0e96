"""Contact of particles with colliders of any shape that may move and turn, after an explicit step.

The rule is that of contact.py, seen from the collider: in its frame the particle went from x0 by D to x1, along a
straight path. It touches where that path first meets the shape, at the share t of the way and with the normal n there:

    at rest:   D.n becomes t D.n,  v.n becomes max(v.n, 0)
    bouncing:  as in contact.py, with the impact at t D.n

and the tangential parts shrink by Coulomb's law, relative to the surface where the particle ends. Of several colliders
the one that is met first acts; that is repeated with the new end until the path from x0 is free, at most SWEEPS times,
after which the particle stays where it last touched. A path that was free is never left: nothing passes through.

Particles are handled one by one, in CHUNKS chunks by as many threads; no result depends on the threads.
*Limitations*: particles only, not the edges and faces between them; a path is straight in the frame of a collider that
turns; where two colliders close on a particle it is left inside one of them.
"""
from __future__ import annotations

import math

import numba
import numpy as np

from framework.kernel import kernel
from systems.kernels.closest import DEEPEST, from_grid
from systems.kernels.contact import after_bounce, kept
from systems.kernels.particle_blocks import EXACT
from systems.kernels.shapes import (
    BELT,
    BOUNCE,
    BOUND,
    BURIED,
    CAPSULE,
    END,
    END_TURN,
    EXTENT,
    FRICTION,
    INSIDE,
    KIND,
    MEMO,
    MESH,
    MESH_ROW,
    NEAR,
    RADIUS,
    RESTITUTION,
    ROUNDING,
    SIZE,
    SPEED,
    SPHERE,
    SPIN,
    START,
    TOUCHES,
    TURN,
    meet,
    to_own,
    turned,
)

SWEEPS = 8
CHUNKS = 16
FEW = 1024  # particles that one thread handles as fast as several


@kernel(fastmath=EXACT, forceinline=True)
def rounding(s, x):
    """Gap [m] that is nothing but rounding, for a particle at x (3,)."""
    origin = abs(s[START]) + abs(s[START + 1]) + abs(s[START + 2])
    return ROUNDING * (abs(x[0]) + abs(x[1]) + abs(x[2]) + origin + s[EXTENT])


@kernel(fastmath=EXACT)
def surface_velocity(s, x, y, z):
    """World velocity (3) of the collider's material that is at a point of its own frame at the end of the step."""
    rx, ry, rz = turned(s, END_TURN, x, y, z)
    wx, wy, wz = s[SPIN], s[SPIN + 1], s[SPIN + 2]
    return (s[SPEED] + wy * rz - wz * ry, s[SPEED + 1] + wz * rx - wx * rz, s[SPEED + 2] + wx * ry - wy * rx)


@kernel(fastmath=EXACT)
def on_surface(s, x, y, z):
    """A point beside a sphere or capsule, moved onto it."""
    half = s[SIZE] if s[KIND] == CAPSULE else 0.0
    middle = min(max(y, -half), half)
    scale = s[RADIUS] / math.sqrt(x * x + (y - middle) * (y - middle) + z * z)
    return scale * x, middle + scale * (y - middle), scale * z


@kernel(fastmath=EXACT)
def belt_along(s, nx, ny, nz):
    """The surface's own velocity (3) in the collider's frame, without what points out of the surface."""
    wx, wy, wz = s[BELT], s[BELT + 1], s[BELT + 2]
    out = wx * nx + wy * ny + wz * nz
    return wx - out * nx, wy - out * ny, wz - out * nz


@kernel(fastmath=EXACT)
def respond_shape(s, h, t, nx, ny, nz, x0, x1, v1):
    """Give a particle that touches at t, with normal n in the collider's frame, its end and velocity (3,)."""
    ax, ay, az = to_own(s, START, TURN, x0[0], x0[1], x0[2])
    bx, by, bz = to_own(s, END, END_TURN, x1[0], x1[1], x1[2])
    dx, dy, dz = bx - ax, by - ay, bz - az
    wx, wy, wz = belt_along(s, nx, ny, nz)
    ux, uy, uz = surface_velocity(s, bx, by, bz)
    vx, vy, vz = to_frame(s, v1[0] - ux, v1[1] - uy, v1[2] - uz)
    d, v = dx * nx + dy * ny + dz * nz, vx * nx + vy * ny + vz * nz
    touching = t * min(d, 0.0)
    d = min(d, touching)
    bounces = s[RESTITUTION] > 0.0 and -v > s[BOUNCE]
    d_new, v_new = touching, max(v, 0.0)
    if bounces:
        d_new, v_new = after_bounce(d, v, touching, h, s[RESTITUTION])
    tx, ty, tz = dx - d * nx - h * wx, dy - d * ny - h * wy, dz - d * nz - h * wz
    keep = kept(s[FRICTION] * (d_new - d), tx * tx + ty * ty + tz * tz)
    ex, ey, ez = keep * tx + d_new * nx + h * wx, keep * ty + d_new * ny + h * wy, keep * tz + d_new * nz + h * wz
    moves = keep > 0.0 or wx != 0.0 or wy != 0.0 or wz != 0.0
    if moves and not bounces and (s[KIND] == SPHERE or s[KIND] == CAPSULE):
        ox, oy, oz = on_surface(s, ax + ex, ay + ey, az + ez)
        ex, ey, ez = ox - ax, oy - ay, oz - az
    ux, uy, uz = surface_velocity(s, ax + ex, ay + ey, az + ez)
    vx, vy, vz = to_frame(s, v1[0] - ux, v1[1] - uy, v1[2] - uz)
    impulse = v_new - v
    v = vx * nx + vy * ny + vz * nz
    v_new = v_new if bounces else max(v, 0.0)
    impulse = max(impulse, v_new - v)
    tx, ty, tz = vx - v * nx - wx, vy - v * ny - wy, vz - v * nz - wz
    keep = kept(s[FRICTION] * impulse, tx * tx + ty * ty + tz * tz)
    vx, vy, vz = keep * tx + v_new * nx + wx, keep * ty + v_new * ny + wy, keep * tz + v_new * nz + wz
    px, py, pz = turned(s, END_TURN, vx, vy, vz)
    v1[0], v1[1], v1[2] = ux + px, uy + py, uz + pz
    place(s, ax, ay, az, ex, ey, ez, x0, x1)


@kernel(fastmath=EXACT)
def to_frame(s, x, y, z):
    """A vector of the world in the collider's frame at the end of the step."""
    k = END_TURN
    return (s[k] * x + s[k + 3] * y + s[k + 6] * z, s[k + 1] * x + s[k + 4] * y + s[k + 7] * z,
            s[k + 2] * x + s[k + 5] * y + s[k + 8] * z)  # fmt: skip


@kernel(fastmath=EXACT)
def place(s, ax, ay, az, ex, ey, ez, x0, x1):
    """x1 = x0, carried along by the collider, and e more in its frame: x0 to the bit where neither moves."""
    px, py, pz = turned(s, END_TURN, ex, ey, ez)
    for i in range(3):
        k = 3 * i
        carried = (s[END_TURN + k] - s[TURN + k]) * ax + (s[END_TURN + k + 1] - s[TURN + k + 1]) * ay
        carried += (s[END_TURN + k + 2] - s[TURN + k + 2]) * az
        x1[i] = x0[i] + (carried + (s[END + i] - s[START + i])) + (px if i == 0 else (py if i == 1 else pz))


@kernel(fastmath=EXACT, forceinline=True)
def path_in_frame(s, x0, x1, a, b):
    """Put the start and end of a path into the collider's frame, a and b (3,); whether it comes near the shape."""
    a[0], a[1], a[2] = to_own(s, START, TURN, x0[0], x0[1], x0[2])
    b[0], b[1], b[2] = to_own(s, END, END_TURN, x1[0], x1[1], x1[2])
    x, y, z = abs(b[0] - a[0]), abs(b[1] - a[1]), abs(b[2] - a[2])  # boxes of path and shape do not overlap
    return not (abs(a[0] + b[0]) - x > 2.0 * s[BOUND] or abs(a[1] + b[1]) - y > 2.0 * s[BOUND + 1]
                or abs(a[2] + b[2]) - z > 2.0 * s[BOUND + 2])  # fmt: skip


@kernel(fastmath=EXACT, forceinline=True)
def is_far(s, a, b, tree, memo):
    """Whether the grid of a mesh tells that a path from a to b (3,) does not reach it: `meet` would cost more.

    Keeps in memo (MEMO,) where a search from a may begin.
    """
    dx, dy, dz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    least, near = from_grid(a[0], a[1], a[2], int(s[MESH_ROW]), tree)
    memo[0] = NEAR - near
    gap = least - s[RADIUS]
    return gap > 0.0 and gap * gap > dx * dx + dy * dy + dz * dz


@kernel(fastmath=EXACT, forceinline=True)
def resolve_particle(x0, x1, v1, h, shapes, tree, stack, depths, a, b, memo):
    """Contact of one particle: x0, x1, v1 (3,), of which x0 is scratch; returns whether it touches."""
    touches, alone = False, len(shapes) == 1 and shapes[0, KIND] != MESH
    for k in range(len(shapes)):
        memo[k, 0] = -1.0
    for sweep in range(SWEEPS):
        who, first, nx, ny, nz = -1, 2.0, 0.0, 0.0, 0.0
        buried, deep = False, 0.0
        for k in range(len(shapes)):
            s = shapes[k]
            if not path_in_frame(s, x0, x1, a, b) or (
                s[KIND] == MESH and memo[k, 0] < 0.0 and is_far(s, a, b, tree, memo[k])
            ):
                continue
            how, t, mx, my, mz, gap, end, _, _, _ = meet(s, a, b, rounding(s, x1), tree, stack, depths, memo[k])
            if how == BURIED and end < 0.0:
                who, first, nx, ny, nz, deep, buried = k, 0.0, mx, my, mz, -gap, True
                break
            if how in (TOUCHES, INSIDE) and t < first:
                who, first, nx, ny, nz = k, t, mx, my, mz
        if who < 0:
            return touches
        touches = True
        s = shapes[who]
        if buried:  # the path moves out as a whole
            for k in range(len(shapes)):
                memo[k, 0] = -1.0
            ox, oy, oz = turned(s, TURN, deep * nx, deep * ny, deep * nz)
            x0[0], x0[1], x0[2] = x0[0] + ox, x0[1] + oy, x0[2] + oz
            ox, oy, oz = turned(s, END_TURN, deep * nx, deep * ny, deep * nz)
            x1[0], x1[1], x1[2] = x1[0] + ox, x1[1] + oy, x1[2] + oz
        path_in_frame(s, x0, x1, a, b)
        dx, dy, dz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
        if buried and dx * nx + dy * ny + dz * nz >= 0.0:
            continue
        if sweep == SWEEPS - 1:  # it goes no further than to where it touches
            place(s, a[0], a[1], a[2], first * dx, first * dy, first * dz, x0, x1)
            return True
        respond_shape(s, h, first, nx, ny, nz, x0, x1, v1)
        if alone:
            return True
    return touches


@kernel(fastmath=EXACT)
def resolve_some(start, stop, x0, x1, v1, inverse_mass, h, shapes, tree):
    """Contact of the particles from `start` to `stop`; returns how many touch."""
    stack, depths = np.empty(DEEPEST, np.int64), np.empty(DEEPEST)
    x, y, v, a, b = np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    memo = np.empty((len(shapes), MEMO))
    count = 0
    for i in range(start, stop):
        if inverse_mass[i] > 0.0:
            x[0], x[1], x[2] = x0[i, 0], x0[i, 1], x0[i, 2]
            y[0], y[1], y[2] = x1[i, 0], x1[i, 1], x1[i, 2]
            v[0], v[1], v[2] = v1[i, 0], v1[i, 1], v1[i, 2]
            if resolve_particle(x, y, v, h, shapes, tree, stack, depths, a, b, memo):
                count += 1
                x1[i, 0], x1[i, 1], x1[i, 2] = y[0], y[1], y[2]
                v1[i, 0], v1[i, 1], v1[i, 2] = v[0], v[1], v[2]
    return count


@kernel(fastmath=EXACT, parallel=True)
def resolve_chunks(x0, x1, v1, inverse_mass, h, shapes, tree, counts):
    for chunk in numba.prange(CHUNKS):
        start, stop = chunk * len(x1) // CHUNKS, (chunk + 1) * len(x1) // CHUNKS
        counts[chunk] = resolve_some(start, stop, x0, x1, v1, inverse_mass, h, shapes, tree)


def resolve_shapes(x0, x1, v1, inverse_mass, h, shapes, tree):
    """Correct the ends x1 [m] and v1 [m/s] (n, 3) of a step of h [s] from x0 for contact; returns how many touch.

    inverse_mass (n,): particles where it is 0 are held by something else and pass. shapes (k, COLUMNS), tree: Meshes.
    """
    if len(x1) < FEW:
        return resolve_some(0, len(x1), x0, x1, v1, inverse_mass, h, shapes, tree)
    counts = np.zeros(CHUNKS, np.int64)
    resolve_chunks(x0, x1, v1, inverse_mass, h, shapes, tree, counts)
    return int(counts.sum())
