"""Arrows in a corner of the picture: the axes, gravity, wind; drawn in numpy, the same for every renderer."""
from __future__ import annotations

from functools import lru_cache

import numpy as np

from . import camera as cameras
from .patches import Canvas, Patch
from .scene import Camera, Indicator, Scene
from .text import coverage

SIZE, REACH = 92.0, 30.0  # of the square, and of an arrow in it, in pixels at a height of 720
DARK, LIGHT = (0.13, 0.15, 0.19), (0.93, 0.94, 0.96)


def patches(scene: Scene, width: int, height: int) -> list[Patch]:
    """The scene's indicators, from the lower right corner to the left."""
    scale = max(height / 720.0, 0.4)
    ink = DARK if float(np.mean(scene.background)) > 0.5 else LIGHT
    camera = scene.camera or cameras.fit(scene, width / height)
    made, right = [], width - round(14 * scale)
    for indicator in scene.indicators:
        pixels = _drawn(_flat(indicator, camera), indicator.label, round(scale, 3), ink)
        made.append(Patch(right - pixels.shape[1], height - round(14 * scale) - pixels.shape[0], pixels))
        right -= pixels.shape[1] + round(6 * scale)
    return made


def _flat(indicator: Indicator, camera: Camera) -> tuple:
    """(depth, x, y, colour, text) of each arrow's tip as seen, the farthest first; y grows downwards."""
    rows = cameras.view_matrix(camera)[:3, :3]
    seen = [(rows @ direction, colour, text) for direction, colour, text in indicator.arrows]
    return tuple(sorted((round(float(z), 3), round(float(x), 3), round(-float(y), 3), tuple(colour), text)
                        for (x, y, z), colour, text in seen))


@lru_cache(maxsize=64)
def _drawn(arrows: tuple, label: str, scale: float, ink: tuple[float, float, float]) -> np.ndarray:
    below = [coverage(line, round(17 * scale)) for line in label.split("\n")] if label else []
    side = round(SIZE * scale)
    wide = max([side, *(text.shape[1] + 4 for text in below)])
    canvas = Canvas(side + sum(text.shape[0] for text in below), wide)
    middle = np.array([0.5 * wide, 0.5 * side])
    start = -0.9 if len(arrows) == 1 else 0.0  # a single arrow goes through the middle
    for _, x, y, colour, text in arrows:
        tip = np.array([x, y]) * REACH * scale
        _arrow(canvas, middle + start * tip, middle + tip, scale, np.array(colour))
        letters = coverage(text, round(19 * scale)) if text else None
        if letters is not None:
            place = middle + tip * (1.0 + 13.0 * scale / max(float(np.hypot(*tip)), 6.0 * scale))
            canvas.over(letters, np.array(ink), *np.round(place - 0.5 * np.array(letters.shape[::-1])).astype(int))
    top = side
    for line in below:
        canvas.over(0.9 * line, np.array(ink), (wide - line.shape[1]) // 2, top)
        top += line.shape[0]
    return canvas.pixels()


def _arrow(canvas: Canvas, start: np.ndarray, end: np.ndarray, scale: float, colour: np.ndarray) -> None:
    """A line with a head; seen from the front or the back, a dot."""
    y, x = np.mgrid[:canvas.height, :canvas.width] + 0.5
    length = float(np.hypot(*(end - start)))
    along = (end - start) / length if length > 1e-6 else np.array([1.0, 0.0])
    head = min(11.0 * scale, length)
    down = (x - start[0]) * along[0] + (y - start[1]) * along[1]
    side = np.abs((y - start[1]) * along[0] - (x - start[0]) * along[1])
    shaft = 1.6 * scale - np.hypot(down - np.clip(down, 0.0, length - head), side)
    cone = np.minimum((length - down) * 0.42 - side, down - (length - head))
    if length < 3.0 * scale:
        cone = 3.2 * scale - np.hypot(x - end[0], y - end[1])
    canvas.over(np.clip(np.maximum(shaft, cone) + 0.5, 0.0, 1.0).astype(np.float32), colour)
