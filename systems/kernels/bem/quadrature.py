"""Quadrature for boundary elements in the plane: Gauss rules, rules for a logarithm at one end, and orders by distance.

Order by distance: the integrand of an element seen from a point at distances d0, d1 from its ends is analytic inside
the Bernstein ellipse through the point, rho + 1/rho = (d0 + d1) / half chord, so that n Gauss points leave an error of
about rho^(-2n) (Trefethen, Approximation Theory and Approximation Practice, SIAM 2013, theorem 19.3).
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

FEWEST, MOST_BATCHED, MOST = 2, 6, 10  # MOST_BATCHED: of elements that are integrated many at a time.
# An element that would need more than MOST points is cut in two.


class Rules(NamedTuple):
    """Rules for one accuracy. Rule n has rows offset[n] to offset[n] + n - 1 of `points` and `weights` on [-1, 1].

    reach (MOST + 1,): rule n suffices from (d0 + d1) / half chord = reach[n] on. Of singular elements, cut at the
    source into pieces [0, 1]: inner points, weights, and weights for log(s) f(s) at the same points.
    """

    offset: np.ndarray
    points: np.ndarray
    weights: np.ndarray
    reach: np.ndarray
    inner: np.ndarray
    inner_weights: np.ndarray
    log_weights: np.ndarray


@lru_cache(maxsize=16)
def rules(accuracy: float) -> Rules:
    """Rules for a relative accuracy of matrix entries, from 1e-14 to 1e-2."""
    digits = math.log(1.0 / accuracy)
    offset, points, weights = np.zeros(MOST + 1, np.int64), [], []
    reach = np.full(MOST + 1, np.inf)
    for n in range(FEWEST, MOST + 1):
        offset[n] = sum(range(FEWEST, n))
        x, w = np.polynomial.legendre.leggauss(n)
        points.append(x)
        weights.append(w)
        # pieces of a cut element get a tenth of the error, as there are several
        rho = math.exp((digits if n < MOST else digits + math.log(10.0)) / (2.0 * (n - 1)))
        reach[n] = rho + 1.0 / rho
    inner, inner_weights, log_weights = logarithmic_rule(6 + math.ceil(digits * 0.6))
    return Rules(offset, np.concatenate(points), np.concatenate(weights), reach, inner, inner_weights, log_weights)


def logarithmic_rule(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points s (n,) in (0, 1), weights for f(s), and weights for log(s) f(s), exact for polynomials f of degree n - 1.

    The moments of the logarithm with shifted Legendre polynomials are -1 and (-1)^(k+1) / (k (k + 1)).
    """
    x, w = np.polynomial.legendre.leggauss(n)
    k = np.arange(1, n)
    moments = np.concatenate([[-1.0], (-1.0) ** (k + 1) / (k * (k + 1.0))])
    legendre = np.polynomial.legendre.legvander(x, n - 1)
    log_weights = 0.5 * w * (legendre @ ((2.0 * np.arange(n) + 1.0) * moments))
    return 0.5 * (x + 1.0), 0.5 * w, log_weights
