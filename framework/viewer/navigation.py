"""Moving the view: pure functions from a camera to the next one. Angles in radians, lengths in metres or pixels."""
from __future__ import annotations

import dataclasses

import numpy as np

from .camera import view_matrix
from .scene import Camera

STEEPEST = np.radians(89.0)  # the eye never gets above the target, where the view would flip
NEAREST, FARTHEST = 1e-6, 1e9  # m, from the eye to the target
AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
UP = np.array([0.0, 1.0, 0.0])


def orbit(camera: Camera, across: float, down: float) -> Camera:
    """Turn the eye about the target: `across` to the right about the upright axis, `down` over it."""
    away = camera.eye - camera.target
    distance = float(np.linalg.norm(away))
    yaw = float(np.arctan2(away[0], away[2])) - across
    pitch = float(np.arcsin(np.clip(away[1] / distance, -1.0, 1.0))) + down
    return dataclasses.replace(camera, eye=camera.target + distance * _direction(yaw, pitch), up=UP)


def pan(camera: Camera, right: float, up: float, height: int) -> Camera:
    """Move the view by pixels of a picture `height` pixels high, so that the target follows the mouse."""
    rows = view_matrix(camera)[:3, :3]
    size = visible_height(camera) / max(height, 1)
    move = -size * right * rows[0] - size * up * rows[1]
    return dataclasses.replace(camera, eye=camera.eye + move, target=camera.target + move)


def zoom(camera: Camera, factor: float, cursor: tuple[float, float] = (0.0, 0.0), aspect: float = 1.0) -> Camera:
    """Come nearer by `factor` (2: twice as near) towards what is below the cursor, (-1..1, -1..1) up to the right."""
    away = camera.eye - camera.target
    distance = float(np.linalg.norm(away))
    factor = float(np.clip(factor, distance / FARTHEST, distance / NEAREST))
    rows, half = view_matrix(camera)[:3, :3], 0.5 * visible_height(camera)
    below = camera.target + half * (aspect * cursor[0] * rows[0] + cursor[1] * rows[1])
    target = below + (camera.target - below) / factor
    height = camera.orthographic
    return dataclasses.replace(camera, target=target, eye=target + away / factor,
                               orthographic=None if height is None else height / factor)


def fly(camera: Camera, forwards: float, right: float, up: float) -> Camera:
    """Move eye and target along the view, to the right and upwards [m]."""
    rows = view_matrix(camera)[:3, :3]
    move = -forwards * rows[2] + right * rows[0] + up * UP
    return dataclasses.replace(camera, eye=camera.eye + move, target=camera.target + move)


def look(camera: Camera, across: float, down: float) -> Camera:
    """Turn the view about the eye, as a head turns."""
    ahead = camera.target - camera.eye
    distance = float(np.linalg.norm(ahead))
    yaw = float(np.arctan2(ahead[0], ahead[2])) - across
    pitch = float(np.arcsin(np.clip(ahead[1] / distance, -1.0, 1.0))) - down
    return dataclasses.replace(camera, target=camera.eye + distance * _direction(yaw, pitch), up=UP)


def along(camera: Camera, axis: str, backwards: bool = False) -> Camera:
    """Look at the target from the positive end of an axis ("x", "y" or "z"), or from the negative one."""
    distance = float(np.linalg.norm(camera.eye - camera.target))
    direction = np.array(AXES[axis]) * (-1.0 if backwards else 1.0)
    up = UP if axis != "y" else np.array([0.0, 0.0, -1.0])
    return dataclasses.replace(camera, eye=camera.target + distance * direction, up=up)


def frame(camera: Camera, low: np.ndarray, high: np.ndarray, aspect: float = 16 / 9, margin: float = 1.25) -> Camera:
    """The same direction of view, with the box from `low` to `high` (3,) [m] filling the picture."""
    middle = 0.5 * (np.asarray(low, dtype=float) + high)
    radius = max(0.5 * float(np.linalg.norm(np.asarray(high, dtype=float) - low)), NEAREST)
    away = camera.eye - camera.target
    slope = np.tan(np.radians(camera.field_of_view) / 2.0) * min(aspect, 1.0)
    distance = float(np.clip(margin * radius / np.sin(np.arctan(slope)), NEAREST, FARTHEST))
    height = None if camera.orthographic is None else 2.0 * margin * radius / min(aspect, 1.0)
    eye = middle + distance * away / np.linalg.norm(away)
    return dataclasses.replace(camera, target=middle, eye=eye, orthographic=height)


def orthographic(camera: Camera, on: bool) -> Camera:
    """Change between perspective and orthographic view; the target keeps its size in the picture."""
    if on:
        return dataclasses.replace(camera, orthographic=visible_height(camera))
    away = camera.eye - camera.target
    distance = 0.5 * visible_height(camera) / np.tan(np.radians(camera.field_of_view) / 2.0)
    eye = camera.target + distance * away / np.linalg.norm(away)
    return dataclasses.replace(camera, eye=eye, orthographic=None)


def visible_height(camera: Camera) -> float:
    """How much of the world the picture holds from bottom to top [m], at the target."""
    if camera.orthographic is not None:
        return camera.orthographic
    return float(2.0 * np.linalg.norm(camera.eye - camera.target) * np.tan(np.radians(camera.field_of_view) / 2.0))


def _direction(yaw: float, pitch: float) -> np.ndarray:
    pitch = float(np.clip(pitch, -STEEPEST, STEEPEST))
    return np.array([np.sin(yaw) * np.cos(pitch), np.sin(pitch), np.cos(yaw) * np.cos(pitch)])
