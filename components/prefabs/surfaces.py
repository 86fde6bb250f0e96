"""Closed surfaces of solids for boundary elements: boxes and ellipsoids of linear or quadratic elements."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from components.arguments import argument
from components.geometry import Geometry
from framework.errors import FieldError
from framework.fields import positive

KINDS = ("triangle3", "triangle6", "quad4", "quad8")
# Of each side of a cube [0, 1]^3: its name, a corner, and two edges whose cross product points out.
SIDES = (
    ("left", (0, 0, 0), (0, 0, 1), (0, 1, 0)), ("right", (1, 0, 0), (0, 1, 0), (0, 0, 1)),
    ("bottom", (0, 0, 0), (1, 0, 0), (0, 0, 1)), ("top", (0, 1, 0), (0, 0, 1), (1, 0, 0)),
    ("back", (0, 0, 0), (0, 1, 0), (1, 0, 0)), ("front", (0, 0, 1), (1, 0, 0), (0, 1, 0)),
)
Place = Callable[[np.ndarray], np.ndarray]


def box_surface(
    size: Any = (1.0, 1.0, 1.0), elements: Any = (2, 2, 2), kind: str = "triangle6", centre: Any = (0.0, 0.0, 0.0)
) -> Geometry:
    """The surface of a box of size (3,) [m] around centre (3,) [m], with elements (3,) along its edges.

    kind: triangle3, triangle6, quad4 or quad8; triangles come two a rectangle.
    Groups: left, right (-x, +x), bottom, top (-y, +y), back, front (-z, +z).
    """
    extent = argument(size, "box_surface: size", unit="m", shape=(3,), rule=positive)
    middle = argument(centre, "box_surface: centre", unit="m", shape=(3,))
    return _surface("box_surface", elements, kind, lambda unit: (unit - 0.5) * extent + middle)


def ellipsoid_surface(
    radii: Any = 1.0, elements: int = 3, kind: str = "triangle6", centre: Any = (0.0, 0.0, 0.0), inward: bool = False
) -> Geometry:
    """The surface of an ellipsoid with radii [m], one or (3,), around centre (3,) [m]; all points lie on it.

    elements: along each of the twelve edges of a cube that is blown up to it. inward: it is the boundary of what is
    outside, such as a cavity. Groups as of box_surface, after the sides of the cube.
    """
    axes = argument(np.broadcast_to(radii, 3) if np.ndim(radii) == 0 else radii, "ellipsoid_surface: radii", unit="m",
                    shape=(3,), rule=positive)
    middle = argument(centre, "ellipsoid_surface: centre", unit="m", shape=(3,))

    def place(unit: np.ndarray) -> np.ndarray:
        angles = np.tan(0.25 * np.pi * (2 * unit - 1))  # even angles on each side
        return angles / np.linalg.norm(angles, axis=-1, keepdims=True) * axes + middle

    count = int(argument(elements, "ellipsoid_surface: elements", dtype="int", rule=positive))
    return _surface("ellipsoid_surface", (count, count, count), kind, place, inward)


def _surface(what: str, elements: Any, kind: str, place: Place, inward: bool = False) -> Geometry:
    count = argument(elements, f"{what}: elements", shape=(3,), dtype="int32", rule=positive)
    if kind not in KINDS:
        raise FieldError(f"{what}: kind must be one of {', '.join(KINDS)}, got {kind!r}")
    order = 2 if kind in ("triangle6", "quad8") else 1
    cube, rows, names, total = [], [], [], 0
    for name, corner, first, second in SIDES:
        a, b = np.array(first), np.array(second)
        shape = [int(np.abs(edge) @ count) * order + 1 for edge in (a, b)]
        u, v = np.meshgrid(*(np.linspace(0, 1, n) for n in shape), indexing="ij")
        cube.append((np.array(corner) + u[..., None] * a + v[..., None] * b).reshape(-1, 3))
        number = np.arange(shape[0] * shape[1]).reshape(shape) + total
        rows.append(_cells(number, kind, order))
        names.append((name, number.ravel()))
        total += number.size
    places = np.concatenate(cube)
    whole = np.round(places * (4 * order * count)).astype(np.int64)  # exact: edges are shared
    _, one, same = np.unique(whole, axis=0, return_index=True, return_inverse=True)
    same = same.reshape(-1)
    faces = np.concatenate(rows)
    used = faces >= 0
    faces[used] = same[faces[used]]
    in_use = np.unique(faces[used])  # the middles of quad8 are no points
    renumber = np.full(len(one), -1, np.int64)
    renumber[in_use] = np.arange(len(in_use))
    faces[used] = renumber[faces[used]]
    if inward:
        faces = reversed_faces(faces)
    groups = {name: np.unique(renumber[same[numbers]]) for name, numbers in names}
    groups = {name: group[group >= 0] for name, group in groups.items()}
    faces = faces.astype(np.int32)
    return Geometry(points=place(places[one[in_use]]), faces=faces, triangles=face_triangles(faces), groups=groups)


def _cells(number: np.ndarray, kind: str, order: int) -> np.ndarray:
    """(f, 8) elements of a table of point numbers, first direction cross second in front."""
    i, j = (item.ravel() for item in np.meshgrid(
        np.arange(0, number.shape[0] - 1, order), np.arange(0, number.shape[1] - 1, order), indexing="ij"
    ))

    def at(di: float, dj: float) -> np.ndarray:
        return number[i + int(di * order), j + int(dj * order)]

    corners = [at(0, 0), at(1, 0), at(1, 1), at(0, 1)]
    if kind.startswith("quad"):
        middles = [at(0.5, 0), at(1, 0.5), at(0.5, 1), at(0, 0.5)] if order == 2 else []
        return _padded(corners + middles)
    lower, upper = [corners[0], corners[1], corners[2]], [corners[0], corners[2], corners[3]]
    if order == 2:
        lower += [at(0.5, 0), at(1, 0.5), at(0.5, 0.5)]
        upper += [at(0.5, 0.5), at(0.5, 1), at(0, 0.5)]
    both = np.stack([_padded(lower), _padded(upper)], axis=1)
    return both.reshape(-1, 8)


def _padded(columns: list[np.ndarray]) -> np.ndarray:
    found = np.full((len(columns[0]), 8), -1, np.int64)
    found[:, : len(columns)] = np.stack(columns, axis=1)
    return found


def reversed_faces(faces: np.ndarray) -> np.ndarray:
    """The same elements (f, 8), seen from the other side."""
    found = faces.copy()
    count = (faces >= 0).sum(axis=1)
    for k, order in ((3, [0, 2, 1]), (4, [0, 3, 2, 1]), (6, [0, 2, 1, 5, 4, 3]), (8, [0, 3, 2, 1, 7, 6, 5, 4])):
        rows = count == k
        found[rows, :k] = faces[rows][:, order]
    return found


def face_triangles(faces: np.ndarray) -> np.ndarray:
    """(t, 3) int32 flat triangles that show elements (f, 8): quadratic ones are cut at the middles of their sides."""
    count = (faces >= 0).sum(axis=1)
    cuts = {
        3: [(0, 1, 2)], 4: [(0, 1, 2), (0, 2, 3)], 6: [(0, 3, 5), (3, 1, 4), (5, 4, 2), (3, 4, 5)],
        8: [(0, 4, 7), (4, 1, 5), (5, 2, 6), (6, 3, 7), (4, 5, 7), (5, 6, 7)],
    }  # fmt: skip
    found = [faces[count == k][:, list(cut)] for k, own in cuts.items() for cut in own]
    return np.ascontiguousarray(np.concatenate(found), np.int32)
