"""Drawing: turns bodies, colliders, cameras and lights into a scene for the renderer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from components import (
    Appearance,
    Camera,
    Collider,
    Geometry,
    Grab,
    Light,
    Pose,
    Position,
    SpringDamage,
    Springs,
    Stress,
    unit_normal,
)
from components.transform import apply
from framework import FieldError, PathError, Stage, System
from framework.difference import Difference
from framework.doctor import Finding
from framework.viewer import colours, meshes
from framework.viewer.colourable import colourable
from framework.viewer.ranges import settled
from framework.viewer.scene import Ball, Ground, Legend, Lines, Points, Surface
from framework.viewer.scene import Camera as View
from framework.viewer.scene import Light as Lamp
from systems.drawing.exceeded import add_exceeded
from systems.drawing.hands import add_hands
from systems.drawing.symbols import READS, add_symbols

if TYPE_CHECKING:
    from framework import World
    from framework.viewer.scene import Scene

OUTLINE = (0.16, 0.18, 0.22)
SPHERE, PLANE = (0.72, 0.70, 0.67), (0.64, 0.67, 0.70)
ANGULAR = 100  # triangles up to which a mesh is shaded as a solid with flat faces


class Drawing(System):
    """Surfaces, lines or points of bodies, coloured by any field; colliders; the first camera; all lights."""

    stage = Stage.RENDER
    reads = (*READS, Appearance, Collider, Pose, Camera, Light, Stress, Grab)

    def check(self, world: World) -> list[Finding]:
        """Fields to colour by that bodies do not have."""
        found = []
        for entity, position, look in world.query(Position, Appearance):
            try:
                if look.colour_by:
                    field_of(world, entity, look.colour_by, len(position.x))
            except FieldError as error:
                found.append(Finding(
                    what=str(error).partition(": ")[2], where=f"{world.name(entity)}.Appearance.colour_by",
                    why="the first picture will fail", do="name one of these fields, or none", severity="error",
                ))  # fmt: skip
        return found

    def process(self, world: World, scene: Scene) -> None:  # type: ignore[override]
        rows = world.query(Position, optional=(Geometry, Appearance))
        paints = paints_of(world, scene, rows)
        ranges = add_legends(scene, paints)
        for number, (entity, position, geometry, appearance) in enumerate(rows):
            look = appearance or Appearance(colour=tuple(colours.body_colour(number)))
            paint = paints.get(entity)
            front, back = _plain_pair(look) if paint is None else _painted(paint, ranges[paint.bar])
            draw_body(world, scene, entity, position.x, geometry, look, front, back)
        for _, collider, pose, appearance in world.query(Collider, optional=(Pose, Appearance)):
            draw_collider(scene, collider, pose, appearance)
        for _, camera in world.query(Camera)[:1]:
            scene.camera = View(camera.eye, camera.target, camera.up, camera.field_of_view, camera.orthographic)
        lamps = [
            Lamp(light.position, light.ambient, light.diffuse, light.specular, light.shininess)
            for _, light in world.query(Light)
        ]
        scene.lights = lamps or None
        add_symbols(world, scene)
        scene.caption = f"t = {world.time:.2f} s"
        add_exceeded(world, scene)
        add_hands(world, scene)
        scene.plane = bool(rows) and all(geometry is not None and geometry.segments is not None
                                         for _, _, geometry, _ in rows)


def draw_body(
    world: World, scene: Scene, entity: int, x: np.ndarray, geometry: Any, look: Appearance, front: np.ndarray,
    back: np.ndarray | None,
) -> None:  # fmt: skip
    draw = look.draw
    if geometry is not None and geometry.segments is not None:
        width = 1.5 if geometry.triangles is not None else look.size
        scene.lines.append(Lines(x, _pieces(geometry.segments), OUTLINE, width))
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


def _pieces(segments: np.ndarray) -> np.ndarray:
    """(e, 2) pairs of neighbouring points along segments."""
    return np.concatenate([segments[:, [j, j + 1]] for j in range(segments.shape[1] - 1)])


def _edges(geometry: Geometry) -> np.ndarray | None:
    if geometry.edges is not None:
        return geometry.edges
    if geometry.triangles is None:
        return None
    corners = geometry.triangles
    pairs = np.sort(np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]]), axis=1)
    return np.unique(pairs, axis=0).astype(np.int32)


def _plain_pair(look: Appearance) -> tuple[np.ndarray, np.ndarray | None]:
    return colours.rgb(look.colour), None if look.back is None else colours.rgb(look.back)


def _painted(paint: Paint, limits: tuple[float, float]) -> tuple[np.ndarray, np.ndarray | None]:
    """Colours of front and back, one per particle; where `back` is None as the front's."""
    front, back = paint.bar[4:]
    return (colours.apply(paint.values, *limits, np.array(front)),
            None if back is None else colours.apply(paint.values, *limits, np.array(back)))


def _plain(appearance: Any, otherwise: tuple[float, float, float]) -> np.ndarray:
    return np.asarray(otherwise) if appearance is None else colours.rgb(appearance.colour)


@dataclass(frozen=True)
class Paint:
    """What colours one body by a field: the value of each particle (n,), and the colour bar that it shares."""

    values: np.ndarray
    bar: tuple


def field_of(world: World, entity: int, name: str, count: int) -> tuple[Any, np.ndarray]:
    """(path, values (n,)) of the field that is to colour a body, of vectors their length; or FieldError."""
    body = world.name(entity)
    try:
        path = world.path(f"{body}.{name}")
        values = np.asarray(path.read(world.store), dtype=float)
        found = f"a field of shape {values.shape}"
    except (PathError, TypeError, ValueError):
        path, values, found = None, np.zeros(0), "no such field"
    if values.ndim == 2 and path is not None and "norm" not in path.operations:
        values = np.sqrt((values * values).sum(axis=1))
    if values.shape != (count,):
        raise FieldError(
            f"{body}: Appearance.colour_by must name a field with one value or vector for each particle, got {name!r} "
            f"({found}); {body} has {', '.join(sorted(colourable(world, entity)))}"
        )
    return path, values


def paints_of(world: World, scene: Scene, rows: tuple) -> dict[int, Paint]:
    """Entity -> its paint, for the bodies that a field colours; bodies with the same field and colours share a bar."""
    found = {}
    for entity, position, _, appearance in rows:
        look = appearance or Appearance()
        name = look.colour_by if scene.colour_by is None else scene.colour_by
        if isinstance(name, Difference):  # of one body; whether it is of this frame has been checked
            if world.name(entity) == name.entity:
                bar = (name.label, name.unit, *(scene.limits or (None, None)), _key(_stops("viridis")), None)
                found[entity] = Paint(name.sizes, bar)
            continue
        if not name:
            continue
        try:
            path, values = field_of(world, entity, name, len(position.x))
        except FieldError:
            if scene.colour_by is None:
                raise
            continue  # a window colours the bodies that have the field
        own = look.colour_by == name  # limits and colours were chosen for that field
        low, high = (look.low, look.high) if own else (None, None)
        low, high = scene.limits or (low, high)
        front = _stops(look.colours) if own else _stops("viridis")
        back = _stops(look.back_colours) if own and look.back_colours is not None else None
        found[entity] = Paint(values, (name, path.unit, low, high, _key(front), None if back is None else _key(back)))
    return found


def add_legends(scene: Scene, paints: dict[int, Paint]) -> dict[tuple, tuple[float, float]]:
    """A legend for each colour bar; returns the ranges by bar."""
    bars: dict[tuple, list[np.ndarray]] = {}
    for paint in paints.values():
        bars.setdefault(paint.bar, []).append(paint.values)
    ranges = {}
    for bar, values in bars.items():
        label, unit, low, high, front, back = bar
        former, idle = scene.ranges.get(bar[:2], (None, 0))
        found, idle = settled(np.concatenate(values), not unit, former, idle)
        if low is None or high is None:
            scene.ranges[bar[:2]] = found, idle
        low, high = found[0] if low is None else low, found[1] if high is None else high
        ranges[bar] = low, max(low, high)
        stops = [None if table is None else np.array(table) for table in (front, back)]
        scene.legends.append(Legend(label, unit, *ranges[bar], *stops))
    return ranges


def _stops(names: Any) -> np.ndarray:
    return colours.stops_of(names) if isinstance(names, str) else np.array([colours.rgb(colour) for colour in names])


def _key(stops: np.ndarray) -> tuple:
    return tuple(map(tuple, stops.tolist()))
