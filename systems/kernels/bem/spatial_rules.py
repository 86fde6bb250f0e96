"""Quadrature for boundary elements in space: triangles and squares, how many points by distance, and singular elements.

How far a rule reaches was measured, not derived: ERRORS is the largest error of an entry over the largest entry of its
element's block, of U and T, for flat quadratic elements of several shapes, seen from all sides at distances of RATIOS
times their radius (tests/verification/test_spatial_rules.py measures it again).
Triangles have symmetric rules (triangle_rules.py), and for the last one a conical product of Gauss rules
(A. H. Stroud, Approximate Calculation of Multiple Integrals, 1971).
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from systems.kernels.bem.triangle_rules import symmetric_triangle

DEEPEST = 40  # times that an element is cut in four towards a near point
MOST_LINE = 24  # points of the largest rule on a line


class SpatialRules(NamedTuple):
    """Rules for one accuracy, for triangles (0) and squares (1).

    points (2, q, 2), weights (2, q); rule r of shape s has rows start[s, r] ... start[s, r + 1] - 1, and suffices from
    distance over radius = reach[s, r] on. line, line_weights: Gauss' rule of n points on [0, 1] in row n. radial: how
    many points singular elements have along a ray; digits: natural logarithm of the accuracy's inverse.
    """

    start: np.ndarray
    points: np.ndarray
    weights: np.ndarray
    reach: np.ndarray
    line: np.ndarray
    line_weights: np.ndarray
    radial: int
    digits: float


def conical(n: int) -> tuple[np.ndarray, np.ndarray]:
    """(points, weights) of degree 2 n - 2 on the triangle: a square of Gauss points, one side drawn to a corner."""
    x, w = np.polynomial.legendre.leggauss(n)
    x, w = 0.5 * (1 + x), 0.5 * w
    u, v = (item.ravel() for item in np.meshgrid(x, x, indexing="ij"))
    return np.stack([u * (1 - v), v], axis=1), np.multiply.outer(w, w).ravel() * (1 - v)


def square(n: int) -> tuple[np.ndarray, np.ndarray]:
    """(points, weights) of degree 2 n - 1 in each direction on [-1, 1]^2."""
    x, w = np.polynomial.legendre.leggauss(n)
    u, v = (item.ravel() for item in np.meshgrid(x, x, indexing="ij"))
    return np.stack([u, v], axis=1), np.multiply.outer(w, w).ravel()


TRIANGLES = (4, 5, 6, 8, 10, 12, 14, 17, -12)  # degrees of symmetric rules, and - points a side of conical products
SQUARES = (3, 4, 5, 6, 7, 8, 9, 10, 12)  # points a side
RATIOS = (1.2, 1.3, 1.5, 1.7, 2.0, 2.5, 3.0, 4.0, 6.0, 10.0, 20.0, 40.0, 80.0)
ERRORS = (
    (
        (2.1e-1, 8.9e-2, 4.0e-2, 2.3e-2, 1.2e-2, 5.4e-3, 2.9e-3, 1.2e-3, 3.4e-4, 7.1e-5, 9.0e-6, 1.1e-6, 1.4e-7),
        (2.9e-1, 1.5e-1, 5.5e-2, 2.6e-2, 1.1e-2, 4.7e-3, 2.3e-3, 7.2e-4, 1.5e-4, 1.9e-5, 1.2e-6, 7.6e-8, 4.8e-9),
        (8.8e-2, 3.1e-2, 6.6e-3, 2.6e-3, 8.6e-4, 2.2e-4, 7.4e-5, 1.4e-5, 1.4e-6, 8.1e-8, 2.1e-9, 5.9e-11, 1.8e-12),
        (4.5e-2, 1.4e-2, 2.8e-3, 1.0e-3, 3.0e-4, 5.7e-5, 1.5e-5, 2.0e-6, 1.1e-7, 3.0e-9, 2.4e-11, 1.9e-13, 9.5e-15),
        (1.9e-2, 4.3e-3, 4.5e-4, 8.5e-5, 1.1e-5, 8.7e-7, 1.3e-7, 7.3e-9, 1.6e-10, 1.5e-12, 1e-15, 1e-15, 1e-15),
        (1.8e-3, 3.6e-4, 3.0e-5, 5.9e-6, 7.4e-7, 4.2e-8, 4.2e-9, 1.5e-10, 1.4e-12, 1e-15, 1e-15, 1e-15, 1e-15),
        (1.4e-3, 3.2e-4, 2.5e-5, 3.0e-6, 2.1e-7, 6.3e-9, 4.0e-10, 5.7e-12, 2.4e-14, 1e-15, 1e-15, 1e-15, 1e-15),
        (1.8e-4, 1.9e-5, 5.7e-7, 4.0e-8, 1.7e-9, 3.4e-11, 1.7e-12, 1.6e-14, 1e-15, 1e-15, 1e-15, 1e-15, 1e-15),
        (6.8e-6, 3.6e-7, 3.1e-9, 9.8e-11, 1.4e-12, 1.0e-14, 1e-15, 1e-15, 1e-15, 1e-15, 1e-15, 1e-15, 1e-15),
    ),
    (
        (1.8e-1, 9.8e-2, 4.2e-2, 2.2e-2, 1.2e-2, 4.8e-3, 2.4e-3, 8.2e-4, 1.8e-4, 2.5e-5, 1.7e-6, 1.7e-7, 1.8e-8),
        (6.0e-2, 2.7e-2, 6.8e-3, 2.4e-3, 9.3e-4, 2.6e-4, 8.7e-5, 1.6e-5, 1.5e-6, 7.8e-8, 1.3e-9, 2.5e-11, 6.7e-13),
        (1.9e-2, 5.7e-3, 9.7e-4, 2.9e-4, 7.3e-5, 1.2e-5, 2.7e-6, 2.5e-7, 1.1e-8, 2.0e-10, 8.0e-13, 8.2e-15, 1e-15),
        (4.9e-3, 1.1e-3, 1.4e-4, 3.3e-5, 5.6e-6, 5.0e-7, 7.6e-8, 4.0e-9, 6.8e-11, 4.4e-13, 1e-15, 1e-15, 1e-15),
        (1.3e-3, 3.0e-4, 2.6e-5, 3.6e-6, 4.2e-7, 2.5e-8, 2.5e-9, 6.7e-11, 5.1e-13, 1e-15, 1e-15, 1e-15, 1e-15),
        (4.7e-4, 6.6e-5, 3.5e-6, 3.9e-7, 3.2e-8, 1.1e-9, 7.0e-11, 1.1e-12, 1e-15, 1e-15, 1e-15, 1e-15, 1e-15),
        (1.4e-4, 1.5e-5, 5.3e-7, 4.5e-8, 2.4e-9, 4.7e-11, 2.2e-12, 2.0e-14, 1e-15, 1e-15, 1e-15, 1e-15, 1e-15),
        (3.4e-5, 3.1e-6, 7.9e-8, 5.1e-9, 1.8e-10, 2.2e-12, 6.2e-14, 1e-15, 1e-15, 1e-15, 1e-15, 1e-15, 1e-15),
        (3.2e-6, 1.7e-7, 1.8e-9, 5.9e-11, 9.7e-13, 7.7e-15, 1e-15, 1e-15, 1e-15, 1e-15, 1e-15, 1e-15, 1e-15),
    ),
)  # fmt: skip


def rule_points(shape: int, number: int) -> tuple[np.ndarray, np.ndarray]:
    """(points, weights) of a rule of triangles (shape 0) or squares (1)."""
    if shape == 1:
        return square(SQUARES[number])
    kind = TRIANGLES[number]
    return symmetric_triangle(kind) if kind > 0 else conical(-kind)


def reaches(shape: int, accuracy: float) -> np.ndarray:
    """(rules,) distance over radius from which each rule is accurate enough: interpolated in logarithms."""
    found = []
    for errors in ERRORS[shape]:
        falling = np.minimum.accumulate(errors)[::-1]
        found.append(np.exp(np.interp(math.log(accuracy), np.log(falling), np.log(RATIOS[::-1]))))
        if accuracy < errors[-1]:  # beyond the table the last slope goes on
            slope = math.log(errors[-2] / errors[-1]) / math.log(RATIOS[-1] / RATIOS[-2])
            found[-1] = RATIOS[-1] * (errors[-1] / accuracy) ** (1 / max(slope, 1.0))
    return np.minimum.accumulate(found)


@lru_cache(maxsize=16)
def spatial_rules(accuracy: float) -> SpatialRules:
    """Rules for a relative accuracy of matrix entries, from 1e-13 to 1e-2."""
    count = len(TRIANGLES)
    families = [[rule_points(s, number) for number in range(count)] for s in range(2)]
    start = np.zeros((2, count + 1), np.int64)
    for s, family in enumerate(families):
        start[s, 1:] = np.cumsum([len(weights) for _, weights in family])
    most = int(start[:, -1].max())
    points, weights = np.zeros((2, most, 2)), np.zeros((2, most))
    for s, family in enumerate(families):
        points[s, : start[s, -1]] = np.concatenate([p for p, _ in family])
        weights[s, : start[s, -1]] = np.concatenate([w for _, w in family])
    reach = np.stack([reaches(s, accuracy) for s in range(2)])
    line, line_weights = np.zeros((MOST_LINE + 1, MOST_LINE)), np.zeros((MOST_LINE + 1, MOST_LINE))
    for n in range(1, MOST_LINE + 1):
        x, w = np.polynomial.legendre.leggauss(n)
        line[n, :n], line_weights[n, :n] = 0.5 * (1 + x), 0.5 * w
    digits = math.log(1 / accuracy)
    return SpatialRules(start, points, weights, reach, line, line_weights, 3 + math.ceil(0.3 * digits), digits)
