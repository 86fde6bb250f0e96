"""A force that is not finite is named as such: the estimate of the stable step stays out of the way."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from components import BackwardEuler, Force, Mass, MassSpring, Material, Position, SolverReport
from components.prefabs import grid
from framework import FieldError, ForceSystem, SimulationError, Step, World
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


class Divides(BadForce):
    """A force that is not finite where a particle is at the origin."""

    def process(self, world: World, step: Step) -> None:
        for _, position, force in world.query(Position, Force):
            with np.errstate(divide="ignore"):
                force.f += self.value / np.abs(position.x)


def cloth(areal_density: float = 0.2, **settings: object) -> World:
    world = World(systems=standard(), **settings)  # type: ignore[arg-type]
    world.spawn(grid(cells=(3, 3)), Material(areal_density=areal_density), MassSpring(stretch=50.0), name="cloth")
    return world


def test_a_force_that_divides_by_zero_is_all_that_is_told() -> None:
    world = World(systems=[*standard(), Divides(1.0)])
    world.spawn(Position(x=[[0, 0, 0]]), Mass(m=[1.0]), name="stone")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(SimulationError, match="Divides made stone: Force"):
            world.step()


@pytest.mark.parametrize("areal_density", [1e-300, 1e-100, 1e300, 1e307])
def test_masses_at_the_end_of_the_range_of_numbers(areal_density: float) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message="The substep of")
        world = cloth(areal_density)
        assert "longest stable step" in world.describe()
        world.stability_hint()


def test_masses_beyond_the_range_of_numbers_are_told_without_warnings() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(FieldError, match=r"cloth: .* must be finite"):
            cloth(1e308)


def test_backward_euler_needs_no_hint() -> None:
    with pytest.warns(RuntimeWarning, match="frame_time is in seconds"):
        world = cloth(frame_time=1e5, integrator=BackwardEuler())
    assert world.stability_hint() == ""


def test_a_frame_of_a_minute_is_doubted() -> None:
    with pytest.warns(RuntimeWarning, match="a frame takes 60 s: frame_time is in seconds; 60 frames a second is 1/60"):
        World(frame_time=60)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        world = World(frame_time=1.0)
    world.set("world.frame_time", 24.0)
    with pytest.warns(RuntimeWarning, match="a frame takes 24 s"):
        world.step()


def test_missed_tolerances_warn_once_and_are_counted() -> None:
    world = cloth(integrator=BackwardEuler(tolerance=1e-14, max_iterations=1), substeps=2)
    world.set("cloth.velocity[right]", (0.0, 3.0, 1.0))
    with pytest.warns(RuntimeWarning, match="unconverged_total counts such substeps") as found:
        world.step(3)
    assert len(found) == 1
    report = world.get("world", SolverReport)
    assert (report.unconverged, report.unconverged_total) == (2, 6)
    lines = [line for system in world.engine.schedule for line in system.closing(world)]
    assert lines == ["6 substeps in 3 frames did not reach their tolerance: use more substeps, or see "
                     "world.solver_report"]
