"""Declared fields and the one checker: what a component's value must be, and the error that says what it broke."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from framework.encoding import encode
from framework.errors import FieldError


@dataclasses.dataclass(frozen=True)
class Rule:
    """A condition on values: `text` completes "must be ..."; `holds` maps an array to a boolean array."""

    text: str
    holds: Callable[[np.ndarray], np.ndarray]


positive = Rule("positive", lambda value: value > 0)
non_negative = Rule("zero or positive", lambda value: value >= 0)
unit_interval = Rule("in [0, 1]", lambda value: (value >= 0) & (value <= 1))


def between(low: float, high: float, *, low_open: bool = False, high_open: bool = False) -> Rule:
    """Rule for an interval; `low_open` and `high_open` leave out its ends."""
    if not low < high:
        raise FieldError(f"between: the lower end must be below the upper one, got {low!r} and {high!r}")
    text = f"in {'(' if low_open else '['}{low:g}, {high:g}{')' if high_open else ']'}"

    def holds(value: np.ndarray) -> np.ndarray:
        above = value > low if low_open else value >= low
        return above & (value < high if high_open else value <= high)

    return Rule(text, holds)


def non_zero_vector() -> Rule:
    return Rule("a vector of non-zero length", lambda value: np.any(value != 0, axis=-1))


FEW = 9  # numbers that are written out
DTYPES = ("float64", "int32", "bool", "int", "str", "object")


@dataclasses.dataclass(frozen=True)
class FieldInfo:
    """What `field` declared: unit (SI), shape with symbolic sizes, type, rule and documentation of one field."""

    unit: str
    shape: tuple[int | str, ...]
    dtype: str
    rule: Rule | None
    doc: str
    principal: bool
    choices: tuple[str, ...]
    type: type | tuple[type, ...] | None
    optional: bool
    infinite: bool
    index_of: str | None
    uniform: bool
    spread: bool
    name: str = ""


def field(
    *,
    unit: str = "1",
    shape: tuple[int | str, ...] = (),
    dtype: str = "float64",
    default: Any = dataclasses.MISSING,
    rule: Rule | None = None,
    doc: str = "",
    principal: bool = False,
    choices: tuple[str, ...] = (),
    type: type | tuple[type, ...] | None = None,
    optional: bool = False,
    infinite: bool = False,
    index_of: str | None = None,
    uniform: bool = False,
    spread: bool = False,
) -> Any:
    """Declare a component's field.

    shape: () is a scalar, (3,) a small vector, ("n", 3) an array whose symbolic size is bound per entity
    (n particles, s springs, t triangles, e edges). dtype: float64, int32, bool, int, str or object.
    rule: checked on every value; choices: allowed words of a str; type: for dtype object.
    optional: None is allowed; infinite: inf is allowed; index_of: values index an array of that symbolic size;
    uniform: a scalar may stand for an array whose rows are all equal, and stays a scalar.
    spread: one number may stand for all three axes; otherwise only 0 may, since gravity along (g, g, g) is a mistake.
    principal: the component's name alone means this field in a path.
    """
    if dtype not in DTYPES or not isinstance(shape, tuple):
        raise FieldError(
            f"field: dtype must be one of {', '.join(DTYPES)} and shape a tuple such as ('n', 3), "
            f"got {dtype!r} and {shape!r}"
        )
    info = FieldInfo(
        unit, shape, dtype, rule, doc, principal, choices, type, optional, infinite, index_of, uniform, spread
    )
    if default is dataclasses.MISSING and optional:
        default = None
    return dataclasses.field(default=default, metadata={"pliant": info})


Sizes = dict[str, tuple[int, str]]


def checked(value: Any, info: FieldInfo, where: str, sizes: Sizes | None = None) -> Any:
    """`value` in its stored form (float, int, bool, str, object, or a fresh C-contiguous array), or a FieldError.

    where: "entity: Component.field" for the message. sizes: symbolic sizes bound so far on this entity, extended here.
    """
    sizes = {} if sizes is None else sizes
    if value is None:
        if info.optional:
            return None
        raise FieldError(f"{where} must be given, got None")
    if info.dtype == "object":
        if info.type is not None and not isinstance(value, info.type):
            types = info.type if isinstance(info.type, tuple) else (info.type,)
            raise FieldError(f"{where} must be a {' or '.join(t.__name__ for t in types)}, got {short(value)}")
        try:
            encode(value, _nowhere)
        except (TypeError, ValueError) as error:
            raise FieldError(
                f"{where} must be plain data (numbers, texts, arrays, functions) to be part of a snapshot, got "
                f"{short(value)}: {error}"
            ) from None
        return value
    if info.dtype == "str":
        if not isinstance(value, str) or (info.choices and value not in info.choices):
            rule = f"one of {', '.join(info.choices)}" if info.choices else "a text"
            raise FieldError(f"{where} must be {rule}, got {short(value)}")
        return value
    array = numeric(value, info, where)
    shape = info.shape[1:] if info.uniform and array.ndim == len(info.shape) - 1 else info.shape
    array = _fitted(array, shape, info, where, sizes)
    _check_values(array, info, where, sizes)
    return array.item() if shape == () else array


def _nowhere(part: bytes) -> None:
    """A sink for `encode` that only asks whether a value can be encoded."""


def numeric(value: Any, info: FieldInfo, where: str) -> np.ndarray:
    """`value` as an array of the field's type, of whatever shape; FieldError for what is no such number."""
    kind = {"float64": "a number", "int32": "a whole number", "int": "a whole number", "bool": "True or False"}[
        info.dtype
    ]
    if info.shape:
        kind = f"an array of {kind.removeprefix('a ')}s" if info.dtype != "bool" else "an array of True and False"
    try:
        array = np.asarray(value)
    except ValueError:
        raise FieldError(f"{where} must be {kind} of equal rows, got {short(value)}") from None
    if info.dtype == "bool":
        if array.dtype != bool and not (array.dtype.kind in "iu" and np.all((array == 0) | (array == 1))):
            raise FieldError(f"{where} must be {kind}, got {short(value)}")
        return array.astype(bool)
    if array.dtype.kind not in "iuf":
        raise FieldError(f"{where} must be {kind}, got {short(value)}")
    if info.dtype in ("int32", "int"):
        if array.dtype.kind == "f" and not np.all(np.isfinite(array) & (array == np.floor(array))):
            raise FieldError(f"{where} must be {kind}, got {short(value)}")
        bits = 32 if info.dtype == "int32" else 64
        if array.size and (array.min() < -(2.0 ** (bits - 1)) or array.max() >= 2.0 ** (bits - 1)):
            raise FieldError(f"{where} must be {kind} of at most {bits} bits, got {short(value)}")
        return array.astype(np.int32 if info.dtype == "int32" else np.int64)
    return array.astype(np.float64)


def _fitted(array: np.ndarray, shape: tuple[int | str, ...], info: FieldInfo, where: str, sizes: Sizes) -> np.ndarray:
    wanted = tuple(sizes[size][0] if size in sizes else size for size in shape)
    text = _shape_text(shape, sizes)
    if array.ndim == 0 and shape[-1:] == (3,) and info.dtype == "float64" and not info.spread and array != 0:
        raise FieldError(f"{where} must give its three components, got {array.item()!r}")
    if array.ndim < len(shape) and all(isinstance(size, int) for size in wanted) and info.index_of is None:
        if array.ndim and array.shape != wanted[len(shape) - array.ndim :]:
            raise FieldError(f"{where} must have shape {text}, got {array.shape}")
        array = np.broadcast_to(array, wanted)  # type: ignore[arg-type]
    if array.ndim != len(shape):
        raise FieldError(f"{where} must have shape {text}, got {'a scalar' if array.ndim == 0 else array.shape}")
    for size, want, symbol in zip(array.shape, wanted, shape, strict=True):
        if isinstance(want, str):
            sizes[want] = (size, where)
        elif size != want:
            source = f", set by {sizes[symbol][1]}" if isinstance(symbol, str) else ""
            raise FieldError(f"{where} must have shape {text}{source}, got {array.shape}")
    return np.array(array, order="C")


def _check_values(array: np.ndarray, info: FieldInfo, where: str, sizes: Sizes) -> None:
    if array.dtype.kind == "f":
        bad = np.isnan(array) if info.infinite else ~np.isfinite(array)
        if bad.any():
            raise FieldError(f"{where} must be {'a number' if info.infinite else 'finite'}, got {_first(array, bad)}")
    if info.rule is not None:
        holds = np.asarray(info.rule.holds(array))
        if not holds.all():
            raise FieldError(f"{where} must be {info.rule.text}, got {_first(array, ~holds)}")
    if info.index_of is not None and info.index_of in sizes:
        count = sizes[info.index_of][0]
        bad = (array < 0) | (array >= count)
        if bad.any():
            raise FieldError(f"{where} must be indices from 0 to {count - 1}, got {_first(array, bad)}")


def _first(array: np.ndarray, bad: np.ndarray) -> str:
    """The first offending value, with its index when there are several values."""
    if array.ndim == 0:
        return repr(array.item())
    index = tuple(int(i) for i in np.argwhere(bad)[0])
    value = array[index[: bad.ndim]]
    shown = value.tolist() if np.ndim(value) else value.item()
    return f"{shown!r} at [{', '.join(map(str, index))}]" if index else repr(shown)


def _shape_text(shape: tuple[int | str, ...], sizes: Sizes) -> str:
    if shape == ():
        return "() (a scalar)"
    known = [f"{size} = {sizes[size][0]}" for size in shape if isinstance(size, str) and size in sizes]
    text = "(" + ", ".join(str(size) for size in shape) + ("," if len(shape) == 1 else "") + ")"
    return text + (f" with {', '.join(known)}" if known else "")


def short(value: Any) -> str:
    """`repr` of a value for a message, cut where it is long."""
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def brief(value: Any) -> str:
    """`repr` of a value in a few words: of large arrays the shape and the range, of long lists the length."""
    if isinstance(value, np.ndarray):
        if value.size <= FEW:
            return repr(value.tolist())
        ends = ""
        if value.dtype.kind in "fiu":
            low, high = value.min(), value.max()
            ends = f", all {low:.4g}" if low == high else f", {low:.4g} to {high:.4g}"
        return f"<{' x '.join(map(str, value.shape))} {value.dtype}{ends}>"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {brief(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (tuple, list)) and len(value) > FEW:
        return f"<{type(value).__name__} of {len(value)}>"
    return short(value)
