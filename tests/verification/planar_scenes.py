"""Plane boundary-element problems with known solutions, for the tests of the solver."""

from __future__ import annotations

from typing import Any

import numpy as np

from systems.kernels.bem.planar_problem import PlanarProblem

BEAM = np.array(
    [[0, 0], [1, 0], [0.5, 0], [2, 0], [1.5, 0], [3, 0], [2.5, 0], [4, 0], [3.5, 0], [5, 0], [4.5, 0], [5, 1], [5, 0.5],
     [4, 1], [4.5, 1], [3, 1], [3.5, 1], [2, 1], [2.5, 1], [1, 1], [1.5, 1], [0, 1], [0.5, 1], [0, 0.5]]
)  # fmt: skip
BEAM_NODES = np.array(
    [[1, 3, 2], [2, 5, 4], [4, 7, 6], [6, 9, 8], [8, 11, 10], [10, 13, 12], [12, 15, 14], [14, 17, 16], [16, 19, 18],
     [18, 21, 20], [20, 23, 22], [22, 24, 1]]
) - 1  # fmt: skip


def problem(
    points: Any, nodes: Any, shear_modulus: float = 1.0, poisson_ratio: float = 0.3, **settings: Any
) -> PlanarProblem:
    """A problem without supports and loads, but for what `settings` give."""
    points, nodes = np.asarray(points, float), np.asarray(nodes, np.int32)
    shape = (*nodes.shape, 2)
    given = {
        "u_fixed": np.zeros(shape, bool), "u_value": np.zeros(shape), "t_value": np.zeros(shape),
        "spring": np.zeros(shape), "frames": np.tile(np.eye(2), (len(points), 1, 1)),
        "u_free": np.zeros(points.shape), "t_free": np.zeros(shape),
    } | settings  # fmt: skip
    return PlanarProblem(
        points=points, nodes=nodes, shear_modulus=shear_modulus, poisson_ratio=poisson_ratio, **given
    )


def outline(corners: Any, pieces: int, order: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """(points, elements) of a closed polygon (c, 2), each side cut into `pieces` elements of the given order."""
    corners = np.asarray(corners, float)
    steps = np.arange(pieces * order) / (pieces * order)
    sides = zip(corners, np.roll(corners, -1, axis=0), strict=True)
    points = np.concatenate([a + steps[:, None] * (b - a) for a, b in sides])
    return points, ring(len(points), order)


def ring(n: int, order: int = 2) -> np.ndarray:
    """(n / order, order + 1) elements of a closed curve of n points."""
    first = np.arange(0, n, order)
    return np.stack([(first + j) % n for j in range(order + 1)], axis=1)


def normals(points: np.ndarray, nodes: np.ndarray) -> np.ndarray:
    """(m, k, 2) outward unit normals at element points, of each element's own shape."""
    corner = points[nodes]
    if nodes.shape[1] == 2:
        tangent = np.repeat((corner[:, 1] - corner[:, 0])[:, None], 2, axis=1)
    else:
        a, b, c = corner[:, 0], corner[:, 1], corner[:, 2]
        tangent = np.stack([-3 * a + 4 * b - c, c - a, a - 4 * b + 3 * c], axis=1)
    tangent = tangent / np.linalg.norm(tangent, axis=2, keepdims=True)
    return np.stack([tangent[..., 1], -tangent[..., 0]], axis=-1)


def linear_field(gradient: Any, poisson_ratio: float, shear_modulus: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """(gradient (2, 2), stress (2, 2)) of u = gradient x in plane strain."""
    gradient = np.asarray(gradient, float)
    strain = 0.5 * (gradient + gradient.T)
    first = 2 * shear_modulus * poisson_ratio / (1 - 2 * poisson_ratio)
    return gradient, first * np.trace(strain) * np.eye(2) + 2 * shear_modulus * strain


def kelvin(x: np.ndarray, at: np.ndarray, force: np.ndarray, nu: float) -> tuple[np.ndarray, np.ndarray]:
    """(u (..., 2), stress (..., 2, 2)) at x (..., 2) of a point force in the infinite plane, with G = 1."""
    d = x - at
    square = (d * d).sum(axis=-1)[..., None]
    along = (d * force).sum(axis=-1)[..., None]
    u = (-(3 - 4 * nu) * 0.5 * np.log(square) * force + d * along / square) / (8 * np.pi * (1 - nu))
    outer = d[..., :, None] * d[..., None, :]
    mixed = d[..., :, None] * force[None, :] + force[:, None] * d[..., None, :]
    less, square, along = 1 - 2 * nu, square[..., None], along[..., None]
    stress = -(less * (mixed - along * np.eye(2)) + 2 * outer * along / square) / (4 * np.pi * (1 - nu) * square)
    return u, stress
