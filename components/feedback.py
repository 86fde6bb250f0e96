"""Feedback: what each frame measured. Written in FEEDBACK, read by the next frame through `world.previous`."""
from __future__ import annotations

from typing import Any

import numpy as np

from framework.component import component
from framework.fields import field


def derive_energy(parts: Any) -> Energy:
    return Energy()


@component(derive=derive_energy, feedback=True)
class Energy:
    """Energy of a body."""

    total: float = field(unit="J", default=0.0, principal=True, doc="sum of the others")
    kinetic: float = field(unit="J", default=0.0, doc="kinetic energy")
    elastic: float = field(unit="J", default=0.0, doc="energy stored in the body's own elastic models")
    potential: float = field(unit="J", default=0.0, doc="energy in gravity, attraction and constant loads")


def derive_momentum(parts: Any) -> Momentum:
    return Momentum(linear=np.zeros(3), angular=np.zeros(3))


@component(derive=derive_momentum, feedback=True)
class Momentum:
    """Momentum of a body."""

    linear: np.ndarray = field(
        unit="kg m/s", shape=(3,), default=(0.0, 0.0, 0.0), principal=True, doc="linear momentum"
    )
    angular: np.ndarray = field(
        unit="kg m2/s", shape=(3,), default=(0.0, 0.0, 0.0), doc="angular momentum about the origin"
    )


def derive_stillness(parts: Any) -> Stillness:
    return Stillness()


@component(derive=derive_stillness, feedback=True)
class Stillness:
    """Whether a body has come to rest."""

    still: bool = field(dtype="bool", default=False, principal=True, doc="no particle has moved for some frames")
    speed: float = field(unit="m/s", default=0.0, doc="largest speed of a particle")
    frames: int = field(dtype="int", default=0, doc="frames in a row in which every particle was slow")


def derive_work(parts: Any) -> Work:
    return Work()


def derive_start_power(parts: Any) -> StartPower:
    return StartPower()


@component(derive=derive_start_power, scratch=True)
class StartPower:
    """Power of external forces at the start of a frame, for Work: measured anew each frame, so no part of the state."""

    value: float = field(unit="W", default=0.0, principal=True, doc="power at the start of the frame")


@component(requires=(StartPower,), derive=derive_work, feedback=True)
class Work:
    """Work of external forces since the start. Give it to a body to have it measured: it costs a reading a substep."""

    external: float = field(unit="J", default=0.0, principal=True, doc="work of external forces")
    power: float = field(unit="W", default=0.0, doc="their power at the end of the last substep")


@component
class SolverReport:
    """How the last frame's implicit steps were solved; on the entity `world`."""

    iterations: int = field(dtype="int", default=0, doc="conjugate gradient iterations of the frame")
    newton: int = field(dtype="int", default=0, doc="Newton iterations of the frame")
    residual: float = field(default=0.0, principal=True, doc="largest relative residual of a substep")
    unconverged: int = field(dtype="int", default=0, doc="substeps that did not reach their tolerance")
    unconverged_total: int = field(dtype="int", default=0, doc="such substeps since the start of the run")
