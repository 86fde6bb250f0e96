"""Forces that grow with velocity: wind and drag per particle, and the mass-proportional part of Rayleigh damping."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from components import Drag, Force, Mass, Material, Velocity, Wind
from framework import ForceSystem
from systems.kernels.drag import drag_forces

if TYPE_CHECKING:
    from framework import Step, World

AT_REST = np.zeros(3)


def add_diagonal_damping(matrix: Any, first: int, coefficient: np.ndarray) -> None:
    """-df/dv = coefficient (n,) I for the particles from `first` on."""
    nodes = np.arange(first, first + len(coefficient), dtype=np.int32)
    matrix.add_diagonal(nodes, None, coefficient[:, None, None] * np.eye(3))


class WindForce(ForceSystem):
    """f = k (w - v) on every particle of every body: the per-particle form of the cloth paper in docs/references.md.

    Limitations: it knows no surface, so the same cloth with more particles feels more wind, from every side.
    """

    reads = (Wind, Velocity)
    adds = (Force,)
    needs = (Wind,)

    def process(self, world: World, step: Step) -> None:
        for _, wind in world.query(Wind):
            drag_forces(step.packed.v, wind.velocity, np.array([wind.coefficient]), step.packed.f)

    def linearize(self, world: World, step: Step, matrix: Any) -> None:
        total = sum(wind.coefficient for _, wind in world.query(Wind))
        add_diagonal_damping(matrix, 0, np.full(len(step.packed.m), total))


class DragForce(ForceSystem):
    """f = -c v on the particles of bodies that have Drag."""

    reads = (Drag, Velocity)
    adds = (Force,)
    needs = (Drag,)

    def process(self, world: World, step: Step) -> None:
        for _, drag, velocity, force in world.query(Drag, Velocity, Force):
            drag_forces(velocity.v, AT_REST, np.array([drag.coefficient]), force.f)

    def linearize(self, world: World, step: Step, matrix: Any) -> None:
        for entity, drag, velocity in world.query(Drag, Velocity):
            add_diagonal_damping(matrix, step.packed.start(entity), np.full(len(velocity.v), drag.coefficient))


class RayleighMassDamping(ForceSystem):
    """f = -alpha m v, the mass-proportional part of Rayleigh damping; models apply the stiffness-proportional one."""

    reads = (Material, Mass, Velocity)
    adds = (Force,)
    needs = (Material, Mass)
    external = False

    def process(self, world: World, step: Step) -> None:
        for _, material, mass, velocity, force in world.query(Material, Mass, Velocity, Force):
            if material.rayleigh_alpha > 0:
                drag_forces(velocity.v, AT_REST, material.rayleigh_alpha * mass.m, force.f)

    def linearize(self, world: World, step: Step, matrix: Any) -> None:
        for entity, material, mass, _ in world.query(Material, Mass, Velocity):
            if material.rayleigh_alpha > 0:
                add_diagonal_damping(matrix, step.packed.start(entity), material.rayleigh_alpha * mass.m)
