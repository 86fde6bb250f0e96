"""Hands: pulling at a particle by a spring, imposing its motion, pinning it. The window asks this system for commands.

All of it is data of the world (a Grab, a condition), so a session with hands repeats without a window, bit for bit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from components import (
    RK4,
    BoundaryConditions,
    BoundaryElements,
    Deformation,
    Displacement,
    Fixed,
    Force,
    Geometry,
    Grab,
    Mass,
    Position,
    SupportForces,
    Supports,
    SymplecticEuler,
    Velocity,
    VelocityVerlet,
)
from components.boundary_mesh import boundary_elements
from components.element_conditions import holding
from components.supports import selected
from framework import CommandError, FieldError, ForceSystem, commands
from framework.build import EntityParts
from framework.timeline import Call

if TYPE_CHECKING:
    from framework import Step, World
    from framework.timeline import Command

PULL = 20.0  # 1/s: a hand holds a body as if it hung on a spring of this angular frequency
STABLE = 0.1  # of the longest stable step's square that a hand may take in explicit steps
EXPLICIT = (type(None), SymplecticEuler, VelocityVerlet, RK4)
FASTEST = 5.0  # lengths of a body in a second that an imposed hand moves at most


class GrabForce(ForceSystem):
    """f = k (p - x) - c v at the particle that a Grab names."""

    reads = (Grab, Position, Velocity, Mass)
    adds = (Force,)
    needs = (Grab,)

    def process(self, world: World, step: Step) -> None:
        for grab, x, v, f in self._held(world):
            f += grab.stiffness * (grab.point - x) - grab.damping * v

    def energy(self, world: World, step: Step) -> dict[int, float]:
        found: dict[int, float] = {}
        for grab, x, _, _ in self._held(world):
            entity, reach = world.id(grab.target), grab.point - x
            found[entity] = found.get(entity, 0.0) + 0.5 * grab.stiffness * float(reach @ reach)
        return found

    def linearize(self, world: World, step: Step, matrix: Any) -> None:
        for grab, *_ in self._held(world):
            node = np.array([step.packed.start(world.id(grab.target)) + grab.node], np.int32)
            matrix.add_diagonal(node, grab.stiffness * np.eye(3)[None], grab.damping * np.eye(3)[None])

    def _held(self, world: World) -> list[tuple[Any, np.ndarray, np.ndarray, np.ndarray]]:
        """(grab, x, v, f) of each particle in a hand; a body that is gone is no longer held."""
        bodies = {row[0]: row[1:] for row in world.query(Position, Velocity, Force)}
        found = []
        for _, grab in world.query(Grab):
            body = bodies.get(world.id(grab.target) if world.has_entity(grab.target) else -1)
            if body is not None:
                position, velocity, force = body
                if grab.node >= len(position.x):
                    raise FieldError(f"Grab.node must be below {len(position.x)} for {grab.target!r}, got {grab.node}")
                found.append((grab, position.x[grab.node], velocity.v[grab.node], force.f[grab.node]))
        return found

    # -- what a window asks for ---------------------------------------------------------------------------------------

    def hand(self, world: World, entity: int, particle: int, imposed: bool) -> Hand:
        """A hand at a particle, which is to be taken, moved and left by the commands that it makes."""
        if BoundaryElements in world.store.components(entity):
            return SurfaceHand(world.name(entity), particle, patch(world, entity, particle))
        if Mass not in world.store.components(entity):
            raise CommandError(f"{world.name(entity)} cannot be pulled at: it has no Mass")
        mass = world.get(entity, Mass).m
        if imposed:
            return ImposedHand(world.name(entity), particle)
        stiffness = PULL * PULL * float(mass.sum())
        damping = 2.0 * np.sqrt(stiffness * mass[particle])
        if isinstance(world.stepping.integrator, EXPLICIT):
            h = world.stepping.frame_time / world.stepping.substeps
            stiffness = min(stiffness, STABLE * float(mass[particle]) / (h * h))
            damping = min(2.0 * np.sqrt(stiffness * mass[particle]), STABLE * float(mass[particle]) / h)
        names = (f"hand{number}" if number else "hand" for number in range(10**6))
        own = next(name for name in names if not world.has_entity(name))
        point = world.get(entity, Position).x[particle]
        return SpringHand(own, Grab(world.name(entity), int(particle), point.copy(), stiffness, float(damping)))

    def support(self, world: World, entity: int, particle: int, held: bool) -> Command:
        """The command that pins a particle where it is, or lets it loose."""
        name, conditions = world.name(entity), _conditions(world, entity)
        if BoundaryElements in world.store.components(entity):
            return _support_patch(world, name, conditions, patch(world, entity, particle), held)
        if held:
            return _give(world, name, (*conditions, Fixed([particle])))
        find = world.store.components
        parts = EntityParts(name, find(entity), lambda other: find(world.id(other)))
        kept: list[Any] = []
        for item in conditions:
            nodes = selected(item.where, parts) if isinstance(item, Fixed) else np.zeros(0, np.int32)
            others = nodes[nodes != particle]
            if len(others) == len(nodes):
                kept.append(item)
            elif len(others):
                kept.append(Fixed(others, item.axes))
        if len(kept) == len(conditions) and all(a is b for a, b in zip(kept, conditions, strict=True)):
            raise CommandError(f"particle {particle} of {name} is not pinned, but its motion is prescribed"
                               if self.is_pinned(world, entity, particle)
                               else f"particle {particle} of {name} is not pinned")  # fmt: skip
        return _give(world, name, tuple(kept))

    def is_pinned(self, world: World, entity: int, particle: int) -> bool:
        """Whether a particle is held along any axis."""
        supports = world.store.components(entity).get(Supports)
        return supports is not None and bool(supports.fixed[particle].any())


@dataclass(frozen=True)
class SpringHand:
    """A hand that is an entity with a Grab."""

    name: str
    grab: Grab

    def take(self, world: World) -> Command:
        return commands.spawn(world, (self.grab,), self.name)

    def move(self, world: World, target: np.ndarray) -> Command:
        return commands.set_field(world, f"{self.name}.grab.point", target, 0.0)

    def leave(self, world: World) -> Command:
        return commands.despawn(world, self.name)

    def holds(self, world: World) -> bool:
        return world.has_entity(self.name)

    def force(self, world: World) -> np.ndarray | None:
        """What the hand does to the body (3,) [N]."""
        if not self.holds(world):
            return np.zeros(3)
        grab, body = world.get(self.name, Grab), self.grab.target
        x, v = world.get(body, Position).x[grab.node], world.get(body, Velocity).v[grab.node]
        return grab.stiffness * (grab.point - x) - grab.damping * v


@dataclass(frozen=True)
class ImposedHand:
    """A hand that is a prescribed displacement of a particle."""

    body: str
    particle: int

    def take(self, world: World) -> Command:
        here = Displacement([self.particle], (world.time,), ((0.0, 0.0, 0.0),))
        return _give(world, self.body, (*_conditions(world, world.id(self.body)), here))

    def move(self, world: World, target: np.ndarray) -> Command:
        """Straight to the target within a frame, or at the fastest speed."""
        x = world.get(self.body, Position).x
        way = target - x[self.particle]
        length = float(np.linalg.norm(np.ptp(x, axis=0)))
        span = max(world.stepping.frame_time, float(np.linalg.norm(way)) / max(FASTEST * length, 1e-9))
        there = Displacement([self.particle], (world.time, world.time + span), ((0.0, 0.0, 0.0), way))
        return _give(world, self.body, (*self._others(world), there))

    def leave(self, world: World) -> Command:
        return _give(world, self.body, self._others(world))

    def holds(self, world: World) -> bool:
        return world.has_entity(self.body) and len(self._others(world)) < len(_conditions(world, world.id(self.body)))

    def force(self, world: World) -> np.ndarray | None:
        """None: it is the reaction of a support."""
        return None

    def _others(self, world: World) -> tuple[Any, ...]:
        return tuple(item for item in _conditions(world, world.id(self.body)) if not self._is_own(item))

    def _is_own(self, item: Any) -> bool:
        where = getattr(item, "where", None)
        return isinstance(item, Displacement) and isinstance(where, np.ndarray) and where.tolist() == [self.particle]


@dataclass(frozen=True)
class SurfaceHand:
    """A hand on a body of boundary elements: it moves the elements around a point (`where`) without turning them.

    A displacement at one point of a continuum means nothing, so a patch is held. Taking hold assembles the body's
    equations once more; moving does not.
    """

    body: str
    point: int
    where: tuple[int, ...]

    def take(self, world: World) -> Command:
        return self._give(world, self._now(world))

    def move(self, world: World, target: np.ndarray) -> Command:
        """To the target within a frame."""
        rest = world.get(self.body, Position).x[self.point] - self._now(world)
        return self._give(world, target - rest)

    def leave(self, world: World) -> Command:
        return _give(world, self.body, self._others(world))

    def holds(self, world: World) -> bool:
        return world.has_entity(self.body) and len(self._others(world)) < len(_conditions(world, world.id(self.body)))

    def force(self, world: World) -> np.ndarray | None:
        """What the hand does to the body (3,) [N]: the reaction of its patch."""
        held = [item for item in _conditions(world, world.id(self.body)) if holding(item)]
        rows = [row for row, item in enumerate(held) if self._is_own(item)]
        forces = world.get(self.body, SupportForces).force
        return forces[rows[0]] if rows and rows[0] < len(forces) else np.zeros(3)

    def _give(self, world: World, there: np.ndarray) -> Command:
        times = (world.time, world.time + world.stepping.frame_time)
        moved = Displacement(np.array(self.where), times, (self._now(world), there))
        return _give(world, self.body, (*self._others(world), moved))

    def _now(self, world: World) -> np.ndarray:
        return np.array(world.get(self.body, Deformation).displacement[self.point])

    def _others(self, world: World) -> tuple[Any, ...]:
        return tuple(item for item in _conditions(world, world.id(self.body)) if not self._is_own(item))

    def _is_own(self, item: Any) -> bool:
        return isinstance(item, Displacement) and _is_patch(item.where, self.where)


Hand = SpringHand | ImposedHand | SurfaceHand


def patch(world: World, entity: int, point: int) -> tuple[int, ...]:
    """The points of the boundary elements at a point; of one inside, those at the nearest point of the boundary."""
    elements, x = boundary_elements(world.get(entity, Geometry))[1], world.get(entity, Position).x
    on = np.unique(elements[elements >= 0])
    nearest = on[np.argmin(((x[on] - x[point]) ** 2).sum(axis=1))]
    found = elements[(elements == nearest).any(axis=1)]
    return tuple(np.unique(found[found >= 0]).tolist())


def _support_patch(world: World, name: str, conditions: tuple, where: tuple[int, ...], held: bool) -> Command:
    if held:
        return _give(world, name, (*conditions, Fixed(np.array(where))))
    kept = tuple(item for item in conditions if not (isinstance(item, Fixed) and _is_patch(item.where, where)))
    if len(kept) == len(conditions):
        raise CommandError(f"the elements at this point of {name} are not pinned by themselves")
    return _give(world, name, kept)


def _is_patch(where: Any, points: tuple[int, ...]) -> bool:
    return isinstance(where, np.ndarray) and where.tolist() == list(points)


def _conditions(world: World, entity: int) -> tuple[Any, ...]:
    own = world.store.components(entity).get(BoundaryConditions)
    return () if own is None else tuple(own.conditions)


def _give(world: World, name: str, conditions: tuple[Any, ...]) -> Command:
    given = BoundaryConditions(conditions)
    if BoundaryConditions in world.store.components(world.id(name)):
        return commands.set_field(world, f"{name}.boundary_conditions", given, 0.0)
    return Call("systems.grab:first_conditions", (name, given))


def first_conditions(world: World, name: str, conditions: BoundaryConditions) -> None:
    """Give conditions to a body that has none."""
    world.store.attach(world.id(name), conditions)
