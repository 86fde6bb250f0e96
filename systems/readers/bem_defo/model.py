"""`BemDefo`: what a bem_defo file says, as plain arrays."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

ANALYSES = ("plane strain", "plane stress", "three-dimensional")  # type_of_analysis 1, 2, 3
WIDEST = 8  # points of the largest element in three dimensions


@dataclass(frozen=True, eq=False)
class Conditions:
    """One <bc>: displacement (m, k, d) [m] and traction (m, k, d) [Pa] at each point of each element.

    nan where the file prescribes nothing, and in unused places. Points of an element are in the order of its row in
    `BemDefo.elements`. Where a component has both, the displacement counts.
    """

    displacement: np.ndarray
    traction: np.ndarray


@dataclass(frozen=True, eq=False)
class BemDefo:
    """A boundary-element problem, in the order of its file.

    dimension d: 2 or 3. analysis: one of ANALYSES. infinite: the material is outside the boundary. symmetry: 0 none,
    1 about the plane x = 0, 2 also y = 0, 3 also z = 0. order: 1 linear, 2 quadratic elements. young_modulus [Pa].
    point_ids (n,), points (n, d) [m]. element_ids (m,), elements (m, k): indices of points. In the plane k = order + 1:
    first, (middle,) last. In space k = 8: 3 or 4 corners, anticlockwise seen from outside, then the middles of the
    sides from corner 1 to 2 on, then -1. conditions: one for each <bc>.
    """

    dimension: int
    analysis: str
    infinite: bool
    symmetry: int
    order: int
    young_modulus: float
    poisson_ratio: float
    point_ids: np.ndarray
    points: np.ndarray
    element_ids: np.ndarray
    elements: np.ndarray
    conditions: tuple[Conditions, ...]


def same(a: BemDefo, b: BemDefo) -> bool:
    """Whether two problems are the same, bit for bit."""
    if len(a.conditions) != len(b.conditions):
        return False
    pairs = [(a, b), *zip(a.conditions, b.conditions, strict=True)]
    return all(
        _same(getattr(one, item.name), getattr(other, item.name))
        for one, other in pairs
        for item in dataclasses.fields(one)
        if item.name != "conditions"
    )


def _same(a: object, b: object) -> bool:
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()
    return repr(a) == repr(b)  # tells -0.0 from 0.0
