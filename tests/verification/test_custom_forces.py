"""Forces of one's own keep the integrators' orders: an orbit; forces of time, velocity and last frame's strain."""
from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from components import (
    RK4,
    BackwardEuler,
    BoundaryConditions,
    Drag,
    Force,
    Gravity,
    Mass,
    MassSpring,
    Position,
    Strain,
    SymplecticEuler,
    Velocity,
    VelocityVerlet,
)
from components.prefabs import rope
from framework import ForceSystem, Step, World
from tests.verification.scenes import orders, particles, refined, world_of

RATES = [(SymplecticEuler(), 1), (VelocityVerlet(), 2), (RK4(), 4)]
IDS = ["SymplecticEuler", "VelocityVerlet", "RK4"]


class CentralPull(ForceSystem):
    """f = -m x / |x|^3: a planet about a sun of G M = 1 at the origin."""

    reads, adds = (Position, Mass), (Force,)

    def process(self, world: World, step: Step) -> None:
        for _, position, mass, force in world.query(Position, Mass, Force):
            distance = np.linalg.norm(position.x, axis=1)
            force.f -= (mass.m / distance**3)[:, None] * position.x


def kepler(t: float, e: float = 0.5) -> np.ndarray:
    """Position on the orbit of semi-major axis 1 at time t after perihelion: M = E - e sin E by Newton."""
    anomaly = t
    for _ in range(60):
        anomaly -= (anomaly - e * math.sin(anomaly) - t) / (1 - e * math.cos(anomaly))
    return np.array([math.cos(anomaly) - e, math.sqrt(1 - e * e) * math.sin(anomaly), 0.0])


def orbit_error(integrator: Any, steps: int, t: float = 2.0) -> float:
    world = world_of(CentralPull(), integrator=integrator, frame_time=t / 4, substeps=steps // 4)
    world.spawn(*particles([[0.5, 0, 0]], [[0, math.sqrt(3), 0]], 2.0), name="planet")
    world.step(4)
    return float(np.linalg.norm(world.get("planet", Position).x[0] - kepler(t)))


@pytest.mark.parametrize("integrator, order, counts", [
    (VelocityVerlet(), 2, (400, 800, 1600)), (RK4(), 4, (200, 400, 800)),
], ids=["VelocityVerlet", "RK4"])  # fmt: skip
def test_orbit_of_eccentricity_one_half(integrator: Any, order: int, counts: tuple[int, ...]) -> None:
    assert orders(refined(lambda n: orbit_error(integrator, n), counts)) == pytest.approx([order] * 2, abs=0.1)


class Shaker(ForceSystem):
    """x'' = -x + cos 3 t: from x = v = 0 the motion is (cos t - cos 3 t) / 8."""

    reads, adds = (Position,), (Force,)

    def process(self, world: World, step: Step) -> None:
        for _, position, force in world.query(Position, Force):
            force.f[:, 0] += math.cos(3 * step.time) - position.x[:, 0]


@pytest.mark.parametrize("integrator, order", RATES, ids=IDS)
def test_force_of_time_is_evaluated_at_stage_times(integrator: Any, order: int) -> None:
    def error(substeps: int) -> float:
        world = world_of(Shaker(), integrator=integrator, frame_time=0.25, substeps=substeps)
        world.spawn(*particles([[0, 0, 0]]), name="bob")
        world.step(8)
        return abs(world.get("bob", Position).x[0, 0] - (math.cos(2) - math.cos(6)) / 8)

    assert orders(refined(error, (10, 20, 40))) == pytest.approx([order] * 2, abs=0.1)


class StrainMotor(ForceSystem):
    """Pushes the bob by `gain` [N] times the strain that its spring had at the end of the last frame."""

    reads, adds = (Strain,), (Force,)

    def __init__(self, gain: float) -> None:
        self.gain = gain

    def process(self, world: World, step: Step) -> None:
        strain = world.previous("bob.strain.spring.mean")
        for _, _, force in world.query(Strain, Force):
            force.f[1, 0] += self.gain * strain


@pytest.mark.parametrize("integrator, order", RATES, ids=IDS)
def test_force_of_last_frames_strain(integrator: Any, order: int) -> None:
    """Bob m = 0.5 on a spring k = 20, L = 1 along x. Within frame j the force g s_j is constant, s_j = y_j / L with y
    the extension at the start of the frame, so the exact motion is harmonic about g s_j / k, frame by frame.
    """
    k, m, gain, start, frames, frame_time = 20.0, 0.5, 6.0, 0.25, 8, 0.1
    omega = math.sqrt(k / m)
    y, v = start, 0.0
    for _ in range(frames):
        rest = gain * y / k
        c, s = math.cos(omega * frame_time), math.sin(omega * frame_time)
        y, v = rest + (y - rest) * c + v / omega * s, -omega * (y - rest) * s + v * c

    def error(substeps: int) -> float:
        world = world_of(StrainMotor(gain), integrator=integrator, frame_time=frame_time, substeps=substeps)
        world.spawn(
            rope((0, 0, 0), (1, 0, 0), segments=1), Mass(m=[m, m]), MassSpring(stretch=k),
            Position(x=[[0, 0, 0], [1 + start, 0, 0]]), BoundaryConditions.fixed("start"), name="bob",
        )  # fmt: skip
        world.step(frames)
        return math.hypot(
            world.get("bob", Position).x[1, 0] - 1 - y, (world.get("bob", Velocity).v[1, 0] - v) / omega
        )

    # the first-order error is not yet alone at these steps
    assert orders(refined(error, (8, 16, 32))) == pytest.approx([order] * 2, abs=0.2 if order == 1 else 0.1)


@pytest.mark.parametrize(
    "integrator, order", [*RATES, (BackwardEuler(tolerance=1e-13), 1)], ids=[*IDS, "BackwardEuler"]
)
def test_fall_with_linear_drag(integrator: Any, order: int) -> None:
    """v' = g - v / tau, tau = m / c: v = v_t (1 - exp(-t / tau)), y = v_t (t - tau (1 - exp(-t / tau)))."""
    c, m, t = 0.8, 0.4, 1.0
    tau = m / c
    decay = 1 - math.exp(-t / tau)
    v, y = -9.81 * tau * decay, -9.81 * tau * (t - tau * decay)

    def error(substeps: int) -> float:
        world = world_of(integrator=integrator, frame_time=t, substeps=substeps)
        world.spawn(Gravity())
        world.spawn(*particles([[0, 0, 0]], m=m), Drag(coefficient=c), name="drop")
        world.step()
        return math.hypot(world.get("drop", Position).x[0, 1] - y, world.get("drop", Velocity).v[0, 1] - v)

    assert orders(refined(error, (20, 40, 80))) == pytest.approx([order] * 2, abs=0.1)


class Gyration(ForceSystem):
    """f = omega v x z, unit masses: motion on a circle, as of a charge in a magnetic field."""

    reads, adds = (Velocity,), (Force,)

    def process(self, world: World, step: Step) -> None:
        for _, velocity, force in world.query(Velocity, Force):
            force.f[:, 0] += 2 * velocity.v[:, 1]
            force.f[:, 1] -= 2 * velocity.v[:, 0]


@pytest.mark.parametrize("integrator, order", RATES, ids=IDS)
def test_force_across_the_velocity(integrator: Any, order: int) -> None:
    """v turns by -2 t: from v = (1, 0, 0), x = sin(2 t) / 2, y = (cos(2 t) - 1) / 2."""

    def error(substeps: int) -> float:
        world = world_of(Gyration(), integrator=integrator, frame_time=1.0, substeps=substeps)
        world.spawn(*particles([[0, 0, 0]], [[1, 0, 0]]), name="charge")
        world.step()
        x = world.get("charge", Position).x[0]
        return math.hypot(x[0] - math.sin(2) / 2, x[1] - (math.cos(2) - 1) / 2)

    assert orders(refined(error, (20, 40, 80))) == pytest.approx([order] * 2, abs=0.1)
