"""Inner layers and enclosed volumes: shapes, gradients against differences, and what is refused."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from components import (
    BackwardEuler,
    Collider,
    EnclosedVolume,
    Geometry,
    Gravity,
    Mass,
    MassSpring,
    Material,
    Springs,
    SymplecticEuler,
    VelocityVerlet,
)
from components.meshes import read_mesh
from components.prefabs import box, grid, inner_layer, sphere_shell
from components.solids import as_tetrahedra, least_cut_volumes, tetrahedron_volumes
from components.surface_mesh import signed_volume
from framework import World
from framework.doctor import examine
from framework.errors import FieldError
from systems import standard
from systems.kernels.enclosed_volume import volume_gradient
from tests.unit.mesh_files import large_mesh


def shell_volume(geometry: Geometry) -> float:
    cells, weights = as_tetrahedra(None, geometry.wedges)
    return float((weights * np.abs(tetrahedron_volumes(geometry.points, cells))).sum())


def test_a_layer_lies_below_the_surface() -> None:
    sphere = sphere_shell(radius=1.0, subdivisions=3)
    n = len(sphere.points)
    body = inner_layer(sphere, 0.2)
    np.testing.assert_allclose(np.linalg.norm(body.points[n:], axis=1), 0.8, rtol=1e-3)
    inner = signed_volume(body.points, body.triangles + n)
    assert shell_volume(body) == pytest.approx(signed_volume(body.points, body.triangles) - inner, rel=1e-12)
    assert body.groups["inner"][0] == n and len(body.groups["top"]) == 1


def test_springs_of_a_layer() -> None:
    """V outer points, E edges: 2 E + V structural springs; two diagonals for each edge's quadrangle: 2 E."""
    sphere = sphere_shell(subdivisions=1)
    n, e = len(sphere.points), 3 * len(sphere.triangles) // 2
    world = World(systems=standard())
    body = world.spawn(inner_layer(sphere, 0.1), Material(mass_density=100.0), MassSpring(stretch=10, shear=5))
    kind = world.get(body, Springs).kind
    assert [(kind == k).sum() for k in range(3)] == [2 * e + n, 2 * e, 0]
    assert world.get(body, Mass).m.sum() == pytest.approx(100 * shell_volume(inner_layer(sphere, 0.1)))


def test_a_layer_is_less_deep_where_the_body_is_thin() -> None:
    flat = sphere_shell(subdivisions=2)
    flat = Geometry(points=flat.points * (1, 0.05, 1), triangles=flat.triangles)
    body = inner_layer(flat, 0.2)
    depth = np.linalg.norm(body.points[len(flat.points):] - flat.points, axis=1)
    assert depth.max() <= 0.2 + 1e-12 and depth.min() < 0.1
    assert shell_volume(body) > 0


def test_a_layer_makes_a_shell_hold_its_shape() -> None:
    """A ball on the ground under its weight: with a layer it keeps most of its height, without it lies flat."""
    heights = []
    sphere = sphere_shell(radius=0.5, subdivisions=2, centre=(0, 0.5, 0))
    for shape, shear in ((sphere, 0.0), (inner_layer(sphere, 0.15), 60.0)):
        world = World(systems=standard(), substeps=40)
        world.spawn(Gravity(acceleration=(0, -9.81, 0)))
        world.spawn(Collider.plane(point=(0, 0, 0)))
        world.spawn(shape, Mass(m=np.full(len(shape.points), 1.0 / len(shape.points))),
                    MassSpring(stretch=60.0, shear=shear, damping_ratio=0.3), name="body")
        world.run(frames=90)
        heights.append(np.ptp(world.value("body.position"), axis=0)[1])
    assert heights[0] < 0.4 and heights[1] > 0.8


def test_a_crumpled_surface_gets_no_layer() -> None:
    sphere = sphere_shell(subdivisions=2)
    moved = np.random.default_rng(2).normal(0, 0.3, sphere.points.shape)
    with pytest.raises(FieldError, match=r"or the surface smoother, got 0.1: there is no room below \d+ triangles"):
        inner_layer(Geometry(points=sphere.points + moved, triangles=sphere.triangles), 0.1)


def test_layers_of_meshes_of_research() -> None:
    """The bunny has folds: at a dozen of its 69,664 triangles nothing fits below."""
    for name, depth in (("spot.obj", 0.15), ("stanford-bunny.obj", 0.003)):
        mesh = read_mesh(large_mesh(name), repair="holes")
        body = inner_layer(mesh, depth)
        assert 0 <= len(body.triangles) - len(body.wedges) < 20
        assert (least_cut_volumes(body.points, body.wedges) > 0).all()
        deep = np.linalg.norm(np.subtract(*np.split(body.points, 2)), axis=1)
        assert 0.01 * depth * (1 - 1e-9) <= deep.min() and 0.5 * depth < np.median(deep) <= depth * (1 + 1e-9)


@pytest.mark.parametrize(("shape", "depth", "message"), [
    (grid(), 0.1, "must be a closed surface with one outside, got 40 open or turned edges"),
    (sphere_shell(), 0.0, "inner_layer: depth must be positive"),
    (Geometry(points=np.eye(3)), 0.1, "must be a Geometry with triangles"),
    (7, 0.1, "must be a Geometry with triangles, got int"),
    (Geometry(points=box().points * (-1, 1, 1), triangles=box(cells=(4, 4, 4)).triangles), 0.1, "inside out"),
    (box(), 0.1, "all points must be corners of triangles"),
])
def test_what_has_no_inside_gets_no_layer(shape: Any, depth: float, message: str) -> None:
    with pytest.raises(FieldError, match=message):
        inner_layer(shape, depth)


def test_the_gradient_is_that_of_the_volume() -> None:
    sphere = sphere_shell(subdivisions=1)
    x = sphere.points + np.random.default_rng(1).normal(0, 0.1, sphere.points.shape) + 50.0
    gradient = np.empty_like(x)
    volume = volume_gradient(x, sphere.triangles, gradient)
    assert volume == pytest.approx(signed_volume(x, sphere.triangles), rel=1e-12)
    step = 1e-4
    for i, c in np.ndindex(*x.shape):
        ends = []
        for sign in (1, -1):
            moved = x.copy()
            moved[i, c] += sign * step
            ends.append(volume_gradient(moved, sphere.triangles, np.empty_like(x)))
        assert gradient[i, c] == pytest.approx((ends[0] - ends[1]) / (2 * step), abs=1e-8)  # V is linear in each x
    np.testing.assert_allclose(gradient.sum(axis=0), 0.0, atol=1e-12)  # no net force


def test_a_squeezed_body_swings_with_its_energy() -> None:
    """Energy is kept by Verlet, and momentum is not touched."""
    world = World(systems=standard(), frame_time=1e-3, substeps=10, integrator=VelocityVerlet())
    world.spawn(sphere_shell(subdivisions=2), Material(total_mass=1.0), EnclosedVolume(compression_modulus=100.0),
                MassSpring(stretch=20.0), name="ball")
    world.set("ball.rest_volume", 1.2 * world.value("ball.rest_volume"))
    world.step()
    first = world.value("ball.energy.total")
    assert first > 0.5
    world.run(frames=200)
    assert world.value("ball.energy.total") == pytest.approx(first, rel=1e-3)
    np.testing.assert_allclose(world.value("ball.momentum.linear"), 0.0, atol=1e-12)


@pytest.mark.parametrize("integrator", [SymplecticEuler(), BackwardEuler()])
def test_a_ball_between_springs_keeps_its_volume(integrator: Any) -> None:
    """At rest the pressure carries what the springs pull: V / V0 = 1 - p / K with K large."""
    world = World(systems=standard(), frame_time=0.01, substeps=20, integrator=integrator)
    world.spawn(Gravity(acceleration=(0, 0, 0)))
    world.spawn(sphere_shell(radius=0.5, subdivisions=2), Material(total_mass=10.0, rayleigh_alpha=5.0),
                EnclosedVolume(compression_modulus=1e4), MassSpring(stretch=50.0, damping_ratio=0.2), name="ball")
    v0 = world.value("ball.rest_volume")
    world.set("ball.rest_volume", 1.3 * v0)
    world.run(frames=200)
    x = world.value("ball.position")
    assert signed_volume(x, sphere_shell(subdivisions=2).triangles) == pytest.approx(1.3 * v0, rel=0.02)


def test_the_volume_at_rest_follows_the_geometry() -> None:
    world = World(systems=standard())
    ball = sphere_shell(subdivisions=1)
    world.spawn(ball, Material(total_mass=1.0), EnclosedVolume(compression_modulus=1.0), name="ball")
    first = world.value("ball.rest_volume")
    world.set("ball.points", 2 * world.value("ball.points"))
    assert world.value("ball.rest_volume") == pytest.approx(8 * first)
    assert world.value("ball.compression_modulus") == 1.0


@pytest.mark.parametrize(("shape", "arguments", "message"), [
    (grid(), {"compression_modulus": 1.0}, "needs triangles that are seen anticlockwise|must close a surface"),
    (grid(), {"compression_modulus": 1.0, "rest_volume": 1.0}, "Geometry.triangles must close a surface for "
                                                               "EnclosedVolume, .* got 40 open or turned edges"),
    (sphere_shell(), {"compression_modulus": -1.0}, "EnclosedVolume.compression_modulus must be zero or positive"),
    (sphere_shell(), {"compression_modulus": 1.0, "rest_volume": 0.0}, "EnclosedVolume.rest_volume must be positive"),
    (Geometry(points=np.eye(3)), {"compression_modulus": 1.0}, "triangles"),
])
def test_what_encloses_nothing_is_refused(shape: Geometry, arguments: dict[str, float], message: str) -> None:
    with pytest.raises(FieldError, match=message):
        World(systems=standard()).spawn(shape, Material(total_mass=1.0), EnclosedVolume(**arguments), name="ball")


def test_the_doctor_knows_how_fast_a_body_breathes() -> None:
    world = World(systems=standard(), substeps=1, integrator=BackwardEuler())
    world.spawn(sphere_shell(), Material(total_mass=1.0), EnclosedVolume(compression_modulus=1e5), name="ball")
    found = [finding for finding in examine(world) if "EnclosedVolume" in finding.where]
    assert found and found[0].severity == "error" and "substeps=" in found[0].do
