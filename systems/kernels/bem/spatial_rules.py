"""Quadrature for boundary elements in space: triangles and squares, how many points by distance, and singular elements.

How far a rule reaches was measured, not derived: ERRORS is the largest error of an entry over the largest entry of its
element's block, of U and T, for flat quadratic elements of several shapes, seen from all sides at distances of RATIOS
times their radius (tests/verification/test_spatial_rules.py measures it again).
Triangle rules of degree 4, 6 and 8: D. A. Dunavant, International Journal for Numerical Methods in Engineering 21
(1985) 1129-1148, doi:10.1002/nme.1620210612; of degree 5: J. Radon (1948); the others are conical products of Gauss
rules (A. H. Stroud, Approximate Calculation of Multiple Integrals, 1971).
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

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


def symmetric_triangle(degree: int) -> tuple[np.ndarray, np.ndarray]:
    """(points (q, 2), weights (q,) with sum 1/2) on the triangle (0, 0), (1, 0), (0, 1)."""
    if degree == 4:
        orbits = [((0.445948490915965,), 0.223381589678011), ((0.091576213509771,), 0.109951743655322)]
    elif degree == 5:
        root = math.sqrt(15)
        orbits = [((), 9 / 40), (((6 - root) / 21,), (155 - root) / 1200), (((6 + root) / 21,), (155 + root) / 1200)]
    elif degree == 6:
        orbits = [((0.249286745170910,), 0.116786275726379), ((0.063089014491502,), 0.050844906370207),
                  ((0.053145049844817, 0.310352451033784), 0.082851075618374)]
    elif degree == 8:
        orbits = [((), 0.144315607677787), ((0.459292588292723,), 0.095091634267285),
                  ((0.170569307751760,), 0.103217370534718), ((0.050547228317031,), 0.032458497623198),
                  ((0.008394777409958, 0.263112829634638), 0.027230314174435)]
    else:
        raise ValueError(f"no symmetric rule of degree {degree}")
    points, weights = [], []
    for where, weight in orbits:
        if not where:
            corners = [(1 / 3, 1 / 3)]
        elif len(where) == 1:
            a = where[0]
            corners = [(a, a), (a, 1 - 2 * a), (1 - 2 * a, a)]
        else:
            a, b = where
            c = 1 - a - b
            corners = [(a, b), (b, a), (a, c), (c, a), (b, c), (c, b)]
        points += corners
        weights += [0.5 * weight] * len(corners)
    return _polished(np.array(points), np.array(weights), degree)


def _polished(points: np.ndarray, weights: np.ndarray, degree: int) -> tuple[np.ndarray, np.ndarray]:
    """The rule to all digits: the printed ones have 15. Two Gauss-Newton steps on the moments, smallest change."""
    powers = [(i, j) for i in range(degree + 1) for j in range(degree + 1 - i)]
    exact = np.array([math.factorial(i) * math.factorial(j) / math.factorial(i + j + 2) for i, j in powers])
    for _ in range(2):
        x, y = points.T
        rows = np.array([x**i * y**j for i, j in powers])
        by_x = np.array([i * x ** max(i - 1, 0) * y**j for i, j in powers]) * weights
        by_y = np.array([j * x**i * y ** max(j - 1, 0) for i, j in powers]) * weights
        change = np.linalg.lstsq(np.concatenate([rows, by_x, by_y], axis=1), exact - rows @ weights, rcond=1e-12)[0]
        n = len(weights)
        weights = weights + change[:n]
        points = points + np.stack([change[n : 2 * n], change[2 * n :]], axis=1)
    return points, weights


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


TRIANGLES = (4, 5, 6, 8, -6, -7, -8, -10, -12)  # degrees of symmetric rules, and - points a side of conical products
SQUARES = (3, 4, 5, 6, 7, 8, 9, 10, 12)  # points a side
RATIOS = (1.2, 1.3, 1.5, 1.7, 2.0, 2.5, 3.0, 4.0, 6.0, 10.0, 20.0, 40.0, 80.0)
ERRORS = (
    (
        (1.9e-1, 7.6e-2, 4.0e-2, 2.3e-2, 1.2e-2, 5.4e-3, 2.9e-3, 1.2e-3, 3.4e-4, 7.1e-5, 8.6e-6, 1.1e-6, 1.4e-7),
        (2.6e-1, 1.5e-1, 4.9e-2, 2.1e-2, 1.1e-2, 4.4e-3, 2.2e-3, 7.0e-4, 1.4e-4, 1.9e-5, 1.2e-6, 7.6e-8, 4.8e-9),
        (7.7e-2, 2.6e-2, 5.3e-3, 2.1e-3, 7.6e-4, 2.0e-4, 7.2e-5, 1.4e-5, 1.3e-6, 7.0e-8, 1.9e-9, 5.9e-11, 1.8e-12),
        (3.9e-2, 1.2e-2, 2.8e-3, 9.4e-4, 2.6e-4, 5.3e-5, 1.4e-5, 1.9e-6, 1.1e-7, 3.0e-9, 2.3e-11, 1.8e-13, 9.5e-15),
        (1.6e-2, 4.0e-3, 4.8e-4, 8.3e-5, 9.5e-6, 9.8e-7, 1.9e-7, 1.4e-8, 3.3e-10, 3.4e-12, 1.0e-14, 1e-15, 1e-15),
        (4.3e-3, 8.0e-4, 5.0e-5, 6.8e-6, 7.5e-7, 4.3e-8, 4.9e-9, 1.8e-10, 2.0e-12, 1.0e-14, 1e-15, 1e-15, 1e-15),
        (1.1e-3, 1.7e-4, 6.3e-6, 7.8e-7, 5.8e-8, 2.1e-9, 1.6e-10, 3.0e-12, 1.5e-14, 1e-15, 1e-15, 1e-15, 1e-15),
        (8.4e-5, 7.9e-6, 1.5e-7, 9.4e-9, 3.0e-10, 4.1e-12, 1.4e-13, 1e-15, 1e-15, 1e-15, 1e-15, 1e-15, 1e-15),
        (5.6e-6, 3.6e-7, 3.1e-9, 9.8e-11, 1.3e-12, 1.0e-14, 1e-15, 1e-15, 1e-15, 1e-15, 1e-15, 1e-15, 1e-15),
    ),
    (
        (1.8e-1, 9.4e-2, 4.2e-2, 2.2e-2, 1.2e-2, 4.7e-3, 2.4e-3, 7.6e-4, 1.5e-4, 2.0e-5, 1.3e-6, 8.0e-8, 5.0e-9),
        (6.0e-2, 2.5e-2, 6.8e-3, 2.4e-3, 9.1e-4, 2.4e-4, 8.0e-5, 1.4e-5, 1.2e-6, 5.5e-8, 8.5e-10, 1.3e-11, 2.0e-13),
        (1.9e-2, 5.7e-3, 9.7e-4, 2.8e-4, 7.3e-5, 1.2e-5, 2.5e-6, 2.3e-7, 8.7e-9, 1.5e-10, 6.3e-13, 8.2e-15, 1e-15),
        (4.9e-3, 1.1e-3, 1.4e-4, 3.3e-5, 5.6e-6, 4.7e-7, 7.2e-8, 4.0e-9, 6.8e-11, 4.4e-13, 1e-15, 1e-15, 1e-15),
        (1.3e-3, 3.0e-4, 2.6e-5, 3.4e-6, 3.9e-7, 2.1e-8, 2.1e-9, 6.3e-11, 5.1e-13, 1e-15, 1e-15, 1e-15, 1e-15),
        (4.7e-4, 6.6e-5, 3.5e-6, 3.9e-7, 3.2e-8, 1.1e-9, 6.8e-11, 1.0e-12, 1e-15, 1e-15, 1e-15, 1e-15, 1e-15),
        (1.4e-4, 1.5e-5, 5.3e-7, 4.3e-8, 2.2e-9, 4.5e-11, 2.0e-12, 2.0e-14, 1e-15, 1e-15, 1e-15, 1e-15, 1e-15),
        (3.4e-5, 3.1e-6, 7.9e-8, 4.9e-9, 1.7e-10, 2.1e-12, 6.2e-14, 1e-15, 1e-15, 1e-15, 1e-15, 1e-15, 1e-15),
        (3.2e-6, 1.7e-7, 1.8e-9, 5.6e-11, 8.9e-13, 7.7e-15, 1e-15, 1e-15, 1e-15, 1e-15, 1e-15, 1e-15, 1e-15),
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
