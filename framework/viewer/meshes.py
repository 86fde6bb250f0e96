"""Array operations on meshes that both renderers share."""
from __future__ import annotations

from functools import lru_cache

import numpy as np

HUGE = 1e15  # beyond it single precision overflows in the products of the view: such vertices are not drawn


def drawable(points: np.ndarray, elements: np.ndarray) -> np.ndarray:
    """The rows of `elements` (e, k) whose points (n, 3) are all finite (and below 1e15)."""
    if not len(points) or np.abs(points).max() < HUGE:  # a NaN makes the comparison false
        return elements
    return elements[(np.abs(points) < HUGE).all(axis=1)[elements].all(axis=1)]


def drawable_points(points: np.ndarray) -> np.ndarray:
    """Mask (n,) of the points (n, 3) that can be drawn."""
    return (np.abs(points) < HUGE).all(axis=1)


def edges(triangles: np.ndarray) -> np.ndarray:
    """Each edge of the triangles (t, 3) once, as (e, 2) int32."""
    if not len(triangles):
        return np.zeros((0, 2), dtype=np.int32)
    pairs = np.sort(triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1).astype(np.int64)
    count = int(np.max(pairs)) + 1
    keys = np.unique(pairs[:, 0] * count + pairs[:, 1])
    return np.stack([keys // count, keys % count], axis=1).astype(np.int32)


_edges: dict[tuple, np.ndarray] = {}


def edges_of(triangles: np.ndarray) -> np.ndarray:
    """As `edges`, kept for meshes seen before: a picture is drawn many times."""
    key = triangles.shape, hash(triangles.tobytes())
    if key not in _edges:
        if len(_edges) > 64:
            _edges.clear()
        _edges[key] = edges(triangles)
    return _edges[key]


@lru_cache(maxsize=8)
def unit_sphere(rings: int, sectors: int) -> tuple[np.ndarray, np.ndarray]:
    """A sphere of radius 1 by latitude and longitude: vertices (n, 3), which are its normals, and triangles (t, 3)."""
    polar = np.linspace(0.0, np.pi, rings + 1)
    around = np.linspace(0.0, 2.0 * np.pi, sectors + 1)
    sine, cosine = np.sin(polar)[:, None], np.cos(polar)[:, None]
    x, y, z = sine * np.sin(around), cosine * np.ones_like(around), sine * np.cos(around)
    vertices = np.stack([x, y, z], axis=-1).reshape(-1, 3)
    first = (np.arange(rings)[:, None] * (sectors + 1) + np.arange(sectors)).ravel()
    below = first + sectors + 1
    triangles = np.concatenate([np.stack([first, below, first + 1], 1), np.stack([first + 1, below, below + 1], 1)])
    vertices.flags.writeable = False
    return vertices, triangles.astype(np.int32)


@lru_cache(maxsize=1)
def unit_box() -> tuple[np.ndarray, np.ndarray]:
    """A box with edges of 1 about the origin: vertices (8, 3) and triangles (12, 3), their fronts outside."""
    vertices = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    faces = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    triangles = np.array([corners for a, b, c, d in faces for corners in ((a, b, c), (a, c, d))], dtype=np.int32)
    vertices.flags.writeable = False
    return vertices, triangles


def capsule(radius: float, half_length: float) -> tuple[np.ndarray, np.ndarray]:
    """All within a radius of a segment along y about the origin: vertices (n, 3) and triangles (t, 3)."""
    vertices, triangles = unit_sphere(31, 48)  # an odd number of rings: the middle one becomes the cylinder
    shift = np.where(vertices[:, 1:2] > 0.0, half_length, -half_length)
    return radius * vertices + shift * np.array([0.0, 1.0, 0.0]), triangles
