"""Hands: a line from the particle that is pulled at to where the hand is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from components import Grab, Position
from framework.viewer.scene import Lines, Points

if TYPE_CHECKING:
    from framework import World
    from framework.viewer.scene import Scene

HAND = np.array([0.93, 0.42, 0.08])


def add_hands(world: World, scene: Scene) -> None:
    """Hands that hold a particle of a body that is there."""
    bodies = {world.name(entity): position.x for entity, position in world.query(Position)}
    for _, grab in world.query(Grab):
        x = bodies.get(grab.target)
        if x is not None and grab.node < len(x):
            ends = np.stack([x[grab.node], grab.point])
            scene.lines.append(Lines(ends, np.array([[0, 1]], np.int32), HAND, 2.5))
            scene.points.append(Points(ends[1:], HAND, 9.0))
