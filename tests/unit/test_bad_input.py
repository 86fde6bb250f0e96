"""Bad input fails on the line that gave it: one error of the framework's tree that names entity, component, field, rule
and value, or the closest known name; and the world stays as it was."""

from __future__ import annotations

import builtins
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from math import inf, nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from components import (
    RK4,
    Appearance,
    Attraction,
    BackwardEuler,
    BoundaryConditions,
    Camera,
    Collider,
    Drag,
    Fixed,
    Geometry,
    Gravity,
    Mass,
    MassSpring,
    Material,
    Position,
    Transform,
    Velocity,
    Wind,
)
from components.prefabs import box, grid, rope, sphere_shell
from framework import (
    Check,
    CommandError,
    FieldError,
    ForceSystem,
    OutputError,
    PathError,
    PliantError,
    ScheduleError,
    Stage,
    System,
    World,
    between,
    component,
    field,
)
from framework.cli import main
from systems import standard

FRAME_TIME = "Stepping.frame_time must be positive, from 1e-30 to 1e9"
def scene(**settings: Any) -> World:
    """A small world: a flag held at the left, wind, gravity, a ball, and a rope that will come at t = 1 s."""
    world = World(systems=standard(), **settings)
    world.spawn(Gravity(), name="gravity")
    world.spawn(Wind(velocity=(1, 0, 0)), name="wind")
    world.spawn(Collider.sphere(radius=0.3), name="ball")
    world.spawn(*net(), BoundaryConditions.fixed("left"), Appearance(), name="flag")
    world.at(1.0).spawn(rope(segments=3), Material(linear_density=0.1), MassSpring(stretch=10.0), name="later")
    return world


def net(*more: Any, cells: Any = (3, 3)) -> tuple[Any, ...]:
    return grid(cells=cells), Material(areal_density=0.2), MassSpring(stretch=50.0, shear=10.0), *more


def bent(points: Any = None, **parts: Any) -> Geometry:
    """Three points with whatever is to be wrong about them."""
    return Geometry(points=np.eye(3) if points is None else points, **parts)


class Reader(System):
    stage = Stage.EVOLVE
    reads = (Velocity,)

    def process(self, world: World, step: Any) -> None: ...


class Writer(Reader):
    writes = (Velocity,)


class Empty(ForceSystem): ...


class OneClass(Reader):
    reads = Velocity  # type: ignore[assignment]


class OneName(Reader):
    before = "Writer"  # type: ignore[assignment]


@dataclass(frozen=True)
class Row:
    """What a person did, the error it gives, and what the message says."""

    do: Callable[[World], Any]
    error: type[PliantError]
    says: tuple[str, ...]


def row(do: Callable[[World], Any], error: type[PliantError], *says: str) -> Row:
    return Row(do, error, says)


def spawned(*parts: Any) -> Callable[[World], Any]:
    return lambda w: w.spawn(*parts, name="it")


def stepped(system: System) -> Callable[[World], Any]:
    return lambda w: World(systems=[*standard(), system])


F, P, C, S = FieldError, PathError, CommandError, ScheduleError

SETTINGS = {
    "frame time 0": row(lambda w: World(frame_time=0), F, f"world: {FRAME_TIME} s, got 0.0"),
    "frame time of ages": row(lambda w: World(frame_time=1e200), F, FRAME_TIME),
    "frame time inf": row(lambda w: World(frame_time=inf), F, "Stepping.frame_time must be finite, got inf"),
    "systems of no dimension": row(lambda w: World(systems=np.array(3)), PliantError, "systems must be a list", "3"),
    "systems number": row(lambda w: World(systems=3), PliantError, "systems must be a list of systems", "got 3"),
    "systems set": row(lambda w: World(systems=set()), PliantError, "systems must be a list of systems", "set()"),
    "systems dict": row(lambda w: World(systems={}), PliantError, "systems must be a list of systems", "{}"),
    "frame time nan": row(lambda w: World(frame_time=nan), F, "Stepping.frame_time must be finite, got nan"),
    "frame time text": row(lambda w: World(frame_time="fast"), F, "Stepping.frame_time must be a number, got 'fast'"),
    "substeps 0": row(lambda w: World(substeps=0), F, "Stepping.substeps must be in [1, 1e+06], got 0"),
    "substeps half": row(lambda w: World(substeps=2.5), F, "Stepping.substeps must be a whole number, got 2.5"),
    "substeps True": row(lambda w: World(substeps=True), F, "Stepping.substeps", "got True"),
    "substeps huge": row(lambda w: World(substeps=1e300), F, "Stepping.substeps", "got 1e+300"),
    "seed negative": row(lambda w: World(seed=-1), F, "seed must be a whole number, zero or positive, got -1"),
    "history negative": row(lambda w: World(history=-5), C, "World: history must be a whole number", "got -5"),
    "history text": row(lambda w: World(history="yes"), C, "World: history", "got 'yes'"),
    "integrator text": row(lambda w: scene(integrator="rk4"), F, "Stepping.integrator", "RK4()", "got 'rk4'"),
    "integrator class": row(lambda w: scene(integrator=RK4), F, "Stepping.integrator must be an instance, RK4()"),
    "integrator unread": row(lambda w: World(integrator=RK4()), F, "Stepping.integrator", "no system reads it"),
    "integrator set": row(lambda w: w.set("world.integrator", 4), F, "Stepping.integrator", "RK4()", "got 4"),
    "tolerance 1": row(lambda w: BackwardEuler(tolerance=1), F, "BackwardEuler.tolerance must be below 1, got 1"),
    "systems none": row(lambda w: World(systems=None), S, "systems must be a list of systems", "got None"),
    "system class": row(lambda w: World(systems=[Reader]), S, "Reader is a class: register an instance, Reader()"),
    "no system": row(lambda w: World(systems=["gravity"]), S, "'gravity' is not a system"),
    "system twice": row(lambda w: World(systems=[Reader(), Reader()]), S, "Reader is registered twice"),
    "conflict": row(lambda w: World(systems=[Reader(), Writer()]), S, "Reader", "Writer", "Velocity", "before"),
    "no process": row(stepped(Empty()), S, "Empty must define process(self, world, step)"),
    "reads one class": row(stepped(OneClass()), S, "OneClass.reads must be a tuple of component classes"),
    "before one name": row(stepped(OneName()), S, "OneName.before must be a tuple of names", "got 'Writer'"),
}
MATERIALS = {
    "young negative": row(spawned(Material(young_modulus=-1)), F, "it: Material.young_modulus must be positive, got"),
    "young nan": row(spawned(Material(young_modulus=nan)), F, "it: Material.young_modulus must be finite, got nan"),
    "young True": row(spawned(Material(young_modulus=True)), F, "Material.young_modulus must be a number, got True"),
    "young two": row(spawned(Material(young_modulus=(1, 2))), F, "it: Material.young_modulus", "scalar", "got (2,)"),
    "mass huge": row(spawned(Material(total_mass=10**400)), F, "Material.total_mass must be a number, got 1000"),
    "nu of 2": row(spawned(Material(poisson_ratio=2.0)), F, "it: Material.poisson_ratio must be in (-1, 0.5], got 2.0"),
    "nu and lambda": row(
        spawned(Material(poisson_ratio=0.3, lame_lambda=-1.0)), F, "poisson_ratio = 0.3", "lame_lambda = -1.0"
    ),
    "three constants": row(
        spawned(Material(young_modulus=1, poisson_ratio=0.3, shear_modulus=1)), F, "Material.shear_modulus", "two"
    ),
    "two densities": row(
        spawned(Material(total_mass=1, areal_density=2)), F, "Material.total_mass must be left out", "areal_dens"
    ),
    "field unknown": row(lambda w: Material(youngs_modulus=1), F, "Material has no field 'youngs_modulus'", "'young_m"),
    "field missing": row(lambda w: Wind(), F, "Wind.velocity must be given", "velocity of the air"),
    "mass missing": row(spawned(grid(), MassSpring(stretch=1)), F, "it: Mass.m must be given", "Material"),
    "density missing": row(spawned(grid(), Material(), MassSpring(stretch=1)), F, "it: Material must give one of"),
    "density of a line": row(
        spawned(rope(), Material(areal_density=1), MassSpring(stretch=1)), F, "Material.areal_density", "surface"
    ),
    "mass zero": row(spawned(grid(), Mass(m=0)), F, "it: Mass.m must be positive, got 0.0 at [0]"),
    "masses too few": row(spawned(grid(cells=1), Mass(m=[1, 2])), F, "it: Mass.m", "n = 4", "Geometry.points", "(2,)"),
}
SHAPES = {
    "cells 0": row(lambda w: grid(cells=0), F, "grid: cells must be positive, got 0"),
    "size negative": row(lambda w: grid(size=(-1, 1)), F, "grid: size must be positive, got -1.0"),
    "size nan": row(lambda w: grid(size=(1, nan)), F, "grid: size must be finite, got nan at [1]"),
    "cells half": row(lambda w: box(cells=(1, 2.5, 1)), F, "box: cells must be an array of whole numbers"),
    "cells huge": row(lambda w: box(cells=10**9), F, "box: cells must give fewer than 2^31 points"),
    "plane list": row(lambda w: grid(plane=["xy"]), F, "grid: plane must be one of xy, xz, yz, got ['xy']"),
    "rope too short": row(lambda w: rope(length=0.5), F, "rope: length must be at least", "got 0.5"),
    "rope huge": row(lambda w: rope(segments=10**12), F, "rope: segments", "2^31"),
    "shell radius": row(lambda w: sphere_shell(radius="big"), F, "sphere_shell: radius must be a number, got 'big'"),
    "ragged points": row(spawned(bent([[0, 0, 0], [1, 0]])), F, "it: Geometry.points", "equal rows"),
    "no points": row(spawned(bent(np.zeros((0, 3)))), F, "it: Geometry.points must hold at least one point"),
    "corner too many": row(spawned(bent(triangles=[[0, 1, 3]])), F, "Geometry.triangles", "0 to 2, got 3 at [0, 2]"),
    "corner twice": row(spawned(bent(triangles=[[0, 1, 1]])), F, "three different corners each, got [0, 1, 1] at [0]"),
    "edge to itself": row(spawned(bent(edges=[[2, 2]])), F, "it: Geometry.edges", "two different points", "[2, 2]"),
    "grid does not fit": row(spawned(bent(grid=(2, 2))), F, "it: Geometry.grid must multiply to", "3, got [2, 2]"),
    "group out of range": row(spawned(bent(groups={"a": [0, 7]})), F, "Geometry.groups['a']", "0 to 2, got 7"),
    "group called mean": row(spawned(bent(groups={"mean": [0]})), F, "Geometry.groups", "reductions", "'mean'"),
    "group called 3": row(spawned(bent(groups={"3": [0]})), F, "Geometry.groups", "no path reads as indices", "'3'"),
    "no area": row(
        spawned(bent(np.zeros((3, 3)), triangles=[[0, 1, 2]]), Material(total_mass=1), Mass()),
        F,
        "Geometry.points",
        "area",
    ),
    "spring of length 0": row(
        spawned(bent([[0, 0, 0], [0, 0, 0]], edges=[[0, 1]]), Mass(m=1), MassSpring(stretch=1)), F, "must differ", "[1]"
    ),
}
BODIES = {
    "nothing": row(spawned(), C, "it: an entity needs at least one component"),
    "no component": row(spawned("flag"), C, "it: 'flag' is not a component"),
    "condition alone": row(spawned(Fixed("left")), C, "it: Fixed(where='left'", "is not a component"),
    "class": row(spawned(Gravity), C, "it: Gravity is a class: give an instance, Gravity(...)"),
    "twice": row(spawned(Gravity(), (Gravity(),)), C, "it: has two Gravity components"),
    "name taken": row(lambda w: w.spawn(Gravity(), name="flag"), C, "an entity 'flag' already"),
    "name due": row(lambda w: w.spawn(Gravity(), name="later"), C, "'later' is already due to be spawned"),
    "name reserved": row(lambda w: w.spawn(Gravity(), name="mean"), C, "'mean' is a reserved word"),
    "name with a dot": row(lambda w: w.spawn(Gravity(), name="a.b"), C, "letters from a to z", "got 'a.b'"),
    "no geometry": row(spawned(MassSpring(stretch=1)), C, "it: needs a Geometry", "grid, box, sphere_shell or rope"),
    "no springs": row(spawned(bent(), Mass(m=1), MassSpring(stretch=1)), F, "Geometry must give edges, triangles or"),
    "stretch 0": row(spawned(grid(), Mass(m=1), MassSpring(stretch=0)), F, "it: MassSpring.stretch must be positive"),
    "shear of a rope": row(
        spawned(rope(), Mass(m=1), MassSpring(stretch=1, shear=1)), F, "it: MassSpring.shear must be 0", "lines"
    ),
    "bend without effect": row(
        spawned(grid(cells=1), Mass(m=1), MassSpring(stretch=1, bend=2)), F, "it: MassSpring.bend must be 0", "got 2.0"
    ),
    "drag of nothing": row(spawned(Drag(coefficient=1)), F, "it: needs Position(x=...), or a Geometry"),
    "gravity one number": row(spawned(Gravity(acceleration=-9.81)), F, "Gravity.acceleration", "three", "got -9.81"),
    "gravity nan": row(spawned(Gravity(acceleration=(0, nan, 0))), F, "Gravity.acceleration", "got nan at [1]"),
    "wind of two": row(spawned(Wind(velocity=(1, 2))), F, "it: Wind.velocity must have shape (3,), got (2,)"),
    "scale 0": row(spawned(*net(Transform(scale=0))), F, "it: Transform.scale must be positive, got 0.0"),
    "parent unknown": row(spawned(*net(Transform(parent="flg"))), F, "it: Transform.parent", "'flg'", "'flag'"),
    "own parent": row(spawned(*net(Transform(parent="it"))), F, "it: Transform.parent must be another entity"),
    "velocities too many": row(
        spawned(Position(x=[[0, 0, 0]]), Mass(m=1), Velocity(v=np.zeros((2, 3)))), F, "Velocity.v", "n = 1", "(2, 3)"
    ),
    "attraction text": row(spawned(Attraction(bodies="flag")), F, "it: Attraction.bodies must be a tuple, got 'flag'"),
    "repulsion without range": row(spawned(Attraction(repulsion=1)), F, "it: Attraction.repulsion_range", "got 0.0"),
    "collider cube": row(spawned(Collider(shape="cube")), F, "it: Collider.shape must be one of sphere", "'cube'"),
    "radius 0": row(spawned(Collider.sphere(radius=0)), F, "it: Collider.radius must be positive, got 0.0"),
    "restitution 2": row(spawned(Collider.sphere(restitution=2)), F, "Collider.restitution must be in [0, 1], got 2.0"),
    "normal 0": row(lambda w: Collider.plane(normal=0), F, "Collider.plane: normal", "non-zero", "got [0.0, 0.0, 0.0]"),
    "sphere with normal": row(
        spawned(Collider(shape="sphere", normal=(1, 0, 0))), F, "it: Collider.normal must be left out for a sphere"
    ),
    "colour": row(spawned(*net(Appearance(colour="bleu"))), F, "it: Appearance.colour", "'blue'", "got 'bleu'"),
    "colour ragged": row(spawned(*net(Appearance(colour=[[1, 2], [3]]))), F, "Appearance.colour", "[[1, 2], [3]]"),
    "colour map": row(spawned(*net(Appearance(colours="virdis"))), F, "Appearance.colours", "'viridis'", "'virdis'"),
    "low above high": row(spawned(*net(Appearance(low=2, high=1))), F, "it: Appearance.low must be below high"),
    "camera in its target": row(spawned(Camera(eye=(0, 0, 0))), F, "it: Camera.eye must differ from target"),
    "object in a field": row(
        spawned(*net(BoundaryConditions((object(),)))), F, "it: BoundaryConditions.conditions must be plain data"
    ),
}


def held(*conditions: Any) -> Callable[[World], Any]:
    """Spawn a net with what the functions return, so that conditions that fail when made fail inside the row."""
    return lambda w: w.spawn(*net(), sum((make() for make in conditions[1:]), conditions[0]()), name="it")


BC = BoundaryConditions
SUPPORTS = {
    "group unknown": row(held(lambda: BC.fixed("lft")), F, "it: BoundaryConditions.where", "'lft'", "'left'"),
    "index too large": row(held(lambda: BC.fixed([99])), F, "it: BoundaryConditions.where", "0 to 15, got 99"),
    "index negative": row(held(lambda: BC.fixed(-1)), F, "Fixed.where must hold indices from 0 on, got -1"),
    "selects none": row(held(lambda: BC.fixed([])), F, "Fixed.where must select at least one particle"),
    "predicate selects none": row(held(lambda: BC.fixed(lambda p: p[:, 0] > 9)), F, "it:", "at least one particle"),
    "predicate of points": row(held(lambda: BC.fixed(lambda p: p)), F, "it:", "16 values of True", "(16, 3)"),
    "predicate ragged": row(held(lambda: BC.fixed(lambda p: [[1], [1, 2]])), F, "it:", "16 values of True and False"),
    "axes": row(held(lambda: BC.fixed("left", axes="xw")), F, "Fixed.axes must be letters of 'xyz'", "got 'xw'"),
    "times fall": row(
        held(lambda: BC.displacement("left", np.eye(3), times=[0, 2, 1])), F, "Displacement.times must increase"
    ),
    "times too few": row(held(lambda: BC.velocity("left", np.eye(3), times=[0])), F, "History.times", "1 for 3"),
    "times missing": row(held(lambda: BC.velocity("left", np.eye(3))), F, "velocity: times must be given"),
    "table ragged": row(held(lambda: BC.displacement("left", [[1, 2, 3], [1]])), F, "times must be given"),
    "load of two": row(held(lambda: BC.load("right", (1, 0))), F, "PointLoad.force must have shape (3,), got (2,)"),
    "motion twice": row(
        held(lambda: BC.fixed("left"), lambda: BC.velocity("left", (1, 0, 0))), F, "it:", "once, got two for particle 0"
    ),
}
PATHS = {
    "entity": row(lambda w: w.value("flg.position"), P, "'flg.position'", "no entity 'flg'", "did you mean 'flag'"),
    "field": row(lambda w: w.value("flag.velocty"), P, "flag has no component or field 'velocty'", "'velocity'"),
    "field of a component": row(lambda w: w.value("flag.material.youngs"), P, "material has no field", "young_modulus"),
    "group": row(lambda w: w.value("flag.position[rihgt]"), P, "flag has no group 'rihgt'", "'right'"),
    "reduction": row(lambda w: w.value("flag.position.men"), P, "'men' is no field, reduction or axis", "'mean'"),
    "index": row(lambda w: w.value("flag.position[99]"), P, "index out of range, Position.x has 16 rows"),
    "ambiguous": row(
        lambda w: w.value("flag.damping"), P, "ambiguous", "flag.mass_spring.damping or flag.springs.damping"
    ),
    "no field": row(lambda w: w.value("flag"), P, "names no field", "material"),
    "no text": row(lambda w: w.value(5), P, "a path is a text", "got 5"),
    "broken": row(lambda w: w.value("flag..x"), P, "breaks at '.x'"),
    "reduced to a number": row(lambda w: w.value("flag.strain.max.x"), P, ".x needs an array, node is 0.0"),
    "component": row(lambda w: w.get("flag", Wind), P, "flag has no Wind"),
    "component by name": row(lambda w: w.get("flag", "Materal"), P, "flag has no 'Materal'", "'Material'"),
    "id": row(lambda w: w.get(99, Material), P, "no entity with id 99", "of another world?"),
    "query of no class": row(lambda w: w.query("material"), P, "world.query takes component classes, got 'material'"),
    "query of nothing": row(lambda w: w.query(), P, "world.query takes component classes"),
    "optional one class": row(lambda w: w.query(Material, optional=Wind), P, "world.query takes component classes"),
    "series": row(lambda w: w.series("tip"), P, "there is no series 'tip'", "world.watch"),
    "watch of a text": row(lambda w: w.watch("shape", "ball.shape"), C, "'ball.shape' is no number but 'sphere'"),
    "watch of nothing": row(lambda w: w.watch("x", "flag.strian"), P, "'strian'", "'strain'"),
    "previous": row(lambda w: w.previous("flag.position"), P, "Position is no feedback"),
    "stream": row(lambda w: w.random(None), F, "a stream's name must be a text, got None"),
    "event class": row(lambda w: w.events("hit"), C, "the class of the events, got 'hit'"),
    "event": row(lambda w: w.emit(object()), C, "must be an instance of a frozen dataclass", "object"),
    "event number": row(lambda w: w.emit(3), C, "must be an instance of a frozen dataclass", "got 3"),
    "class as an event": row(lambda w: w.emit(Gravity), C, "must be an instance of a frozen dataclass", "Gravity"),
}
COMMANDS = {
    "reduction": row(lambda w: w.set("flag.position.mean", 0), P, "a reduction or axis cannot be set"),
    "axis": row(lambda w: w.set("wind.velocity.x", 1), P, "a reduction or axis cannot be set"),
    "time": row(lambda w: w.set("world.time", 1), P, "'world.time' can be read, not set"),
    "value": row(lambda w: w.set("ball.friction", -3), F, "ball: Collider.friction must be zero or positive, got -3.0"),
    "shape": row(lambda w: w.set("flag.position", np.zeros((2, 3))), F, "flag: Position.x", "n = 16", "got (2, 3)"),
    "nothing": row(lambda w: w.set("flag.position", None), F, "flag: Position.x must be given, got None"),
    "one number": row(lambda w: w.set("wind.velocity", 5), F, "wind: Wind.velocity must give its three", "got 5.0"),
    "rows": row(lambda w: w.set("flag.position[left]", (1, 2)), F, "flag: Position.x[...]", "(4, 3)", "got (2,)"),
    "no rows": row(lambda w: w.set("flag.position[9:9]", 0), P, "'flag.position[9:9]' selects nothing"),
    "text in a row": row(lambda w: w.set("flag.supports.fixed[left]", "yes"), F, "Supports.fixed", "got 'yes'"),
    "fraction in a row": row(lambda w: w.set("flag.springs.kind[0]", 1.5), F, "Springs.kind", "whole numbers", "1.5"),
    "huge in a row": row(lambda w: w.set("flag.springs.kind[0]", 2**40), F, "Springs.kind", "32 bits"),
    "scratch": row(lambda w: w.set("flag.force", 0), C, "flag.force is rebuilt"),
    "parts that do not fit": row(
        lambda w: w.set("flag.material.total_mass", 1), F, "flag: Material.total_mass must be left out"
    ),
    "what follows fails": row(lambda w: w.set("flag.points", np.zeros((16, 3))), F, "flag: Geometry.points", "area"),
    "wrong component": row(lambda w: w.set("flag.material", Wind(velocity=0)), P, "a Wind replaces flag.wind"),
    "component it lacks": row(lambda w: w.set("flag", Wind(velocity=0)), P, "flag has no Wind"),
    "past": row(lambda w: w.at(-1), C, "t = -1 s is in the past", "at t = 0 s"),
    "time nan": row(lambda w: w.at(nan), C, "world.at: the time must be a finite number", "got nan"),
    "time huge": row(lambda w: w.at(10**400), C, "world.at: the time must be a finite number"),
    "time text": row(lambda w: w.at("soon"), C, "world.at", "got 'soon'"),
    "ramp negative": row(lambda w: w.at(1).set("wind.velocity", 0, ramp=-1), C, "set wind.velocity: ramp", "got -1"),
    "ramp of a word": row(lambda w: w.at(1).set("ball.shape", "plane", ramp=1), C, "ball.shape", "only numbers", "str"),
    "ramp of a count": row(lambda w: w.at(1).set("world.substeps", 9, ramp=1), C, "world.substeps", "only numbers"),
    "keyframes fall": row(lambda w: w.at(1).keyframes("ball.radius", [1, 0], [1, 2]), C, "ball.radius", "increasing"),
    "keyframes too few": row(lambda w: w.at(1).keyframes("ball.radius", [0, 1], [1]), C, "2 times and values (1,)"),
    "keyframe bad": row(lambda w: w.at(1).keyframes("ball.radius", [0, 1], [1, -2]), F, "Collider.radius", "got -2.0"),
    "field of what comes": row(lambda w: w.at(2).set("later.stretsh", 1), P, "later has no component", "'stretch'"),
    "value of what comes": row(lambda w: w.at(2).set("later.stretch", -1), F, "later: MassSpring.stretch", "got -1.0"),
    "spawn later": row(
        lambda w: w.at(1).spawn(Material(total_mass=-1), name="it"), F, "it: Material.total_mass must be positive"
    ),
    "lambda": row(lambda w: w.at(1).call(lambda world: None), C, "importable name", "<lambda>"),
    "bound method": row(lambda w: w.at(1).call(w.step), C, "World.step", "bound to an object"),
    "function unknown": row(lambda w: w.at(1).call("math:sine"), C, "cannot find the function 'math:sine'"),
    "module relative": row(lambda w: w.at(1).call(".a:b"), C, "cannot find the function '.a:b'"),
    "argument no data": row(lambda w: w.at(1).call("builtins:print", object()), C, "arguments must be plain data"),
    "despawn unknown": row(lambda w: w.despawn("flg"), P, "no entity 'flg'", "'flag'"),
    "despawn world": row(lambda w: w.despawn("world"), C, "'world' cannot be deleted"),
    "despawn 4.0": row(lambda w: w.despawn(4.0), P, "by its name or id, got 4.0"),
    "step back": row(lambda w: w.step(-1), C, "world.step: frames", "zero or positive, got -1"),
    "run back": row(lambda w: w.run(frames=-1), C, "world.run: frames", "got -1"),
    "run half": row(lambda w: w.run(frames=1.5), C, "world.run: frames must be a whole number", "got 1.5"),
    "run until nan": row(lambda w: w.run(until=nan), C, "world.run: until", "got nan"),
    "run until text": row(lambda w: w.run(until="end"), C, "world.run: until", "got 'end'"),
    "run until and frames": row(lambda w: w.run(frames=1, until=1.0), C, "either frames=... or until=..."),
    "run and call a number": row(lambda w: w.run(frames=1, on_frame=5), C, "on_frame must be a function", "got 5"),
    "restore the future": row(lambda w: w.restore(5), C, "frame 5 has not been run"),
    "restore a text": row(lambda w: w.restore("start"), C, "a snapshot or a frame number, got 'start'"),
    "restore other systems": row(lambda w: w.restore(World().snapshot()), C, "other systems", "Dynamics"),
}
REST = {
    "picture suffix": row(lambda w: w.picture("flag.jpg"), OutputError, "flag.jpg", "use .png"),
    "picture size": row(lambda w: w.picture(size=(0, 9)), OutputError, "picture's size", "got (0, 9)"),
    "picture size text": row(lambda w: w.picture(size="big"), OutputError, "picture's size", "got 'big'"),
    "picture size half": row(lambda w: w.picture(size=(9.5, 9)), OutputError, "picture's size", "got (9.5, 9)"),
    "picture path": row(lambda w: w.picture(5, size=(9, 9)), OutputError, "written to a path", "got 5"),
    "film suffix": row(lambda w: w.film("flag.avi", 1), OutputError, "flag.avi", "use .mp4 or .gif"),
    "film frames": row(lambda w: w.film("flag.gif", -1), C, "world.film: frames", "got -1"),
    "film rate": row(lambda w: w.film("flag.gif", 1, fps=0), OutputError, "fps must be positive, got 0"),
    "film rate text": row(lambda w: w.film("flag.gif", 1, fps="fast"), OutputError, "fps", "got 'fast'"),
    "check without bound": row(lambda w: Check("sag", 1), F, "Check 'sag' needs a bound"),
    "check of a text": row(lambda w: Check("sag", 1, below="low"), F, "Check 'sag': below=", "got 'low'"),
    "check never": row(lambda w: Check("sag", 1, below=1, above=2), F, "Check 'sag'", "above 2 and below 1"),
    "component of no class": row(lambda w: component(5), PliantError, "decorates a class, got 5"),
    "field of no type": row(lambda w: field(dtype="complex"), F, "field: dtype", "got 'complex'"),
    "interval": row(lambda w: between(2, 1), F, "between: the lower end", "got 2 and 1"),
    "interval of inf": row(spawned(Attraction(softening=inf)), F, "it: Attraction.softening must be finite, got inf"),
}
TABLES = {
    "settings": SETTINGS, "material": MATERIALS, "shape": SHAPES, "body": BODIES, "support": SUPPORTS, "path": PATHS,
    "command": COMMANDS, "rest": REST,
}  # fmt: skip
ROWS = {f"{table}: {name}": found for table, rows in TABLES.items() for name, found in rows.items()}


@pytest.mark.parametrize("case", ROWS.values(), ids=ROWS)
def test_says_what_is_wrong_and_changes_nothing(case: Row) -> None:
    world = scene()
    before = world.state_hash()
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a warning of numpy on the way is no message for a person
        with pytest.raises(case.error) as caught:
            case.do(world)
    for part in case.says:
        assert part in str(caught.value)
    assert world.state_hash() == before
    assert world.frame == 0


def test_deleting_twice() -> None:
    world = scene()
    number = world.store.id("flag")
    world.despawn("flag")
    with pytest.raises(PathError, match=r"no entity 'flag'"):
        world.despawn("flag")
    with pytest.raises(PathError, match=r"no entity with id 4.*deleted, or of another world"):
        world.despawn(number)
    world.at(0.1).despawn("wind")
    world.at(0.2).despawn("wind")
    world.run(until=0.2)
    before = world.state_hash()
    with pytest.raises(CommandError, match=r"despawn 'wind'.*deleted twice") as caught:
        world.step()
    assert "t = 0.2 s" in caught.value.__notes__[0]
    assert world.state_hash() == before


def test_two_worlds_share_no_ids() -> None:
    big, small = scene(), World(systems=standard())
    flag = big.store.id("flag")
    for wrong in (lambda: small.get(flag, Material), lambda: small.name(flag), lambda: small.despawn(flag)):
        with pytest.raises(PathError, match=f"no entity with id {flag}.*another world"):
            wrong()


def test_one_system_may_serve_two_worlds() -> None:
    """Systems hold parameters only, so that sharing them is no mix-up: both worlds go on as one alone does."""
    shared, alone = standard(), scene()
    worlds = [World(systems=shared), World(systems=shared)]
    for world in worlds:
        for name in ("gravity", "wind", "ball"):
            kind = {"gravity": Gravity, "wind": Wind, "ball": Collider}[name]
            world.spawn(alone.get(name, kind), name=name)
        world.spawn(*net(), BoundaryConditions.fixed("left"), Appearance(), name="flag")
    for _ in range(3):
        for world in (alone, *worlds):
            world.step()
    for world in worlds:
        assert np.array_equal(world.value("flag.position"), alone.value("flag.position"))


class StepsItself(System):
    """Calls for a step inside a step."""

    stage = Stage.EVOLVE

    def process(self, world: World, step: Any) -> None:
        world.step()


class RunsBack(StepsItself):
    """Restores inside a step."""

    def process(self, world: World, step: Any) -> None:
        world.restore(0)


@pytest.mark.parametrize("system", [StepsItself(), RunsBack()], ids=lambda system: system.name)
def test_time_cannot_be_moved_inside_a_frame(system: System) -> None:
    world = World(systems=[system])
    world.spawn(Gravity())
    with pytest.raises(CommandError, match="inside a frame"):
        world.step()
    assert world.frame == 0


@pytest.mark.parametrize(
    "use",
    [
        lambda w: w.step(), lambda w: w.run(frames=1), lambda w: w.spawn(Gravity()), lambda w: w.despawn("flag"),
        lambda w: w.set("wind.velocity", 0), lambda w: w.at(1).set("wind.velocity", 0), lambda w: w.value("world.time"),
        lambda w: w.get("flag", Material), lambda w: w.query(Material), lambda w: w.snapshot(), lambda w: w.restore(0),
        lambda w: w.watch("x", "flag.strain.max"), lambda w: w.series("x"), lambda w: w.picture(), lambda w: w.emit(1),
        lambda w: w.describe(), lambda w: w.state_hash(),
    ],
)  # fmt: skip
def test_a_closed_world_says_so(use: Callable[[World], Any]) -> None:
    world = scene()
    world.close()
    with pytest.raises(CommandError, match="this world is closed"):
        use(world)


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    world = scene()
    folder = tmp_path / "here.png"
    folder.mkdir()
    for path, says in ((tmp_path / "none" / "a.png", "there is no folder"), (folder, "that is a folder")):
        with pytest.raises(OutputError, match=says):
            world.picture(path, size=(16, 16))
    for path in ("a\0b.png", tmp_path / ("x" * 300 + ".png")):
        with pytest.raises(OutputError):
            world.picture(path, size=(16, 16))
    world.watch("tip", "flag.strain.max")
    with pytest.raises(OutputError, match="cannot be written"):
        world.watches.write_csv(world, str(tmp_path / "none" / "a.csv"))
    assert [item.name for item in tmp_path.iterdir()] == ["here.png"]


@pytest.mark.parametrize(("suffix", "module"), [("mp4", "imageio_ffmpeg"), ("gif", "imageio")])
def test_a_missing_library_is_named(suffix: str, module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    really = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name.partition(".")[0] == module:
            raise ImportError(f"No module named {name!r}")
        return really(name, *rest, **more)

    world = scene()
    before = world.state_hash()
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(OutputError, match=r"needs imageio.*pip install"):
        world.film(tmp_path / f"flag.{suffix}", 2, size=(16, 16))
    assert world.state_hash() == before and not list(tmp_path.iterdir())


def test_a_missing_ffmpeg_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import imageio_ffmpeg

    def missing() -> str:
        raise RuntimeError("No ffmpeg exe could be found.")

    monkeypatch.setattr(imageio_ffmpeg, "get_ffmpeg_exe", missing)
    with pytest.raises(OutputError, match="needs the program ffmpeg"):
        scene().film(tmp_path / "flag.mp4", 1, size=(16, 16))


def test_without_opengl_the_painter_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    from framework.viewer import offscreen

    monkeypatch.setattr(offscreen, "_opengl", lambda: None)
    monkeypatch.setattr(offscreen, "_reason", "libEGL.so.1 not found")
    world = scene()
    assert world.picture(size=(32, 16)).shape == (16, 32, 3)
    with pytest.raises(OutputError, match=r"no OpenGL: libEGL.so.1 not found"):
        offscreen.render(world.scene(), (32, 16), "opengl")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["run", "flagg"], "'flag'"),
        (["run", "nowhere.py"], "no such file"),
        (["run", "flag", "--frames", "-1"], "--frames must be 0 or more"),
        (["run", "flag", "--frames", "many"], "'--frames'"),
        (["run", "flag", "--until", "nan"], "--until"),
        (["run", "flag", "--frames", "1", "--until", "1"], "give one of them"),
        (["run", "flag", "--picture", "out.jpg"], "must end in .png"),
        (["run", "flag", "--film", "/nowhere/out.mp4"], "does not exist"),
        (["run", "flag", "--set", "wind.velocty=0,0,1"], "'velocity'"),
        (["run", "flag", "--set", "build.cells=x"], "build.cells must be int"),
        (["run", "flag", "--size", "big"], "--size needs WIDTHxHEIGHT"),
        (["runn", "flag"], "runn"),
    ],
    ids=" ".join,
)
def test_the_command_line_answers_with_one_message(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    errors = capsys.readouterr().err
    assert says in errors and "Traceback" not in errors
    assert not list(tmp_path.iterdir())
