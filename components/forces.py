"""External forces: Gravity, Wind, Drag and Attraction."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from components.motion import Mass
from framework.component import component
from framework.fields import field, non_negative


@component
class Gravity:
    """Uniform gravity on every body: each particle feels m times the acceleration."""

    acceleration: np.ndarray = field(
        unit="m/s2", shape=(3,), default=(0.0, -9.81, 0.0), principal=True, doc="acceleration of free fall"
    )


@component
class Wind:
    """Uniform wind on every body, in the per-particle form f = coefficient (velocity - v)."""

    velocity: np.ndarray = field(unit="m/s", shape=(3,), principal=True, doc="velocity of the air")
    coefficient: float = field(
        unit="kg/s", default=1e-3, rule=non_negative, doc="force on each particle per relative velocity"
    )


@component
class CentrifugalLoad:
    """Force of steady rotation on an elastic body with a mass_density, as seen by who turns with it."""

    angular_velocity: np.ndarray = field(
        unit="rad/s", shape=(3,), principal=True, doc="angular velocity: axis times rate; of a plane body along z"
    )
    centre: np.ndarray = field(unit="m", shape=(3,), default=(0.0, 0.0, 0.0), doc="a point of the axis")


@component(requires=(Mass,))
class Drag:
    """Drag of a medium at rest on the particles of this body: f = -coefficient v."""

    coefficient: float = field(
        unit="kg/s", rule=non_negative, principal=True, doc="force on each particle per velocity"
    )


@component
class Attraction:
    """Gravitational attraction between particles, f = strength m M / r^2, with a repulsion at short range as cohesion.

    softening s replaces r^2 by r^2 + s^2; beyond the cutoff there is no force. The repulsion falls linearly from its
    value at contact (r = 0) to zero at repulsion_range.
    """

    strength: float = field(unit="m3/(kg s2)", default=6.674e-11, principal=True, doc="gravitational constant G")
    softening: float = field(unit="m", default=0.0, rule=non_negative, doc="softening length")
    cutoff: float = field(
        unit="m", default=np.inf, rule=non_negative, infinite=True, doc="largest distance of a pair that attracts"
    )
    repulsion: float = field(unit="N", default=0.0, rule=non_negative, doc="repulsive force at contact")
    repulsion_range: float = field(unit="m", default=0.0, rule=non_negative, doc="distance where the repulsion ends")
    bodies: tuple[str, ...] = field(
        dtype="object", type=tuple, default=(), doc="names of the bodies that attract; () for all"
    )
    within: bool = field(dtype="bool", default=True, doc="particles of one body attract each other")
    between: bool = field(dtype="bool", default=True, doc="particles of different bodies attract each other")

    def problems(self) -> Iterator[tuple[str, str, Any]]:
        for name in self.bodies:
            if not isinstance(name, str):
                yield "bodies", "be names of entities", repr(name)
        if len(set(self.bodies)) != len(self.bodies):
            yield "bodies", "name each entity once", self.bodies
        if self.cutoff == 0:
            yield "cutoff", "be positive", self.cutoff
        if self.repulsion > 0 and self.repulsion_range == 0:
            yield "repulsion_range", "be positive where there is a repulsion", self.repulsion_range
        if not self.within and not self.between:
            yield "within", "be True where between is False", False
