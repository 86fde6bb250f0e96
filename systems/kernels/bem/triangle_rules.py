"""Symmetric quadrature rules on the triangle, of degrees 4 to 17, all points inside and all weights positive.

Degree 5: J. Radon (1948); the others: D. A. Dunavant, International Journal for Numerical Methods in Engineering 21
(1985) 1129-1148, doi:10.1002/nme.1620210612.
"""

from __future__ import annotations

import math

import numpy as np

_ROOT = math.sqrt(15)
# Of each degree: places of one point (none: the middle; a: with a twice among its areal coordinates; a, b: all three
# different), and the weight of each of the 1, 3 or 6 points alike, of a sum 1.
ORBITS = {
    4: (((0.445948490915965,), 0.223381589678011), ((0.091576213509771,), 0.109951743655322)),
    5: (
        ((), 9 / 40), (((6 - _ROOT) / 21,), (155 - _ROOT) / 1200), (((6 + _ROOT) / 21,), (155 + _ROOT) / 1200),
    ),
    6: (
        ((0.249286745170910,), 0.116786275726379), ((0.063089014491502,), 0.050844906370207),
        ((0.053145049844817, 0.310352451033784), 0.082851075618374),
    ),
    8: (
        ((), 0.144315607677787), ((0.459292588292723,), 0.095091634267285), ((0.170569307751760,), 0.103217370534718),
        ((0.050547228317031,), 0.032458497623198), ((0.008394777409958, 0.263112829634638), 0.027230314174435),
    ),
    10: (
        ((), 0.090817990382754), ((0.485577633383657,), 0.036725957756467), ((0.109481575485037,), 0.045321059435528),
        ((0.141707219414880, 0.307939838764121), 0.072757916845420),
        ((0.025003534762686, 0.246672560639903), 0.028327242531057),
        ((0.009540815400299, 0.066803251012200), 0.009421666963733),
    ),
    12: (
        ((0.488217389773805,), 0.025731066440455), ((0.439724392294460,), 0.043692544538038),
        ((0.271210385012116,), 0.062858224217885), ((0.127576145541586,), 0.034796112930709),
        ((0.021317350453210,), 0.006166261051559), ((0.115343494534698, 0.275713269685514), 0.040371557766381),
        ((0.022838332222257, 0.281325580989940), 0.022356773202303),
        ((0.025734050548330, 0.116251915907597), 0.017316231108659),
    ),
    14: (
        ((0.488963910362179,), 0.021883581369429), ((0.417644719340454,), 0.032788353544125),
        ((0.273477528308839,), 0.051774104507292), ((0.177205532412543,), 0.042162588736993),
        ((0.061799883090873,), 0.014433699669777), ((0.019390961248701,), 0.004923403602400),
        ((0.057124757403648, 0.172266687821356), 0.024665753212564),
        ((0.092916249356972, 0.336861459796345), 0.038571510787061),
        ((0.014646950055654, 0.298372882136258), 0.014436308113534),
        ((0.001268330932872, 0.118974497696957), 0.005010228838501),
    ),
    17: (
        ((), 0.033437199290803), ((0.497170540556774,), 0.005093415440507), ((0.482176322624625,), 0.014670864527638),
        ((0.450239969020782,), 0.024350878353672), ((0.400266239377397,), 0.031107550868969),
        ((0.252141267970953,), 0.031257111218620), ((0.162047004658461,), 0.024815654339665),
        ((0.075875882260746,), 0.014056073070557), ((0.015654726967822,), 0.003194676173779),
        ((0.010186928826919, 0.334319867363658), 0.008119655318993),
        ((0.135440871671036, 0.292221537796944), 0.026805742283163),
        ((0.054423924290583, 0.319574885423190), 0.018459993210822),
        ((0.012868560833637, 0.190704224192292), 0.008476868534328),
        ((0.067165782413524, 0.180483211648746), 0.018292796770025),
        ((0.014663182224828, 0.080711313679564), 0.006665632004165),
    ),
}  # fmt: skip


def symmetric_triangle(degree: int) -> tuple[np.ndarray, np.ndarray]:
    """(points (q, 2), weights (q,) with sum 1/2) on the triangle (0, 0), (1, 0), (0, 1)."""
    points: list[tuple[float, float]] = []
    weights: list[float] = []
    for where, weight in ORBITS[degree]:
        if not where:
            alike = [(1 / 3, 1 / 3)]
        elif len(where) == 1:
            a = where[0]
            alike = [(a, a), (a, 1 - 2 * a), (1 - 2 * a, a)]
        else:
            a, b = where
            c = 1 - a - b
            alike = [(a, b), (b, a), (a, c), (c, a), (b, c), (c, b)]
        points += alike
        weights += [0.5 * weight] * len(alike)
    return _polished(np.array(points), np.array(weights), degree)


def _polished(points: np.ndarray, weights: np.ndarray, degree: int) -> tuple[np.ndarray, np.ndarray]:
    """The rule to all digits: the printed ones have 15. Three Gauss-Newton steps on the moments, smallest change.

    Of products of Legendre polynomials: powers are too much alike at degree 17.
    """
    x, w = np.polynomial.legendre.leggauss(degree + 2)
    s, t = (item.ravel() for item in np.meshgrid(0.5 * (1 + x), 0.5 * (1 + x), indexing="ij"))
    at = np.stack([s * (1 - t), t], axis=1)
    exact = _products(at, degree)[0] @ (0.25 * np.multiply.outer(w, w).ravel() * (1 - t))
    n = len(weights)
    for _ in range(3):
        rows, by_x, by_y = _products(points, degree)
        step = np.concatenate([rows, by_x * weights, by_y * weights], axis=1)
        change = np.linalg.lstsq(step, exact - rows @ weights, rcond=1e-12)[0]
        weights, points = weights + change[:n], points + np.stack([change[n : 2 * n], change[2 * n :]], axis=1)
    return points, weights


def _products(at: np.ndarray, degree: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Products (f, q) of Legendre polynomials of 2 x - 1 and 2 y - 1 up to a degree, and their derivatives."""
    legendre = np.polynomial.legendre
    rise = legendre.legder(np.eye(degree + 1))
    p, q = legendre.legvander(2 * at[:, 0] - 1, degree), legendre.legvander(2 * at[:, 1] - 1, degree)
    dp, dq = (2 * legendre.legval(2 * at[:, axis] - 1, rise).T for axis in range(2))
    powers = [(i, j) for i in range(degree + 1) for j in range(degree + 1 - i)]
    return tuple(np.array([a[:, i] * b[:, j] for i, j in powers]) for a, b in ((p, q), (dp, q), (p, dq)))
