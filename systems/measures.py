"""Measures: what each frame says about every body - energy, momentum, stillness - and the work of external forces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from components import Energy, Force, Mass, Momentum, Position, StartPower, Stillness, Velocity, Work
from framework import ForceSystem, PathError, ScheduleError, SimulationError, Stage, System
from framework.fields import short
from systems.kernels.totals import body_totals

if TYPE_CHECKING:
    from framework import Step, World

STILL_SPEED = 1e-3  # m/s
STILL_FRAMES = 10


class Measures(System):
    """Energy, momentum and stillness of every body. Elastic and potential energy are what the force systems report.

    The entity `world` has the sums over all bodies: world.energy.
    A body is still when no particle has been faster than `speed` [m/s] for `frames` frames.
    """

    stage = Stage.FEEDBACK
    reads = (Position, Velocity, Mass)
    writes = (Energy, Momentum, Stillness)
    needs = (Mass,)
    on_world = (Energy,)

    def __init__(self, speed: float = STILL_SPEED, frames: int = STILL_FRAMES) -> None:
        self.speed, self.frames = speed, frames

    def process(self, world: World, step: Step) -> None:
        elastic: dict[int, float] = {}
        potential: dict[int, float] = {}
        for system in world.engine.active(Stage.FORCES):
            if isinstance(system, ForceSystem):
                with world.acting(system):
                    energies = system.energy(world, step)
                for entity, energy in _checked(world, step, system, energies):
                    total = potential if system.external else elastic
                    total[entity] = total.get(entity, 0.0) + energy
        whole = world.store.component("world", Energy)
        whole.kinetic = whole.elastic = whole.potential = whole.total = 0.0
        for entity, position, velocity, mass, energy, momentum, rest in world.query(
            Position, Velocity, Mass, Energy, Momentum, Stillness
        ):
            energy.kinetic, rest.speed = body_totals(position.x, velocity.v, mass.m, momentum.linear, momentum.angular)
            energy.elastic, energy.potential = elastic.get(entity, 0.0), potential.get(entity, 0.0)
            energy.total = energy.kinetic + energy.elastic + energy.potential
            whole.kinetic, whole.elastic = whole.kinetic + energy.kinetic, whole.elastic + energy.elastic
            whole.potential, whole.total = whole.potential + energy.potential, whole.total + energy.total
            if not step.priming:
                rest.frames = rest.frames + 1 if rest.speed <= self.speed else 0
            rest.still = rest.frames >= self.frames


def _checked(world: World, step: Step, system: ForceSystem, energies: Any) -> Iterator[tuple[int, float]]:
    """What a force system's `energy` returned, entity by entity."""
    if energies is None:
        return
    if not isinstance(energies, Mapping):
        raise ScheduleError(f"{system.name}.energy must return a dict of entity id -> energy [J], or None; "
                            f"got {short(energies)}")
    for entity, energy in energies.items():
        try:
            known = world.store.id(entity)
        except PathError as error:
            raise ScheduleError(f"{system.name}.energy: {error}") from None
        if Mass not in world.store.components(known):
            raise ScheduleError(
                f"{system.name}.energy names {world.name(known)!r}, which has no mass: only bodies have energy"
            )
        try:
            number = float(energy)
        except (TypeError, ValueError):
            number = None
        if number is None or (number != number and not step.priming):  # a look at a world stops at no overflow
            raise SimulationError(
                f"{system.name}.energy must be one number [J] for each body, got {short(energy)} for "
                f"{world.name(known)!r}"
            )
        yield known, number


class WorkStart(System):
    """Power of external forces at the start of each frame: commands may have changed forces and velocities since."""

    stage = Stage.DETECT
    reads = (Velocity,)
    writes = (StartPower,)
    adds = (Force,)
    needs = (Work,)

    def process(self, world: World, step: Step) -> None:
        if step.substep > 0:
            return
        for system in world.engine.active(Stage.SOLVE):  # the bodies have to be packed, which SOLVE has not done yet
            prepare = getattr(system, "problem", None)
            if prepare is not None:
                with world.acting(system):
                    prepare(world, step)
        power = external_power(world, step)
        for entity, start in world.query(StartPower):
            start.value = power[entity]


class WorkMeter(System):
    """Work of external forces on bodies that have Work: their power, integrated by the trapezoidal rule each substep.

    Limitations: second order in the substep; the work of moving supports and of contact is not in it.
    """

    stage = Stage.EVOLVE
    reads = (Velocity, StartPower)
    writes = (Work,)
    adds = (Force,)
    needs = (Work,)

    def process(self, world: World, step: Step) -> None:
        power = external_power(world, step)
        for entity, start, work in world.query(StartPower, Work):
            before = start.value if step.substep == 0 else work.power
            work.external += 0.5 * step.h * (before + power[entity])
            work.power = power[entity]


def external_power(world: World, step: Step) -> dict[int, float]:
    """Power of the external forces on each body [W]; Force is left as it was."""
    kept = step.packed.f.copy()
    step.packed.f.fill(0.0)
    for system in world.engine.active(Stage.FORCES):
        if isinstance(system, ForceSystem) and system.external:
            world.engine.run(system)
    found = {entity: float(np.sum(force.f * velocity.v)) for entity, velocity, force in world.query(Velocity, Force)}
    step.packed.f[...] = kept
    return found
