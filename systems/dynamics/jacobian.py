"""The block matrix of an implicit step, and how force systems add their derivatives to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from framework import ForceSystem, Stage
from systems.kernels.blocks import (
    BlockMatrix,
    add_diagonal,
    add_elements,
    add_identity,
    add_pairs,
    build_pattern,
    components,
    element_slots,
    pair_slots,
)
from systems.kernels.conjugate_gradient import Work

if TYPE_CHECKING:
    from framework import World
    from systems.dynamics.problem import Problem


@dataclass
class Jacobian:
    """What `linearize` of a force system writes to: A = M + weight_x (-df/dx) + weight_v (-df/dv).

    The index of an `add` call is that of the array in the list that `pattern` returned. Matrix blocks are
    kx = -df/dx [N/m] and kv = -df/dv [N s/m], symmetric over the element as derivatives of an energy are.
    project_psd: the blocks must be positive semi-definite; leave out what would not be.
    """

    matrix: BlockMatrix
    slots: dict[str, list[np.ndarray]]
    labels: np.ndarray
    label_count: int
    work: Work
    weight_x: float = 0.0
    weight_v: float = 0.0
    project_psd: bool = True
    owner: str = ""

    def add_pairs(
        self, index: int, nodes: np.ndarray, kx: np.ndarray, kv: np.ndarray | None = None, rows: Any = slice(None)
    ) -> None:
        """Pair elements: packed nodes (e, 2), blocks (e, 3, 3) on the diagonal, minus them off it.

        rows: which elements of the array these are, when they come in batches.
        """
        slots = self.slots[self.owner][index][rows]
        diagonal, upper = self.matrix.diagonal, self.matrix.upper
        add_pairs(nodes, slots, kx, self.weight_x, diagonal, upper)
        if kv is not None:
            add_pairs(nodes, slots, kv, self.weight_v, diagonal, upper)

    def add_elements(self, index: int, kx: np.ndarray | None, kv: np.ndarray | None = None) -> None:
        """Elements of k nodes: blocks (e, k, k, 3, 3)."""
        slots = self.slots[self.owner][index]
        for blocks, weight in ((kx, self.weight_x), (kv, self.weight_v)):
            if blocks is not None:
                add_elements(slots, blocks, weight, self.matrix.diagonal, self.matrix.upper)

    def add_diagonal(self, nodes: np.ndarray, kx: np.ndarray | None, kv: np.ndarray | None = None) -> None:
        """Blocks (e, 3, 3) that couple a packed particle with itself only; they need no pattern."""
        for blocks, weight in ((kx, self.weight_x), (kv, self.weight_v)):
            if blocks is not None:
                add_diagonal(nodes, blocks, weight, self.matrix.diagonal)

    def assemble(self, problem: Problem) -> None:
        """The matrix at the present state."""
        self.matrix.clear()
        add_identity(problem.packed.m, 1.0, self.matrix.diagonal)
        for system in linearized(problem.world):
            self.owner = system.name
            with problem.world.acting(system):
                system.linearize(problem.world, problem.step, self)


def linearized(world: World) -> list[ForceSystem]:
    """The active force systems that know their derivatives."""
    return [s for s in world.engine.active(Stage.FORCES) if isinstance(s, ForceSystem) and s.has_jacobian]


def prepare(problem: Problem, owner: Any) -> Jacobian:
    """The empty matrix of the present topology, a cache of the fields that the systems' patterns are made from."""
    world = problem.world
    systems = linearized(world)
    reads = [
        (row[0], cls, field)
        for system in systems
        for cls, field in system.pattern_reads
        for row in world.store.rows((cls,), (), ())
    ]

    def build() -> Jacobian:
        n = len(problem.packed.m)
        arrays = {}
        for system in systems:
            with world.acting(system):
                arrays[system.name] = [
                    np.ascontiguousarray(a, np.int32) for a in system.pattern(world, problem.step) or ()
                ]
        pattern = build_pattern(n, [array for group in arrays.values() for array in group])
        slots = {
            name: [pair_slots(pattern, a) if a.shape[1] == 2 else element_slots(pattern, a) for a in group]
            for name, group in arrays.items()
        }
        labels = components(pattern)
        return Jacobian(BlockMatrix.zeros(pattern), slots, labels, int(labels.max(initial=-1)) + 1, Work.zeros(n))

    jacobian: Jacobian = world.cached(owner, "jacobian", reads, build)
    jacobian.weight_x, jacobian.weight_v = problem.h * problem.h, problem.h
    return jacobian
