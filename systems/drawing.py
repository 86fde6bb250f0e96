"""Drawing: turns bodies, colliders, cameras and lights into a scene for the renderer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from components import Appearance, Camera, Collider, Geometry, Light, Pose, Position, SpringDamage, Springs, unit_normal
from components.transform import apply
from framework import FieldError, Stage, System
from framework.viewer import colours, meshes
from framework.viewer.scene import Ball, Ground, Legend, Lines, Points, Surface
from framework.viewer.scene import Camera as View
from framework.viewer.scene import Light as Lamp

if TYPE_CHECKING:
    from framework import World
    from framework.viewer.scene import Scene

SPHERE, PLANE = (0.72, 0.70, 0.67), (0.64, 0.67, 0.70)
ANGULAR = 100  # triangles up to which a mesh is shaded as a solid with flat faces


class Drawing(System):
    """Surfaces, lines or points of bodies, coloured by any field; colliders; the first camera; all lights."""

    stage = Stage.RENDER
    reads = (Position, Geometry, Appearance, Collider, Pose, Camera, Light, Springs, SpringDamage)

    def process(self, world: World, scene: Scene) -> None:  # type: ignore[override]
        for number, (entity, position, geometry, appearance) in enumerate(
            world.query(Position, optional=(Geometry, Appearance))
        ):
            draw_body(world, scene, entity, number, position.x, geometry, appearance)
        for _, collider, pose, appearance in world.query(Collider, optional=(Pose, Appearance)):
            draw_collider(scene, collider, pose, appearance)
        for _, camera in world.query(Camera)[:1]:
            scene.camera = View(camera.eye, camera.target, camera.up, camera.field_of_view)
        lamps = [
            Lamp(light.position, light.ambient, light.diffuse, light.specular, light.shininess)
            for _, light in world.query(Light)
        ]
        scene.lights = lamps or None
        scene.caption = f"t = {world.time:.2f} s"


def draw_body(
    world: World, scene: Scene, entity: int, number: int, x: np.ndarray, geometry: Any, appearance: Any
) -> None:
    look = appearance or Appearance(colour=tuple(colours.body_colour(number)))
    front, back = _colours(world, scene, entity, look, len(x))
    draw = look.draw
    if draw == "auto":
        if geometry is not None and geometry.triangles is not None:
            draw = "surface"
        else:
            draw = "lines" if geometry is not None and geometry.edges is not None else "points"
    if draw == "surface" and geometry is not None and geometry.triangles is not None:
        scene.surfaces.append(Surface(x, geometry.triangles, front, back))
        if look.wireframe:
            scene.surfaces.append(Surface(x, geometry.triangles, 0.55 * front, None, wireframe=True))
    elif draw == "lines" and geometry is not None and _edges(geometry) is not None:
        scene.lines.append(Lines(x, _whole(world, entity, _edges(geometry)), front, look.size))
        scene.points.append(Points(x, front, 2.0 * look.size))
    else:
        scene.points.append(Points(x, front, 3.0 * look.size))


def draw_collider(scene: Scene, collider: Collider, pose: Any, appearance: Any) -> None:
    matrix = np.eye(4) if pose is None else pose.matrix
    centre = apply(matrix, np.asarray(collider.centre)[None])[0]
    if collider.shape == "sphere":
        scale = float(np.cbrt(abs(np.linalg.det(matrix[:3, :3]))))
        scene.balls.append(Ball(centre, collider.radius * scale, _plain(appearance, SPHERE)))
    elif collider.shape != "plane":
        vertices, triangles, smooth = collider_surface(collider)
        placed = apply(matrix, vertices + collider.centre)
        scene.surfaces.append(Surface(placed, triangles, _plain(appearance, SPHERE), smooth=smooth))
    else:
        normal = np.linalg.solve(matrix[:3, :3].T, unit_normal(collider))
        scene.grounds.append(Ground(centre, normal / np.linalg.norm(normal), _plain(appearance, PLANE)))


def collider_surface(collider: Collider) -> tuple[np.ndarray, np.ndarray, bool]:
    """(vertices (n, 3), triangles (t, 3), whether it is round) of a box, capsule or mesh about its own centre."""
    if collider.shape == "box":
        vertices, triangles = meshes.unit_box()
        return collider.size * vertices, triangles, False
    if collider.shape == "capsule":
        return *meshes.capsule(collider.radius, 0.5 * collider.length), True
    return collider.vertices, collider.triangles, len(collider.triangles) > ANGULAR


def _whole(world: World, entity: int, edges: np.ndarray) -> np.ndarray:
    """The edges (e, 2) without those whose spring is broken."""
    for owner, springs, damage in world.query(Springs, SpringDamage):
        if owner == entity and damage.broken.any():
            broken = {tuple(pair) for pair in springs.nodes[damage.broken].tolist()}
            edges = edges[[tuple(sorted(pair)) not in broken for pair in edges.tolist()]]
    return edges


def _edges(geometry: Geometry) -> np.ndarray | None:
    if geometry.edges is not None:
        return geometry.edges
    if geometry.triangles is None:
        return None
    corners = geometry.triangles
    pairs = np.sort(np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]]), axis=1)
    return np.unique(pairs, axis=0).astype(np.int32)


def _plain(appearance: Any, otherwise: tuple[float, float, float]) -> np.ndarray:
    return np.asarray(otherwise) if appearance is None else colours.rgb(appearance.colour)


def _colours(world: World, scene: Scene, entity: int, look: Appearance, n: int) -> tuple[np.ndarray, np.ndarray | None]:
    """Colours of front and back: one each, or one per particle with a legend when a field gives them."""
    if not look.colour_by:
        return colours.rgb(look.colour), None if look.back is None else colours.rgb(look.back)
    path = world.path(f"{world.name(entity)}.{look.colour_by}")
    values = np.asarray(path.read(world.store), dtype=float)
    if values.ndim == 2 and "norm" not in path.operations:
        values = np.sqrt((values * values).sum(axis=1))
    if values.shape != (n,):
        raise FieldError(
            f"{world.name(entity)}: Appearance.colour_by must name a field with one value per particle, got "
            f"{look.colour_by!r} with {values.shape}"
        )
    finite = values[np.isfinite(values)]
    low = look.low if look.low is not None else float(finite.min(initial=0.0))
    high = look.high if look.high is not None else max(float(finite.max(initial=0.0)), low + 1e-12)
    stops = colours.stops_of(look.colours) if isinstance(look.colours, str) else [colours.rgb(c) for c in look.colours]
    scene.legends.append(Legend(look.colour_by, path.field.unit, low, high, np.asarray(stops)))
    back = None
    if look.back_colours is not None:
        names = look.back_colours
        back_stops = colours.stops_of(names) if isinstance(names, str) else [colours.rgb(c) for c in names]
        back = colours.apply(values, low, high, np.asarray(back_stops))
    return colours.apply(values, low, high, np.asarray(stops)), back
