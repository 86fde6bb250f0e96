"""Damping: Rayleigh's alpha and beta, the damping ratio, drag and wind per particle."""
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
    Gravity,
    Mass,
    MassSpring,
    Material,
    Position,
    Velocity,
    Wind,
)
from components.prefabs import rope
from tests.verification.scenes import EXPLICIT, IMPLICIT, label, orders, particles, world_of

ALPHA, BETA = 0.5, 0.001


def ratio_after(seconds: float, omega: float, alpha: float, beta: float, steps: int, integrator: Any) -> float:
    """Displacement / initial displacement of a bob of 0.3 kg on a spring of that frequency, released from rest."""
    m, start = 0.3, 0.01
    world = world_of(integrator=integrator, frame_time=seconds, substeps=steps)
    world.spawn(
        rope((0, 0, 0), (1, 0, 0), segments=1), Mass(m=[m, m]), MassSpring(stretch=m * omega**2),
        Material(total_mass=2 * m, rayleigh_alpha=alpha, rayleigh_beta=beta),
        Position(x=[[0, 0, 0], [1 + start, 0, 0]]), BoundaryConditions.fixed("start"), name="bob",
    )  # fmt: skip
    world.step()
    return (world.get("bob", Position).x[1, 0] - 1) / start


def log_decrement(zeta: float) -> float:
    """ln of the ratio of two displacements one damped period apart."""
    return 2 * math.pi * zeta / math.sqrt(1 - zeta**2)


@pytest.mark.parametrize("omega, alpha, beta, zeta", [
    (1.0, ALPHA, BETA, 0.2505), (10.0, ALPHA, BETA, 0.03), (100.0, ALPHA, BETA, 0.0525),
    (10.0, ALPHA, 0.0, 0.025), (10.0, 0.0, BETA, 0.005), (math.sqrt(ALPHA / BETA), ALPHA, BETA, 0.022360679774997897),
    (5.0, 0.18181818181818182, 0.0007272727272727273, 0.02), (50.0, 0.18181818181818182, 0.0007272727272727273, 0.02),
])  # fmt: skip
def test_rayleigh_damping_of_a_mode(omega: float, alpha: float, beta: float, zeta: float) -> None:
    """zeta = alpha / (2 omega) + beta omega / 2. After one damped period, released from rest, x / x0 = exp(-delta).

    RK4 with 200 and 400 steps: Richardson's correction is the tolerance.
    """
    assert alpha / (2 * omega) + beta * omega / 2 == pytest.approx(zeta, rel=1e-12)
    period = 2 * math.pi / (omega * math.sqrt(1 - zeta**2))
    coarse, fine = (ratio_after(period, omega, alpha, beta, n, RK4()) for n in (200, 400))
    correction = abs(fine - coarse) / 15
    assert correction < 1e-9
    assert -math.log(fine) == pytest.approx(log_decrement(zeta), abs=2 * correction / fine + 1e-12)


def test_log_decrement_of_the_case() -> None:
    assert log_decrement(0.03) == pytest.approx(0.18858043951553613, rel=1e-12)
    assert math.exp(-log_decrement(0.03)) == pytest.approx(0.828133886070749, rel=1e-12)


@pytest.mark.parametrize("integrator", EXPLICIT + IMPLICIT, ids=label)
def test_order_of_damped_decay(integrator: Any) -> None:
    """Both dampings in every integrator: the orders stay 1, 2, 4 and 1."""
    omega, zeta, order = 10.0, 0.03, {"VelocityVerlet": 2, "RK4": 4}.get(type(integrator).__name__, 1)
    t = 0.5
    damped, decay = omega * math.sqrt(1 - zeta**2), zeta * omega
    exact = math.exp(-decay * t) * (math.cos(damped * t) + decay / damped * math.sin(damped * t))
    counts = (400, 800, 1600) if order == 1 else (40, 80, 160)
    errors = [abs(ratio_after(t, omega, ALPHA, BETA, n, integrator) - exact) for n in counts]
    assert orders(errors) == pytest.approx([order] * 2, abs=0.1)


@pytest.mark.parametrize("mode", [1, 3, 5])
def test_each_mode_of_a_chain_has_its_own_damping(mode: int) -> None:
    """Chain of 5 masses between walls: omega_j = 2 sqrt(k / m) sin(j pi / 12), shape sin(j pi i / 6), along the chain.

    The chain is linear along itself. After one damped period each displacement is exp(-delta_j) of the start.
    """
    m, k, size, alpha, beta = 0.2, 80.0, 1e-3, 0.4, 0.002
    omega = 2 * math.sqrt(k / m) * math.sin(mode * math.pi / 12)
    zeta = alpha / (2 * omega) + beta * omega / 2
    shape = size * np.sin(mode * np.pi * np.arange(7) / 6)
    points = np.column_stack([np.linspace(0, 6, 7), np.zeros(7), np.zeros(7)])
    world = world_of(integrator=RK4(), frame_time=2 * math.pi / (omega * math.sqrt(1 - zeta**2)), substeps=400)
    world.spawn(
        rope((0, 0, 0), (6, 0, 0), segments=6), Mass(m=np.full(7, m)), MassSpring(stretch=k),
        Material(total_mass=7 * m, rayleigh_alpha=alpha, rayleigh_beta=beta),
        Position(x=points + shape[:, None] * [1, 0, 0]), BoundaryConditions.fixed("ends"), name="chain",
    )  # fmt: skip
    world.step()
    moved = world.get("chain", Position).x[:, 0] - points[:, 0]
    # RK4's local error (2 pi / 400)^5 / 120 times 400 steps is 3e-9 of the amplitude
    assert moved == pytest.approx(shape * math.exp(-log_decrement(zeta)), abs=1e-8 * size + 1e-14)


def test_damping_ratio_is_that_of_two_particles() -> None:
    """Two free particles of m on a spring: reduced mass m / 2, so that MassSpring.damping_ratio is their zeta."""
    m, k, zeta, start = 0.4, 50.0, 0.1, 0.01
    omega = math.sqrt(2 * k / m)
    world = world_of(
        integrator=RK4(), frame_time=2 * math.pi / (omega * math.sqrt(1 - zeta**2)), substeps=400
    )
    world.spawn(
        rope((0, 0, 0), (1, 0, 0), segments=1), Mass(m=[m, m]), MassSpring(stretch=k, damping_ratio=zeta),
        Position(x=[[-start / 2, 0, 0], [1 + start / 2, 0, 0]]), name="pair",
    )  # fmt: skip
    world.step()
    x = world.get("pair", Position).x
    assert (x[1, 0] - x[0, 0] - 1) / start == pytest.approx(math.exp(-log_decrement(zeta)), rel=1e-8)


@pytest.mark.parametrize("integrator", EXPLICIT + IMPLICIT, ids=label)
def test_terminal_velocity(integrator: Any) -> None:
    """c v = m g: v = 0.4 * 9.81 / 0.8 is the fixed point of every integrator; 40 time constants m / c reach it."""
    world = world_of(integrator=integrator, frame_time=0.05)
    world.spawn(Gravity())
    world.spawn(*particles([[0, 0, 0]], m=0.4), Drag(coefficient=0.8), name="drop")
    world.step(400)
    assert world.get("drop", Velocity).v[0] == pytest.approx([0, -0.4 * 9.81 / 0.8, 0], rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("v, force", [((0, 0, 0), 2.5), ((0, 0, 2), 1.5), ((0, 0, 5), 0.0)])
def test_wind_on_a_particle(v: tuple[float, ...], force: float) -> None:
    """f = k (w - v), k = 0.5, w = (0, 0, 5): read off one explicit step, m dv / h, for each of two particles."""
    h, m = 0.01, 0.5
    world = world_of(frame_time=h)
    world.spawn(Wind(velocity=(0, 0, 5), coefficient=0.5))
    world.spawn(*particles([[0, 0, 0], [1, 2, 3]], [v, v], m), name="dust")
    world.step()
    found = (world.get("dust", Velocity).v - np.array(v)) * m / h
    # the difference of velocities of 5 m/s rounds to 5e-16 * m / h
    assert found == pytest.approx(np.array([[0, 0, force]] * 2), rel=1e-12, abs=1e-13)


def test_wind_adds_up_and_its_derivative_is_used() -> None:
    """Backward Euler with two winds: v1 = (v0 + (h / m) sum k w) / (1 + (h / m) sum k), exactly, at any step."""
    h, m = 10.0, 0.5
    world = world_of(integrator=BackwardEuler(tolerance=1e-14), frame_time=h)
    world.spawn(Wind(velocity=(0, 0, 5), coefficient=0.5))
    world.spawn(Wind(velocity=(4, 0, 0), coefficient=0.25))
    world.spawn(*particles([[0, 0, 0]], [[1, 1, 1]], m), name="dust")
    world.step()
    expected = (np.ones(3) + h / m * np.array([1.0, 0, 2.5])) / (1 + h / m * 0.75)
    assert world.get("dust", Velocity).v[0] == pytest.approx(expected, rel=1e-12)
