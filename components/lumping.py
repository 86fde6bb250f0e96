"""A body's mass shared out to its particles, in proportion to the volume, area or length around each."""
from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np

from components.geometry import Geometry
from components.material import DENSITIES, Material
from components.solids import as_tetrahedra, tetrahedron_volumes
from framework.errors import FieldError

UNITS = ("particle", "length", "area", "volume")
NEEDS = {
    "mass_density": "a volume (a lattice such as box, or tetrahedra), or a surface and a thickness",
    "areal_density": "a surface (triangles or a grid)",
    "linear_density": "lines (edges, such as rope)",
}


def lumped_mass(entity: str, geometry: Geometry, points: np.ndarray, material: Material) -> np.ndarray:
    """(n,) masses [kg] that add up to the body's mass; `points` (n, 3) [m] are the particles at rest."""
    given = [name for name in DENSITIES if getattr(material, name) is not None]
    if len(given) != 1:
        raise FieldError(
            f"{entity}: Material must give one of {', '.join(DENSITIES)} (or give Mass(m=...)), "
            f"got {', '.join(given) or 'none'}"
        )
    kind, value = given[0], getattr(material, given[0])
    shares, dimension = particle_measures(geometry, points)
    if kind == "mass_density" and dimension == 2 and material.thickness is not None:
        value *= material.thickness
    elif kind == "mass_density" and dimension == 3 and material.thickness is not None:
        raise FieldError(
            f"{entity}: Material.thickness must be left out for a body with a volume, got {material.thickness}"
        )
    elif kind != "total_mass" and dimension != {"mass_density": 3, "areal_density": 2, "linear_density": 1}[kind]:
        raise FieldError(f"{entity}: Material.{kind} needs {NEEDS[kind]}, got a body measured by {UNITS[dimension]}")
    for i in np.flatnonzero(~(shares > 0))[:1]:
        raise FieldError(
            f"{entity}: Geometry.points must each have some {UNITS[dimension]} around them to carry mass, "
            f"got {shares[i]} at [{i}]"
        )
    return shares * (value / shares.sum() if kind == "total_mass" else value)


def particle_measures(geometry: Geometry, points: np.ndarray) -> tuple[np.ndarray, int]:
    """Share of each particle (n,) in the body's volume [m3], area [m2] or length [m], and the dimension 3, 2 or 1.

    A lattice cell gives an eighth to each corner, a tetrahedron a quarter (a wedge as in solids.py), a triangle a
    third, an edge a half. A grid without triangles counts each quad as the mean of its two splittings into triangles.
    Without any of these every particle counts 1, in dimension 0.
    """
    grid = None if geometry.grid is None else tuple(geometry.grid.tolist())
    if grid is not None and len(grid) == 3:
        return _lattice_volumes(grid, points), 3
    shares = np.zeros(len(points))
    if geometry.tetrahedra is not None or geometry.wedges is not None:
        cells, weights = as_tetrahedra(geometry.tetrahedra, geometry.wedges)
        quarter = weights * np.abs(tetrahedron_volumes(points, cells)) / 4
        for i in range(4):
            shares += np.bincount(cells[:, i], quarter, len(points))
        return shares, 3
    if geometry.triangles is not None:
        _add_triangles(shares, points, geometry.triangles, 1.0)
        return shares, 2
    if grid is not None:
        number = np.arange(len(points)).reshape(grid)
        a, b, c, d = (q.ravel() for q in (number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]))
        for corners in ((a, b, c), (a, c, d), (a, b, d), (b, c, d)):
            _add_triangles(shares, points, np.stack(corners, axis=1), 0.5)
        return shares, 2
    if geometry.edges is not None:
        a, b = geometry.edges.T
        half = 0.5 * np.linalg.norm(points[b] - points[a], axis=1)
        return np.bincount(a, half, len(points)) + np.bincount(b, half, len(points)), 1
    return np.ones(len(points)), 0


def _add_triangles(shares: np.ndarray, points: np.ndarray, triangles: np.ndarray, weight: float) -> None:
    a, b, c = (points[triangles[:, i]] for i in range(3))
    third = np.linalg.norm(np.cross(b - a, c - a), axis=1) * (weight / 6)
    for i in range(3):
        shares += np.bincount(triangles[:, i], third, len(shares))


def _lattice_volumes(grid: tuple[int, ...], points: np.ndarray) -> np.ndarray:
    """(n,) shares of the cells' volumes; a cell is the six tetrahedra around its long diagonal."""
    p = points.reshape(*grid, 3)

    def corner(*offset: Any) -> tuple[slice, ...]:
        return tuple(slice(1, None) if o else slice(None, -1) for o in offset)

    base, far = p[corner(0, 0, 0)], p[corner(1, 1, 1)] - p[corner(0, 0, 0)]
    volume = np.zeros(base.shape[:3])
    for order in permutations(range(3)):
        sign = 1 if order in ((0, 1, 2), (1, 2, 0), (2, 0, 1)) else -1
        first = p[corner(*(axis == order[0] for axis in range(3)))] - base
        second = p[corner(*(axis != order[2] for axis in range(3)))] - base
        volume += sign / 6 * np.einsum("ijkc,ijkc->ijk", np.cross(first, second), far)
    shares = np.zeros(grid)
    for offset in np.ndindex(2, 2, 2):
        shares[corner(*offset)] += np.abs(volume) / 8
    return shares.ravel()
