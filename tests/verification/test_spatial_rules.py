"""How far the quadrature rules of surfaces reach, measured: what the table in spatial_rules.py says."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from systems.kernels.bem.spatial_elements import shape_table
from systems.kernels.bem.spatial_rules import ERRORS, RATIOS, reaches, rule_points
from systems.kernels.bem.triangle_rules import ORBITS, symmetric_triangle

CORNERS: Any = (
    [[(0, 0), (1, 0), (0.5, 0.75**0.5)], [(0, 0), (1, 0), (0, 1)], [(0, 0), (1, 0), (0.2, 0.5)]],
    [[(0, 0), (1, 0), (1, 1), (0, 1)], [(0, 0), (2, 0), (2, 1), (0, 1)], [(0, 0), (1.2, 0), (1, 0.8), (0.1, 0.9)]],
)
ROUNDING = 2e-14  # of the measurement


@pytest.mark.parametrize("degree", ORBITS)
def test_symmetric_rules_are_exact_to_their_degree(degree: int) -> None:
    points, weights = symmetric_triangle(degree)
    assert points.min() > 0 and points.sum(axis=1).max() < 1 and weights.min() > 0
    for i in range(degree + 1):
        for j in range(degree + 1 - i):
            exact = math.factorial(i) * math.factorial(j) / math.factorial(i + j + 2)
            assert weights @ (points[:, 0] ** i * points[:, 1] ** j) == pytest.approx(exact, rel=1e-11)


def directions(count: int) -> np.ndarray:
    """(d, 3) unit vectors all around, and some in the plane of the element."""
    i = np.arange(count) + 0.5
    z, a = 1 - 2 * i / count, np.pi * (1 + 5**0.5) * i
    around = np.stack([np.sqrt(1 - z * z) * np.cos(a), np.sqrt(1 - z * z) * np.sin(a), z], axis=1)
    return np.concatenate([around, np.stack([np.cos(a[:24]), np.sin(a[:24]), np.zeros(24)], axis=1)])


def cut_twice(shape: int, at: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    for _ in range(2):
        if shape == 0:
            at = 0.5 * np.concatenate([at, at + np.eye(2)[0], at + np.eye(2)[1], 1 - at])
        else:
            at = 0.5 * np.concatenate([at + np.array([a, b]) for a in (-1, 1) for b in (-1, 1)])
        weights = 0.25 * np.tile(weights, 4)
    return at, weights


def blocks(points: np.ndarray, at: np.ndarray, weights: np.ndarray, y: np.ndarray) -> list[np.ndarray]:
    """(sources, entries) of U and of T, for nu = .3, of a flat quadratic element with points (k, 3)."""
    nu, n, one = 0.3, np.array([0, 0, 1.0]), np.eye(3)
    values, slopes = shape_table(len(points), at)
    tangent = np.einsum("qcd,ci->qdi", slopes, points)
    weights = weights * np.linalg.norm(np.cross(tangent[:, 0], tangent[:, 1]), axis=1)
    d = (values @ points)[None] - y[:, None]
    r = np.sqrt((d * d).sum(axis=2))[..., None, None]
    q = d / r[..., 0]
    outer, less = q[..., :, None] * q[..., None, :], 1 - 2 * nu
    turn = q[..., :, None] * n - n[:, None] * q[..., None, :]
    along = (q @ n)[..., None, None]
    kernels = ((3 - 4 * nu) * one + outer) / r, ((less * one + 3 * outer) * along - less * turn) / r**2
    return [np.einsum("pqij,qc->pcij", part, values * weights[:, None]).reshape(len(y), -1) for part in kernels]


def measured(shape: int, ratio: float, numbers: Any = range(9)) -> np.ndarray:
    """Of each rule, the largest error of an entry over the largest of its block, from all sides and of all shapes."""
    found = dict.fromkeys(numbers, 0.0)
    for corner in CORNERS[shape]:
        flat = np.concatenate([corner, np.zeros((len(corner), 1))], axis=1)
        points = np.concatenate([flat, 0.5 * (flat + np.roll(flat, -1, axis=0))])
        middle = flat.mean(axis=0)
        y = middle + ratio * np.linalg.norm(points - middle, axis=1).max() * directions(40)
        exact = blocks(points, *cut_twice(shape, *rule_points(shape, 8)), y)
        for number in found:
            for got, wanted in zip(blocks(points, *rule_points(shape, number), y), exact, strict=True):
                error = np.abs(got - wanted).max(axis=1) / np.abs(wanted).max(axis=1)
                found[number] = max(found[number], float(error.max()))
    return np.array(list(found.values()))


@pytest.mark.slow
@pytest.mark.parametrize("shape", [0, 1])
def test_rules_reach_as_far_as_the_table_says(shape: int) -> None:
    """The table is of 200 directions: others may give half as much more."""
    table = np.array(ERRORS[shape])
    for column, ratio in enumerate(RATIOS):
        assert np.all(measured(shape, ratio) < 1.5 * table[:, column] + ROUNDING), f"at a ratio of {ratio}"


@pytest.mark.parametrize("shape", [0, 1])
@pytest.mark.parametrize("accuracy", [1e-4, 1e-6, 1e-9])
def test_entries_reach_their_accuracy_where_rules_begin(shape: int, accuracy: float) -> None:
    for number, reach in enumerate(reaches(shape, accuracy)):
        assert measured(shape, float(reach), [number])[0] < 1.5 * accuracy
