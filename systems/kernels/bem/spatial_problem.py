"""A boundary-element problem in space: what it is given by, the smooth sides of nodes, and points inside elements."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from systems.kernels.bem.spatial_elements import counts, element_normals, local_places, shape_table
from systems.kernels.bem.unknowns import Unknowns

INSET = 0.6  # of the way from a point of an element to its middle: where an edge's equation is taken inside


@dataclass(frozen=True, kw_only=True)
class SpatialProblem:
    """A body or a region, its surface and what acts on it.

    points (n, 3) [m]; nodes (m, 8): elements of 3 or 4 corners, anticlockwise seen from outside the material, then the
    middles of the sides of quadratic ones; -1 in unused places. shear_modulus [Pa]; poisson_ratio.
    u_fixed (m, 8, 3): prescribed displacements; u_value (m, 8, 3) [m]; t_value (m, 8, 3) [Pa]: tractions elsewhere;
    spring (m, 8, 3) [Pa/m]: elastic support: all along the axes of frames (n, 3, 3), whose columns are unit vectors.
    mirror: whether x = 0, y = 0, z = 0 are planes of symmetry. u_free (n, 3), t_free (m, 8, 3): a particular solution,
    of a body force or of a far field. accuracy: of matrix entries. smooth [rad]: angle between normals up to which
    elements that meet count as one side, where the traction does not jump. At 30 degrees a sphere of 24 quadratic
    elements is smooth everywhere, one of 192 linear triangles too, and an edge of 45 degrees is an edge; an edge too
    many costs unknowns, one too few the jump.
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
    mirror: tuple[bool, bool, bool] = (False, False, False)
    accuracy: float = 1e-6
    smooth: float = math.radians(30.0)


def sides(problem: SpatialProblem) -> np.ndarray:
    """(m, 8) number of the side of its node that each element point is on: elements with nearly the same normal."""
    normals, least = element_normals(problem.points, problem.nodes), math.cos(problem.smooth)
    found = np.zeros(problem.nodes.shape, np.int64)
    e, c = np.nonzero(problem.nodes >= 0)
    order = np.argsort(problem.nodes[e, c], kind="stable")
    e, c = e[order], c[order]
    node = problem.nodes[e, c]
    first = np.flatnonzero(np.concatenate([[True], node[1:] != node[:-1]]))
    for begin, end in zip(first, [*first[1:], len(node)], strict=True):
        own = normals[e[begin:end], c[begin:end]]
        alike = own @ own.T >= least
        label = np.arange(len(own))
        for _ in range(len(own)):  # chains of neighbours are one side
            spread = np.where(alike, label[None, :], len(own)).min(axis=1)
            if np.array_equal(spread, label):
                break
            label = spread
        found[e[begin:end], c[begin:end]] = label
    return found


def smooth_across(problem: SpatialProblem) -> np.ndarray:
    """(m, 8, 3) whether an element point and its image in the plane through it would be on one side."""
    return np.abs(element_normals(problem.points, problem.nodes)) <= math.sin(0.5 * problem.smooth)


def source_points(problem: SpatialProblem, numbering: Unknowns) -> tuple[np.ndarray, np.ndarray]:
    """Points (s, 3) of the equations, and their local places (s, 2) on their elements; those at nodes have 0."""
    places = np.zeros((len(numbering.source_node), 2))
    found = problem.points[np.maximum(numbering.source_node, 0)].copy()
    count = counts(problem.nodes)
    for p in np.flatnonzero(numbering.source_node < 0):
        e, c = numbering.source_element[p], numbering.source_corner[p]
        k = int(count[e])
        local = local_places(k)
        middle = local[: 3 if k in (3, 6) else 4].mean(axis=0)
        places[p] = local[c] + INSET * (middle - local[c])
        found[p] = shape_table(k, places[p : p + 1])[0][0] @ problem.points[problem.nodes[e, :k]]
    return found, places
