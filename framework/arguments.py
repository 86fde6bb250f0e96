"""Text from a command line turned into values: `--set path=value`, the arguments of `build`, `--size`."""
from __future__ import annotations

import ast
import inspect
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from framework.errors import PliantError, suggest


def split_settings(settings: Sequence[str]) -> tuple[dict[str, str], dict[str, Any]]:
    """Split `path=value` texts into arguments of build (still text) and values for world paths (typed)."""
    arguments: dict[str, str] = {}
    paths: dict[str, Any] = {}
    for setting in settings:
        path, equals, text = setting.partition("=")
        path, text = path.strip(), text.strip()
        if not equals or not path or not text:
            raise PliantError(f"--set needs path=value, such as --set build.cells=80 or --set wind.velocity=0,0,6; "
                              f"got {setting!r}")
        head, _, name = path.partition(".")
        if path in paths or (head == "build" and name in arguments):
            raise PliantError(f"--set {path} is given twice")
        if head == "build":
            arguments[name] = text
        else:
            paths[path] = literal(text)
    return arguments, paths


def literal(text: str) -> Any:
    """A number, bool, None, or a tuple (`0,0,6`) as Python writes them; everything else stays text."""
    words = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text


def named_settings(value: Any, systems: Iterable[Any]) -> Any:
    """The integrator settings that a text such as 'BackwardEuler(newton=True)' names; else the value itself."""
    kinds = {kind.__name__: kind for system in systems for kind in system.integrators}
    if not isinstance(value, str):
        return value
    try:
        node = ast.parse(value.strip(), mode="eval").body
        if isinstance(node, ast.Name) and node.id in kinds:
            return kinds[node.id]()
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in kinds and not node.args:
            return kinds[node.func.id](**{str(k.arg): ast.literal_eval(k.value) for k in node.keywords})
    except (SyntaxError, ValueError, TypeError) as error:
        if isinstance(error, PliantError):
            raise
        raise PliantError(f"--set world.integrator={value}: {error}") from None
    return value


def parse_size(text: str) -> tuple[int, int]:
    """(width, height) in pixels from '1280x720'; even, because video formats need it."""
    width, _, height = text.lower().partition("x")
    if not (width.isdecimal() and height.isdecimal()):
        raise PliantError(f"--size needs WIDTHxHEIGHT in pixels, such as 1280x720; got {text!r}")
    size = int(width), int(height)
    if not all(16 <= side <= 8192 and side % 2 == 0 for side in size):
        raise PliantError(f"--size: width and height must be even numbers from 16 to 8192, got {text}")
    return size


def parse_show(text: str) -> tuple[str, ...]:
    """Names of what a picture shows besides surfaces, from 'supports,loads'."""
    from framework.viewer.scene import SHOW

    names = tuple(name.strip() for name in text.split(",") if name.strip())
    for name in names:
        if name not in SHOW:
            raise PliantError(f"--show {name}: a picture cannot show that{suggest(name, SHOW)}")
    return names


def build_arguments(build: Callable[..., Any], settings: Mapping[str, str], seed: int | None = None) -> dict[str, Any]:
    """Keyword arguments for `build`, typed by its signature (its annotations, or else its defaults)."""
    parameters = inspect.signature(build).parameters
    named = {name: p for name, p in parameters.items() if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
    takes_any = any(p.kind == p.VAR_KEYWORD for p in parameters.values())
    try:
        hints = typing.get_type_hints(build)
    except (NameError, TypeError, AttributeError):
        hints = {}
    result: dict[str, Any] = {}
    for name, text in settings.items():
        if name not in named and not takes_any:
            raise PliantError(f"--set build.{name}: build has no argument {name!r}{suggest(name, named)}")
        default = named[name].default if name in named else inspect.Parameter.empty
        result[name] = _typed(f"--set build.{name}", text, hints.get(name, _type_of(default)))
    if seed is not None:
        if seed < 0:
            raise PliantError(f"--seed must be 0 or more, got {seed}")
        if "seed" not in named and not takes_any:
            raise PliantError("--seed: this scene's build has no argument 'seed'; "
                              "write build(seed: int = 0) and World(..., seed=seed)")
        if "seed" in result:
            raise PliantError("--seed and --set build.seed say the same thing; give one of them")
        result["seed"] = seed
    missing = [name for name, p in named.items() if p.default is p.empty and name not in result]
    if missing:
        raise PliantError("build needs a value for " + " and ".join(repr(name) for name in missing)
                          + ": " + " ".join(f"--set build.{name}=..." for name in missing))
    return result


def _type_of(default: Any) -> Any:
    return Any if default is None or default is inspect.Parameter.empty else type(default)


def _typed(where: str, text: str, kind: Any) -> Any:
    """`text` as a value of the annotated type `kind`; annotations that say nothing checkable take the literal."""
    value = literal(text)
    if kind is float:
        try:
            return float(text)
        except ValueError:
            raise PliantError(f"{where} must be float, got {text!r}") from None
    origin = typing.get_origin(kind)
    if origin is typing.Literal:
        for choice in typing.get_args(kind):
            if choice in (value, text):
                return choice
        raise PliantError(f"{where} must be one of {', '.join(map(str, typing.get_args(kind)))}, got {text!r}")
    if origin in (typing.Union, types.UnionType):
        for choice in typing.get_args(kind):
            try:
                return _typed(where, text, choice)
            except PliantError:
                continue
        raise PliantError(f"{where} must be {kind}, got {text!r}")
    if kind is str:
        return text.strip("'\"")
    expected = origin or kind
    if expected in (int, bool, tuple, list, type(None)):
        if expected in (tuple, list) and isinstance(value, (tuple, list)):
            return expected(value)
        if not isinstance(value, expected) or (expected is int and isinstance(value, bool)):
            raise PliantError(f"{where} must be {getattr(expected, '__name__', expected)}, got {text!r}")
    return value
