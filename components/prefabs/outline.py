"""Plane bodies for boundary elements: outlines of lines and arcs, with points inside to look at."""
from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from components.arguments import argument
from components.geometry import Geometry
from components.prefabs.curves import Curve, arc, polygon
from components.prefabs.fill import filled
from framework.errors import FieldError
from framework.fields import positive

CLOSE = 1e-9  # of the outline's size: ends of curves that are nearer meet there


def outline(
    *loops: Sequence[Curve], order: int = 2, fill: Any = True, spacing: float | None = None
) -> Geometry:
    """A body in the plane z = 0 whose boundary is one loop of curves, or one and holes in it.

    Each loop is a list of curves from one to the next; the outer one runs anticlockwise, holes clockwise (with the
    material on the left). An open loop is the boundary of a body with planes of symmetry. order: 1 for straight
    elements with two points, 2 for three. fill: whether there are points and triangles inside, for pictures; of an
    infinite region ((x, y), (x, y)), the corners of what is shown of it. spacing [m]: of these points.
    Groups: one for each name of a curve, and `boundary`.
    """
    order = int(argument(order, "outline: order", dtype="int"))
    if order not in (1, 2):
        raise FieldError(f"outline: order must be 1 or 2, got {order}")
    if not loops or any(not len(loop) for loop in loops):
        raise FieldError("outline: must be given at least one list of curves, got none")
    points: list[np.ndarray] = []
    segments: list[np.ndarray] = []
    groups: dict[str, list[np.ndarray]] = {}
    count = 0
    for loop in loops:
        places, elements, named = _loop(loop, order)
        points.append(places)
        segments.append(elements + count)
        for name, group in named.items():
            groups.setdefault(name, []).append(group + count)
        count += len(places)
    boundary, rows = np.concatenate(points), np.concatenate(segments)
    found = {name: np.unique(np.concatenate(group)) for name, group in groups.items()}
    found["boundary"] = np.arange(len(boundary))
    inside, triangles = np.zeros((0, 2)), None
    if fill is not False:
        inside, triangles = filled(boundary, rows, fill, spacing)
    everything = np.zeros((len(boundary) + len(inside), 3))
    everything[:, :2] = np.concatenate([boundary, inside])
    return Geometry(points=everything, segments=rows.astype(np.int32), triangles=triangles, groups=found)  # type: ignore[arg-type]


def _loop(loop: Sequence[Curve], order: int) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """(points, elements, groups) of a chain of curves."""
    for curve in loop:
        if not isinstance(curve, Curve):
            raise FieldError(f"outline: must be given curves such as line(...) and arc(...), got {curve!r}")
    pieces = [curve.points(order) for curve in loop]
    size = float(np.ptp(np.concatenate(pieces), axis=0).max())
    for number, (a, b) in enumerate(pairwise(pieces)):
        if np.linalg.norm(a[-1] - b[0]) > CLOSE * size:
            raise FieldError(
                f"outline: each curve must begin where the one before it ends, got {b[0].tolist()} after "
                f"{a[-1].tolist()} (curve {number + 2})"
            )
    closed = bool(np.linalg.norm(pieces[0][0] - pieces[-1][-1]) <= CLOSE * size)
    points = np.concatenate([piece[:-1] for piece in pieces] + ([] if closed else [pieces[-1][-1:]]))
    total = sum(len(piece) - 1 for piece in pieces)
    first = np.arange(0, total, order)
    elements = np.stack([(first + j) % len(points) for j in range(order + 1)], axis=1)
    groups: dict[str, list[np.ndarray]] = {}
    start = 0
    for curve, piece in zip(loop, pieces, strict=True):
        if curve.name:
            groups.setdefault(curve.name, []).append((start + np.arange(len(piece))) % len(points))
        start += len(piece) - 1
    return points, elements, {name: np.unique(np.concatenate(found)) for name, found in groups.items()}


def plate(
    size: Any = (5.0, 1.0), elements: Any = (5, 1), *, order: int = 2, centre: Any = None, hole: float | None = None,
    hole_elements: int = 16, fill: Any = True, spacing: float | None = None, grading: float = 1.0,
) -> Geometry:  # fmt: skip
    """A rectangle of size (2,) [m], its sides cut into elements (2,), from the origin, or about a centre (2,) [m].

    hole [m]: radius of a circular hole in the middle, cut into `hole_elements`. Groups: left, right, bottom, top, hole.
    """
    extent = argument(size, "plate: size", unit="m", shape=(2,), rule=positive)
    count = argument(elements, "plate: elements", shape=(2,), dtype="int32", rule=positive).tolist()
    low = np.zeros(2) if centre is None else argument(centre, "plate: centre", unit="m", shape=(2,)) - 0.5 * extent
    high, middle = low + extent, low + 0.5 * extent
    corners = [low, (high[0], low[1]), high, (low[0], high[1])]
    loops = [polygon(corners, [*count, *count], grading=grading, names=("bottom", "right", "top", "left"))]
    if hole is not None:
        radius = float(argument(hole, "plate: hole", unit="m", rule=positive))
        if 2 * radius >= extent.min():
            raise FieldError(f"plate: hole must be smaller than half the shorter side, got {radius}")
        loops.append([arc(middle, radius, 2 * math.pi, 0.0, hole_elements, name="hole")])
    return outline(*loops, order=order, fill=fill, spacing=spacing)
