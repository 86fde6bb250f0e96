"""Blocks of particles for the contact kernels: one row a quantity, so that loops fill vector registers."""
from __future__ import annotations

from framework.kernel import kernel

EXACT = {"contract", "nsz"}
BLOCK = 128  # particles handled together in vector registers
ROWS = 16  # of a block: x0 (3), x1 (3), v (3), inverse mass, normal (3), gap, whether it ends inside, number in block
SCRATCH = 2 * ROWS * BLOCK  # a block of particles, and one of those among them that touch


@kernel(fastmath=EXACT)
def put_back(t, size, b):
    """Copy start, end and velocity of the particles of t to their places in b."""
    for k in range(size):
        i = int(t[k + 15 * BLOCK])
        for row in range(9):
            b[i + row * BLOCK] = t[k + row * BLOCK]


@kernel(fastmath=EXACT)
def store_block(b, size, xs, vs):
    """Write the ends and velocities of a block back to flat arrays (3 size,)."""
    for i in range(size):
        xs[3 * i], xs[3 * i + 1], xs[3 * i + 2] = b[i + 3 * BLOCK], b[i + 4 * BLOCK], b[i + 5 * BLOCK]
        vs[3 * i], vs[3 * i + 1], vs[3 * i + 2] = b[i + 6 * BLOCK], b[i + 7 * BLOCK], b[i + 8 * BLOCK]
