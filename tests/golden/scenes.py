"""Worlds that use everything that is state, for the tests of restore. Small, so that many runs are cheap."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from components import (
    RK4,
    BackwardEuler,
    BoundaryConditions,
    BoundaryElements,
    Collider,
    Force,
    Gravity,
    MassSpring,
    Material,
    SymplecticEuler,
    Transform,
    Velocity,
    VelocityVerlet,
    Wind,
    Work,
)
from components.prefabs import box_surface, grid, plate, rope, sphere_shell
from framework import ForceSystem, Stage, System, World, component, field
from systems import standard

INTEGRATORS = {
    "euler": SymplecticEuler(),
    "verlet": VelocityVerlet(),
    "rk4": RK4(),
    "implicit": BackwardEuler(),
    "newton": BackwardEuler(newton=True, newton_iterations=5),
}


@component
class Gust:
    """A random push, drawn once a frame."""

    push: np.ndarray = field(unit="N", shape=(3,), default=(0.0, 0.0, 0.0), principal=True, doc="force on a particle")


@component
class Tally:
    """What was heard of gusts."""

    heard: int = field(dtype="int", default=0, principal=True, doc="number of events")
    strongest: float = field(unit="N", default=0.0, doc="strongest push")


@dataclass(frozen=True)
class Blown:
    """A gust has blown."""

    push: np.ndarray


class Gusts(System):
    """Draws a push from a random stream and tells of it."""

    stage = Stage.TRANSFORM
    writes = (Gust,)

    def __init__(self, strength: float = 2e-3) -> None:
        self.strength = strength

    def process(self, world: World, step: Any) -> None:
        for _, gust in world.query(Gust):
            gust.push[...] = self.strength * world.random("gusts").standard_normal(3)
            world.emit(Blown(gust.push))


class GustForce(ForceSystem):
    """The present push on every particle of every body, stronger the later it is."""

    reads = (Gust, Velocity)
    adds = (Force,)
    needs = (Gust,)

    def process(self, world: World, step: Any) -> None:
        for _, gust in world.query(Gust):
            step.packed.f[...] += (1.0 + step.time) * gust.push


class Listener(System):
    """Counts events, of this frame and the last, and turns the wind's coefficient by a command of its own."""

    stage = Stage.FEEDBACK
    writes = (Tally,)

    def process(self, world: World, step: Any) -> None:
        for _, tally in world.query(Tally):
            for event in world.events(Blown):
                tally.heard += 1
                tally.strongest = max(tally.strongest, float(np.abs(event.push).max()))
            if step.frame == 6:
                world.set("wind.coefficient", 2e-3)
            if step.frame == 8:
                world.spawn(*patch(), Transform(translation=(0.1, 0.9, 0.2)), name="late")
            if step.frame == 15:
                world.despawn("late")


def patch(stretch: float = 60.0) -> tuple[Any, ...]:
    """A small loose net that yields and breaks."""
    return (
        grid(size=(0.3, 0.3), cells=(3, 3), plane="xz"),
        Material(areal_density=0.3),
        MassSpring(stretch=stretch, shear=20.0, damping_ratio=0.1, yield_strain=0.02, rupture_strain=0.3),
    )


def kick(world: World, speed: float) -> None:
    """A function for a command: push the patch."""
    world.set("patch.velocity[0:4]", np.full((4, 3), speed))


def everything(integrator: str = "euler", seed: int = 0, stretch: float = 80.0) -> World:
    """Contact, wind, ramps, keyframes, prescribed motion, spawn and despawn, random numbers, events, damage."""
    world = World(
        systems=[Gusts(), *standard(), GustForce(), Listener()],
        frame_time=0.02, substeps={"implicit": 2, "newton": 1}.get(integrator, 8),
        integrator=INTEGRATORS[integrator], seed=seed,
    )  # fmt: skip
    world.spawn(Gravity(), name="gravity")
    world.spawn(Wind(velocity=(1.0, 0.0, 0.0), coefficient=1e-3), name="wind")
    world.spawn(Collider.plane(friction=0.4, restitution=0.2), name="floor")
    world.spawn(Collider.sphere(radius=0.2, friction=0.3), Transform(translation=(0.0, 0.25, 0.0)), name="ball")
    world.spawn(Gust(), Tally(), name="gust")
    world.spawn(
        grid(size=(0.6, 0.4), cells=(4, 3), plane="xz", centre=(0.0, 0.46, 0.0)),
        Material(areal_density=0.2),
        MassSpring(stretch=stretch, shear=30.0, bend=1.0, damping_ratio=0.1, yield_strain=0.01, rupture_strain=0.25),
        BoundaryConditions.fixed("corner_bottom_left")
        + BoundaryConditions.fixed("corner_top_left", axes="y")
        + BoundaryConditions.displacement("right", ((0, 0, 0), (0.08, 0.05, 0)), times=(0.0, 0.5))
        + BoundaryConditions.load((5, 6), (0.0, 0.002, 0.0)),
        Work(),
        name="cloth",
    )
    world.spawn(*patch(), Transform(translation=(0.05, 0.06, 0.5), rotation=(0.2, 0.3, 0.1)), name="patch")
    world.spawn(
        rope((0, 0.9, -0.4), (0.4, 0.9, -0.4), segments=5), Material(linear_density=0.05),
        MassSpring(stretch=40.0, damping_ratio=0.2), BoundaryConditions.fixed("start"), name="rope",
    )  # fmt: skip
    world.at(0.06).set("wind.velocity", (-2.0, 0.5, 1.0), ramp=0.2)
    world.at(0.04).keyframes("ball.translation", (0.0, 0.1, 0.3), ((0, 0.25, 0), (0.05, 0.3, 0), (0, 0.25, 0.05)))
    world.at(0.14).call("tests.golden.scenes:kick", 0.4)
    world.at(0.10).set("cloth.areal_density", 0.3)
    world.at(0.24).set("cloth.bend", 2.0, ramp=0.06)
    world.at(0.08).spawn(*patch(), Transform(translation=(0.3, 0.7, 0.3)), name="timed")
    world.at(0.26).despawn("timed")
    return world


def machinery(integrator: str = "euler", cells: int = 11) -> World:
    """Colliders of every shape that move and turn, one on a parent, under a net that falls on them."""
    world = World(
        systems=standard(), frame_time=0.02, substeps={"implicit": 1, "newton": 1}.get(integrator, 8),
        integrator=INTEGRATORS[integrator],
    )  # fmt: skip
    world.spawn(Gravity(), name="gravity")
    world.spawn(Collider.plane(point=(0, -0.3, 0), friction=0.4), Transform(), name="floor")
    world.spawn(Collider.box(size=(0.8, 0.1, 0.3), friction=0.5, restitution=0.2), Transform(), name="paddle")
    world.spawn(Transform(translation=(0.3, 0, 0.3)), name="arm")
    world.spawn(Collider.capsule(radius=0.1, length=0.4), Transform(rotation=(1.3, 0, 0), parent="arm"), name="rod")
    stone = Transform(translation=(-0.3, 0, -0.3), scale=(1, 0.6, 1))
    world.spawn(Collider.mesh(sphere_shell(radius=0.2, subdivisions=2), friction=0.3), stone, name="stone")
    world.spawn(
        grid(size=(1.2, 1.2), cells=(cells, cells), plane="xz", centre=(0, 0.25, 0)), Material(areal_density=0.3),
        MassSpring(stretch=30.0, shear=10.0, damping_ratio=0.1), name="net",
    )  # fmt: skip
    world.at(0.0).keyframes("paddle.rotation", (0, 1), ((0, 0, 0), (0, 9, 2)))
    world.at(0.02).keyframes("arm.translation", (0, 0.2, 0.4), ((0.3, 0, 0.3), (0.3, 0.2, 0.1), (0.3, 0, 0.3)))
    world.at(0.0).set("stone.rotation", (0, 0, 3.0), ramp=0.5)
    world.at(0.1).set("floor.rotation", (0, 0, 0.2), ramp=0.1)
    world.at(0.14).set("stone.scale", (1, 0.8, 1))
    return world


def edit(world: World) -> None:
    """What a script gives between frames: its own spawn, despawn and set. A second call at a frame changes nothing."""
    if world.frame == 3 and not world.has_entity("early"):
        world.spawn(*patch(), Transform(translation=(-0.3, 0.8, 0.3)), name="early")
    if world.frame == 5 and world.has_entity("rope"):
        world.despawn("rope")
    if world.frame == 11 and world.has_entity("early"):
        world.despawn("early")
        world.set("floor.friction", 0.1)


def run_with_edits(world: World, until: int) -> None:
    """Run to a frame with the edits on the way, that frame's included."""
    edit(world)
    while world.frame < until:
        world.step()
        edit(world)


def large(cells: int = 160) -> World:
    """More springs than one thread takes alone, more particles than BLAS does; placed by a rotation."""
    world = World(systems=standard(), frame_time=1e-3, substeps=2)
    world.spawn(Gravity(acceleration=(0.3, -9.7, 0.1)), name="gravity")
    world.spawn(Collider.sphere(radius=0.4, centre=(0, -0.41, 0)), name="ball")
    world.spawn(
        grid(size=(2.0, 2.0), cells=(cells, cells), plane="xz"),
        Transform(rotation=(0.1, 0.2, 0.3)),
        Material(areal_density=0.3),
        MassSpring(stretch=300.0, shear=100.0, bend=10.0, damping_ratio=0.05),
        BoundaryConditions.fixed("corners"),
        name="cloth",
    )
    return world


def boundary() -> World:
    """Bodies of boundary elements in the plane and in space, whose loads and supports change."""
    world = World(systems=standard(), frame_time=0.1, substeps=1)
    world.spawn(Gravity(), name="gravity")
    material = Material(young_modulus=1e4, poisson_ratio=0.3, mass_density=1.0)
    held, pulled = BoundaryConditions.fixed("left"), [(0, 0, 0), (3, -2, 0)]
    load = held + BoundaryConditions.traction("right", pulled, times=(0.0, 0.5))
    world.spawn(plate((4.0, 1.0), (24, 6)), material, BoundaryElements(), load, name="plate")
    world.spawn(box_surface((4, 1, 1), (6, 2, 2), "quad8"), material, BoundaryElements(), load, name="bar")
    for name in ("plate", "bar"):
        pinned = held + BoundaryConditions.displacement("right", (0.01, 0.0, 0.0), axes="x")
        world.at(0.3).set(f"{name}.boundary_conditions", pinned.conditions)
        world.at(0.5).set(f"{name}.boundary_conditions", load.conditions)
    world.at(0.2).set("gravity.acceleration", (1.0, -3.0, 0.0), ramp=0.3)
    return world
