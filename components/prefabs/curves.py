"""Curves of a plane outline: straight lines and arcs, cut into boundary elements."""
from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from components.arguments import argument
from framework.errors import FieldError
from framework.fields import positive


@dataclasses.dataclass(frozen=True)
class Curve:
    """A line (radius 0) from start to end, or an arc of an ellipse about `centre` from angle start to end [rad].

    elements: how many it is cut into; grading: length of the last one over that of the first; name: of its group.
    """

    start: tuple[float, ...]
    end: tuple[float, ...]
    centre: tuple[float, float]
    radius: tuple[float, float]
    elements: int
    grading: float
    name: str

    def at(self, s: np.ndarray) -> np.ndarray:
        """(q, 2) points at s in [0, 1]."""
        if self.radius == (0.0, 0.0):
            return (1 - s)[:, None] * np.array(self.start) + s[:, None] * np.array(self.end)
        angle = (1 - s) * self.start[0] + s * self.end[0]
        return np.array(self.centre) + np.stack([np.cos(angle), np.sin(angle)], axis=1) * np.array(self.radius)

    def points(self, order: int) -> np.ndarray:
        """(elements * order + 1, 2) points along it, ends included: middles are halfway in s, so on the curve."""
        ratio = self.grading ** (1 / max(self.elements - 1, 1))
        lengths = ratio ** np.arange(self.elements) if self.elements > 1 else np.ones(1)
        ends = np.concatenate([[0.0], np.cumsum(lengths)]) / lengths.sum()
        s = np.concatenate([ends[:-1, None] + np.diff(ends)[:, None] * np.arange(order) / order]).ravel()
        return self.at(np.append(s, 1.0))


def line(start: Any, end: Any, elements: int = 1, *, grading: float = 1.0, name: str = "") -> Curve:
    """A straight side from start (2,) to end (2,) [m], of an outline."""
    a, b = (tuple(argument(x, f"line: {what}", unit="m", shape=(2,)).tolist())
            for x, what in ((start, "start"), (end, "end")))
    if a == b:
        raise FieldError(f"line: end must be another point than start, got {b}")
    return Curve(a, b, (0.0, 0.0), (0.0, 0.0), *_division("line", elements, grading), name)


def arc(
    centre: Any, radius: Any, start: float = 0.0, end: float = 2 * math.pi, elements: int = 8, *,
    grading: float = 1.0, name: str = "",
) -> Curve:  # fmt: skip
    """An arc from angle start to end [rad] about centre (2,) [m]: anticlockwise where end is larger.

    radius [m]: of a circle, or (2,) of an ellipse with axes along x and y.
    """
    middle = tuple(argument(centre, "arc: centre", unit="m", shape=(2,)).tolist())
    radii = argument(np.broadcast_to(radius, 2) if np.ndim(radius) == 0 else radius, "arc: radius", unit="m",
                     shape=(2,), rule=positive)
    angles = [float(argument(x, f"arc: {what}")) for x, what in ((start, "start"), (end, "end"))]
    if not 0 < abs(angles[1] - angles[0]) <= 2 * math.pi * (1 + 1e-12):
        raise FieldError(f"arc: end must differ from start by up to 2 pi, got {angles[0]} to {angles[1]}")
    return Curve((angles[0],), (angles[1],), middle, tuple(radii.tolist()), *_division("arc", elements, grading), name)


def polygon(corners: Any, elements: Any = 1, *, grading: Any = 1.0, names: Sequence[str] = ()) -> list[Curve]:
    """The sides of a closed polygon with these corners (c, 2) [m]; elements, grading, names: one, or one a side."""
    points = argument(corners, "polygon: corners", unit="m", shape=("c", 2))
    count = len(points)
    if count < 3:
        raise FieldError(f"polygon: corners must be at least 3, got {count}")
    each = []
    for what, value in (("elements", elements), ("grading", grading)):
        values = [value] * count if np.ndim(value) == 0 else list(value)
        if len(values) != count:
            raise FieldError(f"polygon: {what} must be one number, or one for each of {count} sides, got {len(values)}")
        each.append(values)
    labels = list(names) or [f"side_{number + 1}" for number in range(count)]
    if len(labels) != count:
        raise FieldError(f"polygon: names must be one for each of {count} sides, got {len(labels)}")
    sides = zip(points, np.roll(points, -1, axis=0), *each, labels, strict=True)
    return [line(a, b, n, grading=ratio, name=name) for a, b, n, ratio, name in sides]


def _division(what: str, elements: Any, grading: Any) -> tuple[int, float]:
    count = int(argument(elements, f"{what}: elements", dtype="int", rule=positive))
    return count, float(argument(grading, f"{what}: grading", rule=positive))
