"""Events and random streams."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from framework import CommandError, FieldError, Stage, System, World


@dataclass(frozen=True)
class Hit:
    """Something was hit."""

    body: str
    where: np.ndarray = field(default_factory=lambda: np.zeros(3))


@dataclass(frozen=True)
class HardHit(Hit):
    """Hard."""


class Emits(System):
    """Emits three events a frame."""

    stage = Stage.TRANSFORM

    def process(self, world: World, step: Any) -> None:
        for body in "ab":
            world.emit(Hit(f"{body}{step.frame}"))
        world.emit(HardHit(f"c{step.frame}"))


class Draws(System):
    """Draws a number a frame, and keeps it nowhere."""

    stage = Stage.TRANSFORM

    def process(self, world: World, step: Any) -> None:
        world.random("own").random()


def bodies(world: World, kind: type = Hit) -> list[str]:
    return [event.body for event in world.events(kind)]


def test_events_are_heard_in_order_in_their_frame_and_the_next() -> None:
    world = World(systems=[Emits()])
    world.step()
    assert bodies(world) == ["a0", "b0", "c0"] and bodies(world, HardHit) == ["c0"] and world.events(str) == []
    world.step()
    assert bodies(world) == ["a0", "b0", "c0", "a1", "b1", "c1"]
    world.step()
    assert bodies(world)[0] == "a1"


def test_events_keep_what_they_were_given() -> None:
    world = World()
    where = np.zeros(3)
    world.emit(Hit("a", where))
    before = world.state_hash()
    where[:] = 1.0
    assert world.events(Hit)[0].where.sum() == 0.0 and world.state_hash() == before


def test_events_are_plain_data() -> None:
    with pytest.raises(CommandError, match=r"must be an instance of a frozen dataclass.*object"):
        World().emit(object())
    with pytest.raises(CommandError, match="must be plain data"):
        World().emit(Hit("a", np.array([object()])))


def test_streams_depend_on_seed_and_name_alone() -> None:
    one, two = World(seed=3), World(seed=3)
    one.random("a").random(5)
    assert one.random("b").random() == two.random("b").random()
    assert World(seed=4).random("b").random() != World(seed=3).random("b").random()
    assert World(seed=3).random("a").random() != World(seed=3).random("b").random()


def test_asking_for_a_stream_is_no_draw() -> None:
    world = World()
    before = world.state_hash()
    stream = world.random("a")
    assert world.state_hash() == before
    stream.random()
    assert world.state_hash() != before


def test_a_generator_that_somebody_holds_goes_back_too() -> None:
    world = World()
    stream = world.random("a")
    first = world.snapshot()
    drawn = [stream.random() for _ in range(3)]
    second = world.snapshot()
    later = stream.random()
    world.restore(second)
    assert stream.random() == later and stream is world.random("a")
    world.restore(first)
    assert [stream.random() for _ in range(3)] == drawn


def test_a_snapshot_brings_its_seed() -> None:
    taken = World(seed=8).snapshot()
    world = World(seed=9)
    world.random("a").random()
    world.restore(taken)
    assert world.random("a").random() == World(seed=8).random("a").random()
    assert world.random("b").random() == World(seed=8).random("b").random()


def test_what_is_drawn_and_emitted_between_frames_is_replayed() -> None:
    world = World(systems=[Draws(), Emits()], history=1)
    hashes = []
    for frame in range(9):
        if frame % 3 == 1:
            world.random("own").random()
            world.random("mine").random()
        if frame == 5:
            world.emit(Hit("outside"))
        hashes.append(world.state_hash())
        world.step()
    for frame in (7, 3, 6, 5, 1):
        world.restore(frame)
        assert world.state_hash() == hashes[frame]


@pytest.mark.parametrize("seed", [-1, 1.5, True, "one", None])
def test_seeds_are_whole_numbers(seed: Any) -> None:
    with pytest.raises(FieldError, match="seed must be a whole number"):
        World(seed=seed)
