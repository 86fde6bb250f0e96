"""BoundaryConditions: what holds, drives or loads a body, and the supports and loads that follow at its particles."""
from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np

from components.arguments import argument
from components.geometry import Geometry
from components.motion import Position
from components.transform import Pose, placed_points
from framework.component import component
from framework.errors import FieldError, suggest
from framework.fields import field


def _own(condition: Any, name: str, value: np.ndarray) -> None:
    value.flags.writeable = False
    object.__setattr__(condition, name, value)


def _check_where(condition: Any) -> None:
    where, name = condition.where, type(condition).__name__
    if isinstance(where, str) or (callable(where) and not isinstance(where, type)):
        return
    if isinstance(where, (int, np.integer)):
        where = [where]
    if isinstance(where, (list, tuple, np.ndarray)) and np.iterable(where) and len(where) == 0:
        raise FieldError(f"{name}.where must select at least one particle, got an empty list")
    try:
        nodes = argument(where, f"{name}.where", shape=("k",), dtype="int32")
    except FieldError as error:
        raise FieldError(f"{error} (where is a group's name, indices, or a function of points)") from None
    if nodes.min() < 0:
        raise FieldError(f"{name}.where must hold indices from 0 on, got {nodes.min()}")
    _own(condition, "where", nodes)


def _check_axes(condition: Any) -> None:
    axes = condition.axes
    if not (isinstance(axes, str) and axes and set(axes) <= set("xyz") and len(set(axes)) == len(axes)):
        raise FieldError(f"{type(condition).__name__}.axes must be letters of 'xyz', each once, got {axes!r}")


def _check_table(condition: Any) -> None:
    name = type(condition).__name__
    values = argument(condition.values, f"{name}.values", shape=("q", 3))
    times = argument(condition.times, f"{name}.times", unit="s", shape=("q",))
    if len(times) == 0 or len(times) != len(values):
        raise FieldError(f"{name}.times must give one time for each row of values, got {len(times)} for {len(values)}")
    if np.any(np.diff(times) <= 0):
        raise FieldError(f"{name}.times must increase, got {times.tolist()}")
    _own(condition, "times", times)
    _own(condition, "values", values)


@dataclasses.dataclass(frozen=True, eq=False)
class Fixed:
    """Particles that do not move along the axes."""

    where: Any
    axes: str = "xyz"

    def __post_init__(self) -> None:
        _check_where(self)
        _check_axes(self)


@dataclasses.dataclass(frozen=True, eq=False)
class Displacement:
    """Displacement from the start: piecewise linear between times (q,) [s] and values (q, 3) [m], held outside."""

    where: Any
    times: np.ndarray
    values: np.ndarray
    axes: str = "xyz"

    def __post_init__(self) -> None:
        _check_where(self)
        _check_axes(self)
        _check_table(self)


@dataclasses.dataclass(frozen=True, eq=False)
class VelocityHistory:
    """Velocity piecewise linear between times (q,) [s] and values (q, 3) [m/s]: at rest before, held after."""

    where: Any
    times: np.ndarray
    values: np.ndarray
    axes: str = "xyz"

    def __post_init__(self) -> None:
        _check_where(self)
        _check_axes(self)
        _check_table(self)


@dataclasses.dataclass(frozen=True, eq=False)
class PointLoad:
    """The same constant force (3,) [N] on each of the particles."""

    where: Any
    force: np.ndarray

    def __post_init__(self) -> None:
        _check_where(self)
        _own(self, "force", argument(self.force, "PointLoad.force", unit="N", shape=(3,)))


CONDITIONS = (Fixed, Displacement, VelocityHistory, PointLoad)


@component(requires=lambda: (Position, Supports, PointLoads))
class BoundaryConditions:
    """Conditions at particles: `BoundaryConditions.fixed("left") + BoundaryConditions.load("right", (0, -1, 0))`.

    `where` is the name of a group of the geometry, a list of indices, or a function that maps the points (n, 3) of the
    geometry, placed in the world, to (n,) True and False. `axes` are the axes a condition acts on. Times are those of
    the world; displacements count from where the particles are when the condition is given.
    """

    conditions: tuple[Any, ...] = field(dtype="object", type=tuple, default=(), doc="the conditions")

    @classmethod
    def fixed(cls, where: Any, axes: str = "xyz") -> BoundaryConditions:
        """Particles that do not move along the axes."""
        return cls((Fixed(where, axes),))

    @classmethod
    def displacement(cls, where: Any, values: Any, times: Any = None, axes: str = "xyz") -> BoundaryConditions:
        """Displacement [m] from the start: one (3,) value, or a row of (q, 3) values for each of the times [s]."""
        return cls((Displacement(where, *_table("displacement", values, times), axes),))

    @classmethod
    def velocity(cls, where: Any, value: Any, times: Any = None, axes: str = "xyz") -> BoundaryConditions:
        """Velocity [m/s]: one (3,) value from time 0 on, or a row of (q, 3) values for each of the times [s]."""
        return cls((VelocityHistory(where, *_table("velocity", value, times), axes),))

    @classmethod
    def load(cls, where: Any, force: Any) -> BoundaryConditions:
        """A constant force [N] on each particle."""
        return cls((PointLoad(where, force),))

    def __add__(self, other: BoundaryConditions) -> BoundaryConditions:
        if not isinstance(other, BoundaryConditions):
            return NotImplemented
        return BoundaryConditions(self.conditions + other.conditions)

    def problems(self) -> Iterator[tuple[str, str, Any]]:
        for condition in self.conditions:
            if not isinstance(condition, CONDITIONS):
                names = ", ".join(kind.__name__ for kind in CONDITIONS)
                yield "conditions", f"be of {names}", repr(condition)


def _table(name: str, values: Any, times: Any) -> tuple[Any, Any]:
    if times is not None:
        return times, values
    if isinstance(values, (list, tuple, np.ndarray)) and np.iterable(values) and any(map(np.iterable, values)):
        raise FieldError(f"BoundaryConditions.{name}: times must be given for a table of values, got None")
    return (0.0,), [argument(values, f"BoundaryConditions.{name}: the value", shape=(3,))]


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
    points, former = parts[Position].x, parts.get(Supports)
    held = np.zeros(points.shape, bool)
    driven_axes = np.zeros(points.shape, bool)
    driven = []
    for condition in parts[BoundaryConditions].conditions:
        if isinstance(condition, PointLoad):
            continue
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


@component(derive=derive_supports, derived="parameter", sources=(Geometry, Pose, BoundaryConditions, Position))
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
