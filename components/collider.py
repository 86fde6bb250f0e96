"""Collider: a sphere or a plane that bodies cannot enter."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from components.arguments import argument
from framework.component import component
from framework.fields import field, non_negative, non_zero_vector, positive, unit_interval


@component
class Collider:
    """A primitive: `Collider.sphere(...)` or `Collider.plane(...)`; a Transform moves it."""

    shape: str = field(dtype="str", choices=("sphere", "plane"), doc="sphere or plane")
    radius: float = field(unit="m", default=1.0, rule=positive, doc="radius of a sphere; a plane has none")
    centre: np.ndarray = field(
        unit="m", shape=(3,), default=(0.0, 0.0, 0.0), principal=True, doc="centre of a sphere, or a point of a plane"
    )
    normal: np.ndarray = field(
        shape=(3,), default=(0.0, 1.0, 0.0), rule=non_zero_vector(), doc="direction out of the plane, of any length"
    )
    friction: float = field(default=0.3, rule=non_negative, doc="coefficient of Coulomb friction")
    restitution: float = field(default=0.0, rule=unit_interval, doc="share of the normal velocity that bounces back")
    thickness: float = field(unit="m", default=0.0, rule=non_negative, doc="distance at which contact begins")

    @classmethod
    def sphere(
        cls, radius: float = 1.0, centre: Any = (0, 0, 0), friction: float = 0.3, restitution: float = 0.0,
        thickness: float = 0.0,
    ) -> Collider:
        """A solid sphere. radius, centre (3,) and thickness in m."""
        return cls(
            shape="sphere", radius=radius, centre=centre, friction=friction, restitution=restitution,
            thickness=thickness,
        )

    @classmethod
    def plane(
        cls, normal: Any = (0, 1, 0), point: Any = (0, 0, 0), friction: float = 0.3, restitution: float = 0.0,
        thickness: float = 0.0,
    ) -> Collider:
        """The half space behind a plane through a point (3,) [m]; the normal (3,) points out and is normalised."""
        out = argument(normal, "Collider.plane: normal", shape=(3,), rule=non_zero_vector())
        return cls(
            shape="plane", centre=point, normal=_unit(out), friction=friction, restitution=restitution,
            thickness=thickness,
        )

    def problems(self) -> Iterator[tuple[str, str, Any]]:
        if self.shape == "plane" and self.radius != 1.0:
            yield "radius", "be left out for a plane", self.radius
        if self.shape == "sphere" and not np.array_equal(self.normal, (0.0, 1.0, 0.0)):
            yield "normal", "be left out for a sphere", np.asarray(self.normal).tolist()


def unit_normal(collider: Collider) -> np.ndarray:
    """(3,) normal of length 1: a command may have set or ramped the field to any length."""
    return _unit(collider.normal)


def _unit(vector: np.ndarray) -> np.ndarray:
    """(3,) of length 1, also where the squares of its entries would over- or underflow."""
    scaled = vector / np.abs(vector).max()
    return scaled / np.sqrt(scaled @ scaled)
