"""Geometry: the rest shape of a body, as its author gave it, with named groups of particles."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from framework.component import component
from framework.fields import field, positive

RESERVED = ("mean", "min", "max", "sum", "norm", "x", "y", "z")


@component
class Geometry:
    """The shape at rest, in the body's own frame: a Transform places it in the world."""

    missing_hint = "a prefab such as grid, box, sphere_shell or rope makes one"

    points: np.ndarray = field(unit="m", shape=("n", 3), principal=True, doc="points at rest; 2D bodies have z = 0")
    edges: np.ndarray = field(
        shape=("e", 2), dtype="int32", optional=True, default=None, index_of="n", doc="the two points of each edge"
    )
    triangles: np.ndarray = field(
        shape=("t", 3), dtype="int32", optional=True, default=None, index_of="n",
        doc="the corners of each triangle, anticlockwise seen from outside or from the front",
    )
    tetrahedra: np.ndarray = field(
        shape=("k", 4), dtype="int32", optional=True, default=None, index_of="n",
        doc="the corners of each tetrahedron: seen from the last one, the first three run anticlockwise",
    )
    wedges: np.ndarray = field(
        shape=("w", 6), dtype="int32", optional=True, default=None, index_of="n",
        doc="the corners of each wedge: three seen anticlockwise from outside, and the three below them",
    )
    segments: np.ndarray = field(
        shape=("b", "p"), dtype="int32", optional=True, default=None, index_of="n",
        doc="boundary elements of a body in the plane z = 0: first, (middle,) last point, the material on the left",
    )
    faces: np.ndarray = field(
        shape=("f", 8), dtype="int32", optional=True, default=None,
        doc="boundary elements of a solid: 3 or 4 corners, anticlockwise seen from outside, then the middles of the "
        "sides from corner 1 to 2 on, if it is quadratic; then -1",
    )
    uv: np.ndarray = field(
        shape=("t", 3, 2), optional=True, default=None, doc="texture coordinates of each triangle's corners"
    )
    grid: np.ndarray = field(
        shape=("g",), dtype="int32", optional=True, default=None, rule=positive,
        doc="points along each direction of a structured grid (2 numbers) or lattice (3), in C order",
    )
    groups: dict[str, Any] = field(
        dtype="object", type=dict, optional=True, default=None, doc="named groups of points: name -> int32 indices"
    )

    def __post_init__(self) -> None:
        """Take own copies of the groups, as int32 arrays; what is no list of whole numbers waits for `problems`."""
        groups = {} if self.groups is None else self.groups
        if isinstance(groups, dict):
            self.groups = {name: _indices(value) for name, value in groups.items()}

    def problems(self) -> Iterator[tuple[str, str, Any]]:
        n = len(self.points)
        if n == 0:
            yield "points", "hold at least one point", "none"
        for name, group in self.groups.items():
            yield from _group_problems(name, group, n)
        if self.triangles is not None:
            a, b, c = self.triangles.T
            for t in np.flatnonzero((a == b) | (b == c) | (c == a))[:1]:
                yield "triangles", "have three different corners each", f"{self.triangles[t].tolist()} at [{t}]"
        yield from _boundary_problems(self, n)
        for name, cells, count in (("tetrahedra", self.tetrahedra, "four"), ("wedges", self.wedges, "six")):
            if cells is not None:
                for k in np.flatnonzero((np.diff(np.sort(cells, axis=1), axis=1) == 0).any(axis=1))[:1]:
                    yield name, f"have {count} different corners each", f"{cells[k].tolist()} at [{k}]"
        if self.uv is not None and self.triangles is None:
            yield "uv", "come together with triangles", f"{len(self.uv)} rows and no triangles"
        if self.edges is not None:
            for e in np.flatnonzero(self.edges[:, 0] == self.edges[:, 1])[:1]:
                yield "edges", "join two different points each", f"{self.edges[e].tolist()} at [{e}]"
        if self.grid is not None:
            shape = self.grid.tolist()
            if len(shape) not in (2, 3):
                yield "grid", "have 2 or 3 entries", shape
            elif np.prod(self.grid.astype(np.int64)) != n:
                yield "grid", f"multiply to the number of points, {n}", shape


def _boundary_problems(geometry: Geometry, n: int) -> Iterator[tuple[str, str, Any]]:
    if geometry.segments is not None and geometry.segments.shape[1] not in (2, 3):
        yield "segments", "have 2 or 3 points each", geometry.segments.shape[1]
    if geometry.segments is not None and geometry.faces is not None:
        yield "faces", "be left out where segments are given", "both"
    for name, elements in (("segments", geometry.segments), ("faces", geometry.faces)):
        if elements is None:
            continue
        if len(elements) == 0:
            yield name, "hold at least one element", "none"
        for e in np.flatnonzero(((elements < -1) | (elements >= n)).any(axis=1))[:1]:
            yield name, f"hold indices from 0 to {n - 1}", f"{elements[e].tolist()} at [{e}]"
        used = elements >= 0
        if name == "faces":
            whole = np.isin(used.sum(axis=1), (3, 4, 6, 8)) & (np.diff(used.astype(int), axis=1) <= 0).all(axis=1)
            for e in np.flatnonzero(~whole)[:1]:
                yield name, "have 3, 4, 6 or 8 points each, then -1", f"{elements[e].tolist()} at [{e}]"
        ordered = np.sort(np.where(used, elements, -1 - np.arange(elements.shape[1])), axis=1)
        for e in np.flatnonzero((np.diff(ordered, axis=1) == 0).any(axis=1))[:1]:
            yield name, "have different points each", f"{elements[e].tolist()} at [{e}]"


def _indices(value: Any) -> Any:
    try:
        array = np.atleast_1d(np.asarray(value))
    except ValueError:
        return value
    if array.size == 0:
        return np.zeros(0, np.int32)
    return np.array(array, np.int32, order="C") if array.dtype.kind in "iu" and np.max(np.abs(array)) < 2**31 else value


def _group_problems(name: Any, group: Any, n: int) -> Iterator[tuple[str, str, Any]]:
    if not isinstance(name, str) or not name or any(mark in name for mark in "[]. "):
        yield "groups", "have names that are texts without spaces, dots and brackets", repr(name)
    elif not name.strip("0123456789-,:"):
        yield "groups", "have names that no path reads as indices", repr(name)
    elif name in RESERVED:
        yield "groups", f"not use the names {', '.join(RESERVED)}, which paths use for reductions and axes", repr(name)
    elif not isinstance(group, np.ndarray) or group.dtype != np.int32 or group.ndim != 1:
        yield f"groups[{name!r}]", "be a list of point indices", type(group).__name__
    elif group.size and (group.min() < 0 or group.max() >= n):
        bad = group[(group < 0) | (group >= n)][0]
        yield f"groups[{name!r}]", f"hold indices from 0 to {n - 1}", bad
