"""`write_bem_defo`: a body of a world as a bem_defo file, under its conditions at this time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from components import (
    BoundaryElements,
    CentrifugalLoad,
    ElementConditions,
    Geometry,
    Gravity,
    Material,
    PointLoads,
    Pose,
    elastic_constants,
)
from components.boundary_mesh import boundary_elements
from components.element_terms import values_at
from components.transform import apply
from framework.errors import ProblemFileError
from systems.readers.bem_defo.model import BemDefo, Conditions
from systems.readers.bem_defo.scene import SYMMETRIES
from systems.readers.bem_defo.write import write_problem

if TYPE_CHECKING:
    from framework import World


def write_bem_defo(world: World, entity: int | str, path: str | os.PathLike[str]) -> None:
    """Write a body with BoundaryElements as a bem_defo file, under its conditions at this time.

    ProblemFileError, which names entity and component, for what the format cannot say; OutputError for a bad place.
    """
    write_problem(problem_of(world, entity), path)


def problem_of(world: World, entity: int | str) -> BemDefo:
    """A body with BoundaryElements as a problem with ids from 1 on; points inside are kept. See `write_bem_defo`."""
    number = world.id(entity)
    name, parts = world.name(number), dict(world.store.components(number))
    if BoundaryElements not in parts:
        _refuse(name, "BoundaryElements", "be there for a bem_defo file", "none")
    for component, rule, found in _unsaid(world, parts):
        _refuse(name, component, rule, found)
    settings, geometry = parts[BoundaryElements], parts[Geometry]
    dimension, elements = boundary_elements(geometry, name)
    pose = parts.get(Pose)
    points = geometry.points if pose is None else apply(pose.matrix, geometry.points)
    constants = elastic_constants(parts[Material])
    counts = np.unique((elements >= 0).sum(axis=1))
    order = elements.shape[1] - 1 if dimension == 2 else 1 if counts.max() <= 4 else 2
    if dimension == 3 and order == 2 and counts.min() <= 4:
        found = f"elements of {' and '.join(map(str, counts))} points"
        _refuse(name, "Geometry.faces", "be all linear or all quadratic in a bem_defo file", found)
    return BemDefo(
        dimension=dimension, analysis=settings.analysis or ("plane strain" if dimension == 2 else "three-dimensional"),
        infinite=settings.infinite, symmetry=SYMMETRIES.index(settings.symmetry), order=order,
        young_modulus=constants.young_modulus, poisson_ratio=constants.poisson_ratio,
        point_ids=np.arange(1, len(points) + 1, dtype=np.int32), points=np.array(points[:, :dimension]),
        element_ids=np.arange(1, len(elements) + 1, dtype=np.int32), elements=np.array(elements, np.int32),
        conditions=(_conditions(parts[ElementConditions], elements, dimension, world.time),),
    )  # fmt: skip


def _conditions(found: ElementConditions, elements: np.ndarray, dimension: int, t: float) -> Conditions:
    displacement, traction = values_at(found, t)
    used, fixed = (elements >= 0)[..., None], found.fixed[..., :dimension]
    displacement, traction = displacement[..., :dimension], traction[..., :dimension]
    loaded = (np.where(fixed, 0.0, traction) != 0).any(axis=(1, 2), keepdims=True)
    return Conditions(
        np.where(fixed & used, displacement, np.nan), np.where(~fixed & used & loaded, traction, np.nan)
    )


def _unsaid(world: World, parts: dict[type, Any]) -> Iterator[tuple[str, str, Any]]:
    """(component, rule, found) of what acts on a body and has no words in the format."""
    settings, conditions = parts[BoundaryElements], parts[ElementConditions]
    if settings.symmetry not in SYMMETRIES:
        yield "BoundaryElements.symmetry", f"be one of {', '.join(map(repr, SYMMETRIES))} in a bem_defo file", repr(
            settings.symmetry)
    if settings.far_stress.any():
        yield "BoundaryElements.far_stress", "be zero in a bem_defo file", settings.far_stress.tolist()
    if settings.free != "refuse":
        yield "BoundaryElements.free", "be 'refuse' in a bem_defo file", repr(settings.free)
    density = parts[Material].mass_density
    if density is not None and any(gravity.acceleration.any() for _, gravity in world.query(Gravity)):
        yield "Material.mass_density", "be left out in a bem_defo file, which has no weight", density
    if CentrifugalLoad in parts:
        yield "CentrifugalLoad", "be left out in a bem_defo file", "one"
    if PointLoads in parts and parts[PointLoads].load is not None and parts[PointLoads].load.any():
        yield "BoundaryConditions", "have no loads at points in a bem_defo file (give tractions)", "some"
    if conditions.foundation.any():
        yield "BoundaryConditions", "have no foundation in a bem_defo file", "one"
    if (conditions.frames != np.eye(3)).any():
        yield "BoundaryConditions", "hold along x, y and z only in a bem_defo file", "a roller along other axes"


def _refuse(name: str, component: str, rule: str, found: Any) -> NoReturn:
    raise ProblemFileError(f"{name}: {component} must {rule}, got {found}")
