"""Points of an elastic body beyond the stress that it can bear: marked in the picture, and named in its caption."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from components import Position, Stress
from framework.viewer.scene import Points

if TYPE_CHECKING:
    from framework import World
    from framework.viewer.scene import Scene

YIELDED, RUPTURED = (0.93, 0.45, 0.05), (0.75, 0.05, 0.10)


def add_exceeded(world: World, scene: Scene) -> None:
    """Orange points beyond the yield stress, red ones beyond the rupture stress."""
    for entity, position, stress in world.query(Position, Stress):
        if stress.exceeded is None or not stress.exceeded.any():
            continue
        for level, colour in ((1, YIELDED), (2, RUPTURED)):
            where = stress.exceeded == level
            if where.any():
                scene.points.append(Points(position.x[where], np.array(colour), 5.0))
        counts = [(stress.yielded, "yielded"), (stress.ruptured, "ruptured")]
        said = ", ".join(f"{count} points {word}" for count, word in counts if count)
        scene.caption += f"   {world.name(entity)}: {said}"
