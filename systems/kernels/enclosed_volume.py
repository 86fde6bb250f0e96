"""Volume inside a closed surface of triangles, and its derivatives by the positions of the corners."""
from __future__ import annotations

from framework.kernel import kernel


@kernel
def volume_gradient(x, triangles, gradient):
    """Volume V [m3] inside triangles (t, 3) int32 of points x (n, 3); gradient (n, 3) [m2] is set to dV/dx.

    V = sum of a . (b x c) / 6 over the triangles, with corners taken relative to the first point, so that a body far
    from the origin loses no digits: dV/da = b x c / 6. Limitations: of a surface with holes V and its gradient depend
    on that point.
    """
    gradient[:] = 0.0
    total = 0.0
    for t in range(len(triangles)):
        i, j, k = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        ax, ay, az = x[i, 0] - x[0, 0], x[i, 1] - x[0, 1], x[i, 2] - x[0, 2]
        bx, by, bz = x[j, 0] - x[0, 0], x[j, 1] - x[0, 1], x[j, 2] - x[0, 2]
        cx, cy, cz = x[k, 0] - x[0, 0], x[k, 1] - x[0, 1], x[k, 2] - x[0, 2]
        ux, uy, uz = by * cz - bz * cy, bz * cx - bx * cz, bx * cy - by * cx
        total += (ax * ux + ay * uy + az * uz) / 6.0
        gradient[i, 0] += ux / 6.0
        gradient[i, 1] += uy / 6.0
        gradient[i, 2] += uz / 6.0
        gradient[j, 0] += (cy * az - cz * ay) / 6.0
        gradient[j, 1] += (cz * ax - cx * az) / 6.0
        gradient[j, 2] += (cx * ay - cy * ax) / 6.0
        gradient[k, 0] += (ay * bz - az * by) / 6.0
        gradient[k, 1] += (az * bx - ax * bz) / 6.0
        gradient[k, 2] += (ax * by - ay * bx) / 6.0
    return total
