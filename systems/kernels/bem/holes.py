"""Holes in a body that does not change its volume, in the plane (d = 2) and in space (d = 3).

Without change of volume the equations around a hole do not say how much it opens: one repeats the others. The missing
one is reciprocity with centres of dilatation in the hole and its images, with G = 1:

    u* = x / r^d,  sigma* n = 2 (n - d x (x.n) / r^2) / r^d,  integral sigma* n . u = integral u* . t

The equation holds for every nu. With it the error does not depend on nu; without, it grows as 1 / (1 - 2 nu), and from
INCOMPRESSIBLE on it is the larger one (measured with hollow spheres and cylinders).

*Limitations*: a hole so thin or bent that no point is found well inside it is left to the other equations.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from systems.kernels.bem.unknowns import Unknowns, prescribed

INCOMPRESSIBLE = 0.2  # 1 - 2 nu below which the equations say too little of the size of holes
INSIDE = 1e-3  # of the full angle: by how much that of a hole, seen from inside, may be wrong
TRIES = 200  # points that are tried as the middle of a hole
NEAR = 2.5  # pieces of elements are at least this many of their radii away from a centre
MOST_CUTS = 3  # times that an element is halved for it
# Gauss points of elements (e,) cut so many times: shape functions (q, k), and (e, q, 2 d + 1) place, normal, size; the
# latter two with weight.
Gauss = Callable[[np.ndarray, int], tuple[np.ndarray, np.ndarray]]


class Hole(NamedTuple):
    """elements (e,) around it; centres (q, d) of dilatation in it and its images; lengths over a scale."""

    elements: np.ndarray
    centres: np.ndarray


def parts(nodes: np.ndarray, n: int) -> list[np.ndarray]:
    """Element numbers of each connected part of a boundary of n points; nodes (m, k), -1 in unused places."""
    e, c = np.nonzero(nodes >= 0)
    first, other = nodes[e, 0], nodes[e, c]
    label = connected_components(coo_array((np.ones(len(e)), (first, other)), (n, n)), directed=False)[1][nodes[:, 0]]
    return [np.flatnonzero(label == one) for one in np.unique(label)]




def holes(
    problem: Any, scale: float, surfaces: list[np.ndarray], kinds: list[np.ndarray], gauss: Gauss, signs: np.ndarray
) -> list[Hole]:
    """Those of closed `surfaces` (element numbers) in which a centre is found. kinds: elements with as many points."""
    found = []
    for surface in surfaces:
        own = [gauss(np.intersect1d(surface, rows), 0)[1] for rows in kinds if np.isin(rows, surface).any()]
        flat = np.concatenate([places.reshape(-1, places.shape[2]) for places in own])
        centres = _centres(problem, np.unique(problem.nodes[surface]), flat, scale, signs)
        if len(centres):
            found.append(Hole(surface, centres))
    return found


def _centres(problem: Any, around: np.ndarray, gauss: np.ndarray, scale: float, signs: np.ndarray) -> np.ndarray:
    """(q, d) a point inside a hole, and its images with signs (., d). None where none is found.

    The middle of the points if it lies inside, else the farthest from the surface of several in front of it.
    """
    d = signs.shape[1]
    points, places, normals = problem.points[around[around >= 0]] / scale, gauss[:, :d], gauss[:, d : 2 * d]
    middle = points.mean(axis=0)
    for axis, mirrored in enumerate(problem.mirror):
        if mirrored and np.any(points[:, axis] == 0.0):
            middle[axis] = 0.0
    some = np.linspace(0, len(places) - 1, min(len(places), TRIES)).astype(int)
    unit = normals[some] / np.sqrt((normals[some] ** 2).sum(axis=1, keepdims=True))
    extent = float(np.ptp(points, axis=0).max())
    tried = np.concatenate([places[some] + step * extent * unit for step in (0.05, 0.1, 0.2, 0.4)])
    far = np.array([((places - place) ** 2).sum(axis=1).min() for place in tried])
    for place in (middle, *tried[np.argsort(-far)]):
        seen = 0.0
        for sign in signs:
            offset = places - sign * place
            seen += float(((offset * normals).sum(axis=1) / (offset * offset).sum(axis=1) ** (0.5 * d)).sum())
        if abs(seen / (-2 * np.pi * (d - 1)) - 1) < INSIDE:
            return np.unique(signs * place + 0.0, axis=0)
    return np.zeros((0, d))


def _dilatation(offset: np.ndarray, normal: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """u* and sigma* n (..., d) at offset (..., d) from a centre of dilatation; the normal may carry a weight."""
    d = offset.shape[-1]
    square = (offset * offset).sum(axis=-1, keepdims=True)
    power = square ** (0.5 * d)
    along = (offset * normal).sum(axis=-1, keepdims=True)
    return offset / power, 2 * (normal - d * offset * along / square) / power


def _integrals(
    problem: Any, centres: np.ndarray, kinds: list[np.ndarray], gauss: Gauss
) -> tuple[np.ndarray, np.ndarray]:
    """(m, k, d) integrals of sigma* n and of u* with the functions of the element points, from all centres."""
    d = centres.shape[1]
    on_u, on_t = np.zeros((*problem.nodes.shape, d)), np.zeros((*problem.nodes.shape, d))
    for rows in kinds:
        places = gauss(rows, 0)[1][..., :d]
        radius = np.sqrt(((places - places.mean(axis=1, keepdims=True)) ** 2).sum(axis=2)).max(axis=1)
        near = np.min([((places - centre) ** 2).sum(axis=2).min(axis=1) for centre in centres], axis=0)
        cuts = np.clip(np.ceil(np.log2(NEAR * radius / np.sqrt(near))), 0, MOST_CUTS).astype(int)
        for cut in np.unique(cuts).tolist():
            own = rows[cuts == cut]
            values, places = gauss(own, cut)
            for centre in centres:
                u, pull = _dilatation(places[..., :d] - centre, places[..., d : 2 * d])
                on_u[own, : values.shape[1]] += np.einsum("eqi,qc->eci", pull, values)
                on_t[own, : values.shape[1]] += np.einsum("eqi,qc->eci", u * places[..., 2 * d :], values)
    return on_u, on_t


def border_of_hole(
    problem: Any, scale: float, numbering: Unknowns, hole: Hole, kinds: list[np.ndarray], gauss: Gauss,
    loads: list[Any], a: np.ndarray, right: np.ndarray, border: int,
) -> None:  # fmt: skip
    """The equation of a hole in row `border`, and an unknown along its normals that makes room for it."""
    g, nodes, d = problem.shear_modulus, problem.nodes, problem.points.shape[1]
    outward = np.zeros((len(problem.points), d))
    for rows in kinds:
        own = np.intersect1d(rows, hole.elements)
        if len(own):
            values, places = gauss(own, 0)
            of = nodes[own, : values.shape[1]]
            np.add.at(outward, of, places[..., d : 2 * d].sum(axis=1)[:, None])
    on_u, on_t = _integrals(problem, hole.centres, kinds, gauss)
    largest = np.abs(on_u).max()
    on_u, on_t = on_u / largest, on_t / largest
    local = np.einsum("nab,na->nb", problem.frames, outward / np.abs(outward).max())
    rows = np.where(numbering.source_node[:, None] >= 0, numbering.rows, -1)
    a[rows[rows >= 0], border] = local[numbering.source_node][rows >= 0]
    frames, used = problem.frames[nodes], (nodes >= 0)[..., None]
    own_u, own_t = (np.einsum("mkab,mka->mkb", frames, part) for part in (on_u, on_t))
    own_u = own_u + own_t * problem.spring * (scale / g)
    columns = np.where(used, numbering.u_column.reshape(-1, d)[nodes], -1)
    pulls = numbering.t_column.reshape(columns.shape)
    np.add.at(a[border], columns[columns >= 0], own_u[columns >= 0])
    np.subtract.at(a[border], pulls[pulls >= 0], own_t[pulls >= 0])
    for number, load in enumerate(loads):
        right[border, number] = (
            np.sum(on_u * load.u_free[nodes] * used) / scale - np.sum(on_t * load.t_free * used) / g
            - np.sum(own_u * prescribed(problem, load.u_value)[nodes] * ((columns < 0) & used)) / scale
            + np.sum(own_t * load.t_value * (pulls < 0)) / g
        )  # fmt: skip
