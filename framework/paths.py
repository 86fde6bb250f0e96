"""Paths: `entity[.component].field[group].reduction[.axis]`, the one way to name a value of a world.

    flag.position[right].mean      mean position of the group `right` (a component's name means its principal field)
    flag.strain.max                largest strain
    wind.velocity.x                one axis of a vector
    flag.velocity[17].norm         length of one particle's velocity, an array of one
    world.substeps                 settings of the run; world.time and world.frame can be read

A group is a name of Geometry.groups, an index, several (`[3,5]`) or a range (`[0:10]`).
Reductions act in the order written: norm (length of each row), mean, min, max, sum, rms, first, last, count.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from framework.component import info
from framework.errors import PathError, suggest
from framework.fields import FieldInfo, short
from framework.system import Stage

if TYPE_CHECKING:
    from framework.store import Store

REDUCTIONS: dict[str, Callable[[np.ndarray], Any]] = {
    "mean": lambda a: a.mean(axis=0),
    "min": lambda a: a.min(axis=0),
    "max": lambda a: a.max(axis=0),
    "sum": lambda a: a.sum(axis=0),
    "rms": lambda a: np.sqrt((a * a).mean(axis=0)),
    "first": lambda a: a[0],
    "last": lambda a: a[-1],
    "count": lambda a: len(a),
    "norm": lambda a: np.sqrt((a * a).sum(axis=-1)),
}
AXES = {"x": 0, "y": 1, "z": 2}
_TOKEN = re.compile(r"([A-Za-z_][A-Za-z0-9_-]*)(?:\[([^\[\]]*)\])?")


@dataclass(frozen=True)
class Path:
    """A path resolved on one world: which field of which entity, which rows, and what is done to them."""

    text: str
    entity: int
    cls: type
    field: FieldInfo
    rows: np.ndarray | slice | None
    operations: tuple[str, ...]

    def read(self, store: Store) -> Any:
        """The value: a float, int, bool, text, or a new array."""
        value = getattr(store.component(self.entity, self.cls), self.field.name)
        if self.rows is not None:
            value = value[self.rows]
        for name in self.operations:
            value = self._apply(name, value)
        if isinstance(value, np.ndarray) and value.ndim:
            return value.copy()
        if isinstance(value, (dict, list)):
            return copy.deepcopy(value)
        return value.item() if isinstance(value, (np.ndarray, np.generic)) else value

    def _apply(self, name: str, value: Any) -> Any:
        if not isinstance(value, np.ndarray) or value.ndim == 0:
            found = short(value.item() if isinstance(value, (np.ndarray, np.generic)) else value)
            raise PathError(f"path {self.text!r}: .{name} needs an array, {self.field.name} is {found} there")
        if name in AXES:
            if value.shape[-1] != 3:
                raise PathError(f"path {self.text!r}: .{name} needs vectors, the value has shape {value.shape}")
            return value[..., AXES[name]]
        if len(value) == 0 and name not in ("sum", "count"):
            raise PathError(f"path {self.text!r}: .{name} of nothing: {self.field.name} is empty there")
        return REDUCTIONS[name](value)

    @property
    def unit(self) -> str:
        """The unit of the value, empty for a plain number."""
        return "" if "count" in self.operations or self.field.unit == "1" else self.field.unit

    @property
    def settable(self) -> bool:
        return not self.operations


def resolve(store: Store, text: str) -> Path:
    """Resolve a path on a store; PathError says which part is unknown and lists the closest known names."""
    tokens = _tokens(text)
    (name, group), rest = tokens[0], tokens[1:]
    if group is not None:
        raise PathError(f"path {text!r}: a group belongs to a field, not to the entity {name!r}")
    try:
        entity = store.id(name)
    except PathError as error:
        raise PathError(f"path {text!r}: {error}") from None
    if not rest:
        found = [shortest(store, entity, c, info(c).principal) for c in store.components(entity)]
        raise PathError(f"path {text!r} names no field; write one of {', '.join(found)}")
    cls, field, used = _field(store, entity, rest, text)
    groups = [bracket for _, bracket in rest[:used]]
    if any(bracket is not None for _, bracket in rest[used:]) or (used == 2 and groups[0] is not None):
        raise PathError(f"path {text!r}: a group stands directly behind the field, as in {name}.{field.name}[group]")
    operations = tuple(word for word, _ in rest[used:])
    known = [*REDUCTIONS, *AXES, *info(cls).fields]
    for word in operations:
        if word not in REDUCTIONS and word not in AXES:
            raise PathError(
                f"path {text!r}: {word!r} is no field, reduction or axis{suggest(word, known)}"
            )
    rows = None if groups[-1] is None else _rows(store, entity, cls, field, groups[-1], text)
    return Path(text, entity, cls, field, rows, operations)


def shortest(store: Store, entity: int, cls: type, field: str | None) -> str:
    """The shortest clear path that means a field of an entity; of no field, its component and '...'."""
    name, component = store.names[entity], info(cls).name
    if field is None:
        return f"{name}.{component}..."
    for words in ([field], [component]) if component == name else ([component], [field]):
        try:
            found = _field(store, entity, [(word, None) for word in words], name)
        except PathError:
            continue
        if found[0] is cls and found[1].name == field:
            return ".".join([name, *words])
    return f"{name}.{component}.{field}"


def feedback_value(store: Store, text: str, stage: Any) -> Any:
    """The value at a path that must name feedback, read in another stage than that in which it is written."""
    if stage is Stage.FEEDBACK:
        raise PathError(f"previous({text!r}) cannot be read in FEEDBACK, where this frame's values are being written")
    found = resolve(store, text)
    if not info(found.cls).feedback:
        raise PathError(f"previous({text!r}): {found.cls.__name__} is no feedback; it has no last frame's value")
    return found.read(store)


def _tokens(text: str) -> list[tuple[str, str | None]]:
    if not isinstance(text, str):
        raise PathError(f"a path is a text such as 'flag.position[right].mean', got {text!r}")
    tokens, start = [], 0
    while True:
        match = _TOKEN.match(text, start)
        if match is None:
            raise PathError(
                f"path {text!r} breaks at {text[start:]!r}: write entity.component.field[group].reduction.axis"
            )
        tokens.append((match.group(1), match.group(2)))
        start = match.end()
        if start == len(text):
            return tokens
        if text[start] != ".":
            raise PathError(f"path {text!r} breaks at {text[start:]!r}: parts are separated by dots")
        start += 1


def _field(store: Store, entity: int, rest: list[tuple[str, str | None]], text: str) -> tuple[type, FieldInfo, int]:
    """The (component class, field) that the first one or two tokens name, and how many tokens that took."""
    components = store.components(entity)
    by_name = {info(cls).name: cls for cls in components}
    word = rest[0][0]
    if word in by_name and len(rest) > 1 and _names_field(by_name[word], *rest[:2]):
        return by_name[word], info(by_name[word]).fields[rest[1][0]], 2
    candidates: list[tuple[type, str]] = []
    if word in by_name and info(by_name[word]).principal is not None:
        candidates.append((by_name[word], info(by_name[word]).principal or ""))
    for cls in components:
        if word in info(cls).fields and (cls, word) not in candidates:
            candidates.append((cls, word))
    name = store.names[entity]
    if len(candidates) > 1:
        spellings = " or ".join(f"{name}.{info(cls).name}.{field}" for cls, field in candidates)
        raise PathError(f"path {text!r} is ambiguous: write {spellings}")
    if candidates:
        cls, field = candidates[0]
        return cls, info(cls).fields[field], 1
    if word in by_name:
        fields = info(by_name[word]).fields
        if len(rest) > 1:
            raise PathError(f"path {text!r}: {word} has no field {rest[1][0]!r}{suggest(rest[1][0], fields)}")
        raise PathError(f"path {text!r}: {word} has several fields, name one: {', '.join(fields)}")
    known = [*by_name, *(field for cls in components for field in info(cls).fields)]
    raise PathError(f"path {text!r}: {name} has no component or field {word!r}{suggest(word, known)}")


def _names_field(cls: type, component: tuple[str, str | None], field: tuple[str, str | None]) -> bool:
    """Whether the token behind a component's name is a field of it.

    A group behind the component's name has chosen its principal field. Where that is called like an axis, as x of
    Position is, the word means the axis, so that position.x is to position.y what it looks like.
    """
    about, (name, group) = info(cls), field
    if component[1] is not None or name not in about.fields:
        return False
    is_vector = about.fields[name].shape[-1:] == (3,)
    return not (name in AXES and name == about.principal and is_vector and group is None)


def _rows(store: Store, entity: int, cls: type, field: FieldInfo, group: str, text: str) -> np.ndarray | slice:
    value = getattr(store.component(entity, cls), field.name)
    if not isinstance(value, np.ndarray) or not field.shape or not isinstance(field.shape[0], str):
        raise PathError(f"path {text!r}: {cls.__name__}.{field.name} has no rows to choose from")
    group = group.strip()
    if re.fullmatch(r"-?\d+(\s*,\s*-?\d+)*", group):
        rows = np.array([int(part) for part in group.split(",")])
    elif re.fullmatch(r"(-?\d+)?:(-?\d+)?", group):
        start, stop = (int(part) if part else None for part in group.split(":"))
        return slice(start, stop)
    else:
        groups = group_names(store, entity)
        if group not in groups:
            raise PathError(f"path {text!r}: {store.names[entity]} has no group {group!r}{suggest(group, groups)}")
        if field.shape[0] != "n":
            raise PathError(f"path {text!r}: groups select particles, {cls.__name__}.{field.name} is not per particle")
        return groups[group]
    if np.any(rows >= len(value)) or np.any(rows < -len(value)):
        raise PathError(f"path {text!r}: index out of range, {cls.__name__}.{field.name} has {len(value)} rows")
    return rows


def group_names(store: Store, entity: int) -> dict[str, np.ndarray]:
    """The node groups of an entity: those of whichever component has a field `groups`."""
    for instance in store.components(entity).values():
        groups = getattr(instance, "groups", None)
        if isinstance(groups, dict):
            return groups
    return {}
