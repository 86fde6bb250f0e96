"""Masses that differ so much that solvers lose digits."""

from __future__ import annotations

from collections.abc import Iterator

from components import Mass
from framework import World
from framework.doctor import Finding

MOST = 1e6


def check_masses(world: World) -> Iterator[Finding]:
    """Particles of one body whose masses differ by more than a factor of a million."""
    for entity, mass in world.query(Mass):
        light, heavy = int(mass.m.argmin()), int(mass.m.argmax())
        ratio = float(mass.m[heavy] / mass.m[light])
        if ratio > MOST:
            yield Finding(
                what=f"particle {heavy} has {mass.m[heavy]:.3g} kg and particle {light} {mass.m[light]:.3g} kg, "
                f"{ratio:.2g} times less",
                where=f"{world.name(entity)}.Mass.m",
                why="the light one dictates the step of an explicit integrator, and implicit solves converge slowly",
                do="give the light particle more mass, or hold the heavy one by BoundaryConditions",
            )
