"""Strain of springs, per spring and per particle."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from components import Position, SpringDamage, Springs, Strain
from framework import Stage, System
from systems.kernels.springs import spring_strain

if TYPE_CHECKING:
    from framework import Step, World


class SpringStrain(System):
    """(length - rest length) / rest length of each spring; at a particle the largest magnitude of its springs.

    The rest length is the present one: plastic flow takes strain away. A broken spring has none.
    """

    stage = Stage.FEEDBACK
    reads = (Position, Springs, SpringDamage)
    writes = (Strain,)
    replaces = (Strain,)
    needs = (Springs, Strain)

    def process(self, world: World, step: Step) -> None:
        rows = world.query(Position, Springs, Strain, optional=(SpringDamage,))
        for entity, position, springs, strain, damage in rows:
            rest = springs.rest
            if damage is not None:  # a rest length of 0 stands for a broken spring: its strain is 0
                rest = np.where(damage.broken, 0.0, np.maximum(rest + damage.plastic, 0.0))
            world.store.renew(entity, Strain)
            spring_strain(position.x, springs.nodes, rest, strain.spring, strain.node)
