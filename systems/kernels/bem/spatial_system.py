"""What is special to space in the system of a boundary-element problem."""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from systems.kernels.bem.holes import INCOMPRESSIBLE, Gauss, Hole, border_of_hole, holes, parts
from systems.kernels.bem.spatial import assemble
from systems.kernels.bem.spatial_elements import SQUARE, TRIANGLE, Batches, batches, counts, shape_table, work_space
from systems.kernels.bem.spatial_problem import SpatialProblem, sides, smooth_across, source_points
from systems.kernels.bem.spatial_rules import rule_points, spatial_rules
from systems.kernels.bem.terms import Terms
from systems.kernels.bem.unknowns import Unknowns

__all__ = ["add_borders", "assemble_into", "borders", "prepared", "sides", "smooth_across"]
LOCAL = np.zeros((2, 8, 2))
LOCAL[0, :6], LOCAL[1] = TRIANGLE, SQUARE
FINEST_RULE = 8  # of triangles and of squares


class Borders(NamedTuple):
    """holes: see holes.py."""

    holes: list[Hole]

    @property
    def count(self) -> int:  # type: ignore[override]
        return len(self.holes)


def prepared(problem: SpatialProblem, scale: float) -> Batches:
    """The elements with their Gauss points."""
    return batches(problem.points / scale, problem.nodes, spatial_rules(problem.accuracy))


def borders(
    problem: SpatialProblem, scale: float, boundary: Batches, numbering: Unknowns, loads: list[Any]
) -> Borders:
    """What is to be added to the equations of the nodes."""
    incompressible = 1.0 - 2.0 * problem.poisson_ratio < INCOMPRESSIBLE
    if not incompressible:
        return Borders([])
    gauss, signs = _gauss(problem, scale), image_signs(problem.mirror)
    return Borders(holes(problem, scale, _holes(problem, gauss), _kinds(problem), gauss, signs))


def add_borders(
    problem: SpatialProblem, scale: float, boundary: Batches, numbering: Unknowns, borders: Borders, loads: list[Any],
    a: np.ndarray, right: np.ndarray,
) -> None:  # fmt: skip
    """The equations of cavities (holes.py)."""
    for number, hole in enumerate(borders.holes):
        border = numbering.unknown + number
        border_of_hole(
            problem, scale, numbering, hole, _kinds(problem), _gauss(problem, scale), loads, a, right, border
        )


def _kinds(problem: SpatialProblem) -> list[np.ndarray]:
    """Numbers of the elements with 3, 4, 6 and 8 points, of those that there are."""
    count = counts(problem.nodes)
    return [np.flatnonzero(count == k) for k in np.unique(count)]


def _gauss(problem: SpatialProblem, scale: float) -> Gauss:
    """Gauss points of elements of one kind, as for `holes`."""
    count = counts(problem.nodes)

    def points(rows: np.ndarray, cuts: int) -> tuple[np.ndarray, np.ndarray]:
        k = int(count[rows[0]])
        values, slopes, weights = _cut_rule(k, cuts)
        corner = problem.points[problem.nodes[rows, :k]] / scale
        tangent = np.einsum("qcd,eci->deqi", slopes, corner)
        normal = np.cross(tangent[0], tangent[1]) * weights[:, None]
        area = np.sqrt((normal * normal).sum(axis=2, keepdims=True))
        return values, np.concatenate([np.einsum("qc,eci->eqi", values, corner), normal, area], axis=2)

    return points


@lru_cache(maxsize=16)
def _cut_rule(k: int, cuts: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Shape functions (q, k), their slopes (q, k, 2) and weights (q,) of an element cut in four `cuts` times."""
    s = int(k in (4, 8))
    at, weights = rule_points(s, FINEST_RULE)
    for _ in range(cuts):
        if s == 0:
            at = 0.5 * np.concatenate([at, at + np.eye(2)[0], at + np.eye(2)[1], 1 - at])
        else:
            at = 0.5 * np.concatenate([at + np.array([a, b]) for a in (-1, 1) for b in (-1, 1)])
        weights = 0.25 * np.tile(weights, 4)
    return *shape_table(k, at), weights


def _holes(problem: SpatialProblem, gauss: Gauss) -> list[np.ndarray]:
    """Element numbers of each closed surface that the material lies outside of; planes of symmetry may close it."""
    volume, nodes = np.zeros(len(problem.nodes)), problem.nodes
    for rows in _kinds(problem):  # what closes a surface along a plane through the origin adds nothing
        places = gauss(rows, 0)[1]
        volume[rows] = (places[:, :, :3] * places[:, :, 3:6]).sum(axis=(1, 2))
    corners = np.where(np.isin(counts(nodes), (3, 6)), 3, 4)
    e, c = np.nonzero(np.arange(4) < corners[:, None])
    edges = np.sort(np.stack([nodes[e, c], nodes[e, (c + 1) % corners[e]]], axis=1), axis=1)
    _, same, times = np.unique(edges, axis=0, return_inverse=True, return_counts=True)
    on_plane = ((problem.points[edges] == 0.0) & np.array(problem.mirror)).all(axis=1).any(axis=1)
    open_edges = np.bincount(e, (times[same.reshape(-1)] != 2) & ~on_plane, minlength=len(nodes))
    surfaces = parts(nodes, len(problem.points))
    return [part for part in surfaces if volume[part].sum() < 0 and not open_edges[part].any()]


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
        image_signs(problem.mirror), problem.poisson_ratio, problem.infinite,
        _loaded(terms, len(problem.nodes)), numbering.rows, numbering.turned, terms,
        work_space(len(problem.points), len(problem.nodes)), a, np.zeros((0, 0)), right,
    )  # fmt: skip
    return sources


def _loaded(terms: Terms, m: int) -> np.ndarray:
    """(m,) whether tractions of an element enter the equations: unknown, known and not 0, or of springs."""
    found = np.zeros(m, bool)
    for numbers in (terms.t, terms.t_known, terms.t_free, terms.spring[:, 0]):
        found[numbers // 24] = True
    return found


def image_signs(mirror: tuple[bool, ...]) -> np.ndarray:
    """(q, 3) signs of the coordinates of the images of the boundary, its own first."""
    return np.array(list(product(*([1.0, -1.0] if mirrored else [1.0] for mirrored in mirror))))
