"""Where the disc of a ground lies for a camera; it depends on the camera alone, so it stands still in a film."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .camera import view_distance
from .scene import Camera, Ground


@dataclass(slots=True)
class Disc:
    """A ground's disc: centre (3,) [m]; its axes first, second, upwards (3,); radius and cell, the side of a check [m].

    offset (2,): the centre in the ground's own coordinates, so that checks are fixed in the world.
    above: whether the eye is; strength: 1 then, weaker from below.
    reach: half the side of the square that takes shadows [m].
    """

    centre: np.ndarray
    first: np.ndarray
    second: np.ndarray
    upwards: np.ndarray
    radius: float
    cell: float
    offset: np.ndarray
    strength: float
    reach: float
    above: bool


def disc(ground: Ground, camera: Camera) -> Disc:
    normal = np.asarray(ground.normal)
    start = np.array([1.0, 0.0, 0.0]) if abs(normal[0]) < 0.9 else np.array([0.0, 0.0, 1.0])
    first = start - normal * (start @ normal)
    first = first / np.linalg.norm(first)
    second = np.cross(first, normal)
    distance = view_distance(camera)
    centre = camera.target - normal * ((camera.target - ground.point) @ normal)
    offset = np.array([(centre - ground.point) @ first, (centre - ground.point) @ second])
    above = (camera.eye - ground.point) @ normal > 0.0
    return Disc(centre, first, second, normal, 1.9 * distance, _round_length(distance / 9.0), offset,
                1.0 if above else 0.3, 0.9 * distance, bool(above))


def _round_length(length: float) -> float:
    """The nearest of ... 0.1, 0.2, 0.5, 1, 2, 5 ... below."""
    power = 10.0 ** np.floor(np.log10(length))
    return float(power * max(step for step in (1.0, 2.0, 5.0) if step * power <= length * (1.0 + 1e-9)))
