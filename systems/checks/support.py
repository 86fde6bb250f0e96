"""Bodies that nothing holds, and bodies in several pieces."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from components import Attraction, Collider, Gravity, Pose, Position, Springs, Supports, Velocity, unit_normal
from components.transform import apply
from framework import World
from framework.doctor import Finding


def check_support(world: World) -> Iterator[Finding]:
    """Unpinned bodies that gravity pulls on with nothing below them; pieces that nothing joins."""
    yield from _falling(world)
    yield from _overlapping(world)
    for entity, springs, position, supports in world.query(Springs, Position, optional=(Supports,)):
        held = np.zeros(len(position.x), bool) if supports is None else supports.fixed.any(axis=1)
        yield from _pieces(world.name(entity), springs.nodes, held)


def _falling(world: World) -> Iterator[Finding]:
    pull = sum((gravity.acceleration for _, gravity in world.query(Gravity)), np.zeros(3))
    if not pull.any() or world.query(Attraction):
        return
    down = pull / np.linalg.norm(pull)
    colliders = world.query(Collider, optional=(Pose,))
    for entity, position, velocity, supports in world.query(Position, Velocity, optional=(Supports,)):
        held = supports is not None and supports.fixed.any()
        if held or velocity.v.any():  # what is thrown is meant to fly
            continue
        if any(_may_catch(collider, pose, position.x, down) for _, collider, pose in colliders):
            continue
        there = "no collider is below it" if colliders else "there is no collider"
        yield Finding(
            what=f"nothing holds the body and {there}: it falls for ever",
            where=f"{world.name(entity)} ({len(position.x)} particles)",
            why="gravity acts on it and it has no supports",
            do='add BoundaryConditions.fixed("group") to it, or a Collider.plane() to the world',
        )


def _may_catch(collider: Collider, pose: Pose | None, x: np.ndarray, down: np.ndarray) -> bool:
    """Whether a body that falls could meet a collider: as seen along its fall, their boxes overlap.

    What moves, and what wind may blow aside, is met within a body's width.
    """
    matrix = np.eye(4) if pose is None else pose.matrix
    if collider.shape == "plane":
        normal = np.linalg.solve(matrix[:3, :3].T, unit_normal(collider))
        return float(normal @ down) < 0.0 or float(((x - apply(matrix, collider.centre[None])) @ normal).min()) < 0.0
    points = apply(matrix, outline_points(collider) + collider.centre)
    across = np.eye(3) - np.outer(down, down)
    one, two = points @ across, x @ across
    room = float(np.ptp(two, axis=0).max())
    beside = np.all((one.min(axis=0) <= two.max(axis=0) + room) & (two.min(axis=0) <= one.max(axis=0) + room))
    return bool(beside) and float((points @ down).max()) > float((x @ down).min())


def outline_points(collider: Collider) -> np.ndarray:
    """(p, 3) corners of a box around a collider of limited size, about its centre, or its own vertices."""
    corners = np.array(list(product((-1.0, 1.0), repeat=3)))
    if collider.shape == "sphere":
        return collider.radius * corners
    if collider.shape == "box":
        return 0.5 * np.asarray(collider.size) * corners
    if collider.shape == "capsule":
        return (collider.radius + 0.5 * collider.length) * corners
    return collider.vertices


def _overlapping(world: World) -> Iterator[Finding]:
    """Bodies that share a place: they go through each other."""
    boxes = [(world.name(entity), position.x.min(axis=0), position.x.max(axis=0))
             for entity, position, springs in world.query(Position, Springs)]
    for number, (name, low, high) in enumerate(boxes):
        others = [other for other, a, b in boxes[number + 1 :] if np.all((low <= b) & (a <= high))]
        if others:
            yield Finding(
                what=f"the body is where {', '.join(others[:3])}{' and others are' if len(others) > 3 else ' is'} too",
                where=name,
                why="bodies touch colliders only: they go through each other and through themselves",
                do="let one of them be a Collider, or keep them apart",
                severity="note",
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


