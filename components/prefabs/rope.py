"""A line of points."""
from __future__ import annotations

from typing import Any

import numpy as np

from components.arguments import argument
from components.geometry import Geometry
from framework.errors import FieldError
from framework.fields import positive


def rope(start: Any = (0.0, 0.0, 0.0), end: Any = (1.0, 0.0, 0.0), segments: int = 20, length: Any = None) -> Geometry:
    """A rope from start (3,) to end (3,) [m] in equal segments, straight, or sagging in an arc if `length` [m] is more.

    Every segment is length / segments long: that is its rest length. The arc sags down (-y), that of a vertical rope
    towards +x; it is a shape of the right length to start from, not the one that gravity gives.
    Groups: start, end, ends.
    """
    a = argument(start, "rope: start", shape=(3,))
    b = argument(end, "rope: end", shape=(3,))
    count = argument(segments, "rope: segments", dtype="int", rule=positive)
    if count >= 2**31 - 1:
        raise FieldError(f"rope: segments must give fewer than 2^31 points, got {count}")
    span = float(np.linalg.norm(b - a))
    total = span if length is None else argument(length, "rope: length", rule=positive)
    if total < span * (1 - 1e-12):
        raise FieldError(f"rope: length must be at least the distance from start to end, {span:.6g}, got {total}")
    if total == 0:
        raise FieldError("rope: end must differ from start, or length be given, got equal points")
    slack = total > span * (1 + 1e-12)
    if slack and count < (2 if span else 3):
        raise FieldError(f"rope: segments must be at least {2 if span else 3} for a slack rope, got {count}")
    points = a + np.linspace(0, 1, count + 1)[:, None] * (b - a)
    if slack:
        points = _arc(a, b, span, total, count)
    number = np.arange(count + 1, dtype=np.int32)
    return Geometry(
        points=points,
        edges=np.column_stack([number[:-1], number[1:]]),
        groups={"start": number[:1], "end": number[-1:], "ends": number[[0, -1]]},
    )


def _arc(a: np.ndarray, b: np.ndarray, span: float, total: float, count: int) -> np.ndarray:
    """(count + 1, 3) points on a circle, `count` equal chords that add up to `total`, from a to b."""
    along = (b - a) / span if span else np.array([1.0, 0.0, 0.0])
    down = np.array([0.0, -1.0, 0.0])
    down -= (down @ along) * along
    if np.linalg.norm(down) < 1e-9:
        down = np.array([1.0, 0.0, 0.0])
        down -= (down @ along) * along
    down /= np.linalg.norm(down)
    # each chord turns by 2 h; n chords of unit length span sin(n h) / sin(h), which falls from n to 0 as h grows
    low, high = 0.0, np.pi / count
    for _ in range(200):
        h = 0.5 * (low + high)
        low, high = (h, high) if np.sin(count * h) * total > span * count * np.sin(h) else (low, h)
    heading = (count - 1 - 2 * np.arange(count)) * h
    steps = np.cos(heading)[:, None] * along + np.sin(heading)[:, None] * down
    points = np.vstack([a, a + np.cumsum(steps * (total / count), axis=0)])
    points[-1] = b
    return points
