"""Stress on the boundary, displacement and stress inside, resultants: what follows from u and t on the whole boundary.

Boundary: sigma_ss = 2 G / (1 - nu) eps_ss + nu / (1 - nu) sigma_nn, with the strain along the boundary from the
element's functions; regular at nu = 1/2. Inside, with u0 the displacement of the nearest boundary point (its rigid
motion gives no stress and no traction, and taking it off leaves nothing to cancel near the boundary):

    u_i(y) = u0_i + integral U_ij t_j - integral T_ij (u_j - u0_j)
    sigma_ij(y) = integral D_kij t_k - integral S_kij (u_k - u0_k)

*Limitations*: stress at corners is that of each element by itself; inside, accuracy is that of the boundary solution.
"""

from __future__ import annotations

import math

import numpy as np

from framework.kernel import kernel
from systems.kernels.bem.planar_elements import FUSED, along, elements, lagrange, point
from systems.kernels.bem.quadrature import FEWEST, MOST, rules


def boundary_stress(
    points: np.ndarray, nodes: np.ndarray, u: np.ndarray, t: np.ndarray, shear_modulus: float, poisson_ratio: float
) -> tuple[np.ndarray, np.ndarray]:
    """(stress (m, k, 3): xx, yy, xy [Pa]; strain along the boundary (m, k)) at element points.

    u (n, 2) [m], t (m, k, 2) [Pa]; poisson_ratio as in PlanarProblem.
    """
    k = nodes.shape[1]
    derivative = np.array([[-0.5, 0.5]] * 2) if k == 2 else np.array([[-1.5, 2, -0.5], [-0.5, 0, 0.5], [0.5, -2, 1.5]])
    tangent = np.einsum("ab,mbi->mai", derivative, points[nodes])
    speed = np.sqrt((tangent * tangent).sum(axis=2))
    s = tangent / speed[..., None]
    n = np.stack([s[..., 1], -s[..., 0]], axis=-1)
    along_s = (np.einsum("ab,mbi->mai", derivative, u[nodes]) * s).sum(axis=2) / speed
    nn, ns = (t * n).sum(axis=2), (t * s).sum(axis=2)
    ss = 2 * shear_modulus / (1 - poisson_ratio) * along_s + poisson_ratio / (1 - poisson_ratio) * nn

    def component(i: int, j: int) -> np.ndarray:
        mixed = n[..., i] * s[..., j] + s[..., i] * n[..., j]
        return nn * n[..., i] * n[..., j] + ns * mixed + ss * s[..., i] * s[..., j]

    return np.stack([component(0, 0), component(1, 1), component(0, 1)], axis=-1), along_s


def von_mises(stress: np.ndarray, out_of_plane: np.ndarray | float) -> np.ndarray:
    """(...,) von Mises stress of (..., 3) plane stresses xx, yy, xy and the stress across the plane."""
    xx, yy, xy, zz = stress[..., 0], stress[..., 1], stress[..., 2], out_of_plane
    return np.sqrt(0.5 * ((xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2) + 3 * xy**2)


def principal(stress: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(larger, smaller) principal stress in the plane of (..., 3) stresses xx, yy, xy."""
    middle = 0.5 * (stress[..., 0] + stress[..., 1])
    radius = np.hypot(0.5 * (stress[..., 0] - stress[..., 1]), stress[..., 2])
    return middle + radius, middle - radius


def interior_field(
    places: np.ndarray, points: np.ndarray, nodes: np.ndarray, u: np.ndarray, t: np.ndarray, shear_modulus: float,
    poisson_ratio: float, mirror: tuple[bool, ...] = (False, False), log_length: float | None = None,
    infinite: bool = False, accuracy: float = 1e-6,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Displacement (p, 2) [m] and stress (p, 3: xx, yy, xy) [Pa] at places (p, 2) [m] inside the body.

    u (n, 2) [m], t (m, k, 2) [Pa] on its boundary; the rest as in PlanarProblem.
    """
    scale = float(np.ptp(points, axis=0).max())
    rule = rules(accuracy)
    boundary = elements(points / scale, nodes, rule)
    mirrors = image_signs(mirror)
    shift = 0.0 if log_length is None else math.log(scale / log_length)
    displacement, stress = np.empty((len(places), 2)), np.empty((len(places), 3))
    interior(
        places / scale, boundary.nodes, boundary.shape, rule.offset, rule.points, rule.weights, rule.reach, u / scale,
        t / shear_modulus, mirrors, poisson_ratio, shift, infinite, displacement, stress,
    )  # fmt: skip
    return displacement * scale, stress * shear_modulus


def image_signs(mirror: tuple[bool, ...]) -> np.ndarray:
    """(q, 2) signs of the coordinates of the images of the boundary, its own first."""
    flags = [[1.0, -1.0] if mirrored else [1.0] for mirrored in mirror]
    return np.array([(x, y) for x in flags[0] for y in flags[1]])


@kernel(fastmath=FUSED)
def interior(
    places, nodes, shape, offset, abscissae, weights, reach, u, t, mirrors, nu, log_shift, infinite,
    displacement, stress,
):  # fmt: skip
    """Displacement (p, 2) and stress (p, 3: xx, yy, xy) at places (p, 2) inside; scaled as in planar.py."""
    k, order = nodes.shape[1], shape.shape[1]
    for p in range(places.shape[0]):
        yx, yy = places[p, 0], places[p, 1]
        ux, uy = _nearest(yx, yy, nodes, shape, u, mirrors)
        if infinite:  # the boundary is open to infinity, where a rigid motion would not vanish
            ux = uy = 0.0
        d0, d1, s0, s1, s2 = ux, uy, 0.0, 0.0, 0.0
        for q in range(mirrors.shape[0]):
            mx, my = mirrors[q, 0], mirrors[q, 1]
            for e in range(nodes.shape[0]):
                low, size, depth = -1.0, 1.0, 0
                while low < 1.0:
                    x0, y0 = point(shape, e, low, order)
                    x1, y1 = point(shape, e, low + 2.0 * size, order)
                    half = 0.5 * math.sqrt((x1 - x0) ** 2 + (y1 - y0) ** 2)
                    total = math.sqrt((mx * x0 - yx) ** 2 + (my * y0 - yy) ** 2) + math.sqrt(
                        (mx * x1 - yx) ** 2 + (my * y1 - yy) ** 2
                    )
                    if total < reach[MOST] * half and depth < 45:
                        size *= 0.5
                        depth += 1
                        continue
                    rule = FEWEST + 2
                    while rule < MOST and total < reach[rule] * half:
                        rule += 1
                    for a in range(offset[rule], offset[rule] + rule):
                        xi = low + size * (abscissae[a] + 1.0)
                        px, py = point(shape, e, xi, order)
                        vx, vy = along(shape, e, xi, order)
                        w = size * weights[a]
                        vux = vuy = vtx = vty = 0.0
                        for c in range(k):
                            v, i = lagrange(c, xi, k), nodes[e, c]
                            vux += v * u[i, 0]
                            vuy += v * u[i, 1]
                            vtx += v * t[e, c, 0]
                            vty += v * t[e, c, 1]
                        length = w * math.sqrt(vx * vx + vy * vy)
                        a0, a1, b0, b1, b2 = _point_terms(
                            mx * px - yx, my * py - yy, mx * w * vy, -my * w * vx, nu, log_shift,
                            mx * vux - ux, my * vuy - uy, length * mx * vtx, length * my * vty,
                        )  # fmt: skip
                        d0 += a0
                        d1 += a1
                        s0 += b0
                        s1 += b1
                        s2 += b2
                    low += 2.0 * size
                    while depth > 0 and (low + 1.0) / (2.0 * size) % 2.0 == 0.0:
                        size *= 2.0
                        depth -= 1
        displacement[p, 0], displacement[p, 1] = d0, d1
        stress[p, 0], stress[p, 1], stress[p, 2] = s0, s1, s2


@kernel(fastmath=FUSED)
def _point_terms(dx, dy, nx, ny, nu, log_shift, ux, uy, tx, ty):
    """U t - T u, and D t - S u, of one Gauss point; n, t carry its weight."""
    cu, ct = 0.125 / (math.pi * (1.0 - nu)), 0.25 / (math.pi * (1.0 - nu))
    inverse = 1.0 / (dx * dx + dy * dy)
    xx, xy, yy = dx * dx * inverse, dx * dy * inverse, dy * dy * inverse
    less, dn = 1.0 - 2.0 * nu, (dx * nx + dy * ny) * inverse  # dr/dn over r
    turn = less * (dx * ny - dy * nx) * inverse
    log = -(3.0 - 4.0 * nu) * (log_shift - 0.5 * math.log(inverse))
    d0 = cu * ((log + xx) * tx + xy * ty) + ct * ((less + 2 * xx) * dn * ux + (2 * xy * dn - turn) * uy)
    d1 = cu * (xy * tx + (log + yy) * ty) + ct * ((2 * xy * dn + turn) * ux + (less + 2 * yy) * dn * uy)
    # D_kij t_k = ct / r { less (r,j t_i + r,i t_j - (r,k t_k) d_ij) + 2 r,i r,j (r,k t_k) }
    rt, ru = (dx * tx + dy * ty) * inverse, (dx * ux + dy * uy) * inverse  # (r,k t_k) / r
    e00 = ct * (less * (2 * dx * tx * inverse - rt) + 2 * xx * rt)
    e11 = ct * (less * (2 * dy * ty * inverse - rt) + 2 * yy * rt)
    e01 = ct * (less * (dy * tx + dx * ty) * inverse + 2 * xy * rt)
    # S_kij u_k = 2 ct / r^2 { 2 dr/dn [less d_ij r,k + nu (r,i d_jk + r,j d_ik) - 4 r,i r,j r,k] u_k + ... }
    nu_, un = ux * nx + uy * ny, 2 * ct * inverse  # u . n; 2 G / (4 pi (1 - nu) r^2) with G = 1
    f00 = un * (
        2 * dn * (less * ru / inverse + nu * 2 * dx * ux - 4 * xx * ru / inverse)
        + 2 * nu * 2 * nx * dx * ru
        + less * (2 * nu_ * xx + 2 * nx * ux)
        - (1 - 4 * nu) * nu_
    )
    f11 = un * (
        2 * dn * (less * ru / inverse + nu * 2 * dy * uy - 4 * yy * ru / inverse)
        + 2 * nu * 2 * ny * dy * ru
        + less * (2 * nu_ * yy + 2 * ny * uy)
        - (1 - 4 * nu) * nu_
    )
    f01 = un * (
        2 * dn * (nu * (dx * uy + dy * ux) - 4 * xy * ru / inverse)
        + 2 * nu * (nx * dy + ny * dx) * ru
        + less * (2 * nu_ * xy + ny * ux + nx * uy)
    )
    return d0, d1, e00 - f00, e11 - f11, e01 - f01


@kernel(fastmath=FUSED)
def _nearest(yx, yy, nodes, shape, u, mirrors):
    """Displacement of the nearest point of the boundary and its images.

    The two elements whose straight halves are nearest are searched along their curve.
    """
    first, second = np.inf, np.inf
    near = np.zeros((2, 2), np.int64)  # image, element
    order = shape.shape[1]
    for q in range(mirrors.shape[0]):
        px, py = mirrors[q, 0] * yx, mirrors[q, 1] * yy
        for e in range(nodes.shape[0]):
            ax, ay = point(shape, e, -1.0, order)
            bx, by = point(shape, e, 0.0, order)
            cx, cy = point(shape, e, 1.0, order)
            distance = min(_from_line(px, py, ax, ay, bx, by), _from_line(px, py, bx, by, cx, cy))
            if distance < first:
                second, near[1, 0], near[1, 1] = first, near[0, 0], near[0, 1]
                first, near[0, 0], near[0, 1] = distance, q, e
            elif distance < second:
                second, near[1, 0], near[1, 1] = distance, q, e
    best, ux, uy = np.inf, 0.0, 0.0
    for candidate in range(2):
        q, e = near[candidate, 0], near[candidate, 1]
        mx, my = mirrors[q, 0], mirrors[q, 1]
        px, py = mx * yx, my * yy
        low, high = -1.0, 1.0
        for _ in range(60):  # ternary search: elements are nearly straight
            a, b = low + (high - low) / 3.0, high - (high - low) / 3.0
            ax, ay = point(shape, e, a, order)
            bx, by = point(shape, e, b, order)
            if (ax - px) ** 2 + (ay - py) ** 2 < (bx - px) ** 2 + (by - py) ** 2:
                high = b
            else:
                low = a
        xi = 0.5 * (low + high)
        ax, ay = point(shape, e, xi, order)
        distance = (ax - px) ** 2 + (ay - py) ** 2
        if distance < best:
            best, ux, uy = distance, 0.0, 0.0
            for c in range(nodes.shape[1]):
                v = lagrange(c, xi, nodes.shape[1])
                ux += mx * v * u[nodes[e, c], 0]
                uy += my * v * u[nodes[e, c], 1]
    return ux, uy


@kernel(fastmath=FUSED)
def _from_line(px, py, ax, ay, bx, by):
    """Squared distance of p from the straight piece a b."""
    dx, dy = bx - ax, by - ay
    s = min(max(((px - ax) * dx + (py - ay) * dy) / (dx * dx + dy * dy), 0.0), 1.0)
    return (ax + s * dx - px) ** 2 + (ay + s * dy - py) ** 2
