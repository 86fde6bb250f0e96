"""Triangles and springs so thin or short that they spoil the rest."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from components import Geometry, Springs
from framework import World
from framework.doctor import Finding

FLAT = 1e-6  # height over longest edge below which a triangle has no area to speak of
SLIVER = 0.05  # below which it is a sliver: about 3 degrees
SHORT = 0.02  # of the median rest length


def check_elements(world: World) -> Iterator[Finding]:
    """Degenerate and sliver triangles, and springs far shorter than the others of their kind."""
    for entity, geometry in world.query(Geometry):
        if geometry.triangles is not None and len(geometry.triangles):
            yield from _triangles(world.name(entity), geometry.points, geometry.triangles)
    for entity, springs in world.query(Springs):
        if len(springs.rest):
            yield from _springs(world.name(entity), springs)


def _triangles(name: str, points: np.ndarray, triangles: np.ndarray) -> Iterator[Finding]:
    a, b, c = (points[triangles[:, k]] for k in range(3))
    edges = np.stack([b - a, c - b, a - c])
    longest = np.sqrt((edges * edges).sum(axis=2).max(axis=0))
    with np.errstate(invalid="ignore", divide="ignore"):
        quality = np.linalg.norm(np.cross(b - a, c - a), axis=1) / (longest * longest)
    quality = np.nan_to_num(quality, nan=0.0)
    flat, thin = np.flatnonzero(quality < FLAT), np.flatnonzero((quality >= FLAT) & (quality < SLIVER))
    if len(flat):
        yield Finding(
            what=f"{len(flat)} of {len(triangles)} triangles have no area, e.g. {flat[:5].tolist()}",
            where=f"{name}.Geometry.triangles",
            why="they have no normal and no mass, and models that divide by the area fail on them",
            do="remove them: read_mesh(path, repair=True) does, or build the geometry without them",
        )
    if len(thin):
        worst = thin[np.argsort(quality[thin])[:5]]
        yield Finding(
            what=f"{len(thin)} of {len(triangles)} triangles are slivers (height below {SLIVER:g} of the longest "
            f"edge), the worst {worst.tolist()} with {quality[worst[0]]:.2g}",
            where=f"{name}.Geometry.triangles",
            why="slivers need much shorter steps than the rest and make results worse around them",
            do="remesh the surface with more even triangles",
            severity="note",
        )


def _springs(name: str, springs: Springs) -> Iterator[Finding]:
    short = np.flatnonzero(springs.rest < SHORT * np.median(springs.rest))
    if len(short):
        worst = short[np.argsort(springs.rest[short])[:3]]
        pairs = [tuple(springs.nodes[s].tolist()) for s in worst]
        yield Finding(
            what=f"{len(short)} springs are shorter than {SHORT:g} of the median rest length of "
            f"{np.median(springs.rest):.3g} m, the shortest between particles {pairs}",
            where=f"{name}.Springs.rest",
            why="a fast particle turns them inside out in one step, and their strain is out of proportion",
            do="merge near-duplicate points, or remesh",
        )
