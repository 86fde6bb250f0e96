"""Dynamics: one system steps all bodies that have Position, Velocity and Mass, whatever models act on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from components import (
    RK4,
    BackwardEuler,
    Collider,
    Force,
    Gravity,
    Mass,
    Pose,
    Position,
    SolverReport,
    Supports,
    SymplecticEuler,
    Velocity,
    VelocityVerlet,
)
from framework import Stage, System
from systems.dynamics.check import check_overlap, check_step
from systems.dynamics.colliders import FrameColliders
from systems.dynamics.explicit import runge_kutta_4, symplectic_euler, velocity_verlet
from systems.dynamics.implicit import backward_euler
from systems.dynamics.packing import Packed, pack
from systems.dynamics.problem import Problem
from systems.dynamics.stability import describe_stability, stability_hint, warn_when_unstable
from systems.dynamics.supports import PackedSupports

if TYPE_CHECKING:
    from framework import Step, World
    from framework.doctor import Finding

METHODS = {
    SymplecticEuler: symplectic_euler,
    VelocityVerlet: velocity_verlet,
    RK4: runge_kutta_4,
    BackwardEuler: backward_euler,
}


class Dynamics(System):
    """Steps every body by the integrator that the entity `world` names; symplectic Euler when it names none.

    Bodies, stitches and models couple in one solve: all forces act on the same packed arrays.
    """

    stage = Stage.SOLVE
    reads = (Mass, Supports, Collider, Pose, Gravity)
    writes = (Position, Velocity, SolverReport)
    adds = (Force,)
    needs = (Mass,)
    on_world = (SolverReport,)
    integrators = tuple(METHODS)

    def process(self, world: World, step: Step) -> None:
        problem = self.problem(world, step)
        problem.supports.begin(problem.packed.x, problem.packed.v)
        if step.substep == 0:
            warn_when_unstable(self, world, problem)
        method(problem.settings)(problem)

    def problem(self, world: World, step: Step) -> Problem:
        """The present substep; its parts are caches of the world."""
        h = step.h

        def build() -> tuple[Problem, FrameColliders]:
            packed: Packed = world.cached(self, "packed", (), lambda: pack(world))
            supports: PackedSupports = world.cached_until_edit(
                self, "supports", (Mass, Supports), lambda: PackedSupports(world, packed)
            )
            colliders = FrameColliders(world, self, step)
            return Problem(world, step, packed, supports, colliders.first, None, step.time, h), colliders

        problem, colliders = world.cached_until_edit(
            self, ("problem", h), (Mass, Supports, Collider, Pose, Gravity), build
        )
        problem.colliders = colliders.at(step.substep)
        problem.time, problem.settings = step.time, world.stepping.integrator
        step.packed = problem.packed
        return problem

    def stability_hint(self, world: World) -> str:
        return stability_hint(self, world)

    def check(self, world: World) -> list[Finding]:
        problem = self.problem(world, world.engine.step)
        return [*check_step(world, problem), *check_overlap(world, problem)]

    def closing(self, world: World) -> list[str]:
        report = world.store.component("world", SolverReport)
        if not report.unconverged_total:
            return []
        return [f"{report.unconverged_total} substeps in {world.frame} frames did not reach their tolerance: "
                "use more substeps, or see world.solver_report"]

    def describe(self, world: World) -> str:
        return describe_stability(self, world)


def method(settings: Any) -> Any:
    """The function that carries out an integrator's settings."""
    return METHODS[SymplecticEuler if settings is None else type(settings)]
