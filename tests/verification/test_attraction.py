"""Attraction between particles: two-body orbits, softening, cutoff, repulsion, and momentum."""
from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from components import RK4, Attraction, BackwardEuler, Drag, Momentum, Position, Velocity
from framework import World
from tests.verification.scenes import EXPLICIT, IMPLICIT, label, orders, particles, world_of

G = 2.0


def forces(distance: float, m: tuple[float, float] = (1.5, 0.4), h: float = 1e-3, **law: Any) -> np.ndarray:
    """Forces (2, 3) [N] on two particles on the x axis: m v / h after one explicit step from rest."""
    world = world_of(frame_time=h)
    world.spawn(Attraction(**({"strength": G} | law)))
    world.spawn(*particles([[0, 0, 0], [distance, 0, 0]], m=list(m)), name="pair")
    world.step()
    return world.get("pair", Velocity).v * np.array(m)[:, None] / h


@pytest.mark.parametrize("distance", [0.3, 1.0, 7.0])
def test_inverse_square(distance: float) -> None:
    pull = G * 1.5 * 0.4 / distance**2
    assert forces(distance) == pytest.approx(np.array([[pull, 0, 0], [-pull, 0, 0]]), rel=1e-13)


def test_softening() -> None:
    """F = G m M r / (r^2 + s^2)^(3/2): zero at r = 0, largest at r = s / sqrt(2)."""
    s = 0.5
    for r in (0.1, s / math.sqrt(2), 2.0):
        assert forces(r, softening=s)[0, 0] == pytest.approx(G * 0.6 * r / (r * r + s * s) ** 1.5, rel=1e-13)
    assert not forces(0.0, softening=s).any()


def test_cutoff() -> None:
    """Full force up to the cutoff, none beyond; the energy counts from there."""
    assert forces(0.99, cutoff=1.0)[0, 0] == pytest.approx(G * 0.6 / 0.99**2, rel=1e-13)
    assert not forces(1.01, cutoff=1.0).any()
    world = world_of()
    world.spawn(Attraction(strength=G, cutoff=1.0))
    world.spawn(*particles([[0, 0, 0], [0.5, 0, 0]], m=[1.5, 0.4]), name="pair")
    assert world.value("pair.energy.potential") == pytest.approx(-G * 0.6 * (1 / 0.5 - 1 / 1.0), rel=1e-13)


def test_repulsion() -> None:
    """R (1 - r / a) below the range a, added to the attraction."""
    found = forces(0.2, repulsion=30.0, repulsion_range=0.3)[0, 0]
    assert found == pytest.approx(G * 0.6 / 0.04 - 30.0 * (1 - 0.2 / 0.3), rel=1e-12)
    assert forces(0.4, repulsion=30.0, repulsion_range=0.3)[0, 0] == pytest.approx(G * 0.6 / 0.16, rel=1e-13)


def binary(integrator: Any, steps: int, e: float = 0.3) -> tuple[World, float]:
    """Two bodies of 1 and 3 kg on an orbit of semi-major axis 2 and eccentricity e, from periapsis; and its period."""
    a, m1, m2 = 2.0, 1.0, 3.0
    period = 2 * math.pi * math.sqrt(a**3 / (G * (m1 + m2)))
    r, v = a * (1 - e), math.sqrt(G * (m1 + m2) / a * (1 + e) / (1 - e))
    world = world_of(integrator=integrator, frame_time=period / 4, substeps=steps // 4)
    world.spawn(Attraction(strength=G))
    for name, share, m in (("light", m2 / (m1 + m2), m1), ("heavy", -m1 / (m1 + m2), m2)):
        world.spawn(*particles([[share * r, 0, 0]], [[0, share * v, 0]], m), name=name)
    return world, period


def test_two_body_period() -> None:
    """T = 2 pi sqrt(a^3 / (G (m1 + m2))): after it both are back, to RK4's order; half of it takes them to apoapsis."""
    errors = []
    for steps in (400, 800, 1600):
        world, period = binary(RK4(), steps)
        start = world.get("light", Position).x.copy()
        world.step(4)
        assert world.time == pytest.approx(period, rel=1e-14)
        errors.append(float(np.abs(world.get("light", Position).x - start).max()))
    assert errors[-1] < 1e-8
    assert orders(errors) == pytest.approx([4] * 2, abs=0.3)
    world, _ = binary(RK4(), 1600)
    world.step(2)
    gap = world.get("light", Position).x - world.get("heavy", Position).x
    assert gap[0] == pytest.approx([-2.0 * 1.3, 0, 0], abs=1e-7)


def test_energy_of_the_orbit() -> None:
    """Kinetic + potential = -G m1 m2 / (2 a), shared out half and half."""
    world, _ = binary(RK4(), 400)
    kinds = "kinetic", "potential"
    total = sum(world.value(f"{name}.energy.{kind}") for name in ("light", "heavy") for kind in kinds)
    assert total == pytest.approx(-G * 3.0 / 4.0, rel=1e-12)
    assert world.value("light.energy.potential") == pytest.approx(world.value("heavy.energy.potential"), rel=1e-14)


def test_cohesion_settles_where_pull_and_push_balance() -> None:
    """G m M / r^2 = R (1 - r / a), found by bisection here; drag takes the energy out."""
    low, high = 0.05, 0.3
    pull = G * 0.6
    for _ in range(100):
        r = 0.5 * (low + high)
        # nearer than the outer root the push wins
        low, high = (r, high) if 300.0 * (1 - r / 0.3) > pull / r**2 else (low, r)
    world = world_of(frame_time=0.05, substeps=50)
    world.spawn(Attraction(strength=G, repulsion=300.0, repulsion_range=0.3))
    world.spawn(*particles([[0, 0, 0], [0.29, 0, 0]], m=[1.5, 0.4]), Drag(coefficient=5.0), name="pair")
    world.step(200)
    x = world.get("pair", Position).x
    assert np.linalg.norm(x[1] - x[0]) == pytest.approx(r, rel=1e-9)


@pytest.mark.parametrize("integrator", [*EXPLICIT, IMPLICIT[0], BackwardEuler(newton=True)], ids=label)
def test_momentum_within_and_between_bodies(integrator: Any) -> None:
    """Pair forces are opposite: the momentum of all bodies stays, to rounding of what the forces exchanged."""
    random = np.random.default_rng(5)
    world = world_of(integrator=integrator, frame_time=0.01, substeps=2)
    world.spawn(Attraction(strength=0.05, softening=0.1, repulsion=0.3, repulsion_range=0.2))
    for name, n in (("few", 4), ("many", 9)):
        x, v, m = random.random((n, 3)), random.standard_normal((n, 3)), random.random(n) + 0.5
        world.spawn(*particles(x, v, m), name=name)
    start = {name: world.get(name, Momentum).linear.copy() for name in ("few", "many")}
    world.step(50)
    end = {name: world.get(name, Momentum).linear.copy() for name in start}
    assert end["few"] + end["many"] == pytest.approx(start["few"] + start["many"], abs=1e-12)
    assert np.abs(end["few"] - start["few"]).max() > 1e-3


@pytest.mark.parametrize("within, between", [(True, False), (False, True)])
def test_within_and_between(within: bool, between: bool) -> None:
    h = 1e-3
    world = world_of(frame_time=h)
    world.spawn(Attraction(strength=G, within=within, between=between))
    world.spawn(*particles([[0, 0, 0], [1, 0, 0]]), name="pair")
    world.spawn(*particles([[0, 2, 0]]), name="single")
    world.step()
    v = world.get("pair", Velocity).v / h
    assert (abs(v[0, 0]) > 1e-9) == within
    assert (abs(v[0, 1]) > 1e-9) == between
    assert world.get("single", Velocity).v.any() == between
