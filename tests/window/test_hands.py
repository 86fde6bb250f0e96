"""Hands and supports: forces, commands, and the same bits without a window."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from components import (
    RK4,
    BackwardEuler,
    BoundaryConditions,
    Drag,
    Grab,
    Gravity,
    Mass,
    MassSpring,
    Material,
    Reaction,
    SymplecticEuler,
    VelocityVerlet,
)
from components.prefabs import grid, rope
from framework import World
from framework.viewer.edits import repeat
from framework.viewer.session import Session
from systems import standard

INTEGRATORS = [SymplecticEuler(), VelocityVerlet(), RK4(), BackwardEuler(), BackwardEuler(newton=True)]


def cloth(integrator: Any = None, pinned: bool = True) -> World:
    world = World(systems=standard(), substeps=20, integrator=integrator)
    world.spawn(Gravity(), name="gravity")
    held = (BoundaryConditions.fixed("left"),) if pinned else ()
    world.spawn(grid(size=(1.0, 1.0), cells=(5, 5), plane="xz"), Material(areal_density=0.2),
                MassSpring(stretch=50.0, shear=20.0, bend=1.0, damping_ratio=0.05), *held, name="cloth")
    return world


def weight(integrator: Any) -> World:
    """Three particles on a rope: 2 kg in all, 1 kg of it at the lower end."""
    world = World(systems=standard(), substeps=20, integrator=integrator)
    world.spawn(Gravity(acceleration=(0.0, -10.0, 0.0)), name="gravity")
    world.spawn(rope((0, 0, 0), (0, -1, 0), segments=2), Mass(m=(0.4, 0.6, 1.0)), MassSpring(stretch=500.0),
                Drag(coefficient=20.0), BoundaryConditions.fixed("start"), Reaction(), name="rope")
    return world


@pytest.mark.parametrize("integrator", INTEGRATORS, ids=repr)
def test_a_support_carries_a_hanging_weight(integrator: Any) -> None:
    world = weight(integrator)
    world.run(frames=240)
    force = world.value("rope.reaction")
    np.testing.assert_allclose(force[0], (0.0, 2.0 * 10.0, 0.0), atol=2e-3)
    np.testing.assert_array_equal(force[1:], 0.0)


def test_reactions_at_the_start_and_of_prescribed_acceleration() -> None:
    world = World(systems=standard(), substeps=10)
    world.spawn(Gravity(acceleration=(0.0, -10.0, 0.0)), name="gravity")
    lift = BoundaryConditions.velocity("all", ((0, 0, 0), (0, 6.0, 0)), times=(0.0, 2.0), axes="y")
    body = rope((0, 0, 0), (1, 0, 0), segments=1)
    body.groups["all"] = np.array([0, 1], np.int32)
    world.spawn(body, Mass(m=2.0), lift, Reaction(), name="body")
    np.testing.assert_allclose(world.value("body.reaction"), [(0, 20, 0)] * 2)  # m (g + 0), before it moves
    world.run(frames=30)
    np.testing.assert_allclose(world.value("body.reaction"), [(0, 2.0 * (10.0 + 3.0), 0)] * 2, rtol=1e-9)


def test_measuring_changes_no_bit() -> None:
    plain, measured = cloth(), cloth()
    meter = next(system for system in measured.engine.schedule if hasattr(system, "measure"))
    for _ in range(5):
        plain.step()
        measured.step()
        before = measured.state_hash()
        total = meter.measure(measured, measured.id("cloth")).sum(axis=0)  # type: ignore[attr-defined]
        assert measured.state_hash() == before and np.isfinite(total).all()
    assert plain.state_hash() == measured.state_hash()


def test_a_grab_pulls_with_its_spring_and_stores_its_energy() -> None:
    world = World(systems=standard(), substeps=50)
    world.spawn(rope((0, 0, 0), (1, 0, 0), segments=1), Mass(m=2.0), name="body")
    world.spawn(Grab("body", 1, (1.0, 0.5, 0.0), stiffness=8.0), name="hand")
    assert world.value("body.energy.potential") == pytest.approx(0.5 * 8.0 * 0.25)
    world.run(frames=60)
    y = 0.5 * (1.0 - np.cos(np.sqrt(8.0 / 2.0) * 1.0))
    assert world.value("body.position")[1, 1] == pytest.approx(y, rel=1e-2)
    energy = world.value("body.energy.kinetic") + world.value("body.energy.potential")
    assert energy == pytest.approx(1.0, rel=1e-2)
    world.despawn("body")
    world.step()


@pytest.mark.parametrize("integrator", INTEGRATORS, ids=repr)
@pytest.mark.parametrize("grab_by", ["spring", "imposed"])
def test_a_session_of_hands_repeats_without_a_window(integrator: Any, grab_by: str) -> None:
    session = Session(cloth(integrator), cloth)
    body = session.world.id("cloth")
    session.grab_by = grab_by
    session.step(3)
    assert session.grab(body, 20), session.message
    x = session.world.value("cloth.position")[20].copy()
    for k in range(10):
        session.drag_to(x + np.array([0.02 * k, 0.03 * k, 0.0]))
        session.step(1)
    if grab_by == "imposed":
        end = x + np.array([0.18, 0.27, 0.0])
        np.testing.assert_allclose(session.world.value("cloth.position")[20], end, atol=1e-9)
    else:
        assert session.world.value("cloth.position")[20, 1] > x[1] - 0.1
    assert np.linalg.norm(session.reaction) > 1e-3
    session.release()
    assert session.held is None
    session.step(3)
    assert session.pin(body, 35), session.message
    session.step(4)
    assert session.unpin(body, 35) and session.unpin(body, 0), session.message
    session.step(4)
    assert not session.message, session.message
    assert np.isfinite(session.world.value("cloth.position")).all()
    again = cloth(integrator)
    repeat(again, session.edits, session.last)
    assert again.state_hash() == session.world.state_hash()
    texts = [text for _, text in session.marks]
    assert len(texts) <= 8  # the moves of the hand are no marks


def test_pins_hold_bodies_that_had_no_conditions() -> None:
    session = Session(cloth(pinned=False), lambda: cloth(pinned=False))
    body = session.world.id("cloth")
    session.step(2)
    assert session.pin(body, 3), session.message
    assert session.is_pinned(body, 3) and not session.is_pinned(body, 4)
    x = session.world.value("cloth.position")[3].copy()
    session.step(5)
    np.testing.assert_array_equal(session.world.value("cloth.position")[3], x)
    session.scrub(1)
    assert not session.is_pinned(body, 3)
    session.scrub(7)
    assert session.is_pinned(body, 3)
    again = cloth(pinned=False)
    repeat(again, session.edits, session.last)
    assert again.state_hash() == session.world.state_hash()


def test_pins_that_cannot_be() -> None:
    session = Session(cloth(), cloth)
    body = session.world.id("cloth")
    assert not session.unpin(body, 20) and "not pinned" in session.message
    assert not session.grab(session.world.id("gravity"), 0) and session.held is None and session.message
    empty = Session(World())
    assert not empty.pin(0, 0) and "standard" in empty.message


def test_going_back_into_a_drag_leaves_no_hand_behind() -> None:
    session = Session(cloth(), cloth)
    body = session.world.id("cloth")
    for grab_by in ("spring", "imposed"):
        session.grab_by = grab_by
        assert session.grab(body, 20)
        began = session.playhead
        session.drag_to((0.5, 0.5, 0.5))
        session.step(4)
        session.release()
        session.step(2)
        session.continue_from(began + 2)
        session.pause()
        assert "hand" not in session.world.names() and not session.is_pinned(body, 20)
    session.step(3)
    again = cloth()
    repeat(again, session.edits, session.last)
    assert again.state_hash() == session.world.state_hash()


def test_a_spring_hand_keeps_explicit_steps_stable() -> None:
    for integrator in INTEGRATORS[:3]:
        session = Session(cloth(integrator), cloth)
        assert session.grab(session.world.id("cloth"), 20)
        session.drag_to((3.0, 3.0, 0.0))
        assert session.step(120) == 120, session.message


@pytest.mark.parametrize("grab_by", ["spring", "imposed"])
def test_a_body_can_be_taken_again(grab_by: str) -> None:
    session = Session(cloth(), cloth)
    body, session.grab_by = session.world.id("cloth"), grab_by
    for target in ((0.5, 0.5, 0.5), (-0.5, 0.5, 0.5)):
        before = session.world.value("cloth.position[20]")[0]
        assert session.grab(body, 20)
        session.drag_to(target)
        session.step(20)
        moved = session.world.value("cloth.position[20]")[0] - before
        assert moved[0] * (target[0] - before[0]) > 0 and abs(moved[0]) > 0.05
        session.release()
