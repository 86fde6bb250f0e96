"""A force that is not finite is named as such: the estimate of the stable step stays out of the way."""

from __future__ import annotations

import numpy as np
import pytest

from components import Force, Mass, Position
from framework import ForceSystem, SimulationError, Step, World
from systems import standard


class BadForce(ForceSystem):
    """f = `value` everywhere."""

    reads, adds = (Position,), (Force,)

    def __init__(self, value: float) -> None:
        self.value = value

    def process(self, world: World, step: Step) -> None:
        for _, _, force in world.query(Position, Force):
            force.f += self.value


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_force_that_is_not_finite_is_named(value: float) -> None:
    world = World(systems=[*standard(), BadForce(value)])
    world.spawn(Position(x=[[0, 0, 0]]), Mass(m=[1.0]), name="stone")
    with pytest.raises(SimulationError, match="BadForce made stone: Force"), np.errstate(invalid="ignore"):
        world.step()
    assert world.frame == 0
