"""Triangles and quadrilaterals with 3, 6, 4 and 8 points: shape functions, and the Gauss points of far rules.

Points of an element: corners, anticlockwise seen from outside, then the middles of the sides. Triangles have local
coordinates in (0, 0), (1, 0), (0, 1), quadrilaterals in [-1, 1]^2.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from framework.kernel import kernel
from systems.kernels.bem.spatial_rules import DEEPEST, SpatialRules
from systems.kernels.bem.terms import FUSED

CHEAP = 4  # how many rules whole batches are integrated by; by others elements go one by one
BATCH = 16  # elements at a time: what is kept of them fits into the first cache
TRIANGLE = np.array([[0, 0], [1, 0], [0, 1], [0.5, 0], [0.5, 0.5], [0, 0.5]])
SQUARE = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1], [0, -1], [1, 0], [0, 1], [-1, 0]], float)


class Batches(NamedTuple):
    """Elements in batches of BATCH of one kind, neighbours in space together; the last of a kind are filled up.

    element (b, BATCH): numbers, -1 where there is none; count (b,): points of an element. centre (b, 3, BATCH),
    radius (b, BATCH). least (b, BATCH): the first rule that is accurate for the element's own curvature.
    gauss: from row offset[b] on are the batch's Gauss points, each a row of 7 (x, y, z, normal times weight, area times
    weight) times BATCH. values (2, 2, q, 8): shape functions at the points of both shapes' rules, of linear and of
    quadratic elements. For elements one by one, Gauss points of the rules from CHEAP on in chunks of BATCH: rule r of
    shape s has chunks solo_start[s, r] ... solo_start[s, r + 1] - 1; solo (m, chunks, 7 BATCH), solo_values (2, 2,
    chunks, 8, BATCH).
    """

    element: np.ndarray
    count: np.ndarray
    centre: np.ndarray
    radius: np.ndarray
    least: np.ndarray
    offset: np.ndarray
    gauss: np.ndarray
    values: np.ndarray
    solo_start: np.ndarray
    solo: np.ndarray
    solo_values: np.ndarray


class Work(NamedTuple):
    """Work space of the integrals of one source.

    h (3, 3 n), g (3, 24 m): the equations. sums (3, 3): the integral of T; unused (3, 3): a place for others. point
    (4 * 15 BATCH,): Kelvin's solution at up to four Gauss points of BATCH elements; total (8, 15 BATCH): sums with each
    shape function; column (8, 15): of one element. at (7 BATCH,), moving, still (8, BATCH): a chunk of Gauss points of
    one element, with the values for T and for U; ones (BATCH,). shape, dx, dy, shape0 (8,), out, tangent (9,): of one
    point. stack (q, 7), piece (7,), corners (4, 3): of cut elements. wanted (BATCH,).
    """

    h: np.ndarray
    g: np.ndarray
    sums: np.ndarray
    unused: np.ndarray
    point: np.ndarray
    total: np.ndarray
    column: np.ndarray
    at: np.ndarray
    moving: np.ndarray
    still: np.ndarray
    ones: np.ndarray
    shape: np.ndarray
    dx: np.ndarray
    dy: np.ndarray
    shape0: np.ndarray
    out: np.ndarray
    tangent: np.ndarray
    stack: np.ndarray
    piece: np.ndarray
    corners: np.ndarray
    wanted: np.ndarray


def work_space(n: int, m: int) -> Work:
    """For n points and m elements."""
    return Work(
        h=np.zeros((3, 3 * n)), g=np.zeros((3, 24 * m)), sums=np.zeros((3, 3)), unused=np.zeros((3, 3)),
        point=np.zeros(60 * BATCH), total=np.zeros((8, 15 * BATCH)), column=np.zeros((8, 15)), at=np.zeros(7 * BATCH),
        moving=np.zeros((8, BATCH)), still=np.zeros((8, BATCH)), ones=np.ones(BATCH), shape=np.zeros(8),
        dx=np.zeros(8), dy=np.zeros(8), shape0=np.zeros(8), out=np.zeros(9), tangent=np.zeros(9),
        stack=np.zeros((4 * DEEPEST + 4, 7)), piece=np.zeros(7), corners=np.zeros((4, 3)), wanted=np.zeros(BATCH),
    )  # fmt: skip


@kernel(fastmath=FUSED)
def shape_values(k, x, y, n, dx, dy):
    """Values n (8,) of the shape functions of an element with k points at (x, y), and their derivatives dx, dy."""
    if k == 3:
        n[0], n[1], n[2] = 1.0 - x - y, x, y
        dx[0], dx[1], dx[2] = -1.0, 1.0, 0.0
        dy[0], dy[1], dy[2] = -1.0, 0.0, 1.0
    elif k == 6:
        z = 1.0 - x - y
        n[0], n[1], n[2] = z * (2 * z - 1), x * (2 * x - 1), y * (2 * y - 1)
        n[3], n[4], n[5] = 4 * z * x, 4 * x * y, 4 * y * z
        dx[0], dx[1], dx[2], dx[3], dx[4], dx[5] = 1 - 4 * z, 4 * x - 1, 0.0, 4 * (z - x), 4 * y, -4 * y
        dy[0], dy[1], dy[2], dy[3], dy[4], dy[5] = 1 - 4 * z, 0.0, 4 * y - 1, -4 * x, 4 * x, 4 * (z - y)
    elif k == 4:
        a, b, c, d = 1.0 - x, 1.0 + x, 1.0 - y, 1.0 + y
        n[0], n[1], n[2], n[3] = 0.25 * a * c, 0.25 * b * c, 0.25 * b * d, 0.25 * a * d
        dx[0], dx[1], dx[2], dx[3] = -0.25 * c, 0.25 * c, 0.25 * d, -0.25 * d
        dy[0], dy[1], dy[2], dy[3] = -0.25 * a, -0.25 * b, 0.25 * b, 0.25 * a
    else:
        a, b, c, d = 1.0 - x, 1.0 + x, 1.0 - y, 1.0 + y
        n[0], n[1] = 0.25 * a * c * (-x - y - 1), 0.25 * b * c * (x - y - 1)
        n[2], n[3] = 0.25 * b * d * (x + y - 1), 0.25 * a * d * (y - x - 1)
        n[4], n[5], n[6], n[7] = 0.5 * a * b * c, 0.5 * b * c * d, 0.5 * a * b * d, 0.5 * a * c * d
        dx[0], dx[1] = 0.25 * c * (2 * x + y), 0.25 * c * (2 * x - y)
        dx[2], dx[3] = 0.25 * d * (2 * x + y), 0.25 * d * (2 * x - y)
        dx[4], dx[5], dx[6], dx[7] = -x * c, 0.5 * c * d, -x * d, -0.5 * c * d
        dy[0], dy[1] = 0.25 * a * (x + 2 * y), 0.25 * b * (2 * y - x)
        dy[2], dy[3] = 0.25 * b * (x + 2 * y), 0.25 * a * (2 * y - x)
        dy[4], dy[5], dy[6], dy[7] = -0.5 * a * b, -y * b, 0.5 * a * b, -y * a


def local_places(k: int) -> np.ndarray:
    """(k, 2) local coordinates of the points of an element."""
    return TRIANGLE[:k] if k in (3, 6) else SQUARE[:k]


def shape_table(k: int, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(values (q, k), derivatives (q, k, 2)) at local coordinates (q, 2)."""
    values, slopes = np.zeros((len(at), k)), np.zeros((len(at), k, 2))
    n, dx, dy = np.zeros(8), np.zeros(8), np.zeros(8)
    for row, (x, y) in enumerate(at):
        shape_values(k, float(x), float(y), n, dx, dy)
        values[row], slopes[row, :, 0], slopes[row, :, 1] = n[:k], dx[:k], dy[:k]
    return values, slopes


def counts(nodes: np.ndarray) -> np.ndarray:
    """(m,) points of each element."""
    return (nodes >= 0).sum(axis=1)


def batches(points: np.ndarray, nodes: np.ndarray, rules: SpatialRules) -> Batches:
    """Prepare elements `nodes` (m, 8) of `points` (n, 3)."""
    count = counts(nodes)
    elements, kinds = [], []
    for k in (3, 6, 4, 8):
        rows = np.flatnonzero(count == k)
        rows = rows[_along_curve(points[nodes[rows, :k]].mean(axis=1))]
        for first in range(0, len(rows), BATCH):
            batch = np.full(BATCH, -1)
            batch[: len(rows[first : first + BATCH])] = rows[first : first + BATCH]
            elements.append(batch)
            kinds.append(k)
    element, kind = np.array(elements), np.array(kinds)
    values = np.zeros((2, 2, rules.points.shape[1], 8))
    tables = {}
    for k in (3, 6, 4, 8):
        s, order = int(k in (4, 8)), int(k in (6, 8))
        if np.any(kind == k):
            q = int(rules.start[s, -1])
            tables[k] = shape_table(k, rules.points[s, :q])
            values[s, order, :q, :k] = tables[k][0]
    sizes = [int(rules.start[int(k in (4, 8)), -1]) for k in kinds]
    offset = np.concatenate([[0], np.cumsum(sizes)[:-1]]) if kinds else np.zeros(0)
    gauss = np.zeros((int(np.sum(sizes)), 7, BATCH))
    centre, radius = np.zeros((len(kinds), 3, BATCH)), np.zeros((len(kinds), BATCH))
    least = np.zeros((len(kinds), BATCH), np.int64)
    for b, k in enumerate(kinds):
        rows = np.maximum(element[b], 0)
        corner = points[nodes[rows, :k]]
        middle = corner[:, : 3 if k in (3, 6) else 4].mean(axis=1)
        centre[b] = middle.T
        radius[b] = np.sqrt(((corner - middle[:, None]) ** 2).sum(axis=2)).max(axis=1)
        shape, slopes = tables[k]
        s = int(k in (4, 8))
        table = corner.transpose(1, 0, 2).reshape(k, -1)
        one, two = ((slopes[:, :, d] @ table).reshape(-1, BATCH, 3) for d in range(2))
        normal = np.cross(one, two) * rules.weights[s, : len(shape), None, None]
        own = gauss[int(offset[b]) : int(offset[b]) + len(shape)]
        own[:, :3] = (shape @ table).reshape(-1, BATCH, 3).transpose(0, 2, 1)
        own[:, 3:6] = normal.transpose(0, 2, 1)
        own[:, 6] = np.sqrt((normal * normal).sum(axis=-1))
        if k in (6, 8):
            least[b] = _least_rules(shape, own[:, 6], rules.start[s], rules.digits)
    flat = gauss.reshape(len(gauss), 7 * BATCH)
    return Batches(
        element, kind, centre, radius, least, offset.astype(np.int64), flat, values,
        *_solo(element, kind, offset.astype(int), gauss, values, rules),
    )  # fmt: skip


def _solo(
    element: np.ndarray, kind: np.ndarray, offset: np.ndarray, gauss: np.ndarray, values: np.ndarray,
    rules: SpatialRules,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:  # fmt: skip
    """The Gauss points of the largest rules, element by element; filled up with points without weight."""
    count = rules.start.shape[1] - 1
    start, places = np.zeros((2, count + 1), np.int64), []
    for s in range(2):
        own = []
        for r in range(CHEAP, count):
            points = np.arange(rules.start[s, r], rules.start[s, r + 1])
            own.append(np.pad(points, (0, -len(points) % BATCH), constant_values=-1).reshape(-1, BATCH))
            start[s, r + 1] = start[s, r] + len(own[-1])
        places.append(np.concatenate(own))
    chunks = max(len(own) for own in places)
    solo_values = np.zeros((2, 2, chunks, 8, BATCH))
    solo = np.zeros((int(element.max()) + 1, chunks, 7, BATCH))
    for s, own in enumerate(places):
        weight = (own >= 0).astype(float)
        solo_values[s, :, : len(own)] = values[s][:, own].transpose(0, 1, 3, 2) * weight[:, None]
    for b, k in enumerate(kind):
        own = places[int(k in (4, 8))]
        chosen = gauss[offset[b] + np.maximum(own, 0)].transpose(3, 0, 2, 1)  # element, chunk, 7, point
        chosen[:, :, 3:] *= (own >= 0)[:, None]
        there = element[b] >= 0
        solo[element[b][there], : len(own)] = chosen[there]
    return start, solo.reshape(len(solo), chunks, 7 * BATCH), solo_values


def _least_rules(values: np.ndarray, area: np.ndarray, start: np.ndarray, digits: float) -> np.ndarray:
    """(BATCH,) the first rule whose areas of the shape functions agree with the last rule's.

    values (q, k), area (q, BATCH): weighted, at the points of all rules. On a curved element the area is no polynomial.
    """
    sums = np.stack([values[a:b].T @ area[a:b] for a, b in pairwise(start)])
    error = np.abs(sums - sums[-1]).max(axis=1) / np.abs(sums[-1]).max(axis=0)
    wrong = error > np.exp(-digits)
    return np.where(wrong.any(axis=0), len(sums) - np.argmax(wrong[::-1], axis=0), 0).clip(max=len(sums) - 1)


def _along_curve(places: np.ndarray) -> np.ndarray:
    """An order of places (q, 3) in which neighbours are near each other: Morton's."""
    if len(places) == 0:
        return np.zeros(0, np.int64)
    low, size = places.min(axis=0), max(float(np.ptp(places, axis=0).max()), 1e-300)
    cell = np.minimum(((places - low) / size * 1024).astype(np.int64), 1023)
    key = np.zeros(len(places), np.int64)
    for bit in range(10):
        for axis in range(3):
            key |= ((cell[:, axis] >> bit) & 1) << (3 * bit + axis)
    return np.argsort(key, kind="stable")


def element_normals(points: np.ndarray, nodes: np.ndarray) -> np.ndarray:
    """(m, 8, 3) outward unit normals at the points of the elements, 0 in unused places."""
    found, count = np.zeros((*nodes.shape, 3)), counts(nodes)
    for k in np.unique(count):
        rows = np.flatnonzero(count == k)
        _, slopes = shape_table(int(k), local_places(int(k)))
        tangent = np.einsum("qkd,eki->eqdi", slopes, points[nodes[rows, :k]])
        normal = np.cross(tangent[:, :, 0], tangent[:, :, 1])
        found[rows, :k] = normal / np.sqrt((normal * normal).sum(axis=-1, keepdims=True))
    return found


@kernel(fastmath=FUSED)
def surface_point(k, row, points, x, y, n, dx, dy, out):
    """out (9,): place, and tangents along x and y, of the element with points `row` (8,) at local (x, y)."""
    shape_values(k, x, y, n, dx, dy)
    for j in range(9):
        out[j] = 0.0
    for c in range(k):
        for j in range(3):
            v = points[row[c], j]
            out[j] += n[c] * v
            out[3 + j] += dx[c] * v
            out[6 + j] += dy[c] * v


@kernel(fastmath=FUSED)
def norm3(a, b, c):
    return math.sqrt(a * a + b * b + c * c)
