"""What can be wrong with the boundary of a body: gaps, orientation, crossings, coincident points, bent elements."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from components.boundary_mesh import area_vectors, gauss, kinds, places, shape_functions
from components.surface_mesh import directed_edges, edge_keys

SAME = 1e-9  # of the body's size: points that are nearer to each other are the same
MIDDLE = (0.3, 0.7)  # where along the chord the middle point of a quadratic side may lie, so that no side folds back
BENT = 0.3  # how far from the chord, in chord lengths
BLOCK = 256  # elements compared with all others at a time

Problem = tuple[str, str, Any]


def boundary_problems(dimension: int, elements: np.ndarray, points: np.ndarray, settings: Any) -> Iterator[Problem]:
    """('Geometry.segments' or 'Geometry.faces', rule, found) for what makes no boundary; elements by their number."""
    where = "Geometry.segments" if dimension == 2 else "Geometry.faces"
    used = np.unique(elements[elements >= 0])
    size = float(np.ptp(points[used], axis=0).max())
    if not size > 0:
        yield where, "span an area" if dimension == 2 else "enclose a volume", "points all at one place"
        return
    for a, b in _coincident(points, used, SAME * size):
        yield where, "use points at different places (merge the two)", f"points {a} and {b} at {points[a].tolist()}"
        return
    yield from _bent(where, dimension, elements, points)
    planes = np.array([axis in settings.symmetry for axis in "xyz"])
    for axis in np.flatnonzero(planes):
        coordinates = points[used, axis]
        if coordinates.min() < -SAME * size and coordinates.max() > SAME * size:
            yield where, f"lie on one side of the plane of symmetry {'xyz'[axis]} = 0", "points on both sides"
            return
    on_plane = ((np.abs(points) <= SAME * size) & planes).any(axis=1)
    yield from (_outline if dimension == 2 else _surface)(where, elements, points, settings.infinite, on_plane)


def _coincident(points: np.ndarray, used: np.ndarray, near: float) -> list[tuple[int, int]]:
    from scipy.spatial import cKDTree

    pairs = cKDTree(points[used]).query_pairs(near)
    return sorted((int(used[a]), int(used[b])) for a, b in pairs)[:1]


def _bent(where: str, dimension: int, elements: np.ndarray, points: np.ndarray) -> Iterator[Problem]:
    """Middle points off the middle, and elements that fold over themselves."""
    for k, rows in kinds(dimension, elements):
        corner = points[elements[rows, :k]]
        if dimension == 2:
            sides = [(0, 1, 2)] if k == 3 else []
        else:
            half = k // 2
            sides = [(j, half + j, (j + 1) % half) for j in range(half)] if k in (6, 8) else []
        for a, middle, b in sides:
            chord = corner[:, b] - corner[:, a]
            length = np.sqrt((chord * chord).sum(axis=1))
            offset = corner[:, middle] - corner[:, a]
            along = (offset * chord).sum(axis=1) / length**2
            across = np.sqrt(np.maximum((offset * offset).sum(axis=1) - (along * length) ** 2, 0.0)) / length
            bad = (along < MIDDLE[0]) | (along > MIDDLE[1]) | (across > BENT)
            for e in np.flatnonzero(bad)[:1]:
                yield (
                    where, "have the middle point of each side near its middle",
                    f"element {rows[e]} with point {elements[rows[e], middle]} at {along[e]:.3g} of the side, "
                    f"{across[e]:.3g} of its length away from it",
                )  # fmt: skip
                return
        at = np.concatenate([places(dimension, k), gauss(dimension, k)[0]])
        vectors = area_vectors(dimension, shape_functions(dimension, k, at)[1], corner)
        mean = vectors.mean(axis=1, keepdims=True)
        folded = ((vectors * mean).sum(axis=-1) <= 1e-9 * (mean * mean).sum(axis=-1)).any(axis=1)
        for e in np.flatnonzero(folded)[:1]:
            yield where, "not be folded or without area", f"element {rows[e]}: {elements[rows[e], :k].tolist()}"
            return
        if dimension == 3 and k in (4, 8):
            yield from _warped(where, rows, corner, elements)


def _warped(where: str, rows: np.ndarray, corner: np.ndarray, elements: np.ndarray) -> Iterator[Problem]:
    """Quadrilaterals far from flat."""
    first, second = corner[:, 2] - corner[:, 0], corner[:, 3] - corner[:, 1]
    normal = np.cross(first, second)
    size = np.sqrt((normal * normal).sum(axis=1))
    height = np.abs(((corner[:, 1] - corner[:, 0]) * normal).sum(axis=1)) / np.maximum(size, 1e-300)
    off = height > BENT * np.sqrt(size)
    for e in np.flatnonzero(off)[:1]:
        yield (
            where, "have four corners nearly in a plane (split it into triangles)",
            f"element {rows[e]}, corner {elements[rows[e], 1]} is {height[e]:.3g} m off",
        )  # fmt: skip


def _outline(
    where: str, elements: np.ndarray, points: np.ndarray, infinite: bool, on_plane: np.ndarray
) -> Iterator[Problem]:
    n = len(points)
    starts, ends = (np.bincount(elements[:, j], minlength=n) for j in (0, -1))
    loose = (starts != ends) & ~(on_plane & (starts + ends == 1))
    for i in np.flatnonzero(loose | (starts > 1))[:1]:
        touching = np.flatnonzero((elements[:, [0, -1]] == i).any(axis=1)).tolist()
        yield (
            where, "form closed curves, each element beginning where another ends",
            f"point {i}, where {starts[i]} begin and {ends[i]} end (elements {touching})",
        )  # fmt: skip
        return
    for e, f in _crossing(elements, points):
        yield where, "not cross each other", f"elements {e} and {f}"
        return
    a, b = points[elements[:, :-1]], points[elements[:, 1:]]
    area = 0.5 * float((a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]).sum())
    if (area > 0) == infinite:
        rule = "run clockwise around the holes of an infinite region" if infinite else "run anticlockwise around a body"
        yield where, f"{rule}, with the material on the left (reverse each element)", f"an area of {area:.6g} m2"


def _crossing(elements: np.ndarray, points: np.ndarray) -> Iterator[tuple[int, int]]:
    """Pairs of elements whose straight pieces cross."""
    pieces = np.concatenate([elements[:, [j, j + 1]] for j in range(elements.shape[1] - 1)])
    owner = np.tile(np.arange(len(elements)), elements.shape[1] - 1)
    a, b = points[pieces[:, 0], :2], points[pieces[:, 1], :2]

    def side(p: np.ndarray, q: np.ndarray, r: np.ndarray) -> np.ndarray:
        return (q[..., 0] - p[..., 0]) * (r[..., 1] - p[..., 1]) - (q[..., 1] - p[..., 1]) * (r[..., 0] - p[..., 0])

    for first in range(0, len(pieces), BLOCK):
        p, q = a[first : first + BLOCK, None], b[first : first + BLOCK, None]
        cut = (side(p, q, a) * side(p, q, b) < 0) & (side(a, b, p) * side(a, b, q) < 0)
        for i, j in np.argwhere(cut)[:1]:
            yield int(owner[first + i]), int(owner[j])


def _surface(
    where: str, elements: np.ndarray, points: np.ndarray, infinite: bool, on_plane: np.ndarray
) -> Iterator[Problem]:
    n = len(points)
    pairs, owner = [], []
    for k, rows in kinds(3, elements):
        corners = elements[rows, : 3 if k in (3, 6) else 4]
        pairs.append(directed_edges(corners).reshape(-1, 2))
        owner.append(np.repeat(rows, corners.shape[1]))
    edges, owners = np.concatenate(pairs), np.concatenate(owner)
    keys, times = np.unique(edge_keys(edges, n), return_counts=True)
    for key in keys[times > 1][:1]:
        found = owners[edge_keys(edges, n) == key].tolist()
        yield where, "have neighbours that run the same way round", f"elements {found} along one side"
        return
    alone = ~np.isin(edge_keys(edges[:, ::-1], n), keys) & ~on_plane[edges].all(axis=1)
    for row in np.flatnonzero(alone)[:1]:
        yield where, "close the surface", f"element {owners[row]} without neighbour along {edges[row].tolist()}"
        return
    volume = 0.0
    for k, rows in kinds(3, elements):
        at, weights = gauss(3, k)
        values, slopes = shape_functions(3, k, at)
        corner = points[elements[rows, :k]]
        x = np.einsum("gk,eki->egi", values, corner)
        volume += float((x * area_vectors(3, slopes, corner)).sum(axis=-1).dot(weights).sum()) / 3
    if (volume > 0) == infinite:
        rule = "face into the holes of an infinite region" if infinite else "be anticlockwise seen from outside"
        yield where, f"{rule} (reverse each element)", f"a volume of {volume:.6g} m3"
