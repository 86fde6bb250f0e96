"""The component of the reserved entity `world`: how time advances."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

from framework.component import component
from framework.errors import FieldError
from framework.fields import Rule, between, field, short
from framework.system import System

FRAME_TIMES = Rule("positive, from 1e-30 to 1e9 s", lambda value: (value >= 1e-30) & (value <= 1e9))  # 1e9: 30 years
LONG_FRAME = 1.0  # s
MOST_SUBSTEPS = 1_000_000  # more is a slip of the keyboard, and a frame that never ends


@component
class Stepping:
    """Frame time, substeps and integrator: state, settable by command (`world.substeps`, `world.integrator`)."""

    frame_time: float = field(unit="s", rule=FRAME_TIMES, default=1 / 60, doc="time between two frames")
    substeps: int = field(dtype="int", rule=between(1, MOST_SUBSTEPS), default=10, doc="steps of the solver in a frame")
    integrator: Any = field(dtype="object", optional=True, default=None,
                            doc="settings of the time integration; None: the default")


def check_integrator(value: Any, systems: Iterable[System]) -> None:
    """FieldError unless one of the systems carries out these settings; None leaves the choice to them."""
    kinds = dict.fromkeys(kind for system in systems for kind in system.integrators)
    if value is None or type(value) in kinds:
        return
    if isinstance(value, type):
        raise FieldError(f"world: Stepping.integrator must be an instance, {value.__name__}(), got the class")
    rule = f"one of {', '.join(f'{kind.__name__}()' for kind in kinds)}" if kinds else "left out: no system reads it"
    text = " (a text)" if isinstance(value, str) else ""
    raise FieldError(f"world: Stepping.integrator must be {rule}, got {short(value)}{text}")


class Clock:
    """Frame number and time. Time is a product, not a running sum, so that it carries no accumulated rounding."""

    def __init__(self) -> None:
        self.frame, self.origin_frame, self.origin_time, self.frame_time = 0, 0, 0.0, 0.0

    @property
    def time(self) -> float:
        return self.origin_time + (self.frame - self.origin_frame) * self.frame_time

    def use(self, frame_time: float) -> None:
        """Take the frame time of the coming frame; a new one counts from the present time on."""
        if frame_time != self.frame_time:
            if frame_time > LONG_FRAME:
                warnings.warn(f"a frame takes {frame_time:g} s: frame_time is in seconds; 60 frames a second is 1/60",
                              RuntimeWarning, stacklevel=3)
            self.origin_time, self.origin_frame, self.frame_time = self.time, self.frame, frame_time

    def state(self) -> tuple[int, int, float, float]:
        return self.frame, self.origin_frame, self.origin_time, self.frame_time

    def restore(self, state: tuple[int, int, float, float]) -> None:
        self.frame, self.origin_frame, self.origin_time, self.frame_time = state
