"""One substep as the integrators see it: arrays, supports, colliders and a way to evaluate forces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from framework import Stage
from systems.dynamics.colliders import Colliders
from systems.dynamics.packing import Packed
from systems.dynamics.supports import PackedSupports

if TYPE_CHECKING:
    from framework import Step, World


@dataclass(slots=True)
class Problem:
    """What an integrator gets. time [s]: start of the substep; h [s]: its length; settings: the integrator's own."""

    world: World
    step: Step
    packed: Packed
    supports: PackedSupports
    colliders: Colliders
    settings: Any
    time: float
    h: float

    def evaluate(self, time: float) -> None:
        """packed.f = the sum of all forces at the present positions and velocities and at `time` [s]."""
        self.step.time = time
        first = next(iter(self.world.engine.active(Stage.FORCES)), None)
        self.step.empty = getattr(first, "starts", False)
        if not self.step.empty:
            self.packed.f.fill(0.0)
        self.world.engine.run_stage(Stage.FORCES)
        self.supports.hold_forces(self.packed.f)
