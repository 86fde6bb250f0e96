"""A solid box as a lattice."""
from __future__ import annotations

from typing import Any

import numpy as np

from components.arguments import argument
from components.geometry import Geometry
from components.prefabs.grid import cell_triangles
from framework.errors import FieldError
from framework.fields import positive


def box(size: Any = (1.0, 1.0, 1.0), cells: Any = (4, 4, 4), centre: Any = (0.0, 0.0, 0.0)) -> Geometry:
    """A box of size (3,) [m], filled with a lattice of cells (3,), around centre (3,) [m].

    Points are in C order: z runs fastest. The triangles are the surface's, seen anticlockwise from outside.
    Groups: left and right (x), bottom and top (y), back and front (z), and the eight corners.
    """
    extent = argument(size, "box: size", shape=(3,), rule=positive, spread=True)
    count = argument(cells, "box: cells", shape=(3,), dtype="int32", rule=positive)
    middle = argument(centre, "box: centre", shape=(3,))
    shape = tuple(int(c) + 1 for c in count)
    if np.prod(np.array(shape, float)) >= 2**31:
        raise FieldError(f"box: cells must give fewer than 2^31 points, got {count.tolist()}")
    lines = [np.linspace(-0.5 * s, 0.5 * s, k) for s, k in zip(extent, shape, strict=True)]
    points = np.stack(np.meshgrid(*lines, indexing="ij"), axis=-1).reshape(-1, 3)
    number = np.arange(len(points), dtype=np.int32).reshape(shape)
    low_high = (("left", "right"), ("bottom", "top"), ("back", "front"))
    groups, triangles = {}, []
    for axis, names in enumerate(low_high):
        for end, name in zip((0, -1), names, strict=True):
            face = np.moveaxis(number, axis, 0)[end]
            groups[name] = face.ravel()
            flat = cell_triangles(face)
            # the face's own front looks along +x, -y (x cross z) and +z
            triangles.append(flat if (axis == 1) == (end == 0) else flat[:, [0, 2, 1]])
    groups["corners"] = np.unique(number[np.ix_(*((0, -1),) * 3)])
    return Geometry(
        points=points + middle, triangles=np.concatenate(triangles), grid=np.array(shape, np.int32), groups=groups
    )
