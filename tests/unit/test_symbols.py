"""The symbols of supports, motions, loads and normals: how many, where, and which way they point."""
from __future__ import annotations

import numpy as np
import pytest

from components import BoundaryConditions, Gravity, MassSpring, Material, Position, Wind
from components import Camera as CameraOfWorld
from components.prefabs import grid
from framework import FieldError, PathError, PliantError, World
from framework.arguments import parse_show
from framework.viewer import Camera, Scene, render, symbols
from framework.viewer.scene import SHOW
from systems import standard

POINTS = np.array([[0.0, 0, 0], [1, 0, 0], [2, 0, 0]])


def test_a_support_touches_its_particle_from_the_side_that_holds_it() -> None:
    marks = symbols.supports(POINTS, np.array([[1, 1, 1], [0, 1, 0], [1, 0, 0]], bool))
    cones = marks.triangle_offsets.reshape(3, symbols.SIDES, 3, 3)
    assert np.array_equal(marks.triangles.reshape(3, symbols.SIDES, 3, 3)[:, 0, 0], POINTS[[0, 2, 1]])
    assert np.allclose(cones[:, :, 0], 0)  # the tips
    assert np.allclose(cones[[0, 2], :, 1:, 1], -symbols.CONE) and np.allclose(cones[1, :, 1:, 0], -symbols.CONE)
    bars = marks.segment_offsets
    assert len(bars) == 4  # two crossed ones for each of the two rollers, none where all is held
    assert np.allclose(np.sort(bars[:, 0, 1])[:2], -symbols.CONE - symbols.GAP)


def test_loads_push_at_their_particles_with_lengths_by_force() -> None:
    marks = symbols.loads(POINTS, np.array([[0, -4.0, 0], [1, 0, 0], [0, 0, 0]]), 4.0)
    start, head = marks.segment_offsets[:, 0], marks.triangle_offsets[::symbols.SIDES, 0]
    assert np.allclose(start, [[0, symbols.LONGEST, 0], [-31, 0, 0]]) and np.allclose(head, 0)


def test_motions_have_arrows_and_bars() -> None:
    marks = symbols.motions(POINTS, np.array([[0, 0, 2.0], [0, 0, 0], [3, 4, 0]]))
    assert len(marks.segments) == 2 + 3 and len(marks.triangles) == 2 * symbols.SIDES
    assert np.allclose(marks.segment_offsets[0, 1] / np.linalg.norm(marks.segment_offsets[0, 1]), (0, 0, 1))


def scene_world() -> World:
    world = World(systems=standard())
    world.spawn(Gravity(), name="gravity")
    world.spawn(Wind(velocity=(3, 0, 4)), name="breeze")
    held = (BoundaryConditions.fixed("left") + BoundaryConditions.fixed([4], axes="y")
            + BoundaryConditions.velocity("right", (0, 0, 1)) + BoundaryConditions.load([4], (0, -2, 0)))
    world.spawn(
        grid(cells=(2, 2), plane="xy"), Material(areal_density=0.1), MassSpring(stretch=10.0), held, name="sheet")
    return world


def test_a_picture_shows_what_it_is_asked_for() -> None:
    world = scene_world()
    before = world.state_hash()
    scene = world.scene(show=SHOW)
    labels = [indicator.label for indicator in scene.indicators]
    assert labels == ["", "largest load\n2 N", "gravity\n9.81 m/s²", "breeze\n5 m/s"]
    assert [surface.wireframe for surface in scene.surfaces] == [False, True]
    assert len(scene.points[0].points) == 9 and len(scene.lines) == 1
    normals, motions, supports, loads = scene.marks
    assert np.allclose(np.abs(normals.segment_offsets[:, 1, 2]), 13.0)
    assert len(motions.segments) == 6 and len(loads.segments) == 1
    assert len(supports.triangles) == 4 * symbols.SIDES and len(supports.segments) == 2
    assert world.scene().marks == [] and world.state_hash() == before


def test_bodies_in_a_plane_are_not_all_supports() -> None:
    world = World(systems=standard())
    flat = BoundaryConditions.fixed("left") + BoundaryConditions.fixed(lambda points: points[:, 0] > -9, axes="z")
    world.spawn(grid(cells=(2, 2), plane="xy"), Material(total_mass=1.0), MassSpring(stretch=10.0), flat, name="sheet")
    marks, = world.scene(show=["supports"]).marks
    assert len(marks.triangles) == 3 * symbols.SIDES and not len(marks.segments)


def test_what_is_chosen_is_highlighted() -> None:
    world = scene_world()
    assert world.scene(highlight=("sheet", 4)).marks[0].on_top
    assert world.scene(highlight="sheet").surfaces[-1].wireframe
    with pytest.raises(PathError, match="sheet has no particle 9; it has 9"):
        world.scene(highlight=("sheet", 9))


def test_a_camera_of_ones_own() -> None:
    world = World(systems=standard())
    world.spawn(grid(cells=(2, 2)), Position(), name="sheet")
    camera = Camera((0, 3, 0.1), (0, 0, 0), orthographic=2.0)
    assert world.scene(camera=camera).camera is camera
    assert np.array_equal(world.picture(size=(64, 36), camera=camera), render(world.scene(camera=camera), (64, 36)))


def test_unknown_names_list_the_known() -> None:
    with pytest.raises(FieldError, match="cannot show 'wire'; known: wireframe, nodes, normals"):
        Scene(show=["wire"])
    with pytest.raises(PliantError, match="--show load: a picture cannot show that; did you mean 'loads'"):
        parse_show("supports,load")
    assert parse_show(" supports, loads,") == ("supports", "loads")


@pytest.mark.parametrize("renderer", ["auto", "painter"])
def test_symbols_are_as_large_in_every_view(renderer: str) -> None:
    marks = symbols.loads(np.zeros((1, 3)), np.array([[0, -1.0, 0]]), 1.0)
    heights = []
    for view in ({"eye": (0, 0, 2)}, {"eye": (0, 0, 9)}, {"eye": (0, 0, 5), "orthographic": 3.0}):
        scene = Scene(marks=[marks], camera=Camera(target=(0, 0, 0), **view), background=(1, 1, 1))
        red = render(scene, (320, 200), renderer)[..., 1] < 128
        heights.append(np.ptp(np.flatnonzero(red.any(axis=1))))
    assert max(heights) - min(heights) <= 2 and abs(heights[0] - symbols.LONGEST) <= 4


def test_crowded_supports_are_thinned() -> None:
    points = np.column_stack([np.linspace(0, 1, 101), np.zeros(101), np.zeros(101)])
    kept = symbols.spread(points, np.zeros(101), 0.1)
    assert len(kept) == 11 and np.allclose(np.diff(points[kept, 0]), 0.1)
    assert len(symbols.spread(points, np.arange(101) % 2, 0.1)) == 21
    assert symbols.spread(np.full((2, 3), np.nan), np.zeros(2), 0.1).size == 0


def test_a_camera_without_perspective() -> None:
    world = scene_world()
    world.spawn(CameraOfWorld(eye=(0, 0, 3), orthographic=1.5), name="camera")
    assert world.scene().camera.orthographic == 1.5
