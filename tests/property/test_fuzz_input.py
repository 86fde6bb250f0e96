"""Whatever a person hands in, of whatever type: an error of the framework's tree comes out, or it is accepted and the
world goes on. Nothing that raises changes the world.

The examples are the same in every run; raise EXAMPLES and drop `derandomize` to look for more."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import components
from components import (
    RK4,
    Appearance,
    BackwardEuler,
    BoundaryConditions,
    Collider,
    Geometry,
    Gravity,
    Mass,
    MassSpring,
    Material,
    Position,
    Wind,
)
from components.prefabs import box, grid, rope, sphere_shell
from framework import Check, PliantError, World
from framework.component import info
from systems import standard

EXAMPLES = 25
fuzz = settings(
    max_examples=EXAMPLES, deadline=None, derandomize=True, database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)  # fmt: skip

words = st.sampled_from(["", " ", "x", "flag", "flag.mass.m", "flag.position[left]", "left", "mean", "\0", "later"])
small = st.integers(-3, 5)
whole = small | st.sampled_from([2**31 - 1, 2**31, -(2**31), 2**63, 2**64, 10**400])
extreme = st.sampled_from([0.0, -1.0, 0.5, 1e-320, 1e-200, 1e200, 1e308, -1e308, float("inf"), float("nan")])
real = extreme | st.floats(-9, 9)
odd = st.sampled_from([
    None, True, False, b"flag", 1j, object(), object, Material, Material(total_mass=1), len, RK4(), {}, {"a": 1},
    {1, 2}, (),
    [], range(3), np.bool_(True), np.float32(2), np.datetime64("2020"), slice(3), Ellipsis,
])  # fmt: skip
one = words | whole | real | odd
row = st.lists(real | small, min_size=2, max_size=4)
arrays = st.builds(
    lambda shape, kind, value: np.full(shape, value).astype(kind),
    st.sampled_from([(), (1,), (3,), (0, 3), (2, 3), (16,), (16, 3), (3, 3), (16, 3, 2)]),
    st.sampled_from(["float64", "float32", "int32", "int64", "uint64", "bool", "complex128", "object", "U3", "M8[s]"]),
    st.sampled_from([0, 1, 2, 7]),
)
mixed = st.lists(one, max_size=4)
many = row | row.map(tuple) | st.lists(row, max_size=4) | mixed | mixed.map(tuple)
anything = one | many | arrays
calm = small | words | real.filter(lambda value: not 9 < value < float("inf")) | odd.filter(lambda v: not callable(v))


def scene(**more: Any) -> World:
    world = World(systems=standard(), substeps=2, history=False, **more)
    world.spawn(Gravity(), name="gravity")
    world.spawn(Wind(velocity=(1, 0, 0)), name="wind")
    world.spawn(Collider.sphere(radius=0.3), name="ball")
    parts = grid(cells=(3, 3)), Material(areal_density=0.2), MassSpring(stretch=5.0)
    world.spawn(*parts, BoundaryConditions.fixed("left"), Appearance(), name="flag")
    world.emit(RK4())
    world.at(1.0).spawn(rope(segments=3), Material(linear_density=0.1), MassSpring(stretch=10.0), name="later")
    return world


def survives(world: World, do: Callable[[], Any], goes_on: bool = True) -> None:
    """Do it: an error of ours leaves the world as it was; otherwise its state can be stored, and it can be stepped."""
    before = world.state_hash()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            do()
        except PliantError as error:
            assert str(error)
            assert world.state_hash() == before, f"changed, though it raised {error!r}"
            return
        if goes_on:
            world.snapshot()
            after = world.state_hash()
            try:
                world.step()
            except PliantError:
                assert world.state_hash() == after


def some(names: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Values for one to three of the arguments, the others left to their defaults or to `names`."""
    return st.dictionaries(st.sampled_from(sorted(names)), anything, min_size=1, max_size=3)


CLASSES = [c for c in vars(components).values() if inspect.isclass(c) and hasattr(c, "__component__")]
GOOD: dict[str, Any] = {
    "shape": "sphere", "velocity": (1, 0, 0), "stretch": 5.0, "coefficient": 0.1, "areal_density": 0.2,
    "points": np.eye(3),
}  # fmt: skip


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
@given(data=st.data())
@fuzz
def test_components(cls: type, data: st.DataObject) -> None:
    fields = info(cls).fields
    values = data.draw(some(dict(fields)))
    base = {name: GOOD[name] for name in fields if name in GOOD}
    body = [grid(cells=(3, 3)), Mass(m=1.0), MassSpring(stretch=5.0), BoundaryConditions.fixed("left")]
    world = scene()
    survives(world, lambda: world.spawn(cls(**{**base, **values}), *[p for p in body if type(p) is not cls], name="it"))


MAKERS: list[Callable[..., Any]] = [
    grid, box, rope, sphere_shell, Collider.sphere, Collider.plane, Collider.box, Collider.capsule, Collider.mesh,
    BoundaryConditions.fixed, BoundaryConditions.displacement, BoundaryConditions.velocity, BoundaryConditions.load,
    BackwardEuler,
]  # fmt: skip
MADE: dict[str, Any] = {
    "where": "left", "values": (0, 0, 1), "value": (0, 0, 1), "force": (0, 1, 0), "cells": 3, "surface": sphere_shell(),
}  # fmt: skip


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
@given(data=st.data())
@fuzz
def test_prefabs_and_conditions(make: Callable[..., Any], data: st.DataObject) -> None:
    names = inspect.signature(make).parameters
    values = {**{name: MADE[name] for name in names if name in MADE}, **data.draw(some(dict(names)))}
    world = scene()

    def do() -> None:
        made = make(**values)
        if isinstance(made, BackwardEuler):
            world.set("world.integrator", made)
        elif isinstance(made, Geometry):
            world.spawn(made, Material(total_mass=1.0), MassSpring(stretch=5.0))
        elif isinstance(made, BoundaryConditions):
            world.set("flag.boundary_conditions", made)
        else:
            world.spawn(made)

    survives(world, do)


SETTINGS = dict.fromkeys(["frame_time", "substeps", "integrator", "seed", "history"])


@given(values=some(SETTINGS), systems=st.none() | anything)
@fuzz
def test_worlds(values: dict[str, Any], systems: Any) -> None:
    assume(not isinstance(values.get("substeps"), (int, float)) or values["substeps"] < 100)
    chosen = standard() if systems is None else systems
    survives(scene(), lambda: World(systems=chosen, **values).step())


FIELDS = [
    "flag.position", "flag.velocity[left]", "flag.mass.m", "flag.material.areal_density", "flag.material",
    "flag.material.young_modulus", "flag.geometry.points", "flag.geometry.triangles", "flag.geometry.grid",
    "flag.geometry.groups", "flag.mass_spring.stretch", "flag.springs.nodes", "flag.springs.kind",
    "flag.springs.rest[0]", "flag.supports.fixed", "flag.supports.driven", "flag.boundary_conditions",
    "flag.appearance.colour", "flag.appearance.wireframe", "flag.energy.kinetic", "ball.shape", "ball.radius",
    "wind.velocity", "world.frame_time", "world.integrator", "world.residual", "later.stretch",
]  # fmt: skip


@pytest.mark.parametrize("path", FIELDS)
@given(value=anything, ramp=st.just(0.0) | calm)
@fuzz
def test_values(path: str, value: Any, ramp: Any) -> None:
    world = scene()
    survives(world, lambda: world.set(path, value))
    world = scene()
    survives(world, lambda: world.at(0).set(path, value, ramp=ramp))
    world = scene()
    survives(world, lambda: world.at(0).keyframes(path, [0, 1], [value, value]))


pieces = st.sampled_from([
    "flag", "ball", "world", "later", "position", "geometry", "groups", "points", "mass", "time", "left", "mean", "x",
    "norm",
    ".", ".", ".", "[", "]", "[left]", "[0]", "[-99]", "[0:2]", "[9:1]", "[0,1]", "[1.5]", " ", "max", "é",
])  # fmt: skip


@given(path=st.lists(pieces, max_size=7).map("".join), value=st.just(0.0) | anything)
@settings(fuzz, max_examples=10 * EXAMPLES)
def test_paths(path: str, value: Any) -> None:
    world = scene()
    for use in (lambda: world.value(path), lambda: world.watch("series", path), lambda: world.previous(path)):
        survives(world, use, goes_on=False)
    survives(world, lambda: world.set(path, value))


METHODS: dict[str, Callable[[World, Any, Any], Any]] = {
    "spawn": lambda w, a, b: w.spawn(a, name=b),
    "spawn two": lambda w, a, b: w.spawn(Gravity(), a, b),
    "despawn": lambda w, a, b: w.despawn(a),
    "get": lambda w, a, b: w.get(a, b),
    "get from flag": lambda w, a, b: w.get("flag", a),
    "query": lambda w, a, b: w.query(a, b),
    "query optional": lambda w, a, b: w.query(Position, optional=a, without=b),
    "name": lambda w, a, b: w.name(a),
    "has_entity": lambda w, a, b: w.has_entity(a),
    "set": lambda w, a, b: w.set(a, b),
    "at": lambda w, a, b: w.at(a),
    "at set": lambda w, a, b: w.at(1).set(a, b),
    "at keyframes": lambda w, a, b: w.at(1).keyframes("wind.velocity", a, b),
    "at spawn": lambda w, a, b: w.at(1).spawn(a, name=b),
    "at despawn": lambda w, a, b: w.at(1).despawn(a),
    "at call": lambda w, a, b: w.at(9).call(a, b),
    "path": lambda w, a, b: w.path(a),
    "value": lambda w, a, b: w.value(a),
    "previous": lambda w, a, b: w.previous(a),
    "watch": lambda w, a, b: w.watch(a, b),
    "series": lambda w, a, b: w.series(a),
    "emit": lambda w, a, b: w.emit(a),
    "events": lambda w, a, b: w.events(a),
    "random": lambda w, a, b: w.random(a),
    "restore": lambda w, a, b: w.restore(a),
    "picture": lambda w, a, b: w.picture("/nowhere/a.png" if a is None else None, size=b),
    "picture path": lambda w, a, b: w.picture(a, size=(16, 16)),
    "film": lambda w, a, b: w.film("/nowhere/a.gif", a, fps=b),
    "check": lambda w, a, b: Check(a, b, below=1),
    "check bound": lambda w, a, b: Check("a", 1, below=a, above=b),
    "check near": lambda w, a, b: Check("a", 1, near=a, tolerance=b),
}


DRAWN = "picture", "picture path", "film"


@pytest.mark.parametrize("name", METHODS)
@given(first=anything, second=anything)
@fuzz
def test_methods(name: str, first: Any, second: Any) -> None:
    world = scene()
    survives(world, lambda: METHODS[name](world, first, second), goes_on=name not in DRAWN)


@pytest.mark.parametrize(
    "use",
    [
        lambda w, v: w.step(v), lambda w, v: w.run(frames=v), lambda w, v: w.run(until=v),
        lambda w, v: w.run(frames=1, on_frame=v),
    ],
    ids=["step", "run frames", "run until", "on_frame"],
)  # fmt: skip
@given(value=calm)
@fuzz
def test_time(use: Callable[[World, Any], Any], value: Any) -> None:
    survives(scene(), lambda: use(scene(), value), goes_on=False)
