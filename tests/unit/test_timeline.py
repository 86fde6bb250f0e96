"""The timeline: what is due when, ramps, keyframes, spawns, calls, and mistakes."""
from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from components import Gravity, Mass, Position, Transform, Wind
from framework import CommandError, FieldError, PathError, World
from framework.timeline import Motion, interpolate

FRAME = 0.1


def put(world: World, path: str, value: Any) -> None:
    """A function for a command."""
    world.set(path, value)


def spawn_two(world: World) -> None:
    """A function for a command that spawns."""
    world.spawn(Gravity(), name="second")
    world.at(world.time + 2 * FRAME).despawn("second")


def windy() -> World:
    world = World(frame_time=FRAME)
    world.spawn(Wind(velocity=(0, 0, 0)), name="wind")
    return world


def speeds(world: World, frames: int, path: str = "wind.velocity.x") -> list[float]:
    """The value at the end of each of the coming frames."""
    found = []
    for _ in range(frames):
        world.step()
        found.append(world.value(path))
    return found


def test_commands_are_due_at_the_start_of_their_frame() -> None:
    world = windy()
    world.at(0.1).set("wind.velocity", (1, 0, 0))
    world.at(0.25).set("wind.velocity", (2, 0, 0))
    world.at(0.3).set("wind.velocity", (3, 0, 0))
    assert speeds(world, 5) == [0, 1, 1, 3, 3]


def test_times_that_rounding_has_touched_are_not_missed() -> None:
    world = windy()
    for k in range(1, 30):
        world.at(k * FRAME).set("wind.velocity", (k, 0, 0))
    assert speeds(world, 30) == [float(k) for k in range(30)]


def test_commands_of_one_time_run_in_the_order_given() -> None:
    world = windy()
    for k in (3, 1, 2):
        world.at(0.1).set("wind.velocity", (k, 0, 0))
    assert speeds(world, 2)[-1] == 2


def test_a_ramp_starts_from_the_value_it_finds_and_ends_exactly() -> None:
    world = windy()
    world.at(0.1).set("wind.velocity", (0.3, 0, 0), ramp=0.3)
    world.set("wind.velocity", (0.9, 0, 0))
    np.testing.assert_allclose(speeds(world, 7), [0.9, 0.9, 0.7, 0.5, 0.3, 0.3, 0.3], rtol=1e-14)
    assert world.value("wind.velocity.x") == 0.3 and not world.timeline.motions


def test_a_set_ends_a_ramp_however_the_path_is_spelt() -> None:
    world = windy()
    world.at(0.0).set("wind.velocity", (10, 0, 0), ramp=1.0)
    world.step(3)
    world.set("wind.wind.velocity", (4, 0, 0))
    assert speeds(world, 3) == [4, 4, 4]


def test_a_ramp_replaces_a_ramp() -> None:
    world = windy()
    world.at(0.0).set("wind.velocity", (10, 0, 0), ramp=1.0)
    world.at(0.2).set("wind.velocity", (2, 0, 0), ramp=0.1)
    np.testing.assert_allclose(speeds(world, 5), [0, 1, 2, 2, 2], rtol=1e-14)


def test_keyframes_count_from_their_moment_and_hold_at_the_ends() -> None:
    world = windy()
    world.at(0.1).keyframes("wind.velocity", (0.1, 0.3), ((1, 0, 0), (3, 0, 0)))
    np.testing.assert_allclose(speeds(world, 7), [0, 1, 1, 2, 3, 3, 3], rtol=1e-14)


@pytest.mark.parametrize("time", [-1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 9.0])
def test_interpolation(time: float) -> None:
    motion = Motion("p", np.array([0.0, 1.0, 2.0]), np.array([1.0, 3.0, -1.0]))
    assert interpolate(motion, time) == pytest.approx(np.interp(time, motion.times, motion.values))


def test_scalars_ramp_too_and_settings_of_the_world_are_set() -> None:
    world = windy()
    world.at(0.1).set("wind.coefficient", 1.0, ramp=0.2)
    world.at(0.2).set("world.substeps", 3)
    world.at(0.3).set("world.frame_time", 0.2)
    world.step(5)
    assert world.value("wind.coefficient") == 1.0 and world.value("world.substeps") == 3
    assert world.time == pytest.approx(0.3 + 2 * 0.2) and world.frame == 5


def test_spawn_and_despawn() -> None:
    world = windy()
    world.at(0.1).spawn(Gravity(), name="late")
    world.at(0.2).set("late.acceleration", (1, 0, 0))
    world.at(0.3).despawn("late").spawn(Gravity(), name="later")
    names = []
    for _ in range(4):
        world.step()
        names.append(world.names()[1:])
    assert names == [[], ["late"], ["late"], ["later"]]


def test_motions_end_with_their_entity() -> None:
    world = windy()
    world.at(0.0).set("wind.velocity", (10, 0, 0), ramp=1.0)
    world.at(0.2).despawn("wind")
    world.step(4)
    assert not world.timeline.motions


def test_calls() -> None:
    world = windy()
    world.at(0.1).call("tests.unit.test_timeline:put", "wind.velocity", [5, 0, 0])
    world.at(0.2).call(spawn_two)
    world.step(3)
    assert world.value("wind.velocity.x") == 5 and world.has_entity("second")
    taken = world.snapshot()
    world.step(2)
    assert not world.has_entity("second")
    world.restore(taken)
    world.step(2)
    assert not world.has_entity("second")


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda world: None, "importable name; .*<lambda> has none"),
        ("nowhere:put", "cannot find the function 'nowhere:put'"),
        ("tests.unit.test_timeline:absent", "cannot find the function"),
        ("tests.unit.test_timeline:FRAME", "is not a function"),
        ("put", "named 'module:function'"),
        (3, "importable name"),
    ],
)
def test_functions_are_named_by_an_importable_path(function: Any, message: str) -> None:
    with pytest.raises(CommandError, match=message):
        windy().at(0.1).call(function)


def test_inner_functions_and_odd_arguments_are_refused() -> None:
    def inner(world: World) -> None:
        """Not importable."""

    with pytest.raises(CommandError, match="importable name"):
        windy().at(0.1).call(inner)
    with pytest.raises(CommandError, match="arguments must be plain data"):
        windy().at(0.1).call(spawn_two, object())


@pytest.mark.parametrize("time", [-1.0, 0.05, math.nan, math.inf, "1", None, True])
def test_times_that_are_none_or_past(time: Any) -> None:
    world = windy()
    world.step()
    with pytest.raises(CommandError, match=r"the past|finite number of seconds"):
        world.at(time)


@pytest.mark.parametrize(
    "give",
    [
        lambda world: world.at(1.0).set("wind.velocity", (1, 0, 0), ramp=-1.0),
        lambda world: world.at(1.0).set("wind.velocity", (1, 0, 0), ramp=math.nan),
        lambda world: world.at(1.0).set("wind.velocity.x", 1.0),
        lambda world: world.at(1.0).set("wind.velocity", (1, 0)),
        lambda world: world.at(1.0).set("wind.velocty", (1, 0, 0)),
        lambda world: world.at(1.0).set("wnd.velocity", (1, 0, 0)),
        lambda world: world.at(1.0).set("world.substeps", 20, ramp=1.0),
        lambda world: world.at(1.0).set("world.substeps", 0),
        lambda world: world.at(1.0).keyframes("wind.velocity", (0, 1), ((1, 0, 0),)),
        lambda world: world.at(1.0).keyframes("wind.velocity", (1, 0), ((1, 0, 0), (1, 0, 0))),
        lambda world: world.at(1.0).keyframes("wind.velocity", (-1, 0), ((1, 0, 0), (1, 0, 0))),
        lambda world: world.at(1.0).keyframes("wind.velocity", (0,), ((math.nan, 0, 0),)),
        lambda world: world.at(1.0).keyframes("wind.coefficient", (0,), (-1.0,)),
        lambda world: world.at(1.0).spawn(Gravity(), name="wind"),
        lambda world: world.at(1.0).spawn(Mass()),
        lambda world: world.at(1.0).despawn("nobody"),
        lambda world: world.at(1.0).despawn("world"),
    ],
)
def test_mistakes_fail_on_the_line_that_made_them(give: Any) -> None:
    world = windy()
    before = world.state_hash()
    with pytest.raises((CommandError, FieldError, PathError)):
        give(world)
    assert world.state_hash() == before


def test_a_name_is_promised_once() -> None:
    world = windy()
    world.at(0.2).spawn(Gravity(), name="late")
    for spawn in (world.spawn, world.at(0.1).spawn):
        with pytest.raises(CommandError, match=r"'late'.*already"):
            spawn(Gravity(), name="late")


def test_a_command_that_cannot_be_carried_out_stops_the_frame_and_says_which() -> None:
    world = windy()
    world.at(0.1).set("wind.velocity", (1, 0, 0))
    world.at(0.2).set("wind.velocity", (2, 0, 0))
    world.at(0.1).despawn("wind")
    world.step(2)
    before = world.state_hash()
    for _ in range(2):
        with pytest.raises(PathError, match="no entity 'wind'") as caught:
            world.step()
        assert "in the command of t = 0.2 s: set wind.wind.velocity" in caught.value.__notes__[0]
        assert world.frame == 2 and world.state_hash() == before


def test_pending_commands_are_state() -> None:
    one, two = windy(), windy()
    one.at(0.5).set("wind.velocity", (1, 0, 0))
    assert one.state_hash() != two.state_hash()
    two.at(0.5).set("wind.wind.velocity", (1, 0, 0))
    assert one.state_hash() == two.state_hash()
    taken = one.snapshot()
    one.step(7)
    two.restore(taken)
    two.step(7)
    assert one.state_hash() == two.state_hash() and two.value("wind.velocity.x") == 1


def test_a_nested_frame_can_be_moved() -> None:
    from systems import standard

    world = World(systems=standard(), frame_time=FRAME)
    world.spawn(Transform(translation=(1, 0, 0)), name="parent")
    world.spawn(Transform(translation=(0, 1, 0), parent="parent"), name="child")
    world.at(0.1).set("parent.translation", (3, 0, 0), ramp=0.2)
    world.step(5)
    np.testing.assert_array_equal(world.value("child.pose.matrix")[:3, 3], [3, 1, 0])


def test_positions_by_group_follow_keyframes() -> None:
    world = World(frame_time=FRAME)
    world.spawn(Position(x=np.zeros((4, 3))), name="dots")
    world.at(0.0).keyframes("dots.position[1:3]", (0, 0.2), (np.zeros((2, 3)), np.full((2, 3), 2.0)))
    world.step(2)
    np.testing.assert_allclose(world.value("dots.position")[:, 0], [0, 1, 1, 0])
