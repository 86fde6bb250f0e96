"""The history of a run: its budget, and what it says when a frame is not there."""
from __future__ import annotations

import numpy as np
import pytest

from framework import CommandError, Stage, System, World, component, field
from framework.history import History


@component
class Big:
    """An array that changes and one that does not."""

    moving: np.ndarray = field(shape=("n",), principal=True, doc="changes in every frame")
    still: np.ndarray = field(shape=("n",), doc="never changes")


class Moves(System):
    """Changes one array of two: versions go by component here, so that both are copied."""

    stage = Stage.TRANSFORM
    writes = (Big,)

    def process(self, world: World, step: object) -> None:
        for _, big in world.query(Big):
            big.moving += 1.0


def world_with(n: int = 1000, **settings: object) -> World:
    world = World(systems=[Moves()], **settings)  # type: ignore[arg-type]
    world.spawn(Big(moving=np.zeros(n), still=np.ones(n)), name="big")
    return world


@pytest.mark.parametrize("budget", [1, 20_000, 100_000, 10**9])
def test_the_budget_holds_and_every_frame_comes_back(budget: int) -> None:
    world = world_with(history=budget)
    world.step(60)
    assert world.history.bytes <= max(budget, 2 * 16_000)
    assert world.history.frames[0] == 0
    for frame in (60, 31, 17, 45, 2, 59):
        world.restore(frame)
        assert world.frame == frame and world.value("big.moving.max") == frame


OBJECTS = 5_000  # bytes that a snapshot of so small a world needs besides its arrays, at most


def test_bytes_are_counted_once_per_array_and_given_back() -> None:
    history, world = History(10**9), world_with()
    world.step()
    first, again = world.snapshot(), world.snapshot()
    history.add(first)
    alone = history.bytes
    assert 16_000 < alone < 16_000 + OBJECTS
    world.clock.frame += 1
    history.add(world.snapshots.take())  # shares all arrays
    assert alone < history.bytes < 16_000 + 2 * OBJECTS and history.newest == 2
    both = history.bytes
    history.add(again)  # replaces
    assert history.bytes == both
    history.clear()
    assert history.bytes == 0 and history.frames == [] and history.newest == -1 and not history._holders


def test_unchanged_components_cost_nothing() -> None:
    world = World(frame_time=0.1)
    world.spawn(Big(moving=np.zeros(1000), still=np.ones(1000)), name="big")
    world.step(50)
    assert 16_000 < world.history.bytes < 16_000 + 51 * OBJECTS


def test_going_forward_again() -> None:
    world = world_with(history=1)
    world.step(7)
    there = world.state_hash()
    world.restore(2)
    world.restore(7)
    assert world.state_hash() == there
    world.restore(2)
    world.set("big.still[0]", 3.0)
    with pytest.raises(CommandError, match="frame 7 has not been run; the world is at frame 2"):
        world.restore(7)
    world.restore(2)
    assert world.value("big.still[0]") == [3.0]


@pytest.mark.parametrize("target", [-1, 99, 1.0, "1", True, None])
def test_bad_targets(target: object) -> None:
    world = world_with()
    world.step(2)
    before = world.state_hash()
    with pytest.raises(CommandError, match=r"world\.restore"):
        world.restore(target)  # type: ignore[arg-type]
    assert world.state_hash() == before


def test_a_world_that_starts_from_a_late_snapshot_keeps_that_start() -> None:
    source = world_with()
    source.step(13)
    world = world_with(history=1)
    world.restore(source.snapshot())
    world.step(20)
    for frame in (33, 13, 14, 22):
        world.restore(frame)
        assert world.value("big.moving.max") == frame
    with pytest.raises(CommandError, match="frame 12 is not in the history"):
        world.restore(12)
