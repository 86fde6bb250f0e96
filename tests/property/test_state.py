"""Nothing but state decides what comes next: not caches, not looking, not other worlds."""
from __future__ import annotations

import warnings
from functools import cache

import esper
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from components import BoundaryConditions, Gravity, MassSpring, Material, Position, Velocity
from components.prefabs import grid
from framework import World
from systems import standard
from tests.golden import scenes

LAST = 14
QUICK = settings(max_examples=6, deadline=None, derandomize=True)
frames = st.sets(st.integers(0, LAST - 1), min_size=1)


@pytest.fixture(autouse=True)
def quiet() -> None:
    warnings.simplefilter("ignore", RuntimeWarning)


@cache
def plain(name: str) -> str:
    world = scenes.everything(name)
    scenes.run_with_edits(world, LAST)
    return world.state_hash()


@pytest.mark.parametrize("name", scenes.INTEGRATORS)
@QUICK
@given(frames)
def test_caches_can_be_dropped_at_any_frame(name: str, when: set[int]) -> None:
    world = scenes.everything(name)
    for frame in range(LAST):
        scenes.run_with_edits(world, frame)
        if frame in when:
            world.drop_caches()
    scenes.run_with_edits(world, LAST)
    assert world.state_hash() == plain(name)
    world.drop_caches()
    assert world.state_hash() == plain(name)


def look(world: World, how: int) -> None:
    """One of the ways to look at a world."""
    if how == 0:
        world.describe()
    elif how == 1:
        world.scene()
    elif how == 2:
        world.value("cloth.position[right].mean")
        world.get("cloth", Position)
        world.query(Position, optional=[Velocity])
        world.random("never drawn from")
    elif how == 3:
        world.engine.stability_hint()
    elif how == 4:
        world.snapshot()
        world.path("cloth.strain.max").read(world.store)
    else:
        world.watch(f"strain{world.frame}", "cloth.strain.max")
        world.series(f"strain{world.frame}")


@pytest.mark.parametrize("name", ["euler", "implicit"])
@QUICK
@given(st.dictionaries(st.integers(0, LAST), st.integers(0, 5), min_size=3))
def test_looking_changes_nothing(name: str, looks: dict[int, int]) -> None:
    world = scenes.everything(name)
    for frame in range(LAST + 1):
        scenes.run_with_edits(world, frame)
        if frame in looks:
            before = world.state_hash()
            look(world, looks[frame])
            assert world.state_hash() == before
            world.snapshots.drop()  # and the digests did not hide a change
            assert world.state_hash() == before
    assert world.state_hash() == plain(name)


def test_looking_before_the_first_frame_leaves_held_velocities() -> None:
    def build() -> World:
        world = World(systems=standard(), substeps=20)
        world.spawn(Gravity(), name="gravity")
        world.spawn(
            grid((1, 1), (2, 2)), Material(areal_density=1.0), MassSpring(stretch=10.0),
            BoundaryConditions.fixed("left"), Velocity(v=np.ones((9, 3))), name="net",
        )  # fmt: skip
        return world

    world, other = build(), build()
    world.describe()
    world.scene()
    np.testing.assert_array_equal(world.get("net", Velocity).v, np.ones((9, 3)))
    world.step(2)
    other.step(2)
    assert world.state_hash() == other.state_hash()
    np.testing.assert_array_equal(world.value("net.velocity[left]"), np.zeros((3, 3)))


@pytest.mark.slow
def test_a_picture_changes_nothing() -> None:
    world = scenes.everything("euler")
    world.step(2)
    before = world.state_hash()
    world.picture(size=(64, 48))
    world.snapshots.drop()
    assert world.state_hash() == before


def test_worlds_side_by_side() -> None:
    """Two worlds stepped in turn, of different kinds: each as if it were alone; esper's own world stays current."""
    esper.switch_world("of a person")
    mine = esper.create_entity(1)
    first, second = scenes.everything("euler"), scenes.everything("rk4")
    for frame in range(1, LAST + 1):
        for world in (first, second):
            scenes.run_with_edits(world, frame)
            assert esper.current_world == "of a person"
    assert first.state_hash() == plain("euler") and second.state_hash() == plain("rk4")
    first.close()
    assert second.state_hash() == plain("rk4")
    assert esper.current_world == "of a person" and esper.component_for_entity(mine, int) == 1
    esper.switch_world("default")
    esper.delete_world("of a person")


def test_the_order_of_unrelated_calls_leaves_no_trace() -> None:
    def build(turn: bool) -> World:
        world = World(systems=standard(), seed=3)
        world.spawn(Gravity(), name="a")
        world.spawn(Gravity(), name="b")
        calls = [
            lambda: world.set("a.acceleration", (1, 2, 3)),
            lambda: world.set("b.acceleration", (4, 5, 6)),
            lambda: world.random("x").random(),
            lambda: world.random("y").random(),
            lambda: world.watch("w", "a.acceleration.x"),
        ]
        for call in reversed(calls) if turn else calls:
            call()
        return world

    assert build(False).state_hash() == build(True).state_hash()
    other = build(False)
    other.set("a.acceleration", (1, 2, 4))
    assert other.state_hash() != build(False).state_hash()


@pytest.mark.parametrize(
    "change",
    [
        lambda world: world.set("world.substeps", 9),
        lambda world: world.set("a.acceleration", (0, -9.81, 1e-300)),
        lambda world: world.at(1.0).set("a.acceleration", (0, 0, 0)),
        lambda world: world.random("x").random(),
        lambda world: world.emit(scenes.Blown(np.zeros(3))),
        lambda world: world.despawn(world.spawn(Gravity())),
        lambda world: world.step(),
    ],
)
def test_what_is_state_shows_in_the_hash(change: object) -> None:
    world = World()
    world.spawn(Gravity(), name="a")
    before = world.state_hash()
    change(world)  # type: ignore[operator]
    assert world.state_hash() != before
