"""A second surface inside a closed one, so that the shell between them holds its shape as a solid does."""
from __future__ import annotations

from typing import Any

import numpy as np

from components.arguments import argument
from components.geometry import Geometry
from components.solids import least_cut_volumes
from components.surface_mesh import border_count, pseudonormals, signed_volume
from framework.errors import FieldError
from framework.fields import positive

SHRINK, LEAST = 0.7, 0.01  # the depth where there is no room for it: less and less, down to this share
MOST_FOLDED = 0.01  # share of triangles with no room below them at all, at folds, that go without a wedge


def inner_layer(geometry: Any, depth: float) -> Geometry:
    """The closed surface `geometry` with an inner copy of it `depth` [m] below, joined to it by wedges.

    The springs of wedges: edges of both surfaces and between them (stretch), diagonals of the sides (shear). The inner
    point of outer point i is i + n. Where the body is so thin or bent that a wedge would turn inside out, the inner
    points are less deep, down to a hundredth; at folds of the surface, a few triangles go without. The volume of the
    body, for its mass, is that of the shell: give Material(total_mass=...) for a body that is meant to be full. Groups:
    those of the surface, outer and inner.
    geometry: a Geometry, or what holds one, such as the result of `read_mesh`.
    """
    shape = geometry[0] if isinstance(geometry, tuple) and geometry else geometry
    if not isinstance(shape, Geometry) or shape.triangles is None:
        raise FieldError(f"inner_layer: geometry must be a Geometry with triangles, got {type(shape).__name__}")
    deep = argument(depth, "inner_layer: depth", rule=positive)
    points, triangles = np.asarray(shape.points, float), np.asarray(shape.triangles)
    holes = border_count(points, triangles)
    if holes:
        raise FieldError(f"inner_layer: geometry must be a closed surface with one outside, got {holes} open or "
                         "turned edges")
    if signed_volume(points, triangles) < 0:
        raise FieldError("inner_layer: triangles must run anticlockwise seen from outside, got a surface inside out")
    n = len(points)
    if len(np.unique(triangles)) < n:
        raise FieldError("inner_layer: all points must be corners of triangles, got some of none")
    inward = np.zeros((n, 3))
    inward[triangles] = -pseudonormals(points, triangles)[:, 4:]
    wedges = np.hstack([triangles, triangles + n]).astype(np.int32)
    depths = np.full(n, deep)
    while True:
        both = np.vstack([points, points + depths[:, None] * inward])
        turned = least_cut_volumes(both, wedges) <= 0
        shallower = np.maximum(SHRINK * depths, LEAST * deep)
        bad = np.unique(triangles[turned])
        if np.array_equal(depths[bad], shallower[bad]):
            break
        depths[bad] = shallower[bad]
    wedges = wedges[~turned]
    if turned.sum() > MOST_FOLDED * len(turned) or len(np.unique(wedges)) < 2 * n:
        raise FieldError(f"inner_layer: depth must be smaller, or the surface smoother, got {deep}: there is no "
                         f"room below {turned.sum()} triangles, such as {int(np.argmax(turned))}")
    groups = {**(shape.groups or {}), "outer": np.arange(n), "inner": np.arange(n, 2 * n)}
    return Geometry(points=both, triangles=triangles, wedges=wedges, uv=shape.uv, groups=groups)
