"""Making, checking and giving commands: what `world.set`, `world.at`, `spawn` and `despawn` share."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from framework import replay
from framework.build import flatten
from framework.component import check_whole, checked_copy, info
from framework.errors import CommandError, FieldError, PathError, suggest
from framework.fields import checked
from framework.paths import Path, resolve
from framework.timeline import (
    Command,
    Despawn,
    Keyframes,
    Later,
    Resume,
    Set,
    Spawn,
    describe,
    interpolate,
    load_function,
)

if TYPE_CHECKING:
    from framework.store import Store
    from framework.world import World


def give(world: World, command: Command) -> None:
    """Carry out a command now, or at the start of the next frame when a frame is running."""
    engine = world.engine
    world.store.check_open()
    engine.refuse_pure("gives a command")
    if (engine.in_frame or engine.priming) and not engine.in_commands:
        world.timeline.add(world.time, command)
    elif engine.in_frame:
        execute(world, command, world.time)
    else:
        start = world.snapshots.take() if isinstance(command, Set) else None
        try:
            execute(world, command, world.time)
        except BaseException:
            if start is not None:  # values of a component or what is derived from them did not fit together
                world.snapshots.put_back(start)
            raise
        replay.note(world, command)


def run_due(world: World, time: float, margin: float) -> None:
    """Carry out the pending commands that are due at `time`, then put running motions to their value there."""
    timeline = world.timeline
    while timeline.pending and timeline.pending[0].time <= time + margin:
        due = timeline.pending.pop(0)
        try:
            execute(world, due.command, due.time)
        except Exception as error:
            error.add_note(f"in the command of t = {due.time:g} s: {describe(due.command)}")
            raise
    for motion in list(timeline.motions):
        alive, over = motion.path.partition(".")[0] in world.store.ids, False
        if alive:
            over = time >= motion.times[-1] - margin
            assign(world, motion.path, motion.values[-1] if over else interpolate(motion, time))
        if not alive or over:
            timeline.motions.remove(motion)


def execute(world: World, command: Command, time: float) -> None:
    timeline = world.timeline
    if isinstance(command, Set) and command.ramp == 0:
        timeline.stop_motion(command.path)
        assign(world, command.path, command.value)
    elif isinstance(command, Set):
        start = np.asarray(resolve(world.store, command.path).read(world.store), dtype=float)
        end = np.broadcast_to(np.asarray(command.value, dtype=float), start.shape)
        timeline.start_motion(command.path, np.array([time, time + command.ramp]), np.array([start, end]))
    elif isinstance(command, Keyframes):
        timeline.start_motion(command.path, command.times + time, command.values)
    elif isinstance(command, Spawn):
        world.store.next_id = max(world.store.next_id, command.id + 1)
        spawn_now(world, command.components, command.name, command.id)
    elif isinstance(command, Despawn):
        despawn_now(world, command.entity)
    elif isinstance(command, Later):
        timeline.add(command.time, command.command)
        if isinstance(command.command, Spawn):
            world.store.next_id = max(world.store.next_id, command.command.id + 1)
    elif isinstance(command, Resume):
        world.streams.restore(command.random)
        world.queue.restore(command.events)
    else:
        load_function(command.function)(world, *command.arguments)


def assign(world: World, path: str, value: Any) -> None:
    """Check and store a value, then recompute what is derived from it."""
    store = world.store
    if hasattr(type(value), "__component__"):
        _assign_component(world, path, value)
        return
    target = resolve(store, path)
    new = _checked_value(world, target, value)
    store.write(target.entity, target.cls, target.field.name, new)
    check_whole(store.component(target.entity, target.cls), store.names[target.entity])
    if info(target.cls).derived == "parameter":
        store.explicit.add((target.entity, target.cls, target.field.name))
    store.rederive(target.entity, target.cls)


def _checked_value(world: World, target: Path, value: Any) -> Any:
    store = world.store
    where = f"{store.names[target.entity]}: {target.cls.__name__}.{target.field.name}"
    return checked(
        full_value(target, store, value),
        target.field,
        where,
        store.sizes(target.entity, (target.cls, target.field.name)),
    )


def check_time(world: World, time: Any) -> float:
    if isinstance(time, bool) or not isinstance(time, (int, float, np.number)) or not np.isfinite(time):
        raise CommandError(f"world.at: the time must be a finite number of seconds, got {time!r}")
    if time < world.time - 1e-9 * world.stepping.frame_time:
        raise CommandError(
            f"world.at: t = {time:g} s is in the past; the world is at t = {world.time:g} s, restore it first"
        )
    return float(time)


def set_field(world: World, path: str, value: Any, ramp: float) -> Set:
    """A checked Set; when its entity is still to be spawned the check waits until then."""
    if isinstance(ramp, bool) or not isinstance(ramp, (int, float, np.number)) or not (np.isfinite(ramp) and ramp >= 0):
        raise CommandError(f"set {path}: ramp must be a number of seconds, zero or positive, got {ramp!r}")
    if hasattr(type(value), "__component__"):
        if ramp:
            raise CommandError(f"set {path}: only numbers can follow a ramp, not a whole {type(value).__name__}")
        return Set(_component_path(world, path, value), copy.deepcopy(value), 0.0)
    target = _target(world, path)
    if target is None:
        return Set(path, copy.deepcopy(value), float(ramp))
    checked_value = _checked_value(world, target, value)
    if ramp and (target.field.dtype != "float64" or checked_value is None):
        raise CommandError(f"set {path}: only numbers can follow a ramp, {target.field.name} is {target.field.dtype}")
    return Set(_canonical(world, path, target), copy.deepcopy(value), float(ramp))


def keyframes(world: World, path: str, times: Any, values: Any) -> Keyframes:
    try:
        times, values = np.array(times, dtype=float), np.array(values, dtype=float)
    except (TypeError, ValueError):
        raise CommandError(f"keyframes of {path}: times and values must be numbers") from None
    if (
        times.ndim != 1
        or len(times) == 0
        or not np.all(np.isfinite(times))
        or np.any(np.diff(times) <= 0)
        or times[0] < 0
    ):
        raise CommandError(f"keyframes of {path}: times must be finite, from 0 on and increasing, got {times.tolist()}")
    if values.ndim == 0 or len(values) != len(times):
        raise CommandError(
            f"keyframes of {path}: one value per time is needed, got {len(times)} times and values {values.shape}"
        )
    target = _target(world, path)
    if target is not None:
        if target.field.dtype != "float64":
            raise CommandError(
                f"keyframes of {path}: only numbers can follow keyframes, {target.field.name} is {target.field.dtype}"
            )
        for value in values:
            _checked_value(world, target, value)
        path = _canonical(world, path, target)
    return Keyframes(path, times, values)


def spawn(world: World, components: tuple[Any, ...], name: str | None) -> Spawn:
    """A Spawn with checked copies of the components, so that bad input fails on the line that gave it."""
    entity = world.store.next_id
    name = world.store.check_name(name, entity)
    if world.timeline.will_spawn(name):
        raise CommandError(f"an entity {name!r} is already due to be spawned")
    built, explicit = world.store.build(components, name)
    given = {type(item) for item in flatten(components)}
    world.store.new_id()
    kept = tuple(_only_given(built[cls], cls, explicit) for cls in built if cls in given)
    return Spawn(kept, name, entity)


def despawn(world: World, entity: int | str) -> Despawn:
    if isinstance(entity, str) and world.timeline.will_spawn(entity):
        return Despawn(entity)
    found = world.store.id(entity)
    if found == 0:
        raise CommandError("the entity 'world' cannot be deleted")
    return Despawn(world.store.names[found])


def spawn_now(world: World, components: tuple[Any, ...], name: str, entity: int) -> None:
    built, explicit = world.store.build(components, world.store.check_name(name, entity))
    world.store.add(entity, name, built, explicit)
    world.engine.fresh.add(entity)


def despawn_now(world: World, name: str) -> None:
    if name not in world.store.ids:
        raise CommandError(
            f"despawn {name!r}: there is no such entity{suggest(name, world.store.ids)} (deleted twice?)"
        )
    entity = world.store.ids[name]
    world.store.remove(entity)
    world.engine.fresh.discard(entity)


def full_value(target: Path, store: Store, value: Any) -> Any:
    """The whole field's new value, where `value` may concern some rows only."""
    if not target.settable:
        raise PathError(f"path {target.text!r}: a reduction or axis cannot be set; groups can, as in field[group]")
    if target.rows is None or hasattr(type(value), "__component__"):
        return value
    old = getattr(store.component(target.entity, target.cls), target.field.name)
    new = old.copy()
    try:
        new[target.rows] = value
    except (TypeError, ValueError):
        shape = old[target.rows].shape
        where = f"{store.names[target.entity]}: {target.cls.__name__}.{target.field.name}"
        raise FieldError(f"{where}[...] must have shape {shape} or one row of it, got {value!r}") from None
    return new


def _component_path(world: World, path: str, value: Any) -> str:
    """The path 'entity.component' of a component that is to be replaced as a whole, checked."""
    name, _, rest = path.partition(".")
    entity, own = world.store.id(name), info(value).name
    if rest not in ("", own):
        raise PathError(f"set {path}: a {type(value).__name__} replaces {name}.{own}, not {path}")
    if type(value) not in world.store.components(entity):
        known = (cls.__name__ for cls in world.store.components(entity))
        raise PathError(
            f"{name} has no {type(value).__name__} that could be replaced{suggest(type(value).__name__, known)}"
        )
    _whole_copy(world, entity, value)
    return f"{name}.{own}"


def _whole_copy(world: World, entity: int, value: Any) -> Any:
    sizes = {symbol: size for symbol, size in world.store.sizes(entity).items() if symbol == "n"}
    return checked_copy(value, world.store.names[entity], sizes)


def _assign_component(world: World, path: str, value: Any) -> None:
    """Replace all fields of a component: world.set("flag.material", Material(...)). Fields left None are derived."""
    entity, cls = world.store.id(path.partition(".")[0]), type(value)
    whole = _whole_copy(world, entity, value)
    for field in info(cls).fields:
        world.store.write(entity, cls, field, getattr(whole, field))
    world.store.rederive(entity, cls)


def _target(world: World, path: str) -> Path | None:
    name = path.partition(".")[0] if isinstance(path, str) else path
    if isinstance(name, str) and name not in world.store.ids and world.timeline.will_spawn(name):
        return None
    target = resolve(world.store, path)
    if not target.settable:
        raise PathError(f"path {path!r}: a reduction or axis cannot be set; groups can, as in field[group]")
    return target


def _canonical(world: World, path: str, target: Path) -> str:
    """One spelling per field, so that a new command on a field ends a ramp on it however it was written."""
    bracket = path[path.index("[") : path.index("]") + 1] if "[" in path else ""
    return f"{world.store.names[target.entity]}.{info(target.cls).name}.{target.field.name}{bracket}"


def _only_given(built: Any, cls: type, explicit: set[tuple[type, str]]) -> Any:
    return cls(**{name: getattr(built, name) if (cls, name) in explicit else None for name in info(cls).fields})
