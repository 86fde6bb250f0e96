"""Trees and grids of collider meshes, as kernels/closest.py describes them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from components.surface_mesh import border_count, doubled_areas, pseudonormals, signed_volume
from systems.kernels.closest import CONTAINER, Meshes, fill_grid

FLAT = 1e-14  # of the square of the extent: triangles of less area have no normal, and neighbours that cover them
MOST_CELLS = 96  # of a grid along one axis


def mesh_tree(vertices: np.ndarray, triangles: np.ndarray) -> Meshes:
    """The tree and grid of one mesh: vertices (c, 3) [m], triangles (t, 3), one of them with an area at least."""
    extent = float(np.ptp(vertices, axis=0).max())
    areas = np.sqrt((doubled_areas(vertices, triangles) ** 2).sum(axis=1))
    whole = np.flatnonzero(areas > FLAT * extent * extent)
    normals = pseudonormals(vertices, triangles)[whole]
    corners = vertices[triangles[whole]]
    depth = max(int(np.log2(len(corners) / 1.5)), 0)
    leaves = 2**depth
    size = -(-len(corners) // leaves)
    order = _sorted_into_leaves(corners.mean(axis=1), leaves, size)
    corners, normals = corners[order], normals[order]
    grid, cells = _grid(vertices, len(whole))
    closed = 0 if border_count(vertices, triangles) else (1 if signed_volume(vertices, triangles) >= 0 else CONTAINER)
    rows = np.array([[0, leaves, size, 0, 0, *cells, closed]], np.int64)
    count = int(np.prod(cells))
    tree = Meshes(
        rows, _boxes(corners, leaves, size), corners.reshape(-1, 9).copy(), normals.reshape(-1, 21).copy(),
        np.zeros(count), np.zeros(count, np.int32), np.array([[*grid, extent]]),
    )  # fmt: skip
    fill_grid(0, tree)
    return tree


def joined(trees: Sequence[Meshes]) -> Meshes:
    """One table of several meshes."""
    rows = [tree.rows.copy() for tree in trees]
    boxes = slots = cells = 0
    seeds = []
    for row, tree in zip(rows, trees, strict=True):
        row[:, [0, 3, 4]] += boxes, slots, cells
        seeds.append(tree.seeds + np.int32(slots))
        boxes, slots, cells = boxes + len(tree.boxes), slots + len(tree.corners), cells + len(tree.distances)
    if not trees:
        return Meshes(
            np.zeros((0, 9), np.int64), np.zeros((0, 6)), np.zeros((0, 9)), np.zeros((0, 21)), np.zeros(0),
            np.zeros(0, np.int32), np.zeros((0, 5)),
        )  # fmt: skip
    parts = [np.concatenate([getattr(tree, name) for tree in trees]) for name in Meshes._fields]
    parts[0], parts[5] = np.concatenate(rows), np.concatenate(seeds)
    return Meshes(*parts)


def _sorted_into_leaves(middles: np.ndarray, leaves: int, size: int) -> np.ndarray:
    """Triangles (leaves * size,) so that each half of each part lies to one side along the part's longest axis.

    The last triangle is repeated to fill the last leaf.
    """
    n = leaves * size
    order = np.minimum(np.arange(n), len(middles) - 1)
    parts = 1
    while parts < leaves:
        points = middles[order].reshape(parts, -1, 3)
        axis = np.ptp(points, axis=1).argmax(axis=1)
        key = np.take_along_axis(points, axis[:, None, None], axis=2)[:, :, 0]
        order = np.take_along_axis(order.reshape(parts, -1), key.argsort(axis=1, kind="stable"), axis=1).ravel()
        parts *= 2
    return order


def _boxes(corners: np.ndarray, leaves: int, size: int) -> np.ndarray:
    """(2 leaves, 6): boxes of the nodes; node 1 is the root, node 0 unused."""
    boxes = np.zeros((2 * leaves, 6))
    parts = corners.reshape(leaves, 3 * size, 3)
    boxes[leaves:] = np.concatenate([parts.min(axis=1), parts.max(axis=1)], axis=1)
    first = leaves // 2
    while first >= 1:
        a, b = boxes[2 * first : 4 * first : 2], boxes[2 * first + 1 : 4 * first : 2]
        boxes[first : 2 * first] = np.concatenate([np.minimum(a, b)[:, :3], np.maximum(a, b)[:, 3:]], axis=1)
        first //= 2
    return boxes


def _grid(vertices: np.ndarray, triangles: int) -> tuple[list[float], list[int]]:
    """([low corner, size of a cell], cells along x, y and z) of a grid about as fine as the triangles."""
    low, extents = vertices.min(axis=0), np.ptp(vertices, axis=0)
    size = float(extents.max()) / min(max(int(3 * np.sqrt(triangles / 6)), 4), MOST_CELLS)
    return [*low.tolist(), size], [max(int(np.ceil(extent / size)), 1) for extent in extents]
