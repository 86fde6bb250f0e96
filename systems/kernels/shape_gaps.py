"""Gaps and normals of colliders of any shape at the end of a step, for the contact inside an implicit step.

A particle goes from x0 to a candidate end x1. Its gap is the distance of its end, with the normal there, unless its
path goes into or through the shape by another side: then it counts from the plane where the path came in, and is the
more negative the further it went. Nothing passes through what is thinner than a step is long.
*Limitations*: as in shape_contact.py.
"""
from __future__ import annotations

import numba
import numpy as np

from framework.kernel import kernel
from systems.kernels.closest import DEEPEST
from systems.kernels.crossing import GRAZING
from systems.kernels.particle_blocks import EXACT
from systems.kernels.shape_contact import CHUNKS, FEW, belt_along, rounding
from systems.kernels.shapes import END, END_TURN, MEMO, START, TOUCHES, TURN, meet, shape_distance, to_own, turned


@kernel(fastmath=EXACT)
def gap_of(s, x0, x1, h, exact, tree, stack, depths, a, b, memo, normal, carried):
    """The gap [m]; the normal (3,) and the velocity [m/s] of the material there, which a particle that sticks has."""
    memo[0] = -1.0
    a[0], a[1], a[2] = to_own(s, START, TURN, x0[0], x0[1], x0[2])
    b[0], b[1], b[2] = to_own(s, END, END_TURN, x1[0], x1[1], x1[2])
    how, t, nx, ny, nz, _, gap, ex, ey, ez = meet(s, a, b, rounding(s, x1), tree, stack, depths, memo)
    if how == TOUCHES and nx * ex + ny * ey + nz * ez < GRAZING:
        gap = (1.0 - t) * ((b[0] - a[0]) * nx + (b[1] - a[1]) * ny + (b[2] - a[2]) * nz)
    elif exact:
        gap, nx, ny, nz, _ = shape_distance(s, b[0], b[1], b[2], np.inf, -1, tree, stack, depths)
    else:
        nx, ny, nz = ex, ey, ez
    normal[0], normal[1], normal[2] = turned(s, END_TURN, nx, ny, nz)
    wx, wy, wz = belt_along(s, nx, ny, nz)
    wx, wy, wz = turned(s, END_TURN, wx, wy, wz)
    ox, oy, oz = turned(s, TURN, b[0], b[1], b[2])  # where the material that is at the end now was at the start
    carried[0] = (x1[0] - (s[START] + ox)) / h + wx
    carried[1] = (x1[1] - (s[START + 1] + oy)) / h + wy
    carried[2] = (x1[2] - (s[START + 2] + oz)) / h + wz
    return gap


@kernel(fastmath=EXACT)
def gaps_of_some(start, stop, x0, x1, h, only, shapes, tree, gap, collider, normal, carried):
    stack, depths = np.empty(DEEPEST, np.int64), np.empty(DEEPEST)
    a, b, n, u, memo = np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(MEMO)
    for i in range(start, stop):
        own = only[i]
        gap[i] = np.inf
        for k in range(len(shapes)) if own < 0 else range(own, own + 1):
            found = gap_of(shapes[k], x0[i], x1[i], h, own >= 0, tree, stack, depths, a, b, memo, n, u)
            if found < gap[i] or own >= 0:
                gap[i], collider[i] = found, k
                for axis in range(3):
                    normal[i, axis], carried[i, axis] = n[axis], u[axis]


@kernel(fastmath=EXACT, parallel=True)
def gaps_of_chunks(x0, x1, h, only, shapes, tree, gap, collider, normal, carried):
    for chunk in numba.prange(CHUNKS):
        start, stop = chunk * len(x1) // CHUNKS, (chunk + 1) * len(x1) // CHUNKS
        gaps_of_some(start, stop, x0, x1, h, only, shapes, tree, gap, collider, normal, carried)


def shape_gaps(x0, x1, h, only, shapes, tree):
    """(gap (n,) [m], collider (n,), normal (n, 3), velocity (n, 3) [m/s]) of particles that go from x0 to x1 (n, 3).

    only (n,): the collider to look at, or -1: then the one with the least gap is found, and the gaps of others than
    those that a particle can reach in such a step may come out too small, with a normal of 0.
    """
    n = len(x1)
    gap, collider, normal, carried = np.full(n, np.inf), np.zeros(n, np.int64), np.zeros((n, 3)), np.zeros((n, 3))
    if n < FEW:
        gaps_of_some(0, n, x0, x1, h, only, shapes, tree, gap, collider, normal, carried)
    else:
        gaps_of_chunks(x0, x1, h, only, shapes, tree, gap, collider, normal, carried)
    return gap, collider, normal, carried
