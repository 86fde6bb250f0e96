"""Prefabs: pure functions from sizes and counts to a Geometry with named groups."""
from components.prefabs.box import box
from components.prefabs.curves import Curve, arc, line, polygon
from components.prefabs.grid import grid
from components.prefabs.inner_layer import inner_layer
from components.prefabs.outline import outline, plate
from components.prefabs.rope import rope
from components.prefabs.sphere_shell import sphere_shell
from components.prefabs.surfaces import box_surface, ellipsoid_surface

__all__ = [
    "Curve", "arc", "box", "box_surface", "ellipsoid_surface", "grid", "inner_layer", "line", "outline", "plate",
    "polygon", "rope", "sphere_shell",
]  # fmt: skip
