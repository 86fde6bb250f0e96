"""Points and triangles inside a plane outline, to show what happens in a body: no solver depends on them."""
from __future__ import annotations

from typing import Any

import numpy as np

from components.arguments import argument
from framework.errors import FieldError

MOST = 4000  # points inside
ROOM = 0.55  # of the spacing: how near points come to the boundary


def filled(
    boundary: np.ndarray, segments: np.ndarray, window: Any, spacing: float | None
) -> tuple[np.ndarray, np.ndarray | None]:
    """(points inside (i, 2), triangles (t, 3) int32 over boundary and inside points), Delaunay's of a regular pattern.

    window: True, or corners ((x, y), (x, y)) of a rectangle around the holes of an infinite region. Where the triangles
    would not keep to the boundary, because its points are too far apart, there are none.
    """
    from scipy.spatial import Delaunay, QhullError

    edges = np.concatenate([segments[:, [j, j + 1]] for j in range(segments.shape[1] - 1)])
    lengths = np.linalg.norm(boundary[edges[:, 1]] - boundary[edges[:, 0]], axis=1)
    frame = np.zeros((0, 2))
    low, high = boundary.min(axis=0), boundary.max(axis=0)
    if window is not True:
        low, high = argument(window, "outline: fill", unit="m", shape=(2, 2))
        if np.any(low >= boundary.min(axis=0)) or np.any(high <= boundary.max(axis=0)):
            raise FieldError(f"outline: fill must be the corners of a rectangle around the boundary, got {window}")
    area = float(np.prod(high - low))
    wanted = float(np.median(lengths)) if spacing is None else float(argument(spacing, "outline: spacing", unit="m"))
    if not wanted > 0:
        raise FieldError(f"outline: spacing must be positive, got {wanted}")
    step = max(wanted, np.sqrt(area / MOST))
    if window is not True:
        frame = _frame(low, high, step)
    walls, seams = _closed(boundary, edges)
    inside = _pattern(low, high, step)
    inside = inside[_within(inside, walls, low, high, window is not True)]
    clear = np.full(len(inside), np.inf)
    for a, b in np.concatenate([walls, seams]) if len(seams) else walls:
        along = np.clip((inside - a) @ (b - a) / ((b - a) @ (b - a)), 0.0, 1.0)
        clear = np.minimum(clear, np.linalg.norm(inside - a - along[:, None] * (b - a), axis=1))
    inside = np.concatenate([inside[clear > ROOM * step], frame, *(_along(a, b, step) for a, b in seams)])
    points = np.concatenate([boundary, inside])
    try:
        triangles = Delaunay(points).simplices
    except QhullError:
        return np.zeros((0, 2)), None
    middle = points[triangles].mean(axis=1)
    triangles = triangles[_within(middle, walls, low, high, window is not True)]
    a, b, c = (points[triangles[:, j]] for j in range(3))
    double = (b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]
    triangles[double < 0] = triangles[double < 0][:, [0, 2, 1]]
    triangles = triangles[np.abs(double) > 1e-9 * step * step]
    sides = np.sort(np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]), axis=1)
    known = sides[:, 0].astype(np.int64) * len(points) + sides[:, 1]
    own = np.sort(edges, axis=1)
    if not np.isin(own[:, 0].astype(np.int64) * len(points) + own[:, 1], known).all():
        return np.zeros((0, 2)), None
    return inside, triangles.astype(np.int32)


def _pattern(low: np.ndarray, high: np.ndarray, step: float) -> np.ndarray:
    """(p, 2) equilateral triangles' corners, around the middle of a rectangle."""
    half, middle = 0.5 * (high - low), 0.5 * (low + high)
    columns, rows = int(half[0] / step) + 1, int(half[1] / (step * np.sqrt(0.75))) + 1
    i, j = np.meshgrid(np.arange(-columns, columns + 1), np.arange(-rows, rows + 1), indexing="ij")
    return np.stack([(i + 0.5 * (j % 2)).ravel() * step, j.ravel() * step * np.sqrt(0.75)], axis=1) + middle


def _frame(low: np.ndarray, high: np.ndarray, step: float) -> np.ndarray:
    count = np.maximum(1, np.round((high - low) / step)).astype(int)
    x, y = (np.linspace(low[k], high[k], count[k] + 1) for k in range(2))
    across = [np.stack([x, np.full(len(x), level)], axis=1) for level in (low[1], high[1])]
    upward = [np.stack([np.full(len(y) - 2, level), y[1:-1]], axis=1) for level in (low[0], high[0])]
    return np.concatenate(across + upward)


def _closed(boundary: np.ndarray, edges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(walls (w, 2, 2): all edges with those that close a boundary along planes of symmetry; these alone (s, 2, 2))."""
    own = boundary[edges]
    ends = boundary[np.flatnonzero(np.bincount(edges.ravel(), minlength=len(boundary)) == 1)]
    small = 1e-9 * float(np.ptp(boundary, axis=0).max())
    seams, left = [], []
    for axis in range(2):
        on = ends[np.abs(ends[:, axis]) <= small]
        on = on[np.argsort(on[:, 1 - axis])]
        left += list(on[:1]) if len(on) % 2 else []  # the plane's other end is the origin
        rest = on[len(on) % 2 :]
        seams += [np.stack([rest[j], rest[j + 1]]) for j in range(0, len(rest), 2)]
    seams += [np.stack([end, np.zeros(2)]) for end in left]
    found = np.array(seams).reshape(-1, 2, 2)
    return np.concatenate([own, found]), found


def _along(a: np.ndarray, b: np.ndarray, step: float) -> np.ndarray:
    """Points between a and b, and b itself where it is the origin."""
    count = max(1, round(float(np.linalg.norm(b - a)) / step))
    s = np.arange(1, count + (not b.any())) / count
    return a + s[:, None] * (b - a)


def _within(
    places: np.ndarray, walls: np.ndarray, low: np.ndarray, high: np.ndarray, outside: bool
) -> np.ndarray:
    """(p,) whether places are in the material: a ray to the right crosses the walls an odd number of times."""
    odd = np.zeros(len(places), bool)
    for a, b in walls:
        straddles = (a[1] > places[:, 1]) != (b[1] > places[:, 1])
        with np.errstate(divide="ignore", invalid="ignore"):
            x = a[0] + (places[:, 1] - a[1]) / (b[1] - a[1]) * (b[0] - a[0])
        odd ^= straddles & (places[:, 0] < x)
    if outside:
        return ~odd & np.all((places > low) & (places < high), axis=1)
    return odd
