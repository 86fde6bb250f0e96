"""Distance to a triangle mesh: closest triangle by a tree of boxes, inside or outside by angle-weighted pseudonormals.

The sign is that of (p - q) . N with q the closest point and N the pseudonormal of the face, edge or corner that it lies
on (Baerentzen and Aanaes 2005, doi:10.1109/TVCG.2005.49). Closest point of a triangle: Ericson, Real-Time Collision
Detection, 2005, section 5.1.5. *Limitations*: the sign is right for closed surfaces that do not cut themselves.
"""
from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from framework.kernel import kernel
from systems.kernels.particle_blocks import EXACT

# columns of Meshes.rows
FIRST_BOX, LEAVES, LEAF_SIZE, FIRST_SLOT, FIRST_CELL, CELLS, CLOSED, MESH_COLUMNS = 0, 1, 2, 3, 4, 5, 8, 9
CONTAINER = 2
DEEPEST = 64  # entries of the stacks that queries work with
ON_IT = 1e-14  # of the mesh's extent: none can be closer than a triangle at this distance
AT_SURFACE = 1e-9  # of the mesh's extent: nearer than that a direction is the pseudonormal's


class Meshes(NamedTuple):
    """The trees and grids of all meshes, one after the other.

    rows (m, 9) int64: first box, number of leaves (a power of 2), slots of a leaf, first slot, first cell, cells along
    x, y and z, whether it is closed: 0 no, 1 a solid, CONTAINER all that is outside. Boxes (b, 6): low and high corner;
    node i has the children 2 i and 2 i + 1, the root is 1. Slots hold triangles: corners (s, 9), normals (s, 21) of the
    face, the edges ab, bc, ca and the corners
    a, b, c. Cells of a grid over the mesh hold the distance at their centre (c,) and the slot closest to it (c,) int32.
    grids (m, 5): its low corner, the size of a cell, and the extent of the mesh [m].
    """

    rows: np.ndarray
    boxes: np.ndarray
    corners: np.ndarray
    normals: np.ndarray
    distances: np.ndarray
    seeds: np.ndarray
    grids: np.ndarray


@kernel(fastmath=EXACT, forceinline=True)
def triangle_of(corners, slot):
    """The 9 coordinates of a slot's corners.

    Rows are not taken out of arrays in these loops: numba counts references to each, which costs more than the work.
    """
    return (corners[slot, 0], corners[slot, 1], corners[slot, 2], corners[slot, 3], corners[slot, 4], corners[slot, 5],
            corners[slot, 6], corners[slot, 7], corners[slot, 8])  # fmt: skip


@kernel(fastmath=EXACT)
def closest_on_triangle(px, py, pz, corners, slot):
    """(qx, qy, qz, feature): the point of a slot's triangle closest to p; feature: 0 face, 1-3 edges, 4-6 corners."""
    c = triangle_of(corners, slot)
    abx, aby, abz = c[3] - c[0], c[4] - c[1], c[5] - c[2]
    acx, acy, acz = c[6] - c[0], c[7] - c[1], c[8] - c[2]
    apx, apy, apz = px - c[0], py - c[1], pz - c[2]
    d1, d2 = abx * apx + aby * apy + abz * apz, acx * apx + acy * apy + acz * apz
    if d1 <= 0.0 and d2 <= 0.0:
        return c[0], c[1], c[2], 4
    bpx, bpy, bpz = px - c[3], py - c[4], pz - c[5]
    d3, d4 = abx * bpx + aby * bpy + abz * bpz, acx * bpx + acy * bpy + acz * bpz
    if d3 >= 0.0 and d4 <= d3:
        return c[3], c[4], c[5], 5
    vc = d1 * d4 - d3 * d2
    if vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        t = d1 / (d1 - d3)
        return c[0] + t * abx, c[1] + t * aby, c[2] + t * abz, 1
    cpx, cpy, cpz = px - c[6], py - c[7], pz - c[8]
    d5, d6 = abx * cpx + aby * cpy + abz * cpz, acx * cpx + acy * cpy + acz * cpz
    if d6 >= 0.0 and d5 <= d6:
        return c[6], c[7], c[8], 6
    vb = d5 * d2 - d1 * d6
    if vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        t = d2 / (d2 - d6)
        return c[0] + t * acx, c[1] + t * acy, c[2] + t * acz, 3
    va = d3 * d6 - d5 * d4
    if va <= 0.0 and d4 >= d3 and d5 >= d6:
        t = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        return c[3] + t * (c[6] - c[3]), c[4] + t * (c[7] - c[4]), c[5] + t * (c[8] - c[5]), 2
    inverse = 1.0 / (va + vb + vc)
    v, w = vb * inverse, vc * inverse
    return c[0] + v * abx + w * acx, c[1] + v * aby + w * acy, c[2] + v * abz + w * acz, 0


@kernel(fastmath=EXACT, forceinline=True)
def squared_distance_to_box(px, py, pz, boxes, i):
    """From p to one of the boxes (b, 6); 0 inside."""
    x = max(boxes[i, 0] - px, 0.0, px - boxes[i, 3])
    y = max(boxes[i, 1] - py, 0.0, py - boxes[i, 4])
    z = max(boxes[i, 2] - pz, 0.0, pz - boxes[i, 5])
    return x * x + y * y + z * z


@kernel(fastmath=EXACT)
def squared_distance_to_slot(px, py, pz, corners, slot):
    qx, qy, qz, _ = closest_on_triangle(px, py, pz, corners, slot)
    return (px - qx) * (px - qx) + (py - qy) * (py - qy) + (pz - qz) * (pz - qz)


@kernel(fastmath=EXACT)
def closest_slot(px, py, pz, m, tree, seed, stack, depths):
    """The slot of mesh m closest to p, sought from the slot `seed` on. stack, depths (DEEPEST,): scratch."""
    rows, boxes, corners, normals = tree.rows, tree.boxes, tree.corners, tree.normals
    first, leaves, size, offset = rows[m, FIRST_BOX], rows[m, LEAVES], rows[m, LEAF_SIZE], rows[m, FIRST_SLOT]
    found, best = seed, squared_distance_to_slot(px, py, pz, corners, seed)
    enough = ON_IT * ON_IT * tree.grids[m, 4] * tree.grids[m, 4]
    stack[0], depths[0] = 1, 0.0
    top = 1
    while top > 0 and best > enough:
        top -= 1
        node = stack[top]
        if depths[top] >= best:
            continue
        if node >= leaves:
            start = offset + (node - leaves) * size
            for slot in range(start, start + size):
                height = (px - corners[slot, 0]) * normals[slot, 0]
                height += (py - corners[slot, 1]) * normals[slot, 1] + (pz - corners[slot, 2]) * normals[slot, 2]
                if height * height < best:  # else its plane is further away than that
                    square = squared_distance_to_slot(px, py, pz, corners, slot)
                    if square < best:
                        best, found = square, slot
        else:
            near = 2 * node
            a = squared_distance_to_box(px, py, pz, boxes, first + near)
            b = squared_distance_to_box(px, py, pz, boxes, first + near + 1)
            far = near + 1
            if b < a:
                near, far, a, b = far, near, b, a
            if b < best:
                stack[top], depths[top] = far, b
                top += 1
            if a < best:
                stack[top], depths[top] = near, a
                top += 1
    return found


@kernel(fastmath=EXACT, forceinline=True)
def cell_coordinate(p, low, size, count):
    """The cell along one axis that p lies in, or the nearest one. Anything that is no number is in the first."""
    at = (p - low) / size
    if not at > 0.0:
        return 0
    return count - 1 if at >= count else int(at)


@kernel(fastmath=EXACT, forceinline=True)
def from_grid(px, py, pz, m, tree):
    """(lower bound of the distance of p to mesh m [m], a slot near p), from the grid cell nearest to p."""
    rows, grids = tree.rows, tree.grids
    nx, ny, nz, size = rows[m, CELLS], rows[m, CELLS + 1], rows[m, CELLS + 2], grids[m, 3]
    i = cell_coordinate(px, grids[m, 0], size, nx)
    j = cell_coordinate(py, grids[m, 1], size, ny)
    k = cell_coordinate(pz, grids[m, 2], size, nz)
    x, y = px - grids[m, 0] - (i + 0.5) * size, py - grids[m, 1] - (j + 0.5) * size
    z = pz - grids[m, 2] - (k + 0.5) * size
    off = math.sqrt(x * x + y * y + z * z)
    cell = rows[m, FIRST_CELL] + (i * ny + j) * nz + k
    least = tree.distances[cell] - off
    if off > size and rows[m, CLOSED] != CONTAINER:  # outside of the grid, and of the box of the whole mesh
        least = max(least, math.sqrt(squared_distance_to_box(px, py, pz, tree.boxes, rows[m, FIRST_BOX] + 1)))
    return least, tree.seeds[cell]


@kernel(fastmath=EXACT, forceinline=True)
def mesh_distance(px, py, pz, m, tree, seed, stack, depths):
    """(distance [m], normal (3), slot, feature): negative inside a closed mesh; the normal points away from it."""
    slot = closest_slot(px, py, pz, m, tree, seed, stack, depths)
    normals = tree.normals
    qx, qy, qz, feature = closest_on_triangle(px, py, pz, tree.corners, slot)
    nx, ny, nz = normals[slot, 3 * feature], normals[slot, 3 * feature + 1], normals[slot, 3 * feature + 2]
    dx, dy, dz = px - qx, py - qy, pz - qz
    side = dx * nx + dy * ny + dz * nz
    outside = side >= 0.0
    closed = tree.rows[m, CLOSED] > 0
    if feature == 0:
        if closed or outside:
            return side, nx, ny, nz, slot, feature
        return -side, -nx, -ny, -nz, slot, feature
    distance = math.sqrt(dx * dx + dy * dy + dz * dz)
    away = 1.0 if outside or not closed else -1.0
    if distance > AT_SURFACE * tree.grids[m, 4]:
        scale = away / distance
        return away * distance, scale * dx, scale * dy, scale * dz, slot, feature
    turned = 1.0 if closed or outside else -1.0
    return away * distance, turned * nx, turned * ny, turned * nz, slot, feature


@kernel(fastmath=EXACT)
def fill_grid(m, tree):
    """Compute `distances` and `seeds` of mesh m; a cell begins its search at the slot found for the one before it."""
    row, grid = tree.rows[m], tree.grids[m]
    stack, depths = np.empty(DEEPEST, np.int64), np.empty(DEEPEST)
    seed = row[FIRST_SLOT]
    for i in range(row[CELLS]):
        for j in range(row[CELLS + 1]):
            for k in range(row[CELLS + 2]):
                x, y, z = grid[0] + (i + 0.5) * grid[3], grid[1] + (j + 0.5) * grid[3], grid[2] + (k + 0.5) * grid[3]
                distance, _, _, _, seed, _ = mesh_distance(x, y, z, m, tree, seed, stack, depths)
                cell = row[FIRST_CELL] + (i * row[CELLS + 1] + j) * row[CELLS + 2] + k
                tree.distances[cell], tree.seeds[cell] = distance, seed
