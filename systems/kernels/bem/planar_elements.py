"""Linear and quadratic elements of a plane boundary: their shape, Lagrange functions and Gauss points."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from framework.kernel import kernel
from systems.kernels.bem.quadrature import Rules

FUSED = {"contract"}


class Elements(NamedTuple):
    """Elements of a boundary, and their Gauss points for all regular rules.

    nodes (m, k): first, [middle,] last. shape (m, k, 2): coefficients of x(xi) = c0 + c1 xi [+ c2 xi^2].
    batched (5, points, m): x, y, normal times weight (2), length times weight. values (points, k): shape functions.
    half_chord (m,): half the distance between the ends.
    """

    nodes: np.ndarray
    shape: np.ndarray
    batched: np.ndarray
    values: np.ndarray
    half_chord: np.ndarray


def elements(points: np.ndarray, nodes: np.ndarray, rules: Rules) -> Elements:
    """Prepare elements `nodes` (m, 2 or 3) of `points` (n, 2)."""
    corner = points[nodes]
    if nodes.shape[1] == 2:
        shape = np.stack([0.5 * (corner[:, 0] + corner[:, 1]), 0.5 * (corner[:, 1] - corner[:, 0])], axis=1)
    else:
        first, middle, last = corner[:, 0], corner[:, 1], corner[:, 2]
        shape = np.stack([middle, 0.5 * (last - first), 0.5 * (first + last) - middle], axis=1)
    xi, w = rules.points, rules.weights
    x = sum(shape[:, p, None, :] * xi[:, None] ** p for p in range(shape.shape[1]))
    along = sum(p * shape[:, p, None, :] * xi[:, None] ** (p - 1) for p in range(1, shape.shape[1]))
    normal = np.stack([along[..., 1], -along[..., 0]], axis=-1) * w[:, None]
    length = np.sqrt((along * along).sum(axis=-1)) * w
    gauss = np.concatenate([x, normal, length[..., None]], axis=-1)
    chord = corner[:, -1] - corner[:, 0]
    return Elements(
        np.ascontiguousarray(nodes, np.int32), np.ascontiguousarray(shape),
        np.ascontiguousarray(gauss.transpose(2, 1, 0)), shape_functions(xi, nodes.shape[1]),
        0.5 * np.sqrt((chord * chord).sum(axis=1)),
    )  # fmt: skip


def shape_functions(xi: np.ndarray, k: int) -> np.ndarray:
    """(len(xi), k) values of the Lagrange functions of an element with k nodes at xi in [-1, 1]."""
    xi = np.asarray(xi, float)
    if k == 2:
        return np.stack([0.5 * (1 - xi), 0.5 * (1 + xi)], axis=-1)
    return np.stack([0.5 * xi * (xi - 1), 1 - xi * xi, 0.5 * xi * (xi + 1)], axis=-1)


@kernel(fastmath=FUSED)
def lagrange(c, xi, k):
    """Lagrange function c of an element with k nodes."""
    if k == 2:
        return 0.5 * (1.0 - xi) if c == 0 else 0.5 * (1.0 + xi)
    if c == 1:
        return 1.0 - xi * xi
    return 0.5 * xi * (xi - 1.0) if c == 0 else 0.5 * xi * (xi + 1.0)


@kernel(fastmath=FUSED)
def slope(c, total, k):
    """(N_c(xi) - N_c(xi0)) / (xi - xi0) with total = xi + xi0."""
    if k == 2:
        return -0.5 if c == 0 else 0.5
    if c == 1:
        return -total
    return 0.5 * (total - 1.0) if c == 0 else 0.5 * (total + 1.0)


@kernel(fastmath=FUSED)
def point(shape, e, xi, order):
    """x(xi) of element e."""
    x, y = shape[e, 0, 0] + xi * shape[e, 1, 0], shape[e, 0, 1] + xi * shape[e, 1, 1]
    if order == 3:
        x += xi * xi * shape[e, 2, 0]
        y += xi * xi * shape[e, 2, 1]
    return x, y


@kernel(fastmath=FUSED)
def along(shape, e, xi, order):
    """dx/dxi of element e."""
    vx, vy = shape[e, 1, 0], shape[e, 1, 1]
    if order == 3:
        vx += 2.0 * xi * shape[e, 2, 0]
        vy += 2.0 * xi * shape[e, 2, 1]
    return vx, vy
