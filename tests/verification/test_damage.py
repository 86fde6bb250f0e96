"""Yield and rupture of springs: perfect plasticity on the same elastic slope, permanent set, breaking at the limit."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from components import BoundaryConditions, Gravity, Mass, MassSpring, Position, SpringDamage, Strain, Velocity
from components.prefabs import rope
from framework import World
from tests.verification.scenes import EXPLICIT, label, world_of

K, LENGTH = 100.0, 2.0


def stretched(path: list[tuple[float, float]], **limits: float) -> World:
    """A spring of 2 m whose free end follows extensions [m] at times [s], both ends driven: (time, extension) pairs."""
    times, extensions = zip(*path, strict=True)
    world = world_of(frame_time=0.01, substeps=4)
    world.spawn(
        rope((0, 0, 0), (LENGTH, 0, 0), segments=1), Mass(m=[1, 1]), MassSpring(stretch=K, **limits),
        BoundaryConditions.fixed("start")
        + BoundaryConditions.displacement("end", [(e, 0, 0) for e in extensions], times),
        name="bar",
    )  # fmt: skip
    return world


def tension(world: World) -> float:
    """From the elastic energy k C^2 / 2, with the sign of the strain."""
    energy, strain = world.value("bar.energy.elastic"), world.get("bar", Strain).spring[0]
    return float(np.sign(strain) * np.sqrt(2 * K * energy))


def test_loading_cycle() -> None:
    """Yield strain 5 %: C_y = 0.1 m. Up to 0.3 m, back to 0.15 m, up again: T is k C, then k C_y, then k (C - 0.2).

    Unloaded from 0.3 m the spring is free at 0.2 m, its permanent set.
    """
    world = stretched([(0, 0), (1, 0.3), (2, 0.15), (3, 0.4)], yield_strain=0.05)
    checked = 0
    for _ in range(300):
        world.step()
        t, C = world.time, world.get("bar", Position).x[1, 0] - LENGTH
        if t <= 1:
            expected = K * min(C, 0.1)
        elif t <= 2:
            expected = K * (C - 0.2)
        else:
            expected = K * min(C - 0.2, 0.1)
        assert tension(world) == pytest.approx(expected, abs=1e-6)
        checked += 1
    assert checked == 300
    assert world.get("bar", SpringDamage).plastic[0] == pytest.approx(0.4 - 0.1, abs=1e-12)


def test_yield_in_compression_after_yield_in_tension() -> None:
    """0.3 m and then -0.1 m: tension yields by 0.2 m; in compression the limit is -C_y about the new rest length."""
    world = stretched([(0, 0), (1, 0.3), (2, -0.1)], yield_strain=0.05)
    world.step(200)
    assert tension(world) == pytest.approx(-K * 0.1, abs=1e-9)
    assert world.get("bar", SpringDamage).plastic[0] == pytest.approx(-0.1 + 0.1, abs=1e-12)


def test_permanent_set_of_a_free_spring() -> None:
    """Drawn past its yield, let go and damped to rest it is longer by the plastic extension, exactly."""
    world = world_of(frame_time=0.02, substeps=20)
    world.spawn(
        rope((0, 0, 0), (LENGTH, 0, 0), segments=1), Mass(m=[1, 1]),
        MassSpring(stretch=K, damping_ratio=0.3, yield_strain=0.05),
        Position(x=[[0, 0, 0], [LENGTH + 0.3, 0, 0]]), BoundaryConditions.fixed("start"), name="bar",
    )  # fmt: skip
    world.step(600)
    plastic = world.get("bar", SpringDamage).plastic[0]
    assert 0.15 < plastic <= 0.2
    assert world.get("bar", Position).x[1, 0] == pytest.approx(LENGTH + plastic, abs=1e-9)


def test_rupture_at_the_limit() -> None:
    """Rupture strain 12.5 %: whole at every frame below 0.25 m, broken from there on, without force when unloaded."""
    world = stretched([(0, 0), (1, 0.4), (2, 0.0)], rupture_strain=0.125)
    for _ in range(200):
        world.step()
        extension = world.get("bar", Position).x[1, 0] - LENGTH
        broken = bool(world.get("bar", SpringDamage).broken[0])
        if world.time <= 1:
            assert broken == (extension >= 0.25)
        else:
            assert broken
        if broken:
            assert world.value("bar.energy.elastic") == 0 and world.get("bar", Strain).spring[0] == 0


@pytest.mark.parametrize("integrator", EXPLICIT, ids=label)
def test_overloaded_chain_breaks_at_its_top(integrator: Any) -> None:
    """Only the top link carries all the weight; under slowly growing gravity it reaches its limit first.

    Cut off, the rest falls freely: its centre of mass has the acceleration g.
    """
    world = world_of(integrator=integrator, frame_time=0.02, substeps=20)
    world.spawn(Gravity(acceleration=(0, 0, 0)), name="gravity")
    world.spawn(
        rope((0, 0, 0), (0, -1, 0), segments=4), Mass(m=np.full(5, 0.1)),
        MassSpring(stretch=200.0, damping_ratio=0.3, rupture_strain=0.1), BoundaryConditions.fixed("start"),
        name="rope",
    )  # fmt: skip
    world.at(0.0).set("gravity.acceleration", (0, -20.0, 0), ramp=4.0)
    while not world.get("rope", SpringDamage).broken.any():
        world.step()
        assert world.time < 4
    # 4 * 0.1 kg * g = 200 N/m * 0.1 * 0.25 m at g = 12.5 m/s^2, at 2.5 s; the rope lags by less than 0.1 s
    assert world.time == pytest.approx(2.5, abs=0.1)
    assert world.get("rope", SpringDamage).broken.tolist() == [True, False, False, False]
    start, before = world.get("rope", Velocity).v[1:, 1].mean(), world.time
    world.step(10)
    gained = world.get("rope", Velocity).v[1:, 1].mean() - start
    # gravity is held over each frame of its ramp of 5 m/s^3
    frames = before + 0.02 * np.arange(10)
    assert gained == pytest.approx(-0.02 * float((5 * frames).sum()), rel=1e-9)
