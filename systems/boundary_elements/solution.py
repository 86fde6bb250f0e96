"""Equilibrium of one boundary-element body under its conditions at one time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy.linalg

from components.element_terms import values_at
from framework import SimulationError
from systems.boundary_elements.body import Body, surface_integral
from systems.boundary_elements.loads import BALANCED, balanced, particular, point_tractions
from systems.kernels.bem.particular import Particular, displacement_and_stress
from systems.kernels.bem.planar_problem import PlanarProblem
from systems.kernels.bem.planar_results import interior_field
from systems.kernels.bem.system import Solution, free_motions, solve

if TYPE_CHECKING:
    from framework import World

INCOMPRESSIBLE = 1e-4  # 1 - 2 nu below which displacements all around do not say the pressure


@dataclass(frozen=True)
class Loads:
    """What acts on a body at one time: values (m, k, 3) along the axes of the points, and body forces."""

    u_value: np.ndarray
    t_value: np.ndarray
    field: Particular


def loads_of(world: World, entity: int, body: Body, t: float) -> Loads:
    """The loads at time t [s], those of inertia relief among them; SimulationError when nothing balances them."""
    name, frames = world.name(entity), body.conditions.frames[body.elements]
    field = particular(world, entity, body)
    u_value, t_value = values_at(body.conditions, t)
    forces = point_tractions(world, entity, body)
    if forces is not None:
        t_value += np.einsum("mkab,mka->mkb", frames, forces)
    t_value = np.where(body.conditions.fixed, 0.0, t_value)
    known = np.einsum("mkab,mkb->mka", frames, t_value)
    _refuse_undetermined_pressure(name, body)
    if body.settings.infinite:
        _refuse_net_force(name, body, known)
    free = free_motions(planar_problem(body, Loads(u_value, t_value, field)), body.size)
    if len(free):
        field = balanced(name, body, field, known, _six(free, body, field.centre))
    return Loads(u_value, t_value, field)


def equilibrium(world: World, entity: int, body: Body, t: float) -> tuple[np.ndarray, np.ndarray]:
    """Displacement (n, 3) [m] and traction (m, k, 3) [Pa] at time t [s]; SimulationError when there is none."""
    loads = loads_of(world, entity, body, t)
    solution = solved(world.name(entity), planar_problem(body, loads))
    u, traction = np.zeros(body.points.shape), np.zeros(body.normals.shape)
    u[body.on, :2], traction[..., :2] = solution.u, solution.t
    if len(body.inside):
        u[body.inside] = inside(body, loads.field, u, traction)[0]
    return u, traction


def planar_problem(body: Body, loads: Loads) -> PlanarProblem:
    """The problem of a body in the plane."""
    conditions = body.conditions
    u_free, t_free = free_field(body, loads.field)
    return PlanarProblem(
        points=body.points[body.on, :2], nodes=body.nodes, shear_modulus=body.shear_modulus,
        poisson_ratio=body.plane_ratio, u_fixed=conditions.fixed[..., :2], u_value=loads.u_value[..., :2],
        t_value=loads.t_value[..., :2], spring=conditions.foundation[..., :2],
        frames=conditions.frames[body.on, :2, :2], u_free=u_free[:, :2], t_free=t_free[..., :2],
        infinite=body.settings.infinite, mirror=(body.mirror[0], body.mirror[1]), log_length=body.settings.log_length,
        accuracy=body.settings.accuracy,
    )  # fmt: skip


def free_field(body: Body, field: Particular) -> tuple[np.ndarray, np.ndarray]:
    """Displacement (b, 3) and traction (m, k, 3) of the particular solution on the boundary."""
    if field.empty:
        return np.zeros((len(body.on), 3)), np.zeros(body.normals.shape)
    u, stress = displacement_and_stress(field, body.points)
    return u[body.on], np.einsum("mkab,mkb->mka", stress[body.elements], body.normals)


def solved(name: str, problem: PlanarProblem) -> Solution:
    try:
        solution = solve(problem)
    except scipy.linalg.LinAlgError as error:
        raise SimulationError(f"{name}: the boundary-element equations have no unique solution ({error})") from None
    return solution


def inside(body: Body, field: Particular, u: np.ndarray, traction: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Displacement (i, 3) [m] and stress (i, 3, 3) [Pa] at the points inside, from those on the boundary."""
    u_free, t_free = free_field(body, field)
    found, stress = displacement_and_stress(field, body.points[body.inside])
    moved, pulled = interior_field(
        body.points[body.inside, :2], body.points[body.on, :2], body.nodes, (u[body.on] - u_free)[:, :2],
        (traction - t_free)[..., :2], body.shear_modulus, body.plane_ratio, body.mirror, body.settings.log_length,
        body.settings.infinite, body.settings.accuracy,
    )  # fmt: skip
    found[:, :2] += moved
    found[:, 2] = 0.0
    stress[:, 0, 0] += pulled[:, 0]
    stress[:, 1, 1] += pulled[:, 1]
    stress[:, 0, 1] += pulled[:, 2]
    stress[:, 1, 0] = stress[:, 0, 1]
    return found, stress


def _six(free: np.ndarray, body: Body, centre: np.ndarray) -> np.ndarray:
    """(r, 6) motions in the plane as translation and rotation about the centre in space."""
    found = np.zeros((len(free), 6))
    found[:, :2], found[:, 5] = free[:, :2], free[:, 2] / body.size
    moved = centre - body.points[body.on].mean(axis=0)
    found[:, :3] += np.cross(found[:, 3:], moved)
    return found


def _refuse_net_force(name: str, body: Body, traction: np.ndarray) -> None:
    """Of an infinite region in the plane that nothing holds, unbalanced loads have no bounded displacement."""
    if body.dimension == 3 or body.conditions.fixed.any() or body.conditions.foundation.any():
        return
    force, _ = surface_integral(body, traction)
    force[[axis for axis in range(2) if body.mirror[axis]]] = 0.0
    if np.linalg.norm(force) > BALANCED * np.abs(traction).max(initial=0.0) * np.abs(body.areas).sum():
        raise SimulationError(
            f"{name}: loads on an infinite region in the plane must be in balance, or displacements have no bound; got "
            f"a resultant force of ({force[0]:.6g}, {force[1]:.6g}) N"
        )


def _refuse_undetermined_pressure(name: str, body: Body) -> None:
    """Of an incompressible body that is held or driven along its normal everywhere, any pressure is in equilibrium."""
    if 1.0 - 2.0 * body.plane_ratio > INCOMPRESSIBLE or body.settings.infinite:
        return
    local = np.einsum("mkab,mka->mkb", body.conditions.frames[body.elements], body.normals)
    held = np.abs(np.where(body.conditions.fixed, 0.0, local)).max(axis=(1, 2)) < 1e-6
    if held.all():
        raise SimulationError(
            f"{name}: an incompressible body (nu = {body.poisson_ratio:g}) must be free to move along its normal "
            f"somewhere, got a displacement prescribed all around, which leaves the pressure open; take a Poisson "
            f"ratio below {0.5 - INCOMPRESSIBLE / 2:g}, or free a part of the boundary"
        )
