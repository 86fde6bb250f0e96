"""Surfaces of triangles: which edges they share, whether they are closed, and normals of faces, edges and corners."""
from __future__ import annotations

import numpy as np


def merged(vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """(t, 3) corners, the same number for all vertices at the same place: files often repeat them along seams."""
    _, same = np.unique(vertices, axis=0, return_inverse=True)
    return same.reshape(-1)[triangles]


def directed_edges(corners: np.ndarray) -> np.ndarray:
    """(t, 3, 2): the edges ab, bc, ca of triangles (t, 3)."""
    return np.stack([corners, np.roll(corners, -1, axis=1)], axis=-1)


def edge_keys(pairs: np.ndarray, count: int) -> np.ndarray:
    """One number for each pair (..., 2) of whole numbers below `count`."""
    return pairs[..., 0].astype(np.int64) * count + pairs[..., 1]


def border_count(vertices: np.ndarray, triangles: np.ndarray) -> int:
    """Number of edges that are not shared by exactly two triangles of the same orientation; 0: a closed surface."""
    corners = merged(vertices, triangles)
    count = int(corners.max()) + 1
    pairs = directed_edges(corners).reshape(-1, 2)
    forward, times = np.unique(edge_keys(pairs, count), return_counts=True)
    backward = np.unique(edge_keys(pairs[:, ::-1], count))
    lonely = ~np.isin(forward, backward, assume_unique=True)
    return int(lonely.sum() + (times[~lonely] > 1).sum())


def doubled_areas(vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """(t, 3) normals with a length of twice the area [m^2]."""
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    return np.cross(b - a, c - a)


def signed_volume(vertices: np.ndarray, triangles: np.ndarray) -> float:
    """Volume [m^3] inside a closed surface; negative when its corners run clockwise seen from outside."""
    a, b, c = (vertices[triangles[:, k]] - vertices[0] for k in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)


def pseudonormals(vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """(t, 7, 3): unit normals of the face, its edges ab, bc, ca and its corners a, b, c.

    At an edge the mean over its faces, at a corner the mean weighted by the angles there (Baerentzen and Aanaes 2005,
    doi:10.1109/TVCG.2005.49). A triangle without area has and adds none.
    """
    corners = merged(vertices, triangles)
    across = doubled_areas(vertices, triangles)
    face = _unit(across)
    sides = vertices[np.roll(triangles, -1, axis=1)] - vertices[triangles]
    outward, back = _unit(sides), _unit(-np.roll(sides, 1, axis=1))
    angle = np.arccos(np.clip(np.einsum("tij,tij->ti", outward, back), -1.0, 1.0)) * np.any(face != 0, axis=1)[:, None]
    at_corner = np.zeros((int(corners.max()) + 1, 3))
    for axis in range(3):
        weights = (angle * face[:, axis : axis + 1]).ravel()
        at_corner[:, axis] = np.bincount(corners.ravel(), weights=weights, minlength=len(at_corner))
    keys = edge_keys(np.sort(directed_edges(corners), axis=-1), len(at_corner)).ravel()
    _, edge = np.unique(keys, return_inverse=True)
    edge = edge.reshape(-1)
    at_edge = np.zeros((int(edge.max()) + 1, 3))
    for axis in range(3):
        at_edge[:, axis] = np.bincount(edge, weights=np.repeat(face[:, axis], 3), minlength=len(at_edge))
    return np.concatenate(
        [face[:, None], _unit(at_edge)[edge].reshape(-1, 3, 3), _unit(at_corner)[corners]], axis=1
    )


def _unit(vectors: np.ndarray) -> np.ndarray:
    length = np.sqrt((vectors * vectors).sum(axis=-1, keepdims=True))
    return vectors / np.where(length > 0, length, 1.0)
