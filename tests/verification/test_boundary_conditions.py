"""Prescribed motion, pins along single axes, and point loads."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from components import BackwardEuler, BoundaryConditions, Geometry, Gravity, Mass, MassSpring, Position, Velocity
from components.prefabs import rope
from framework import World
from tests.verification.scenes import EXPLICIT, IMPLICIT, label, world_of

EVERY = EXPLICIT + IMPLICIT


def chain(integrator: Any, conditions: BoundaryConditions, *, links: int = 3, frame_time: float = 0.05) -> World:
    """A chain of four particles of 0.1 kg along x under gravity, springs of 40 N/m with damping."""
    world = world_of(integrator=integrator, frame_time=frame_time, substeps=7)
    world.spawn(Gravity())
    world.spawn(
        rope((0, 0, 0), (0.3, 0, 0), segments=links), Mass(m=np.full(links + 1, 0.1)),
        MassSpring(stretch=40.0, damping_ratio=0.1), conditions, name="chain",
    )  # fmt: skip
    return world


@pytest.mark.parametrize("integrator", EVERY, ids=label)
def test_prescribed_displacement_is_met_at_every_frame(integrator: Any) -> None:
    """Piecewise linear in time, by its own times, which fall between frames and substeps too; velocity is the slope."""
    times, values = [0.0, 0.12, 0.31, 0.47], np.array([[0, 0, 0], [0.3, -0.1, 0.2], [0.1, 0.4, 0.2], [0, 0, -0.3]])
    world = chain(integrator, BoundaryConditions.displacement("start", values, times))
    for _ in range(12):
        world.step()
        t = world.time
        expected = [np.interp(t, times, values[:, axis]) for axis in range(3)]
        assert world.get("chain", Position).x[0] == pytest.approx(expected, abs=1e-14)
        piece = np.searchsorted(times, t, side="right") - 1
        slope = (
            np.zeros(3) if piece > 2 else (values[piece + 1] - values[piece]) / (times[piece + 1] - times[piece])
        )
        assert world.get("chain", Velocity).v[0] == pytest.approx(slope, abs=1e-12)


@pytest.mark.parametrize("integrator", EVERY, ids=label)
def test_prescribed_velocity_is_integrated_exactly(integrator: Any) -> None:
    """v from 0 to (1, 2, 0) in 0.2 s, then constant: x = t^2 / 0.4 and then 0.1 + (t - 0.2) times it."""
    end = np.array([1.0, 2.0, 0.0])
    world = chain(integrator, BoundaryConditions.velocity("start", [np.zeros(3), end], [0.0, 0.2]))
    for _ in range(10):
        world.step()
        t = world.time
        moved = end * (t * t / 0.4 if t < 0.2 else 0.1 + t - 0.2)
        assert world.get("chain", Position).x[0] == pytest.approx(moved, abs=1e-13)
        assert world.get("chain", Velocity).v[0] == pytest.approx(end * min(t / 0.2, 1.0), abs=1e-13)


@pytest.mark.parametrize("integrator", EVERY, ids=label)
def test_constant_velocity_carries_the_whole_chain_along(integrator: Any) -> None:
    """Without gravity a chain whose end moves at the speed it has is in uniform motion: strains stay zero."""
    v = np.array([0.4, 0.0, 0.0])
    world = world_of(integrator=integrator, frame_time=0.05, substeps=4)
    world.spawn(
        rope((0, 0, 0), (0.3, 0, 0), segments=3), Mass(m=np.full(4, 0.1)), MassSpring(stretch=40.0),
        Velocity(v=np.tile(v, (4, 1))), BoundaryConditions.velocity("start", v), name="chain",
    )  # fmt: skip
    world.step(20)
    points = np.linspace([0, 0, 0], [0.3, 0, 0], 4)
    assert world.get("chain", Position).x == pytest.approx(points + v * world.time, abs=1e-12)


@pytest.mark.parametrize("integrator", EVERY, ids=label)
def test_pins_hold_single_axes(integrator: Any) -> None:
    """Held along y and z the chain's ends slide along x only: not a bit off, and free along x without friction."""
    world = chain(integrator, BoundaryConditions.fixed("ends", axes="yz"))
    world.step(10)
    x = world.get("chain", Position).x
    assert not x[[0, 3], 1:].any() and not world.get("chain", Velocity).v[[0, 3], 1:].any()
    assert x[1, 1] < -0.01
    # the sagging chain pulls its ends together; nothing acts along x from outside: the centre of mass stays
    assert x[0, 0] > 0 and x[:, 0].mean() == pytest.approx(0.15, abs=1e-12)


@pytest.mark.parametrize("newton", [False, True], ids=["linearised", "newton"])
def test_point_load_on_a_frame_of_two_bars(newton: bool) -> None:
    """Two bars of EA / L = k at +-45 degrees from a loaded joint: deflection P / (2 k cos^2), to first order in P.

    At P / k = 1e-6 the second-order part is 1e-6 of it.
    """
    k, load = 500.0, 5e-4
    half = 1 / np.sqrt(2)
    geometry = Geometry(points=[[-half, half, 0], [half, half, 0], [0, 0, 0]], edges=[[0, 2], [1, 2]])
    world = world_of(integrator=BackwardEuler(newton=newton, tolerance=1e-13), frame_time=10.0)
    world.spawn(
        geometry, Mass(m=np.ones(3)), MassSpring(stretch=k),
        BoundaryConditions.fixed([0, 1]) + BoundaryConditions.load([2], (0, -load, 0)), name="frame",
    )  # fmt: skip
    world.step(20)
    assert world.get("frame", Position).x[2] == pytest.approx([0, -load / (2 * k * 0.5), 0], rel=3e-6, abs=1e-15)


def test_stretched_chain_under_an_end_load() -> None:
    """n springs in a row under P: each gives P / k, whatever its place."""
    world = world_of(integrator=BackwardEuler(newton=True, tolerance=1e-13), frame_time=1.0)
    world.spawn(
        rope((0, 0, 0), (1, 0, 0), segments=5), Mass(m=np.full(6, 0.1)), MassSpring(stretch=200.0),
        BoundaryConditions.fixed("start") + BoundaryConditions.load("end", (4.0, 0, 0)), name="chain",
    )  # fmt: skip
    world.step(40)
    expected = np.linspace(0, 1, 6) + np.arange(6) * 4.0 / 200.0
    assert world.get("chain", Position).x[:, 0] == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize("integrator", EXPLICIT, ids=label)
def test_load_changed_by_command(integrator: Any) -> None:
    """A free particle under 2 N, then none from 0.1 s on: v = 2 t / m, then constant."""
    world = world_of(integrator=integrator, frame_time=0.05, substeps=3)
    geometry = Geometry(points=[[0, 0, 0]])
    world.spawn(geometry, Mass(m=[0.5]), BoundaryConditions.load([0], (2.0, 0, 0)), name="bead")
    world.at(0.1).set("bead.boundary_conditions.conditions", ())
    world.step(4)
    assert world.get("bead", Velocity).v[0] == pytest.approx([0.4, 0, 0], rel=1e-13)
