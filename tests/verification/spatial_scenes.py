"""Boundary-element problems in space with known solutions, for the tests of the solver."""

from __future__ import annotations

from typing import Any

import numpy as np

from components.boundary_mesh import point_normals
from components.geometry import Geometry
from systems.kernels.bem.spatial_problem import SpatialProblem

KINDS = ("triangle3", "triangle6", "quad4", "quad8")


def problem(
    geometry: Geometry, shear_modulus: float = 1.0, poisson_ratio: float = 0.3, **settings: Any
) -> SpatialProblem:
    """A problem without supports and loads, but for what `settings` give."""
    points, nodes = geometry.points, geometry.faces
    shape = (*nodes.shape, 3)
    given = {
        "u_fixed": np.zeros(shape, bool), "u_value": np.zeros(shape), "t_value": np.zeros(shape),
        "spring": np.zeros(shape), "frames": np.tile(np.eye(3), (len(points), 1, 1)),
        "u_free": np.zeros(points.shape), "t_free": np.zeros(shape),
    } | settings  # fmt: skip
    return SpatialProblem(
        points=points, nodes=nodes, shear_modulus=shear_modulus, poisson_ratio=poisson_ratio, **given
    )


def normals(geometry: Geometry) -> np.ndarray:
    """(m, 8, 3) outward unit normals."""
    return point_normals(3, geometry.faces, geometry.points)


def used(geometry: Geometry) -> np.ndarray:
    return np.broadcast_to((geometry.faces >= 0)[..., None], (*geometry.faces.shape, 3))


def held(geometry: Geometry, *groups: str) -> np.ndarray:
    """(m, 8, 3) whether elements have all their points in one of the groups."""
    found = np.zeros(len(geometry.faces), bool)
    for name in groups:
        inside = np.zeros(len(geometry.points) + 1, bool)
        inside[geometry.groups[name]] = inside[-1] = True
        found |= inside[geometry.faces].all(axis=1)
    return found[:, None, None] & used(geometry)


def at_points(geometry: Geometry, values: np.ndarray) -> np.ndarray:
    """(m, 8, 3) values (n, 3) of the points, at the points of the elements."""
    return np.where(used(geometry), values[geometry.faces], 0.0)


def linear_field(gradient: Any, nu: float, shear_modulus: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """(gradient (3, 3), stress (3, 3)) of u = gradient x."""
    gradient = np.asarray(gradient, float)
    strain = 0.5 * (gradient + gradient.T)
    first = 2 * shear_modulus * nu / (1 - 2 * nu)
    return gradient, first * np.trace(strain) * np.eye(3) + 2 * shear_modulus * strain


def kelvin(x: np.ndarray, at: np.ndarray, force: np.ndarray, nu: float) -> tuple[np.ndarray, np.ndarray]:
    """(u (..., 3), stress (..., 3, 3)) at x (..., 3) of a point force in endless space, with G = 1."""
    d = x - at
    r = np.linalg.norm(d, axis=-1)[..., None]
    q = d / r
    along = (q * force).sum(axis=-1)[..., None]
    u = ((3 - 4 * nu) * force + q * along) / (16 * np.pi * (1 - nu) * r)
    outer = q[..., :, None] * q[..., None, :]
    mixed = q[..., :, None] * force + force[:, None] * q[..., None, :]
    along, r, less = along[..., None], r[..., None], 1 - 2 * nu
    stress = -(less * (mixed - along * np.eye(3)) + 3 * outer * along) / (8 * np.pi * (1 - nu) * r**2)
    return u, stress
