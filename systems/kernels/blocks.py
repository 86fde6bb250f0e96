"""Symmetric sparse matrix of 3x3 blocks, one block row per node: pattern, assembly, product.

Stored are the diagonal blocks (n, 3, 3) and, in compressed rows, the blocks right of the diagonal (nnz, 3, 3): half the
memory and traffic of full storage. A product reads each block once and uses it for both halves.

A *slot* is one int32 that says where the block of a node pair (i, j) lives, with n the number of nodes:

    0 <= slot < n     i == j: diagonal block `slot`
    slot >= n         i < j: upper block `slot - n`
    slot < 0          i > j: upper block `~slot - n`, which holds the transposed block

*Limitations*: symmetric matrices only; n + nnz < 2**31; serial, so sums have one order and the same bits at any number
of threads.
"""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse
from scipy.sparse.csgraph import connected_components

from framework.kernel import kernel

# Only fused multiply-add is allowed beyond strict arithmetic: the order of sums stays as written.
FUSED = {"contract"}


@dataclass(frozen=True, slots=True)
class Pattern:
    """Places of the upper blocks: row i holds columns[indptr[i]:indptr[i + 1]], ascending and all > i."""

    indptr: np.ndarray  # (n + 1,) int32
    columns: np.ndarray  # (nnz,) int32

    @property
    def n(self) -> int:
        return len(self.indptr) - 1


@dataclass(frozen=True, slots=True)
class BlockMatrix:
    """A pattern with its blocks; units are those of what is assembled (kg for a dynamic system matrix)."""

    pattern: Pattern
    diagonal: np.ndarray  # (n, 3, 3)
    upper: np.ndarray  # (nnz, 3, 3)

    @classmethod
    def zeros(cls, pattern: Pattern) -> BlockMatrix:
        return cls(pattern, np.zeros((pattern.n, 3, 3)), np.zeros((len(pattern.columns), 3, 3)))

    def clear(self) -> None:
        self.diagonal.fill(0.0)
        self.upper.fill(0.0)


def build_pattern(n: int, elements: Sequence[np.ndarray]) -> Pattern:
    """Pattern of `n` nodes in which all nodes of an element couple.

    `elements` are (e, k) arrays of node indices; k may differ between them, a pair may occur in several elements.
    """
    keys = [np.empty(0, dtype=np.int64)]
    for nodes in elements:
        if nodes.size and (nodes.min() < 0 or nodes.max() >= n):
            raise ValueError(f"element nodes must be in [0, {n}), got {nodes.min()} to {nodes.max()}")
        for a in range(nodes.shape[1]):
            for b in range(a + 1, nodes.shape[1]):
                low, high = _ordered(nodes[:, a], nodes[:, b])
                keys.append(np.unique((low * n + high)[low < high]))
    unique = np.unique(np.concatenate(keys))
    if n + len(unique) >= 2**31:
        raise ValueError(f"nodes plus coupled pairs must be below 2**31, got {n + len(unique)}")
    rows, columns = np.divmod(unique, max(n, 1))
    indptr = np.searchsorted(rows, np.arange(n + 1)).astype(np.int32)
    return Pattern(indptr, columns.astype(np.int32))


def element_slots(pattern: Pattern, elements: np.ndarray) -> np.ndarray:
    """Slots (e, k, k) int32 of all node pairs of `elements` (e, k); the pattern must hold these pairs."""
    count, k = elements.shape
    slots = np.empty((count, k, k), dtype=np.int32)
    keys = _keys(pattern)
    for a in range(k):
        slots[:, a, a] = elements[:, a]
        for b in range(a + 1, k):
            slots[:, a, b] = _slots(pattern.n, keys, elements[:, a], elements[:, b])
            slots[:, b, a] = np.where(elements[:, a] == elements[:, b], slots[:, a, b], ~slots[:, a, b])
    return slots


def pair_slots(pattern: Pattern, nodes: np.ndarray) -> np.ndarray:
    """Slots (e,) int32 of the pairs nodes (e, 2): all that two-node elements need, as their diagonals are the nodes."""
    return _slots(pattern.n, _keys(pattern), nodes[:, 0], nodes[:, 1])


def _ordered(i: np.ndarray, j: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return np.minimum(i, j).astype(np.int64), np.maximum(i, j).astype(np.int64)


def _keys(pattern: Pattern) -> np.ndarray:
    """row * n + column of each upper block, ascending."""
    rows = np.repeat(np.arange(pattern.n, dtype=np.int64), np.diff(pattern.indptr))
    return rows * pattern.n + pattern.columns


def _slots(n: int, keys: np.ndarray, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    low, high = _ordered(i, j)
    wanted = low * n + high
    position = np.searchsorted(keys, wanted)
    off_diagonal = low < high
    found = off_diagonal & (position < len(keys))
    found[found] = keys[position[found]] == wanted[found]
    if not np.array_equal(found, off_diagonal):
        raise ValueError("the pattern does not hold all node pairs of these elements")
    slots = position + n
    slots[i > j] = ~slots[i > j]
    return np.where(off_diagonal, slots, i).astype(np.int32)


def components(pattern: Pattern) -> np.ndarray:
    """Labels (n,) int32 of the connected components, numbered by their lowest node."""
    ones = np.ones(len(pattern.columns), dtype=np.int8)
    graph = scipy.sparse.csr_array((ones, pattern.columns, pattern.indptr), shape=(pattern.n, pattern.n))
    _, labels = connected_components(graph, directed=False)
    _, first = np.unique(labels, return_index=True)  # scipy does not promise an order of labels
    rank = np.empty(len(first), dtype=np.int32)
    rank[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
    return rank[labels]


def to_scipy(matrix: BlockMatrix) -> scipy.sparse.csr_array:
    """The full (3n, 3n) matrix, for tests and small direct solves."""
    n = matrix.pattern.n
    size = (3 * n, 3 * n)
    lone = np.arange(n + 1, dtype=np.int32)
    diagonal = scipy.sparse.bsr_array((matrix.diagonal, lone[:-1], lone), shape=size).tocsr()
    if len(matrix.upper) == 0:
        return diagonal
    upper = scipy.sparse.bsr_array((matrix.upper, matrix.pattern.columns, matrix.pattern.indptr), shape=size).tocsr()
    return scipy.sparse.csr_array(diagonal + upper + upper.T)


@kernel(fastmath=FUSED)
def add_pair(i, j, slot, k00, k01, k02, k11, k12, k22, diagonal, upper):
    """Add a symmetric block K to the diagonals of nodes i and j, and -K to their off-diagonal block.

    For kernels that compute K one pair at a time, so that no (e, 3, 3) array is stored.
    """
    n = diagonal.shape[0]
    if 0 <= slot < n:  # both ends on one node: K + K - K - K
        return
    position = (slot if slot >= 0 else ~slot) - n  # K is symmetric: no need to transpose
    for node in (i, j):
        block = diagonal[node]
        block[0, 0] += k00
        block[0, 1] += k01
        block[0, 2] += k02
        block[1, 0] += k01
        block[1, 1] += k11
        block[1, 2] += k12
        block[2, 0] += k02
        block[2, 1] += k12
        block[2, 2] += k22
    block = upper[position]
    block[0, 0] -= k00
    block[0, 1] -= k01
    block[0, 2] -= k02
    block[1, 0] -= k01
    block[1, 1] -= k11
    block[1, 2] -= k12
    block[2, 0] -= k02
    block[2, 1] -= k12
    block[2, 2] -= k22


@kernel(fastmath=FUSED)
def add_pairs(nodes, slots, blocks, weight, diagonal, upper):
    """`add_pair` for each of weight * blocks (e, 3, 3), symmetric, with nodes (e, 2) and slots (e,) of `pair_slots`."""
    for e in range(nodes.shape[0]):
        k = blocks[e]
        add_pair(
            nodes[e, 0], nodes[e, 1], slots[e],
            weight * k[0, 0], weight * k[0, 1], weight * k[0, 2], weight * k[1, 1], weight * k[1, 2], weight * k[2, 2],
            diagonal, upper,
        )  # fmt: skip


@kernel(fastmath=FUSED)
def add_elements(slots, blocks, weight, diagonal, upper):
    """Add weight * blocks (e, k, k, 3, 3) at slots (e, k, k).

    An element's matrix is symmetric: only its blocks (a, b) with a <= b are read. A node may occur twice in an element.
    """
    n = diagonal.shape[0]
    for e in range(slots.shape[0]):
        for a in range(slots.shape[1]):
            for b in range(a, slots.shape[1]):
                slot = slots[e, a, b]
                for r in range(3):
                    for c in range(3):
                        value = weight * blocks[e, a, b, r, c]
                        if slot >= n:
                            upper[slot - n, r, c] += value
                        elif slot < 0:
                            upper[~slot - n, c, r] += value
                        else:
                            diagonal[slot, r, c] += value
                            if a != b:  # the unread block (b, a) of a repeated node
                                diagonal[slot, c, r] += value


@kernel(fastmath=FUSED)
def add_diagonal(nodes, blocks, weight, diagonal):
    """Add weight * blocks (c, 3, 3), symmetric, to the diagonal blocks of `nodes` (c,)."""
    for e in range(nodes.shape[0]):
        for r in range(3):
            for c in range(3):
                diagonal[nodes[e], r, c] += weight * blocks[e, r, c]


@kernel(fastmath=FUSED)
def add_identity(values, weight, diagonal):
    """Add weight * values[i] times the identity to the diagonal block of each node: a lumped mass matrix, for one."""
    for i in range(values.shape[0]):
        value = weight * values[i]
        diagonal[i, 0, 0] += value
        diagonal[i, 1, 1] += value
        diagonal[i, 2, 2] += value


def multiply(matrix: BlockMatrix, p: np.ndarray, out: np.ndarray) -> float:
    """out = A p for p, out (n, 3); returns p . A p."""
    pattern = matrix.pattern
    return symmetric_product(
        pattern.indptr, pattern.columns, flat(matrix.diagonal), flat(matrix.upper), flat(p), flat(out)
    )


def flat(array: np.ndarray) -> np.ndarray:
    """One-dimensional view of a C-contiguous array; never a copy, which would lose what a kernel writes."""
    if not array.flags.c_contiguous:
        raise ValueError(f"a flat view without a copy needs a C-contiguous array, got strides {array.strides}")
    return array.reshape(-1)


@kernel(fastmath=FUSED)
def symmetric_product(indptr, columns, diagonal, upper, p, out):
    """out = A p; returns p . A p.

    All arrays are flat views, so that addresses are a base plus a constant (3 times the speed of scipy's block format).
    """
    n = indptr.shape[0] - 1
    out[:] = 0.0
    form_x = form_y = form_z = 0.0
    for i in range(n):
        v = 3 * i
        px, py, pz = p[v], p[v + 1], p[v + 2]
        sx = sy = sz = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            u = 9 * k
            w = 3 * columns[k]
            a00, a01, a02 = upper[u], upper[u + 1], upper[u + 2]
            a10, a11, a12 = upper[u + 3], upper[u + 4], upper[u + 5]
            a20, a21, a22 = upper[u + 6], upper[u + 7], upper[u + 8]
            qx, qy, qz = p[w], p[w + 1], p[w + 2]
            sx += a00 * qx + a01 * qy + a02 * qz
            sy += a10 * qx + a11 * qy + a12 * qz
            sz += a20 * qx + a21 * qy + a22 * qz
            out[w] += a00 * px + a10 * py + a20 * pz
            out[w + 1] += a01 * px + a11 * py + a21 * pz
            out[w + 2] += a02 * px + a12 * py + a22 * pz
        d = 9 * i
        dx = diagonal[d] * px + diagonal[d + 1] * py + diagonal[d + 2] * pz
        dy = diagonal[d + 3] * px + diagonal[d + 4] * py + diagonal[d + 5] * pz
        dz = diagonal[d + 6] * px + diagonal[d + 7] * py + diagonal[d + 8] * pz
        out[v] += sx + dx
        out[v + 1] += sy + dy
        out[v + 2] += sz + dz
        form_x += px * (dx + 2.0 * sx)
        form_y += py * (dy + 2.0 * sy)
        form_z += pz * (dz + 2.0 * sz)
    return form_x + form_y + form_z
