"""What Drawing makes of a world."""
from typing import Any

import pytest

from components import Appearance, MassSpring, Material, Position
from components.prefabs import grid, rope
from framework import ScheduleError, Stage, System, World
from framework.viewer import SceneError, Surface
from systems import standard


def test_a_broken_spring_is_not_drawn() -> None:
    world = World(systems=standard())
    world.spawn(
        rope(segments=4), Material(total_mass=1.0), MassSpring(stretch=10.0, bend=1.0, rupture_strain=0.5),
        Appearance(draw="lines"), name="rope")  # fmt: skip
    assert len(world.scene().lines[0].segments) == 4
    nodes = world.value("rope.springs.nodes").tolist()
    world.set(f"rope.broken[{nodes.index([1, 2])},{nodes.index([0, 2])}]", True)
    assert world.scene().lines[0].segments.tolist() == [[0, 1], [2, 3], [3, 4]]


class Meddler(System):
    """A drawing system that changes what it shows."""

    stage = Stage.RENDER

    def process(self, world: World, scene: Any) -> None:  # type: ignore[override]
        for _, position in world.query(Position):
            position.x[1] = 9.0


class Clumsy(System):
    """A drawing system that draws what has no shape."""

    stage = Stage.RENDER

    def process(self, world: World, scene: Any) -> None:  # type: ignore[override]
        scene.surfaces.append(Surface([[0, 0, 0]], [[0, 1, 2]]))


def test_drawing_changes_nothing() -> None:
    world = World(systems=[*standard(), Meddler()])
    world.spawn(grid(cells=(2, 2)), Position(), name="sheet")
    before = world.state_hash()
    with pytest.raises(ScheduleError, match=r"^Meddler changed sheet's Position in RENDER, whose systems only look"):
        world.scene()
    assert world.state_hash() == before
    world.step()


def test_what_cannot_be_drawn_names_its_system() -> None:
    world = World(systems=[Clumsy()])
    with pytest.raises(SceneError, match=r"^Clumsy draws what cannot be drawn: Surface.triangles must be in 0 .. 0"):
        world.scene()


def test_a_series_knows_its_unit() -> None:
    world = World(systems=standard())
    world.spawn(grid(cells=(2, 2)), Material(total_mass=1.0), MassSpring(stretch=1.0), name="sheet")
    for path in ("position.y.mean", "position.count", "strain.max"):
        world.watch(path, f"sheet.{path}")
    assert list(world.watches.units.values()) == ["m", "", ""]
