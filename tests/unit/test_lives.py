"""Entities that come and go while commands wait for them, commands taken back, mistakes that are caught."""

from __future__ import annotations

import threading
import warnings
from typing import Any

import numpy as np
import pytest

from components import Force, Gravity, Mass, MassSpring, Material, Position, Transform, Velocity, Wind
from components.prefabs import grid
from framework import CommandError, FieldError, ForceSystem, PathError, ScheduleError, World
from systems import standard

FRAME = 0.1


def windy() -> World:
    world = World(frame_time=FRAME)
    world.spawn(Wind(velocity=(0, 0, 0)), name="wind")
    return world


# -- commands of entities that are gone -------------------------------------------------------------------------------


@pytest.mark.parametrize("motion", ["ramp", "keyframes"])
def test_motions_end_with_their_entity(motion: str) -> None:
    """One of the same name that comes later is another."""
    world = windy()
    if motion == "ramp":
        world.at(0.0).set("wind.velocity", (10, 0, 0), ramp=1.0)
    else:
        world.at(0.0).keyframes("wind.velocity", [0, 1], [(0, 0, 0), (10, 0, 0)])
    world.step(3)
    world.despawn("wind")
    world.spawn(Wind(velocity=(0, 7, 0)), name="wind")
    world.step(3)
    assert world.value("wind.velocity") == pytest.approx([0, 7, 0])


def test_a_name_is_free_from_when_its_entity_goes() -> None:
    world = windy()
    world.at(0.3).despawn("wind")
    world.at(0.3).spawn(Wind(velocity=(0, 0, 5)), name="wind")
    with pytest.raises(CommandError, match="already due"):
        world.at(0.5).spawn(Wind(velocity=(0, 0, 5)), name="wind")
    with pytest.raises(CommandError, match="there is an entity 'wind' already"):
        world.at(0.2).spawn(Wind(velocity=(0, 0, 5)), name="wind")
    world.step(5)
    assert world.value("wind.velocity") == pytest.approx([0, 0, 5])


# -- taking back ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("what", "count"), [("wind.velocity", 3), ("wind", 4), ("wind.wind.velocity", 3)])
def test_cancel(what: str, count: int) -> None:
    world = windy()
    world.at(0.0).set("wind.velocity", (10, 0, 0), ramp=1.0)
    world.step()
    world.at(0.5).set("wind.velocity", (1, 1, 1))
    world.at(0.6).keyframes("wind.velocity", [0, 1], [(0, 0, 0), (10, 0, 0)])
    world.at(0.7).despawn("wind")
    world.step(2)
    now = world.value("wind.velocity").copy()
    assert world.cancel(what) == count
    world.step(10) if count == 4 else world.step(3)
    assert world.value("wind.velocity") == pytest.approx(now)


def test_cancel_is_a_command_that_a_restore_knows() -> None:
    world, other = windy(), windy()
    for each in (world, other):
        each.at(0.5).set("wind.velocity", (1, 1, 1))
        each.step(2)
    world.step(1)
    world.restore(2)
    for each in (world, other):
        each.cancel("wind.velocity")
        each.step(6)
    assert world.state_hash() == other.state_hash()
    world.restore(4)
    world.step(4)
    assert world.state_hash() == other.state_hash()


@pytest.mark.parametrize("what", ["wind.velocity", "nobody", 3, "wind.speed"])
def test_nothing_to_cancel(what: Any) -> None:
    with pytest.raises((PathError, CommandError)):
        windy().cancel(what)


def test_a_command_that_cannot_be_carried_out_can_be_cancelled() -> None:
    world = windy()
    world.at(0.1).set("wind.velocity", (1, 0, 0))
    world.at(0.2).set("wind.velocity", (2, 0, 0))
    world.step()
    world.despawn("wind")
    with pytest.raises(PathError, match="no entity 'wind'"):
        world.step(3)
    assert world.cancel("wind") == 2
    world.step(3)


# -- many commands ----------------------------------------------------------------------------------------------------


def test_thousands_of_commands_keep_their_order() -> None:
    """By time, and of one time in the order in which they were given."""
    world = windy()
    for number in range(3000):
        world.at(1.0 + (number * 7919) % 97 / 10).set("wind.velocity", (number, 0, 0))
    due = [(item.time, item.command.value[0]) for item in world.timeline.pending]
    assert due == sorted(due) and len(due) == 3000


# -- nested transforms ------------------------------------------------------------------------------------------------


def nested() -> World:
    world = World(systems=standard())
    world.spawn(Transform(translation=(1, 0, 0)), name="base")
    world.spawn(Transform(parent="base"), name="arm")
    world.spawn(Transform(parent="arm"), name="hand")
    world.spawn(Gravity(), name="gravity")
    return world


@pytest.mark.parametrize(
    ("entity", "parent", "says"),
    [
        ("base", "base", "itself"),
        ("base", "hand", "itself"),
        ("arm", "hand", "itself"),
        ("arm", "gravity", "an entity with a Transform"),
        ("arm", "nobody", "there is no entity 'nobody'"),
    ],
)
@pytest.mark.parametrize("whole", [False, True])
def test_parents_that_cannot_be(entity: str, parent: str, says: str, whole: bool) -> None:
    world = nested()
    before = world.state_hash()
    with pytest.raises(FieldError, match=f"{entity}: Transform.parent must.*{says}"):
        if whole:
            world.set(f"{entity}.transform", Transform(parent=parent))
        else:
            world.set(f"{entity}.transform.parent", parent)
    assert world.state_hash() == before
    world.step()


def test_a_parent_that_went_away_is_named() -> None:
    world = nested()
    world.despawn("base")
    with pytest.raises(FieldError, match=r"arm: Transform\.parent must name an entity, but there is no entity 'base'"):
        world.step()


# -- forces -----------------------------------------------------------------------------------------------------------


class Clocked(ForceSystem):
    """Takes the wrong time."""

    reads, adds = (Position,), (Force,)

    def process(self, world: World, step: Any) -> None:
        for _, _, force in world.query(Position, Force):
            force.f[:, 0] += world.time


class Greedy(ForceSystem):
    """Sets the force instead of adding to it."""

    reads, adds = (Position,), (Force,)

    def process(self, world: World, step: Any) -> None:
        for _, position, force in world.query(Position, Force):
            force.f[:] = -position.x


class Generous(ForceSystem):
    """Adds, in place and by a whole new sum."""

    reads, adds = (Position,), (Force,)

    def process(self, world: World, step: Any) -> None:
        for _, position, force in world.query(Position, Force):
            force.f[:] = force.f - position.x


def stone(system: ForceSystem) -> World:
    world = World(systems=[*standard(), system])
    world.spawn(Gravity(), name="gravity")
    world.spawn(Position(x=[[1, 0, 0]]), Velocity(v=[[0, 0, 0]]), Mass(m=1.0), name="stone")
    return world


def test_a_force_takes_the_time_of_its_evaluation() -> None:
    with pytest.raises(ScheduleError, match=r"Clocked uses world\.time.*step\.time"):
        stone(Clocked()).step()


def test_a_force_that_sets_instead_of_adding_is_named() -> None:
    with pytest.raises(ScheduleError, match=r"Greedy sets stone's Force\.f.*add to it"):
        stone(Greedy()).step()


def test_a_force_may_add_in_any_way() -> None:
    world = stone(Generous())
    world.step(10)
    assert world.value("stone.velocity")[0, 0] < 0 and world.value("stone.velocity")[0, 1] < -1


# -- measures ---------------------------------------------------------------------------------------------------------


def test_energy_of_a_body_and_of_the_world() -> None:
    world = World(systems=standard(), substeps=40)
    world.spawn(Gravity(), name="gravity")
    for name, height in (("a", 1.0), ("b", 2.0)):
        world.spawn(grid(size=(1, 1), cells=(2, 2), centre=(0, height, 0)), Material(areal_density=1.0),
                    MassSpring(stretch=100.0), name=name)  # fmt: skip
    world.step(5)
    parts = ("kinetic", "elastic", "potential")
    totals = [world.value(f"{name}.energy.total") for name in "ab"]
    assert totals[0] == pytest.approx(sum(world.value(f"a.energy.{part}") for part in parts))
    assert world.value("world.energy") == pytest.approx(sum(totals))
    assert world.value("world.energy.kinetic") > 0
    first = world.value("world.energy.total")
    world.step(20)
    assert world.value("world.energy.total") == pytest.approx(first, rel=1e-3)


def test_a_watch_says_that_its_entity_is_missing() -> None:
    world = windy()
    world.watch("speed", "wind.velocity.x")
    world.at(0.2).despawn("wind")
    with pytest.warns(RuntimeWarning, match="watch 'speed': there is no entity 'wind'"):
        world.step(4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        world.step(2)
    assert np.isnan(world.series("speed")[1][-1])


# -- threads and memory -----------------------------------------------------------------------------------------------


def test_worlds_take_turns_among_threads() -> None:
    inside, leave = threading.Event(), threading.Event()

    class Slow(ForceSystem):
        """Waits to be seen."""

        reads, adds = (Position,), (Force,)

        def process(self, world: World, step: Any) -> None:
            inside.set()
            leave.wait(10)

    slow, other = stone(Slow()), windy()
    thread = threading.Thread(target=slow.step)
    thread.start()
    try:
        assert inside.wait(10)
        with pytest.raises(CommandError, match="another thread"):
            other.step()
    finally:
        leave.set()
        thread.join()
    other.step()
    assert other.frame == slow.frame == 1


def test_the_history_counts_what_python_needs() -> None:
    """A tiny scene takes kilobytes a frame, which the budget knows."""
    world = World(systems=standard(), history=200_000)
    world.spawn(Position(x=[[1, 0, 0]]), Velocity(v=[[0, 0, 0]]), Mass(m=1.0), name="stone")
    world.at(1e6).set("stone.mass", 2.0)
    world.step(400)
    assert world.history.bytes <= 200_000
    assert 10 < len(world.history.frames) < 200
    state = world.state_hash()
    world.restore(100)
    world.step(300)
    assert world.state_hash() == state
