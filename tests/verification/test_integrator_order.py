"""Order of the integrators on x'' = -omega^2 x, whose recurrences have exact states, through a force of one's own."""
from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from components import RK4, BackwardEuler, Force, Position, SymplecticEuler, Velocity, VelocityVerlet
from framework import ForceSystem, Step, World
from tests.verification.scenes import label, orders, particles, refined, world_of

OMEGA, END = 2 * math.pi, 0.73


class Oscillator(ForceSystem):
    """f = -omega^2 x, for unit masses, with its derivative."""

    reads, adds = (Position,), (Force,)

    def process(self, world: World, step: Step) -> None:
        for _, position, force in world.query(Position, Force):
            force.f -= OMEGA**2 * position.x

    def linearize(self, world: World, step: Step, matrix: Any) -> None:
        nodes = np.arange(len(step.packed.m), dtype=np.int32)
        matrix.add_diagonal(nodes, np.broadcast_to(OMEGA**2 * np.eye(3), (len(nodes), 3, 3)).copy())


def state(integrator: Any, steps: int) -> tuple[float, float]:
    """x and v at t = 0.73 s from x = 1, v = 0."""
    world = world_of(Oscillator(), integrator=integrator, frame_time=END, substeps=steps)
    world.spawn(*particles([[1, 0, 0]]), name="bob")
    world.step()
    return world.get("bob", Position).x[0, 0], world.get("bob", Velocity).v[0, 0]


def error(integrator: Any, steps: int) -> float:
    x, v = state(integrator, steps)
    return math.hypot(x - math.cos(OMEGA * END), v / OMEGA + math.sin(OMEGA * END))


# The recurrences' own states after 100 steps. Symplectic Euler is first order in this norm although its frequency is
# second order: its phase-space circle is sheared by h omega / 2.
EXACT = [
    (SymplecticEuler(), 1, (-0.10217430570384373, 6.235596734152372)),
    (BackwardEuler(tolerance=1e-14), 1, (-0.11570022912825628, 5.609545455952373)),
    (BackwardEuler(newton=True, tolerance=1e-14, newton_tolerance=1e-13), 1, (-0.11570022912825628, 5.609545455952373)),
    (VelocityVerlet(), 2, (-0.12493423378350009, 6.232317114451754)),
    (RK4(), 4, (-0.125333400467526, 6.233640340915397)),
]


NAMES = [label(integrator) for integrator, *_ in EXACT]


@pytest.mark.parametrize("integrator, order, expected", EXACT, ids=NAMES)
def test_state_after_100_steps(integrator: Any, order: int, expected: tuple[float, float]) -> None:
    assert state(integrator, 100) == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize("integrator, order, expected", EXACT, ids=NAMES)
def test_order(integrator: Any, order: int, expected: tuple[float, float]) -> None:
    errors = refined(lambda n: error(integrator, n), (100, 200, 400, 800))
    assert orders(errors) == pytest.approx(np.full(3, order), abs=0.08)


def test_stage_count_does_not_depend_on_frames() -> None:
    """Ten frames of ten substeps are one frame of a hundred: time is a product, not a running sum."""
    world = world_of(Oscillator(), integrator=RK4(), frame_time=END / 10, substeps=10)
    world.spawn(*particles([[1, 0, 0]]), name="bob")
    world.step(10)
    assert world.get("bob", Position).x[0, 0] == pytest.approx(-0.125333400467526, rel=1e-12)
    assert world.time == pytest.approx(END, rel=1e-15)


def test_held_force_makes_backward_euler_symplectic() -> None:
    """Without a Jacobian a force is held where the linearised step evaluates it: v1 = v0 + h f(x0 + h v0).

    Then x1 = x0 + h v1. By hand: one step of h = 0.1 from x = 1, v = 0 gives v = -h omega^2, x = 1 - h^2 omega^2.
    """

    class Held(ForceSystem):
        reads, adds = (Position, Velocity), (Force,)

        def process(self, world: World, step: Step) -> None:
            for _, position, force in world.query(Position, Force):
                force.f -= OMEGA**2 * position.x

    world = world_of(Held(), integrator=BackwardEuler(), frame_time=0.1)
    world.spawn(*particles([[1, 0, 0]]), name="bob")
    world.step()
    assert world.get("bob", Velocity).v[0, 0] == pytest.approx(-0.1 * OMEGA**2, rel=1e-14)
    assert world.get("bob", Position).x[0, 0] == pytest.approx(1 - 0.01 * OMEGA**2, rel=1e-14)
    assert "Held" in world.describe()
