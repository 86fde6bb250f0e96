"""Motion of the particles of a body: Position, Velocity, Mass and Force."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from components.feedback import Energy, Momentum, Stillness
from components.geometry import Geometry
from components.lumping import lumped_mass
from components.material import Material
from components.transform import Pose, placed_points
from framework.component import component
from framework.errors import FieldError
from framework.fields import field, positive


def derive_position(parts: Any) -> Position:
    if Geometry not in parts:
        raise FieldError(f"{parts.entity}: needs Position(x=...), or a Geometry ({Geometry.missing_hint})")
    return Position(x=placed_points(parts))


@component(derive=derive_position, derived="state", sources=(Geometry, Pose))
class Position:
    """Positions of the particles."""

    x: np.ndarray = field(unit="m", shape=("n", 3), principal=True, optional=True, default=None, doc="positions")

    def problems(self) -> Iterator[tuple[str, str, Any]]:
        if len(self.x) == 0:
            yield "x", "hold at least one particle", "none"


def derive_velocity(parts: Any) -> Velocity:
    return Velocity(v=np.zeros_like(parts[Position].x))


@component(derive=derive_velocity, derived="state", sources=(Position,))
class Velocity:
    """Velocities of the particles."""

    v: np.ndarray = field(unit="m/s", shape=("n", 3), principal=True, optional=True, default=None, doc="velocities")


def derive_force(parts: Any) -> Force:
    return Force(f=np.zeros_like(parts[Position].x))


@component(derive=derive_force, derived="state", sources=(Position,), scratch=True)
class Force:
    """Sum of the forces on each particle: rebuilt at every evaluation, so no part of the state."""

    f: np.ndarray = field(unit="N", shape=("n", 3), principal=True, optional=True, default=None, doc="forces")


def derive_mass(parts: Any) -> Mass:
    material, geometry = parts.get(Material), parts.get(Geometry)
    if material is None:
        raise FieldError(f"{parts.entity}: Mass.m must be given, or a Material with a density or the mass, got neither")
    if geometry is None:
        if material.total_mass is None:
            raise FieldError(
                f"{parts.entity}: Mass.m must be given, or Material.total_mass, where there is no Geometry"
            )
        n = len(parts[Position].x)
        return Mass(m=np.full(n, material.total_mass / n))
    return Mass(m=lumped_mass(parts.entity, geometry, placed_points(parts), material))


@component(
    requires=(Position, Velocity, Force, Energy, Momentum, Stillness),
    derive=derive_mass,
    derived="parameter",
    sources=(Geometry, Material, Pose, Position),
)
class Mass:
    """Mass of each particle; it makes the body dynamic."""

    m: np.ndarray = field(
        unit="kg", shape=("n",), principal=True, rule=positive, optional=True, default=None, doc="mass of each particle"
    )
