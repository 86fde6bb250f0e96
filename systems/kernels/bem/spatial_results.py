"""Stress on a surface, displacement and stress inside: what follows from u and t on the whole boundary.

On the surface, with tangents 1, 2 and the normal n: sigma_n. is the traction; along the surface
sigma_11 = 2 G / (1 - nu) (eps_11 + nu eps_22) + nu / (1 - nu) sigma_nn, sigma_12 = 2 G eps_12, with the strain from the
elements' functions; regular at nu = 1/2. Across it, eps_nn = (1 - 2 nu) / (2 G (1 - nu)) sigma_nn
- nu / (1 - nu) (eps_11 + eps_22). So each point of the surface has a linear field, which is taken off around the places
inside that are nearest to it (spatial_interior.py).

*Limitations*: stress at edges is that of each element by itself; inside, accuracy is that of the boundary solution.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from systems.kernels.bem.spatial_elements import batches, counts, local_places, shape_table, work_space
from systems.kernels.bem.spatial_interior import interior, nearest
from systems.kernels.bem.spatial_rules import spatial_rules
from systems.kernels.bem.spatial_system import image_signs

TOUCHING = 1e-9  # of the size of an element: places that are nearer to the surface lie on it
TENSOR = ((3, 6, 7), (6, 4, 8), (7, 8, 5))  # where the stresses are among the sums of `interior`
FINEST = 1e-13  # accuracy of rules


class LinearFields(NamedTuple):
    """u = value + gradient (x - place) and its stress: (q, 3), (q, 3), (q, 3, 3) of du_i / dx_j, (q, 3, 3)."""

    place: np.ndarray
    value: np.ndarray
    gradient: np.ndarray
    stress: np.ndarray


def boundary_stress(
    points: np.ndarray, nodes: np.ndarray, u: np.ndarray, t: np.ndarray, shear_modulus: float, poisson_ratio: float
) -> np.ndarray:
    """(m, 8, 3, 3) stress [Pa] at element points, 0 in unused places; u (n, 3) [m], t (m, 8, 3) [Pa]."""
    found, count = np.zeros((*nodes.shape, 3, 3)), counts(nodes)
    for k in np.unique(count).tolist():
        rows = np.flatnonzero(count == k)
        table = shape_table(k, local_places(k))
        values, slopes = (np.tile(part, (len(rows), *[1] * (part.ndim - 1))) for part in table)
        of = nodes[np.repeat(rows, k), :k]
        fields = linear_fields(
            values, slopes, points[of], u[of], t[np.repeat(rows, k), :k], shear_modulus, poisson_ratio
        )
        found[rows, :k] = fields.stress.reshape(len(rows), k, 3, 3)
    return found


def linear_fields(
    values: np.ndarray, slopes: np.ndarray, points: np.ndarray, u: np.ndarray, t: np.ndarray, shear_modulus: float,
    poisson_ratio: float,
) -> LinearFields:  # fmt: skip
    """At q points: shape functions (q, k), their slopes (q, k, 2), and points, u, t (q, k, 3) of their elements."""
    g, nu = shear_modulus, poisson_ratio
    across = np.swapaxes(slopes, 1, 2)
    tangent, stretch = across @ points, across @ u  # (q, 2, 3)
    e1 = _unit(tangent[:, 0])
    n = _unit(np.cross(tangent[:, 0], tangent[:, 1]))
    frame = np.stack([e1, np.cross(n, e1), n], axis=-1)  # columns
    # derivatives along the tangents: (d x / d local) has the inverse (d local / d x)
    inner = tangent @ frame[..., :2]
    along = np.swapaxes(np.linalg.inv(inner) @ stretch @ frame, 1, 2)  # d u_b / d x_a, a = 1, 2
    pull = ((values[:, None] @ t) @ frame)[:, 0]
    own, gradient = np.zeros((len(n), 3, 3)), np.zeros((len(n), 3, 3))
    gradient[..., :2] = along
    spread = along[:, 0, 0] + along[:, 1, 1]
    for a, b in ((0, 1), (1, 0)):
        own[:, a, a] = 2 * g / (1 - nu) * (along[:, a, a] + nu * along[:, b, b]) + nu / (1 - nu) * pull[:, 2]
        own[:, a, b] = g * (along[:, 0, 1] + along[:, 1, 0])
        gradient[:, a, 2] = pull[:, a] / g - along[:, 2, a]
    own[:, 2] = own[:, :, 2] = pull
    gradient[:, 2, 2] = (1 - 2 * nu) / (2 * g * (1 - nu)) * pull[:, 2] - nu / (1 - nu) * spread
    back = np.swapaxes(frame, 1, 2)
    return LinearFields(*((values[:, None] @ part)[:, 0] for part in (points, u)), frame @ gradient @ back,
                        frame @ own @ back)


def interior_field(
    places: np.ndarray, points: np.ndarray, nodes: np.ndarray, u: np.ndarray, t: np.ndarray, shear_modulus: float,
    poisson_ratio: float, mirror: tuple[bool, ...] = (False, False, False), infinite: bool = False,
    accuracy: float = 1e-6,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Displacement (p, 3) [m] and stress (p, 3, 3) [Pa] at places (p, 3) [m] inside the body, or on its surface.

    u (n, 3) [m], t (m, 8, 3) [Pa] on its boundary; the rest as in SpatialProblem.
    """
    scale, g = float(np.ptp(points, axis=0).max()), shear_modulus
    rules = spatial_rules(max(0.1 * accuracy, FINEST))  # stresses fall off faster than what the rules were made for
    at, nodes, t = points / scale, np.ascontiguousarray(nodes, np.int32), np.ascontiguousarray(t / g)
    u, y, signs = np.ascontiguousarray(u / scale), np.ascontiguousarray(places / scale), image_signs(mirror)
    count, work, p = counts(nodes), work_space(0, 0), len(places)
    boundary = batches(at, nodes, rules)
    there = boundary.element >= 0
    centre, radius, least = np.zeros((len(nodes), 3)), np.zeros(len(nodes)), np.zeros(len(nodes), np.int64)
    centre[boundary.element[there]] = boundary.centre.transpose(0, 2, 1)[there]
    radius[boundary.element[there]], least[boundary.element[there]] = boundary.radius[there], boundary.least[there]
    image, element = np.zeros(p, np.int64), np.zeros(p, np.int64)
    local, distance = np.zeros((p, 2)), np.zeros(p)
    nearest(y, at, nodes, count, centre, radius, signs, work, image, element, local, distance)
    field = _at_feet(at, nodes, count, u, t, poisson_ratio, signs[image], element, local)
    on = distance <= TOUCHING * radius[element]
    sums, inside = np.zeros((p, 9)), np.flatnonzero(~on)
    left = np.zeros((len(inside), 9))
    interior(
        y[inside], at, nodes, count, least, u, t, *(part[inside] for part in field), signs, rules.start, rules.points,
        rules.weights, rules.reach, poisson_ratio, work, left,
    )  # fmt: skip
    sums[inside] = left
    added = (on | (not infinite)).astype(float)[:, None]
    linear = field.value + np.einsum("pij,pj->pi", field.gradient, y - field.place)
    return (sums[:, :3] + added * linear) * scale, (sums[:, TENSOR] + added[..., None] * field.stress) * g


def _at_feet(
    points: np.ndarray, nodes: np.ndarray, count: np.ndarray, u: np.ndarray, t: np.ndarray, poisson_ratio: float,
    signs: np.ndarray, element: np.ndarray, local: np.ndarray,
) -> LinearFields:  # fmt: skip
    """The linear fields at local places (p, 2) of elements (p,), of the images with signs (p, 3); G = 1."""
    p = len(element)
    found = LinearFields(np.zeros((p, 3)), np.zeros((p, 3)), np.zeros((p, 3, 3)), np.zeros((p, 3, 3)))
    for k in np.unique(count[element]).tolist():
        rows = np.flatnonzero(count[element] == k)
        of = nodes[element[rows], :k]
        own = linear_fields(
            *shape_table(k, local[rows]), points[of], u[of], t[element[rows], :k], 1.0, poisson_ratio
        )
        for whole, part in zip(found, own, strict=True):
            whole[rows] = part
    both = signs[:, :, None] * signs[:, None, :]
    return LinearFields(found.place * signs, found.value * signs, found.gradient * both, found.stress * both)


def _unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.sqrt((vectors * vectors).sum(axis=-1, keepdims=True))
