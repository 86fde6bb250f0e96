"""Boundary elements of a geometry: their points, shape functions, normals and areas.

Elements are rows (m, k) of point numbers; unused places hold -1. Lines: first, (middle,) last. Faces: corners, then the
middles of the sides. Local coordinates and shape functions are those of the serendipity family
(Hughes, The Finite Element Method, 1987, chapter 3).
"""
from __future__ import annotations

import numpy as np

from components.geometry import Geometry
from framework.errors import FieldError

TRIANGLE = np.array([[0, 0], [1, 0], [0, 1], [0.5, 0], [0.5, 0.5], [0, 0.5]])
SQUARE = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1], [0, -1], [1, 0], [0, 1], [-1, 0]], float)
LINE = {2: np.array([[-1.0], [1.0]]), 3: np.array([[-1.0], [0.0], [1.0]])}


def boundary_elements(geometry: Geometry, entity: str = "") -> tuple[int, np.ndarray]:
    """(dimension, elements (m, k)): segments, or faces, or triangles as faces; FieldError where there is neither."""
    if geometry.segments is not None:
        return 2, geometry.segments
    if geometry.faces is not None:
        return 3, geometry.faces
    if geometry.triangles is None:
        raise FieldError(
            f"{entity}: Geometry.segments or faces must be given for boundary elements (prefabs such as outline and "
            f"box_surface make them), got neither"
        )
    faces = np.full((len(geometry.triangles), 8), -1, np.int32)
    faces[:, :3] = geometry.triangles
    return 3, faces


def kinds(dimension: int, elements: np.ndarray) -> list[tuple[int, np.ndarray]]:
    """(points per element, numbers (e,) of the elements that have so many), for each number that occurs."""
    if dimension == 2:
        return [(elements.shape[1], np.arange(len(elements)))]
    count = (elements >= 0).sum(axis=1)
    return [(int(k), np.flatnonzero(count == k)) for k in np.unique(count)]


def places(dimension: int, k: int) -> np.ndarray:
    """(k, 1 or 2) local coordinates of the points of an element."""
    return LINE[k] if dimension == 2 else TRIANGLE[:k] if k in (3, 6) else SQUARE[:k]


def gauss(dimension: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    """(local coordinates (g, 1 or 2), weights (g,)) that integrate products of two shape functions on flat elements."""
    x, w = np.polynomial.legendre.leggauss(4)
    if dimension == 2:
        return x[:, None], w
    a, b = (item.ravel() for item in np.meshgrid(x, x, indexing="ij"))
    both = np.multiply.outer(w, w).ravel()
    if k in (4, 8):
        return np.stack([a, b], axis=1), both
    # the square, one side drawn together to a corner
    s, t = 0.5 * (1 + a), 0.5 * (1 + b)
    return np.stack([s * (1 - t), t], axis=1), 0.25 * both * (1 - t)


def shape_functions(dimension: int, k: int, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(values (q, k), derivatives (q, k, 1 or 2)) of the shape functions at local coordinates `at` (q, 1 or 2)."""
    if dimension == 2:
        return _line(k, at[:, 0])
    return _triangle(k, *at.T) if k in (3, 6) else _square(k, *at.T)


def _line(k: int, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    if k == 2:
        return np.stack([0.5 * (1 - x), 0.5 * (1 + x)], 1), np.stack([0 * x - 0.5, 0 * x + 0.5], 1)[..., None]
    values = np.stack([0.5 * x * (x - 1), 1 - x * x, 0.5 * x * (x + 1)], 1)
    return values, np.stack([x - 0.5, -2 * x, x + 0.5], 1)[..., None]


def _triangle(k: int, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    z = 1 - x - y
    one, zero = np.ones_like(x), np.zeros_like(x)
    if k == 3:
        return np.stack([z, x, y], 1), np.stack([[-one, one, zero], [-one, zero, one]]).transpose(2, 1, 0)
    values = np.stack([z * (2 * z - 1), x * (2 * x - 1), y * (2 * y - 1), 4 * z * x, 4 * x * y, 4 * y * z], 1)
    along_x = [1 - 4 * z, 4 * x - 1, zero, 4 * (z - x), 4 * y, -4 * y]
    along_y = [1 - 4 * z, zero, 4 * y - 1, -4 * x, 4 * x, 4 * (z - y)]
    return values, np.stack([along_x, along_y]).transpose(2, 1, 0)


def _square(k: int, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    values, slopes = np.zeros((len(x), k)), np.zeros((len(x), k, 2))
    for i, (a, b) in enumerate(SQUARE[:k]):
        fx, fy = 1 + a * x, 1 + b * y
        if k == 4:
            values[:, i], slopes[:, i, 0], slopes[:, i, 1] = 0.25 * fx * fy, 0.25 * a * fy, 0.25 * fx * b
        elif a and b:
            values[:, i] = 0.25 * fx * fy * (a * x + b * y - 1)
            slopes[:, i, 0] = 0.25 * a * fy * (2 * a * x + b * y)
            slopes[:, i, 1] = 0.25 * b * fx * (a * x + 2 * b * y)
        elif a:
            values[:, i] = 0.5 * fx * (1 - y * y)
            slopes[:, i, 0], slopes[:, i, 1] = 0.5 * a * (1 - y * y), -fx * y
        else:
            values[:, i] = 0.5 * fy * (1 - x * x)
            slopes[:, i, 0], slopes[:, i, 1] = -fy * x, 0.5 * b * (1 - x * x)
    return values, slopes


def area_vectors(dimension: int, slopes: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """(e, q, 3) outward normals, as long as area per local area, of elements with points `corners` (e, k, 3)."""
    tangent = np.einsum("qkd,eki->eqdi", slopes, corners)
    if dimension == 2:
        return np.stack([tangent[..., 0, 1], -tangent[..., 0, 0], np.zeros(tangent.shape[:2])], axis=-1)
    return np.cross(tangent[..., 0, :], tangent[..., 1, :])


def point_normals(dimension: int, elements: np.ndarray, points: np.ndarray) -> np.ndarray:
    """(m, k, 3) outward unit normals at the points of the elements; 0 in unused places, and where there is no area."""
    found = np.zeros((*elements.shape, 3))
    for k, rows in kinds(dimension, elements):
        _, slopes = shape_functions(dimension, k, places(dimension, k))
        vectors = area_vectors(dimension, slopes, points[elements[rows, :k]])
        length = np.sqrt((vectors * vectors).sum(axis=-1, keepdims=True))
        found[rows, :k] = vectors / np.where(length > 0, length, 1.0)
    return found


def point_areas(dimension: int, elements: np.ndarray, points: np.ndarray) -> np.ndarray:
    """(m, k) integral of each shape function: its sum times a traction is the force. In the plane per depth, [m]."""
    found = np.zeros(elements.shape)
    for k, rows in kinds(dimension, elements):
        at, weights = gauss(dimension, k)
        values, slopes = shape_functions(dimension, k, at)
        vectors = area_vectors(dimension, slopes, points[elements[rows, :k]])
        areas = np.sqrt((vectors * vectors).sum(axis=-1)) * weights
        found[rows, :k] = areas @ values
    return found


def gauss_points(
    dimension: int, elements: np.ndarray, points: np.ndarray
) -> list[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """(rows (e,), values (g, k), places (e, g, 3), normals times area (e, g, 3)) of each kind of elements."""
    found = []
    for k, rows in kinds(dimension, elements):
        at, weights = gauss(dimension, k)
        values, slopes = shape_functions(dimension, k, at)
        corners = points[elements[rows, :k]]
        vectors = area_vectors(dimension, slopes, corners) * weights[:, None]
        found.append((rows, values, np.einsum("gk,eki->egi", values, corners), vectors))
    return found
