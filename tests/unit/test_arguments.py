"""Text from the command line becomes typed values, or one clear error."""
from __future__ import annotations

from typing import Literal

import pytest

from framework.arguments import build_arguments, literal, parse_size, split_settings
from framework.errors import PliantError


def build(cells: int = 40, speed: float = 6.0, name: str = "a", pinned: bool = True,
          size: tuple[float, float] = (1.0, 1.0), method: Literal["euler", "verlet"] = "euler",
          limit: float | None = None, plain=3, seed: int = 0) -> None:
    """A build with an argument of each kind."""


@pytest.mark.parametrize(("text", "value"), [
    ("3", 3), ("-2.5e3", -2500.0), ("0,0,6", (0, 0, 6)), ("(0, 1)", (0, 1)), ("[1, 2]", [1, 2]), ("true", True),
    ("False", False), ("none", None), ("'a b'", "a b"), ("verlet", "verlet"), ("a.b[c]", "a.b[c]"), ("1/0", "1/0"),
])
def test_literal(text: str, value: object) -> None:
    assert literal(text) == value and type(literal(text)) is type(value)


@pytest.mark.parametrize(("name", "text", "value"), [
    ("cells", "80", 80), ("speed", "7", 7.0), ("speed", "7.5", 7.5), ("name", "8", "8"), ("name", "'b c'", "b c"),
    ("pinned", "false", False), ("size", "2,3", (2, 3)), ("method", "verlet", "verlet"), ("limit", "none", None),
    ("limit", "2", 2.0), ("plain", "4", 4), ("seed", "5", 5),
])
def test_typed_by_the_signature(name: str, text: str, value: object) -> None:
    result = build_arguments(build, {name: text})
    assert result == {name: value} and type(result[name]) is type(value)


@pytest.mark.parametrize(("name", "text", "message"), [
    ("cell", "80", "no argument 'cell'; did you mean 'cells'"),
    ("cells", "80.5", "build.cells must be int, got '80.5'"),
    ("cells", "true", "must be int"),
    ("speed", "fast", "must be float, got 'fast'"),
    ("pinned", "1", "must be bool"),
    ("size", "3", "must be tuple"),
    ("method", "rk4", "must be one of euler, verlet, got 'rk4'"),
    ("limit", "big", "must be"),
    ("plain", "x", "must be int"),
])
def test_refused_by_the_signature(name: str, text: str, message: str) -> None:
    with pytest.raises(PliantError, match=message):
        build_arguments(build, {name: text})


def test_seed() -> None:
    assert build_arguments(build, {}, seed=7) == {"seed": 7}
    with pytest.raises(PliantError, match="no argument 'seed'"):
        build_arguments(lambda cells=3: None, {}, seed=7)
    with pytest.raises(PliantError, match="0 or more, got -1"):
        build_arguments(build, {}, seed=-1)
    with pytest.raises(PliantError, match="same thing"):
        build_arguments(build, {"seed": "3"}, seed=7)


def test_missing_argument_is_named() -> None:
    with pytest.raises(PliantError, match=r"needs a value for 'cells': --set build\.cells="):
        build_arguments(lambda cells: None, {})


def test_settings_are_split() -> None:
    arguments, paths = split_settings(["build.cells=80", "wind.velocity = 0,0,6", "world.integrator=rk4"])
    assert arguments == {"cells": "80"}
    assert paths == {"wind.velocity": (0, 0, 6), "world.integrator": "rk4"}


@pytest.mark.parametrize("setting", ["cells", "=3", "a.b=", ""])
def test_setting_without_value(setting: str) -> None:
    with pytest.raises(PliantError, match="path=value"):
        split_settings([setting])


def test_setting_given_twice() -> None:
    with pytest.raises(PliantError, match=r"build\.cells is given twice"):
        split_settings(["build.cells=1", "build.cells=2"])


def test_size() -> None:
    assert parse_size("640x480") == (640, 480)
    for text in ("640", "640x", "ax3", "-4x8", "641x480", "8x8", "99999x10"):
        with pytest.raises(PliantError, match="--size"):
            parse_size(text)
