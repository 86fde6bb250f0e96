"""Colliders of any shape and motion: the distance of a point, and where the path of a particle meets one.

Each row of a table (k, COLUMNS) holds a collider in its own frame, which is only turned and moved (scale is in the
shape), at the start and end of a step:

    0 kind; 1-3 origin and 4-12 rotation at the start; 13-15 and 16-24 the same at the end
    25-27 half sizes of a box, unit normal of a plane, (half length, 0, 0) of a capsule along y
    28 radius, thickness included [m]      29 friction      30 restitution      31 approach speed above which it bounces
    32 size of the coordinates [m], for rounding      33 number of the mesh      34-36 velocity of the surface [m/s]
    37-39 angular velocity [rad/s]      40-42 velocity of the origin at the end [m/s]
    43-45 half sizes of a box about the origin that holds the shape, thickness included [m]
"""
from __future__ import annotations

import math

from framework.kernel import kernel
from systems.kernels.closest import from_grid, mesh_distance, triangle_of
from systems.kernels.crossing import GRAZING
from systems.kernels.particle_blocks import EXACT
from systems.kernels.sweep import NOWHERE, over_triangle, sweep_box, sweep_mesh, sweep_rod

SPHERE, PLANE, BOX, CAPSULE, MESH = 0, 1, 2, 3, 4
KIND, START, TURN, END, END_TURN, SIZE, RADIUS, FRICTION = 0, 1, 4, 13, 16, 25, 28, 29
RESTITUTION, BOUNCE, EXTENT, MESH_ROW, BELT, SPIN, SPEED, BOUND, COLUMNS = 30, 31, 32, 33, 34, 37, 40, 43, 46
ROUNDING = 4e-15  # a gap below this part of the size of the coordinates is none
FREE, BURIED, TOUCHES, INSIDE = 0, 1, 2, 3
NEAR = -2.0  # see `recall`
MEMO = 6  # numbers that are kept of the start of a path


@kernel(fastmath=EXACT, forceinline=True)
def to_own(s, at, turn, x, y, z):
    """Coordinates in the collider's frame, whose origin and rotation begin at those columns of s."""
    x, y, z = x - s[at], y - s[at + 1], z - s[at + 2]
    return (s[turn] * x + s[turn + 3] * y + s[turn + 6] * z,
            s[turn + 1] * x + s[turn + 4] * y + s[turn + 7] * z,
            s[turn + 2] * x + s[turn + 5] * y + s[turn + 8] * z)  # fmt: skip


@kernel(fastmath=EXACT, forceinline=True)
def turned(s, turn, x, y, z):
    """A vector of the collider's frame in the world."""
    return (s[turn] * x + s[turn + 1] * y + s[turn + 2] * z,
            s[turn + 3] * x + s[turn + 4] * y + s[turn + 5] * z,
            s[turn + 6] * x + s[turn + 7] * y + s[turn + 8] * z)  # fmt: skip


@kernel(fastmath=EXACT)
def from_ball(x, y, z):
    """(distance, direction (3)) from the origin; up at the origin itself: any way out is right."""
    distance = math.sqrt(x * x + y * y + z * z)
    if distance == 0.0:
        return 0.0, 0.0, 1.0, 0.0
    inverse = 1.0 / distance
    return distance, x * inverse, y * inverse, z * inverse


@kernel(fastmath=EXACT)
def box_distance(hx, hy, hz, x, y, z):
    """(distance, normal (3)) of a box of half sizes h."""
    ax, ay, az = abs(x) - hx, abs(y) - hy, abs(z) - hz
    if (ax > 0.0) + (ay > 0.0) + (az > 0.0) >= 2:
        ox, oy, oz = max(ax, 0.0), max(ay, 0.0), max(az, 0.0)
        distance, nx, ny, nz = from_ball(ox, oy, oz)
        return distance, math.copysign(nx, x), math.copysign(ny, y), math.copysign(nz, z)
    if ay >= ax and ay >= az:
        return ay, 0.0, math.copysign(1.0, y), 0.0
    if ax >= az:
        return ax, math.copysign(1.0, x), 0.0, 0.0
    return az, 0.0, 0.0, math.copysign(1.0, z)


@kernel(fastmath=EXACT)
def shape_distance(s, x, y, z, limit, seed, tree, stack, depths):
    """(gap [m], normal (3), slot) of a point in the collider's frame; gaps beyond `limit` may come out too small.

    seed: a slot of the mesh to begin with, or -1. A slot of -1 says that the gap is a lower bound, without a normal.
    """
    kind, radius = s[KIND], s[RADIUS]
    slot = 0
    if kind == MESH:
        gap, nx, ny, nz, slot, _ = distance_within(s, x, y, z, limit, seed, tree, stack, depths)
        return gap, nx, ny, nz, slot
    if kind == BOX:
        gap, nx, ny, nz = box_distance(s[SIZE], s[SIZE + 1], s[SIZE + 2], x, y, z)
    elif kind == PLANE:
        nx, ny, nz = s[SIZE], s[SIZE + 1], s[SIZE + 2]
        gap = x * nx + y * ny + z * nz
    else:
        half = s[SIZE] if kind == CAPSULE else 0.0
        gap, nx, ny, nz = from_ball(x, y - min(max(y, -half), half), z)
    return gap - radius, nx, ny, nz, slot


@kernel(fastmath=EXACT, forceinline=True)
def distance_within(s, x, y, z, limit, seed, tree, stack, depths):
    """As shape_distance, for a mesh: (gap, normal (3), slot, feature)."""
    m, radius = int(s[MESH_ROW]), s[RADIUS]
    least, near = from_grid(x, y, z, m, tree)
    if least - radius > limit:
        return least - radius, 0.0, 0.0, 0.0, -1, 0
    gap, nx, ny, nz, slot, feature = mesh_distance(x, y, z, m, tree, seed if seed >= 0 else near, stack, depths)
    return gap - radius, nx, ny, nz, slot, feature


@kernel(fastmath=EXACT)
def sweep_shape(s, x, y, z, dx, dy, dz, gap, room, tree, stack):
    """(t, normal (3)): where the path from a point at this gap, outside, first touches."""
    kind, radius = s[KIND], s[RADIUS]
    if kind == MESH:
        return sweep_mesh(x, y, z, dx, dy, dz, int(s[MESH_ROW]), tree, radius, room, stack)
    if kind == BOX:
        return sweep_box(x, y, z, dx, dy, dz, s[SIZE], s[SIZE + 1], s[SIZE + 2], radius)
    if kind == PLANE:
        nx, ny, nz = s[SIZE], s[SIZE + 1], s[SIZE + 2]
        into = dx * nx + dy * ny + dz * nz
        return (gap / -into if into < -gap else NOWHERE), nx, ny, nz
    half = s[SIZE] if kind == CAPSULE else 0.0
    return sweep_rod(x, y + half, z, dx, dy, dz, 0.0, 2.0 * half, 0.0, radius)


@kernel(fastmath=EXACT, forceinline=True)
def recall(s, a, length, tree, stack, depths, memo):
    """The gap at the start of a path to a mesh: (gap, normal (3), slot, feature), kept in memo (MEMO,) for later.

    memo[0]: the slot; -1 while nothing is kept; NEAR - slot where it is known that a search is due, from that slot on.
    """
    if memo[0] < 0.0:
        if memo[0] <= NEAR:
            m = int(s[MESH_ROW])
            gap, nx, ny, nz, slot, feature = mesh_distance(
                a[0], a[1], a[2], m, tree, int(NEAR - memo[0]), stack, depths
            )
            gap -= s[RADIUS]
        else:
            gap, nx, ny, nz, slot, feature = distance_within(s, a[0], a[1], a[2], length, -1, tree, stack, depths)
        memo[0], memo[1], memo[2], memo[3], memo[4], memo[5] = slot, feature, gap, nx, ny, nz
    return memo[2], memo[3], memo[4], memo[5], int(memo[0]), int(memo[1])


@kernel(fastmath=EXACT, forceinline=True)
def stays_over(b, slot, nx, ny, nz, tree):
    """Whether the end b (3,) of a path lies over the inside of the face that it started at."""
    return over_triangle(b[0], b[1], b[2], triangle_of(tree.corners, slot), nx, ny, nz)


@kernel(fastmath=EXACT)
def meet(s, a, b, room, tree, stack, depths, memo):
    """How a path from a to b (3,), in the collider's frame, meets it: (how, t, normal (3), gap, end gap, end normal).

    FREE: not at all. TOUCHES: at t, with the normal there, and it goes on into or through the shape. BURIED: its start
    is inside, by `gap`, along the normal. INSIDE: it ends inside and nothing says where it came in; the normal is that
    at the end. `gap` is that of the start. room [m]: depth that counts as none. memo (MEMO,): see `recall`.
    Most particles on a mesh are done after one search: with a path too short to reach it, or over the face they are at.
    """
    dx, dy, dz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    length = math.sqrt(dx * dx + dy * dy + dz * dz)
    if s[KIND] == MESH:
        gap, nx, ny, nz, slot, feature = recall(s, a, length, tree, stack, depths, memo)
        if not gap <= length:
            return FREE, NOWHERE, 0.0, 0.0, 0.0, gap, gap - length, 0.0, 0.0, 0.0
        into = dx * nx + dy * ny + dz * nz
        along = into < -room or (into <= room and s[RADIUS] == 0.0)
        if abs(gap) <= room and feature == 0 and along and stays_over(b, slot, nx, ny, nz, tree):
            how, t = (TOUCHES, 0.0) if into < -room else (FREE, NOWHERE)
            return how, t, nx, ny, nz, 0.0, into, nx, ny, nz
        if abs(gap) <= room:
            gap = 0.0
        if gap > 0.0 or (gap == 0.0 and into >= 0.0):  # what is met nowhere has not been entered
            t, nx, ny, nz = sweep_shape(s, a[0], a[1], a[2], dx, dy, dz, gap, room, tree, stack)
            if t > 1.0:
                return FREE, NOWHERE, 0.0, 0.0, 0.0, gap, 0.0, 0.0, 0.0, 0.0
        else:
            t = 0.0
        end, ex, ey, ez, _ = shape_distance(s, b[0], b[1], b[2], length, slot, tree, stack, depths)
        if gap < 0.0:
            return BURIED, 0.0, nx, ny, nz, gap, end, ex, ey, ez
    else:
        end, ex, ey, ez, _ = shape_distance(s, b[0], b[1], b[2], length, -1, tree, stack, depths)
        if not end <= length:
            return FREE, NOWHERE, ex, ey, ez, end, end, ex, ey, ez
        gap, nx, ny, nz, _ = shape_distance(s, a[0], a[1], a[2], math.inf, -1, tree, stack, depths)
        if abs(gap) <= room:
            gap = 0.0
        if gap < 0.0:
            return BURIED, 0.0, nx, ny, nz, gap, end, ex, ey, ez
        if gap + max(end, 0.0) > length:
            return FREE, NOWHERE, nx, ny, nz, gap, end, ex, ey, ez
        t = NOWHERE
        if gap == 0.0:
            t = 0.0 if dx * nx + dy * ny + dz * nz < 0.0 else NOWHERE
        else:
            t, nx, ny, nz = sweep_shape(s, a[0], a[1], a[2], dx, dy, dz, gap, room, tree, stack)
    into = dx * nx + dy * ny + dz * nz
    if t <= 1.0 and -into * (1.0 - t) > room and (end < -room or nx * ex + ny * ey + nz * ez < GRAZING):
        return TOUCHES, t, nx, ny, nz, gap, end, ex, ey, ez
    if end < -room:
        return INSIDE, gap / (gap - end), ex, ey, ez, gap, end, ex, ey, ez
    return FREE, NOWHERE, nx, ny, nz, gap, end, ex, ey, ez
