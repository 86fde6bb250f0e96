"""The force of what a closed surface encloses."""
from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from components import BackwardEuler, EnclosedVolume, Force, Geometry, Mass, Position
from framework import ForceSystem
from framework.doctor import Finding
from systems.kernels.enclosed_volume import volume_gradient

if TYPE_CHECKING:
    from framework import Step, World

LONGEST = 1.0  # substep times frequency of the breathing mode, up to which a held force is followed well


class EnclosedVolumeForces(ForceSystem):
    """f = p dV/dx with the pressure p = K (1 - V / V0), the negative gradient of E = K (V - V0)^2 / (2 V0).

    Limitations: one pressure throughout, so no waves in the filling and no weight of it. Its Jacobian couples every
    particle with every other, K / V0 (dV/dx)(dV/dx)', which no sparse matrix holds: implicit steps hold the force over
    the substep, which is stable while h omega < 2 for the breathing mode, omega^2 = K / V0 sum |dV/dx|^2 / m. That
    frequency does not grow with the number of particles; `pliant doctor` says when a substep is too long for it.
    """

    reads = (EnclosedVolume, Geometry, Position)
    adds = (Force,)
    needs = (EnclosedVolume, Position, Mass)
    external = False

    def process(self, world: World, step: Step) -> None:
        for _, inside, geometry, position, force in world.query(EnclosedVolume, Geometry, Position, Force):
            gradient = np.empty_like(position.x)
            volume = volume_gradient(position.x, geometry.triangles, gradient)
            force.f += inside.compression_modulus * (1.0 - volume / inside.rest_volume) * gradient

    def energy(self, world: World, step: Step) -> dict[int, float]:
        found = {}
        for entity, inside, geometry, position in world.query(EnclosedVolume, Geometry, Position):
            volume = volume_gradient(position.x, geometry.triangles, np.empty_like(position.x))
            found[entity] = 0.5 * inside.compression_modulus * (volume - inside.rest_volume) ** 2 / inside.rest_volume
        return found

    def check(self, world: World) -> list[Finding]:
        if not isinstance(world.stepping.integrator, BackwardEuler):
            return []  # explicit integrators: the estimate of the stable step knows this force
        found = []
        h = world.stepping.frame_time / world.stepping.substeps
        rows = world.query(EnclosedVolume, Geometry, Position, Mass)
        for entity, inside, geometry, position, mass in rows:
            gradient = np.empty_like(position.x)
            volume_gradient(position.x, geometry.triangles, gradient)
            rate = inside.compression_modulus / inside.rest_volume * float(((gradient**2).sum(axis=1) / mass.m).sum())
            if h * math.sqrt(rate) > LONGEST:
                need = math.ceil(world.stepping.frame_time * math.sqrt(rate) / LONGEST)
                found.append(Finding(
                    what="the substep is long for so stiff a filling",
                    where=f"{world.name(entity)}.EnclosedVolume.compression_modulus",
                    why=f"its force is held over a substep of {h:.3g} s, and the body breathes at "
                        f"{math.sqrt(rate):.3g} rad/s",
                    do=f"use substeps={need} or more, or a smaller compression_modulus",
                    severity="error" if h * math.sqrt(rate) > 2 else "warning",
                ))  # fmt: skip
        return found
