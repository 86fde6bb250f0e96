"""What plane and solid boundaries have in common: distinct points, middles of sides, and planes of symmetry."""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

from components.boundary_checks import BENT, MIDDLE
from systems.readers.bem_defo.model import BemDefo
from systems.readers.bem_defo.places import Places, listed

CLOSE = 1e-9  # of the size of the body: points that are nearer are at the same place, or on a plane of symmetry
OFF = 1e-3  # from where a middle off the half is worth a warning: files are printed with few figures


def size_of(problem: BemDefo) -> float:
    return float(np.ptp(problem.points, axis=0).max())


def check_distinct(problem: BemDefo, where: Places) -> None:
    if len(problem.points) < 2:
        return
    distance, other = cKDTree(problem.points).query(problem.points, k=2)
    for i in np.flatnonzero(distance[:, 1] <= CLOSE * size_of(problem))[:1]:
        j = int(other[i, 1]) if other[i, 1] != i else int(other[i, 0])
        a, b = sorted((int(i), j))
        place = ", ".join(map(repr, problem.points[b].tolist()))
        where.fail_point(b, f"points {problem.point_ids[a]} and {problem.point_ids[b]} must be at different places, "
                            f"got ({place}) for both; use one of them in all elements, and delete the other")


def check_middles(problem: BemDefo, sides: np.ndarray, owner: np.ndarray, where: Places) -> None:
    """sides (s, 3): first point, middle, last; owner (s,): their elements."""
    a, middle, b = (problem.points[sides[:, j]] for j in range(3))
    chord = b - a
    square = (chord * chord).sum(axis=1)
    along = ((middle - a) * chord).sum(axis=1) / square
    away = middle - a - along[:, None] * chord
    aside = np.sqrt((away * away).sum(axis=1) / square)
    for s in np.flatnonzero(~((along >= MIDDLE[0]) & (along <= MIDDLE[1]) & (aside <= BENT)))[:1]:
        first, inner, last = problem.point_ids[sides[s]]
        where.fail_element(owner[s], f"inner point {inner} of element {problem.element_ids[owner[s]]} must be "
                                     f"{MIDDLE[0]} to {MIDDLE[1]} of the way from point {first} to {last} and at most "
                                     f"{BENT} of it aside, got {along[s]:.4g} and {aside[s]:.4g}; move it, or use more "
                                     "elements")
    off = np.abs(along - 0.5)
    if (off > OFF).any():
        worst = int(owner[off.argmax()])
        rows = np.unique(owner[off > OFF])
        line = where.elements[worst] if worst < len(where.elements) else None
        where.warn(line, f"inner points of elements {listed(problem.element_ids[rows])} are up to {off.max():.2g} of "
                         "the side off its middle, results are less accurate there")


def check_sides_of_planes(problem: BemDefo, where: Places) -> None:
    """A body with planes of symmetry lies on one side of each, and has no element in them."""
    near = CLOSE * size_of(problem)
    for axis in range(problem.symmetry):
        place, name = problem.points[:, axis], f"{'xyz'[axis]} = 0"
        low, high = int(place.argmin()), int(place.argmax())
        if place[low] < -near and place[high] > near:
            where.fail_point(low, f"points must be on one side of the plane of symmetry {name} (simetry "
                                  f"{problem.symmetry}), got points {problem.point_ids[low]} and "
                                  f"{problem.point_ids[high]} on both; give one half only, or write simetry 0")
        inside = (np.abs(place[problem.elements]) <= near) | (problem.elements < 0)
        for e in np.flatnonzero(inside.all(axis=1))[:1]:
            where.fail_element(e, f"element {problem.element_ids[e]} must not lie in the plane of symmetry {name}, "
                                  "where the body goes on, got all its points there; delete it")


def mirrored(problem: BemDefo) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(points (N, d), elements (M, k), owner (M,)) of the whole body, with its images about the planes of symmetry."""
    points, elements = problem.points, problem.elements
    owner, near = np.arange(len(elements)), CLOSE * size_of(problem)
    for axis in range(problem.symmetry):
        off = np.abs(points[:, axis]) > near
        number = np.arange(len(points))
        number[off] = len(points) + np.arange(int(off.sum()))
        image = points[off].copy()
        image[:, axis] *= -1
        turned = np.where(elements >= 0, number[elements], -1)
        elements = np.concatenate([elements, turned[:, ::-1] if problem.dimension == 2 else _turned(turned)])
        points, owner = np.concatenate([points, image]), np.concatenate([owner, owner])
    return points, elements, owner


def _turned(faces: np.ndarray) -> np.ndarray:
    """The same faces, seen from the other side."""
    found, count = faces.copy(), (faces >= 0).sum(axis=1)
    for k in (3, 4, 6, 8):
        rows, c = count == k, k if k < 5 else k // 2
        found[rows, 1:c] = faces[rows, 1:c][:, ::-1]
        if k > 4:
            found[rows, c:k] = faces[rows, c:k][:, ::-1]
    return found
