"""Making, checking and giving commands: what `world.set`, `world.at`, `spawn` and `despawn` share."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from framework import replay
from framework.build import flatten
from framework.component import check_together, check_whole, field_values, info
from framework.errors import CommandError, PathError, suggest
from framework.fields import short
from framework.numbers import is_number
from framework.paths import resolve
from framework.recording.recorder import check_command
from framework.timeline import (
    Cancel,
    Command,
    Despawn,
    Keyframes,
    Later,
    Resume,
    Set,
    Spawn,
    concerns,
    describe,
    interpolate,
    load_function,
)
from framework.values import (
    canonical,
    check_motion,
    checked_value,
    component_path,
    preview,
    settable,
    stored,
    whole_copy,
)

if TYPE_CHECKING:
    from framework.world import World


def give(world: World, command: Command) -> None:
    """Carry out a command now, or at the start of the next frame when a frame is running."""
    engine = world.engine
    world.store.check_open()
    engine.refuse_pure("gives a command")
    check_command(world, command)
    if (engine.in_frame or engine.priming) and not engine.in_commands:
        world.timeline.add(world.clock.time, command)
    elif engine.in_frame:
        execute(world, command, world.clock.time)
    else:
        start = world.snapshots.take() if isinstance(command, Set) else None
        try:
            execute(world, command, world.clock.time)
        except BaseException:
            if start is not None:  # values of a component or what is derived from them did not fit together
                world.snapshots.put_back(start)
            raise
        replay.note(world, command)


def run_due(world: World, time: float, margin: float) -> None:
    """Carry out the pending commands that are due at `time`, then put running motions to their value there."""
    timeline = world.timeline
    while (due := timeline.take_due(time + margin)) is not None:
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
            timeline.end_motion(motion)


def execute(world: World, command: Command, time: float) -> None:
    timeline = world.timeline
    if isinstance(command, Set) and command.ramp == 0:
        timeline.stop_motion(command.path)
        assign(world, command.path, command.value)
    elif isinstance(command, Set):
        start = _ramp_start(world, command, time)
        end = np.broadcast_to(np.asarray(command.value, dtype=float), start.shape)
        timeline.start_motion(command.path, np.array([time, time + command.ramp]), np.array([start, end]))
    elif isinstance(command, Keyframes):
        check_motion(world, world.store, resolve(world.store, command.path), "keyframes", command.values)
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
    elif isinstance(command, Cancel):
        timeline.cancel(command.what)
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
    new = checked_value(world, store, target, value)
    store.write(target.entity, target.cls, target.field.name, new)
    check_whole(store.component(target.entity, target.cls), store.names[target.entity])
    check_together(store.components(target.entity), store.names[target.entity])
    if info(target.cls).derived == "parameter":
        store.explicit.add((target.entity, target.cls, target.field.name))
    store.rederive(target.entity, target.cls)


def _ramp_start(world: World, command: Set, time: float) -> np.ndarray:
    """Where a ramp begins: the value at this moment, which a ramp on its way has still to be asked for."""
    target = resolve(world.store, command.path)
    check_motion(world, world.store, target, "a ramp", (command.value,))
    running = [motion for motion in world.timeline.motions if motion.path == command.path]
    start = interpolate(running[0], time) if running else target.read(world.store)
    if start is None:
        raise CommandError(f"set {command.path}: a ramp starts from the present value, and there is none")
    return np.asarray(start, dtype=float)


def check_time(world: World, time: Any) -> float:
    if not is_number(time):
        raise CommandError(f"world.at: the time must be a finite number of seconds, got {short(time)}")
    if time < world.clock.time - 1e-9 * world.stepping.frame_time:
        raise CommandError(
            f"world.at: t = {time:g} s is in the past; the world is at t = {world.clock.time:g} s, restore it first"
        )
    return float(time)


def set_field(world: World, path: str, value: Any, ramp: float) -> Set:
    """A checked Set; an entity that is still to be spawned is checked as it will be then."""
    if not is_number(ramp) or ramp < 0:
        raise CommandError(f"set {path}: ramp must be a number of seconds, zero or positive, got {short(ramp)}")
    store = preview(world, path)
    if hasattr(type(value), "__component__"):
        if ramp:
            raise CommandError(f"set {path}: only numbers can follow a ramp, not a whole {type(value).__name__}")
        return Set(component_path(world, store, path, value), copy.deepcopy(value), 0.0)
    target = settable(store, path)
    checked_value(world, store, target, value)
    if ramp:
        check_motion(world, store, target, "a ramp", (value,))
    return Set(canonical(store, path, target), stored(target, value), float(ramp))


def keyframes(world: World, path: str, times: Any, values: Any) -> Keyframes:
    try:
        times, values = np.array(times, dtype=float), np.array(values, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise CommandError(f"keyframes of {path}: times and values must be numbers, rows of equal length") from None
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
    store = preview(world, path)
    target = settable(store, path)
    check_motion(world, store, target, "keyframes", values)
    return Keyframes(canonical(store, path, target), times, values)


def spawn(world: World, components: tuple[Any, ...], name: str | None, time: float | None = None) -> Spawn:
    """A Spawn with checked copies of the components, so that bad input fails on the line that gave it.

    time [s]: when; a name is free then if a command up to then deletes who has it.
    """
    entity = world.store.next_id
    free = time is not None and any(
        due.time <= time and isinstance(due.command, Despawn) and due.command.entity == name
        for due in world.timeline.pending
    )
    name = world.store.check_name(name, entity, free)
    if world.timeline.due_spawn(name):
        raise CommandError(f"an entity {name!r} is already due to be spawned")
    built, explicit = world.store.build(components, name)
    given = {type(item) for item in flatten(components)}
    world.store.new_id()
    kept = tuple(_only_given(built[cls], cls, explicit) for cls in built if cls in given)
    return Spawn(kept, name, entity)


def cancel(world: World, what: str) -> int:
    """Take back what is due or moving for `what`: a path, an entity's name, or a called 'module:function'.

    Returns how many commands and motions that were; PathError when there were none.
    """
    timeline, path = world.timeline, what
    if isinstance(what, str) and "." in what and ":" not in what:
        store = preview(world, what)
        path = canonical(store, what, settable(store, what))
    count = sum(isinstance(what, str) and concerns(due.command, path) for due in timeline.pending)
    count += sum(motion.path == path or motion.path.startswith(f"{path}.") for motion in timeline.motions)
    if count == 0:
        known = {getattr(due.command, "path", describe(due.command)) for due in timeline.pending}
        raise PathError(f"nothing is due for {short(what)}{suggest(str(what), known)}")
    give(world, Cancel(path))
    return count


def despawn(world: World, entity: int | str) -> Despawn:
    if isinstance(entity, str) and world.timeline.due_spawn(entity):
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
    world.timeline.forget_entity(name)
    world.engine.fresh.discard(entity)


def _assign_component(world: World, path: str, value: Any) -> None:
    """Replace all fields of a component: world.set("flag.material", Material(...)). Fields left None are derived."""
    entity, cls = world.store.id(path.partition(".")[0]), type(value)
    whole = whole_copy(world, world.store, entity, value)
    for field, given in field_values(value):
        world.store.write(entity, cls, field, getattr(whole, field))
        if info(cls).derived == "parameter":
            world.store.explicit.discard((entity, cls, field))
            world.store.explicit.update([] if given is None else [(entity, cls, field)])
    check_together(world.store.components(entity), world.store.names[entity])
    world.store.rederive(entity, cls)


def _only_given(built: Any, cls: type, explicit: set[tuple[type, str]]) -> Any:
    return cls(**{name: getattr(built, name) if (cls, name) in explicit else None for name in info(cls).fields})
