"""A flat rectangular grid."""
from __future__ import annotations

from typing import Any

import numpy as np

from components.arguments import argument
from components.geometry import Geometry
from framework.errors import FieldError
from framework.fields import positive

PLANES = {"xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}


def grid(
    size: Any = (1.0, 1.0), cells: Any = (10, 10), plane: str = "xy", centre: Any = (0.0, 0.0, 0.0), *,
    alternate: bool = False,
) -> Geometry:
    """A rectangle of size (2,) [m] in a plane, cut into cells (2,), around centre (3,) [m].

    Points are in C order: the second direction of the plane runs fastest. Each cell is two triangles, whose diagonals
    all point the same way or, if `alternate`, change direction like the fields of a chessboard. The front looks along
    +z for xy, +y for xz and +x for yz.
    Groups: left and right (first direction), bottom and top (second direction), corners, corner_bottom_left and so on.
    """
    if not isinstance(plane, str) or plane not in PLANES:
        raise FieldError(f"grid: plane must be one of {', '.join(PLANES)}, got {plane!r}")
    extent = argument(size, "grid: size", shape=(2,), rule=positive)
    count = argument(cells, "grid: cells", shape=(2,), dtype="int32", rule=positive)
    middle = argument(centre, "grid: centre", shape=(3,))
    alternate = argument(alternate, "grid: alternate", dtype="bool")
    shape = (int(count[0]) + 1, int(count[1]) + 1)
    if shape[0] * shape[1] >= 2**31:
        raise FieldError(f"grid: cells must give fewer than 2^31 points, got {count.tolist()}")
    across, along = (np.linspace(-0.5 * s, 0.5 * s, k) for s, k in zip(extent, shape, strict=True))
    points = np.zeros((*shape, 3))
    first, second = PLANES[plane]
    points[..., first], points[..., second] = across[:, None], along[None, :]
    number = np.arange(shape[0] * shape[1], dtype=np.int32).reshape(shape)
    triangles = cell_triangles(number, alternate)
    if plane == "xz":  # x cross z is -y
        triangles = triangles[:, [0, 2, 1]]
    groups = {"left": number[0], "right": number[-1], "bottom": number[:, 0], "top": number[:, -1]}
    corners = {
        "corner_bottom_left": number[0, 0], "corner_bottom_right": number[-1, 0],
        "corner_top_left": number[0, -1], "corner_top_right": number[-1, -1],
    }
    groups |= {"corners": np.sort(list(corners.values()))} | corners
    return Geometry(
        points=points.reshape(-1, 3) + middle, triangles=triangles, grid=np.array(shape, np.int32), groups=groups
    )


def cell_triangles(number: np.ndarray, alternate: bool = False) -> np.ndarray:
    """Triangles (t, 3) int32 of the cells of a 2D table of point numbers, cell by cell, first cross second in front."""
    a, b, c, d = number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]
    straight = np.stack([a, b, c, a, c, d], axis=-1)
    if alternate:
        odd = np.indices(a.shape).sum(axis=0) % 2 == 1
        straight[odd] = np.stack([a, b, d, b, c, d], axis=-1)[odd]
    return straight.reshape(-1, 3)
