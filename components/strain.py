"""Strain: how far a body is stretched, per particle and per spring."""
from __future__ import annotations

from typing import Any

import numpy as np

from components.mass_spring import Springs
from components.motion import Position
from framework.component import component
from framework.fields import field


def derive_strain(parts: Any) -> Strain:
    springs = parts.get(Springs)
    count = 0 if springs is None else len(springs.nodes)
    return Strain(node=np.zeros(len(parts[Position].x)), spring=np.zeros(count))


@component(derive=derive_strain, sources=(Position, Springs), feedback=True)
class Strain:
    """Strain of a body; a spring's is (length - rest length) / rest length, positive in tension."""

    node: np.ndarray = field(
        shape=("n",), principal=True, optional=True, default=None,
        doc="strain at each particle: of springs, the largest magnitude of those that meet there",
    )
    spring: np.ndarray = field(shape=("s",), optional=True, default=None, doc="strain of each spring")
