"""Yield and rupture of springs: the rest length flows beyond the yield strain, and a spring breaks for good."""

from __future__ import annotations

from typing import TYPE_CHECKING

from components import MassSpring, Position, SpringDamage, Springs
from framework import Stage, System
from systems.kernels.damage import flow_and_break

if TYPE_CHECKING:
    from framework import Step, World


class SpringFlow(System):
    """Perfect plasticity after each substep; unloading follows the same elastic slope.

    Limitations: no hardening; rate-independent; a spring breaks at the end of the substep that reached its limit.
    """

    stage = Stage.EVOLVE
    reads = (Position, Springs, MassSpring)
    writes = (SpringDamage,)
    needs = (SpringDamage,)

    def process(self, world: World, step: Step) -> None:
        for entity, position, springs, model, damage in world.query(Position, Springs, MassSpring, SpringDamage):
            if flow_and_break(
                position.x, springs.nodes, springs.rest, model.yield_strain, model.rupture_strain, damage.plastic,
                damage.broken,
            ):  # fmt: skip
                world.store.touch(entity, SpringDamage)
