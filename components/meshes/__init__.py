"""Meshes from files: `read_mesh` makes a Geometry and a report of what the file holds."""
from components.meshes.read import Mesh, read_mesh
from components.meshes.report import MeshReport

__all__ = ["Mesh", "MeshReport", "read_mesh"]
