"""What is wrong with a surface of triangles: the tests behind a MeshReport, and nothing is changed."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

FLAT = 1e-12  # doubled area over the square of the longest side, below which a triangle has no area


@dataclass(frozen=True)
class Findings:
    """Numbers of triangles and points of one surface, from 0.

    collapsed: triangles with fewer than three different corners; degenerate: others without area; duplicates: of the
    same three corners as an earlier one; non_manifold: edges (k, 2) of more than two triangles; excess: triangles at
    them beyond two; pinched: points at which parts of the surface meet that no edge joins; flipped: triangles turned
    against most of their part; inside_out: triangles of closed parts whose fronts look inwards; one_sided: triangles of
    parts without two sides (Moebius); borders: points of each connected border; parts: number of connected parts.
    """

    collapsed: np.ndarray
    degenerate: np.ndarray
    duplicates: np.ndarray
    non_manifold: np.ndarray
    excess: np.ndarray
    pinched: np.ndarray
    flipped: np.ndarray
    inside_out: np.ndarray
    one_sided: np.ndarray
    borders: list[np.ndarray]
    parts: int

    @property
    def closed(self) -> bool:
        return not self.borders and not len(self.non_manifold) and self.parts > 0


def examine(points: np.ndarray, triangles: np.ndarray) -> Findings:
    """Findings of triangles (t, 3) of points (n, 3)."""
    a, b, c = triangles.T
    collapsed = np.flatnonzero((a == b) | (b == c) | (c == a))
    duplicates = _duplicates(triangles)
    degenerate = np.setdiff1d(_without_area(points, triangles), collapsed)
    sound = np.setdiff1d(np.arange(len(triangles)), np.concatenate([collapsed, duplicates]))
    edges = _Edges(triangles[sound], len(points))
    parts, part = edges.parts()
    flipped, one_sided = _orientation(edges, parts, part)
    turned = triangles[sound].copy()
    turned[flipped] = turned[flipped][:, [0, 2, 1]]
    border_edges = edges.ends[edges.counts == 1]
    open_parts = np.unique(part[edges.triangle[edges.counts[edges.edge] == 1]])
    inside_out = _inside_out(points, turned, parts, part, np.union1d(open_parts, part[one_sided]))
    return Findings(
        collapsed, degenerate, duplicates, edges.ends[edges.counts > 2], sound[edges.excess()],
        _pinched(edges, turned, len(points)), sound[flipped], sound[inside_out], sound[one_sided],
        _joined(border_edges), parts,
    )  # fmt: skip


class _Edges:
    """Sides of triangles: side s = 3 t + k of triangle t has ends `sides[s]`; `edge[s]` is its undirected edge."""

    def __init__(self, triangles: np.ndarray, n: int) -> None:
        self.count = len(triangles)
        self.sides = np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=-1).reshape(-1, 2).astype(np.int64)
        self.triangle = np.repeat(np.arange(len(triangles)), 3)
        low, high = self.sides.min(axis=1), self.sides.max(axis=1)
        keys, self.edge, self.counts = np.unique(low * n + high, return_inverse=True, return_counts=True)
        self.edge = self.edge.reshape(-1)
        self.ends = np.stack([keys // max(n, 1), keys % max(n, 1)], axis=1)
        self.forward = self.sides[:, 0] == low
        order = np.argsort(self.edge, kind="stable")
        self.order, self.first = order, np.cumsum(self.counts) - self.counts

    def pairs(self) -> tuple[np.ndarray, np.ndarray]:
        """The two sides at each edge of exactly two triangles."""
        start = self.first[self.counts == 2]
        return self.order[start], self.order[start + 1]

    def parts(self) -> tuple[int, np.ndarray]:
        """Number of parts that edges join, and the part of each triangle."""
        first = self.order[self.first][self.edge]
        return _components(self.triangle, self.triangle[first], self.count)

    def excess(self) -> np.ndarray:
        """Triangles that are the third or a later one at an edge."""
        rank = np.empty(len(self.order), np.int64)
        rank[self.order] = np.arange(len(self.order)) - self.first[self.edge[self.order]]
        return np.unique(self.triangle[rank > 1])


def _components(i: np.ndarray, j: np.ndarray, count: int) -> tuple[int, np.ndarray]:
    graph = coo_array((np.ones(len(i), np.int8), (i, j)), shape=(count, count))
    number, label = connected_components(graph, directed=False)
    return int(number), label


def _duplicates(triangles: np.ndarray) -> np.ndarray:
    _, first = np.unique(np.sort(triangles, axis=1), axis=0, return_index=True)
    return np.setdiff1d(np.arange(len(triangles)), first)


def _without_area(points: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    p = points[triangles]
    side = np.roll(p, -1, axis=1) - p
    longest = (side * side).sum(axis=2).max(axis=1, initial=0.0)
    area = np.linalg.norm(np.cross(side[:, 0], side[:, 1]), axis=1)
    return np.flatnonzero(area <= FLAT * longest)


def _orientation(edges: _Edges, parts: int, part: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Triangles to turn so that neighbours agree, the fewest in each part, and those of parts where none can be.

    Each triangle stands twice in a graph, as it is and turned; neighbours are joined where they agree. A part has two
    sides when its two copies are not connected.
    """
    one, two = edges.pairs()
    t = edges.count
    agree = edges.forward[one] != edges.forward[two]
    i, j = edges.triangle[one], edges.triangle[two]
    other = np.where(agree, j, j + t)
    mirrored = np.where(agree, j + t, j)
    _, label = _components(np.concatenate([i, i + t]), np.concatenate([other, mirrored]), 2 * t)
    one_sided = np.isin(part, part[label[:t] == label[t:]])
    turned = label[:t] > label[t:]  # the two copies of a part have two labels: the smaller is one choice of fronts
    area = np.bincount(part[turned], minlength=parts), np.bincount(part, minlength=parts)
    turned ^= (2 * area[0] > area[1])[part] if t else False
    return np.flatnonzero(turned & ~one_sided), np.flatnonzero(one_sided)


def _inside_out(
    points: np.ndarray, triangles: np.ndarray, parts: int, part: np.ndarray, not_closed: np.ndarray
) -> np.ndarray:
    """Triangles of closed parts with a negative volume, unless they lie inside the box of another closed part."""
    if not len(triangles):
        return np.zeros(0, np.int64)
    a, b, c = (points[triangles[:, k]] - points[triangles[0, 0]] for k in range(3))
    volume = np.bincount(part, np.einsum("ij,ij->i", a, np.cross(b, c)), parts)
    low, high = np.full((parts, 3), np.inf), np.full((parts, 3), -np.inf)
    for k in range(3):
        np.minimum.at(low, part, points[triangles[:, k]])
        np.maximum.at(high, part, points[triangles[:, k]])
    closed = np.setdiff1d(np.arange(parts), not_closed)
    wrong = [p for p in closed if volume[p] < 0
             and not ((low[closed] < low[p]) & (high[closed] > high[p])).all(axis=1).any()]  # fmt: skip
    return np.flatnonzero(np.isin(part, wrong))


def _pinched(edges: _Edges, triangles: np.ndarray, n: int) -> np.ndarray:
    """Points whose triangles form more than one fan: corners are joined across the edges of two triangles."""
    one, two = edges.pairs()
    t = edges.count
    if not t:
        return np.zeros(0, np.int64)
    flat = edges.sides[:, 0]  # the corner where side s starts has the number s, too
    after = np.arange(3 * t).reshape(t, 3)[:, [1, 2, 0]].ravel()
    agree = flat[one] == flat[two]
    start = np.where(agree, two, after[two])
    end = np.where(agree, after[two], two)
    # corners at edges of more triangles are joined to each other: those edges are reported by themselves
    many = np.flatnonzero(edges.counts[edges.edge] > 2)
    first = edges.order[edges.first][edges.edge[many]]
    same = flat[many] == flat[first]
    pairs_i = np.concatenate([one, after[one], many, after[many]])
    pairs_j = np.concatenate([start, end, np.where(same, first, after[first]), np.where(same, after[first], first)])
    _, label = _components(pairs_i, pairs_j, 3 * t)
    _, corner = np.unique(label, return_index=True)
    return np.flatnonzero(np.bincount(flat[corner], minlength=n) > 1)


def _joined(edges: np.ndarray) -> list[np.ndarray]:
    """Points of each connected set of edges (b, 2)."""
    if not len(edges):
        return []
    points, number = np.unique(edges, return_inverse=True)
    number = number.reshape(-1, 2)
    count, label = _components(number[:, 0], number[:, 1], len(points))
    order = np.argsort(label, kind="stable")
    return np.split(points[order], np.cumsum(np.bincount(label, minlength=count))[:-1])
