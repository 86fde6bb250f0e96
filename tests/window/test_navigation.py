"""Moving the view, and what lies below a pixel."""
from __future__ import annotations

import numpy as np
import pytest

from framework import World
from framework.viewer import camera as cameras
from framework.viewer import navigation, picking
from framework.viewer.camera import view_matrix
from framework.viewer.scene import Ball, Camera

SIZE = (800, 400)
CAMERA = Camera(eye=(3.0, 2.0, 4.0), target=(0.5, 0.2, -0.3))
PARALLEL = navigation.orthographic(CAMERA, True)


def distance(camera: Camera) -> float:
    return float(np.linalg.norm(camera.eye - camera.target))


@pytest.mark.parametrize("camera", [CAMERA, PARALLEL], ids=["perspective", "orthographic"])
@pytest.mark.parametrize(("across", "down"), [(0.3, 0.1), (-2.0, 0.5), (10.0, -3.0), (0.0, 9.0)])
def test_orbit_keeps_target_and_distance_and_never_flips(camera: Camera, across: float, down: float) -> None:
    turned = navigation.orbit(camera, across, down)
    np.testing.assert_allclose(turned.target, camera.target)
    assert distance(turned) == pytest.approx(distance(camera))
    assert view_matrix(turned)[1, 1] > 0.0  # up is up


def test_orbit_there_and_back() -> None:
    back = navigation.orbit(navigation.orbit(CAMERA, 0.4, -0.2), -0.4, 0.2)
    np.testing.assert_allclose(back.eye, CAMERA.eye)


@pytest.mark.parametrize("camera", [CAMERA, PARALLEL], ids=["perspective", "orthographic"])
def test_pan_moves_the_target_with_the_mouse(camera: Camera) -> None:
    moved = navigation.pan(camera, 30.0, 20.0, SIZE[1])
    place, _ = picking.project(moved, camera.target[None], SIZE)
    np.testing.assert_allclose(place[0], (400 + 30, 200 - 20), atol=1e-9)
    assert distance(moved) == pytest.approx(distance(camera))


@pytest.mark.parametrize("camera", [CAMERA, PARALLEL], ids=["perspective", "orthographic"])
@pytest.mark.parametrize("factor", [1.2, 0.7, 5.0])
def test_zoom_keeps_what_is_below_the_cursor(camera: Camera, factor: float) -> None:
    pixel = (610.0, 90.0)
    cursor = 2 * pixel[0] / SIZE[0] - 1, 1 - 2 * pixel[1] / SIZE[1]
    origin, direction = picking.ray(camera, pixel, SIZE)
    back = view_matrix(camera)[2, :3]
    point = origin + direction * float((camera.target - origin) @ back / (direction @ back))
    nearer = navigation.zoom(camera, factor, cursor, SIZE[0] / SIZE[1])
    place, _ = picking.project(nearer, point[None], SIZE)
    np.testing.assert_allclose(place[0], pixel, atol=1e-6)
    assert navigation.visible_height(nearer) == pytest.approx(navigation.visible_height(camera) / factor)


def test_zoom_has_an_end() -> None:
    camera = CAMERA
    for _ in range(300):
        camera = navigation.zoom(camera, 1e3)
    assert distance(camera) > 0.0
    for _ in range(300):
        camera = navigation.zoom(camera, 1e-3)
    assert np.isfinite(camera.eye).all()


@pytest.mark.parametrize(("axis", "backwards", "eye"), [
    ("x", False, (1, 0, 0)), ("x", True, (-1, 0, 0)), ("y", False, (0, 1, 0)), ("z", True, (0, 0, -1)),
])
def test_views_along_axes(axis: str, backwards: bool, eye: tuple[float, ...]) -> None:
    camera = navigation.along(CAMERA, axis, backwards)
    np.testing.assert_allclose(camera.eye - camera.target, distance(CAMERA) * np.array(eye))
    assert np.isfinite(view_matrix(navigation.orbit(camera, 0.1, -0.1))).all()


@pytest.mark.parametrize("camera", [CAMERA, PARALLEL], ids=["perspective", "orthographic"])
@pytest.mark.parametrize("aspect", [0.5, 2.0])
def test_framing_shows_all_of_a_box(camera: Camera, aspect: float) -> None:
    low, high = np.array([5.0, 1.0, 2.0]), np.array([9.0, 2.0, 3.0])
    framed = navigation.frame(camera, low, high, aspect)
    corners = np.array([[x, y, z] for x in (5, 9) for y in (1, 2) for z in (2, 3)], dtype=float)
    size = (int(400 * aspect), 400)
    place, before = picking.project(framed, corners, size)
    assert before.all() and (place > 0).all() and (place < size).all()
    assert np.ptp(place, axis=0).max() > 0.3 * min(size)
    same = (camera.eye - camera.target) / distance(camera)
    np.testing.assert_allclose((framed.eye - framed.target) / distance(framed), same)


def test_flight_and_looking_around() -> None:
    ahead = (CAMERA.target - CAMERA.eye) / distance(CAMERA)
    np.testing.assert_allclose(navigation.fly(CAMERA, 2.0, 0.0, 0.0).eye, CAMERA.eye + 2.0 * ahead)
    looked = navigation.look(CAMERA, 0.4, 0.1)
    np.testing.assert_allclose(looked.eye, CAMERA.eye)
    assert distance(looked) == pytest.approx(distance(CAMERA))


def test_orthographic_views_show_the_target_as_large() -> None:
    beside = CAMERA.target + 0.1 * view_matrix(CAMERA)[0, :3]
    for camera in (PARALLEL, navigation.orthographic(PARALLEL, False)):
        np.testing.assert_allclose(picking.project(camera, beside[None], SIZE)[0],
                                   picking.project(CAMERA, beside[None], SIZE)[0], rtol=1e-6)


@pytest.mark.parametrize("camera", [CAMERA, PARALLEL], ids=["perspective", "orthographic"])
def test_rays_go_through_the_points_of_their_pixels(camera: Camera) -> None:
    rng = np.random.default_rng(3)
    points = rng.normal(size=(50, 3))
    for point, pixel in zip(points, picking.project(camera, points, SIZE)[0], strict=True):
        origin, direction = picking.ray(camera, tuple(pixel), SIZE)
        off = np.linalg.norm(np.cross(point - origin, direction))
        assert off < 1e-8 * np.linalg.norm(point - origin)


def test_a_ray_meets_the_nearest_triangle_from_either_side() -> None:
    vertices = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [0, 1, 1.0]])
    triangles = np.array([[0, 1, 2], [3, 5, 4]], np.int32)
    for towards, first in ((-1.0, 1), (1.0, 0)):
        hit, t = picking.meet_triangles(np.array([0.2, 0.2, -4.0 * towards]), np.array([0, 0, towards]), vertices,
                                        triangles)
        assert (hit, t) == (first, pytest.approx(3.0 if first else 4.0))
    miss = picking.meet_triangles(np.array([2.0, 2.0, 4.0]), np.array([0, 0, -1.0]), vertices, triangles)
    assert miss == (-1, np.inf)


def world_of_a_sheet() -> World:
    from components import Mass, Material
    from components.prefabs import grid, rope
    from systems import standard

    world = World(systems=standard())
    world.spawn(grid(size=(2.0, 2.0), cells=(4, 4), plane="xy"), Material(areal_density=1.0), Mass(), name="sheet")
    world.spawn(rope(start=(-1.0, 1.5, 0.5), end=(1.0, 1.5, 0.5), segments=4), Material(linear_density=1.0), Mass(),
                name="rope")
    return world


def test_picking_names_the_particle_below_the_cursor() -> None:
    world = world_of_a_sheet()
    camera = Camera(eye=(0.0, 0.5, 8.0), target=(0.0, 0.5, 0.0))
    for name in ("sheet", "rope"):
        x = world.value(f"{name}.position")
        for particle in (0, len(x) // 2, len(x) - 1):
            inside = x[particle] + 0.02 * (x.mean(axis=0) - x[particle])
            pixel = picking.project(camera, inside[None], SIZE)[0][0]
            found = picking.pick(world, camera, tuple(pixel), SIZE)
            assert found is not None and (found.entity, found.particle) == (world.id(name), particle)
    assert picking.pick(world, camera, (1.0, 1.0), SIZE) is None
    hidden = [Ball((0.0, 0.5, 4.0), 3.0)]
    assert picking.pick(world, camera, (400.0, 200.0), SIZE, hidden) is None
    behind = [Ball((0.0, 0.5, -4.0), 3.0)]
    assert picking.pick(world, camera, (400.0, 260.0), SIZE, behind) is not None
    low, high = picking.extent(world) or (None, None)
    np.testing.assert_allclose(low, world.value("sheet.position").min(axis=0))
    np.testing.assert_allclose(high, (1.0, 1.5, 0.5))


@pytest.mark.parametrize("parallel", [None, 3.0])
def test_a_narrow_picture_shows_as_much_across(parallel: float | None) -> None:
    camera = Camera((0.0, 0.0, 5.0), (0.0, 0.0, 0.0), orthographic=parallel)
    across = {}
    for aspect in (0.8, 16 / 9):
        matrix = cameras.projection_matrix(cameras.widened(camera, aspect), aspect, 0.1, 100.0)
        across[aspect] = matrix[0, 0]
    assert across[0.8] == pytest.approx(across[16 / 9])
    assert cameras.widened(camera, 2.0) is camera
