"""Uniform gravity on all bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from components import Force, Gravity, Mass, Position
from framework import ForceSystem
from systems.kernels.stepping import gravity_add, gravity_fill
from systems.kernels.totals import first_moment

if TYPE_CHECKING:
    from framework import Step, World


class GravityForce(ForceSystem):
    """f = m g on every particle. Several Gravity entities add up."""

    reads = (Gravity, Mass, Position)
    adds = (Force,)
    needs = (Gravity,)
    starts = True

    def process(self, world: World, step: Step) -> None:
        for _, gravity in world.query(Gravity):
            add = gravity_fill if step.empty else gravity_add
            step.empty = False
            add(step.packed.m, gravity.acceleration, step.packed.f)

    def energy(self, world: World, step: Step) -> dict[int, float]:
        pull = sum(gravity.acceleration for _, gravity in world.query(Gravity)).tolist()
        first = np.empty(3)
        found = {}
        for entity, mass, position in world.query(Mass, Position):
            first_moment(position.x, mass.m, first)
            found[entity] = -sum(a * b for a, b in zip(first.tolist(), pull, strict=True))
        return found

    def linearize(self, world: World, step: Step, matrix: object) -> None:
        """Uniform gravity has no derivatives."""
