"""Placement of colliders: a pose split into rotation and scale, and where it is on its way through a frame."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from components.transform import rotation_matrix

SAME = 1e-12  # relative: differences below are rounding


@dataclass(frozen=True)
class Rigid:
    """Where a frame is: origin (3,) [m] and rotation (3, 3)."""

    origin: np.ndarray
    rotation: np.ndarray

    def moves(self, points: np.ndarray) -> np.ndarray:
        """A point (3,) of the frame in the world."""
        return self.origin + self.rotation @ points


def split(matrix: np.ndarray) -> tuple[Rigid, np.ndarray]:
    """(rotation and origin, stretch (3, 3)): a (4, 4) placement first stretches, then turns, then moves.

    The stretch is rounded to 12 digits, so that it stays the same to the bit while a body turns.
    """
    linear = matrix[:3, :3]
    square = linear.T @ linear
    sizes = np.sqrt(square.diagonal())
    across = square - np.diag(square.diagonal())
    if np.abs(across).max() < SAME * square.max():
        stretch = np.diag(sizes)
    else:
        values, axes = np.linalg.eigh(square)
        stretch = (axes * np.sqrt(values)) @ axes.T
    stretch = np.round(stretch, 12 - int(np.ceil(np.log10(sizes.max()))))
    rotation = linear @ np.linalg.inv(stretch)
    return Rigid(matrix[:3, 3].copy(), rotation), stretch


@dataclass(frozen=True)
class Course:
    """Motion of a frame from one placement to another in `time` [s]: uniform, and turning about one axis."""

    start: Rigid
    end: Rigid
    angle: np.ndarray
    time: float

    def at(self, share: float) -> Rigid:
        if share <= 0.0:
            return self.start
        if share >= 1.0:
            return self.end
        origin = self.start.origin + share * (self.end.origin - self.start.origin)
        if not self.turns:
            return Rigid(origin, self.end.rotation)
        return Rigid(origin, rotation_matrix(share * self.angle) @ self.start.rotation)

    @property
    def turns(self) -> bool:
        return bool(self.angle.any())

    @property
    def moves(self) -> bool:
        return self.turns or not np.array_equal(self.start.origin, self.end.origin)

    @property
    def spin(self) -> np.ndarray:
        """Angular velocity (3,) [rad/s]."""
        return self.angle / self.time

    def velocity(self, arm: np.ndarray) -> np.ndarray:
        """Velocity (3,) [m/s] of the point that is at `arm` (3,) from the origin, in the world's directions."""
        return (self.end.origin - self.start.origin) / self.time + np.cross(self.spin, arm)


def course(start: np.ndarray, end: np.ndarray, time: float) -> tuple[Course, np.ndarray]:
    """(motion from one (4, 4) placement to another in `time` [s], stretch at its end)."""
    after, stretch = split(end)
    before = after if np.array_equal(start, end) else split(start)[0]
    angle = rotation_vector(after.rotation @ before.rotation.T)
    if not angle.any():
        before = Rigid(before.origin, after.rotation)
    return Course(before, after, angle, time), stretch


def rotation_vector(matrix: np.ndarray) -> np.ndarray:
    """Axis times angle (3,) [rad] of a rotation (3, 3) by less than a half turn; 0 where it is rounding."""
    axis = 0.5 * np.array([matrix[2, 1] - matrix[1, 2], matrix[0, 2] - matrix[2, 0], matrix[1, 0] - matrix[0, 1]])
    sine, cosine = float(np.sqrt(axis @ axis)), 0.5 * (float(matrix.trace()) - 1.0)
    if sine < 100 * SAME and cosine > 0:
        return np.zeros(3)
    if sine < 1e-6:  # nearly a half turn: the axis is the longest column of R + 1
        column = matrix + np.eye(3)
        axis = column[:, np.abs(column).sum(axis=0).argmax()]
        return np.arctan2(sine, cosine) * axis / np.sqrt(axis @ axis)
    return np.arctan2(sine, cosine) / sine * axis
