"""EnclosedVolume: what a closed surface holds inside, and how hard that is to compress."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from components.geometry import Geometry
from components.motion import Mass
from components.surface_mesh import border_count, signed_volume
from components.transform import Pose, placed_points
from framework.component import component
from framework.errors import FieldError
from framework.fields import field, non_negative, positive


def derive_enclosed_volume(parts: Any) -> EnclosedVolume:
    """The volume at rest; the stiffness is always given, and stands here only because a component needs it."""
    triangles = parts[Geometry].triangles
    if triangles is None:
        raise FieldError(f"{parts.entity}: EnclosedVolume needs a Geometry with triangles, got none")
    volume = signed_volume(placed_points(parts), triangles)
    if not volume > 0:
        raise FieldError(f"{parts.entity}: EnclosedVolume needs triangles that are seen anticlockwise from outside, "
                         f"got a volume of {volume:.6g} m3")
    return EnclosedVolume(compression_modulus=0.0, rest_volume=volume)


@component(requires=(Geometry, Mass), derive=derive_enclosed_volume, derived="parameter", sources=(Geometry, Pose))
class EnclosedVolume:
    """A filling that resists a change of the volume V inside a closed surface: pressure p = K (1 - V / V0).

    V0 = rest_volume: set a larger one to inflate the body.
    """

    compression_modulus: float = field(
        unit="Pa", rule=non_negative, principal=True, doc="bulk modulus K of the filling"
    )
    rest_volume: float = field(
        unit="m3", rule=positive, optional=True, default=None, doc="volume V0 at which there is no pressure"
    )

    def misfits(self, parts: dict[type, Any]) -> Iterator[tuple[str, str, Any]]:
        triangles = parts[Geometry].triangles
        if triangles is None:
            yield "Geometry.triangles", "be given for an EnclosedVolume", "none"
            return
        holes = border_count(np.asarray(parts[Geometry].points), triangles)
        if holes:
            yield "Geometry.triangles", "close a surface for EnclosedVolume, all turned the same way", (
                f"{holes} open or turned edges"
            )
