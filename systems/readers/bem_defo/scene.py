"""A world from a bem_defo problem, and the scene that `pliant run beam.xml` runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial import cKDTree

import systems
from components import (
    Appearance,
    BoundaryConditions,
    BoundaryElements,
    ConditionSequence,
    ElementValues,
    Geometry,
    Material,
)
from components.prefabs.fill import filled
from framework import World
from framework.scene import Scene
from systems.readers.bem_defo.model import BemDefo, Conditions
from systems.readers.bem_defo.parse import read_bem_defo
from systems.readers.bem_defo.shape import CLOSE, size_of
from systems.readers.bem_defo.surface import triangulated

SYMMETRIES = ("", "x", "xy", "xyz")  # BoundaryElements.symmetry of <simetry> 0 to 3
MOST_FILLED = 2000  # elements up to which a body is filled with points: each costs an integral over all of them
AROUND = 1.0  # of the size of holes in an infinite region: how much of it is shown around them


def load(path: str | Path) -> Scene:
    """The scene of a bem_defo file: frame i shows its i-th <bc>. `build` takes the arguments of `world_of`."""
    problem = read_bem_defo(path)

    def build(
        log_length: float | None = None, accuracy: float = 1e-6, frame_time: float = 0.1, fill: bool = True
    ) -> World:
        return world_of(problem, log_length=log_length, accuracy=accuracy, frame_time=frame_time, fill=fill)

    return Scene(name=Path(path).stem, build=build, frames=len(problem.conditions), file=Path(path))


def world_of(
    problem: BemDefo, *, log_length: float | None = None, accuracy: float = 1e-6, frame_time: float = 0.1,
    fill: bool = True,
) -> World:  # fmt: skip
    """A world with the entity `body`; frame i, at i times frame_time [s], shows the i-th conditions.

    log_length [m] and accuracy: those of BoundaryElements. fill: whether there are points and triangles inside a plane
    body, for pictures, behind the points of the problem; a solid has the triangles of its surface.
    """
    world = World(systems=systems.standard(), frame_time=frame_time, substeps=1)
    world.spawn(*body(problem, log_length=log_length, accuracy=accuracy, fill=fill), name="body")
    world.watch("largest displacement", "body.displacement.norm.max")
    world.watch("largest von Mises stress", "body.stress.von_mises.max")
    return world


def body(problem: BemDefo, *, log_length: float | None = None, accuracy: float = 1e-6, fill: bool = True) -> list[Any]:
    """The components of a body under the first conditions of a problem. Arguments: see `world_of`."""
    frames = tuple(_values(conditions) for conditions in problem.conditions)
    return [
        geometry(problem, fill),
        Material(young_modulus=problem.young_modulus, poisson_ratio=problem.poisson_ratio),
        BoundaryElements(analysis=problem.analysis, infinite=problem.infinite, symmetry=SYMMETRIES[problem.symmetry],
                         log_length=log_length, accuracy=accuracy),
        BoundaryConditions(frames[:1]),
        ConditionSequence(frames),
        Appearance(colour_by="stress"),
    ]  # fmt: skip


def geometry(problem: BemDefo, fill: bool = True) -> Geometry:
    """Points in the order of the problem, then those that fill the body."""
    points = np.zeros((len(problem.points), 3))
    points[:, : problem.dimension] = problem.points
    if problem.dimension == 3:
        return Geometry(points=points, faces=problem.elements, triangles=triangulated(problem.elements)[0])
    inside, triangles = _filled(problem) if fill else (np.zeros((0, 2)), None)
    return Geometry(points=np.concatenate([points, np.pad(inside, ((0, 0), (0, 1)))]), segments=problem.elements,
                    triangles=triangles)


def _filled(problem: BemDefo) -> tuple[np.ndarray, np.ndarray | None]:
    """(points inside (i, 2), triangles (t, 3) over the points of the problem and those)."""
    nothing = np.zeros((0, 2)), None
    if len(problem.elements) > MOST_FILLED or (problem.infinite and problem.symmetry):
        return nothing
    used, rows = np.unique(problem.elements, return_inverse=True)
    boundary = problem.points[used]
    low, high = boundary.min(axis=0), boundary.max(axis=0)
    room = AROUND * (high - low).max()
    inside, triangles = filled(boundary, rows.reshape(problem.elements.shape),
                               (low - room, high + room) if problem.infinite else True, None)
    if triangles is None:
        return nothing
    number = len(problem.points) + np.arange(len(inside))
    unused = np.setdiff1d(np.arange(len(problem.points)), used)
    if len(unused) and len(inside):  # one point where both would have one
        away, nearest = cKDTree(problem.points[unused]).query(inside)
        new = away > CLOSE * size_of(problem)
        number = np.where(new, len(problem.points) + np.cumsum(new) - 1, unused[nearest])
        inside = inside[new]
    return inside, np.concatenate([used, number])[triangles]


def _values(conditions: Conditions) -> ElementValues:
    missing = 3 - conditions.displacement.shape[2]
    return ElementValues(*(np.pad(values, ((0, 0), (0, 0), (0, missing)), constant_values=np.nan)
                           for values in (conditions.displacement, conditions.traction)))
