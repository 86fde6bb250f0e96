"""Series of watches when a run goes back and forth."""
from __future__ import annotations

import numpy as np
import pytest

from components import Gravity, MassSpring, Material
from components.prefabs import grid
from framework import World
from systems import standard


@pytest.fixture
def world() -> World:
    made = World(systems=standard(), frame_time=0.1, substeps=2)
    made.spawn(Gravity(), name="gravity")
    made.spawn(grid(size=(1, 1), cells=(1, 1)), Material(areal_density=1.0), MassSpring(stretch=100.0), name="net")
    made.watch("height", "net.position.y.mean")
    made.step(5)
    return made


def test_a_series_follows_the_run_back_and_forth(world: World) -> None:
    times, heights = world.series("height")
    for frame in (2, 4, 0, 5):
        world.restore(frame)
        found = world.series("height")
        assert np.array_equal(found[0], times[: frame + 1]) and np.array_equal(found[1], heights[: frame + 1])


def test_playing_a_past_frame_again_leaves_the_series_as_it_was(world: World) -> None:
    times, heights = world.series("height")
    world.restore(2)
    world.step()
    assert np.array_equal(world.series("height")[0], times[:4])
    world.restore(5)
    assert np.array_equal(world.series("height")[0], times) and np.array_equal(world.series("height")[1], heights)


def test_another_branch_forgets_what_came_later(world: World) -> None:
    world.restore(2)
    world.set("gravity.acceleration", (0, 0, 0))
    assert world.watches.sample("height", 100)[0].max() == world.time
    world.step()
    assert len(world.series("height")[0]) == 4


@pytest.mark.parametrize("most", [1, 3, 100])
def test_a_sample_spans_the_run(world: World, most: int) -> None:
    world.restore(3)
    times, heights = world.watches.sample("height", most)
    assert len(times) == len(heights) <= 6 + 1 and times[0] == 0.0 and np.all(np.diff(times) >= 0)
    assert np.isclose(times, world.time).any()
