"""Where the path of a point first touches a shape that is thickened by a radius: exact tests for paths p + t D.

All start outside and return (t, normal (3)); t = 2 where the path touches nothing before its end at t = 1.
Sources: Ericson, Real-Time Collision Detection, 2005, sections 5.3 and 5.5. *Limitations*: straight paths in the frame
of the shape.
"""
from __future__ import annotations

import math

from framework.kernel import kernel
from systems.kernels.closest import CLOSED as IS_CLOSED
from systems.kernels.closest import FIRST_BOX, FIRST_SLOT, LEAF_SIZE, LEAVES, triangle_of
from systems.kernels.particle_blocks import EXACT

NOWHERE = 2.0
EDGE_ROOM = 1e-9  # barycentric: between two triangles there is no gap to slip through


@kernel(fastmath=EXACT)
def sweep_ball(px, py, pz, dx, dy, dz, radius):
    """A ball about the origin."""
    outside = px * px + py * py + pz * pz - radius * radius
    along = px * dx + py * dy + pz * dz
    if along < 0.0 and outside >= 0.0:
        inner = along * along - (dx * dx + dy * dy + dz * dz) * outside
        if inner > 0.0:
            t = outside / (math.sqrt(inner) - along)
            if t <= 1.0:
                x, y, z = px + t * dx, py + t * dy, pz + t * dz
                scale = 1.0 / math.sqrt(x * x + y * y + z * z)
                return t, scale * x, scale * y, scale * z
    return NOWHERE, 0.0, 1.0, 0.0


@kernel(fastmath=EXACT)
def sweep_rod(px, py, pz, dx, dy, dz, ux, uy, uz, radius):
    """A capsule of this radius about the segment from the origin to u."""
    t, nx, ny, nz = sweep_ball(px, py, pz, dx, dy, dz, radius)
    other, ox, oy, oz = sweep_ball(px - ux, py - uy, pz - uz, dx, dy, dz, radius)
    if other < t:
        t, nx, ny, nz = other, ox, oy, oz
    square = ux * ux + uy * uy + uz * uz
    if square > 0.0:
        ps, ds = (px * ux + py * uy + pz * uz) / square, (dx * ux + dy * uy + dz * uz) / square
        ax, ay, az = px - ps * ux, py - ps * uy, pz - ps * uz
        bx, by, bz = dx - ds * ux, dy - ds * uy, dz - ds * uz
        side, ox, oy, oz = sweep_ball(ax, ay, az, bx, by, bz, radius)
        at = ps + side * ds
        if side < t and at >= 0.0 and at <= 1.0:
            t, nx, ny, nz = side, ox, oy, oz
    return t, nx, ny, nz


@kernel(fastmath=EXACT)
def enter_slabs(px, py, pz, dx, dy, dz, hx, hy, hz):
    """(t, axis): where a path enters the box |x| <= h; NOWHERE when it misses; t < 0 when it starts inside."""
    enter, leave, axis = -math.inf, math.inf, 0
    for i in range(3):
        p, d, half = (px, dx, hx) if i == 0 else ((py, dy, hy) if i == 1 else (pz, dz, hz))
        if d == 0.0:
            if abs(p) > half:
                return NOWHERE, 0
        else:
            size = half / abs(d)
            middle = -p / d
            if middle - size > enter:
                enter, axis = middle - size, i
            leave = min(leave, middle + size)
    return (enter, axis) if enter <= leave and leave >= 0.0 and enter <= 1.0 else (NOWHERE, 0)


@kernel(fastmath=EXACT)
def sweep_box(px, py, pz, dx, dy, dz, hx, hy, hz, radius):
    """A box of half sizes h, rounded by a radius."""
    t, axis = enter_slabs(px, py, pz, dx, dy, dz, hx + radius, hy + radius, hz + radius)
    if t > 1.0:
        return NOWHERE, 0.0, 1.0, 0.0
    if t >= 0.0:
        x, y, z = abs(px + t * dx) - hx, abs(py + t * dy) - hy, abs(pz + t * dz) - hz
        beside = (axis != 0 and x > 0.0) or (axis != 1 and y > 0.0) or (axis != 2 and z > 0.0)
        if radius == 0.0 or not beside:
            nx = math.copysign(1.0, -dx) if axis == 0 else 0.0
            ny = math.copysign(1.0, -dy) if axis == 1 else 0.0
            nz = math.copysign(1.0, -dz) if axis == 2 else 0.0
            return t, nx, ny, nz
    t, nx, ny, nz = NOWHERE, 0.0, 1.0, 0.0
    if radius > 0.0:  # past the faces: one of the rounded edges, or none
        for edge in range(12):
            a, b = (1.0 if edge & 1 else -1.0), (1.0 if edge & 2 else -1.0)
            along = edge // 4
            cx = -hx if along == 0 else a * hx
            cy = -hy if along == 1 else (a * hy if along == 0 else b * hy)
            cz = -hz if along == 2 else b * hz
            ux, uy = (2.0 * hx if along == 0 else 0.0), (2.0 * hy if along == 1 else 0.0)
            uz = 2.0 * hz if along == 2 else 0.0
            other, ox, oy, oz = sweep_rod(px - cx, py - cy, pz - cz, dx, dy, dz, ux, uy, uz, radius)
            if other < t:
                t, nx, ny, nz = other, ox, oy, oz
    return t, nx, ny, nz


@kernel(fastmath=EXACT)
def sweep_triangle(px, py, pz, dx, dy, dz, corners, normals, slot, closed, radius, room):
    """The triangle of a slot, thickened by a radius; closed: only from its front.

    room [m]: depth behind the surface that counts as none.
    """
    c = triangle_of(corners, slot)
    nx, ny, nz = normals[slot, 0], normals[slot, 1], normals[slot, 2]
    start = (px - c[0]) * nx + (py - c[1]) * ny + (pz - c[2]) * nz
    if start < 0.0 and not closed:
        start, nx, ny, nz = -start, -nx, -ny, -nz
    into = dx * nx + dy * ny + dz * nz
    if start + into >= radius - room and radius == 0.0:
        return NOWHERE, 0.0, 1.0, 0.0
    if into < 0.0 and start >= radius - room and start + into < radius - room:
        t = max((start - radius) / -into, 0.0)
        x, y, z = px + t * dx - radius * nx, py + t * dy - radius * ny, pz + t * dz - radius * nz
        if over_triangle(x, y, z, c, nx, ny, nz):
            return t, nx, ny, nz
    t, ax, ay, az = NOWHERE, 0.0, 1.0, 0.0
    if radius > 0.0:
        for e in range(3):
            i, j = 3 * e, 3 * ((e + 1) % 3)
            ux, uy, uz = c[j] - c[i], c[j + 1] - c[i + 1], c[j + 2] - c[i + 2]
            other, ox, oy, oz = sweep_rod(px - c[i], py - c[i + 1], pz - c[i + 2], dx, dy, dz, ux, uy, uz, radius)
            if other < t and -(dx * ox + dy * oy + dz * oz) * (1.0 - other) > room:
                t, ax, ay, az = other, ox, oy, oz
    return t, ax, ay, az


@kernel(fastmath=EXACT)
def over_triangle(x, y, z, c, nx, ny, nz):
    """Whether a point of a triangle's plane lies on it, its edges and a hair's breadth beyond included.

    n is the normal to either side.
    """
    areas = (spanned(x, y, z, c, 0, 3, nx, ny, nz), spanned(x, y, z, c, 3, 6, nx, ny, nz),
             spanned(x, y, z, c, 6, 0, nx, ny, nz))  # fmt: skip
    total = areas[0] + areas[1] + areas[2]
    room = -EDGE_ROOM * abs(total)
    sign = math.copysign(1.0, total)
    return sign * areas[0] >= room and sign * areas[1] >= room and sign * areas[2] >= room


@kernel(fastmath=EXACT)
def spanned(x, y, z, c, i, j, nx, ny, nz):
    """Twice the signed area, seen along n, of the triangle of a point and the corners at i and j of c."""
    ux, uy, uz = c[i] - x, c[i + 1] - y, c[i + 2] - z
    wx, wy, wz = c[j] - x, c[j + 1] - y, c[j + 2] - z
    return (uy * wz - uz * wy) * nx + (uz * wx - ux * wz) * ny + (ux * wy - uy * wx) * nz


@kernel(fastmath=EXACT)
def crosses_box(px, py, pz, dx, dy, dz, boxes, i, radius, until):
    """Whether a path meets one of the boxes (b, 6), widened by a radius, before t = until."""
    x, y, z = 0.5 * (boxes[i, 0] + boxes[i, 3]), 0.5 * (boxes[i, 1] + boxes[i, 4]), 0.5 * (boxes[i, 2] + boxes[i, 5])
    hx, hy, hz = boxes[i, 3] - x + radius, boxes[i, 4] - y + radius, boxes[i, 5] - z + radius
    ax, ay, az = px + 0.5 * dx - x, py + 0.5 * dy - y, pz + 0.5 * dz - z  # boxes of the two must overlap
    if abs(ax) > hx + 0.5 * abs(dx) or abs(ay) > hy + 0.5 * abs(dy) or abs(az) > hz + 0.5 * abs(dz):
        return False
    if abs(dx) + abs(dy) + abs(dz) < hx + hy + hz:  # a short path: a closer look costs more than it saves
        return True
    t, _ = enter_slabs(px - x, py - y, pz - z, dx, dy, dz, hx, hy, hz)
    return t <= until


@kernel(fastmath=EXACT)
def sweep_mesh(px, py, pz, dx, dy, dz, m, tree, radius, room, stack):
    """The mesh m of `tree`, thickened by a radius. room [m]: depth that counts as none; stack: scratch."""
    rows, boxes, corners, normals = tree.rows, tree.boxes, tree.corners, tree.normals
    first, leaves, size, offset = rows[m, FIRST_BOX], rows[m, LEAVES], rows[m, LEAF_SIZE], rows[m, FIRST_SLOT]
    closed, slack = rows[m, IS_CLOSED] > 0, radius + 2.0 * room
    t, nx, ny, nz = NOWHERE, 0.0, 1.0, 0.0
    stack[0] = 1
    top = 1
    while top > 0:
        top -= 1
        node = stack[top]
        if node >= leaves:
            start = offset + (node - leaves) * size
            for slot in range(start, start + size):
                other, ox, oy, oz = sweep_triangle(
                    px, py, pz, dx, dy, dz, corners, normals, slot, closed, radius, room
                )
                if other < t:
                    t, nx, ny, nz = other, ox, oy, oz
        else:
            for child in (2 * node + 1, 2 * node):
                if crosses_box(px, py, pz, dx, dy, dz, boxes, first + child, slack, min(t, 1.0)):
                    stack[top] = child
                    top += 1
    return t, nx, ny, nz
