"""A recorded frame as a living world: it goes on bit for bit as the recorded run did."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator
from importlib import metadata
from typing import TYPE_CHECKING, Any

from framework.component import info
from framework.errors import PliantError, RecordingError
from framework.history import Blank, Snapshot
from framework.recording import format as form
from framework.recording.packing import find, unpack

if TYPE_CHECKING:
    from framework.recording.reader import Recording
    from framework.scene import Scene
    from framework.world import World


def world_at(recording: Recording, frame: int, say: Callable[[str], object], scene: Scene | None) -> World:
    """Build the scene of the recording again and give its world the state of a frame."""
    origin = recording.origin
    if origin is None:
        raise RecordingError(
            f"{recording.path} does not say which scene made it: build the world yourself and call "
            "recording.restore_into(world, frame), or World.load(path, systems=[...])"
        )
    for note in differences(recording.meta["versions"]):
        say(note)
    world = origin.build(scene or origin.scene(recording.path), say)
    restore_into(recording, world, frame)
    return world


def differences(versions: dict[str, str]) -> Iterator[str]:
    """Where the libraries are not those of the recorded run."""
    own = {"pliant": form.version(), "python": platform.python_version()}
    for library in ("numpy", "scipy", "numba"):
        own[library] = metadata.version(library)
    other = [f"{name} {versions[name]} (here {now})" for name, now in own.items() if versions.get(name) != now]
    if other:
        yield f"the recording was made with {', '.join(other)}: going on from it may give other last digits"


def restore_into(recording: Recording, world: World, frame: int) -> None:
    """Put the recorded state into a world of the same systems; on an error the world is as it was."""
    former = world.snapshot()
    try:
        world.restore(snapshot(recording, world, frame))
        found = world.state_hash()
        if found != recording.state_hash(frame):
            raise RecordingError(
                f"{recording.path}: frame {frame} comes back with another state (hash {found}, recorded "
                f"{recording.state_hash(frame)}): a component or event class means something else than it did"
            )
    except PliantError as error:
        world.restore(former)
        if isinstance(error, RecordingError):
            raise
        raise RecordingError(f"{recording.path}: frame {frame} does not fit this world: {error}") from None
    _restore_watches(recording, world, frame)


def _restore_watches(recording: Recording, world: World, frame: int) -> None:
    """The series up to this frame, so that curves and checks are those of the whole run."""
    found = list(recording.watch_rows(frame)) if world.watches.paths else []
    for name in world.watches.paths:
        rows = [(earlier, time, values[name]) for earlier, time, values in found if name in values]
        if rows:
            world.watches.put(name, rows)


def snapshot(recording: Recording, world: World, frame: int) -> Snapshot:
    """A recorded frame as a snapshot that `world` can be restored to."""
    record, classes = recording.record(frame), _classes(recording, world, frame)
    with recording.trouble(f"frame {frame} is damaged"):
        entities = []
        for entity, name, parts in record["entities"]:
            held = {}
            for part in parts:
                packed = recording.packed(frame, entity, name, part)
                cls = classes[part]
                held[cls] = {field: (0, _value(recording, frame, name, part, field, packed[field])) for field in packed}
            entities.append((entity, name, held))
        return Snapshot(
            frame,
            record["time"],
            f"recording {recording.meta['id']}",
            tuple(entities),
            frozenset((entity, classes[part], field) for entity, part, field in recording.part(frame, "explicit")),
            frozenset(record["fresh"]),
            record["next_id"],
            tuple(record["clock"]),
            unpack(recording.part(frame, "timeline"), find),
            unpack(record["random"], find),
            unpack(record["events"], find),
            {s: {a: bytes.fromhex(d) for a, d in values.items()} for s, values in recording.meta["systems"].items()},
        )


def _value(recording: Recording, frame: int, name: str, part: str, field: str, packed: Any) -> Any:
    if isinstance(packed, dict) and "blank" in packed:
        shape, dtype = packed["blank"]
        return Blank(tuple(shape), dtype)
    return recording.field(frame, name, part, field, packed, find)


def _classes(recording: Recording, world: World, frame: int) -> dict[str, type]:
    """The component classes of a frame by name; RecordingError for one that is missing or has other fields."""
    known: dict[str, type] = {}
    for _, parts in world.store:
        known.update((info(cls).name, cls) for cls in parts)
    for system in world.engine.schedule:
        for cls in (*system.reads, *system.writes, *system.adds, *system.needs, *system.on_world):
            known.setdefault(info(cls).name, cls)
    schema, found = recording.part(frame, "schema"), {}
    for part in {part for _, _, parts in recording.record(frame)["entities"] for part in parts}:
        says = schema[part]
        cls = known.get(part) or _load(says["class"], part, recording)
        own, then = set(info(cls).fields), set(says["fields"])
        if own != then:
            lost, new = sorted(then - own), sorted(own - then)
            raise RecordingError(
                f"{recording.path}: the component {cls.__name__} has other fields than in the recording"
                + (f"; it lacks {', '.join(lost)}" if lost else "")
                + (f"; {', '.join(new)} did not exist then" if new else "")
            )
        found[part] = cls
    return found


def _load(path: str, part: str, recording: Recording) -> type:
    try:
        cls = find(path)
    except RecordingError as error:
        raise RecordingError(f"{recording.path}: the component {part!r} is unknown here: {error}") from None
    if not hasattr(cls, "__component__"):
        raise RecordingError(f"{recording.path}: {path} is no component")
    return cls
