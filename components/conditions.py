"""BoundaryConditions: what holds, drives or loads a body."""
from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np

from components.arguments import argument
from framework.component import component
from framework.errors import FieldError
from framework.fields import field

GLOBAL, LOCAL = "xyz", "nst"


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


def _check_axes(condition: Any, local: bool = False) -> None:
    axes = condition.axes
    sets = (GLOBAL, LOCAL) if local else (GLOBAL,)
    known = isinstance(axes, str) and axes and len(set(axes)) == len(axes)
    if not (known and any(set(axes) <= set(letters) for letters in sets)):
        rule = " or ".join(f"{letters!r}" for letters in sets)
        raise FieldError(f"{type(condition).__name__}.axes must be letters of {rule}, each once, got {axes!r}")


def _check_table(condition: Any, unit: str = "1") -> None:
    name = type(condition).__name__
    values = argument(condition.values, f"{name}.values", unit=unit, shape=("q", 3))
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
    """Displacement from the start: piecewise linear between times (q,) [s] and values (q, 3) [m], held outside.

    On a surface of boundary elements `axes` may be letters of "nst": along the outward normal, and along the surface.
    """

    where: Any
    times: np.ndarray
    values: np.ndarray
    axes: str = "xyz"

    def __post_init__(self) -> None:
        _check_where(self)
        _check_axes(self, local=True)
        _check_table(self, "m")


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
        _check_table(self, "m/s")


@dataclasses.dataclass(frozen=True, eq=False)
class PointLoad:
    """The same constant force (3,) [N] on each of the particles."""

    where: Any
    force: np.ndarray

    def __post_init__(self) -> None:
        _check_where(self)
        _own(self, "force", argument(self.force, "PointLoad.force", unit="N", shape=(3,)))


@dataclasses.dataclass(frozen=True, eq=False)
class Traction:
    """Force per area of a surface: piecewise linear between times (q,) [s] and values (q, 3) [Pa], held outside.

    Along x, y, z, or, if `local`, along the outward normal and the surface: (normal, along, across).
    """

    where: Any
    times: np.ndarray
    values: np.ndarray
    local: bool = False

    def __post_init__(self) -> None:
        _check_where(self)
        _check_table(self, "Pa")


@dataclasses.dataclass(frozen=True, eq=False)
class Foundation:
    """Springs to the ground, spread over a surface: stiffness (3,) [Pa/m] along x, y, z or, if `local`, n, s, t."""

    where: Any
    stiffness: np.ndarray
    local: bool = False

    def __post_init__(self) -> None:
        _check_where(self)
        stiffness = argument(self.stiffness, "Foundation.stiffness", unit="Pa/m", shape=(3,))
        if np.any(stiffness < 0) or not np.any(stiffness > 0):
            raise FieldError(
                f"Foundation.stiffness must be zero or positive along each axis, and positive along one, "
                f"got {stiffness.tolist()}"
            )
        _own(self, "stiffness", stiffness)


@dataclasses.dataclass(frozen=True, eq=False)
class ElementValues:
    """Displacement (m, k, 3) [m] and traction (m, k, 3) [Pa] at each point of each boundary element, nan: not given.

    Points of an element are in the order of its row in Geometry.segments or Geometry.faces.
    """

    displacement: np.ndarray
    traction: np.ndarray

    def __post_init__(self) -> None:
        for name in ("displacement", "traction"):
            value = np.array(getattr(self, name), dtype=float)
            if value.ndim != 3 or value.shape[2] != 3:
                raise FieldError(f"ElementValues.{name} must have shape (m, k, 3), got {value.shape}")
            if np.isinf(value).any():
                raise FieldError(f"ElementValues.{name} must be finite, or nan where nothing is given, got inf")
            _own(self, name, value)
        if self.displacement.shape != self.traction.shape:
            raise FieldError(
                f"ElementValues.traction must have the shape of displacement, got {self.traction.shape} "
                f"and {self.displacement.shape}"
            )


CONDITIONS = (Fixed, Displacement, VelocityHistory, PointLoad, Traction, Foundation, ElementValues)
ON_SURFACES = (Traction, Foundation, ElementValues)


def _required() -> tuple[type, ...]:
    from components.motion import Position
    from components.supports import PointLoads, Supports

    return Position, Supports, PointLoads


@component(requires=_required)
class BoundaryConditions:
    """Conditions on a body: `BoundaryConditions.fixed("left") + BoundaryConditions.load("right", (0, -1, 0))`.

    `where` is the name of a group of the geometry, a list of indices, or a function that maps the points (n, 3) of the
    geometry, placed in the world, to (n,) True and False. On a surface of boundary elements it means the elements all
    of whose points are selected. `axes` are the axes a condition acts on. Times are those of the world; displacements
    count from where the particles are when the condition is given. Where a side is both held and loaded along an axis,
    the support takes the load.
    """

    conditions: tuple[Any, ...] = field(dtype="object", type=tuple, default=(), doc="the conditions")

    @classmethod
    def fixed(cls, where: Any, axes: str = "xyz") -> BoundaryConditions:
        """Particles that do not move along the axes."""
        return cls((Fixed(where, axes),))

    @classmethod
    def displacement(cls, where: Any, values: Any, times: Any = None, axes: str = "xyz") -> BoundaryConditions:
        """Displacement [m] from the start: one (3,) value, or a row of (q, 3) values for each of the times [s].

        axes: letters of "xyz"; of "nst" on boundary elements, with values along normal, surface, surface.
        """
        return cls((Displacement(where, *_table("displacement", values, times), axes),))

    @classmethod
    def velocity(cls, where: Any, value: Any, times: Any = None, axes: str = "xyz") -> BoundaryConditions:
        """Velocity [m/s]: one (3,) value from time 0 on, or a row of (q, 3) values for each of the times [s]."""
        return cls((VelocityHistory(where, *_table("velocity", value, times), axes),))

    @classmethod
    def load(cls, where: Any, force: Any) -> BoundaryConditions:
        """A constant force [N] on each particle; a boundary-element body spreads it over the elements of the point."""
        return cls((PointLoad(where, force),))

    @classmethod
    def roller(cls, where: Any) -> BoundaryConditions:
        """A smooth support under boundary elements: no displacement along the normal, free along the surface."""
        return cls((Displacement(where, *_table("roller", (0.0, 0.0, 0.0), None), "n"),))

    @classmethod
    def traction(cls, where: Any, values: Any, times: Any = None, local: bool = False) -> BoundaryConditions:
        """Force per area [Pa] of a surface of boundary elements: one (3,) value, or a row of (q, 3) for each time [s].

        local: values are along (outward normal, along the surface, across).
        """
        return cls((Traction(where, *_table("traction", values, times), local),))

    @classmethod
    def pressure(cls, where: Any, values: Any, times: Any = None) -> BoundaryConditions:
        """Pressure [Pa] on boundary elements, against their outward normal: a number, or one for each time."""
        unit, shape = "BoundaryConditions.pressure: the value", () if times is None else ("q",)
        pressure = np.atleast_1d(argument(values, unit, unit="Pa", shape=shape))
        normal = np.zeros((len(pressure), 3))
        normal[:, 0] = -pressure
        return cls((Traction(where, np.zeros(1) if times is None else times, normal, True),))

    @classmethod
    def foundation(cls, where: Any, stiffness: Any, local: bool = False) -> BoundaryConditions:
        """Springs to the ground under a surface of boundary elements: stiffness (3,) [Pa/m] along x, y, z (n, s, t)."""
        return cls((Foundation(where, stiffness, local),))

    @classmethod
    def at_elements(cls, displacement: Any = None, traction: Any = None) -> BoundaryConditions:
        """Displacement and traction (m, k, 3) at each point of each boundary element; nan where nothing is given."""
        given = [np.asarray(value, float) for value in (displacement, traction) if value is not None]
        if not given:
            raise FieldError("BoundaryConditions.at_elements: displacement or traction must be given, got neither")
        nothing = np.full(given[0].shape, np.nan)
        return cls((ElementValues(nothing if displacement is None else displacement,
                                  nothing if traction is None else traction),))

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
