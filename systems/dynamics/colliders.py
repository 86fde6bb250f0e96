"""The colliders of a world as one table for the contact kernels; its layout is documented in kernels/contact.py."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from components import Collider, Gravity, Pose, unit_normal
from components.transform import apply

if TYPE_CHECKING:
    from framework import World

BOUNCE_STEPS = 4  # particles slower than what gravity adds in this many substeps come to rest instead of bouncing


def collider_table(world: World, h: float) -> np.ndarray:
    """(k, 16) rows of all colliders, in the order of their ids. h [s]: substep, for the bounce threshold."""
    rows = world.query(Collider, optional=(Pose,))
    table = np.zeros((len(rows), 16))
    pull = sum(float(np.linalg.norm(gravity.acceleration)) for _, gravity in world.query(Gravity))
    for row, (_, collider, pose) in zip(table, rows, strict=True):
        centre, normal, radius = collider.centre, unit_normal(collider), collider.radius
        if pose is not None:
            centre = apply(pose.matrix, centre[None])[0]
            linear = pose.matrix[:3, :3]
            radius *= float(np.cbrt(abs(np.linalg.det(linear))))
            normal = np.linalg.solve(linear.T, normal)
            normal /= np.sqrt(normal @ normal)
        plane = collider.shape == "plane"
        row[0] = 1.0 if plane else 0.0
        row[1:4], row[4:7], row[7] = centre, normal, 0.0 if plane else radius
        row[11:15] = collider.friction, collider.restitution, collider.thickness, BOUNCE_STEPS * pull * h
    return table
