"""Quadrature for boundary elements in space: triangles and squares, how many points by distance, and singular elements.

Far elements: a rule of degree p leaves of Kelvin's solution at distance D from an element of radius R about
C (R / D)^(p - 1), the first term of its expansion about the element's middle that the rule does not integrate together
with a quadratic shape function. C and the least distances were measured (tests/verification/test_spatial_rules.py).
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


# Of each rule: its degree, and the constant C of its error; the last rule of the list is for cut elements too.
TRIANGLES = ((4, 0.1), (5, 0.2), (6, 0.05), (8, 0.02), (10, 0.02), (12, 0.02), (14, 0.02), (18, 0.02))
SQUARES = ((2, 0.2), (3, 0.2), (4, 0.1), (5, 0.1), (6, 0.1), (7, 0.1), (8, 0.1), (10, 0.1))  # points a side
NEAREST = 1.3  # distance over radius below which no rule is used on a whole element


@lru_cache(maxsize=16)
def spatial_rules(accuracy: float) -> SpatialRules:
    """Rules for a relative accuracy of matrix entries, from 1e-13 to 1e-2."""
    found = []
    for degree, _ in TRIANGLES:
        found.append(symmetric_triangle(degree) if degree in (4, 5, 6, 8) else conical(degree // 2 + 1))
    squares = [square(n) for n, _ in SQUARES]
    start = np.zeros((2, len(TRIANGLES) + 1), np.int64)
    for s, family in enumerate((found, squares)):
        start[s, 1:] = np.cumsum([len(weights) for _, weights in family])
    most = int(start[:, -1].max())
    points, weights = np.zeros((2, most, 2)), np.zeros((2, most))
    for s, family in enumerate((found, squares)):
        points[s, : start[s, -1]] = np.concatenate([p for p, _ in family])
        weights[s, : start[s, -1]] = np.concatenate([w for _, w in family])
    reach = np.zeros((2, len(TRIANGLES)))
    for r, (degree, constant) in enumerate(TRIANGLES):
        reach[0, r] = max(NEAREST, (constant / accuracy) ** (1 / (degree - 1)))
    for r, (n, constant) in enumerate(SQUARES):
        reach[1, r] = max(NEAREST, (constant / accuracy) ** (1 / (2 * n - 2)))
    line, line_weights = np.zeros((MOST_LINE + 1, MOST_LINE)), np.zeros((MOST_LINE + 1, MOST_LINE))
    for n in range(1, MOST_LINE + 1):
        x, w = np.polynomial.legendre.leggauss(n)
        line[n, :n], line_weights[n, :n] = 0.5 * (1 + x), 0.5 * w
    digits = math.log(1 / accuracy)
    return SpatialRules(start, points, weights, reach, line, line_weights, 3 + math.ceil(0.3 * digits), digits)
