"""The component of the reserved entity `world`: how time advances."""

from __future__ import annotations

from typing import Any

from framework.component import component
from framework.fields import Rule, field, positive

_whole = Rule("1 or more", lambda value: value >= 1)


@component
class Stepping:
    """Frame time, substeps and integrator: state, settable by command (`world.substeps`, `world.integrator`)."""

    frame_time: float = field(unit="s", rule=positive, default=1 / 60, doc="time between two frames")
    substeps: int = field(dtype="int", rule=_whole, default=10, doc="steps of the solver in a frame")
    integrator: Any = field(dtype="object", optional=True, default=None,
                            doc="settings of the time integration; None: the default")


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
            self.origin_time, self.origin_frame, self.frame_time = self.time, self.frame, frame_time

    def state(self) -> tuple[int, int, float, float]:
        return self.frame, self.origin_frame, self.origin_time, self.frame_time

    def restore(self, state: tuple[int, int, float, float]) -> None:
        self.frame, self.origin_frame, self.origin_time, self.frame_time = state
