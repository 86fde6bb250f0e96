"""Surfaces of solids: closed, with faces that are anticlockwise seen from outside."""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from components.boundary_checks import BENT
from components.boundary_mesh import area_vectors, kinds, places, shape_functions
from systems.readers.bem_defo.model import BemDefo
from systems.readers.bem_defo.places import Places, listed
from systems.readers.bem_defo.shape import check_distinct, check_middles, check_sides_of_planes, mirrored

FLATTEST = 0.05  # of the mean area vector of an element: what its corners must have along it
THINNEST = 1e-9  # area of an element over the square of its size
MOST_INSIDE = 5_000  # points that no element uses
CHUNK = 2_000_000
CUTS = {
    3: ((0, 1, 2),), 4: ((0, 1, 2), (0, 2, 3)), 6: ((0, 3, 5), (1, 4, 3), (2, 5, 4), (3, 4, 5)),
    8: ((0, 4, 7), (1, 5, 4), (2, 6, 5), (3, 7, 6), (4, 5, 6), (4, 6, 7)),
}  # fmt: skip


def check_surface(problem: BemDefo, where: Places) -> None:
    """ProblemFileError where the elements are no surface of one body, or of cavities in an infinite region."""
    check_distinct(problem, where)
    check_sides_of_planes(problem, where)
    sides, owner = half_edges(problem.elements)
    if problem.order == 2:
        check_middles(problem, sides[:, [0, 2, 1]], owner, where)
    _check_faces(problem, where)
    points, elements, original = mirrored(problem)
    sides, faces = half_edges(elements)
    opposite = _opposite(problem, sides, faces, original, where)
    graph = coo_array((np.ones(len(faces)), (faces, faces[opposite])), shape=(len(elements), len(elements)))
    _, part = connected_components(graph, directed=False)
    triangles, rows = triangulated(elements)
    _check_direction(problem, points, triangles, part[rows], original[rows], where)
    unused = np.setdiff1d(np.arange(len(problem.points)), problem.elements)
    if len(unused) > MOST_INSIDE:
        where.fail_point(unused[0], f"may have {MOST_INSIDE} points that no element uses, got {len(unused)}; delete "
                                    "some")
    around = winding(points[triangles], problem.points[unused])
    wrong = np.abs(around) > 0.01 if problem.infinite else np.abs(around - 1) > 0.01
    for i in unused[wrong][:1]:
        where.fail_point(i, f"point {problem.point_ids[i]} must belong to an element, or lie inside the material, got "
                            "one that no element uses, outside of it or on its surface; delete it, or check "
                            "element_type and ids")


def half_edges(elements: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(sides (s, 3): from corner, to corner, middle or -1; element of each (s,)) of faces (m, 8)."""
    sides, owner = [], []
    count = (elements >= 0).sum(axis=1)
    for k in np.unique(count):
        rows = np.flatnonzero(count == k)
        corners = int(k) if k < 5 else int(k) // 2
        for j in range(corners):
            middle = elements[rows, corners + j] if k > 4 else np.full(len(rows), -1)
            sides.append(np.stack([elements[rows, j], elements[rows, (j + 1) % corners], middle], axis=1))
            owner.append(rows)
    return np.concatenate(sides), np.concatenate(owner)


def triangulated(elements: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(triangles (t, 3), element of each (t,)) between all points of faces (m, 8)."""
    triangles, owner = [], []
    count = (elements >= 0).sum(axis=1)
    for k in np.unique(count):
        rows = np.flatnonzero(count == k)
        cuts = np.array(CUTS[int(k)])
        triangles.append(elements[rows][:, cuts].reshape(-1, 3))
        owner.append(np.repeat(rows, len(cuts)))
    return np.concatenate(triangles), np.concatenate(owner)


def winding(corners: np.ndarray, at: np.ndarray) -> np.ndarray:
    """(q,) how often closed triangles (t, 3, 3) enclose places (q, 3): the sum of solid angles over 4 pi.

    A. Van Oosterom, J. Strackee, The Solid Angle of a Plane Triangle, 1983.
    """
    found = np.zeros(len(at))
    step = max(1, CHUNK // max(len(corners), 1))
    for start in range(0, len(at), step):
        a, b, c = (corners[:, j] - at[start : start + step, None] for j in range(3))
        la, lb, lc = (np.sqrt((v * v).sum(axis=-1)) for v in (a, b, c))
        triple = (a * np.cross(b, c)).sum(axis=-1)
        denominator = la * lb * lc + (a * b).sum(-1) * lc + (a * c).sum(-1) * lb + (b * c).sum(-1) * la
        found[start : start + step] = np.arctan2(triple, denominator).sum(axis=1) / (2 * np.pi)
    return found


def _check_faces(problem: BemDefo, where: Places) -> None:
    """Elements with an area, without folds: concave, twisted and collapsed ones are none."""
    for k, rows in kinds(3, problem.elements):
        at = problem.points[problem.elements[rows, :k]]
        vectors = area_vectors(3, shape_functions(3, k, places(3, k))[1], at)
        mean = vectors.mean(axis=1)
        length = np.sqrt((mean * mean).sum(axis=1))
        size = np.ptp(at, axis=1).max(axis=1)
        for e in rows[length <= THINNEST * size**2][:1]:
            where.fail_element(e, f"element {problem.element_ids[e]} must have an area, got none; correct the order or "
                                  "the coordinates of its points")
        along = (vectors * mean[:, None]).sum(axis=2) / (length * length)[:, None]
        for row in np.flatnonzero((along <= FLATTEST).any(axis=1))[:1]:
            e, i = rows[row], problem.elements[rows[row], int(along[row].argmin())]
            where.fail_element(e, f"element {problem.element_ids[e]} must be convex and hardly twisted, got one that "
                                  f"folds at point {problem.point_ids[i]}; divide it into triangles, or correct the "
                                  "order of its corners")
        if k in (4, 8):
            _check_flat(problem, rows, at, where)
    count = (problem.elements >= 0).sum(axis=1)
    inner = np.zeros(len(problem.points), bool)
    place = np.arange(problem.elements.shape[1])
    is_inner = (place >= count[:, None] // 2) & (place < count[:, None]) & (problem.order == 2)
    inner[problem.elements[is_inner]] = True
    both = inner[problem.elements] & (problem.elements >= 0) & ~is_inner
    for e, j in np.argwhere(both)[:1]:
        where.fail_element(e, f"point {problem.point_ids[problem.elements[e, j]]} must be a corner or an inner point, "
                              f"got a corner of element {problem.element_ids[e]} that is an inner point of another "
                              "one; divide the elements alike")


def _check_flat(problem: BemDefo, rows: np.ndarray, at: np.ndarray, where: Places) -> None:
    """Quadrilaterals whose corners are nearly in a plane."""
    normal = np.cross(at[:, 2] - at[:, 0], at[:, 3] - at[:, 1])
    size = np.sqrt((normal * normal).sum(axis=1))
    height = np.abs(((at[:, 1] - at[:, 0]) * normal).sum(axis=1)) / size
    for row in np.flatnonzero(height > BENT * np.sqrt(size))[:1]:
        e = rows[row]
        where.fail_element(e, f"element {problem.element_ids[e]} must have four corners nearly in a plane, got corner "
                              f"{problem.point_ids[problem.elements[e, 1]]} {height[row]:.4g} m off; divide it into "
                              "triangles")


def _opposite(
    problem: BemDefo, sides: np.ndarray, faces: np.ndarray, original: np.ndarray, where: Places
) -> np.ndarray:
    """(s,) the side that runs the other way along each one; ProblemFileError where the surface is not closed."""
    n = int(sides.max()) + 1
    key, back = sides[:, 0].astype(np.int64) * n + sides[:, 1], sides[:, 1].astype(np.int64) * n + sides[:, 0]
    order = np.argsort(key, kind="stable")
    ids = problem.element_ids

    def ends(s: int) -> str:
        known = [str(problem.point_ids[i]) if i < len(problem.point_ids) else "an image" for i in sides[s, :2]]
        return f"from point {known[0]} to {known[1]}"

    twice = np.flatnonzero(np.diff(key[order]) == 0)
    for place in twice[:1]:
        a, b = sorted((int(order[place]), int(order[place + 1])))
        e, f = original[faces[a]], original[faces[b]]
        where.fail_element(f, "a side must belong to two elements that run along it in opposite ways, got elements "
                              f"{ids[e]} and {ids[f]} both {ends(b)}; turn the order of the points of one of them, or "
                              "delete it")
    place = np.minimum(np.searchsorted(key[order], back), len(key) - 1)
    found = order[place]
    for s in np.flatnonzero(key[found] != back)[:1]:
        e = original[faces[s]]
        planes = " or lie on a plane of symmetry" if problem.symmetry else ""
        where.fail_element(e, f"a side must belong to two elements{planes}, got element {ids[e]} alone {ends(s)}; add "
                              "the element that is missing, or correct the ids")
    for s in np.flatnonzero(sides[found, 2] != sides[:, 2])[:1]:
        e, f = original[faces[s]], original[faces[found[s]]]
        where.fail_element(f, f"elements {ids[e]} and {ids[f]} must have the same inner point {ends(s)}, got two; use "
                              "one of them in both")
    return found


def _check_direction(
    problem: BemDefo, points: np.ndarray, triangles: np.ndarray, part: np.ndarray, owner: np.ndarray, where: Places
) -> None:
    """Anticlockwise seen from outside of the material; one body."""
    corners = points[triangles]
    a, b, c = (corners[:, j] - points.mean(axis=0) for j in range(3))
    volume = np.bincount(part, (a * np.cross(b, c)).sum(axis=1))
    outer = []
    for number, size in enumerate(volume):
        own = part == number
        others, at = np.unique(part[~own]), points[triangles[own][:1, 0]]
        depth = sum(1 for other in others if abs(winding(corners[part == other], at)[0]) > 0.5)
        rows = np.unique(owner[own])
        names = f"elements {listed(problem.element_ids[rows])}"
        if depth > (0 if problem.infinite else 1):
            where.fail_element(rows[0], f"{names} must not lie in a cavity of the body, got a surface inside of "
                                        "another cavity; give a body of its own a file of its own")
        hollow = depth == 1 or problem.infinite
        if (size < 0) != hollow:
            kind = "a cavity" if hollow else "the surface of a finite region"
            do = "" if depth else f", or write region_type {1 if problem.infinite else 2}"
            where.fail_element(rows[0], f"{kind} must have its corners anticlockwise seen from outside of the "
                                        f"material, got {names} the other way round; turn the order of their points "
                                        f"and values{do}")
        if depth == 0:
            outer.append(rows)
    if not problem.infinite and len(outer) > 1:
        where.fail_element(outer[1][0], f"a finite region must be one body, got {len(outer)}, the second with elements "
                                        f"{listed(problem.element_ids[outer[1]])}; give each a file of its own")
