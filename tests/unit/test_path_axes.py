"""A group behind a component's name has chosen the field: an axis may follow, though Position's field is x too."""
from __future__ import annotations

import pytest

from components import Mass, Position
from framework import World
from systems import standard


@pytest.mark.parametrize("axis, expected", [("x", 4.0), ("y", 5.0), ("z", 6.0)])
def test_axis_of_one_particle(axis: str, expected: float) -> None:
    world = World(systems=standard())
    world.spawn(Position(x=[[1, 2, 3], [4, 5, 6]]), Mass(m=[1, 1]), name="pair")
    assert world.value(f"pair.position[1].{axis}.mean") == expected
    assert world.value(f"pair.position[1].mean.{axis}") == expected
