"""Snapshots of the whole state, their hash, and the history of a run within a byte budget.

State = components (but scratch ones), clock, pending commands and running ramps, random streams, events, names and ids.
Snapshots share arrays whose version has not changed, and with the world those that no system writes: parameters.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from framework.component import field_values, info
from framework.encoding import encode
from framework.errors import CommandError
from framework.lines import Line, make_room

if TYPE_CHECKING:
    from framework.store import Store
    from framework.world import World

SNAPSHOT_BYTES, OBJECT_BYTES, FIELD_BYTES = 1500, 60, 200  # about what CPython needs, measured with tracemalloc
Values = dict[str, tuple[int, Any]]  # field -> (version, value)


@dataclass(frozen=True)
class Blank:
    """Stands for an array of a scratch component, whose content is no state."""

    shape: tuple[int, ...]
    dtype: str


@dataclass(frozen=True)
class Snapshot:
    """The state of a world at the start of a frame; it can be pickled and restored in another process.

    entities: (id, name, {class: {field: (version, value)}}). origin: the store whose versions these are.
    """

    frame: int
    time: float
    origin: str
    entities: tuple[tuple[int, str, dict[type, Values]], ...]
    explicit: frozenset[tuple[int, type, str]]
    fresh: frozenset[int]
    next_id: int
    clock: tuple[int, int, float, float]
    timeline: dict[str, Any]
    random: dict[str, Any]
    events: tuple[list[Any], list[Any]]
    systems: dict[str, dict[str, bytes]]
    log: tuple[Any, ...] | None = None  # of the timeline, to know the branch again; it is not pickled

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "log": None}

    def values(self) -> list[Values]:
        return [values for _, _, parts in self.entities for values in parts.values()]

    def objects(self) -> int:
        """How many small objects it has of its own: components, pending commands, random streams, events."""
        components = sum(2 + len(parts) for _, _, parts in self.entities)
        return components + 8 * len(self.random) + sum(map(len, self.events))

    def arrays(self) -> list[np.ndarray]:
        return [
            value
            for _, _, parts in self.entities
            for values in parts.values()
            for _, value in values.values()
            if isinstance(value, np.ndarray)
        ]


class SnapshotMaker:
    """Takes snapshots and hashes of one world; reuses arrays and digests of fields whose version is unchanged."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._saved: dict[tuple[int, type, str], tuple[int, Any]] = {}
        self._parts: dict[int, tuple[list[int], dict[type, Values]]] = {}  # entities with their components' versions
        self._structure = -1
        self._digests: dict[tuple[int, type, str], tuple[int, bytes]] = {}
        self._written = {cls for s in world.engine.schedule for cls in (*s.writes, *s.adds) if cls not in s.replaces}

    def drop(self) -> None:
        self._saved.clear()
        self._parts.clear()
        self._digests.clear()

    def take(self) -> Snapshot:
        world, store = self._world, self._world.store
        if self._structure != store.structure:
            self._parts.clear()
        entities = tuple([(entity, store.names[entity], self._entity(store, entity, parts)) for entity, parts in store])
        if self._structure != store.structure:
            self._structure = store.structure
            alive = {(entity, cls) for entity, _, parts in entities for cls in parts}
            self._saved = {key: kept for key, kept in self._saved.items() if key[:2] in alive}
            self._digests = {key: kept for key, kept in self._digests.items() if key[:2] in alive}
        return Snapshot(
            world.frame,
            world.time,
            store.context,
            entities,
            frozenset(store.explicit),
            frozenset(world.engine.fresh),
            store.next_id,
            world.clock.state(),
            world.timeline.state(),
            world.streams.state(),
            world.queue.state(),
            world.engine.fingerprints,
        )

    def _entity(self, store: Store, entity: int, parts: dict[type, Any]) -> dict[type, Values]:
        """The values of an entity's components; those of the last snapshot where the version is the same."""
        versions = store.newest_versions(entity)
        former, values = self._parts.get(entity, ([0] * len(versions), {}))
        if former != versions:
            values = {
                cls: values[cls] if old == new else self._values(store, entity, cls, instance)
                for old, new, (cls, instance) in zip(former, versions, parts.items(), strict=True)
            }
            self._parts[entity] = versions, values
        return values

    def _values(self, store: Store, entity: int, cls: type, instance: Any) -> Values:
        values: Values = {}
        about, class_version = info(cls), store.class_version(cls)
        scratch = about.scratch
        for name in about.fields:
            key, value = (entity, cls, name), getattr(instance, name)
            version = max(class_version, store.field_version(key))
            if not isinstance(value, np.ndarray):
                values[name] = version, value
            elif scratch:
                values[name] = version, Blank(value.shape, value.dtype.str)
            else:
                saved = self._saved.get(key)
                if saved is None or saved[0] != version:
                    if cls not in self._written and value.flags.owndata:
                        kept = store.share(entity, cls, name)
                    else:
                        kept = value.copy()
                        kept.flags.writeable = False
                    saved = self._saved[key] = version, kept
                values[name] = saved
        return values

    def put_back(self, snapshot: Snapshot) -> None:
        """Make the world's state that of `snapshot`, in place wherever shapes agree."""
        world, store = self._world, self._world.store
        if list(snapshot.systems.items()) != list(world.engine.fingerprints.items()):  # the order of systems counts
            _refuse_other_systems(snapshot.systems, world.engine.fingerprints)
        same_origin = snapshot.origin == store.context
        wanted = {entity: (name, parts) for entity, name, parts in snapshot.entities}
        for entity, parts in list(store):
            if (
                entity not in wanted
                or list(parts) != list(wanted[entity][1])
                or store.names[entity] != wanted[entity][0]
            ):
                store.remove(entity)
        for entity, (name, parts) in wanted.items():
            if entity not in store.names:
                store.add(
                    entity,
                    name,
                    {cls: cls(**{f: _fresh(v) for f, (_, v) in vs.items()}) for cls, vs in parts.items()},
                )
                continue
            for cls, values in parts.items():
                for field, (version, value) in values.items():
                    if isinstance(value, Blank):
                        if getattr(store.components(entity)[cls], field).shape != value.shape:
                            store.write(entity, cls, field, _fresh(value))
                    elif not (same_origin and store.version(entity, cls, field) == version):
                        store.write(entity, cls, field, value)
                        if same_origin and isinstance(value, np.ndarray):
                            self._saved[entity, cls, field] = store.version(entity, cls, field), value
                            self._parts.pop(entity, None)
        store.explicit, store.next_id = set(snapshot.explicit), snapshot.next_id
        store.edits += 1
        world.engine.fresh = set(snapshot.fresh)
        world.clock.restore(snapshot.clock)
        world.timeline.restore(snapshot.timeline)
        world.streams.restore(snapshot.random)
        world.queue.restore(snapshot.events)

    def hash(self) -> str:
        """Hash of the state, a hexadecimal text: equal states have equal hashes, in any process on the same machine."""
        world, store = self._world, self._world.store
        digest = hashlib.blake2b(digest_size=16)
        rest = (
            world.clock.state(),
            world.timeline.state(),
            world.streams.state(),
            world.queue.state(),
            store.next_id,
            sorted(world.engine.fresh),
            sorted((e, info(c).name, f) for e, c, f in store.explicit),
        )
        encode(rest, digest.update)
        for entity, parts in sorted(store):
            encode((entity, store.names[entity]), digest.update)
            for cls, instance in sorted(parts.items(), key=lambda item: info(item[0]).name):
                if info(cls).scratch:
                    continue
                digest.update(info(cls).name.encode())
                for name, value in field_values(instance):
                    digest.update(self.field_digest(store, (entity, cls, name), value))
        return digest.hexdigest()

    def field_digest(self, store: Store, key: tuple[int, type, str], value: Any) -> bytes:
        version = store.version(*key)
        known = self._digests.get(key)
        if known is None or known[0] != version:
            digest = hashlib.blake2b(digest_size=16)
            encode(value, digest.update)
            known = self._digests[key] = version, digest.digest()
        return known[1]


def _fresh(value: Any) -> Any:
    if isinstance(value, Blank):
        return np.zeros(value.shape, value.dtype)
    return value.copy() if isinstance(value, np.ndarray) else value


def _refuse_other_systems(snapshot: dict[str, dict[str, bytes]], own: dict[str, dict[str, bytes]]) -> None:
    if list(snapshot) != list(own):
        missing = [name for name in snapshot if name not in own]
        extra = [name for name in own if name not in snapshot]
        lists = (("this world lacks", missing), ("this world also has", extra))
        differs = [f"{words} {', '.join(names)}" for words, names in lists if names] or ["they are in another order"]
        raise CommandError(
            f"the snapshot belongs to a world with other systems: {'; '.join(differs)}. Build this world with the same "
            f"systems=[...] in the same order"
        )
    for name, values in snapshot.items():
        for attribute, digest in values.items():
            if own[name].get(attribute) != digest:
                raise CommandError(
                    f"the snapshot belongs to a world whose {name}.{attribute} differs from this world's"
                )
    raise CommandError("the snapshot belongs to a world whose systems have other attributes")


class History:
    """Snapshots of past frames. Over the byte budget only the first and every 2nd, 4th, ... frame stays.

    What lies between is replayed. line: the run that the world is on; lines: other branches by name, the oldest first.
    """

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self.bytes = self.made = 0  # made: how many branches there have been
        self.line = Line()
        self.lines: dict[str, Line] = {}
        self._holders: dict[int, int] = {}

    @property
    def newest(self) -> int:
        """The last frame that can be gone to, -1 where there is none."""
        return self.line.newest

    def add(self, snapshot: Snapshot) -> None:
        if self.budget <= 0:
            return
        line = self.line
        line.newest = max(line.newest, snapshot.frame)
        if snapshot.frame % line.stride and line.frames and snapshot.frame not in line.frames:
            return
        self.forget(snapshot.frame)
        line.frames[snapshot.frame] = snapshot
        self.hold(snapshot, 1)
        if self.bytes > self.budget:
            make_room(self)

    def forget(self, frame: int) -> None:
        snapshot = self.line.frames.pop(frame, None)
        if snapshot is not None:
            self.hold(snapshot, -1)

    def forget_after(self, frame: int) -> None:
        for later in [f for f in self.line.frames if f > frame]:
            self.forget(later)
        self.line.newest = min(self.line.newest, frame)

    def clear(self) -> None:
        self.forget_after(-1)

    def at_or_before(self, frame: int) -> Snapshot | None:
        return self.line.at_or_before(frame)

    @property
    def frames(self) -> list[int]:
        return sorted(self.line.frames)

    def hold(self, snapshot: Snapshot, change: int) -> None:
        """Add or take off what a line's snapshot holds and no other does, its objects of Python included."""
        if not self._first_or_last(snapshot, change):
            return
        self.bytes += change * (SNAPSHOT_BYTES + OBJECT_BYTES * snapshot.objects())
        for held in (*snapshot.arrays(), *snapshot.values(), *snapshot.timeline.values()):
            if self._first_or_last(held, change):
                self.bytes += change * (held.nbytes if isinstance(held, np.ndarray) else FIELD_BYTES * len(held))

    def _first_or_last(self, held: Any, change: int) -> bool:
        """Count one holder of an object more or less; whether it is the first that comes or the last that goes."""
        before = self._holders.get(id(held), 0)
        if before + change:
            self._holders[id(held)] = before + change
        else:
            self._holders.pop(id(held), None)
        return before == 0 or before + change == 0
