"""What Drawing makes of a world."""
from pathlib import Path
from typing import Any

import pytest

from components import Appearance, MassSpring, Material, Position
from components.prefabs import grid, rope
from framework import FieldError, ScheduleError, Stage, System, World
from framework.app import Options, run_scene
from framework.doctor import examine
from framework.scene import Scene
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


@pytest.mark.parametrize("name", ["", "position.x.x", "geometry", "strian", "force.f.mean", "material.areal_density"])
def test_a_wrong_field_to_colour_by_is_told_before_the_run(name: str, tmp_path: Path) -> None:
    """With all that could be meant; the doctor says it too."""
    def build() -> World:
        world = World(systems=standard())
        world.spawn(grid(cells=(2, 2)), Material(areal_density=1.0), MassSpring(stretch=10.0),
                    Appearance(colour_by=name), name="cloth")
        return world

    world = build()
    findings = [finding for finding in examine(world) if "colour_by" in finding.where]
    if name in ("", "geometry"):
        world.scene()
        assert not findings
        return
    known = "force, geometry, mass, position, strain, velocity"
    with pytest.raises(FieldError, match=rf"cloth: Appearance.colour_by must name a field .*cloth has {known}"):
        world.scene()
    assert [finding.severity for finding in findings] == ["error"]
    worlds: list[World] = []
    with pytest.raises(FieldError, match="colour_by"):
        run_scene(Scene(name="mine", build=build), Options(picture=tmp_path / "a.png", headless=True), worlds.append)
    assert worlds[0].frame == 0


@pytest.mark.parametrize("limits", [(1, 0), (0, 0), (float("nan"), 1), (0, float("inf")), (1,), "ab", 3, (0, None)])
def test_limits_of_a_picture_must_be_a_range(limits: Any) -> None:
    with pytest.raises(SceneError, match="limits must be two finite numbers"):
        World(systems=standard()).scene(limits=limits)
