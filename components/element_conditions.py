"""ElementConditions: what conditions come to at each point of each boundary element."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from components.boundary_mesh import boundary_elements, point_normals
from components.conditions import BoundaryConditions, Displacement, ElementValues, PointLoad, Traction
from components.element_builder import ElementBuilder
from components.element_terms import ElementTerm, values_at
from components.geometry import Geometry
from components.motion import Position
from components.supports import selected
from components.transform import Pose, placed_points
from framework.component import component
from framework.errors import FieldError
from framework.fields import field


def holding(condition: Any) -> bool:
    """Whether a condition can hold or drive a body, so that it has a reaction."""
    if isinstance(condition, ElementValues):
        return not np.isnan(condition.displacement).all()
    return not isinstance(condition, (PointLoad, Traction))


def held_points(parts: Any, found: ElementConditions) -> np.ndarray:
    """(n, 3) axes along which points of a boundary-element body are held; local ones only if they are x, y or z."""
    _, elements = boundary_elements(parts[Geometry], parts.entity)
    held = np.zeros((len(parts[Position].x), 3), bool)
    used = elements >= 0
    np.logical_or.at(held, elements[used], found.fixed[used])
    turned = (found.frames != np.eye(3)).any(axis=(1, 2))
    held[turned] &= held[turned].all(axis=1, keepdims=True)
    return held


def derive_element_conditions(parts: Any) -> ElementConditions:
    geometry, n = parts[Geometry], len(parts[Position].x)
    dimension, elements = boundary_elements(geometry, parts.entity)
    points = placed_points(parts)
    conditions = parts[BoundaryConditions].conditions if BoundaryConditions in parts else ()
    builder = ElementBuilder(parts.entity, dimension, elements, point_normals(dimension, elements, points), n)
    where = [_elements_of(condition, parts, elements) for condition in conditions]
    for number, (condition, rows) in enumerate(zip(conditions, where, strict=True)):
        if isinstance(condition, Displacement) and not set(condition.axes) <= set("xyz"):
            builder.turn(number, rows)
    for number, (condition, rows) in enumerate(zip(conditions, where, strict=True)):
        builder.add(number, condition, rows)
    found = ElementConditions(
        fixed=builder.fixed, foundation=builder.foundation, frames=builder.frames, terms=tuple(builder.terms),
        owner=builder.owner,
    )  # fmt: skip
    _check_agreement(parts.entity, elements, found)
    return found


def _elements_of(condition: Any, parts: Any, elements: np.ndarray) -> np.ndarray:
    """(e,) numbers of the elements all of whose points a condition selects."""
    if isinstance(condition, ElementValues):
        if condition.displacement.shape[:2] != elements.shape:
            raise FieldError(
                f"{parts.entity}: ElementValues must have one row for each boundary element and one value for each of "
                f"its points, {elements.shape}, got {condition.displacement.shape[:2]}"
            )
        return np.arange(len(elements))
    if isinstance(condition, PointLoad):
        return np.zeros(0, int)
    chosen = np.zeros(len(parts[Position].x) + 1, bool)
    chosen[selected(condition.where, parts)] = True
    chosen[-1] = True  # unused places
    rows = np.flatnonzero(chosen[elements].all(axis=1))
    if len(rows) == 0:
        raise FieldError(
            f"{parts.entity}: {type(condition).__name__}.where must select all points of at least one boundary "
            f"element, got {int(chosen[:-1].sum())} points and no whole element (a continuum is held and loaded over "
            f"an area; a force at a point is BoundaryConditions.load)"
        )
    return rows


def _check_agreement(entity: str, elements: np.ndarray, found: ElementConditions) -> None:
    """Elements that share a point must prescribe the same displacement there."""
    times = {float(t) for term in found.terms if term.kind != "traction" for t in term.times}
    used = elements >= 0
    for t in sorted(times):
        u, _ = values_at(found, t)
        low, high = np.full((len(found.frames), 3), np.inf), np.full((len(found.frames), 3), -np.inf)
        fixed = found.fixed[used]
        np.minimum.at(low, elements[used], np.where(fixed, u[used], np.inf))
        np.maximum.at(high, elements[used], np.where(fixed, u[used], -np.inf))
        off = (high - low > 1e-9 * (np.abs(high) + np.abs(low))) & np.isfinite(low)
        for i, axis in np.argwhere(off)[:1]:
            raise FieldError(
                f"{entity}: BoundaryConditions.conditions must prescribe one displacement at each point, got "
                f"{low[i, axis]:.6g} m and {high[i, axis]:.6g} m along {'xyz'[axis]} at point {i}"
            )


@component(
    derive=derive_element_conditions, derived="parameter", sources=(Geometry, Pose, BoundaryConditions, Position)
)
class ElementConditions:
    """What is prescribed at each point of each boundary element, along the axes (columns) of its point's frame."""

    fixed: np.ndarray = field(
        shape=("q", "k", 3), dtype="bool", principal=True, optional=True, default=None,
        doc="axes along which the displacement is prescribed; the traction is along the others",
    )
    foundation: np.ndarray = field(
        unit="Pa/m", shape=("q", "k", 3), optional=True, default=None, doc="springs to the ground"
    )
    frames: np.ndarray = field(
        shape=("n", 3, 3), optional=True, default=None, doc="axes of each point: columns are unit vectors"
    )
    terms: tuple[ElementTerm, ...] = field(
        dtype="object", type=tuple, optional=True, default=None, doc="prescribed values and loads in time"
    )
    owner: np.ndarray = field(
        shape=("q", "k", 3), dtype="int32", optional=True, default=None,
        doc="number of the condition that holds each axis, or -1",
    )

    def problems(self) -> Iterator[tuple[str, str, Any]]:
        for term in self.terms or ():
            if not isinstance(term, ElementTerm):
                yield "terms", "hold ElementTerms", repr(term)
