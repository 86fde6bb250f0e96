"""A hollow sphere of triangles."""
from __future__ import annotations

from typing import Any

import numpy as np

from components.arguments import argument
from components.geometry import Geometry
from components.spring_topology import triangle_edges
from framework.fields import between, positive


def sphere_shell(radius: float = 1.0, subdivisions: int = 3, centre: Any = (0.0, 0.0, 0.0)) -> Geometry:
    """A sphere from an icosahedron with a corner at each pole, its triangles split in four `subdivisions` times.

    radius and centre (3,) in m; 10 * 4^subdivisions + 2 points. Triangles are seen anticlockwise from outside.
    Groups: top and bottom (one point each), and with subdivisions equator.
    """
    size = argument(radius, "sphere_shell: radius", rule=positive)
    times = argument(subdivisions, "sphere_shell: subdivisions", dtype="int", rule=between(0, 9))
    middle = argument(centre, "sphere_shell: centre", shape=(3,))
    points, triangles = _icosahedron()
    for _ in range(times):
        points, triangles = _split(points, triangles)
    groups = {"top": np.atleast_1d(np.argmax(points[:, 1])), "bottom": np.atleast_1d(np.argmin(points[:, 1]))}
    if times:
        groups["equator"] = np.flatnonzero(np.abs(points[:, 1]) < 1e-9)
    return Geometry(points=size * points + middle, triangles=triangles, groups=groups)


def _icosahedron() -> tuple[np.ndarray, np.ndarray]:
    """12 points on the unit sphere and 20 triangles: a top, a ring of five, a turned ring of five, a bottom."""
    turn = np.arange(5) * (2 * np.pi / 5)
    height, width = 1 / np.sqrt(5), 2 / np.sqrt(5)
    upper = np.column_stack([width * np.sin(turn), np.full(5, height), width * np.cos(turn)])
    lower = np.column_stack([width * np.sin(turn + np.pi / 5), np.full(5, -height), width * np.cos(turn + np.pi / 5)])
    points = np.vstack([[0.0, 1.0, 0.0], upper, lower, [0.0, -1.0, 0.0]])
    u, l = np.arange(1, 6), np.arange(6, 11)  # noqa: E741
    next_u, next_l = np.roll(u, -1), np.roll(l, -1)
    top, bottom = np.zeros(5, int), np.full(5, 11)
    rows = [(top, u, next_u), (u, l, next_u), (next_u, l, next_l), (bottom, next_l, l)]
    return points, np.vstack([np.column_stack(row) for row in rows]).astype(np.int32)


def _split(points: np.ndarray, triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each triangle in four, with the edges' midpoints pushed out to the unit sphere."""
    n = len(points)
    edges = triangle_edges(triangles, n)
    mid = points[edges[:, 0]] + points[edges[:, 1]]
    mid /= np.linalg.norm(mid, axis=1, keepdims=True)
    keys = edges[:, 0].astype(np.int64) * n + edges[:, 1]
    a, b, c = triangles.T

    def middle(i: np.ndarray, j: np.ndarray) -> np.ndarray:
        return n + np.searchsorted(keys, np.minimum(i, j).astype(np.int64) * n + np.maximum(i, j))

    ab, bc, ca = middle(a, b), middle(b, c), middle(c, a)
    rows = [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
    split = np.stack([np.column_stack(row) for row in rows], axis=1).reshape(-1, 3)
    return np.vstack([points, mid]), split.astype(np.int32)
