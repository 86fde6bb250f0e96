"""What lies below a pixel: rays from the eye, and the nearest triangle, particle or ball that they meet."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from framework.component import info

from .camera import view_matrix
from .scene import Ball, Camera

if TYPE_CHECKING:
    from framework.world import World

REACH = 10.0  # pixels around a particle in which it is met


@dataclass(frozen=True)
class Picked:
    """A particle of an entity, its place (3,) [m], and the point (3,) [m] of the body that was met."""

    entity: int
    particle: int
    place: np.ndarray
    point: np.ndarray
    distance: float


def ray(camera: Camera, pixel: tuple[float, float], size: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Origin (3,) [m] and unit direction (3,) of the line of sight through a pixel (from the left, from the top)."""
    rows = view_matrix(camera)[:3, :3]
    width, height = max(size[0], 1), max(size[1], 1)
    x, y = (2.0 * pixel[0] / width - 1.0) * width / height, 1.0 - 2.0 * pixel[1] / height
    if camera.orthographic is not None:  # all lines of sight are parallel, and start behind all that is shown
        across = 0.5 * camera.orthographic * (x * rows[0] + y * rows[1])
        back = 1e3 * (camera.orthographic + float(np.linalg.norm(camera.eye - camera.target)))
        return camera.target + across + back * rows[2], -rows[2]
    slope = np.tan(np.radians(camera.field_of_view) / 2.0)
    direction = slope * (x * rows[0] + y * rows[1]) - rows[2]
    return np.asarray(camera.eye, dtype=float), direction / np.linalg.norm(direction)


def project(camera: Camera, points: np.ndarray, size: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Pixels (n, 2) of points (n, 3) [m], and whether (n,) they lie before the eye."""
    matrix = view_matrix(camera)
    seen = points @ matrix[:3, :3].T + matrix[:3, 3]
    depth = -seen[:, 2]
    if camera.orthographic is not None:
        middle = (0.5 * size[0], 0.5 * size[1])
        return size[1] / camera.orthographic * seen[:, :2] * (1.0, -1.0) + middle, np.ones(len(points), bool)
    scale = 0.5 * size[1] / np.tan(np.radians(camera.field_of_view) / 2.0)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        place = scale * seen[:, :2] / depth[:, None] * (1.0, -1.0) + (0.5 * size[0], 0.5 * size[1])
    return place, depth > 0.0


def meet_triangles(
    origin: np.ndarray, direction: np.ndarray, vertices: np.ndarray, triangles: np.ndarray
) -> tuple[int, float]:
    """(triangle, distance [m]) of the first triangle that a ray meets, from either side; (-1, inf) when there is none.

    Moeller and Trumbore 1997 (doi:10.1080/10867651.1997.10487468).
    """
    if not len(triangles):
        return -1, np.inf
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ab, ac, from_a = b - a, c - a, origin - a
        p = np.cross(direction, ac)
        inverse = 1.0 / np.einsum("ij,ij->i", ab, p)
        u = np.einsum("ij,ij->i", from_a, p) * inverse
        q = np.cross(from_a, ab)
        v = (q @ direction) * inverse
        t = np.einsum("ij,ij->i", ac, q) * inverse
        hit = (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0) & (t > 0.0) & np.isfinite(t)
    if not hit.any():
        return -1, np.inf
    first = int(np.argmin(np.where(hit, t, np.inf)))
    return first, float(t[first])


def meet_ball(origin: np.ndarray, direction: np.ndarray, ball: Ball) -> float:
    """Distance [m] to where a ray enters a ball; inf when it misses."""
    towards = ball.centre - origin
    middle = float(towards @ direction)
    inside = ball.radius**2 - float(towards @ towards) + middle**2
    if inside < 0.0 or middle - np.sqrt(inside) <= 0.0:
        return np.inf
    return middle - float(np.sqrt(inside))


def pick(
    world: World, camera: Camera, pixel: tuple[float, float], size: tuple[int, int], balls: Sequence[Ball] = ()
) -> Picked | None:
    """The particle nearest to what a person sees below a pixel; None where there is no body, or a ball hides it."""
    origin, direction = ray(camera, pixel, size)
    found: Picked | None = None
    nearest = min((meet_ball(origin, direction, ball) for ball in balls), default=np.inf)
    for entity, x, triangles in bodies(world):
        hit, distance = meet_triangles(origin, direction, x, triangles)
        if hit >= 0 and distance < nearest:
            point = origin + distance * direction
            corners = triangles[hit]
            particle = int(corners[np.argmin(((x[corners] - point) ** 2).sum(axis=1))])
            nearest, found = distance, Picked(entity, particle, x[particle].copy(), point, distance)
        if len(triangles):
            continue
        place, before = project(camera, x, size)
        with np.errstate(invalid="ignore"):
            away = np.linalg.norm(place - pixel, axis=1)
            close = (away <= REACH) & before & ((x - origin) @ direction < nearest)
        if close.any():
            particle = int(np.argmin(np.where(close, away, np.inf)))
            distance = float((x[particle] - origin) @ direction)
            nearest, found = distance, Picked(entity, particle, x[particle].copy(), x[particle].copy(), distance)
    return found


def bodies(world: World) -> list[tuple[int, np.ndarray, np.ndarray]]:
    """(entity id, positions (n, 3) [m], triangles (t, 3)) of everything that has particles."""
    found = []
    for entity, parts in sorted(world.store):
        named = {info(cls).name: part for cls, part in parts.items()}
        if "position" in named:
            triangles = getattr(named.get("geometry"), "triangles", None)
            empty = np.zeros((0, 3), np.int32)
            found.append((entity, named["position"].x, empty if triangles is None else triangles))
    return found


def extent(world: World, entity: int | None = None) -> tuple[np.ndarray, np.ndarray] | None:
    """The box (low (3,), high (3,)) [m] of a body, or of all; None when there is nothing to see."""
    points = [x[np.isfinite(x).all(axis=1)] for owner, x, _ in bodies(world) if entity in (None, owner)]
    points = [x for x in points if len(x)]
    if not points:
        return None
    return np.min([x.min(axis=0) for x in points], axis=0), np.max([x.max(axis=0) for x in points], axis=0)
