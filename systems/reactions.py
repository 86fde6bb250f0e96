"""Reactions of supports: what fixed and driven particles exert on what holds them, with the sign of the support."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from components import Force, Mass, Position, Reaction, Supports, Velocity, driven_state
from framework import Stage, System

if TYPE_CHECKING:
    from framework import Step, World


class SupportReactions(System):
    """R = m a - f along held axes: the force of the support on the particle, at the end of the frame.

    f: all other forces on the particle; a: the prescribed acceleration, 0 where it is fixed.
    Limitations: impulses of contact are no force, so a support that presses a body against a collider does not feel
    it; the acceleration of a prescribed motion is a difference over one substep.
    """

    stage = Stage.FEEDBACK
    reads = (Mass, Supports, Position, Velocity)
    writes = (Reaction,)
    adds = (Force,)
    needs = (Reaction,)

    def process(self, world: World, step: Step) -> None:
        found = reactions(world, step)
        for entity, reaction in world.query(Reaction):
            reaction.force[...] = found.get(entity, 0.0)

    def measure(self, world: World, entity: int) -> np.ndarray:
        """The reactions (n, 3) [N] of a body at this moment, whether or not it has a Reaction."""
        with world.acting(self):
            found = reactions(world, world.engine.step).get(entity)
        return np.zeros((len(world.get(entity, Position).x), 3)) if found is None else found


def reactions(world: World, step: Step) -> dict[int, np.ndarray]:
    """(n, 3) [N] of every body with supports; Force is left as it was."""
    for solver in world.engine.active(Stage.SOLVE):
        prepare: Any = getattr(solver, "problem", None)
        if prepare is not None:
            with world.acting(solver):
                prepare(world, step)
    if step.packed is None:
        return {}
    f = step.packed.f
    kept = f.copy()
    f.fill(0.0)
    step.empty = False
    for system in world.engine.active(Stage.FORCES):
        world.engine.run(system)
    found = {}
    for entity, mass, supports, force in _bodies(world):
        acceleration = np.zeros_like(force)
        for driven in supports.driven or ():
            now, before = driven_state(driven, step.time)[1], driven_state(driven, step.time - step.h)[1]
            where = np.ix_(driven.nodes, driven.axes)
            acceleration[where] = ((now - before) / step.h)[:, driven.axes]
        found[entity] = np.where(supports.fixed, mass[:, None] * acceleration - force, 0.0)
    f[...] = kept
    return found


def _bodies(world: World) -> list[tuple[int, np.ndarray, Any, np.ndarray]]:
    store = world.store
    return [
        (entity, parts[Mass].m, parts[Supports], parts[Force].f)
        for entity, parts in sorted(store)
        if Mass in parts and Supports in parts and Force in parts
    ]
