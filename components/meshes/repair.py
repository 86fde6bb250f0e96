"""Repairs of surfaces, each on request: they change a RawMesh and say what they did."""
from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from components.meshes.examine import Findings, examine
from components.meshes.polygons import cut
from components.meshes.raw import RawMesh
from framework.errors import MeshError, suggest

REPAIRS = ("collapsed", "degenerate", "duplicates", "non_manifold", "flipped", "inside_out", "holes")
ALL = tuple(name for name in REPAIRS if name != "holes")  # the border of an open surface is no hole: only by name
MOST_NEIGHBOURS = 20  # pairs a vertex within the tolerance of merging, on average: more is no seam


def chosen_repairs(repair: object) -> tuple[str, ...]:
    """The names that `repair` asks for, in the order they are made."""
    if repair is True or repair is False:
        return ALL if repair else ()
    names = (repair,) if isinstance(repair, str) else repair
    if not isinstance(names, (tuple, list)):
        raise MeshError(f"read_mesh: repair must be True, False or names out of {', '.join(REPAIRS)}, got {repair!r}")
    for name in names:
        if name not in REPAIRS:
            raise MeshError(f"read_mesh: there is no repair {name!r}{suggest(name, REPAIRS)}")
    return tuple(name for name in REPAIRS if name in names)


def merge_points(raw: RawMesh, tolerance: float) -> np.ndarray:
    """(n,): for each point the first one at its place, at most `tolerance` [units of the file] away."""
    _, first, same = np.unique(raw.points, axis=0, return_index=True, return_inverse=True)
    different = raw.points[first]
    if tolerance > 0 and len(first) > 1:
        tree = cKDTree(different)
        pairs = (int(tree.count_neighbors(tree, tolerance)) - len(first)) // 2
        if pairs > MOST_NEIGHBOURS * len(first):
            raise MeshError(f"{raw.name}: {pairs} pairs of {len(first)} vertices are closer than the tolerance of "
                            f"merging, {tolerance:.3g}: pass a smaller merge, or merge=0")
        if pairs:
            i, j = tree.query_pairs(tolerance, output_type="ndarray").T
            graph = coo_array((np.ones(len(i), np.int8), (i, j)), shape=(len(first),) * 2)
            count, label = connected_components(graph, directed=False)
            lowest = np.full(count, len(raw.points))
            np.minimum.at(lowest, label, first)
            first = lowest[label]
    return first[same.reshape(-1)]


def repaired(raw: RawMesh, names: tuple[str, ...]) -> list[str]:
    """Make the repairs in their order; a sentence for each that changed something."""
    texts = []
    for name in names:
        found = examine(raw.points, raw.triangles)
        done = HOW[name](raw, found)
        if done:
            texts.append(done)
    return texts


def _leave_out(raw: RawMesh, chosen: np.ndarray, what: str) -> str:
    if len(chosen):
        raw.keep(np.setdiff1d(np.arange(len(raw.triangles)), chosen))
        return f"left out {len(chosen)} triangles {what}"
    return ""


def _turn(raw: RawMesh, chosen: np.ndarray, what: str) -> str:
    if not len(chosen):
        return ""
    raw.triangles[chosen] = raw.triangles[chosen][:, [0, 2, 1]]
    if raw.uv is not None:
        raw.uv[chosen] = raw.uv[chosen][:, [0, 2, 1]]
    return f"turned {len(chosen)} triangles {what}"


def _fill(raw: RawMesh, found: Findings) -> str:
    """Close each border that is one simple ring by a polygon, turned as its neighbours are."""
    sides = np.stack([raw.triangles, np.roll(raw.triangles, -1, axis=1)], axis=-1).reshape(-1, 2)
    n = len(raw.points)
    keys, counts = np.unique(np.sort(sides, axis=1) @ np.array([n, 1]), return_counts=True)
    border = sides[np.isin(np.sort(sides, axis=1) @ np.array([n, 1]), keys[counts == 1])]
    following = dict(zip(border[:, 1].tolist(), border[:, 0].tolist(), strict=True))  # against the neighbours' sense
    filled, left, added = 0, 0, []
    textured = ", texture coordinates left out" if raw.uv is not None else ""
    for points in found.borders:
        ring = [int(points[0])]
        while len(ring) <= len(points) and ring[-1] in following and following[ring[-1]] != ring[0]:
            ring.append(following[ring[-1]])
        corners, crossed = None, np.array([True])
        if len(ring) == len(points) == len(set(ring)) and len(ring) > 2:
            corners, crossed = cut(raw.points, np.array([ring]))
        if corners is None or crossed[0]:
            left += 1
        else:
            filled += 1
            added.append(np.array(ring)[corners[0]])
    if added:
        extra = np.concatenate(added)
        number = np.arange(len(extra)) + 1 + raw.faces.max(initial=0)
        raw.triangles, raw.faces = np.concatenate([raw.triangles, extra]), np.concatenate([raw.faces, number])
        raw.lines = None if raw.lines is None else np.concatenate([raw.lines, np.zeros(len(extra), np.int64)])
        raw.uv = None
    tail = f"; {left} are no simple rings and stay open" if left else ""
    count = sum(map(len, added))
    return f"closed {filled} holes by {count} triangles{textured}{tail}" if added else ""


HOW = {
    "collapsed": lambda raw, found: _leave_out(raw, found.collapsed, "with fewer than three different corners"),
    "degenerate": lambda raw, found: _leave_out(raw, found.degenerate, "without area"),
    "duplicates": lambda raw, found: _leave_out(raw, found.duplicates, "given twice"),
    "non_manifold": lambda raw, found: _leave_out(raw, found.excess, "at edges of more than two"),
    "flipped": lambda raw, found: _turn(raw, found.flipped, "to agree with their neighbours"),
    "inside_out": lambda raw, found: _turn(raw, found.inside_out, "of closed parts outwards"),
    "holes": _fill,
}
