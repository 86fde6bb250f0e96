"""Vertex normals of a mesh, compiled: in a window they are computed in every frame."""
from __future__ import annotations

import numpy as np

from framework.kernel import kernel


@kernel  # type: ignore[arg-type]
def vertex_normals(points: np.ndarray, triangles: np.ndarray, normals: np.ndarray) -> None:
    """Unit normals (n, 3) of points (n, 3), both float32: the area-weighted mean over the triangles (t, 3) int32.

    Zero where a vertex has no triangle. Limitations: one thread; sums in the order of the triangles.
    """
    normals[:] = 0.0
    for t in range(len(triangles)):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        ux, uy, uz = points[b, 0] - points[a, 0], points[b, 1] - points[a, 1], points[b, 2] - points[a, 2]
        vx, vy, vz = points[c, 0] - points[a, 0], points[c, 1] - points[a, 1], points[c, 2] - points[a, 2]
        x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        for corner in (a, b, c):
            normals[corner, 0] += x
            normals[corner, 1] += y
            normals[corner, 2] += z
    for p in range(len(points)):
        x, y, z = np.float64(normals[p, 0]), np.float64(normals[p, 1]), np.float64(normals[p, 2])
        length = np.sqrt(x * x + y * y + z * z)  # in double precision, where the square of a small area is not zero
        if length > 0.0:
            normals[p, 0], normals[p, 1], normals[p, 2] = x / length, y / length, z / length
