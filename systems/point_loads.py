"""Constant forces on particles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from components import Force, PointLoads, Position
from framework import ForceSystem

if TYPE_CHECKING:
    from framework import Step, World


class PointLoadForce(ForceSystem):
    """f += the loads that BoundaryConditions put on particles."""

    reads = (PointLoads, Position)
    adds = (Force,)
    needs = (PointLoads,)

    def process(self, world: World, step: Step) -> None:
        for _, loads, force in world.query(PointLoads, Force):
            force.f += loads.load

    def energy(self, world: World, step: Step) -> dict[int, float]:
        return {entity: -float((loads.load * p.x).sum()) for entity, loads, p in world.query(PointLoads, Position)}

    def linearize(self, world: World, step: Step, matrix: object) -> None:
        """Dead loads have no derivatives."""
