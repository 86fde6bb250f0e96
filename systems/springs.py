"""Springs: the force system of MassSpring bodies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from components import Force, Position, SpringDamage, Springs, Velocity
from framework import ForceSystem
from systems.kernels.springs import (
    chunk_springs,
    spring_energy,
    spring_forces,
    spring_forces_chunked,
    spring_jacobians,
)

if TYPE_CHECKING:
    from framework import Step, World

CHUNKED_FROM = 100_000  # springs: above, a parallel call pays for itself
BATCH = 4096  # springs whose Jacobian blocks are held at a time


@dataclass(frozen=True)
class SpringList:
    """The unbroken springs of a body as the kernels take them; `chunks` when there are many."""

    nodes: np.ndarray
    rest: np.ndarray
    kind: np.ndarray
    rows: np.ndarray | None
    chunks: tuple[np.ndarray, np.ndarray, np.ndarray] | None


class SpringForces(ForceSystem):
    """Hooke springs with a cubic term and damping along the spring: T = k C + lambda C^3 + c dC/dt.

    Broken springs pull no more; plastic flow moves the rest length. Limitations: central forces only, so that an
    isotropic net has a fixed Poisson ratio (1/3 in plane stress, 1/4 in three dimensions).
    """

    reads = (Position, Velocity, Springs, SpringDamage)
    adds = (Force,)
    needs = (Springs,)
    external = False
    pattern_reads = ((Springs, "nodes"),)

    def process(self, world: World, step: Step) -> None:
        for entity, position, velocity, springs, force, damage in world.query(
            Position, Velocity, Springs, Force, optional=(SpringDamage,)
        ):
            net = self.net(world, entity, position, springs, damage)
            tables = springs.stiffness, springs.cubic, springs.damping
            if net.chunks is None:
                spring_forces(position.x, velocity.v, net.nodes, net.rest, net.kind, *tables, force.f)
            else:
                spring_forces_chunked(position.x, velocity.v, *net.chunks, net.rest, net.kind, *tables, force.f)

    def energy(self, world: World, step: Step) -> dict[int, float]:
        found = {}
        for entity, position, springs, damage in world.query(Position, Springs, optional=(SpringDamage,)):
            net = self.net(world, entity, position, springs, damage)
            found[entity] = spring_energy(position.x, net.nodes, net.rest, net.kind, springs.stiffness, springs.cubic)
        return found

    def pattern(self, world: World, step: Step) -> list[np.ndarray]:
        return [springs.nodes + np.int32(step.packed.start(entity)) for entity, springs in world.query(Springs)]

    def linearize(self, world: World, step: Step, matrix: Any) -> None:
        kx, kv = np.empty((BATCH, 3, 3)), np.empty((BATCH, 3, 3))
        for index, (entity, position, velocity, springs, damage) in enumerate(
            world.query(Position, Velocity, Springs, optional=(SpringDamage,))
        ):
            net = self.net(world, entity, position, springs, damage)
            offset = np.int32(step.packed.start(entity))
            for first in range(0, len(net.nodes), BATCH):
                part = slice(first, min(first + BATCH, len(net.nodes)))
                count = part.stop - part.start
                spring_jacobians(
                    position.x, velocity.v, net.nodes[part], net.rest[part], net.kind[part], springs.stiffness,
                    springs.cubic, springs.damping, matrix.project_psd, kx[:count], kv[:count],
                )  # fmt: skip
                rows = part if net.rows is None else net.rows[part]
                matrix.add_pairs(index, rows, net.nodes[part] + offset, kx[:count], kv[:count])

    def net(self, world: World, entity: int, position: Any, springs: Any, damage: Any) -> SpringList:
        """The springs that still hold, with their present rest lengths: a cache."""
        fields = [(entity, Springs, name) for name in ("nodes", "rest", "kind")]
        if damage is not None:
            fields += [(entity, SpringDamage, name) for name in ("plastic", "broken")]
        return world.cached(self, entity, fields, lambda: spring_list(len(position.x), springs, damage))

    def solver_text(self, world: World) -> list[str]:
        lines = []
        for entity, position, springs, damage in world.query(Position, Springs, optional=(SpringDamage,)):
            net = self.net(world, entity, position, springs, damage)
            kind = "list of springs" + (" in 16 chunks, several threads" if net.chunks is not None else "")
            lines.append(f"  {world.name(entity)}: {len(net.nodes)} springs as a {kind}")
        return lines


def spring_list(particles: int, springs: Springs, damage: SpringDamage | None) -> SpringList:
    nodes, rest, kind, rows = springs.nodes, springs.rest, springs.kind, None
    if damage is not None:
        rest = np.maximum(rest + damage.plastic, 0.0)
        if damage.broken.any():
            rows = np.flatnonzero(~damage.broken)
            nodes, rest, kind = nodes[rows], rest[rows], kind[rows]
    chunks = chunk_springs(nodes, particles) if len(nodes) >= CHUNKED_FROM else None
    return SpringList(nodes, rest, kind, rows, chunks)
