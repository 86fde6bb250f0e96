"""Tetrahedra and wedges: their volumes and springs. A wedge is a triangle, a second one below it, and what is between.

A wedge (a, b, c, d, e, f) is cut into three tetrahedra in six ways, one for each order of its three columns; what is
asked of a wedge is the mean over the six, so that no diagonal of its sides is preferred.
"""
from __future__ import annotations

from itertools import combinations, permutations

import numpy as np

WEDGE_EDGES = ((0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3), (1, 4), (2, 5))
WEDGE_DIAGONALS = ((0, 4), (1, 3), (1, 5), (2, 4), (2, 3), (0, 5))
WEDGE_CUTS = tuple(
    tetrahedron
    for i, j, k in permutations(range(3))
    for tetrahedron in ((i, j, k, i + 3), (j, k, i + 3, j + 3), (k, i + 3, j + 3, k + 3))
)
CUT_WEIGHT = 1 / 6


def tetrahedron_volumes(points: np.ndarray, tetrahedra: np.ndarray) -> np.ndarray:
    """(k,) volumes [m3], positive where the first three corners run anticlockwise seen from the last one."""
    a, b, c, d = (points[tetrahedra[:, i]] for i in range(4))
    return np.einsum("ij,ij->i", np.cross(b - a, c - a), d - a) / 6


def as_tetrahedra(tetrahedra: np.ndarray | None, wedges: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Tetrahedra (m, 4) that stand for both kinds, and the share (m,) of its volume that each gives."""
    cells, weights = [np.zeros((0, 4), np.int32)], [np.zeros(0)]
    if tetrahedra is not None:
        cells.append(tetrahedra)
        weights.append(np.ones(len(tetrahedra)))
    if wedges is not None:
        cells.append(np.concatenate([wedges[:, list(cut)] for cut in WEDGE_CUTS]))
        weights.append(np.full(len(WEDGE_CUTS) * len(wedges), CUT_WEIGHT))
    return np.concatenate(cells), np.concatenate(weights)


def least_cut_volumes(points: np.ndarray, wedges: np.ndarray) -> np.ndarray:
    """(w,) the smallest volume [m3] of the tetrahedra of each wedge; positive: no corner is turned inside out.

    The first triangle is seen anticlockwise from outside, the second lies below it.
    """
    signs = [1.0 if order in ((0, 1, 2), (1, 2, 0), (2, 0, 1)) else -1.0 for order in permutations(range(3))]
    least = np.full(len(wedges), np.inf)
    for number, cut in enumerate(WEDGE_CUTS):
        # the second of each three runs around the other way
        sign = -signs[number // 3]
        least = np.minimum(least, sign * tetrahedron_volumes(points, wedges[:, list(cut)]))
    return least


def solid_edges(tetrahedra: np.ndarray | None, wedges: np.ndarray | None) -> np.ndarray:
    """Pairs (p, 2) of points that edges of tetrahedra and wedges join, with repetitions."""
    pairs = [np.zeros((0, 2), np.int32)]
    if tetrahedra is not None:
        pairs += [tetrahedra[:, list(pair)] for pair in combinations(range(4), 2)]
    if wedges is not None:
        pairs += [wedges[:, list(pair)] for pair in WEDGE_EDGES]
    return np.concatenate(pairs)


def wedge_diagonals(wedges: np.ndarray) -> np.ndarray:
    """Pairs (p, 2) of the diagonals of the wedges' sides, with repetitions."""
    return np.concatenate([wedges[:, list(pair)] for pair in WEDGE_DIAGONALS])
