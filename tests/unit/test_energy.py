"""What a force system's `energy` returns is checked."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from components import Force, Gravity, Mass, Position
from framework import ForceSystem, PliantError, Step, World
from systems import standard


class Reports(ForceSystem):
    """No force, and the energies that a function of the world gives."""

    reads, adds = (Position,), (Force,)

    def __init__(self, report: Callable[[World], Any]) -> None:
        self.report = report

    def process(self, world: World, step: Step) -> None:
        pass

    def energy(self, world: World, step: Step) -> Any:
        return self.report(world)


def world_of(report: Callable[[World], Any]) -> World:
    world = World(systems=[*standard(), Reports(report)])
    world.spawn(Gravity(acceleration=(0, 0, 0)), name="gravity")
    world.spawn(Position(x=[[0, 0, 0]]), Mass(m=[1.0]), name="stone")
    return world


@pytest.mark.parametrize("report", [
    lambda world: None, lambda world: {}, lambda world: {world.id("stone"): 2},
    lambda world: {np.int64(world.id("stone")): np.float64(2.0)}, lambda world: {world.id("stone"): np.array(2.0)},
])
def test_energies(report: Callable[[World], Any]) -> None:
    world = world_of(report)
    world.step()
    assert world.value("stone.energy.potential") in (0.0, 2.0)


@pytest.mark.parametrize(("report", "message"), [
    (lambda world: 3.0, r"Reports\.energy must return a dict of entity id -> energy \[J\], or None; got 3\.0"),
    (lambda world: [], r"must return a dict .* got \[\]"),
    (lambda world: {99: 1.0}, r"Reports\.energy: there is no entity with id 99"),
    (lambda world: {"ston": 1.0}, r"Reports\.energy: there is no entity 'ston'; did you mean 'stone'"),
    (lambda world: {None: 1.0}, r"Reports\.energy: an entity is given by its name or id, got None"),
    (lambda world: {world.id("gravity"): 1.0}, "names 'gravity', which has no mass"),
    (lambda world: {world.id("stone"): np.nan}, r"must be one number \[J\] for each body, got nan for 'stone'"),
    (lambda world: {world.id("stone"): "much"}, "must be one number .* got 'much' for 'stone'"),
    (lambda world: {world.id("stone"): np.ones(2)}, "must be one number .* for 'stone'"),
    (lambda world: {world.id("stone"): complex(0, 1)}, "must be one number .* for 'stone'"),
])
def test_energies_that_are_none(report: Callable[[World], Any], message: str) -> None:
    with pytest.raises(PliantError, match=message):
        world_of(report).step()
