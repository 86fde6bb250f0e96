"""The range of a colour bar: round, without noise, and growing only."""
from __future__ import annotations

import numpy as np
import pytest

from components import Appearance, MassSpring, Material
from components.prefabs import grid
from framework import FieldError, World
from framework.viewer.ranges import PATIENCE, colour_range, settled
from systems import standard


@pytest.mark.parametrize(("values", "plain", "expected"), [
    ([], True, (0, 0)),
    ([np.nan, np.inf], True, (0, 0)),
    ([0, 3e-12], True, (0, 0)),           # strains of a cloth at rest: rounding
    ([1e-16, 4e-10], True, (0, 0)),
    ([0, 4e-6], True, (0, 5e-6)),
    ([200, 200 + 1e-11], False, (200, 200)),
    ([199.9, 200.1], False, (199.9, 200.1)),
    ([1.2, 7.2, np.nan], False, (0, 10)),
    ([-0.26, 7.2], False, (-0.3, 10)),
    ([-7e5, -1e5], False, (-7e5, 0)),
    ([-1e-17, 0.0213], True, (0, 0.03)),
])  # fmt: skip
def test_ranges_are_round_and_without_noise(values: list, plain: bool, expected: tuple) -> None:
    assert colour_range(np.array(values, dtype=float), plain) == pytest.approx(expected, rel=1e-9, abs=1e-15)


def test_a_range_only_grows() -> None:
    rng = np.random.default_rng(3)
    found, seen = None, []
    for _ in range(200):
        values = rng.normal(size=20) * 10.0 ** rng.uniform(-3, 3)
        found = colour_range(values, False, found)
        assert found[0] <= values.min() and found[1] >= values.max()
        assert not seen or (found[0] <= seen[-1][0] and found[1] >= seen[-1][1])
        seen.append(found)
    assert len(set(seen)) < 40


def sheets(**look) -> World:
    world = World(systems=standard())
    for name, x in (("left", 0.0), ("right", 2.0)):
        world.spawn(grid(cells=(2, 2), centre=(x, 0, 0)), Material(total_mass=1.0), MassSpring(stretch=1.0),
                    Appearance(colour_by="velocity", **look), name=name)
    return world


def test_colours_of_frames_and_bodies_can_be_compared() -> None:
    world = sheets()
    start = world.scene()
    assert [(bar.label, bar.low, bar.high) for bar in start.legends] == [("velocity", 0.0, 0.0)]
    world.set("left.velocity", (0, 0, 4))
    world.set("right.velocity", (0, 0, 1))
    fast = world.scene()
    assert [(bar.low, bar.high) for bar in fast.legends] == [(0.0, 5.0)]
    assert not np.allclose(fast.surfaces[0].front, fast.surfaces[1].front)
    world.set("left.velocity", (0, 0, 1))
    slow = world.scene()
    assert [(bar.low, bar.high) for bar in slow.legends] == [(0.0, 5.0)]
    assert np.array_equal(slow.surfaces[0].front, fast.surfaces[1].front)


def test_limits_of_an_appearance_win() -> None:
    world = sheets(low=1.0, high=2.0)
    world.set("left.velocity", (0, 0, 4))
    assert [(bar.low, bar.high) for bar in world.scene().legends] == [(1.0, 2.0)]
    world = sheets(high=2.0, back_colours="heat")
    bar, = world.scene().legends
    assert (bar.low, bar.high) == (0.0, 2.0) and len(bar.back) > 2


def test_a_person_may_colour_by_another_field() -> None:
    world = sheets(low=1.0, high=2.0)
    bar, = world.scene(colour_by="position.y").legends
    assert (bar.label, bar.unit) == ("position.y", "m")
    assert (bar.low, bar.high) != (1.0, 2.0)
    bar, = world.scene(limits=(-3.0, 9.0)).legends
    assert (bar.low, bar.high) == (-3.0, 9.0)
    assert world.scene(colour_by="").legends == world.scene(colour_by="nothing").legends == []
    world.set("left.colour_by", "nothing")
    with pytest.raises(FieldError, match="nothing"):
        world.scene()


def test_a_peak_does_not_leave_all_that_follows_dark() -> None:
    held, idle = None, 0
    for value in [1.0] * 5 + [100.0] + [1.0] * (PATIENCE - 1):
        held, idle = settled(np.array([0.0, value]), True, held, idle)
    assert held == (0.0, 100.0)
    held, idle = settled(np.array([0.0, 1.0]), True, held, idle)
    assert (held, idle) == ((0.0, 1.0), 0)


def test_a_range_that_is_used_now_and_then_stays() -> None:
    held, idle = None, 0
    for k in range(10 * PATIENCE):
        held, idle = settled(np.array([0.0, 10.0 if k % (PATIENCE - 2) == 0 else 0.5]), True, held, idle)
    assert held == (0.0, 10.0)
