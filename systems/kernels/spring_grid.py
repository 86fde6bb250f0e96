"""Forces of uniform springs on a structured grid, row by row in vector registers.

Particle (i, j) of `rows` x `columns` has the index i columns + j. With the reach r its springs go to (i, j + r),
(i + r, j) and (i + r, j +- r); each of these kinds (along rows, along columns, diagonal) has one rest length [m],
stiffness [N/m], cubic stiffness [N/m^3] and damping [N s/m]: arrays of 3. Reach 1 gives structural and shear springs;
a second call with reach 2 and zero diagonal parameters (then skipped) gives bending springs. The law is that of
springs.py.

A strip of columns moves down the grid. Its rows are turned from particles (x, y, z, x, ...) into one array a
coordinate, in scratch that stays in cache, and so are the forces of the springs that leave the row; a particle gets
those of its springs minus those of the springs that end at it.

Limitations: uniform parameters, no broken springs; reach at most 8; equal to the spring list to rounding only (the
order of the sums differs).
"""
from __future__ import annotations

import math

import numpy as np

from framework.kernel import kernel

FAST = {"contract", "reassoc", "arcp", "nsz", "afn"}
STRIP = 256  # columns handled together
PAD = 8  # zeros on both sides of a row of forces; loops run over whole multiples of it, to end without a remainder
WIDTH = STRIP + 4 * PAD  # distance of rows in scratch; a power of two would put them all on the same cache sets
W1, W2, W3, W4, W5 = WIDTH, 2 * WIDTH, 3 * WIDTH, 4 * WIDTH, 5 * WIDTH


@kernel(fastmath=FAST)
def load_row(x, v, first, size, s):
    """Positions and velocities of `size` particles from the flat arrays x, v to the six rows of s."""
    xs, vs = x[3 * first : 3 * (first + size)], v[3 * first : 3 * (first + size)]
    for j in range(size):
        s[j], s[j + W1], s[j + W2] = xs[3 * j], xs[3 * j + 1], xs[3 * j + 2]
        s[j + W3], s[j + W4], s[j + W5] = vs[3 * j], vs[3 * j + 1], vs[3 * j + 2]


@kernel(fastmath=FAST)
def load_positions(x, first, size, s):
    """Positions of `size` particles from the flat array x to the three rows of s."""
    xs = x[3 * first : 3 * (first + size)]
    for j in range(size):
        s[j], s[j + W1], s[j + W2] = xs[3 * j], xs[3 * j + 1], xs[3 * j + 2]


@kernel(fastmath=FAST)
def row_springs(a, b, size, rest, k, q, c, g):
    """Forces on the first particles, rows a, of `size` springs to the second ones, rows b; into the three rows of g."""
    for j in range((size + PAD - 1) // PAD * PAD):
        dx, dy, dz = b[j] - a[j], b[j + W1] - a[j + W1], b[j + W2] - a[j + W2]
        wx, wy, wz = b[j + W3] - a[j + W3], b[j + W4] - a[j + W4], b[j + W5] - a[j + W5]
        length = math.sqrt(dx * dx + dy * dy + dz * dz)
        inverse = 0.0 if length == 0.0 else 1.0 / length
        stretch = length - rest
        along = (wx * dx + wy * dy + wz * dz) * inverse
        pull = (stretch * (k + q * stretch * stretch) + c * along) * inverse
        g[j], g[j + W1], g[j + W2] = pull * dx, pull * dy, pull * dz
    for j in range(size, size + PAD):  # what the last round did too much
        g[j], g[j + W1], g[j + W2] = 0.0, 0.0, 0.0


@kernel(fastmath=FAST)
def add_row(out, back, skip, size, reach, diagonal, fs):
    """Add to the forces fs (flat) of `size` particles from `skip` on: their springs less those that end there.

    out and back hold three rows a kind: along rows (same in both), along columns, and the two diagonals.
    """
    o, p = out[skip:], back[skip:]
    # Where the springs that end here start: one reach to the left, or to the right.
    ol, pl, pr = out[skip - reach :], back[skip - reach :], back[skip + reach :]
    for j in range(size):
        fx = o[j] - ol[j] + o[j + 3 * WIDTH] - p[j + 3 * WIDTH]
        fy = o[j + W1] - ol[j + W1] + o[j + 4 * WIDTH] - p[j + 4 * WIDTH]
        fz = o[j + W2] - ol[j + W2] + o[j + 5 * WIDTH] - p[j + 5 * WIDTH]
        if diagonal:
            fx += o[j + 6 * WIDTH] - pl[j + 6 * WIDTH] + o[j + 9 * WIDTH] - pr[j + 9 * WIDTH]
            fy += o[j + 7 * WIDTH] - pl[j + 7 * WIDTH] + o[j + 10 * WIDTH] - pr[j + 10 * WIDTH]
            fz += o[j + 8 * WIDTH] - pl[j + 8 * WIDTH] + o[j + 11 * WIDTH] - pr[j + 11 * WIDTH]
        fs[3 * j] += fx
        fs[3 * j + 1] += fy
        fs[3 * j + 2] += fz


@kernel(fastmath=FAST)
def grid_spring_forces(x, v, rows, columns, reach, rest, stiffness, cubic, damping, f):
    """Add the spring forces of a grid to f [N]; x, v, f (rows columns, 3); rest, stiffness, cubic, damping (3,)."""
    xs, vs, fs = x.reshape(-1), v.reshape(-1), f.reshape(-1)
    diagonal = stiffness[2] != 0.0 or cubic[2] != 0.0 or damping[2] != 0.0
    ring = reach + 1  # rows kept: this one and those its springs reach
    states = np.zeros((ring, 6 * WIDTH))
    forces = np.empty((ring, 12 * WIDTH))
    strips = (columns + STRIP - 1) // STRIP
    for strip in range(strips):
        own, end = strip * columns // strips, (strip + 1) * columns // strips
        left = max(own - reach, 0)
        size = min(end + reach, columns) - left  # columns with the neighbours needed
        forces[:] = 0.0
        for i in range(min(reach, rows)):
            load_row(xs, vs, i * columns + left, size, states[i])
        for i in range(rows):
            a, g, back = states[i % ring], forces[i % ring], forces[(i + 1) % ring]
            h = g[PAD:]
            row_springs(a, a[reach:], size - reach, rest[0], stiffness[0], cubic[0], damping[0], h)
            if i + reach < rows:
                b = states[(i + reach) % ring]
                load_row(xs, vs, (i + reach) * columns + left, size, b)
                row_springs(a, b, size, rest[1], stiffness[1], cubic[1], damping[1], h[3 * WIDTH :])
                if diagonal:
                    k, q, c = stiffness[2], cubic[2], damping[2]
                    row_springs(a, b[reach:], size - reach, rest[2], k, q, c, h[6 * WIDTH :])
                    row_springs(a[reach:], b, size - reach, rest[2], k, q, c, h[9 * WIDTH + reach :])
            else:
                g[3 * WIDTH :] = 0.0
            skip = PAD + own - left
            first = i * columns + own
            add_row(g, back, skip, end - own, reach, diagonal, fs[3 * first : 3 * (first + end - own)])


@kernel(fastmath=FAST)
def row_energy(a, b, size, rest, k, q):
    """Energy [J] of `size` springs from the particles of rows a to those of rows b."""
    total = 0.0
    for j in range(size):
        dx, dy, dz = b[j] - a[j], b[j + W1] - a[j + W1], b[j + W2] - a[j + W2]
        stretch = math.sqrt(dx * dx + dy * dy + dz * dz) - rest
        stretch_squared = stretch * stretch
        total += stretch_squared * (0.5 * k + 0.25 * q * stretch_squared)
    return total


@kernel(fastmath=FAST)
def grid_spring_energy(x, rows, columns, reach, rest, stiffness, cubic):
    """Elastic energy [J] of a grid, summed row by row in a fixed order."""
    xs = x.reshape(-1)
    ring = reach + 1
    states = np.empty((ring, 3 * WIDTH))
    strips = (columns + STRIP - 1) // STRIP
    total = 0.0
    for strip in range(strips):
        own, end = strip * columns // strips, (strip + 1) * columns // strips
        size = min(end + reach, columns) - own  # columns with the neighbours needed
        across = min(end, columns - reach) - own  # springs that lead to the right
        for i in range(min(reach, rows)):
            load_positions(xs, i * columns + own, size, states[i])
        for i in range(rows):
            a = states[i % ring]
            total += row_energy(a, a[reach:], across, rest[0], stiffness[0], cubic[0])
            if i + reach < rows:
                b = states[(i + reach) % ring]
                load_positions(xs, (i + reach) * columns + own, size, b)
                total += row_energy(a, b, end - own, rest[1], stiffness[1], cubic[1])
                total += row_energy(a, b[reach:], across, rest[2], stiffness[2], cubic[2])
                total += row_energy(a[reach:], b, across, rest[2], stiffness[2], cubic[2])
    return total
