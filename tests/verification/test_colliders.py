"""Boxes, capsules and meshes as colliders, at rest and moving: inclines, bounces, belts, drums, and nothing passes.

Explicit integrators are exact but for rounding where nothing else is said; backward Euler is of first order.
"""
from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from components import BackwardEuler, Collider, Geometry, Gravity, Position, Transform, Velocity
from components.prefabs import sphere_shell
from framework import World
from tests.verification.scenes import EXPLICIT, IMPLICIT, label, particles, world_of

G, MU = 9.81, 0.5
EVERY = EXPLICIT + IMPLICIT[:1]
CORNERS = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
FACES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
TRIANGLES = [t for a, b, c, d in FACES for t in ((a, b, c), (a, c, d))]


def cuboid(size: Any, **more: Any) -> Collider:
    """A box as a closed mesh of twelve triangles."""
    return Collider.mesh(CORNERS * size, TRIANGLES, **more)


def sheet(size: float, **more: Any) -> Collider:
    """A square of two triangles in the plane y = 0, open and two-sided."""
    s = size / 2
    return Collider.mesh([[-s, 0, -s], [-s, 0, s], [s, 0, s], [s, 0, -s]], [[0, 1, 2], [0, 2, 3]], **more)


SOLIDS = {"box": lambda size, **more: Collider.box(size=size, **more), "mesh": cuboid}


def dropped(collider: Collider, integrator: Any, *more: Any, at: Any, h: float = 0.01, v: Any = None) -> World:
    world = world_of(integrator=integrator, frame_time=h)
    world.spawn(Gravity(acceleration=(0, -G, 0)), name="gravity")
    world.spawn(collider, *more, name="collider")
    world.spawn(*particles([at], None if v is None else [v]), name="grain")
    return world


@pytest.mark.parametrize("shape", SOLIDS)
@pytest.mark.parametrize("degrees", [26, 40])
@pytest.mark.parametrize("integrator", EVERY, ids=label)
def test_tilted_face(integrator: Any, degrees: float, shape: str) -> None:
    """Below atan 0.5 = 26.565 degrees a particle sticks; above it slides with a = g (sin - mu cos)."""
    t, h, time = math.radians(degrees), 0.01, 0.5
    down, normal = np.array([-math.cos(t), -math.sin(t), 0]), np.array([-math.sin(t), math.cos(t), 0])
    turned = Transform(rotation=(0, 0, t), translation=-0.5 * normal)
    world = dropped(SOLIDS[shape]((8, 1, 3), friction=MU), integrator, turned, at=(0, 0, 0.3), h=h)
    world.step(round(time / h))
    moved = world.value("grain.position")[0] - [0, 0, 0.3]
    v = world.value("grain.velocity")[0]
    if degrees == 26:
        assert np.abs(moved).max() < 1e-12 and np.abs(v).max() < 1e-12
        return
    a = G * (math.sin(t) - MU * math.cos(t))
    late = 0.0 if type(integrator).__name__ in ("VelocityVerlet", "RK4") else h / 2
    assert v @ down == pytest.approx(a * time, rel=1e-6)
    assert moved @ down == pytest.approx(a * time * (time / 2 + late), rel=1e-6)
    assert moved @ normal == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("integrator", EVERY, ids=label)
def test_capsule(integrator: Any) -> None:
    """Lying along x it is a cylinder of 2 m: friction holds at 20 degrees from the top and lets go at 35.

    On the axis of its round end it holds the particle up like a sphere.
    """
    for degrees, along, sticks in ((20, 0.4, True), (35, 0.4, False), (0, 1.0, True)):
        angle = math.radians(degrees)
        at = np.array([along, 2 * math.cos(angle), 2 * math.sin(angle)])
        lying = Transform(rotation=(0, 0, -math.pi / 2))
        world = dropped(Collider.capsule(radius=2.0, length=2.0, friction=MU), integrator, lying, at=at)
        world.step(60)
        x = world.value("grain.position")[0]
        assert (np.abs(x - at).max() < 1e-6) == sticks
        assert np.linalg.norm(x - [np.clip(x[0], -1, 1), 0, 0]) > 2 - 1e-6


@pytest.mark.parametrize("restitution", [0.5, 0.8])
@pytest.mark.parametrize("integrator", EXPLICIT, ids=label)
def test_bounces_on_a_mesh_floor_are_those_on_a_plane(integrator: Any, restitution: float) -> None:
    """The same to rounding, over the middle of a triangle and over an edge."""
    for at in ((0.3, 1, 0.1), (0, 1, 0)):
        found = []
        for floor in (Collider.plane(restitution=restitution, thickness=0.1),
                      sheet(4, restitution=restitution, thickness=0.1), cuboid((4, 0.2, 4), restitution=restitution)):
            world = dropped(floor, integrator, at=at, v=(0.1, 0, 0.2))
            world.step(150)
            found.append((world.value("grain.position")[0], world.value("grain.velocity")[0]))
        for x, v in found[1:]:
            assert x == pytest.approx(found[0][0], abs=1e-10)
            assert v == pytest.approx(found[0][1], abs=1e-9)


@pytest.mark.parametrize("integrator", EVERY, ids=label)
def test_sphere_of_triangles(integrator: Any) -> None:
    """Grains come to rest on a rough sphere and on its mesh alike, but for the depth of the facets in the sphere."""
    surface = sphere_shell(radius=1.0, subdivisions=4)
    facet = 1 - np.linalg.norm(surface.points[surface.triangles].mean(axis=1), axis=1).min()
    assert facet < 2e-3
    rng = np.random.default_rng(4)
    u = rng.normal(size=(40, 3))
    u[:, 1] = np.abs(u[:, 1]) + 2 * np.abs(u).max()
    start = 1.05 * u / np.linalg.norm(u, axis=1, keepdims=True)
    ends = []
    for collider in (Collider.sphere(radius=1.0, friction=3.0), Collider.mesh(surface, friction=3.0)):
        world = world_of(integrator=integrator, frame_time=1 / 60)
        world.spawn(Gravity(acceleration=(0, -G, 0)))
        world.spawn(collider)
        world.spawn(*particles(start), name="grain")
        world.step(40)
        ends.append(world.value("grain.position"))
    radii = np.linalg.norm(ends[1], axis=1)
    assert radii.min() > 1 - facet - 1e-9 and radii.max() < 1 + 1e-9
    assert np.abs(ends[1] - ends[0]).max() < 3 * facet


def paddle(shape: str) -> Collider:
    return SOLIDS[shape]((0.01, 1, 1), friction=0.0)


@pytest.mark.parametrize("shape", SOLIDS)
@pytest.mark.parametrize("integrator", EVERY, ids=label)
def test_a_fast_paddle_takes_every_particle_along(integrator: Any, shape: str) -> None:
    """1 cm thick at 50 m/s, which is 0.83 m in a step: none passes, and each leaves with the paddle's speed."""
    world = world_of(integrator=integrator, frame_time=1 / 60)
    world.spawn(paddle(shape), Transform(translation=(-1, 0, 0)), name="paddle")
    x = np.column_stack([np.linspace(-0.9, 1.4, 24), np.linspace(-0.4, 0.4, 24), np.linspace(0.4, -0.4, 24)])
    world.spawn(*particles(x), name="grain")
    world.at(0.0).keyframes("paddle.translation", (0, 0.1), [(-1, 0, 0), (4, 0, 0)])
    world.step(5)
    front = world.value("paddle.translation")[0] + 0.005
    assert front == pytest.approx(-1 + 50 * 4 / 60 + 0.005)
    assert np.all(world.value("grain.position")[:, 0] >= front - 1e-9)
    assert world.value("grain.velocity")[:, 0] == pytest.approx(np.full(24, 50.0), rel=1e-6)


@pytest.mark.parametrize("shape", ["box", "cuboid", "sheet", "capsule", "sphere", "rounded box"])
@pytest.mark.parametrize("integrator", EVERY, ids=label)
def test_a_fast_particle_is_stopped_by_a_thin_collider(integrator: Any, shape: str) -> None:
    """Fired from both sides at 50 m/s and at several angles."""
    collider = {
        "box": Collider.box(size=(2, 0.01, 2)), "cuboid": cuboid((2, 0.01, 2)), "sheet": sheet(2, thickness=1e-3),
        "capsule": Collider.capsule(radius=0.05, length=2), "sphere": Collider.sphere(radius=0.05),
        "rounded box": Collider.box(size=(2, 0.002, 2), thickness=0.004),
    }[shape]  # fmt: skip
    lying = Transform(rotation=(0, 0, math.pi / 2) if shape == "capsule" else (0, 0, 0))
    slants = [(0, 0), (0.3, 0.2), (-0.5, 0.1)] if shape not in ("capsule", "sphere") else [(0, 0)]
    for side in (1, -1):
        for a, b in slants:
            for first in (0.11, 0.4, 0.77):
                start = first * np.array([-a, side, -b])
                world = world_of(integrator=integrator, frame_time=1 / 60)
                world.spawn(collider, lying, name="collider")
                world.spawn(*particles([start], [50 * np.array([a, -side, b])]), name="grain")
                world.step(2)
                assert side * world.value("grain.position")[0, 1] > 0
                assert abs(world.value("grain.velocity")[0, 1]) < 1e-6


@pytest.mark.parametrize("moving", ["slab", "belt", "mesh"])
@pytest.mark.parametrize("integrator", EVERY, ids=label)
def test_belt(integrator: Any, moving: str) -> None:
    """Dropped on a belt at 1 m/s a particle has its speed after v / (mu g) = 0.34 s, to a step of 0.005 s."""
    speed, friction, h = 1.0, 0.3, 0.005
    if moving == "belt":
        collider = Collider.box(size=(20, 1, 2), centre=(0, -0.5, 0), friction=friction, surface_velocity=(speed, 0, 0))
    elif moving == "slab":
        collider = Collider.box(size=(20, 1, 2), centre=(0, -0.5, 0), friction=friction)
    else:
        collider = cuboid((20, 1, 2), centre=(0, -0.5, 0), friction=friction)
    world = dropped(collider, integrator, Transform(), at=(0, 0, 0), h=h)
    if moving != "belt":
        world.at(0.0).keyframes("collider.translation", (0, 10), [(0, 0, 0), (10 * speed, 0, 0)])
        world.step()  # in the first frame the slab has not moved yet
    needed = speed / (friction * G)
    world.step(int(needed / h) - 1)
    before = world.value("grain.velocity")[0, 0]
    assert 0.95 < before < 1 - 1e-6
    assert before == pytest.approx(friction * G * h * (int(needed / h) - 1), rel=1e-6)
    world.step(3)
    assert world.value("grain.velocity")[0] == pytest.approx([speed, 0, 0], abs=1e-7)


@pytest.mark.parametrize("integrator", EVERY, ids=label)
def test_turntable_carries_and_then_lets_go(integrator: Any) -> None:
    """At the radius r friction holds up to omega^2 r = mu g: at 0.4 m of 3 rad/s (3.6 < 4.9), not at 0.7 m (6.3)."""
    world = world_of(integrator=integrator, frame_time=0.005)
    world.spawn(Gravity(acceleration=(0, -G, 0)))
    world.spawn(Collider.box(size=(4, 1, 4), centre=(0, -0.5, 0), friction=MU), Transform(), name="table")
    x = np.array([[0.4, 0, 0], [0.7, 0, 0]])
    world.spawn(*particles(x, np.cross([0, 3.0, 0], x)), name="grain")
    world.at(0.0).keyframes("table.rotation", (0, 10), [(0, 0, 0), (0, 30, 0)])
    world.step(201)
    x, v = world.value("grain.position"), world.value("grain.velocity")
    radii = np.linalg.norm(x, axis=1)
    # while the table stood still in the first frame and the grain slid by less than h v: 6e-3 m
    assert radii[0] == pytest.approx(0.4, abs=0.012)
    assert radii[1] > 0.9
    assert np.linalg.norm(v[0]) == pytest.approx(3 * radii[0], rel=2e-2)


@pytest.mark.filterwarnings("ignore:backward Euler")  # in the corners
@pytest.mark.parametrize("integrator", EVERY, ids=label)
def test_drum_keeps_what_is_in_it(integrator: Any) -> None:
    """A closed mesh turned inside out is a container: ten turns a second stir 60 grains, none comes out."""
    world = world_of(integrator=integrator, frame_time=1 / 60, substeps=2)
    world.spawn(Gravity(acceleration=(0, -G, 0)))
    inside_out = np.array(TRIANGLES)[:, ::-1]
    world.spawn(Collider.mesh(CORNERS, inside_out, friction=0.4, restitution=0.3), Transform(), name="drum")
    x = np.random.default_rng(1).uniform(-0.3, 0.3, (60, 3))
    world.spawn(*particles(x), name="grain")
    world.at(0.0).keyframes("drum.rotation", (0, 2), [(0, 0, 0), (0, 0, 10 * 2 * math.pi)])
    world.step(60)
    angle = world.value("drum.rotation")[2]
    turn = np.array([[math.cos(angle), -math.sin(angle), 0], [math.sin(angle), math.cos(angle), 0], [0, 0, 1]])
    assert np.abs(world.value("grain.position") @ turn).max() < 0.5 + 1e-6
    assert np.abs(world.value("grain.velocity")).max() > 1.0


@pytest.mark.parametrize("shape", SOLIDS)
@pytest.mark.parametrize("integrator", EVERY, ids=label)
def test_turning_paddle_hits_with_the_speed_of_its_blade(integrator: Any, shape: str) -> None:
    """A blade of 1 cm at 30 rad/s meets a grain at 0.78 m, which leaves with omega r = 23.4 m/s.

    In one step of 1/60 s, half a radian, the grain's path is straight and the blade's is not: right to 13 %. An
    implicit step only takes the grain to the blade's end; it has the blade's speed after the next one.
    """
    implicit = integrator in IMPLICIT
    for steps, rel in ((1, 0.5 if implicit else 0.13), (40, 0.02)):
        world = world_of(integrator=integrator, frame_time=1 / 60 / steps)
        world.spawn(SOLIDS[shape]((2, 0.01, 1), friction=0.0), Transform(), name="paddle")
        world.spawn(*particles([[0.6, 0.5, 0]]), name="grain")
        world.at(0.0).keyframes("paddle.rotation", (0, 0.1), [(0, 0, 0), (0, 0, 3)])
        world.run(4 * steps, on_frame=lambda w: not w.value("grain.velocity").any())
        if implicit and steps > 1:
            world.step()
        assert np.linalg.norm(world.value("grain.velocity")[0]) == pytest.approx(30 * math.hypot(0.6, 0.5), rel=rel)


def test_moved_by_a_parent_it_moves() -> None:
    world = world_of(frame_time=1 / 60)
    world.spawn(Transform(), name="arm")
    world.spawn(Collider.box(size=(0.1, 1, 1), friction=0.0), Transform(translation=(-0.2, 0, 0), parent="arm"))
    world.spawn(*particles([[0, 0, 0]]), name="grain")
    world.at(0.0).keyframes("arm.translation", (0, 1), [(0, 0, 0), (6, 0, 0)])
    world.step(10)
    assert world.value("grain.velocity")[0] == pytest.approx([6, 0, 0], rel=1e-9)


def test_what_is_set_in_the_collider_moves_without_a_velocity() -> None:
    world = world_of(frame_time=1 / 60)
    world.spawn(Collider.box(size=(0.2, 1, 1), friction=0.0), name="box")
    world.spawn(*particles([[0.15, 0.1, 0]]), name="grain")
    world.set("box.centre", (0.1, 0, 0))
    world.step()
    assert world.value("grain.position")[0] == pytest.approx([0.2, 0.1, 0], abs=1e-12)
    assert not world.value("grain.velocity").any()


@pytest.mark.parametrize("integrator", [EXPLICIT[0], BackwardEuler()], ids=label)
def test_scaled_box_and_mesh(integrator: Any) -> None:
    """A non-uniform scale acts along the own axes, before the rotation: the particle rests on the scaled face."""
    for collider in (Collider.box(size=(1, 1, 1)), cuboid((1, 1, 1))):
        stretched = Transform(scale=(2, 4, 1), rotation=(0, 0, math.pi / 2))
        world = dropped(collider, integrator, stretched, at=(1.5, 1.2, 0))  # 4 m along -x, 2 m along y
        world.step(60)
        assert world.value("grain.position")[0] == pytest.approx([1.5, 1.0, 0], abs=1e-7)


@pytest.mark.filterwarnings("ignore:backward Euler")  # a particle touches one collider at a time
@pytest.mark.parametrize("integrator", EVERY, ids=label)
def test_corner_of_two_colliders_and_valley_of_one(integrator: Any) -> None:
    """A grain in a corner comes to rest at both walls."""
    wedge = Geometry(
        points=[[-2, 2, -1], [-2, 2, 1], [0, 0, -1], [0, 0, 1], [2, 2, -1], [2, 2, 1]],
        triangles=[[0, 1, 2], [2, 1, 3], [2, 3, 4], [4, 3, 5]],
    )
    world = dropped(Collider.mesh(wedge, thickness=0.01, friction=0.1), integrator, at=(0.8, 1.0, 0))
    world.step(300)
    assert world.value("grain.position")[0] == pytest.approx([0, 0.01 * math.sqrt(2), 0], abs=2e-3)
    world = dropped(Collider.plane(friction=0.0), integrator, at=(0.3, 0.2, 0), v=(2, 0, 0))
    world.spawn(Collider.box(size=(1, 2, 2), centre=(1, 1, 0), friction=0.0))
    world.step(60)
    assert world.value("grain.position")[0] == pytest.approx([0.5, 0, 0], abs=1e-6)
    assert world.value("grain.velocity")[0] == pytest.approx([0, 0, 0], abs=1e-6)


@pytest.mark.parametrize("integrator", EVERY, ids=label)
def test_pushed_out_without_a_speed(integrator: Any) -> None:
    world = world_of(integrator=integrator)
    world.spawn(cuboid((1, 1, 1)))
    world.spawn(Collider.capsule(radius=0.5, length=1.0, centre=(3, 0, 0)))
    world.spawn(*particles([[0.45, 0.1, 0.2], [3.4, 0.2, 0]]), name="grain")
    world.step()
    assert world.value("grain.position") == pytest.approx(np.array([[0.5, 0.1, 0.2], [3.5, 0.2, 0]]), abs=1e-9)
    assert np.abs(world.value("grain.velocity")).max() < 1e-9


def test_solid_body_slides_down_a_box() -> None:
    """Eight joined particles on a tilted box: the mean speed grows by g (sin - mu cos) t."""
    from tests.verification.test_contact import block

    world = world_of(integrator=EXPLICIT[1], frame_time=0.05, substeps=50)
    t = math.radians(40)
    normal, down = np.array([-math.sin(t), math.cos(t), 0]), np.array([-math.cos(t), -math.sin(t), 0])
    world.spawn(Gravity(acceleration=(0, -G, 0)))
    tilted = Transform(rotation=(0, 0, t), translation=-0.5 * normal)
    world.spawn(Collider.box(size=(9, 1, 9), friction=MU), tilted)
    block(world, 40, speed=1.0)
    world.step(10)
    v = world.get("block", Velocity).v.mean(axis=0)
    assert v @ down - 1.0 == pytest.approx(0.5 * G * (math.sin(t) - MU * math.cos(t)), abs=1e-4)
    assert (world.get("block", Position).x @ normal).min() > -1e-9
