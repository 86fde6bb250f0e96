"""Stiffness of springs from Young's modulus, so that the net behaves as the material, as far as springs can.

Central springs that sit in an isotropic net have one Poisson ratio: 1/3 as a surface (plane stress), 1/4 as a solid.

Triangles, tetrahedra and wedges: k = E sum(T) / l^2 with T the triangles' areas times thickness, or the volumes, around
an edge of length l (Van Gelder 1998, doi:10.1080/10867651.1998.10487486). The sum of k l^2 over an element is then 3 E
area thickness, or 6 E volume, which an isotropic net must have. Regular triangles come out exactly, as in Lloyd,
Szekely and Harders 2007, doi:10.1109/TVCG.2007.1055; for regular tetrahedra their rule gives 4 % less.

Grids and lattices of cells a, b (and c): edges and diagonals such that every homogeneous strain has the energy of the
isotropic material, sum(k l^2 n n n n) = its stiffness tensor times the cell's area or volume.

*Limitations*: exact on grids, lattices and regular triangles. A net that is not regular is softer: 1 % for points moved
by a tenth of a side, 7 % by a quarter. Edges of a net are softer than its middle. Wedges are stiffer along their edges
than across. Bending is not covered: bend springs keep the stiffness that is given.
"""
from __future__ import annotations

import warnings

import numpy as np

from components.geometry import Geometry
from components.material import Material, elastic_constants
from components.solids import as_tetrahedra, tetrahedron_volumes
from framework.errors import FieldError

SURFACE_RATIO, SOLID_RATIO = 1 / 3, 1 / 4
NEAR = 0.005  # Poisson ratios closer than this are taken for equal: 0.33 is meant as 1/3
BODY_SHARE = 4 / 7  # of the shear stiffness of a lattice, that body diagonals carry: all diagonals of a cube are alike

Pairs = tuple[np.ndarray, np.ndarray]  # (p, 2) points and (p,) stiffness, to be added up


def net_ratio(geometry: Geometry) -> float:
    """The Poisson ratio that a net of springs on this geometry has."""
    solid = geometry.tetrahedra is not None or geometry.wedges is not None
    return SOLID_RATIO if solid or (geometry.grid is not None and len(geometry.grid) == 3) else SURFACE_RATIO


def material_stiffness(
    entity: str, geometry: Geometry, points: np.ndarray, material: Material | None, nodes: np.ndarray
) -> np.ndarray:
    """(s,) stiffness [N/m] of the springs `nodes` (s, 2); 0 for those that no element has."""
    if material is None:
        raise FieldError(f"{entity}: MassSpring.stretch must be given, or a Material with young_modulus, got neither")
    modulus = _young_modulus(entity, material)
    _warn_of_ratio(entity, geometry, material)
    if geometry.tetrahedra is not None or geometry.wedges is not None:
        pairs = _solids(geometry, points, modulus)
    elif geometry.grid is not None and len(geometry.grid) == 3:
        pairs = _lattice(entity, geometry, points, modulus)
    else:
        if geometry.triangles is None and geometry.grid is None:
            raise FieldError(f"{entity}: MassSpring.stretch must be given for a body of lines: only triangles, "
                             "tetrahedra, wedges and grids get their springs from a Material")
        if material.thickness is None:
            raise FieldError(f"{entity}: Material.thickness (with mass_density) must be given where springs of a "
                             "surface follow from young_modulus, got none")
        plane = modulus * material.thickness
        pairs = _triangles(geometry, points, plane) if geometry.grid is None else _grid(entity, geometry, points, plane)
    n = len(points)
    keys = np.sort(pairs[0], axis=1).astype(np.int64) @ np.array([n, 1])
    wanted = nodes[:, 0].astype(np.int64) * n + nodes[:, 1]  # sorted, as springs are
    place = np.searchsorted(wanted, keys)
    place[place == len(wanted)] = 0
    known = wanted[place] == keys
    return np.bincount(place[known], pairs[1][known], len(wanted))


def _young_modulus(entity: str, material: Material) -> float:
    if material.young_modulus is not None:
        return float(material.young_modulus)
    try:
        return elastic_constants(material).young_modulus
    except FieldError as error:
        raise FieldError(f"{entity}: MassSpring.stretch must be given, or Material.young_modulus ({error})") from None


def material_ratio(material: Material) -> float | None:
    """The Poisson ratio that a Material asks for; None where it leaves that open."""
    try:
        return elastic_constants(material).poisson_ratio
    except FieldError:
        return material.poisson_ratio


def _warn_of_ratio(entity: str, geometry: Geometry, material: Material) -> None:
    wanted, has = material_ratio(material), net_ratio(geometry)
    if wanted is not None and abs(wanted - has) > NEAR:
        name = "1/3 (plane stress)" if has == SURFACE_RATIO else "1/4"
        warnings.warn(
            f"{entity}: Material asks for a Poisson ratio of {wanted:.4g}, but a net of springs has {name}, whatever "
            "its stiffness: use that, or a model of a continuum", UserWarning, stacklevel=2,
        )  # fmt: skip


def _triangles(geometry: Geometry, points: np.ndarray, plane: float) -> Pairs:
    corners = geometry.triangles
    a, b, c = (points[corners[:, i]] for i in range(3))
    share = plane * 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)
    return _over_square(points, np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]]),
                        np.tile(share, 3))  # fmt: skip


def _solids(geometry: Geometry, points: np.ndarray, modulus: float) -> Pairs:
    cells, weights = as_tetrahedra(geometry.tetrahedra, geometry.wedges)
    share = modulus * weights * np.abs(tetrahedron_volumes(points, cells))
    pairs = np.concatenate([cells[:, [i, j]] for i in range(4) for j in range(i)])
    return _over_square(points, pairs, np.tile(share, 6))


def _over_square(points: np.ndarray, pairs: np.ndarray, share: np.ndarray) -> Pairs:
    difference = points[pairs[:, 1]] - points[pairs[:, 0]]
    return pairs, share / (difference * difference).sum(axis=1)


def _grid(entity: str, geometry: Geometry, points: np.ndarray, plane: float) -> Pairs:
    """Each cell a x b: diagonals k = 3/16 E t (a^2 + b^2) / (a b), and half of 9/8 E t b/a - 3/8 E t a/b on sides a."""
    number = np.arange(len(points)).reshape(geometry.grid)
    p, q, r, s = (part.ravel() for part in (number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]))
    a = 0.5 * (_length(points, p, q) + _length(points, s, r))
    b = 0.5 * (_length(points, p, s) + _length(points, q, r))
    diagonal = plane * 3 / 16 * (a * a + b * b) / (a * b)
    along_a, along_b = (0.5 * plane * (9 / 8 * y / x - 3 / 8 * x / y) for x, y in ((a, b), (b, a)))
    if min(along_a.min(), along_b.min()) <= 0:
        raise FieldError(f"{entity}: Geometry.points: the cells of a grid must be less than sqrt(3) times as long as "
                         f"wide for springs from a Material, got {max((a / b).max(), (b / a).max()):.3g} times")
    table = [(p, q, along_a), (s, r, along_a), (p, s, along_b), (q, r, along_b), (p, r, diagonal), (q, s, diagonal)]
    return (np.concatenate([np.stack([i, j], axis=1) for i, j, _ in table]), np.concatenate([k for *_, k in table]))


def _length(points: np.ndarray, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    return np.linalg.norm(points[j] - points[i], axis=1)


def _lattice(entity: str, geometry: Geometry, points: np.ndarray, modulus: float) -> Pairs:
    """Each cell: C_xxyy = 0.4 E from its diagonals, C_xxxx = 1.2 E with its edges, for every two axes (nu = 1/4)."""
    number = np.arange(len(points)).reshape(geometry.grid)
    shape = tuple(size - 1 for size in number.shape)

    def corner(offset: tuple[int, ...]) -> np.ndarray:
        return number[tuple(slice(o, o + size) for o, size in zip(offset, shape, strict=True))].ravel()

    corners = {offset: corner(offset) for offset in np.ndindex(2, 2, 2)}
    pairs, stiffness = [], []
    joined = [(u, v) for u in corners for v in corners if u < v]
    size = np.stack([
        np.mean([_length(points, corners[u], corners[v]) for u, v in joined if np.subtract(v, u).tolist() == axis], 0)
        for axis in np.eye(3, dtype=int).tolist()
    ])  # fmt: skip
    square = size * size
    long, volume = square.sum(axis=0), size.prod(axis=0)
    product = {(i, j): square[i] * square[j] for i in range(3) for j in range(3) if i != j}
    body = BODY_SHARE * 0.4 * modulus * volume * long / (4 * np.max(list(product.values()), axis=0))
    face = {ij: (0.4 * modulus * volume - 4 * body * p / long) * (square[ij[0]] + square[ij[1]]) / (2 * p)
            for ij, p in product.items()}  # fmt: skip
    edge = []
    for i in range(3):
        diagonals = sum(2 * face[i, j] * square[i] ** 2 / (square[i] + square[j]) for j in range(3) if j != i)
        edge.append((1.2 * modulus * volume - diagonals - 4 * body * square[i] ** 2 / long) / square[i])
    if min(k.min() for k in edge) <= 0:
        raise FieldError(f"{entity}: Geometry.points: the cells of a lattice must be more like cubes for springs from "
                         f"a Material, got sides {np.round(size[:, 0], 6).tolist()}")
    for u, v in joined:
        axes = np.flatnonzero(np.subtract(v, u))
        k = body if len(axes) == 3 else face[int(axes[0]), int(axes[-1])] / 2 if len(axes) == 2 else edge[axes[0]] / 4
        pairs.append(np.stack([corners[u], corners[v]], axis=1))
        stiffness.append(k)
    return np.concatenate(pairs), np.concatenate(stiffness)
