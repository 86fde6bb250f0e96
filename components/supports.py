"""Supports and PointLoads: what conditions come to at the particles of a body, and prescribed motion in time."""
from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np

from components.conditions import LOCAL, ON_SURFACES, BoundaryConditions, Displacement, Fixed, PointLoad
from components.geometry import Geometry
from components.motion import Position
from components.transform import Pose, placed_points
from framework.component import component
from framework.errors import FieldError, suggest
from framework.fields import field


@dataclasses.dataclass(frozen=True, eq=False)
class Driven:
    """Particles in prescribed motion: `kind` says whether `values` (q, 3) are displacements [m] or velocities [m/s]."""

    nodes: np.ndarray
    axes: np.ndarray
    kind: str
    times: np.ndarray
    values: np.ndarray
    start: np.ndarray


def driven_state(driven: Driven, t: float) -> tuple[np.ndarray, np.ndarray]:
    """Positions (k, 3) [m] and velocities (k, 3) [m/s] at time t [s]; only the columns of `driven.axes` are prescribed.

    A displacement's velocity is the exact slope, at a kink that of the piece that begins; a velocity's displacement is
    its exact integral from the first time on.
    """
    times, values = driven.times, driven.values
    piece = int(np.searchsorted(times, t, side="right")) - 1
    zero = np.zeros(3)
    if driven.kind == "displacement":
        if piece < 0 or piece == len(times) - 1:
            moved, velocity = values[max(piece, 0)], zero
        else:
            velocity = (values[piece + 1] - values[piece]) / (times[piece + 1] - times[piece])
            moved = values[piece] + (t - times[piece]) * velocity
    elif piece < 0:
        moved, velocity = zero, zero
    else:
        mean = 0.5 * (values[1 : piece + 1] + values[:piece])
        moved = np.diff(times[: piece + 1]) @ mean if piece else zero
        since, velocity = t - times[piece], values[piece]
        if piece < len(times) - 1:
            slope = (values[piece + 1] - values[piece]) / (times[piece + 1] - times[piece])
            velocity = velocity + since * slope
        moved = moved + since * 0.5 * (values[piece] + velocity)
    return driven.start + moved, np.broadcast_to(velocity, driven.start.shape).copy()


def selected(where: Any, parts: Any) -> np.ndarray:
    """The particles (k,) int32, sorted and each once, that a condition's `where` means on an entity."""
    entity, n = f"{parts.entity}: BoundaryConditions", len(parts[Position].x)
    if isinstance(where, str):
        geometry = parts.get(Geometry)
        groups = {} if geometry is None else geometry.groups
        if where not in groups:
            raise FieldError(f"{entity}.where must name a group of the geometry, got {where!r}{suggest(where, groups)}")
        nodes = groups[where]
    elif callable(where):
        # on the shape at rest, so that deriving anew in mid-motion selects the same particles
        points = placed_points(parts) if Geometry in parts else parts[Position].x.copy()
        try:
            found = where(points)
        except Exception as error:
            error.add_note(f"in a condition's `where` for {parts.entity}: it is called with the points, (n, 3)")
            raise
        try:
            mask = np.asarray(found)
        except ValueError:
            mask = np.empty(0, object)
        if mask.dtype != bool or mask.shape != (n,):
            raise FieldError(
                f"{entity}.where must map the points to {n} values of True and False, "
                f"got {mask.dtype} of shape {mask.shape}"
            )
        nodes = np.flatnonzero(mask)
    else:
        nodes = where
        for bad in nodes[(nodes < 0) | (nodes >= n)][:1]:
            raise FieldError(f"{entity}.where must hold indices from 0 to {n - 1}, got {bad}")
    if len(nodes) == 0:
        named = repr(where) if isinstance(where, str) else "none"
        raise FieldError(f"{entity}.where must select at least one particle, got {named}, which selects none")
    return np.unique(nodes).astype(np.int32)


def derive_supports(parts: Any) -> Supports:
    from components.boundary_elements import BoundaryElements
    from components.element_conditions import ElementConditions, derive_element_conditions, held_points

    points, former = parts[Position].x, parts.get(Supports)
    if BoundaryElements in parts:
        surface = parts.get(ElementConditions) or derive_element_conditions(parts)
        return Supports(fixed=held_points(parts, surface), driven=())
    held = np.zeros(points.shape, bool)
    driven_axes = np.zeros(points.shape, bool)
    driven = []
    for condition in parts[BoundaryConditions].conditions:
        if isinstance(condition, PointLoad):
            continue
        if isinstance(condition, ON_SURFACES) or set(condition.axes) & set(LOCAL):
            along = "" if isinstance(condition, ON_SURFACES) else f" along {condition.axes!r}"
            raise FieldError(
                f"{parts.entity}: BoundaryConditions.conditions must act on particles, got {type(condition).__name__}"
                f"{along}, which acts on a surface of boundary elements (add BoundaryElements to the body)"
            )
        nodes, axes = selected(condition.where, parts), np.array([axis in condition.axes for axis in "xyz"])
        moves = not isinstance(condition, Fixed)
        clash = (held if moves else driven_axes)[nodes] & axes
        for row, axis in np.argwhere(clash)[:1]:
            raise FieldError(
                f"{parts.entity}: BoundaryConditions.conditions must prescribe a particle's motion along an axis once, "
                f"got two for particle {nodes[row]} along {'xyz'[axis]}"
            )
        held[np.ix_(nodes, axes)] = True
        if moves:
            driven_axes[np.ix_(nodes, axes)] = True
            kind = "displacement" if isinstance(condition, Displacement) else "velocity"
            start = _start(former, kind, nodes, condition, points)
            driven.append(Driven(nodes, axes, kind, condition.times, condition.values, start))
    return Supports(fixed=held, driven=tuple(driven))


def _start(former: Any, kind: str, nodes: np.ndarray, condition: Any, points: np.ndarray) -> np.ndarray:
    """Where the motion starts: now, or, when the same motion is already going on, where that one did."""
    for old in () if former is None or former.driven is None else former.driven:
        same = zip((old.nodes, old.times, old.values), (nodes, condition.times, condition.values), strict=True)
        if old.kind == kind and all(np.array_equal(a, b) for a, b in same):
            return old.start
    return points[nodes].copy()


def _sources() -> tuple[type, ...]:
    from components.element_conditions import ElementConditions

    return Geometry, Pose, BoundaryConditions, Position, ElementConditions


@component(derive=derive_supports, derived="parameter", sources=_sources)
class Supports:
    """Which particles the solver does not move, axis by axis, and the motions that are prescribed."""

    fixed: np.ndarray = field(
        shape=("n", 3), dtype="bool", principal=True, optional=True, default=None,
        doc="axes along which a particle is held or driven",
    )
    driven: tuple[Driven, ...] = field(
        dtype="object", type=tuple, optional=True, default=None, doc="prescribed motions; their axes count as fixed too"
    )

    def problems(self) -> Iterator[tuple[str, str, Any]]:
        for motion in self.driven or ():
            if not isinstance(motion, Driven):
                yield "driven", "hold Driven motions", repr(motion)


def derive_point_loads(parts: Any) -> PointLoads | None:
    loads = [item for item in parts[BoundaryConditions].conditions if isinstance(item, PointLoad)]
    if not loads and PointLoads not in parts:
        return None
    total = np.zeros_like(parts[Position].x)
    for item in loads:
        total[selected(item.where, parts)] += item.force
    return PointLoads(load=total)


@component(derive=derive_point_loads, derived="parameter", sources=(Geometry, Pose, BoundaryConditions, Position))
class PointLoads:
    """Constant forces on particles. Only bodies with loads have it."""

    load: np.ndarray = field(unit="N", shape=("n", 3), principal=True, optional=True, default=None, doc="forces")
