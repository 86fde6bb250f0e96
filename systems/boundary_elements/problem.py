"""The boundary-element problem of a body, in the plane or in space, and its particular solutions."""

from __future__ import annotations

from typing import Any

import numpy as np

from systems.boundary_elements.body import Body
from systems.kernels.bem import planar_results, spatial_results
from systems.kernels.bem.particular import Particular, displacement_and_stress
from systems.kernels.bem.planar_problem import PlanarProblem
from systems.kernels.bem.spatial_problem import SpatialProblem
from systems.kernels.bem.system import Load


def zero_load(body: Body) -> Load:
    """No load, in three axes."""
    shape = body.normals.shape
    return Load(np.zeros(shape), np.zeros(shape), np.zeros((len(body.on), 3)), np.zeros(shape))


def problem_of(body: Body) -> Any:
    """A PlanarProblem or SpatialProblem with the supports of a body, and no load."""
    d, conditions, settings = body.dimension, body.conditions, body.settings
    shape = (*body.elements.shape, d)
    given = {
        "points": np.ascontiguousarray(body.points[body.on, :d]), "nodes": body.nodes,
        "shear_modulus": body.shear_modulus, "poisson_ratio": body.plane_ratio,
        "u_fixed": np.ascontiguousarray(conditions.fixed[..., :d]), "u_value": np.zeros(shape),
        "t_value": np.zeros(shape), "spring": np.ascontiguousarray(conditions.foundation[..., :d]),
        "frames": np.ascontiguousarray(conditions.frames[body.on, :d, :d]), "u_free": np.zeros((len(body.on), d)),
        "t_free": np.zeros(shape), "infinite": settings.infinite, "mirror": body.mirror, "accuracy": settings.accuracy,
    }  # fmt: skip
    return PlanarProblem(**given, log_length=settings.log_length) if d == 2 else SpatialProblem(**given)


def free_field(body: Body, field: Particular | None) -> tuple[np.ndarray, np.ndarray]:
    """Displacement (b, 3) and traction (m, k, 3) of a particular solution on the boundary."""
    if field is None or field.empty:
        return np.zeros((len(body.on), 3)), np.zeros(body.normals.shape)
    u, stress = displacement_and_stress(field, body.points)
    if body.dimension == 2:
        u[:, 2] = 0.0
    return u[body.on], np.einsum("mkab,mkb->mka", stress[body.elements], body.normals)


def inside(
    body: Body, field: Particular | None, u: np.ndarray, traction: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Displacement (i, 3) [m] and stress (i, 3, 3) [Pa] at the points inside, from those on the boundary."""
    u_free, t_free = free_field(body, field)
    places, d = body.points[body.inside], body.dimension
    found, stress = np.zeros((len(places), 3)), np.zeros((len(places), 3, 3))
    if field is not None and not field.empty:
        found, stress = displacement_and_stress(field, places)
    boundary = (np.ascontiguousarray(body.points[body.on, :d]), body.nodes)
    differences = [
        np.ascontiguousarray(value[..., :d]) for value in (u[body.on] - u_free, traction - t_free)
    ]
    constants, settings = (body.shear_modulus, body.plane_ratio, body.mirror), body.settings
    if d == 3:
        moved, pulled = spatial_results.interior_field(
            places, *boundary, *differences, *constants, settings.infinite, settings.accuracy
        )
        return found + moved, stress + pulled
    moved, pulled = planar_results.interior_field(
        np.ascontiguousarray(places[:, :2]), *boundary, *differences, *constants, settings.log_length,
        settings.infinite, settings.accuracy,
    )  # fmt: skip
    found[:, :2] += moved
    found[:, 2] = 0.0
    for number, (i, j) in enumerate(((0, 0), (1, 1), (0, 1))):
        stress[:, i, j] += pulled[:, number]
    stress[:, 1, 0] = stress[:, 0, 1]
    return found, stress


def boundary_stress(body: Body, u: np.ndarray, traction: np.ndarray) -> np.ndarray:
    """(m, k, 3, 3) stress [Pa] at the points of the elements; in the plane without that across it."""
    d, found = body.dimension, np.zeros((*body.elements.shape, 3, 3))
    boundary = (np.ascontiguousarray(body.points[body.on, :d]), body.nodes)
    values = (np.ascontiguousarray(u[body.on, :d]), np.ascontiguousarray(traction[..., :d]))
    if d == 3:
        return spatial_results.boundary_stress(*boundary, *values, body.shear_modulus, body.poisson_ratio)
    plane, _ = planar_results.boundary_stress(*boundary, *values, body.shear_modulus, body.plane_ratio)
    found[..., 0, 0], found[..., 1, 1] = plane[..., 0], plane[..., 1]
    found[..., 0, 1] = found[..., 1, 0] = plane[..., 2]
    return found


def six(free: np.ndarray, body: Body, centre: np.ndarray) -> np.ndarray:
    """(r, 6) motions as translation and rotation [1/m] about the centre."""
    found = np.zeros((len(free), 6))
    if body.dimension == 2:
        found[:, :2], found[:, 5] = free[:, :2], free[:, 2] / body.size
    else:
        found[:, :3], found[:, 3:] = free[:, :3], free[:, 3:] / body.size
    found[:, :3] += np.cross(found[:, 3:], centre - body.points[body.on].mean(axis=0))
    return found
