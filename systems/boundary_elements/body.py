"""A boundary-element body as the solvers take it: what its components come to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from components import BoundaryElements, ElementConditions, Geometry, Material, Pose, elastic_constants
from components.boundary_mesh import boundary_elements, gauss_points, point_areas, point_normals
from components.element_terms import history
from components.transform import apply

if TYPE_CHECKING:
    from framework import World

ON_PLANE = 1e-9  # of the body's size: points that are nearer to a plane of symmetry lie on it
SOURCES = (Geometry, Material, BoundaryElements, ElementConditions)


@dataclass(frozen=True)
class Body:
    """points (n, 3) [m] at rest; elements (m, k): numbers of points, -1 in unused places; normals (m, k, 3).

    on (b,): the points of elements, and inside (i,): the others; nodes (m, k): the elements in numbers of `on`.
    areas (m, k) [m^2] and thickness [m]: force = sum of areas times traction. gauss: see gauss_points, areas with
    thickness. shear_modulus [Pa]; poisson_ratio, and plane_ratio: that of the equivalent plane strain.
    """

    dimension: int
    analysis: str
    points: np.ndarray
    elements: np.ndarray
    normals: np.ndarray
    on: np.ndarray
    inside: np.ndarray
    nodes: np.ndarray
    areas: np.ndarray
    gauss: list[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]
    thickness: float
    shear_modulus: float
    young_modulus: float
    poisson_ratio: float
    plane_ratio: float
    settings: BoundaryElements
    conditions: ElementConditions

    @property
    def mirror(self) -> tuple[bool, ...]:
        return tuple(axis in self.settings.symmetry for axis in "xyz"[: self.dimension])

    def history(self, number: int, t: float) -> np.ndarray:
        """(3,) of a term of the conditions at time t [s]; 0 of none."""
        return np.zeros(3) if number < 0 else history(self.conditions.terms[number], t)

    @property
    def size(self) -> float:
        return float(np.ptp(self.points[self.on], axis=0).max())


def body_of(world: World, entity: int) -> Body:
    """The body of an entity, kept until its components change."""
    store = world.store
    parts = store.components(entity)
    reads = [(entity, cls, name) for cls in SOURCES for name in cls.__component__.fields]
    return world.cached("boundary elements", ("body", entity), reads, lambda: _body(world.name(entity), parts))


def _body(name: str, parts: dict[type, Any]) -> Body:
    geometry, settings = parts[Geometry], parts[BoundaryElements]
    dimension, elements = boundary_elements(geometry, name)
    pose = parts.get(Pose)
    points = geometry.points.copy() if pose is None else apply(pose.matrix, geometry.points)
    used = elements >= 0
    on = np.unique(elements[used])
    inside = np.setdiff1d(np.arange(len(points)), on)
    near = ON_PLANE * float(np.ptp(points[on], axis=0).max())
    for axis, letter in enumerate("xyz"):
        if letter in settings.symmetry:
            points[np.abs(points[:, axis]) <= near, axis] = 0.0
    numbers = np.full(len(points) + 1, -1, np.int32)
    numbers[on] = np.arange(len(on), dtype=np.int32)
    constants = elastic_constants(parts[Material])
    analysis = settings.analysis or ("plane strain" if dimension == 2 else "three-dimensional")
    given = parts[Material].thickness
    thickness = given if given is not None and dimension == 2 else 1.0
    nu = constants.poisson_ratio
    gauss = [
        (rows, values, places, thickness * vectors)
        for rows, values, places, vectors in gauss_points(dimension, elements, points)
    ]
    return Body(
        dimension, analysis, points, elements, point_normals(dimension, elements, points), on, inside,
        numbers[elements], thickness * point_areas(dimension, elements, points), gauss, thickness,
        constants.shear_modulus, constants.young_modulus, nu, nu / (1 + nu) if analysis == "plane stress" else nu,
        settings, parts[ElementConditions],
    )  # fmt: skip


def surface_integral(body: Body, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Force (3,) and moment about the origin (3,) of a traction given at the points of the elements (m, k, 3)."""
    force, moment = np.zeros(3), np.zeros(3)
    for rows, shape, places, vectors in body.gauss:
        area = np.sqrt((vectors * vectors).sum(axis=-1))[..., None]
        pull = (shape @ values[rows, : shape.shape[1]]) * area
        force += pull.sum(axis=(0, 1))
        moment += np.cross(places, pull).sum(axis=(0, 1))
    return force, moment
