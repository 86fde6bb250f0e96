"""Grab: a hand that pulls at one particle of a body by a damped spring."""
from __future__ import annotations

import numpy as np

from framework.component import component
from framework.fields import field, non_negative


@component
class Grab:
    """A damped spring from a point to a particle of a body, f = stiffness (point - x) - damping v.

    It is a component of an entity of its own.
    """

    target: str = field(dtype="str", doc="name of the body")
    node: int = field(dtype="int", rule=non_negative, doc="number of the particle")
    point: np.ndarray = field(unit="m", shape=(3,), principal=True, doc="where the hand is")
    stiffness: float = field(unit="N/m", rule=non_negative, doc="stiffness of the spring")
    damping: float = field(unit="kg/s", default=0.0, rule=non_negative, doc="damping of the particle")
