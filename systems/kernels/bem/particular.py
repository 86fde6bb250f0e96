"""Particular solutions of elastostatics for body forces and far fields: polynomials, in the plane and in space.

With G grad^2 u + G / (1 - 2 nu) grad div u + b = 0, x from a centre, s from an axis (in the plane: from the centre):

    uniform b (weight):       u = (alpha r^2 b + gamma (b.x) x) / G, div u = 0:
                              alpha = -3/8, gamma = 1/4 in the plane; alpha = -1/5, gamma = 1/10 in space
    b = w^2 s (centrifugal):  u = -w^2 (1 - 2 nu) / (16 G (1 - nu)) s^2 s
    b = -a x s (angular):     u = s^2 (a x s) / (8 G)
    uniform stress:           u = strain x

All are regular at nu = 1/2: each stress is written without a division by 1 - 2 nu. w, a: density is part of b.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Particular:
    """Body forces and a far field. dimension: 2 or 3. poisson_ratio: in plane stress that of the equivalent strain.

    centre (3,) [m]: of weight and angular acceleration. weight (3,): force per volume [N/m^3]. centrifugal (3,): vector
    along the axis, as long as the square root of density times w^2, and axis (3,) [m]: a point of it. angular (3,):
    density times angular acceleration [N/m^4]. far_stress (3, 3) [Pa].
    """

    dimension: int
    shear_modulus: float
    poisson_ratio: float
    centre: np.ndarray
    weight: np.ndarray
    centrifugal: np.ndarray
    axis: np.ndarray
    angular: np.ndarray
    far_stress: np.ndarray

    @property
    def forces(self) -> bool:
        """Whether there are body forces."""
        return bool(self.weight.any() or self.centrifugal.any() or self.angular.any())

    @property
    def empty(self) -> bool:
        return not (self.forces or self.far_stress.any())


    def only(self, kind: str, which: Any) -> Particular:
        """One part of it: a unit of weight or angular along an axis, of a component of far stress; all of rotation."""
        zero, unit = np.zeros(3), np.zeros(3)
        parts = {"weight": zero, "centrifugal": zero, "angular": zero, "far_stress": np.zeros((3, 3))}
        if kind == "far":
            parts["far_stress"][which] = parts["far_stress"][which[::-1]] = 1.0
        elif kind == "rotation":
            parts["centrifugal"] = self.centrifugal
        else:
            unit[which] = 1.0
            parts[kind] = unit
        return replace(self, **parts)


def body_force(field: Particular, x: np.ndarray) -> np.ndarray:
    """(q, 3) force per volume [N/m^3] at x (q, 3) [m]."""
    _, s = _from_axis(field.centrifugal, x - field.axis)
    force = field.weight + (field.centrifugal @ field.centrifugal) * s
    return force - np.cross(field.angular, x - field.centre)


def displacement_and_stress(field: Particular, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """u (q, 3) [m] and stress (q, 3, 3) [Pa] at x (q, 3) [m]. In the plane the z parts mean nothing."""
    g, nu = field.shear_modulus, field.poisson_ratio
    u, stress = np.zeros(x.shape), np.zeros((len(x), 3, 3))
    if field.weight.any():
        d, b = x - field.centre, field.weight
        alpha, gamma = (-3 / 8, 1 / 4) if field.dimension == 2 else (-1 / 5, 1 / 10)
        along = d @ b
        u += (alpha * (d * d).sum(1)[:, None] * b + gamma * along[:, None] * d) / g
        gradient = 2 * alpha * b[None, :, None] * d[:, None, :] + gamma * d[:, :, None] * b[None, None, :]
        gradient += gamma * along[:, None, None] * np.eye(3)
        stress += gradient + np.swapaxes(gradient, 1, 2)
    if field.centrifugal.any():
        _, s = _from_axis(field.centrifugal, x - field.axis)
        square, load = (s * s).sum(1), field.centrifugal @ field.centrifugal
        factor = -load / (16 * (1 - nu))
        u += (1 - 2 * nu) / g * factor * square[:, None] * s
        across = np.eye(3) - np.outer(field.centrifugal, field.centrifugal) / load
        strain = 2 * s[:, :, None] * s[:, None, :] + square[:, None, None] * across
        stress += 2 * (1 - 2 * nu) * factor * strain + 8 * nu * factor * square[:, None, None] * np.eye(3)
    if field.angular.any():
        _, s = _from_axis(field.angular, x - field.centre)
        turn = np.cross(field.angular, s)
        u += (s * s).sum(1)[:, None] * turn / (8 * g)
        mixed = turn[:, :, None] * s[:, None, :]
        stress += (mixed + np.swapaxes(mixed, 1, 2)) / 4
    if field.far_stress.any():
        u += x @ far_strain(field).T
        stress += field.far_stress
    return u, stress


def far_strain(field: Particular) -> np.ndarray:
    """(3, 3) strain of the far stress; in the plane that of its own directions."""
    far = field.far_stress.copy()
    if field.dimension == 2:
        far[2, :] = far[:, 2] = 0.0
        trace, one = far[0, 0] + far[1, 1], np.diag([1.0, 1.0, 0.0])
        return (far - field.poisson_ratio * trace * one) / (2 * field.shear_modulus)
    nu = field.poisson_ratio
    return (far - nu / (1 + nu) * np.trace(far) * np.eye(3)) / (2 * field.shear_modulus)


def _from_axis(direction: np.ndarray, d: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(unit direction, parts of d (q, 3) at right angles to it)."""
    length = np.sqrt(direction @ direction)
    if length == 0.0:
        return direction, np.zeros(d.shape)
    unit = direction / length
    return unit, d - (d @ unit)[:, None] * unit
