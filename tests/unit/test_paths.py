"""Paths: what they name, what they read, and what they say when they name nothing."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from components import BoundaryConditions, Gravity, Mass, MassSpring, Material, Position, Wind
from components.prefabs import grid
from framework import FieldError, PathError, World, component, field
from systems import standard


@component
class Odd:
    """Fields with awkward names and types."""

    x: float = field(default=2.0, principal=True, doc="a number called like an axis")
    words: str = field(dtype="str", default="text", doc="a text")
    flags: np.ndarray = field(shape=("n",), dtype="bool", default=(True, False), doc="flags")
    empty: np.ndarray = field(shape=("k",), default=(), doc="nothing")


@pytest.fixture(scope="module")
def world() -> World:
    world = World(systems=standard())
    world.spawn(Gravity(), name="gravity")
    world.spawn(Wind(velocity=(1, 2, 2)), name="wind")
    world.spawn(Position(x=np.arange(12.0).reshape(4, 3)), Mass(m=[1, 2, 3, 4]), name="dots")
    world.spawn(
        grid((1, 1), (2, 2)), Material(areal_density=1.0), MassSpring(stretch=10.0), BoundaryConditions.fixed("left"),
        name="net",
    )  # fmt: skip
    world.spawn(Odd(), name="odd")
    return world


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("gravity.acceleration", [0, -9.81, 0]),
        ("gravity.acceleration.y", -9.81),
        ("gravity.gravity.acceleration.y", -9.81),
        ("gravity.gravity.y", -9.81),
        ("wind.velocity.norm", 3.0),
        ("wind.coefficient", 1e-3),
        ("dots.position", np.arange(12.0).reshape(4, 3)),
        ("dots.position.x", [0, 3, 6, 9]),
        ("dots.position.y", [1, 4, 7, 10]),
        ("dots.position.x.max", 9.0),
        ("dots.position.x.x", None),
        ("dots.x.x", [0, 3, 6, 9]),
        ("dots.position.mean", [4.5, 5.5, 6.5]),
        ("dots.position.mean.x", 4.5),
        ("dots.position.x.mean", 4.5),
        ("dots.position[1]", [[3, 4, 5]]),
        ("dots.position[-1].z", [11]),
        ("dots.position[1,3].y", [4, 10]),
        ("dots.position[ 1 , 3 ].y.sum", 14.0),
        ("dots.position[1:3].x", [3, 6]),
        ("dots.position[:2].x.sum", 3.0),
        ("dots.position[-2:].x.sum", 15.0),
        ("dots.position.x[1:3]", [[3, 4, 5], [6, 7, 8]]),
        ("dots.position.first", [0, 1, 2]),
        ("dots.position.last.norm", 302**0.5),
        ("dots.position.norm.max", 302**0.5),
        ("dots.mass.sum", 10.0),
        ("dots.mass.rms", 7.5**0.5),
        ("dots.mass.count", 4),
        ("dots.velocity.norm.max", 0.0),
        ("net.position[right].x.mean", 0.5),
        ("net.position[corner_top_left].y", [0.5]),
        ("net.fixed[left].sum", [3, 3, 3]),
        ("net.material.areal_density", 1.0),
        ("net.young_modulus", None),
        ("net.rest.min", 0.5),
        ("odd.x", 2.0),
        ("odd.odd.x", 2.0),
        ("odd.words", "text"),
        ("odd.flags", [True, False]),
        ("odd.empty.sum", 0.0),
        ("odd.empty.count", 0),
        ("world.substeps", 10),
        ("world.frame_time", 1 / 60),
        ("world.integrator", None),
        ("world.time", 0.0),
        ("world.frame", 0),
    ],
)
def test_values(world: World, path: str, value: Any) -> None:
    if path == "dots.position.x.x":
        with pytest.raises(PathError, match="needs vectors"):
            world.value(path)
        return
    found = world.value(path)
    if value is None or isinstance(value, str):
        assert found == value
    else:
        np.testing.assert_allclose(found, value, rtol=1e-15)
        assert np.shape(found) == np.shape(value) and (np.ndim(value) > 0 or type(found) is type(value))


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("", "breaks at ''"),
        ("dots", r"names no field; write one of dots\.position"),
        ("dotz.position", r"no entity 'dotz'.*'dots'"),
        ("dots.positon", r"no component or field 'positon'.*'position'"),
        ("dots.position.men", r"'men' is no field, reduction or axis.*'mean'"),
        ("dots.position.w", "'w' is no field"),
        ("dots..x", "breaks at"),
        ("dots.position[", "breaks at"),
        ("dots.position[1", "breaks at"),
        ("dots.position[1]]", "breaks at"),
        ("dots.position mean", "separated by dots"),
        ("dots[1].position", "a group belongs to a field"),
        ("dots.position.mean[1]", "a group stands directly behind the field"),
        ("dots.position[1].x[2]", "a group stands directly behind the field"),
        ("dots.position[4]", "index out of range.* 4 rows"),
        ("dots.position[-5]", "index out of range"),
        ("dots.position[left]", "no group 'left'"),
        ("net.position[lft]", r"no group 'lft'.*'left'"),
        ("net.springs.rest[left]", "groups select particles"),
        ("dots.position[-:]", "no group"),
        ("dots.position[]", "no group"),
        ("gravity.acceleration[0]", "no rows to choose from"),
        ("wind.coefficient.mean", "needs an array"),
        ("odd.words.max", "needs an array, words is 'text'"),
        ("odd.empty.max", "of nothing: empty is empty there"),
        ("dots.position[2:2].mean", "of nothing"),
        ("dots.mass.x", "needs vectors"),
        ("net.material", r"several fields, name one: .*young_modulus"),
        ("net.material.colour", "material has no field 'colour'"),
        ("net.damping", r"ambiguous: write net\.mass_spring\.damping or net\.springs\.damping"),
        ("wind.wind.velocty", r"'velocty' is no field.*'velocity'"),
        (3, "a path is a text"),
        (None, "a path is a text"),
    ],
)
def test_mistakes_say_what_is_near(world: World, path: Any, words: str) -> None:
    with pytest.raises(PathError, match=words):
        world.value(path)


def test_two_spellings_of_one_name_are_both_listed() -> None:
    @component
    class Material2:
        """Another density."""

        areal_density: float = field(default=1.0, doc="density")

    world = World()
    world.spawn(Material(areal_density=2.0), Material2(), name="both")
    with pytest.raises(PathError, match=r"both\.material\.areal_density or both\.material2\.areal_density"):
        world.value("both.areal_density")
    assert world.value("both.material2.areal_density") == 1.0


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("dots.position", np.zeros((4, 3)), np.zeros((4, 3))),
        ("dots.position[1]", (7, 8, 9), None),
        ("dots.position.x[1:3]", (7, 8, 9), None),
        ("dots.x", np.ones((4, 3)), np.ones((4, 3))),
    ],
)
def test_every_spelling_of_a_field_can_be_set(path: str, value: Any, expected: Any) -> None:
    world = World(systems=standard())
    world.spawn(Position(x=np.arange(12.0).reshape(4, 3)), Mass(m=1.0), name="dots")
    world.set(path, value)
    np.testing.assert_array_equal(world.value("dots.position[1]")[0], value if expected is None else expected[1])
    world.at(0.0).set("dots.position", np.full((4, 3), 2.0), ramp=1.0)
    world.at(0.0).keyframes("dots.position", (0.0, 1.0), np.zeros((2, 4, 3)))
    world.step(2)


def test_reductions_and_axes_are_not_set() -> None:
    world = World(systems=standard())
    world.spawn(Position(x=np.zeros((4, 3))), Mass(m=1.0), name="dots")
    for path in ("dots.position.x", "dots.position.mean", "dots.position[1].x"):
        with pytest.raises(PathError, match="cannot be set"):
            world.set(path, 1.0)
    with pytest.raises(FieldError, match=r"dots: Position\.x"):
        world.set("dots.position[1]", (1, 2))


def test_a_resolved_path_reads_the_present_value(world: World) -> None:
    path = world.path("gravity.acceleration.y")
    assert path.read(world.store) == -9.81
    world.set("gravity.acceleration", (0, -1, 0))
    assert path.read(world.store) == -1.0
    world.set("gravity.acceleration", (0, -9.81, 0))


def test_names_that_paths_could_not_tell_apart_are_refused() -> None:
    world = World()
    for name in ("mean", "x", "world", "build", "a.b", "a b", "1a", "", "a[0]"):
        with pytest.raises(Exception, match=r"name|reserved"):
            world.spawn(Gravity(), name=name)
