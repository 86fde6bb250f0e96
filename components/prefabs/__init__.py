"""Prefabs: pure functions from sizes and counts to a Geometry with named groups."""
from components.prefabs.box import box
from components.prefabs.grid import grid
from components.prefabs.inner_layer import inner_layer
from components.prefabs.rope import rope
from components.prefabs.sphere_shell import sphere_shell

__all__ = ["box", "grid", "inner_layer", "rope", "sphere_shell"]
