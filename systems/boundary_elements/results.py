"""Stress, energy and reactions of boundary-element bodies, from their displacements and tractions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from components import (
    BoundaryConditions,
    BoundaryElements,
    CentrifugalLoad,
    Deformation,
    ElementConditions,
    Energy,
    Geometry,
    Gravity,
    Material,
    PointLoads,
    Pose,
    Reaction,
    Relaxation,
    Stress,
    SupportForces,
)
from components.element_conditions import holding
from framework import Stage, System
from systems.boundary_elements.body import Body, body_of, surface_integral
from systems.boundary_elements.loads import volume_integral
from systems.boundary_elements.problem import boundary_stress
from systems.boundary_elements.response import state_of
from systems.boundary_elements.viscous import elastic
from systems.kernels.bem.particular import Particular, body_force, displacement_and_stress

if TYPE_CHECKING:
    from framework import Step, World


class BoundaryElementResults(System):
    """Stress and strain at all points, strain energy, reactions, and points beyond the yield and rupture stress.

    Stress on the boundary comes from the traction and from the displacement along the boundary.
    """

    stage = Stage.FEEDBACK
    reads = (
        BoundaryElements, ElementConditions, BoundaryConditions, Deformation, Geometry, Material, Gravity,
        CentrifugalLoad, PointLoads, Pose, Relaxation,
    )  # fmt: skip
    writes = (Stress, Energy, Reaction, SupportForces)
    after = ("Measures", "SupportReactions")
    needs = (BoundaryElements,)

    def process(self, world: World, step: Step) -> None:
        if step.priming:  # nothing has been solved yet
            return
        rows = world.query(BoundaryElements, Deformation, Material, Stress, Energy, Reaction, SupportForces)
        for entity, settings, deformation, material, stress, energy, reaction, supports in rows:
            body = body_of(world, entity)
            viscous = settings.response == "viscous"
            state = (elastic if viscous else state_of)(world, entity, body, step.time)
            traction, field = deformation.element_traction, state.field
            write_stress(body, state.u, state.traction, state.stress, material, stress)
            energy.elastic = strain_energy(body, field, state.u, state.traction)
            energy.total = energy.elastic + energy.kinetic + energy.potential
            parts = world.store.components(entity).get(BoundaryConditions)
            write_reactions(body, field, traction, () if parts is None else parts.conditions, reaction, supports)

    def closing(self, world: World) -> list[str]:
        lines = []
        for entity, stress, material in world.query(Stress, Material):
            for count, name in ((stress.yielded, "yield_stress"), (stress.ruptured, "rupture_stress")):
                if count:
                    lines.append(
                        f"{world.name(entity)}: {count} of {len(stress.von_mises)} points are beyond Material.{name} = "
                        f"{getattr(material, name):g} Pa: there the results of a linear elastic body mean nothing"
                    )
        return lines


def write_stress(
    body: Body, u: np.ndarray, traction: np.ndarray, stress_inside: np.ndarray, material: Material, stress: Stress
) -> None:
    used = body.elements >= 0
    tensor, count = np.zeros((len(body.points), 3, 3)), np.zeros(len(body.points))
    np.add.at(count, body.elements[used], 1.0)
    np.add.at(tensor, body.elements[used], boundary_stress(body, u, traction)[used])
    tensor /= np.maximum(count, 1.0)[:, None, None]
    tensor[body.inside] = stress_inside
    nu, e = body.poisson_ratio, body.young_modulus
    if body.dimension == 2:
        tensor[:, 2, :] = tensor[:, :, 2] = 0.0
    if body.analysis == "plane strain":
        tensor[:, 2, 2] = nu * (tensor[:, 0, 0] + tensor[:, 1, 1])
    trace = np.einsum("nii->n", tensor)
    stress.tensor[...] = tensor
    stress.strain_tensor[...] = ((1 + nu) * tensor - nu * trace[:, None, None] * np.eye(3)) / e
    deviator = tensor - trace[:, None, None] / 3 * np.eye(3)
    stress.von_mises[...] = np.sqrt(1.5 * (deviator * deviator).sum(axis=(1, 2)))
    stress.principal[...] = np.linalg.eigvalsh(tensor)[:, ::-1]
    beyond = [
        np.zeros(len(tensor), bool) if limit is None else values > limit
        for limit, values in (
            (material.yield_stress, stress.von_mises), (material.rupture_stress, stress.principal[:, 0])
        )
    ]
    stress.exceeded[...] = np.where(beyond[1], 2, np.where(beyond[0], 1, 0))
    stress.yielded, stress.ruptured = (int(np.count_nonzero(where)) for where in beyond)


def strain_energy(body: Body, field: Particular, u: np.ndarray, traction: np.ndarray) -> float:
    """Half the work [J] of tractions and body forces on the displacements; of an infinite region that of its hole.

    The work of a body force b on u is that of tractions t_p and displacements u_p of its particular solution
    (reciprocity): integral b.u = integral t.u_p - t_p.u + integral b.u_p.
    """
    moved = np.where((body.elements >= 0)[..., None], u[body.elements], 0.0)
    total = _surface_product(body, traction, moved)
    if field.forces:
        u_free, stress = displacement_and_stress(field, body.points)
        t_free = np.einsum("mkab,mkb->mka", stress[body.elements], body.normals)
        total += _surface_product(body, traction, u_free[body.elements]) - _surface_product(body, t_free, moved)

        def work(x: np.ndarray) -> np.ndarray:
            return (body_force(field, x) * displacement_and_stress(field, x)[0]).sum(axis=1)

        total += float(volume_integral(body, work, 4))
    return 0.5 * total


def _surface_product(body: Body, traction: np.ndarray, moved: np.ndarray) -> float:
    total = 0.0
    for rows, shape, _, vectors in body.gauss:
        area = np.sqrt((vectors * vectors).sum(axis=-1))
        k = shape.shape[1]
        pull, way = shape @ traction[rows, :k], shape @ moved[rows, :k]
        total += float((area * (pull * way).sum(axis=-1)).sum())
    return total


def write_reactions(
    body: Body, field: Particular, traction: np.ndarray, conditions: tuple, reaction: Reaction, supports: SupportForces
) -> None:
    """Forces of supports, from the tractions along the axes that they hold."""
    frames = body.conditions.frames[body.elements]
    local = np.einsum("mkab,mka->mkb", frames, traction)
    held = np.where(body.conditions.owner >= 0, local, 0.0)
    force = np.einsum("mkab,mkb->mka", frames, held) * body.areas[..., None]
    used = body.elements >= 0
    reaction.force[...] = 0.0
    np.add.at(reaction.force, body.elements[used], force[used])
    numbers = [number for number, condition in enumerate(conditions) if holding(condition)]
    for row, number in enumerate(numbers):
        own = np.where(body.conditions.owner == number, local, 0.0)
        supports.force[row], supports.moment[row] = surface_integral(body, np.einsum("mkab,mkb->mka", frames, own))
    supports.residual = _residual(body, field, traction)


def _residual(body: Body, field: Particular, traction: np.ndarray) -> float:
    """All forces on the body over their size, along directions that no plane of symmetry takes forces from."""
    force, _ = surface_integral(body, traction)
    size = float((np.sqrt((traction * traction).sum(axis=-1)) * np.abs(body.areas)).sum())
    if body.settings.infinite or size == 0.0:
        return 0.0
    if field.forces:
        force = force + volume_integral(body, lambda x: body_force(field, x), 1)
    for axis, letter in enumerate("xyz"):
        if letter in body.settings.symmetry:
            force[axis] = 0.0
    return float(np.linalg.norm(force)) / size
