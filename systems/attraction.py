"""Attraction between particles, within and between bodies: gravitation, or cohesion with a repulsion at short range."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from components import Attraction, Force, Mass, Position
from framework import ForceSystem, PathError
from systems.kernels.attraction import attraction_energy, attraction_forces

if TYPE_CHECKING:
    from framework import Step, World


class AttractionForce(ForceSystem):
    """F = -G m M / r^2 between pairs of particles, softened, cut off, and balanced by a repulsion at short range.

    Limitations: all pairs, O(n^2); at the cutoff the force jumps to zero; no Jacobian, so implicit steps hold it.
    """

    reads = (Attraction, Position, Mass)
    adds = (Force,)
    needs = (Attraction, Mass)

    def process(self, world: World, step: Step) -> None:
        packed = step.packed
        for entity, law in world.query(Attraction):
            body = world.cached_until_edit(self, entity, (Attraction,), lambda law=law: _members(world, law))
            attraction_forces(packed.x, packed.m, body, *_parameters(law), packed.f)

    def energy(self, world: World, step: Step) -> dict[int, float]:
        rows = world.query(Position, Mass)
        x = np.concatenate([position.x for _, position, _ in rows])
        m = np.concatenate([mass.m for _, _, mass in rows])
        total = np.zeros(len(rows))
        for _, law in world.query(Attraction):
            attraction_energy(x, m, _members(world, law), *_parameters(law), total)
        return {row[0]: float(value) for row, value in zip(rows, total, strict=True)}


def _parameters(law: Attraction) -> tuple[float, float, float, float, float, bool, bool]:
    return (
        law.strength, law.softening, law.cutoff, law.repulsion, law.repulsion_range, law.within, law.between
    )  # fmt: skip


def _members(world: World, law: Attraction) -> np.ndarray:
    """(n,) int32: the number of each particle's body, -1 where the law does not concern it."""
    rows = world.query(Position, Mass)
    names = [world.name(row[0]) for row in rows]
    for name in law.bodies:
        if name not in names:
            raise PathError(f"Attraction.bodies: there is no body {name!r}; bodies with a mass are {', '.join(names)}")
    numbers = [
        np.full(len(position.x), i if not law.bodies or name in law.bodies else -1, np.int32)
        for i, (name, (_, position, _)) in enumerate(zip(names, rows, strict=True))
    ]
    return np.concatenate(numbers)
