"""Which particles of a geometry the structural, shear and bend springs join."""
from __future__ import annotations

import numpy as np

from components.geometry import Geometry
from components.solids import solid_edges, wedge_diagonals
from framework.errors import FieldError


def spring_pairs(entity: str, geometry: Geometry, shear: bool, bend: bool) -> tuple[np.ndarray, np.ndarray]:
    """Pairs (s, 2) int32 with the smaller index first, sorted, and their kinds (s,) int32: 0 stretch, 1 shear, 2 bend.

    A grid: neighbours along each direction; both diagonals of each face, in a lattice those of the body too; particles
    two apart. Triangles: their edges; the two opposite corners of each interior edge. Tetrahedra: their edges. Wedges:
    their edges; the diagonals of their sides. Edges: themselves; the outer ends at each point where exactly two edges
    meet. Edges given beside others are structural springs too.
    """
    n = len(geometry.points)
    grid, triangles, edges = geometry.grid, geometry.triangles, _given_edges(geometry)
    if grid is None and triangles is None and edges is None:
        raise FieldError(f"{entity}: Geometry must give edges, triangles or a grid for MassSpring, got none of them")
    if grid is None and geometry.wedges is None and shear:
        shape = "triangles" if triangles is not None else "lines"
        raise FieldError(
            f"{entity}: MassSpring.shear must be 0 for a body of {shape}: only the cells of a grid and wedges have "
            "diagonals"
        )
    if grid is not None:
        pairs, kinds = grid_pairs(grid.tolist(), shear, bend)
        if edges is None:
            return pairs, kinds
        parts = [(pairs[kinds == kind], kind) for kind in range(3)]
        parts[0] = (_unique(np.concatenate([parts[0][0], edges]), n), 0)
    elif triangles is not None:
        sides = triangle_edges(triangles, n) if edges is None else _unique(
            np.concatenate([triangle_edges(triangles, n), edges]), n
        )
        parts = [(sides, 0), (triangle_hinges(triangles, n)[:, 2:] if bend else sides[:0], 2)]
        if geometry.wedges is not None and shear:
            parts.append((_unique(wedge_diagonals(geometry.wedges), n), 1))
    else:
        lines = _unique(edges, n)
        parts = [(lines, 0), (line_bends(lines, n) if bend else lines[:0], 2)]
    pairs = np.concatenate([_ordered(pair) for pair, _ in parts])
    kinds = np.concatenate([np.full(len(pair), kind, np.int32) for pair, kind in parts])
    order = np.argsort(_keys(pairs, n), kind="stable")
    return np.ascontiguousarray(pairs[order]), kinds[order]


def grid_pairs(shape: list[int], shear: bool, bend: bool) -> tuple[np.ndarray, np.ndarray]:
    """Sorted pairs (s, 2) and kinds (s,) of a grid with `shape` points a direction (2 or 3 directions, C order)."""
    dimension = len(shape)
    unit = np.eye(dimension, dtype=int)
    offsets = [(tuple(row), 0) for row in unit]
    if shear:
        # every offset of -1, 0 and 1 with two or more entries, one of each opposite pair
        cube = [tuple(int(i) - 1 for i in index) for index in np.ndindex(*(3,) * dimension)]
        offsets += [(o, 1) for o in cube if np.count_nonzero(o) > 1 and o[np.flatnonzero(o)[0]] > 0]
    if bend:
        offsets += [(tuple(2 * row), 2) for row in unit]
    strides = [int(np.prod(shape[axis + 1 :])) for axis in range(dimension)]
    table = sorted((int(np.dot(o, strides)), o, kind) for o, kind in offsets)
    n = int(np.prod(shape))
    # column by column over the sorted offsets: reading the table row by row gives the pairs in order, without a sort
    inside = np.zeros((n, len(table)), bool)
    for column, (_, offset, _) in enumerate(table):
        block = inside[:, column].reshape(shape)
        block[tuple(slice(max(0, -o), max(0, size - max(0, o))) for o, size in zip(offset, shape, strict=True))] = True
        inside[:, column] = block.ravel()
    first, column_of = np.nonzero(inside)
    jumps = np.array([jump for jump, _, _ in table], np.int32)
    pairs = np.empty((len(first), 2), np.int32)
    pairs[:, 0] = first
    pairs[:, 1] = pairs[:, 0] + jumps[column_of]
    return pairs, np.array([kind for _, _, kind in table], np.int32)[column_of]


def triangle_edges(triangles: np.ndarray, n: int) -> np.ndarray:
    """Edges (e, 2) int32 of a mesh, each once, the smaller index first, sorted."""
    return _unique(np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]), n)


def _given_edges(geometry: Geometry) -> np.ndarray | None:
    """The edges that a geometry gives, those of its tetrahedra and wedges among them; None for none."""
    if geometry.tetrahedra is None and geometry.wedges is None:
        return geometry.edges
    edges = solid_edges(geometry.tetrahedra, geometry.wedges)
    return edges if geometry.edges is None else np.concatenate([edges, geometry.edges])


def triangle_hinges(triangles: np.ndarray, n: int) -> np.ndarray:
    """Hinges (h, 4) int32: the two points of each interior edge and the opposite corners of the triangles beside it.

    An edge of more than two triangles has a hinge for each two that follow each other in the list of triangles.
    """
    sides = _ordered(np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]))
    opposite = np.concatenate([triangles[:, 2], triangles[:, 0], triangles[:, 1]])
    keys = _keys(sides, n)
    # the side number modulo the triangle count is the triangle: a second key keeps the list's order on each edge
    order = np.lexsort((np.arange(len(keys)) % max(1, len(triangles)), keys))
    keys, sides, opposite = keys[order], sides[order], opposite[order]
    both = np.flatnonzero((keys[1:] == keys[:-1]) & (opposite[1:] != opposite[:-1]))
    return np.column_stack([sides[both], opposite[both], opposite[both + 1]]).astype(np.int32)


def line_bends(edges: np.ndarray, n: int) -> np.ndarray:
    """The two outer points (b, 2) int32 at each point where exactly two of the (unique) edges meet."""
    ends = np.concatenate([edges[:, 0], edges[:, 1]])
    others = np.concatenate([edges[:, 1], edges[:, 0]])
    order = np.argsort(ends, kind="stable")
    degree = np.bincount(ends, minlength=n)
    start = np.cumsum(degree) - degree
    first = start[degree == 2]
    return np.column_stack([others[order[first]], others[order[first + 1]]]).astype(np.int32)


def _ordered(pairs: np.ndarray) -> np.ndarray:
    return np.sort(pairs, axis=1).astype(np.int32, copy=False)


def _keys(pairs: np.ndarray, n: int) -> np.ndarray:
    """One whole number a pair, which sorts by first and then second index."""
    return pairs[:, 0].astype(np.int64) * n + pairs[:, 1]


def _unique(pairs: np.ndarray, n: int) -> np.ndarray:
    keys = np.unique(_keys(_ordered(pairs), n))
    return np.column_stack([keys // n, keys % n]).astype(np.int32)
