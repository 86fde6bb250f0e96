"""Loads of a boundary-element body: body forces, far fields, forces at points, and whether they are in balance."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from components import CentrifugalLoad, Gravity, Material, PointLoads
from framework import SimulationError
from systems.boundary_elements.body import Body, surface_integral
from systems.kernels.bem.particular import Particular, body_force

if TYPE_CHECKING:
    from framework import World

INCOMPRESSIBLE = 1e-4  # 1 - 2 nu below which displacements all around do not say the pressure
BALANCED = 1e-6  # of the size of the loads: what may remain unbalanced where nothing holds a body


def particular(world: World, entity: int, body: Body) -> Particular:
    """Body forces and far field of an entity now."""
    parts = world.store.components(entity)
    density, zero = parts[Material].mass_density, np.zeros(3)
    weight, centrifugal, axis = zero, zero, zero
    if density is not None:
        weight = density * sum((gravity.acceleration for _, gravity in world.query(Gravity)), zero)
        if CentrifugalLoad in parts:
            spin = parts[CentrifugalLoad]
            centrifugal, axis = np.sqrt(density) * spin.angular_velocity, spin.centre
    if body.dimension == 2:
        weight, centrifugal = weight * (1, 1, 0), centrifugal * (0, 0, 1)
    centre = body.points[body.on].mean(axis=0)
    for plane, letter in enumerate("xyz"):  # the particular solution must have the symmetry of the body
        if letter in body.settings.symmetry:
            centre[plane] = 0.0
    return Particular(
        body.dimension, body.shear_modulus, body.plane_ratio, centre, weight, centrifugal, axis, zero,
        body.settings.far_stress,
    )  # fmt: skip


def point_tractions(world: World, entity: int, body: Body) -> np.ndarray | None:
    """Forces at points as tractions (m, k, 3) [Pa] of the elements that meet there; None when there are none."""
    loads = world.store.components(entity).get(PointLoads)
    if loads is None or loads.load is None or not loads.load.any():
        return None
    found = np.zeros(body.normals.shape)
    for i in np.flatnonzero(loads.load.any(axis=1)):
        rows = np.flatnonzero((body.elements == i).any(axis=1))
        if len(rows) == 0:
            raise SimulationError(
                f"{world.name(entity)}: a load acts at point {i}, which is no point of the boundary elements"
            )
        found[rows] += patch(body, rows, i)[..., None] * loads.load[i]
    return found


def patch(body: Body, rows: np.ndarray, i: int) -> np.ndarray:
    """(e, k) the smallest values at the points of elements `rows` with integral 1 and first moment about point i 0.

    So a force spread with them has its size, and no moment about its point.
    """
    used = body.elements[rows] >= 0
    moments = []
    for at in range(4):
        values = np.zeros(body.elements.shape)
        for kind, shape, places, vectors in body.gauss:
            area = np.sqrt((vectors * vectors).sum(axis=-1))
            weight = area if at == 0 else area * (places[..., at - 1] - body.points[i, at - 1]) / body.size
            values[kind, : shape.shape[1]] = weight @ shape
        moments.append(values[rows][used])
    matrix = np.array(moments)
    wanted = np.linalg.pinv(matrix, rcond=1e-10) @ np.array([1.0, 0.0, 0.0, 0.0])
    found = np.zeros(used.shape)
    found[used] = wanted / (matrix[0] @ wanted)
    return found


def volume_integral(body: Body, function: Any, degree: int) -> np.ndarray:
    """Integral over the body of a polynomial of x (q, 3) of at most this degree, as one over its surface.

    With rays from a point c: the integral of f is that of (x - c).n times the integral of s^(d-1) f(c + s (x - c)) ds.
    """
    centre = body.points[body.on].mean(axis=0)
    for plane, letter in enumerate("xyz"):  # rays along a plane of symmetry do not leave the body there
        if letter in body.settings.symmetry:
            centre[plane] = 0.0
    s, w = np.polynomial.legendre.leggauss((degree + body.dimension) // 2 + 1)
    s, w = 0.5 * (s + 1), 0.5 * w
    total = 0.0
    for _, _, places, vectors in body.gauss:
        arm = places - centre
        height = (arm * vectors).sum(axis=-1)
        for at, weight in zip(s, w, strict=True):
            values = function((centre + at * arm).reshape(-1, 3))
            values = values.reshape(*height.shape, *values.shape[1:])
            scaled = weight * at ** (body.dimension - 1) * height
            total = total + np.einsum("eg,eg...->...", scaled, values)
    return np.asarray(total)


def balanced(
    name: str, body: Body, field: Particular, traction: np.ndarray, free: np.ndarray
) -> Particular:
    """The body forces, with those of inertia relief when asked for; SimulationError for loads that nothing holds.

    traction (m, k, 3): all known tractions along x, y, z. free (r, 6): the motions that nothing prevents, as
    translation and rotation about the centre of the field.
    """
    force, moment = surface_integral(body, traction)
    moment = moment - np.cross(field.centre, force)
    if field.forces:

        def pull(x: np.ndarray) -> np.ndarray:
            b = body_force(field, x)
            return np.concatenate([b, np.cross(x - field.centre, b)], axis=1)

        total = volume_integral(body, pull, 2)
        force, moment = force + total[:3], moment + total[3:]
    loads = np.concatenate([force, moment])
    work = free @ loads
    volume = abs(float(volume_integral(body, lambda x: np.ones(len(x)), 0)))
    pull_size = float(np.abs(body_force(field, body.points[body.on])).max())
    largest = np.abs(traction).max(initial=0.0) * np.abs(body.areas).sum() + volume * pull_size
    scale = max(largest, 1e-300) * np.where(np.abs(free[:, 3:]).sum(axis=1) > 1e-9, body.size, 1.0)
    if np.all(np.abs(work) <= BALANCED * scale):
        return field
    if body.settings.free != "inertia relief":
        raise SimulationError(
            f"{name}: loads must be in balance where nothing holds the body, got a resultant force of "
            f"{_vector(force)} N and a moment of {_vector(moment)} N m about {_vector(field.centre)}; add supports, or "
            f"set BoundaryElements.free = 'inertia relief' to balance them by an acceleration of the whole body"
        )

    def mass(x: np.ndarray) -> np.ndarray:
        arm = x - field.centre
        motion = free[:, None, :3] + np.cross(free[:, None, 3:], arm[None])
        return np.einsum("rqi,sqi->qrs", motion, motion)

    acceleration = np.linalg.solve(volume_integral(body, mass, 2), work) @ free
    return dataclasses.replace(
        field, weight=field.weight - acceleration[:3], angular=field.angular + acceleration[3:]
    )


def _vector(value: np.ndarray) -> str:
    return "(" + ", ".join(f"{part:.6g}" for part in value) + ")"


def refuse_net_force(name: str, body: Body, traction: np.ndarray) -> None:
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


def refuse_undetermined_pressure(name: str, body: Body) -> None:
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
