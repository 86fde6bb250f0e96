"""Particles that move so far in one step that they may cross a whole sphere: where their path enters it.

In blocks with a particle that moves by more than FAR radii, paths are tested: one that enters the sphere touches where
it does, with the normal there, unless it leaves within acos(GRAZING) = 26 degrees of where it came in (2.5 % of the
radius deep at most). A plane needs no such test: who crosses it ends behind it.
"""
from __future__ import annotations

import math

from framework.kernel import kernel
from systems.kernels.particle_blocks import BLOCK, EXACT

FAR = 0.4  # shorter steps than this part of a radius enter a sphere and leave it within acos(GRAZING) only
GRAZING = 0.9  # cosine between the normals where a path enters and leaves, above which it is let through


@kernel(fastmath=EXACT)
def entry(c, rx, ry, rz, dx, dy, dz):
    """(t, through): where in its step a path r + t D from outside enters a sphere, 2 if nowhere.

    r from the centre at the start, D in its frame; through: it leaves the sphere again, and not where it came in.
    """
    reach = c[7] + c[13]
    along = rx * dx + ry * dy + rz * dz
    square = dx * dx + dy * dy + dz * dz
    outside = rx * rx + ry * ry + rz * rz - reach * reach
    inner = along * along - square * outside
    if not (along < 0.0 and outside > 0.0 and inner > 0.0):
        return 2.0, False
    root = math.sqrt(inner)
    t, leaves = outside / (root - along), (root - along) / square
    if t > 1.0 or leaves > 1.0:
        return (t, False) if t <= 1.0 else (2.0, False)
    turn = (rx + t * dx) * (rx + leaves * dx) + (ry + t * dy) * (ry + leaves * dy) + (rz + t * dz) * (rz + leaves * dz)
    return t, turn < GRAZING * reach * reach


@kernel(fastmath=EXACT)
def meet_on_path(b, size, c, h, mark):
    """Far-moving particles and a sphere: mark those that go through (count them), or put where they touch it."""
    count = 0
    for i in range(size):
        rx, ry, rz = b[i] - c[1], b[i + BLOCK] - c[2], b[i + 2 * BLOCK] - c[3]
        dx = b[i + 3 * BLOCK] - b[i] - h * c[8]
        dy = b[i + 4 * BLOCK] - b[i + BLOCK] - h * c[9]
        dz = b[i + 5 * BLOCK] - b[i + 2 * BLOCK] - h * c[10]
        limit = FAR * (c[7] + c[13])
        if b[i + 9 * BLOCK] > 0.0 and dx * dx + dy * dy + dz * dz > limit * limit:
            t, through = entry(c, rx, ry, rz, dx, dy, dz)
            if mark and through:
                count += b[i + 14 * BLOCK] == 0.0
                b[i + 14 * BLOCK] = 1.0
            elif not mark and b[i + 14 * BLOCK] > 0.0 and t <= 1.0 and b[i + 13 * BLOCK] > 0.0:
                nx, ny, nz = rx + t * dx, ry + t * dy, rz + t * dz
                inverse = 1.0 / math.sqrt(nx * nx + ny * ny + nz * nz)
                b[i + 10 * BLOCK], b[i + 11 * BLOCK], b[i + 12 * BLOCK] = inverse * nx, inverse * ny, inverse * nz
                b[i + 13 * BLOCK] = -t * inverse * (dx * nx + dy * ny + dz * nz)
    return count


@kernel(fastmath=EXACT)
def far_squared(colliders, h):
    """Square of the displacement in a step [m^2] beyond which a particle could cross one of the spheres."""
    least = math.inf
    for k in range(len(colliders)):
        c = colliders[k]
        if c[0] == 0.0:
            moved = h * math.sqrt(c[8] * c[8] + c[9] * c[9] + c[10] * c[10])
            least = min(least, max(FAR * (c[7] + c[13]) - moved, 0.0))
    return least * least


@kernel(fastmath=EXACT)
def count_far(b, size, limit):
    """Number of particles of a block that move by more than the square root of `limit` [m^2]."""
    count = 0
    for i in range(size):
        dx, dy, dz = b[i + 3 * BLOCK] - b[i], b[i + 4 * BLOCK] - b[i + BLOCK], b[i + 5 * BLOCK] - b[i + 2 * BLOCK]
        count += dx * dx + dy * dy + dz * dz > limit
    return count
