"""A camera for films that no body leaves: it widens smoothly to hold all that has been seen, and never narrows."""
from __future__ import annotations

import dataclasses
from itertools import product

import numpy as np

from .camera import MARGIN, fit_points, seen, view_matrix
from .scene import Camera, Scene

DIRECTIONS = np.array([d for d in product((-1.0, 0.0, 1.0), repeat=3) if any(d)])
EASE = 0.08  # of the way to the view that is wanted, in a picture
WIDEST = 8.0  # times the first view: what falls for ever is let go


class Following:
    """`camera(scene)` for each picture in turn. `look` shows it a scene before, when what comes is known."""

    def __init__(self, aspect: float = 16 / 9) -> None:
        self.aspect = aspect
        self._points = np.zeros((0, 3))
        self._camera: Camera | None = None
        self._first = 0.0

    def look(self, scene: Scene) -> None:
        """Remember how far bodies reach."""
        points = np.vstack([self._points, seen(scene)])
        self._points = points[np.unique(np.argmax(points @ DIRECTIONS.T, axis=0))]

    def camera(self, scene: Scene) -> Camera:
        self.look(scene)
        wanted = fit_points(self._points, scene.plane, self.aspect)
        if self._camera is None:
            self._camera, self._first = wanted, _width(wanted)
            return wanted
        if _width(wanted) > WIDEST * self._first:
            return self._camera
        share = EASE
        while True:  # faster where a body would leave the picture
            camera = _between(self._camera, wanted, share)
            if share >= 1.0 or _holds(camera, seen(scene), self.aspect):
                self._camera = camera
                return camera
            share = min(2.0 * share, 1.0)


def _width(camera: Camera) -> float:
    if camera.orthographic is not None:
        return float(camera.orthographic)
    return float(np.linalg.norm(np.asarray(camera.eye) - camera.target))


def _between(a: Camera, b: Camera, share: float) -> Camera:
    def mixed(one: np.ndarray, two: np.ndarray) -> np.ndarray:
        return (1.0 - share) * np.asarray(one) + share * np.asarray(two)

    wide = None
    if a.orthographic is not None and b.orthographic is not None:
        wide = (1.0 - share) * a.orthographic + share * b.orthographic
    return dataclasses.replace(b, eye=mixed(a.eye, b.eye), target=mixed(a.target, b.target), orthographic=wide)


def _holds(camera: Camera, points: np.ndarray, aspect: float) -> bool:
    """Whether points lie in the picture, with half the margin of a fitted view."""
    view = np.c_[points, np.ones(len(points))] @ view_matrix(camera).T
    if camera.orthographic is not None:
        half = np.full(len(points), 0.5 * camera.orthographic)
    else:
        half = -view[:, 2] * np.tan(np.radians(camera.field_of_view) / 2.0)
    half = half * 2.0 / (1.0 + MARGIN)
    return bool(np.all(half > 0) and np.all(np.abs(view[:, 1]) <= half) and np.all(np.abs(view[:, 0]) <= half * aspect))
