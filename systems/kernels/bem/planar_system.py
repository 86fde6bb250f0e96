"""What is special to the plane in the system of a boundary-element problem: the logarithm, and holes at nu = 1/2.

The logarithm in Kelvin's solution is that of a length over some unit. By default an unknown rigid translation is added
to the equations, with the condition that all tractions are in balance; no result then depends on the unit, and
resultants balance exactly. With `log_length` the unit is given, as in textbooks; such a system is singular for a disc
of radius log_length exp(1 / (2 (3 - 4 nu))) with displacements all around (the degenerate scale): see `condition`.

*Limitations*: at nu = 1/2 displacements prescribed all around leave the matrix singular.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from systems.kernels.bem.holes import INCOMPRESSIBLE, Gauss, Hole, border_of_hole, holes, parts
from systems.kernels.bem.planar import assemble
from systems.kernels.bem.planar_elements import Elements, elements
from systems.kernels.bem.planar_problem import PlanarProblem, sides, smooth_across, source_points
from systems.kernels.bem.planar_results import image_signs
from systems.kernels.bem.quadrature import MOST, rules
from systems.kernels.bem.terms import Terms
from systems.kernels.bem.unknowns import Unknowns

__all__ = ["add_borders", "assemble_into", "borders", "prepared", "sides", "smooth_across", "traction_weights"]
RANK = 1e-9  # relative singular value below which tractions cannot be out of balance


class Borders(NamedTuple):
    """gauge (r, 2): directions of unknown translations; balance (r, unknown + loads): tractions along them.

    holes: see holes.py.
    """

    gauge: np.ndarray
    balance: np.ndarray
    holes: list[Hole]

    @property
    def count(self) -> int:
        return len(self.gauge) + len(self.holes)


def prepared(problem: PlanarProblem, scale: float) -> Elements:
    """The elements with their Gauss points."""
    return elements(problem.points / scale, problem.nodes, rules(problem.accuracy))


def borders(
    problem: PlanarProblem, scale: float, boundary: Elements, numbering: Unknowns, loads: list[Any]
) -> Borders:
    """What is to be added to the equations of the nodes."""
    incompressible = 1.0 - 2.0 * problem.poisson_ratio < INCOMPRESSIBLE
    found = []
    if incompressible:
        kinds, signs = [np.arange(len(problem.nodes))], image_signs(problem.mirror)
        found = holes(problem, scale, _holes(problem), kinds, _gauss(problem, scale), signs)
    return Borders(*_gauge(problem, scale, boundary, numbering, loads), found)


def assemble_into(
    problem: PlanarProblem, scale: float, boundary: Elements, numbering: Unknowns, terms: Terms, a: np.ndarray,
    right: np.ndarray,
) -> np.ndarray:  # fmt: skip
    """Fill the equations of the nodes; returns their points (s, 2) [m]."""
    rule = rules(problem.accuracy)
    sources, xi = source_points(problem, numbering)
    shift = 0.0 if problem.log_length is None else math.log(scale / problem.log_length)
    assemble(
        problem.points / scale, *boundary[:4], boundary.half_chord, rule.offset, rule.points, rule.weights, rule.reach,
        rule.inner, rule.inner_weights, rule.log_weights, sources / scale, numbering.source_node,
        numbering.source_element, xi, image_signs(problem.mirror), problem.poisson_ratio, shift, problem.infinite,
        numbering.rows, numbering.turned, terms, a, np.zeros((0, 0)), right,
    )  # fmt: skip
    return sources


def add_borders(
    problem: PlanarProblem, scale: float, boundary: Elements, numbering: Unknowns, borders: Borders, loads: list[Any],
    a: np.ndarray, right: np.ndarray,
) -> None:  # fmt: skip
    """Unknown translation against balance of tractions; holes of an incompressible body."""
    size, r = numbering.unknown, len(borders.gauge)
    constants = np.broadcast_to(borders.gauge.T, (len(numbering.rows), 2, r)).copy()
    turned = numbering.turned >= 0
    constants[turned] = np.einsum("sab,sar->sbr", problem.frames[numbering.turned[turned]], constants[turned])
    wanted = numbering.rows >= 0
    a[numbering.rows[wanted], size : size + r] = constants[wanted]
    a[size : size + r, :size] = borders.balance[:, :size]
    right[size : size + r] = borders.balance[:, size:]
    for number, hole in enumerate(borders.holes):
        border_of_hole(
            problem, scale, numbering, hole, [np.arange(len(problem.nodes))], _gauss(problem, scale), loads, a, right,
            size + r + number,
        )  # fmt: skip


def traction_weights(boundary: Elements) -> np.ndarray:
    """(m, k) integral of each element's functions along it: their sum times the traction is the force."""
    return boundary.batched[4, -MOST:].T @ boundary.values[-MOST:]


def _gauge(
    problem: PlanarProblem, scale: float, boundary: Elements, numbering: Unknowns, loads: list[Any]
) -> tuple[np.ndarray, np.ndarray]:
    """(directions (r, 2) in which a translation is unknown, (r, unknown + loads): tractions balance along them)."""
    size = numbering.unknown
    directions, balance = np.zeros((0, 2)), np.zeros((0, size + len(loads)))
    if problem.log_length is not None:
        return directions, balance
    g = problem.shear_modulus
    weights = traction_weights(boundary)
    total = np.zeros((2, size + len(loads)))
    force = weights[..., None, None] * problem.frames[problem.nodes]  # (m, k, direction, axis)
    t_column = numbering.t_column.reshape(problem.u_fixed.shape)
    u_column = numbering.u_column.reshape(-1, 2)[problem.nodes]
    stiffness = problem.spring * (scale / g)
    springs = (stiffness != 0) & (u_column >= 0)
    for axis in range(2):
        along = force[:, :, axis]
        np.add.at(total[axis], t_column[t_column >= 0], along[t_column >= 0])
        np.subtract.at(total[axis], u_column[springs], (along * stiffness)[springs])
        for number, load in enumerate(loads):
            given = np.sum(weights * load.t_free[..., axis])
            total[axis, size + number] = (given - np.sum(along * np.where(t_column < 0, load.t_value, 0.0))) / g
    total[list(problem.mirror)] = 0.0  # balanced by the image
    u, s, _ = np.linalg.svd(total[:, :size], full_matrices=False)
    keep = s > RANK * max(s.max(initial=0.0), 1.0)
    directions = u[:, keep].T
    return directions, directions @ total


def _holes(problem: PlanarProblem) -> list[np.ndarray]:
    """Element numbers of each closed curve that the material lies outside of; planes of symmetry may close it."""
    a, b = problem.points[problem.nodes[:, 0]], problem.points[problem.nodes[:, -1]]
    area = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]  # what closes a curve along a plane through the origin adds nothing
    on_plane = np.any((problem.points == 0.0) & np.array(problem.mirror), axis=1)
    times = np.bincount(problem.nodes[:, [0, -1]].ravel(), minlength=len(problem.points))
    closed = (times == 2) | ((times == 1) & on_plane)
    curves = parts(problem.nodes, len(problem.points))
    return [c for c in curves if area[c].sum() < 0 and np.all(closed[problem.nodes[c][:, [0, -1]]])]


def _gauss(problem: PlanarProblem, scale: float) -> Gauss:
    """Gauss points of elements, as for `holes`."""
    x, w = np.polynomial.legendre.leggauss(MOST)

    def points(rows: np.ndarray, cuts: int) -> tuple[np.ndarray, np.ndarray]:
        pieces = 2**cuts
        middle = (2 * np.arange(pieces) + 1) / pieces - 1
        rule = rules(problem.accuracy)._replace(
            points=(middle[:, None] + x / pieces).ravel(), weights=np.tile(w / pieces, pieces)
        )
        found = elements(problem.points / scale, problem.nodes[rows], rule)
        return found.values, found.batched.transpose(2, 1, 0)

    return points
