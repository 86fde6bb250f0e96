"""What commands may set: values checked against the field or component they are for, before and when they are given."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from framework.build import EntityParts, complete
from framework.component import checked_copy, field_values, info
from framework.encoding import encode
from framework.errors import CommandError, FieldError, PathError, suggest
from framework.fields import checked, numeric, short
from framework.paths import AXES, Path, resolve
from framework.stepping import Stepping, check_integrator
from framework.store import Store

if TYPE_CHECKING:
    from framework.world import World


def check_settable(store: Store, entity: int, cls: type) -> None:
    """A component may say why it cannot be set on an entity: `refuses_set(components)` returns the reason, or ''."""
    reason = getattr(cls, "refuses_set", lambda components: "")(store.components(entity))
    if reason:
        raise CommandError(f"{store.names[entity]}: {cls.__name__} {reason}")


def check_value(world: World, name: str, cls: type, field: str, value: Any) -> None:
    """A component may refuse a value because of other entities: `refuses_value(name, field, value, other)`.

    other(name): the components of another entity; the reason it returns completes "must ...".
    """
    store = world.store
    refuses = getattr(cls, "refuses_value", None)
    reason = refuses(name, field, value, lambda other: store.components(store.id(other))) if refuses else ""
    if reason:
        raise FieldError(f"{name}: {cls.__name__}.{field} must {reason}, got {short(value)}")


def checked_value(world: World, store: Store, target: Path, value: Any) -> Any:
    """The field's whole new value in its stored form. store: the world's, or a preview of an entity to come."""
    name, cls, field = store.names[target.entity], target.cls, target.field.name
    where = f"{name}: {cls.__name__}.{field}"
    if info(cls).scratch:
        raise CommandError(f"{name}.{info(cls).name} is rebuilt at every evaluation: it cannot be set")
    check_settable(store, target.entity, cls)
    if value is None and info(cls).derive is not None:
        raise FieldError(f"{where} must be given, got None; world.set({name!r}, {cls.__name__}()) derives it anew")
    if cls is Stepping and field == "integrator":
        check_integrator(value, world.engine.schedule)
    whole = full_value(target, store, value)
    check_value(world, name, cls, field, whole)
    if target.field.dtype == "object":  # a component may take a value in another form, as it does when it is made
        whole = getattr(cls(**{**dict(field_values(store.component(target.entity, cls))), field: whole}), field)
    return checked(whole, target.field, where, store.sizes(target.entity, (cls, field)))


def check_motion(world: World, store: Store, target: Path, word: str, values: Any) -> None:
    """Refuse a ramp or keyframes of something that is no number, or to values that the field cannot take."""
    if target.field.dtype != "float64":
        raise CommandError(
            f"{target.text}: only numbers can follow {word}, {target.cls.__name__}.{target.field.name} is "
            f"{target.field.dtype}"
        )
    for value in values:
        if checked_value(world, store, target, value) is None:
            raise CommandError(f"{target.text}: only numbers can follow {word}, got None")


def stored(target: Path, value: Any) -> Any:
    """An own copy of a value for a command to keep, as plain data."""
    try:
        encode(value, lambda part: None)
    except (TypeError, ValueError) as error:
        if target.field.dtype in ("object", "str"):
            raise CommandError(f"set {target.text}: a command holds plain data only: {error}") from None
        return numeric(value, target.field, target.text)
    return copy.deepcopy(value)


def full_value(target: Path, store: Store, value: Any) -> Any:
    """The whole field's new value, where `value` may concern some rows only."""
    if not target.settable:
        raise PathError(f"path {target.text!r}: a reduction or axis cannot be set; groups can, as in field[group]")
    if target.rows is None or hasattr(type(value), "__component__"):
        return value
    old = getattr(store.component(target.entity, target.cls), target.field.name)
    where = f"{store.names[target.entity]}: {target.cls.__name__}.{target.field.name}[...]"
    new, rows, shape = old.copy(), numeric(value, target.field, where), old[target.rows].shape
    if 0 in shape:
        raise PathError(f"path {target.text!r} selects nothing that could be set")
    if rows.ndim == 0 and shape[-1] == 3 and rows.dtype.kind == "f" and rows != 0:
        raise FieldError(f"{where} must give its three components, got {rows.item()!r}")
    try:
        new[target.rows] = rows
    except ValueError:
        raise FieldError(f"{where} must have shape {shape} or one row of it, got {rows.shape}") from None
    return new


def component_path(world: World, store: Store, path: str, value: Any) -> str:
    """The path 'entity.component' of a component that is to be replaced as a whole, checked."""
    if not isinstance(path, str):
        raise PathError(f"a path is a text such as 'flag.material', got {short(path)}")
    name, _, rest = path.partition(".")
    entity, own = store.id(name), info(value).name
    if rest not in ("", own):
        raise PathError(f"set {path}: a {type(value).__name__} replaces {name}.{own}, not {path}")
    if type(value) not in store.components(entity):
        known = (cls.__name__ for cls in store.components(entity))
        raise PathError(
            f"{name} has no {type(value).__name__} that could be replaced{suggest(type(value).__name__, known)}"
        )
    check_settable(store, entity, type(value))
    whole_copy(world, store, entity, value)
    return f"{name}.{own}"


def whole_copy(world: World, store: Store, entity: int, value: Any) -> Any:
    """A checked copy of a component for an entity that has one; what it leaves None is derived."""
    if isinstance(value, Stepping):
        check_integrator(value.integrator, world.engine.schedule)
    name = store.names[entity]
    parts = EntityParts(name, store.components(entity), lambda other: world.store.components(world.store.id(other)))
    sizes = {symbol: size for symbol, size in store.sizes(entity).items() if symbol == "n"}
    for field, given in field_values(value):
        check_value(world, name, type(value), field, given)
    return checked_copy(complete(value, type(value), parts), name, sizes)


def preview(world: World, path: Any) -> Store:
    """Where to check a path: the world's store, or one of nothing but the entity that is still to be spawned."""
    name = path.partition(".")[0] if isinstance(path, str) else ""
    due = None if name in world.store.ids else world.timeline.due_spawn(name)
    if due is None:
        return world.store
    store = Store()
    store.add(due.id, name, world.store.build(due.components, name)[0])
    return store


def settable(store: Store, path: Any) -> Path:
    if isinstance(path, str) and path in ("world.time", "world.frame"):
        raise PathError(f"path {path!r} can be read, not set; world.restore(frame) goes back to a frame")
    target = resolve(store, path)
    if not target.settable:
        raise PathError(f"path {path!r}: a reduction or axis cannot be set; groups can, as in field[group]")
    return target


def canonical(store: Store, path: str, target: Path) -> str:
    """One spelling per field, so that a new command on a field ends a ramp on it however it was written."""
    bracket = path[path.index("[") : path.index("]") + 1] if "[" in path else ""
    about, field = info(target.cls), target.field.name
    start = f"{store.names[target.entity]}.{about.name}"
    if not bracket and field == about.principal and field in AXES:  # position.x is an axis, position the field
        return start
    return f"{start}.{field}{bracket}"
