"""A plane boundary-element problem: what it is given by, its smooth nodes, and points inside its elements."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from systems.kernels.bem.planar_elements import shape_functions
from systems.kernels.bem.unknowns import Unknowns

INSET = 1.0 / 3.0  # of an element: where a corner's equation is taken inside (xi = +-(1 - 2 INSET))
SMOOTH = math.cos(math.radians(1.0))  # cosine of the angle between sides up to which a node counts as smooth


@dataclass(frozen=True, kw_only=True)
class PlanarProblem:
    """A body or a region, its boundary and what acts on it.

    points (n, 2) [m]; nodes (m, 2 or 3): elements, first, [middle,] last, with the material on the left.
    shear_modulus [Pa]; poisson_ratio: of plane strain; nu / (1 + nu) for plane stress.
    u_fixed (m, k, 2): prescribed displacements; u_value (m, k, 2) [m]; t_value (m, k, 2) [Pa]: tractions elsewhere;
    spring (m, k, 2) [Pa/m]: elastic support: all along the axes of frames (n, 2, 2), whose columns are unit vectors.
    mirror: whether x = 0 and y = 0 are planes of symmetry. u_free (n, 2), t_free (m, k, 2): a particular solution, of a
    body force or of a far field. log_length [m]: None for equations that need none. accuracy: of matrix entries.
    """

    points: np.ndarray
    nodes: np.ndarray
    shear_modulus: float
    poisson_ratio: float
    u_fixed: np.ndarray
    u_value: np.ndarray
    t_value: np.ndarray
    spring: np.ndarray
    frames: np.ndarray
    u_free: np.ndarray
    t_free: np.ndarray
    infinite: bool = False
    mirror: tuple[bool, bool] = (False, False)
    log_length: float | None = None
    accuracy: float = 1e-6


def sides(problem: PlanarProblem) -> np.ndarray:
    """(m, k) number of the side of its node that each element point is on: 0 for both elements of a smooth node."""
    nodes = problem.nodes
    m, k = nodes.shape
    along = _tangents(problem)
    start, end = along[:, 0], along[:, -1]
    begins = np.full(len(problem.points), -1)
    begins[nodes[:, 0]] = np.arange(m)
    found = np.zeros((m, k), np.int64)
    next_ = begins[nodes[:, -1]]  # the element that goes on where another ends
    a, b = end, start[next_]
    smooth = (a * b).sum(1) >= SMOOTH * np.sqrt((a * a).sum(1) * (b * b).sum(1))
    found[:, -1] = np.where((next_ >= 0) & smooth, 0, 1)
    return found


def smooth_across(problem: PlanarProblem) -> np.ndarray:
    """(m, k, 2) whether the boundary would have one tangent with its image in the axis' plane through the point."""
    along = _tangents(problem)
    normal = np.abs(np.stack([along[..., 1], along[..., 0]], axis=-1))
    return normal <= math.sqrt(0.5 * (1.0 - SMOOTH)) * np.sqrt((along * along).sum(axis=-1, keepdims=True))


def _tangents(problem: PlanarProblem) -> np.ndarray:
    """(m, k, 2) along the boundary at the points of the elements, of any length."""
    corner, k = problem.points[problem.nodes], problem.nodes.shape[1]
    if k == 2:
        return np.repeat(corner[:, 1:] - corner[:, :1], 2, axis=1)
    a, b, c = corner[:, 0], corner[:, 1], corner[:, 2]
    return np.stack([-3 * a + 4 * b - c, c - a, a - 4 * b + 3 * c], axis=1)


def source_points(problem: PlanarProblem, numbering: Unknowns) -> tuple[np.ndarray, np.ndarray]:
    """Points (s, 2) of the equations, and their place xi (s,) on their elements; those at nodes have 0."""
    k = problem.nodes.shape[1]
    element = numbering.source_element
    xi = np.where(numbering.source_corner == 0, -1.0, 1.0) * (1.0 - 2.0 * INSET)
    xi[numbering.source_node >= 0] = 0.0
    inside = (shape_functions(xi, k)[:, :, None] * problem.points[problem.nodes[element]]).sum(axis=1)
    return np.where(numbering.source_node[:, None] >= 0, problem.points[numbering.source_node], inside), xi
