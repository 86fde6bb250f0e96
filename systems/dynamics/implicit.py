"""Backward Euler: one linearised step, or full Newton with line search, over all bodies in one block system.

    M (v1 - v0) = h f(x0 + h v1, v1, t + h),    x1 = x0 + h v1

Linearised (Baraff and Witkin, SIGGRAPH 1998, doi:10.1145/280814.280821): one Newton step that starts at v0,

    (M - h df/dv - h^2 df/dx) dv = h f(x0 + h v0, v0, t + h)

with the derivatives taken there too, so that no product K v is needed. First order, stable at any step for forces whose
blocks are positive semi-definite; damps motion by about h omega^2 / 2 (numerical damping grows with the step).
*Limitations*: forces without Jacobians are held over the substep; the linearised step conserves no energy and at large
strains is only as good as its linearisation: use newton=True, whose residual is reported, to know.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from components import SolverReport
from framework import ForceSystem, Stage
from systems.dynamics.implicit_contact import SETTLED, ActiveContacts, push_out
from systems.dynamics.jacobian import Jacobian, prepare
from systems.dynamics.problem import Problem
from systems.kernels.blocks import multiply
from systems.kernels.conjugate_gradient import Constraints, Status, solve
from systems.kernels.momentum import free_axes, restore_momentum

HALVINGS = 12  # of the line search
CONTACT_ROUNDS = 40
ROUGHLY_SETTLED = 1e-3  # change of friction, relative, that is still reported
ROUNDING = 1e-14  # a residual below this share of stiffness times extent is nothing but rounding


def backward_euler(problem: Problem) -> None:
    """One substep of backward Euler with the problem's settings."""
    step = _Step(problem)
    if problem.settings.newton:
        step.newton()
    else:
        step.advance(step.residual())
    step.finish()


@dataclass
class _Outcome:
    """How well a step was solved; `residual` is relative."""

    iterations: int = 0
    newton: int = 0
    residual: float = 0.0
    trouble: str = ""


class _Step:
    """The unknown end velocity `v` of one substep, and what is needed to improve it."""

    def __init__(self, problem: Problem) -> None:
        self.problem, self.settings = problem, problem.settings
        bodies, h = problem.packed, problem.h
        self.x0, self.v0 = bodies.x.copy(), bodies.v.copy()
        self.fixed = problem.supports.fixed
        push_out(self.x0, problem.colliders, self.fixed)
        end = problem.supports.end_positions(self.x0, problem.time + h)
        self.v = np.where(self.fixed, (end - self.x0) / h, self.v0)
        self.jacobian: Jacobian = prepare(problem, "Dynamics")
        self.contacts = ActiveContacts(problem, self.x0, self.v0, self.v)
        self.held_force = self._held_force()
        self.outcome = _Outcome()

    def _held_force(self) -> np.ndarray | None:
        """With full Newton, forces without Jacobians are taken once, at the predicted end (one step needs no copy)."""
        if not self.settings.newton or not _held(self.problem):
            return None
        self._place()
        return self._forces(held=True)

    def _place(self) -> None:
        bodies = self.problem.packed
        np.multiply(self.v, self.problem.h, out=bodies.x)
        np.add(bodies.x, self.x0, out=bodies.x)
        bodies.v[...] = self.v

    def _forces(self, held: bool) -> np.ndarray:
        problem = self.problem
        problem.step.time = problem.time + problem.h
        problem.packed.f.fill(0.0)
        for system in problem.world.engine.active(Stage.FORCES):
            if (isinstance(system, ForceSystem) and system.has_jacobian) != held:
                problem.world.engine.run(system)
        return problem.packed.f.copy()

    def residual(self) -> np.ndarray:
        """h f - M (v - v0) at the present v, (n, 3) [N s]; the packed arrays are left at that state."""
        problem, bodies = self.problem, self.problem.packed
        self._place()
        if self.held_force is None:
            problem.evaluate(problem.time + problem.h)
            force = bodies.f
        else:
            force = self._forces(held=False) + self.held_force
        return problem.h * force - bodies.m[:, None] * (self.v - self.v0)

    def advance(self, r: np.ndarray) -> np.ndarray:
        """Solve A dv = r under supports and contacts, move v by dv, and return dv (n, 3)."""
        problem, jacobian, contacts = self.problem, self.jacobian, self.contacts
        jacobian.assemble(problem)
        matrix, work = jacobian.matrix, jacobian.work
        dv = np.zeros_like(r)
        if contacts.any and not contacts.state.any():
            explicit = self.v + r * problem.supports.inverse_mass[:, None]
            contacts.begin(self.x0 + problem.h * explicit)
        for rounds in range(CONTACT_ROUNDS):
            b = r + contacts.friction(self.v)
            braked, blocks = contacts.brake(matrix.diagonal)
            constraints = self.constraints()
            result = solve(matrix, b, constraints, self.settings.tolerance, self.settings.max_iterations, dv, work)
            self.outcome.iterations += result.iterations
            self.outcome.residual = max(self.outcome.residual, result.residual)
            if result.status in (Status.MAX_ITERATIONS, Status.INDEFINITE, Status.NOT_FINITE):
                self.outcome.trouble = f"the linear solve ended with {result.status.name.lower().replace('_', ' ')}"
            free = free_axes(jacobian.labels, jacobian.label_count, constraints)
            restore_momentum(matrix, work.residual, jacobian.labels, free, dv)
            if not contacts.any:
                break
            impulse = self._impulse(dv, b)
            matrix.diagonal[braked] = blocks
            v1 = self.v + dv
            change = contacts.update(self.x0 + problem.h * v1, v1, impulse, matrix.diagonal)
            if change <= SETTLED:
                break
            if rounds == CONTACT_ROUNDS - 1 and change > ROUGHLY_SETTLED:
                self.outcome.trouble = "contact and friction did not settle"
        self.v = self.v + dv
        return dv

    def _impulse(self, dv: np.ndarray, b: np.ndarray) -> np.ndarray:
        product = np.empty_like(dv)
        multiply(self.jacobian.matrix, dv, product)
        return product - b

    def constraints(self) -> Constraints:
        """Supports and contacts as projections, in terms of the change of v."""
        touching = self.contacts.nodes
        supported = np.flatnonzero(self.fixed.any(axis=1))
        if len(supported) + len(touching) == 0:
            return Constraints.none()
        nodes = np.union1d(supported, touching)
        projections = np.zeros((len(nodes), 3, 3))
        projections[:, range(3), range(3)] = ~self.fixed[nodes]
        values = np.zeros((len(nodes), 3))
        if len(touching):
            rows = np.searchsorted(nodes, touching)
            own, wanted = self.contacts.wanted(touching)
            moves = ~self.fixed[touching]
            own *= moves[:, :, None] & moves[:, None, :]
            projections[rows], values[rows] = own, (wanted - self.v[touching]) * moves
        return Constraints(nodes.astype(np.int32), projections, values)

    def newton(self) -> None:
        """Newton's method on the nonlinear equations; steps are halved until the free residual falls."""
        r = self.residual()
        first = 0.0
        for count in range(1, self.settings.newton_iterations + 1):
            self.outcome.newton = count
            former = self.v
            dv = self.advance(r)
            share = 1.0
            r_new = self.residual()
            size = self.size(r)
            first = max(first, size)
            for _ in range(HALVINGS):
                entering = count == 1 and self.contacts.any  # constraints are met by the whole step only
                if entering or self.size(r_new) <= max(size, self.floor()):
                    break
                share *= 0.5
                self.v = former + share * dv
                r_new = self.residual()
            r = r_new
            reached = self.size(r)
            self.outcome.residual = reached / first if first > 0 else 0.0
            if reached <= max(self.settings.newton_tolerance * first, self.floor()):
                return
        self.outcome.trouble = f"Newton's method stopped at a relative residual of {self.outcome.residual:.2g}"

    def size(self, r: np.ndarray) -> float:
        """Norm of the residual in the free directions, friction included."""
        constraints = self.constraints()
        free = r + self.contacts.friction(self.v)
        if len(constraints.nodes):
            free[constraints.nodes] = np.einsum("cij,cj->ci", constraints.projections, free[constraints.nodes])
        return float(np.sqrt((free * free).sum()))

    def floor(self) -> float:
        """Rounding of the residual: forces are differences of stiffness times coordinates."""
        blocks = self.jacobian.matrix.diagonal
        extent = float(np.abs(self.problem.packed.x).max(initial=0.0))
        return ROUNDING * extent / self.problem.h * float(np.sqrt((blocks * blocks).sum()))

    def finish(self) -> None:
        """Write the end state and the report; say once when a tolerance was missed."""
        problem = self.problem
        self._place()
        if self.contacts.any:
            self.contacts.secure(problem.packed.x, problem.packed.v)
        problem.supports.enforce(problem.packed.x, problem.packed.v, problem.time + problem.h)
        report = problem.world.store.component("world", SolverReport)
        if problem.step.substep == 0:
            report.iterations = report.newton = report.unconverged = 0
            report.residual = 0.0
        report.iterations += self.outcome.iterations
        report.newton += self.outcome.newton
        report.residual = max(report.residual, self.outcome.residual)
        if self.outcome.trouble:
            if report.unconverged_total == 0:
                warnings.warn(
                    f"backward Euler: {self.outcome.trouble} (residual {self.outcome.residual:.2g}) "
                    f"at t = {problem.time:.6g} s; world.solver_report.unconverged_total counts such substeps",
                    RuntimeWarning,
                    stacklevel=2,
                )
            report.unconverged += 1
            report.unconverged_total += 1


def _held(problem: Problem) -> bool:
    return any(not (isinstance(s, ForceSystem) and s.has_jacobian) for s in problem.world.engine.active(Stage.FORCES))
