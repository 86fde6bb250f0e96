"""The pendulum L = 1, g = 9.81: period 4 sqrt(L / g) K(sin(theta0 / 2)), for a stiff spring as the rod."""
from __future__ import annotations

import math
from typing import Any

import pytest
from scipy.special import ellipk

from components import RK4, BoundaryConditions, Gravity, Mass, MassSpring, Position, Velocity, VelocityVerlet
from components.prefabs import rope
from tests.verification.scenes import orders, world_of

G = 9.81
PERIODS = {5: 2.007021914469057, 30: 2.0409898895191305, 90: 2.3678419475762373, 150: 3.5350981863815236}


def period(degrees: float, k: float, steps: int, integrator: Any) -> float:
    """4 times the time of the first passage through the lowest point, released from rest with the rod's static stretch.

    The end of `steps` steps is close to the passage, where the angular acceleration is zero: t = end - theta / theta'.
    """
    theta = math.radians(degrees)
    radius = 1 + G * math.cos(theta) / k
    world = world_of(integrator=integrator, frame_time=PERIODS[round(degrees)] / 4, substeps=steps)
    world.spawn(Gravity(acceleration=(0, -G, 0)))
    world.spawn(
        rope((0, 0, 0), (0, -1, 0), segments=1), Mass(m=[1, 1]), MassSpring(stretch=k),
        Position(x=[[0, 0, 0], [radius * math.sin(theta), -radius * math.cos(theta), 0]]),
        BoundaryConditions.fixed("start"), name="bob",
    )  # fmt: skip
    world.step()
    x, v = world.get("bob", Position).x[1], world.get("bob", Velocity).v[1]
    angle, square = math.atan2(x[0], -x[1]), x[0] ** 2 + x[1] ** 2
    return 4 * (world.time - angle * square / (x[0] * v[1] - x[1] * v[0]))


@pytest.mark.parametrize("degrees, expected", PERIODS.items())
def test_closed_form(degrees: int, expected: float) -> None:
    assert 4 * math.sqrt(1 / G) * ellipk(math.sin(math.radians(degrees) / 2) ** 2) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("degrees, expected", PERIODS.items())
def test_period_by_verlet(degrees: int, expected: float) -> None:
    """Steps of about 1 ms and a rod of 1e6 N/m, which gravity stretches by 1e-5: within 1e-4 of the rigid pendulum."""
    steps = round(expected / 4 / 1e-3)
    assert period(degrees, 1e6, steps, VelocityVerlet()) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("degrees, expected", PERIODS.items())
def test_rigid_rod_is_the_limit_of_stiff_ones(degrees: int, expected: float) -> None:
    """The error of a rod of k N/m is c / k + O(1 / k^2): order 1. Twice the stiffness extrapolates to the limit.

    RK4 of h omega < 0.7 in the rod's own vibration; what the extrapolation leaves is of the order of its square.
    """
    soft, stiff = (period(degrees, k, round(expected / 4 / 5e-4), RK4()) for k in (5e4, 1e5))
    assert orders([abs(soft - expected), abs(stiff - expected)]) == pytest.approx([1], abs=0.05)
    correction = stiff - soft
    assert stiff + correction == pytest.approx(expected, abs=30 * correction**2)
