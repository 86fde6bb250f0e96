"""Reaction: what supports exert on a body."""
from __future__ import annotations

from typing import Any

import numpy as np

from components.motion import Position
from framework.component import component
from framework.fields import field


def derive_reaction(parts: Any) -> Reaction:
    return Reaction(force=np.zeros_like(parts[Position].x))


@component(requires=(Position,), derive=derive_reaction, feedback=True)
class Reaction:
    """Forces of supports on a body. Give it to a body to have them measured: it costs one evaluation a frame."""

    force: np.ndarray = field(
        unit="N", shape=("n", 3), principal=True, optional=True, default=None,
        doc="force of the support on each particle, 0 where it is free",
    )
