"""Bodies that nothing holds, and bodies in several pieces."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from components import Attraction, Collider, Gravity, Position, Springs, Supports, Velocity
from framework import World
from framework.doctor import Finding


def check_support(world: World) -> Iterator[Finding]:
    """Unpinned bodies that gravity pulls on with nothing below them; pieces that nothing joins."""
    yield from _falling(world)
    for entity, springs, position, supports in world.query(Springs, Position, optional=(Supports,)):
        held = np.zeros(len(position.x), bool) if supports is None else supports.fixed.any(axis=1)
        yield from _pieces(world.name(entity), springs.nodes, held)


def _falling(world: World) -> Iterator[Finding]:
    pull = sum((gravity.acceleration for _, gravity in world.query(Gravity)), np.zeros(3))
    if not pull.any() or world.query(Collider) or world.query(Attraction):
        return
    for entity, position, velocity, supports in world.query(Position, Velocity, optional=(Supports,)):
        held = supports is not None and supports.fixed.any()
        if held or velocity.v.any():  # what is thrown is meant to fly
            continue
        yield Finding(
            what="nothing holds the body and there is no collider: it falls for ever",
            where=f"{world.name(entity)} ({len(position.x)} particles)",
            why="gravity acts on it and it has no supports",
            do='add BoundaryConditions.fixed("group") to it, or a Collider.plane() to the world',
        )


def _pieces(name: str, nodes: np.ndarray, held: np.ndarray) -> Iterator[Finding]:
    """Pieces that hang on supports of their own are meant so (a row of pendulums); others are not."""
    n, ones = len(held), np.ones(len(nodes))
    count, label = connected_components(coo_array((ones, (nodes[:, 0], nodes[:, 1])), shape=(n, n)), directed=False)
    loose = np.setdiff1d(np.arange(count), label[held])
    if count == 1 or len(loose) == 0:
        return
    sizes = np.bincount(label)
    smallest = int(loose[sizes[loose].argmin()])
    example = np.flatnonzero(label == smallest)[:5].tolist()
    yield Finding(
        what=f"the springs join the particles to {count} separate pieces, {len(loose)} of them without support "
        f"(the smallest has {sizes[smallest]}: particles {example}{' ...' if sizes[smallest] > 5 else ''})",
        where=f"{name}.Springs.nodes",
        why="the pieces move apart as if they were several bodies; often seams of a mesh that were not merged, or "
        "points that no triangle uses",
        do="merge the seams (read_mesh does it), or spawn the pieces as entities of their own",
    )


