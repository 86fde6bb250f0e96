"""What a picture shows on request: wires, nodes, normals, springs, supports, loads, axes, and what is chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from components import (
    Deformation,
    ElementConditions,
    Geometry,
    Gravity,
    PointLoads,
    Position,
    SpringDamage,
    Springs,
    Supports,
    Wind,
)
from components.boundary_mesh import boundary_elements
from components.supports import Driven, driven_state
from framework.viewer import symbols
from framework.viewer.scene import Indicator, Lines, Points, Surface

if TYPE_CHECKING:
    from framework import World
    from framework.viewer.scene import Scene

READS = (Position, Geometry, Deformation, ElementConditions, Gravity, PointLoads, SpringDamage, Springs, Supports, Wind)
WIRE, NODE, SPRING = (0.16, 0.18, 0.22), (0.12, 0.13, 0.16), (0.30, 0.32, 0.38)
AXES = [((1, 0, 0), (0.80, 0.22, 0.20), "x"), ((0, 1, 0), (0.25, 0.60, 0.22), "y"),
        ((0, 0, 1), (0.20, 0.38, 0.80), "z")]
WINDS = 3  # shown at most
ROOM = 0.04  # of a body's size: supports that are nearer to each other are not all drawn


def add_symbols(world: World, scene: Scene) -> None:
    """Add what `scene.show` and `scene.highlight` ask for."""
    adders = {"axes": _axes, "wireframe": _wires, "nodes": _nodes, "normals": _normals, "springs": _springs,
              "supports": _supports, "loads": _loads}
    for name, adder in adders.items():
        if name in scene.show:
            adder(world, scene)
    if scene.highlight is not None:
        _highlight(world, scene, *scene.highlight)


def _axes(world: World, scene: Scene) -> None:
    scene.indicators.append(Indicator(AXES))


def _wires(world: World, scene: Scene) -> None:
    for _, position, geometry in world.query(Position, Geometry):
        if geometry.triangles is not None:
            scene.surfaces.append(Surface(position.x, geometry.triangles, WIRE, wireframe=True))


def _nodes(world: World, scene: Scene) -> None:
    for _, position in world.query(Position):
        scene.points.append(Points(position.x, NODE, 5.0))


def _normals(world: World, scene: Scene) -> None:
    from framework.viewer.normals import vertex_normals

    for _, position, geometry in world.query(Position, Geometry):
        if geometry.triangles is not None and len(position.x):
            points = np.ascontiguousarray(position.x - position.x[0], dtype=np.float32)
            found = np.empty_like(points)
            vertex_normals(points, np.array(geometry.triangles, dtype=np.int32), found)
            has = found.any(axis=1)
            scene.marks.append(symbols.normals(position.x[has], found[has].astype(float)))


def _springs(world: World, scene: Scene) -> None:
    for _, position, springs, damage in world.query(Position, Springs, optional=(SpringDamage,)):
        nodes = springs.nodes if damage is None else springs.nodes[~damage.broken]
        scene.lines.append(Lines(position.x, nodes, SPRING, 1.4))


def _supports(world: World, scene: Scene) -> None:
    for _, position, held in world.query(Position, Supports):
        if held.fixed is None or not held.fixed.any():
            continue
        fixed, room = held.fixed.copy(), ROOM * float(np.linalg.norm(np.ptp(position.x, axis=0)))
        for driven in held.driven or ():
            fixed[np.ix_(driven.nodes, driven.axes)] = False
            points = position.x[driven.nodes]
            some = symbols.spread(points, np.zeros(len(points)), room)
            scene.marks.append(symbols.motions(points[some], _direction(driven, world.time)[some]))
        plane = held.fixed.all(axis=0)  # a body in a plane: all of it is held along the other axis
        if plane.any() and not plane.all():
            fixed[:, plane] = fixed[:, ~plane].all(axis=1)[:, None]
        rows = np.flatnonzero(fixed.any(axis=1))
        rows = rows[symbols.spread(position.x[rows], fixed[rows] @ (1, 2, 4), room)]
        scene.marks.append(symbols.supports(position.x[rows], fixed[rows]))


def _direction(driven: Driven, time: float) -> np.ndarray:
    """Where the particles (k, 3) are driven now; at rest, where their motion leads from its start to its end."""
    velocity = driven_state(driven, time)[1]
    if not velocity.any():
        ends = driven.values[-1] - driven.values[0]
        velocity = np.broadcast_to(ends if ends.any() else driven.values[-1], velocity.shape)
    return np.where(driven.axes, velocity, 0.0)


def _loads(world: World, scene: Scene) -> None:
    rows = [(position.x, loads.load) for _, position, loads in world.query(Position, PointLoads)
            if loads.load is not None and loads.load.any()]
    largest = max((float(np.linalg.norm(load, axis=1).max()) for _, load in rows), default=0.0)
    for points, load in rows:
        scene.marks.append(symbols.loads(points, load, largest))
    if rows:
        scene.indicators.append(Indicator([((1, 0, 0), symbols.LOAD, "")], f"largest load\n{largest:.3g} N"))
    _tractions(world, scene)
    total = sum((gravity.acceleration for _, gravity in world.query(Gravity)), np.zeros(3))
    _arrow(scene, total, symbols.GRAVITY, "gravity", "m/s²")
    for entity, wind in world.query(Wind)[:WINDS]:
        _arrow(scene, wind.velocity, symbols.WIND, world.name(entity), "m/s")


def _tractions(world: World, scene: Scene) -> None:
    """Loads on surfaces of boundary elements, at their points; what supports exert is left out."""
    rows = []
    bodies = world.query(Position, ElementConditions, Deformation, Geometry)
    for _, position, conditions, deformation, geometry in bodies:
        elements = boundary_elements(geometry)[1]
        free = (elements >= 0) & (conditions.owner < 0).all(axis=2) & deformation.element_traction.any(axis=2)
        total, count = np.zeros(position.x.shape), np.zeros(len(position.x))
        np.add.at(total, elements[free], deformation.element_traction[free])
        np.add.at(count, elements[free], 1.0)
        mean = total / np.maximum(count, 1.0)[:, None]
        size = np.linalg.norm(mean, axis=1)
        shown = size > 1e-6 * max(float(np.abs(deformation.element_traction).max(initial=0.0)), 1e-300)
        rows.append((position.x[shown], mean[shown]))
    largest = max((float(np.linalg.norm(load, axis=1).max(initial=0.0)) for _, load in rows), default=0.0)
    for points, load in rows:
        if len(points):
            scene.marks.append(symbols.loads(points, load, largest))
    if largest > 0.0:
        scene.indicators.append(Indicator([((1, 0, 0), symbols.LOAD, "")], f"largest traction\n{largest:.3g} Pa"))


def _arrow(scene: Scene, vector: np.ndarray, colour: tuple[float, float, float], name: str, unit: str) -> None:
    size = float(np.linalg.norm(vector))
    if size > 0.0:
        scene.indicators.append(Indicator([(vector / size, colour, "")], f"{name}\n{size:.3g} {unit}"))


def _highlight(world: World, scene: Scene, entity: int, particle: int | None) -> None:
    for owner, position, geometry in world.query(Position, optional=(Geometry,)):
        if owner != entity:
            continue
        if particle is not None:
            scene.marks.append(symbols.rings(position.x[[particle]]))
        elif geometry is not None and geometry.triangles is not None:
            scene.surfaces.append(Surface(position.x, geometry.triangles, symbols.HIGHLIGHT, wireframe=True))
        elif geometry is not None and geometry.edges is not None:
            scene.lines.append(Lines(position.x, geometry.edges, symbols.HIGHLIGHT, 3.0))
        else:
            scene.points.append(Points(position.x, symbols.HIGHLIGHT, 10.0))
