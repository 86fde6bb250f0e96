"""The painter's background and grounds, pixel by pixel: what the shaders of the OpenGL renderer draw, in numpy."""
from __future__ import annotations

import numpy as np

from . import camera as cameras
from . import meshes
from .ground import Disc, disc
from .scene import Camera, Scene, Surface

CELLS = 160  # the shadow's grid
MOST_SAMPLES = 2_000_000


def backdrop(scene: Scene, camera: Camera, width: int, height: int) -> np.ndarray:
    """The gradient and the grounds, (height, width, 3) uint8."""
    part = (np.arange(height) + 0.5) / height
    column = (1.0 - part)[:, None] * scene.background[0] + part[:, None] * scene.background[1]
    image = np.repeat(column[:, None].astype(np.float32), width, axis=1)
    for ground in scene.grounds:
        _ground(image, scene, camera, disc(ground, camera), np.asarray(ground.colour, dtype=np.float32))
    return (255.0 * image + 0.5).astype(np.uint8)


def _ground(image: np.ndarray, scene: Scene, camera: Camera, place: Disc, colour: np.ndarray) -> None:
    """Blend one ground into `image` (h, w, 3): each pixel's ray meets the plane at `steps` times the ray."""
    height, width = image.shape[:2]
    rows = cameras.view_matrix(camera)[:3, :3]
    slope = (0.5 * camera.orthographic if camera.orthographic is not None
             else np.tan(np.radians(camera.field_of_view) / 2.0))
    x = (((np.arange(width) + 0.5) / width * 2.0 - 1.0) * slope * width / height).astype(np.float32)
    y = ((1.0 - (np.arange(height) + 0.5) / height * 2.0) * slope).astype(np.float32)

    def along(axis: np.ndarray) -> np.ndarray:
        right, up, back = (np.float32(row @ axis) for row in rows)
        return y[:, None] * up + x[None, :] * right - back

    def across(axis: np.ndarray) -> np.ndarray:
        right, up, _ = (np.float32(row @ axis) for row in rows)
        return y[:, None] * up + x[None, :] * right

    from_centre = camera.eye - place.centre
    parallel = camera.orthographic is not None  # each pixel then has its own eye, and all rays one direction
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        start = [np.float32(from_centre @ axis) + (across(axis) if parallel else np.float32(0.0))
                 for axis in (place.upwards, place.first, place.second)]
        ray = [np.float32(-(rows[2] @ axis)) if parallel else along(axis)
               for axis in (place.upwards, place.first, place.second)]
        steps = -start[0] / ray[0]
        u, v = start[1] + steps * ray[1], start[2] + steps * ray[2]
        far = np.sqrt(u * u + v * v) / np.float32(place.radius)
        seen = ((steps > 0.0) | parallel) & (far < 1.0)
    if not seen.any():
        return
    first, last = np.flatnonzero(seen.any(axis=1))[[0, -1]]
    part = slice(first, last + 1)
    u, v, seen = (np.where(seen[part], np.asarray(values)[part], 0.0) for values in (u, v, seen))
    fade = np.clip((far[part] - 0.15) / 0.85, 0.0, 1.0)
    fade = np.where(seen > 0.0, place.strength * (1.0 - fade * fade * (3.0 - 2.0 * fade)), 0.0)
    mean = _checks((u + place.offset[0]) / place.cell) * _checks((v + place.offset[1]) / place.cell)
    bright = (1.0 - 0.06 * mean) * (1.0 - 0.5 * _look_up(_shadow(scene, place), u, v, place.reach))
    lit = colour * bright[..., None]
    image[part] += fade[..., None].astype(np.float32) * (lit - image[part])


def _checks(place: np.ndarray) -> np.ndarray:
    """The mean over a pixel of the wave that is +1 and -1 on alternate checks."""
    across = [np.abs(np.diff(place, axis=axis, append=place.take([-1], axis=axis))) for axis in (0, 1)]
    w = np.minimum(np.maximum(*across), 4.0) + 1e-6

    def tent(at: np.ndarray) -> np.ndarray:
        return np.abs(at - np.floor(at) - 0.5)

    return 2.0 * (tent((place - 0.5 * w) * 0.5) - tent((place + 0.5 * w) * 0.5)) / w


def _shadow(scene: Scene, place: Disc) -> np.ndarray:
    """How dark the ground is, (CELLS, CELLS) in 0..1: the area of the bodies above each cell, fading with height."""
    total = np.zeros(CELLS * CELLS)
    size = 2.0 * place.reach / CELLS
    sphere, faces = meshes.unit_sphere(24, 48)
    casters = [surface for surface in scene.surfaces if not surface.wireframe]
    casters += [Surface(ball.centre + ball.radius * sphere, faces) for ball in scene.balls]
    for surface in casters:
        corners = surface.vertices[meshes.drawable(surface.vertices, surface.triangles)] - place.centre
        if not len(corners):
            continue
        flat = np.stack([corners @ place.first, corners @ place.second, corners @ place.upwards], axis=-1)
        ab, ac = flat[:, 1] - flat[:, 0], flat[:, 2] - flat[:, 0]
        area = 0.5 * np.abs(ab[:, 0] * ac[:, 1] - ab[:, 1] * ac[:, 0])
        longest = float(np.sqrt(np.max(np.maximum((ab[:, :2] ** 2).sum(1), (ac[:, :2] ** 2).sum(1)))))
        pieces = int(np.clip(np.ceil(longest / size), 1, max(1, int(np.sqrt(MOST_SAMPLES / len(flat))))))
        i, j = (k.ravel() for k in np.meshgrid(np.arange(pieces), np.arange(pieces)))
        p, q = (i + 0.5) / pieces, (j + 0.5) / pieces
        p, q = np.where(p + q > 1.0, 1.0 - p, p), np.where(p + q > 1.0, 1.0 - q, q)
        samples = flat[:, None, 0] + p[None, :, None] * ab[:, None] + q[None, :, None] * ac[:, None]
        weight = np.repeat(area / len(p) / size ** 2, len(p))
        samples = samples.reshape(-1, 3)
        cell = np.floor((samples[:, :2] / place.reach * 0.5 + 0.5) * CELLS)
        high = samples[:, 2] / place.reach
        kept = ((cell >= 0) & (cell < CELLS)).all(axis=1) & (high > -0.02)
        weight = weight[kept] * np.exp(-2.2 * np.maximum(high[kept], 0.0))
        index = (cell[kept, 1] * CELLS + cell[kept, 0]).astype(np.int64)
        total += np.bincount(index, weights=weight, minlength=CELLS * CELLS)
    grid = np.minimum(total, 1.0).reshape(CELLS, CELLS)
    for _ in range(2):
        for axis in (0, 1):
            grid = (grid + np.roll(grid, 1, axis) + np.roll(grid, -1, axis)) / 3.0
    return grid


def _look_up(grid: np.ndarray, u: np.ndarray, v: np.ndarray, reach: float) -> np.ndarray:
    """The shadow at plane coordinates (h, w), linear between cells, none outside."""
    x, y = ((np.clip(at / reach, -1.0, 1.0) * 0.5 + 0.5) * CELLS - 0.5 for at in (u, v))
    x, y = np.clip(x, 0.0, CELLS - 1.001), np.clip(y, 0.0, CELLS - 1.001)
    i, j = x.astype(np.int32), y.astype(np.int32)
    p, q = x - i, y - j
    return (grid[j, i] * (1 - p) * (1 - q) + grid[j, i + 1] * p * (1 - q)
            + grid[j + 1, i] * (1 - p) * q + grid[j + 1, i + 1] * p * q)
