"""Where the picture is seen from: bounds, an automatic view, and the matrices."""
from __future__ import annotations

import dataclasses

import numpy as np

from .meshes import drawable_points, unit_sphere
from .scene import Ball, Camera, Scene

DIRECTION = np.array([0.52, 0.42, 0.74])  # from the target to the eye: from the right, slightly above
MARGIN = 1.22
FIT_POINTS = 5000


def bounds(scene: Scene) -> tuple[np.ndarray, np.ndarray]:
    """The lowest and highest corner (3,) of everything drawn but the ground; a unit box when there is nothing."""
    points = [_bodies(scene)]
    points += [ball.centre + sign * ball.radius for ball in scene.balls for sign in (-1.0, 1.0)]
    return _box(np.vstack(points), scene)


def fit(scene: Scene, aspect: float = 16 / 9, field_of_view: float = 40.0) -> Camera:
    """A three-quarter view that holds all bodies; ground is left out, and of a ball only what is near the bodies.

    Bodies in the plane z = 0 are seen straight on. For a film see `Following`.
    """
    return fit_points(seen(scene), scene.plane, aspect, field_of_view)


def seen(scene: Scene) -> np.ndarray:
    """(p, 3) the points that a view of a scene should hold."""
    points = _bodies(scene)
    if len(points) and scene.balls:
        low, high = points.min(axis=0), points.max(axis=0)
        reach = 0.3 * float(np.linalg.norm(high - low))
        return np.vstack([points, *(np.clip(_sample(ball), low - reach, high + reach) for ball in scene.balls)])
    if scene.balls:
        return np.vstack([_sample(ball) for ball in scene.balls])
    return points if len(points) else np.vstack(_box(points, scene))


def fit_points(points: np.ndarray, plane: bool, aspect: float = 16 / 9, field_of_view: float = 40.0) -> Camera:
    """The view of `fit` that holds points (p, 3)."""
    if plane:
        return _front(points, aspect, field_of_view)
    low, high = points.min(axis=0), points.max(axis=0)
    middle = 0.5 * (low + high)
    size = max(float(np.linalg.norm(high - low)), 1e-9)
    right, up, towards = _axes(DIRECTION, np.array([0.0, 1.0, 0.0]))
    x, y, z = ((points - middle) @ axis for axis in (right, up, towards))
    slope_y = np.tan(np.radians(field_of_view) / 2.0) / MARGIN
    slope_x = slope_y * aspect
    # The nearest eye that has each point between the sides, then the target that uses both margins alike.
    for _ in range(3):
        width = np.max(z + np.abs(x) / slope_x)
        height = np.max(z + np.abs(y) / slope_y)
        distance = max(width, height, float(z.max()) + 0.05 * size, 0.6 * size)
        shift_x, shift_y = (0.5 * (np.max(v / (distance - z)) + np.min(v / (distance - z))) * distance for v in (x, y))
        middle = middle + shift_x * right + shift_y * up
        x, y = x - shift_x, y - shift_y
    distance = max(np.max(z + np.abs(x) / slope_x), np.max(z + np.abs(y) / slope_y), float(z.max()) + 0.05 * size)
    distance = max(distance, 0.6 * size)
    return Camera(eye=middle + distance * towards, target=middle, field_of_view=field_of_view)


def _front(points: np.ndarray, aspect: float, field_of_view: float) -> Camera:
    """A parallel view along -z; the margin leaves room for a legend at the side."""
    low, high = points.min(axis=0), points.max(axis=0)
    middle, extent = 0.5 * (low + high), high - low
    height = MARGIN * max(float(extent[1]), float(extent[0]) / (aspect - 0.25), 1e-9)
    return Camera(
        eye=middle + np.array([0.0, 0.0, 2.0 * height]), target=middle, field_of_view=field_of_view, orthographic=height
    )


def widened(camera: Camera, aspect: float, designed: float = 16 / 9) -> Camera:
    """The camera of a narrower picture that shows as much from left to right as one of the `designed` aspect."""
    if aspect >= designed:
        return camera
    if camera.orthographic is not None:
        return dataclasses.replace(camera, orthographic=camera.orthographic * designed / aspect)
    half = np.tan(np.radians(0.5 * camera.field_of_view)) * designed / aspect
    return dataclasses.replace(camera, field_of_view=float(2.0 * np.degrees(np.arctan(half))))


def view_matrix(camera: Camera) -> np.ndarray:
    """World to eye coordinates (4, 4): x to the right, y up, looking along -z."""
    rows = np.stack(_axes(camera.eye - camera.target, camera.up))
    matrix = np.eye(4)
    matrix[:3, :3] = rows
    matrix[:3, 3] = -rows @ camera.eye
    return matrix


def view_distance(camera: Camera) -> float:
    """How far the eye is from its target [m]; for an orthographic view, from where perspective would show as much."""
    if camera.orthographic is not None:
        return float(0.5 * camera.orthographic / np.tan(np.radians(camera.field_of_view) / 2.0))
    return float(np.linalg.norm(camera.eye - camera.target))


def eye_of(camera: Camera) -> np.ndarray:
    """The point (3,) that light is reflected to: the eye, or for an orthographic view one far behind it."""
    if camera.orthographic is None:
        return camera.eye
    back = camera.eye - camera.target
    return camera.target + back * (1e4 * view_distance(camera) / np.linalg.norm(back))


def pixel_size(camera: Camera, height: int) -> float:
    """How large a pixel is at the target [m], in a picture of `height` rows."""
    return 2.0 * view_distance(camera) * float(np.tan(np.radians(camera.field_of_view) / 2.0)) / height


def projection_matrix(camera: Camera, aspect: float, near: float, far: float) -> np.ndarray:
    """Eye to clip coordinates (4, 4), in OpenGL's convention."""
    if camera.orthographic is not None:
        scale = 2.0 / camera.orthographic
        matrix = np.diag([scale / aspect, scale, 2.0 / (near - far), 1.0])
        matrix[2, 3] = (far + near) / (near - far)
        return matrix
    scale = 1.0 / np.tan(np.radians(camera.field_of_view) / 2.0)
    matrix = np.zeros((4, 4))
    matrix[0, 0], matrix[1, 1] = scale / aspect, scale
    matrix[2, 2], matrix[2, 3] = (far + near) / (near - far), 2.0 * far * near / (near - far)
    matrix[3, 2] = -1.0
    return matrix


def depth_step(projection: np.ndarray, distance: float, length: float) -> float:
    """What `length` [m] along the line of sight is in depth, at a distance [m]: of OpenGL's from -1 to 1."""
    near, far = (projection[2:] @ (0.0, 0.0, -z, 1.0) for z in (distance, distance + length))
    return float(far[0] / far[1] - near[0] / near[1])


def depth_range(camera: Camera, scene: Scene) -> tuple[float, float]:
    """Near and far distance [m] that hold the scene and the disc of its ground.

    Rounded outwards to powers of 1.5, so that they, and what is kept for them, stay as they are while bodies move.
    """
    low, high = bounds(scene)
    view = view_distance(camera)
    radius = 0.5 * float(np.linalg.norm(high - low))
    distance = float(np.linalg.norm(camera.eye - 0.5 * (low + high)))
    far = max(distance + 1.05 * radius, 4.0 * view if scene.grounds else 0.0, 1e-6)
    if camera.orthographic is not None:  # nothing is behind an eye that is nowhere
        far = _round_up(max(far, float(np.linalg.norm(camera.eye - camera.target)) + 4.0 * view))
        return -far, far
    far = _round_up(far)
    near = max(distance - 1.05 * radius, 2e-3 * far)
    return 1.0 / _round_up(1.0 / (min(near, 0.05 * view) if scene.grounds else near)), far


def _round_up(length: float) -> float:
    return float(1.5 ** np.ceil(np.log(length) / np.log(1.5)))


def _bodies(scene: Scene) -> np.ndarray:
    sets = [surface.vertices[np.unique(surface.triangles)] if len(surface.vertices) < FIT_POINTS else surface.vertices
            for surface in scene.surfaces]
    sets += [lines.points for lines in scene.lines] + [points.points for points in scene.points]
    kept = [points[drawable_points(points)] for points in sets if len(points)]
    # Thinned, but with the extreme points, so that the box stays exact.
    kept = [np.vstack([p[:: len(p) // FIT_POINTS + 1], p[p.argmin(axis=0)], p[p.argmax(axis=0)]])
            for p in kept if len(p)]
    return np.vstack(kept) if kept else np.zeros((0, 3))


def _box(points: np.ndarray, scene: Scene) -> tuple[np.ndarray, np.ndarray]:
    if len(points):
        return points.min(axis=0), points.max(axis=0)
    centre = scene.grounds[0].point if scene.grounds else np.zeros(3)
    return centre - 0.5, centre + 0.5


def _sample(ball: Ball) -> np.ndarray:
    return ball.centre + ball.radius * unit_sphere(8, 12)[0]


def _axes(towards_eye: np.ndarray, up: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Right, up and backwards: unit vectors (3,). An `up` along the line of sight is replaced."""
    back = towards_eye / np.linalg.norm(towards_eye)
    right = np.cross(up, back)
    if np.linalg.norm(right) < 1e-9 * max(float(np.linalg.norm(up)), 1e-300):
        right = np.cross([0.0, 0.0, -1.0] if abs(back[1]) > 0.5 else [0.0, 1.0, 0.0], back)
    right = right / np.linalg.norm(right)
    return right, np.cross(back, right), back
