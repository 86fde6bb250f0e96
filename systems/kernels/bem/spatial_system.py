"""What is special to space in the system of a boundary-element problem."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np

from systems.kernels.bem.spatial import assemble
from systems.kernels.bem.spatial_elements import SQUARE, TRIANGLE, Batches, batches, counts, work_space
from systems.kernels.bem.spatial_problem import SpatialProblem, sides, smooth_across, source_points
from systems.kernels.bem.spatial_rules import spatial_rules
from systems.kernels.bem.terms import Terms
from systems.kernels.bem.unknowns import Unknowns

__all__ = ["add_borders", "assemble_into", "borders", "prepared", "sides", "smooth_across"]
LOCAL = np.zeros((2, 8, 2))
LOCAL[0, :6], LOCAL[1] = TRIANGLE, SQUARE


class Borders(NamedTuple):
    """Nothing is to be added in space."""

    count: int = 0  # type: ignore[assignment]


def prepared(problem: SpatialProblem, scale: float) -> Batches:
    """The elements with their Gauss points."""
    return batches(problem.points / scale, problem.nodes, spatial_rules(problem.accuracy))


def borders(*_: object) -> Borders:
    return Borders()


def add_borders(*_: object) -> None:
    """There are none."""


def assemble_into(
    problem: SpatialProblem, scale: float, boundary: Batches, numbering: Unknowns, terms: Terms, a: np.ndarray,
    right: np.ndarray,
) -> np.ndarray:  # fmt: skip
    """Fill the equations of the nodes; returns their points (s, 3) [m]."""
    rules = spatial_rules(problem.accuracy)
    sources, places = source_points(problem, numbering)
    assemble(
        problem.points / scale, np.ascontiguousarray(problem.nodes, np.int32), counts(problem.nodes), boundary,
        rules.start, rules.points, rules.weights, rules.reach, rules.line, rules.line_weights, rules.radial,
        rules.digits, sources / scale, numbering.source_node, numbering.source_element, places, LOCAL,
        image_signs(problem.mirror), problem.poisson_ratio, problem.infinite, numbering.rows, numbering.turned, terms,
        work_space(len(problem.points), len(problem.nodes)), a, np.zeros((0, 0)), right,
    )  # fmt: skip
    return sources


def image_signs(mirror: tuple[bool, ...]) -> np.ndarray:
    """(q, 3) signs of the coordinates of the images of the boundary, its own first."""
    return np.array(list(product(*([1.0, -1.0] if mirrored else [1.0] for mirrored in mirror))))
