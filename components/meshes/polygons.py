"""Polygons in space cut into triangles: fans where they are convex, ears where they are not."""
from __future__ import annotations

import numpy as np

MOST_CONCAVE_CORNERS = 1000  # cutting ears costs the square of the number of corners


def cut(points: np.ndarray, polygons: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Corner numbers (m, k - 2, 3) of the triangles of m polygons (m, k) of one size, and which (m,) are not simple.

    Seen along the polygon's mean normal (Newell), so that slightly bent polygons work, too. A polygon that crosses
    itself, or has more than MOST_CONCAVE_CORNERS corners and is not convex, is cut as a fan and counted as not simple.
    """
    m, k = polygons.shape
    fan = np.stack([np.zeros(k - 2, int), np.arange(1, k - 1), np.arange(2, k)], axis=1)
    result = np.broadcast_to(fan, (m, k - 2, 3)).copy()
    crossed = np.zeros(m, bool)
    if k == 3:
        return result, crossed
    p = points[polygons]
    p = p - p.mean(axis=1, keepdims=True)
    normal = np.cross(p, np.roll(p, -1, axis=1)).sum(axis=1)
    side = np.roll(p, -1, axis=1) - p
    turn = np.einsum("mkc,mc->mk", np.cross(np.roll(side, 1, axis=1), side), normal)
    blade = np.einsum("mkc,mc->mk", np.cross(p[:, 1:-1] - p[:, :1], p[:, 2:] - p[:, :1]), normal)
    concave = np.flatnonzero(~((turn >= 0).all(axis=1) & (blade > 0).all(axis=1)))
    for i in concave:
        ears = ear_clip(flattened(p[i], normal[i])) if k <= MOST_CONCAVE_CORNERS else None
        crossed[i] = ears is None
        if ears is not None:
            result[i] = ears
    return result, crossed


def flattened(p: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """(k, 2): points (k, 3) seen against their normal, anticlockwise."""
    length = np.sqrt(normal @ normal)
    if not length > 0:
        return np.zeros((len(p), 2))
    axis = normal / length
    u = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    u /= np.sqrt(u @ u)
    return np.stack([p @ u, p @ np.cross(axis, u)], axis=1)


def ear_clip(flat: np.ndarray) -> np.ndarray | None:
    """(k - 2, 3) corners of the triangles of a simple polygon (k, 2), anticlockwise; None where no ear is left.

    Ears by Meisters 1975, doi:10.1080/00029890.1975.11993898.
    """
    left = list(range(len(flat)))
    found = []
    size = float(np.abs(flat).max()) if len(flat) else 0.0
    least = 1e-14 * size * size
    while len(left) > 3:
        ring = flat[left]
        before, after = np.roll(ring, 1, axis=0), np.roll(ring, -1, axis=0)
        area = _cross(ring - before, after - ring)
        for i in np.argsort(-(area > least).astype(int), kind="stable"):
            if not area[i] > least:
                return None
            a, b, c = before[i], ring[i], after[i]
            inside = (
                (_cross(b - a, ring - a) >= -least) & (_cross(c - b, ring - b) >= -least)
                & (_cross(a - c, ring - c) >= -least)
            )
            corner = (ring == a).all(axis=1) | (ring == b).all(axis=1) | (ring == c).all(axis=1)
            if not (inside & ~corner).any():
                found.append((left[i - 1], left[i], left[(i + 1) % len(left)]))
                del left[i]
                break
        else:
            return None
    return np.array([*found, left])


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
