"""Springs: the force system of MassSpring bodies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from components import Force, Geometry, Position, SpringDamage, Springs, Velocity
from framework import ForceSystem
from systems.kernels.spring_grid import grid_spring_energy, grid_spring_forces
from systems.kernels.springs import (
    chunk_springs,
    spring_energy,
    spring_forces,
    spring_forces_chunked,
    spring_jacobians,
)

if TYPE_CHECKING:
    from framework import Step, World

STRETCH, SHEAR, BEND = 0, 1, 2
CHUNKED_FROM = 400_000  # springs: above, a parallel call pays for itself
BATCH = 4096  # springs whose Jacobian blocks are held at a time
UNIFORM = 1e-12  # relative spread of rest lengths that counts as none


@dataclass(frozen=True)
class SpringList:
    """The unbroken springs of a body as the kernels take them.

    nodes (s, 2), rest (s,), kind (s,); tables: stiffness, cubic, damping (p,); rows: their numbers among all springs of
    the body, None when all hold. chunks: for several threads. grids: arguments of the structured path, one call each.
    """

    nodes: np.ndarray
    rest: np.ndarray
    kind: np.ndarray
    tables: tuple[np.ndarray, np.ndarray, np.ndarray]
    rows: np.ndarray | None
    chunks: tuple[np.ndarray, np.ndarray] | None
    grids: tuple[tuple[Any, ...], ...]


class SpringForces(ForceSystem):
    """Hooke springs with a cubic term and damping along the spring: T = k C + lambda C^3 + c dC/dt.

    Broken springs pull no more; plastic flow moves the rest length. A structured grid with uniform rest lengths,
    derived springs and no damage is computed row by row in vector registers; other bodies as a list, long lists in 16
    fixed chunks on several threads. `describe` says which. The paths agree to rounding.
    Limitations: central forces only, so that an isotropic net has a fixed Poisson ratio (1/3 in plane stress, 1/4 in
    three dimensions).
    """

    reads = (Position, Velocity, Springs, SpringDamage, Geometry)
    adds = (Force,)
    needs = (Springs,)
    external = False
    pattern_reads = ((Springs, "nodes"),)

    def process(self, world: World, step: Step) -> None:
        for entity, position, velocity, _, force in world.query(Position, Velocity, Springs, Force):
            net = self.net(world, entity)
            if net.grids:
                for arguments in net.grids:
                    grid_spring_forces(position.x, velocity.v, *arguments, force.f)
            elif net.chunks is not None:
                spring_forces_chunked(
                    position.x, velocity.v, *net.chunks, net.nodes, net.rest, net.kind, *net.tables, force.f
                )
            else:
                spring_forces(position.x, velocity.v, net.nodes, net.rest, net.kind, *net.tables, force.f)

    def energy(self, world: World, step: Step) -> dict[int, float]:
        found = {}
        for entity, position, _ in world.query(Position, Springs):
            net = self.net(world, entity)
            if net.grids:
                found[entity] = sum(grid_spring_energy(position.x, *arguments[:-1]) for arguments in net.grids)
            else:
                found[entity] = spring_energy(position.x, net.nodes, net.rest, net.kind, net.tables[0], net.tables[1])
        return found

    def pattern(self, world: World, step: Step) -> list[np.ndarray]:
        return [springs.nodes + np.int32(step.packed.start(entity)) for entity, springs in world.query(Springs)]

    def linearize(self, world: World, step: Step, matrix: Any) -> None:
        kx, kv = np.empty((BATCH, 3, 3)), np.empty((BATCH, 3, 3))
        for index, (entity, position, velocity, _) in enumerate(world.query(Position, Velocity, Springs)):
            net = self.net(world, entity)
            offset = np.int32(step.packed.start(entity))
            for first in range(0, len(net.nodes), BATCH):
                part = slice(first, min(first + BATCH, len(net.nodes)))
                count = part.stop - part.start
                spring_jacobians(
                    position.x, velocity.v, net.nodes[part], net.rest[part], net.kind[part], *net.tables,
                    matrix.project_psd, kx[:count], kv[:count],
                )  # fmt: skip
                rows = part if net.rows is None else net.rows[part]
                matrix.add_pairs(index, net.nodes[part] + offset, kx[:count], kv[:count], rows)

    def net(self, world: World, entity: int) -> SpringList:
        """The springs that still hold, with their present rest lengths: a cache of the components' fields."""

        def build() -> SpringList:
            ((springs, damage, geometry, count),) = (
                (row[1], row[3], row[4], len(row[2].x))
                for row in world.query(Springs, Position, optional=(SpringDamage, Geometry))
                if row[0] == entity
            )
            fields = [(entity, Springs, name) for name in ("nodes", "rest", "kind", "stiffness", "cubic", "damping")]
            if damage is not None:
                fields += [(entity, SpringDamage, "plastic"), (entity, SpringDamage, "broken")]
            derived = geometry is not None and not world.explicit(entity, Springs)
            return world.cached(
                self, ("list", entity), fields,
                lambda: spring_list(count, springs, damage, geometry if derived else None),
            )  # fmt: skip

        return world.cached_until_edit(self, entity, (SpringDamage,), build)

    def solver_text(self, world: World) -> list[str]:
        lines = []
        for entity, _ in world.query(Springs):
            net = self.net(world, entity)
            kind = "structured grid" if net.grids else "list, 16 chunks" if net.chunks is not None else "list"
            lines.append(f"  {world.name(entity)}: {len(net.nodes)} springs ({kind})")
        return lines


def spring_list(
    particles: int, springs: Springs, damage: SpringDamage | None, geometry: Geometry | None
) -> SpringList:
    """What the kernels need. geometry: that the springs were derived from, or None when they were given."""
    nodes, rest, kind, rows = springs.nodes, springs.rest, springs.kind, None
    tables = springs.stiffness, springs.cubic, springs.damping
    grids = () if geometry is None or damage is not None else grid_calls(springs, geometry)
    if damage is not None:
        rest = np.maximum(rest + damage.plastic, 0.0)
        if damage.broken.any():
            rows = np.flatnonzero(~damage.broken)
            nodes, rest, kind = nodes[rows], rest[rows], kind[rows]
    used = np.unique(kind)
    if len(used) and all((table[used] == table[used[0]]).all() for table in tables):
        tables = tuple(table[used[:1]].copy() for table in tables)  # one row serves all: the quick case
    chunks = None
    if not grids and len(nodes) >= CHUNKED_FROM:
        if (np.diff(nodes[:, 0]) < 0).any():
            order = np.argsort(nodes[:, 0], kind="stable")
            rows = order if rows is None else rows[order]
            nodes, rest, kind = nodes[order], rest[order], kind[order]
        chunks = chunk_springs(nodes, particles)
    return SpringList(nodes, rest, kind, tables, rows, chunks, grids)


def grid_calls(springs: Springs, geometry: Geometry) -> tuple[tuple[Any, ...], ...]:
    """Arguments of `grid_spring_forces`: one call for neighbours, one for bending; () where the grid is not uniform."""
    if geometry.grid is None or len(geometry.grid) != 2 or geometry.edges is not None:
        return ()
    if len(springs.stiffness) != 3:  # a row for each spring, from the Material
        return ()
    rows, columns = (int(size) for size in geometry.grid)
    first, second = springs.nodes[:, 0], springs.nodes[:, 1]
    along_columns = first // columns != second // columns  # i changes
    lengths = {}
    for kind, across in ((STRETCH, False), (STRETCH, True), (SHEAR, True), (BEND, False), (BEND, True)):
        these = springs.rest[(springs.kind == kind) & (along_columns == across)]
        if len(these) and np.ptp(these) > UNIFORM * these.max():
            return ()
        lengths[kind, across] = float(these[0]) if len(these) else 0.0
    k, q, c = springs.stiffness, springs.cubic, springs.damping
    near = [STRETCH, STRETCH, SHEAR]
    rest = np.array([lengths[STRETCH, False], lengths[STRETCH, True], lengths[SHEAR, True]])
    calls = [(rows, columns, 1, rest, k[near], q[near], c[near])]
    if k[BEND] > 0:
        rest = np.array([lengths[BEND, False], lengths[BEND, True], 0.0])
        bend = np.array([1.0, 1.0, 0.0])
        calls.append((rows, columns, 2, rest, k[BEND] * bend, q[BEND] * bend, c[BEND] * bend))
    return tuple(calls)
