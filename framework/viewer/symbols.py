"""Symbols of supports, motions, loads and normals as engineers draw them: arrays of points and vectors in, Marks out.

Places are in the world, sizes in pixels, so that a symbol is as large in every view.
"""
from __future__ import annotations

import numpy as np

from .scene import Marks

SUPPORT, MOTION, LOAD = (0.13, 0.47, 0.36), (0.62, 0.22, 0.60), (0.80, 0.14, 0.10)
GRAVITY, WIND = (0.34, 0.36, 0.42), (0.16, 0.55, 0.72)
NORMAL, HIGHLIGHT = (0.16, 0.36, 0.72), (0.98, 0.62, 0.05)
CONE, HALF = 13.0, 6.0  # height, and half the width of the base, of a support's cone
GAP = 3.5  # between a roller's cone and its bar
HEAD, HEAD_HALF = 11.0, 4.2  # of an arrow
SHORTEST, LONGEST = 20.0, 64.0  # arrows
SIDES = 8
LIGHT = np.array([0.40, 0.80, 0.45])


def spread(points: np.ndarray, kinds: np.ndarray, room: float) -> np.ndarray:
    """Which of the points (k, 3) to mark so that symbols stand apart: one of each kind (k,) in a cube of side `room`.

    The kept numbers, increasing. Points that are not finite are left out.
    """
    finite = np.flatnonzero(np.isfinite(points).all(axis=1))
    if not len(finite) or not 0.0 < room < np.inf:
        return finite
    cells = np.floor((points[finite] - points[finite].min(axis=0)) / room + 1e-6)
    _, first = np.unique(np.column_stack([kinds[finite], cells]), axis=0, return_index=True)
    return finite[np.sort(first)]


def supports(points: np.ndarray, fixed: np.ndarray) -> Marks:
    """Cones whose tips touch the points (k, 3) held along the axes `fixed` (k, 3).

    One below where all axes are held; elsewhere a roller, a cone with a bar behind it, along each axis that is held.
    """
    whole = fixed.all(axis=1)
    anchors, tips = [points[whole]], [np.tile((0.0, 1.0, 0.0), (int(whole.sum()), 1))]
    bars = np.zeros((0, 3)), np.zeros((0, 2, 3))
    for axis in range(3):
        rolls = fixed[:, axis] & ~whole
        direction = np.eye(3)[axis]
        anchors.append(points[rolls])
        tips.append(np.tile(direction, (int(rolls.sum()), 1)))
        across = [1.3 * HALF * sign * side - (CONE + GAP) * direction for side in np.delete(np.eye(3), axis, axis=0)
                  for sign in (-1.0, 1.0)]
        for ends in (across[:2], across[2:]):
            bars = (np.vstack([bars[0], points[rolls]]),
                    np.concatenate([bars[1], np.tile(np.array(ends), (int(rolls.sum()), 1, 1))]))
    corners, offsets, colours = _cones(np.vstack(anchors), np.zeros(3), np.vstack(tips), CONE, HALF, SUPPORT)
    return Marks(np.repeat(bars[0][:, None], 2, axis=1), SUPPORT, corners, colours, 1.8,
                 segment_offsets=bars[1], triangle_offsets=offsets)


def motions(points: np.ndarray, directions: np.ndarray) -> Marks:
    """Arrows along the prescribed motion of the points (k, 3), with a bar at the point; a bar alone where it rests."""
    length = np.linalg.norm(directions, axis=1, keepdims=True)
    along = np.divide(directions, length, out=np.zeros_like(directions), where=length > 0.0)
    moving = length[:, 0] > 0.0
    marks = _arrows(points[moving], np.zeros(3), 36.0 * along[moving], MOTION)
    side = _across(np.where(moving[:, None], along, (0.0, 1.0, 0.0)))
    ends = 8.0 * np.stack([-side, side], axis=1)
    return Marks(np.concatenate([marks.segments, np.repeat(points[:, None], 2, axis=1)]), MOTION, marks.triangles,
                 marks.triangle_colours, 2.2, segment_offsets=np.concatenate([marks.segment_offsets, ends]),
                 triangle_offsets=marks.triangle_offsets)


def loads(points: np.ndarray, forces: np.ndarray, largest: float) -> Marks:
    """Arrows that push or pull at the points (k, 3) as the forces (k, 3) [N]; `largest` [N] has the longest one."""
    size = np.linalg.norm(forces, axis=1, keepdims=True)
    kept = size[:, 0] > 1e-9 * largest
    length = SHORTEST + (LONGEST - SHORTEST) * size[kept] / largest
    vectors = forces[kept] / size[kept] * length
    return _arrows(points[kept], -vectors, vectors, LOAD)


def normals(points: np.ndarray, directions: np.ndarray) -> Marks:
    """Short lines from the points (n, 3) along unit vectors (n, 3)."""
    offsets = np.stack([0.0 * directions, 13.0 * directions], axis=1)
    return Marks(np.repeat(points[:, None], 2, axis=1), NORMAL, width=1.2, segment_offsets=offsets)


def rings(points: np.ndarray, radius: float = 10.0) -> Marks:
    """Three circles around each of the points (k, 3), seen through everything."""
    angle = np.linspace(0.0, 2.0 * np.pi, 21)
    flat = radius * np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1)
    circles = np.concatenate([np.stack([line[:-1], line[1:]], axis=1) for line in (flat, flat[:, [2, 0, 1]],
                                                                                   flat[:, [1, 2, 0]])])
    return Marks(np.repeat(np.repeat(points, len(circles), axis=0)[:, None], 2, axis=1), HIGHLIGHT, width=2.2,
                 on_top=True, segment_offsets=np.tile(circles, (len(points), 1, 1)))


def _arrows(points: np.ndarray, start: np.ndarray, vectors: np.ndarray, colour: tuple[float, float, float]) -> Marks:
    """Arrows from `start` (k, 3) or (3,) along `vectors` (k, 3), both in pixels from the points (k, 3)."""
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    along = vectors / np.maximum(length, 1e-300)
    begin = np.broadcast_to(start, vectors.shape)
    tip = begin + vectors
    corners, offsets, colours = _cones(points, tip, along, HEAD, HEAD_HALF, colour)
    shafts = np.stack([begin, tip - 0.7 * HEAD * along], axis=1)
    return Marks(np.repeat(points[:, None], 2, axis=1), colour, corners, colours, 2.2, segment_offsets=shafts,
                 triangle_offsets=offsets)


def _cones(points: np.ndarray, tip: np.ndarray, along: np.ndarray, height: float, half: float,
           colour: tuple[float, float, float]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Cones with their tip at `tip` pixels from the points (k, 3), pointing along unit vectors (k, 3): triangles
    (8 k, 3, 3), their offsets, and colours (8 k, 3) shaded by a light from above."""
    side = _across(along)
    other = np.cross(along, side)
    angle = 2.0 * np.pi / SIDES * np.arange(SIDES)
    round_ = np.cos(angle)[:, None] * side[:, None] + np.sin(angle)[:, None] * other[:, None]  # (k, 8, 3)
    peak = np.broadcast_to(tip, along.shape)[:, None]
    rim = peak - height * along[:, None] + half * round_
    offsets = np.stack([np.broadcast_to(peak, rim.shape), rim, np.roll(rim, -1, axis=1)], axis=2).reshape(-1, 3, 3)
    outward = (round_ + np.roll(round_, -1, axis=1)).reshape(-1, 3)
    bright = 0.85 + 0.28 * (outward @ LIGHT) / np.maximum(np.linalg.norm(outward, axis=1), 1e-9)
    return (np.repeat(points, SIDES, axis=0)[:, None].repeat(3, axis=1), offsets,
            np.clip(np.asarray(colour) * bright[:, None], 0.0, 1.0))


def _across(along: np.ndarray) -> np.ndarray:
    """Unit vectors (k, 3) at right angles to the unit vectors `along` (k, 3)."""
    start = np.where(np.abs(along[:, [1]]) < 0.9, (0.0, 1.0, 0.0), (1.0, 0.0, 0.0))
    side = np.cross(start, along)
    return side / np.maximum(np.linalg.norm(side, axis=1, keepdims=True), 1e-300)
