"""Colliders: what is refused, distances and paths against plain formulas, closed and open meshes, what is drawn."""
from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from components import Collider, Geometry, Mass, Position, Transform
from components.prefabs import grid, sphere_shell
from components.surface_mesh import border_count
from framework import FieldError, World
from systems import standard
from systems.dynamics.mesh_tree import joined, mesh_tree
from systems.dynamics.placement import course, rotation_vector, split
from systems.kernels import shapes
from systems.kernels.closest import DEEPEST, Meshes, mesh_distance
from systems.kernels.shapes import meet

TETRAHEDRON = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
CORNERS, FACES = TETRAHEDRON
BAD = {
    "box size 0": (Collider.box(size=(1, 0, 1)), "Collider.size must be positive, got 0.0 at [1]"),
    "box size inf": (Collider.box(size=(1, math.inf, 1)), "Collider.size must be finite"),
    "box size shape": (Collider.box(size=(1, 2)), "Collider.size must have shape (3,)"),
    "box radius": (Collider(shape="box", radius=2.0), "Collider.radius must be left out for a box, got 2.0"),
    "capsule radius": (Collider.capsule(radius=-1), "Collider.radius must be positive, got -1.0"),
    "capsule length": (Collider.capsule(length=-0.5), "Collider.length must be zero or positive, got -0.5"),
    "sphere length": (Collider(shape="sphere", length=2.0), "Collider.length must be left out for a sphere"),
    "plane size": (Collider(shape="plane", size=(1, 1, 2)), "Collider.size must be left out for a plane"),
    "friction nan": (Collider.box(friction=math.nan), "Collider.friction must be finite, got nan"),
    "friction -1": (Collider.capsule(friction=-1), "Collider.friction must be zero or positive, got -1.0"),
    "restitution": (Collider.box(restitution=1.5), "Collider.restitution must be in [0, 1], got 1.5"),
    "thickness": (Collider.box(thickness=-1e-3), "Collider.thickness must be zero or positive"),
    "belt": (Collider.box(surface_velocity=1.0), "Collider.surface_velocity must give its three components"),
    "mesh nan": (Collider.mesh([[0, 0, math.nan], *CORNERS[1:]], FACES), "Collider.vertices must be finite, got nan"),
    "mesh index": (Collider.mesh(CORNERS, [[0, 1, 4]], thickness=1), "Collider.triangles must be indices from 0 to 3"),
    "mesh index -1": (Collider.mesh(CORNERS, [[0, 1, -1]], thickness=1), "must be indices from 0 to 3, got -1"),
    "mesh without triangles": (Collider.mesh(CORNERS), "Collider.triangles must be given for a mesh"),
    "mesh of none": (Collider.mesh(CORNERS, np.zeros((0, 3), int)), "must hold at least one triangle, got none"),
    "mesh twice": (Collider.mesh(CORNERS, [[0, 1, 1]], thickness=1), "three different corners each, got [0, 1, 1] at"),
    "mesh in a line": (
        Collider.mesh([[0, 0, 0], [1, 0, 0], [2, 0, 0]], [[0, 1, 2]], thickness=1), "hold one with an area at least",
    ),
    "mesh open": (Collider.mesh(CORNERS, FACES[:3]), "must be positive for a mesh that is not closed, got 0.0 with 3"),
    "mesh radius": (Collider(shape="mesh", vertices=CORNERS, triangles=FACES, radius=2.0), "be left out for a mesh"),
    "box with vertices": (Collider(shape="box", vertices=CORNERS), "Collider.vertices must be left out for a box"),
    "no mesh": (Collider(shape="mesh"), "Collider.vertices must be given for a mesh"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_colliders(case: str) -> None:
    collider, text = BAD[case]
    with pytest.raises(FieldError) as error:
        World(systems=standard()).spawn(collider, name="thing")
    assert str(error.value).startswith("thing: ") and text in str(error.value)


def test_bad_arguments_of_a_mesh() -> None:
    with pytest.raises(FieldError, match=r"Collider.mesh: triangles must come with .* got a Geometry without any"):
        Collider.mesh(Geometry(points=CORNERS))
    with pytest.raises(FieldError, match="got both"):
        Collider.mesh(sphere_shell(), FACES)


@pytest.mark.parametrize("collider", [Collider.sphere(), Collider.capsule()], ids=["sphere", "capsule"])
def test_round_shapes_refuse_an_uneven_scale(collider: Collider) -> None:
    world = World(systems=standard())
    with pytest.raises(FieldError, match=r"ball: Transform.scale must be the same along all axes for a .*\[1.0, 2.0"):
        world.spawn(collider, Transform(scale=(1, 2, 1)), name="ball")
    world.spawn(collider, Transform(scale=2.0), name="ball")
    with pytest.raises(FieldError, match=r"ball: Transform.scale must be the same along all axes"):
        world.set("ball.scale", (1, 2, 1))
    assert world.value("ball.scale") == pytest.approx([2, 2, 2])
    world.spawn(Transform(scale=(1, 3, 1)), name="frame")
    world.spawn(collider, Transform(parent="frame"), name="inner")
    world.spawn(Position(x=[[9, 9, 9]]), Mass(m=1.0), name="grain")
    with pytest.raises(FieldError, match=r"inner: Transform.scale, with those of its parents, must keep a"):
        world.step()


def test_sheared_boxes_are_refused_and_meshes_are_not() -> None:
    world = World(systems=standard())
    world.spawn(Transform(scale=(1, 3, 1)), name="frame")
    turned = Transform(rotation=(0, 0, 0.5), parent="frame")
    world.spawn(Collider.mesh(*TETRAHEDRON), turned, name="mesh")
    world.spawn(Position(x=[[9, 9, 9]]), Mass(m=1.0), name="grain")
    world.step()
    world.spawn(Collider.box(), turned, name="box")
    with pytest.raises(FieldError, match=r"box: Transform.scale, with those of its parents, must keep a box one"):
        world.step()


def test_borders() -> None:
    """Seams with repeated vertices count as closed; a face turned round does not."""
    vertices, triangles = np.array(CORNERS, float), np.array(FACES)
    assert border_count(vertices, triangles) == 0
    soup = vertices[triangles].reshape(-1, 3)
    assert border_count(soup, np.arange(12).reshape(4, 3)) == 0
    turned = triangles.copy()
    turned[0] = turned[0, ::-1]
    assert border_count(vertices, turned) == 3
    assert border_count(*(lambda g: (g.points, g.triangles))(grid((1, 1), (3, 3)))) == 12


def tree_of(vertices: Any, triangles: Any) -> Meshes:
    return mesh_tree(np.array(vertices, float), np.array(triangles, np.int32))


def test_mesh_distance_is_that_of_all_triangles() -> None:
    """Against a search through all; inside and outside of a shell, and of the second of two meshes joined."""
    shell = sphere_shell(radius=1.0, subdivisions=2)
    tree = joined([tree_of(*TETRAHEDRON), tree_of(shell.points, shell.triangles)])
    stack, depths = np.empty(DEEPEST, np.int64), np.empty(DEEPEST)
    corners = shell.points[shell.triangles]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals = across / np.linalg.norm(across, axis=1, keepdims=True)
    seed = int(tree.rows[1, 3])
    for p in np.random.default_rng(3).uniform(-1.5, 1.5, (200, 3)):
        distance, nx, ny, nz, _, _ = mesh_distance(*p, 1, tree, seed, stack, depths)
        heights = ((p - corners[:, 0]) * normals).sum(axis=1)
        assert (distance < 0) == bool((heights < 0).all())  # it is convex
        q = p - distance * np.array([nx, ny, nz])
        nearest = np.abs(((q - corners[:, 0]) * normals).sum(axis=1)).min()
        assert nearest < 1e-12 and abs(np.linalg.norm([nx, ny, nz]) - 1) < 1e-12
        if distance < 0:
            assert distance == pytest.approx(heights.max(), abs=1e-12)


def row(kind: int, size: Any = (0, 0, 0), radius: float = 0.0) -> np.ndarray:
    s = np.zeros(shapes.COLUMNS)
    s[shapes.KIND], s[shapes.SIZE : shapes.SIZE + 3], s[shapes.RADIUS] = kind, size, radius
    return s


@pytest.mark.parametrize(
    "shape",
    [row(shapes.SPHERE, radius=0.7), row(shapes.CAPSULE, (0.5, 0, 0), 0.4), row(shapes.BOX, (0.6, 0.1, 0.3)),
     row(shapes.BOX, (0.6, 0.1, 0.3), 0.2), row(shapes.PLANE, (0.6, 0.8, 0), 0.1)],
    ids=["sphere", "capsule", "box", "rounded box", "plane"],
)  # fmt: skip
def test_where_a_path_meets_a_shape(shape: np.ndarray) -> None:
    """It touches at the first point of a fine walk along it that is inside; there the distance is 0."""
    empty = joined([])
    stack, depths = np.empty(DEEPEST, np.int64), np.empty(DEEPEST)
    rng = np.random.default_rng(8)
    walk = np.linspace(0, 1, 801)
    met = 0
    for _ in range(150):
        a, b = rng.uniform(-2, 2, (2, 3))
        gaps = np.array([
            shapes.shape_distance(shape, *(a + t * (b - a)), math.inf, -1, empty, stack, depths)[0] for t in walk
        ])  # fmt: skip
        how, t, *normal = meet(shape, a, b, 1e-14, empty, stack, depths, np.empty(shapes.MEMO))[:5]
        if gaps[0] < 0:
            assert how == shapes.BURIED
            continue
        if how == shapes.TOUCHES:
            met += 1
            at, nx, ny, nz, _ = shapes.shape_distance(shape, *(a + t * (b - a)), math.inf, -1, empty, stack, depths)
            assert abs(at) < 1e-12 and np.abs(np.array(normal) - (nx, ny, nz)).max() < 1e-6
            assert gaps[walk < t].min() > 0
        else:
            assert gaps[-1] >= 0
            shallow = gaps.min()  # grazing: it leaves by nearly the same side
            assert shallow > -0.05
    assert met > 8


def test_split_and_course() -> None:
    """A placement falls into stretch and rotation; half way of a turn is half the angle."""
    world = World(systems=standard())
    world.spawn(Transform(translation=(1, 2, 3), rotation=(0.1, -0.7, 0.4), scale=(1, 2, 0.5)), name="it")
    world.spawn(Transform(rotation=(0.0, 1.0, 0.0)), name="to")
    matrix = world.value("it.pose.matrix")
    rigid, stretch = split(matrix)
    assert np.array_equal(stretch, np.diag([1, 2, 0.5]))
    assert rigid.rotation @ rigid.rotation.T == pytest.approx(np.eye(3), abs=1e-12)
    assert rigid.rotation @ stretch == pytest.approx(matrix[:3, :3], abs=1e-12)
    motion, _ = course(np.eye(4), world.value("to.pose.matrix"), 0.5)
    assert motion.spin == pytest.approx([0, 2, 0])
    assert rotation_vector(motion.at(0.25).rotation) == pytest.approx([0, 0.25, 0])
    for turn in ([0, 0, math.pi], [3.0, 0, 0], [0.6 * math.pi, 0.8 * math.pi, 0]):
        world.set("to.rotation", turn)
        world.step()
        found = rotation_vector(world.value("to.pose.matrix")[:3, :3])
        assert found == pytest.approx(turn, abs=1e-6) or found == pytest.approx(-np.array(turn), abs=1e-6)


def test_every_shape_is_drawn() -> None:
    world = World(systems=standard())
    for number, collider in enumerate((Collider.box(), Collider.capsule(), Collider.mesh(*TETRAHEDRON))):
        world.spawn(collider, Transform(translation=(10.0 * number, 0, 0), scale=2.0))
    surfaces = world.scene().surfaces
    spans = [np.ptp(surface.vertices, axis=0) for surface in surfaces]
    assert spans[0] == pytest.approx([2, 2, 2])
    assert spans[1] == pytest.approx([2, 4, 2], abs=0.02)
    assert spans[2] == pytest.approx([2, 2, 2])
    assert [surface.vertices[:, 0].mean() for surface in surfaces[:2]] == pytest.approx([0, 10], abs=0.05)
