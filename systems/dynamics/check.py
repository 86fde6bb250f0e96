"""What the dynamics system tells the doctor: a step that is too long, particles that start inside colliders."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from components import BackwardEuler, Collider, Position, Supports
from framework import World
from framework.doctor import Finding
from framework.stepping import MOST_SUBSTEPS
from systems.dynamics.implicit_contact import standing_gaps
from systems.dynamics.problem import Problem
from systems.dynamics.stability import estimate

CLOSE = 0.9  # of the stable step: what moves makes springs stiffer
TOUCHING = 1e-6  # of the body's size: resting on a surface is no overlap


def check_step(world: World, problem: Problem) -> Iterator[Finding]:
    """Explicit steps that are longer than the fastest vibration allows, or close to that."""
    if isinstance(world.stepping.integrator, BackwardEuler) or problem.packed.m.size == 0:
        return
    known = estimate(world, problem)
    h = world.stepping.frame_time / world.stepping.substeps
    if not 0 < known.limit < math.inf or h <= CLOSE * known.limit:
        return
    need = world.stepping.frame_time / (CLOSE * known.limit)
    more = f"substeps={math.ceil(need)}, or " if need <= MOST_SUBSTEPS else ""
    unstable = h > known.limit
    yield Finding(
        what=f"the substep of {h:.4g} s is {'longer than' if unstable else 'close to'} the stable step of "
        f"{known.limit:.4g} s of {known.method}",
        where=f"world.stepping (fastest vibration in {known.entity})",
        why="an explicit integrator amplifies vibrations faster than its step allows, until the run explodes",
        do=f"World({more}integrator=BackwardEuler()), or less stiffness or damping on more mass",
        severity="error" if unstable else "warning",
    )


def check_overlap(world: World, problem: Problem) -> Iterator[Finding]:
    """Free particles that start below the surface of a collider."""
    names = [world.name(entity) for entity, _ in world.query(Collider)]
    for entity, position, supports in world.query(Position, optional=(Supports,)):
        free = np.ones(len(position.x), bool) if supports is None else ~supports.fixed.all(axis=1)
        size = max(float(np.ptp(position.x, axis=0).max()), 1e-9)
        for collider, row in zip(names, problem.colliders.standing(end=True), strict=True):
            gap = standing_gaps(position.x, row, problem.colliders)[0]
            inside = np.flatnonzero(free & (gap < -TOUCHING * size))
            if len(inside):
                deepest = inside[int(gap[inside].argmin())]
                yield Finding(
                    what=f"{len(inside)} of {len(gap)} particles start inside the collider {collider}, particle "
                    f"{deepest} the deepest with {-gap[deepest]:.3g} m",
                    where=f"{world.name(entity)}.Position.x",
                    why="contact puts them onto the surface in the first step, which stretches the body at once",
                    do=f"move {world.name(entity)} and {collider} apart, by its prefab's centre or a Transform",
                )
