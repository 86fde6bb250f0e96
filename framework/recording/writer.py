"""Writes frames to a recording; each is on the disk as a whole when `write` returns."""

from __future__ import annotations

import atexit
import contextlib
import os
import uuid
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from framework.component import info
from framework.encoding import module_of
from framework.errors import RecordingError
from framework.history import Blank, Snapshot
from framework.recording import format as form
from framework.recording.head import HEAD
from framework.recording.journal import Journaled
from framework.recording.packing import pack
from framework.recording.source import ReadOnly

if TYPE_CHECKING:
    from framework.world import World


class Writer:
    """A new recording of one world.

    RecordingError names the file, the frame and what went wrong; what was written before stays readable.
    """

    def __init__(self, path: Path, world: World, *, sync: bool = False) -> None:
        self.path, self.world = path, world
        self.frames: list[int] = []
        self._process = os.getpid()
        name = uuid.uuid4().hex
        self._parts: dict[Any, tuple[Any, int]] = {}  # what was stored last, as it was given -> the frame that holds it
        self._fields: dict[tuple[int, type, str], tuple[int, str, str]] = {}
        self._schema: dict[str, Any] = {}
        make_room(path)
        try:
            self._journal = Journaled(path, form.VERSION, name, sync=sync)
        except OSError as error:
            raise RecordingError(f"cannot record to {path}: {error.strerror or error}") from None
        try:
            self._begin(form.meta(world, name))
        except BaseException:
            self.release()
            path.unlink(missing_ok=True)
            raise
        _open.add(self)

    def _begin(self, meta: dict[str, Any]) -> None:
        h5py = form.h5py()
        self._h5 = h5py
        self._file = h5py.File(self._journal, "w", userblock_size=HEAD)
        form.limit_cache(self._file)
        self._plain = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        self._plain.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
        self._plain.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
        self._dataset(self._file.id, "meta", _text(meta))
        self._frames = self._file.create_group("frames").id
        self._commit()

    # -- a frame ------------------------------------------------------------------------------------------------------

    def write(self, given: list[Any]) -> None:
        """Add the world's present state. given: commands from outside since the last frame."""
        world, frame = self.world, self.world.frame
        dropped = [old for old in self.frames if old >= frame]
        if dropped:  # the world was restored, and this is another branch
            self._parts = {key: kept for key, kept in self._parts.items() if kept[1] < frame}
            self._fields = {key: kept for key, kept in self._fields.items() if kept[0] < frame}
        arrays: dict[str, np.ndarray] = {}
        record = self._record(world.snapshot(), given, arrays)
        data = _text(record)
        try:
            for old in dropped:
                del self._file[form.group_name(old)]
            block, _, group = form.group_name(frame).removeprefix("frames/").partition("/")
            if block.encode() not in self._frames:
                self._h5.h5g.create(self._frames, block.encode())
            target = self._h5.h5g.create(self._frames, f"{block}/{group}".encode())
            for name, array in arrays.items():
                self._dataset(target, name, array)
            self._dataset(target, "record", data)
            self._commit()
        except Exception as error:  # the disk is full, the file gone, ...: HDF5 raises many kinds
            self.release()
            raise RecordingError(
                f"{self.path}: frame {frame} cannot be recorded: {getattr(error, 'strerror', None) or error}; the "
                f"recording ends with frame {self.frames[-1] if self.frames else 'none'}, what it holds is readable"
            ) from None
        self.frames = [*self.frames[: len(self.frames) - len(dropped)], frame] if dropped else self.frames
        if not dropped:
            self.frames.append(frame)

    def _record(self, snapshot: Snapshot, given: list[Any], arrays: dict[str, np.ndarray]) -> dict[str, Any]:
        world, frame = self.world, snapshot.frame
        stored: dict[str, Any] = {}

        def part(name: str, source: Any, make: Any) -> int:
            """The frame that holds a part, this one when `source` is not what it was."""
            known = self._parts.get(name)
            if known is None or known[0] != source:
                stored[name] = make()
                known = self._parts[name] = source, frame
            return known[1]

        entities = []
        for entity, name, parts in snapshot.entities:
            held = {}
            for cls, values in parts.items():
                key = entity, cls
                known = self._parts.get(key)
                if known is None or known[0] is not values:
                    stored[f"{entity}.{info(cls).name}"] = self._component(entity, name, cls, values, frame, arrays)
                    known = self._parts[key] = values, frame
                held[info(cls).name] = known[1]
            entities.append([entity, name, held])
        if len(self._parts) > 4 * sum(len(parts) for _, _, parts in snapshot.entities) + 64:
            alive = {(entity, cls) for entity, _, parts in snapshot.entities for cls in parts}
            self._parts = {k: v for k, v in self._parts.items() if isinstance(k, str) or k in alive}
            self._fields = {k: v for k, v in self._fields.items() if k[:2] in alive}
        explicit = [[entity, info(cls).name, field] for entity, cls, field in snapshot.explicit]
        timeline = snapshot.timeline
        commands = _ById((tuple(timeline["pending"]), tuple(timeline["motions"])))
        try:
            return {
                "frame": frame,
                "time": snapshot.time,
                "hash": world.state_hash(),
                "watches": {name: [path, pack(world.watches.last(name))] for name, path in world.watches.paths.items()},
                "entities": entities,
                "explicit": part("explicit", snapshot.explicit, lambda: sorted(explicit)),
                "timeline": part("timeline", commands, lambda: pack(timeline)),
                "schema": part("schema", tuple(self._schema), lambda: dict(self._schema)),
                "fresh": sorted(snapshot.fresh),
                "next_id": snapshot.next_id,
                "clock": list(snapshot.clock),
                "random": pack(snapshot.random),
                "events": pack(snapshot.events),
                "given": pack(given),
                "stored": stored,
            }
        except TypeError as error:
            raise RecordingError(f"{self.path}: frame {frame} cannot be recorded: {error}") from None

    def _component(
        self, entity: int, name: str, cls: type, values: Any, frame: int, arrays: dict[str, np.ndarray]
    ) -> dict[str, Any]:
        """A component's fields as data; large arrays that changed go to `arrays`."""
        about = info(cls)
        if about.name not in self._schema:
            self._schema[about.name] = form.schema(about, f"{module_of(cls)}:{cls.__qualname__}")
        packed: dict[str, Any] = {}
        for field, (_, value) in values.items():
            if isinstance(value, Blank):
                packed[field] = {"blank": [list(value.shape), value.dtype]}
            elif isinstance(value, np.ndarray) and value.nbytes >= form.LARGE:
                key = entity, cls, field
                checksum = self.world.snapshots.field_digest(self.world.store, key, value).hex()
                known = self._fields.get(key)
                if known is None or known[2] != checksum:
                    dataset = f"{name}.{about.name}.{field}"
                    arrays[dataset] = value
                    known = self._fields[key] = frame, dataset, checksum
                packed[field] = {"in": list(known)}
            else:
                try:
                    packed[field] = pack(value)
                except TypeError as error:
                    raise RecordingError(f"{name}: {cls.__name__}.{field} cannot be recorded: {error}") from None
        return packed

    # -- the file -----------------------------------------------------------------------------------------------------

    def _dataset(self, group: Any, name: str, array: np.ndarray) -> None:
        h5 = self._h5
        array = np.ascontiguousarray(array)
        kind, space = h5.h5t.py_create(array.dtype, logical=True), h5.h5s.create_simple(array.shape)
        dataset = h5.h5d.create(group, name.encode(), kind, space, self._plain)
        dataset.write(h5.h5s.ALL, h5.h5s.ALL, array)

    def _commit(self) -> None:
        self._file.flush()
        self._journal.commit()

    def close(self) -> None:
        """End the recording: it is marked as whole."""
        if self._journal.released or os.getpid() != self._process:  # a forked process leaves it alone
            return
        try:
            self._file.close()
            self._journal.commit()
            self._journal.finish(closed=True)
        except OSError as error:
            self.release()
            raise RecordingError(f"{self.path}: cannot be ended properly: {error.strerror or error}") from None

    def release(self) -> None:
        """Let go of a file that cannot be written any more; on the disk it is as at the last commit."""
        if self._journal.released:
            return
        with contextlib.suppress(Exception):
            self._file.close()  # into memory: it is never committed
        with contextlib.suppress(OSError):
            self._journal.finish(closed=False)


_open: weakref.WeakSet[Writer] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    """End the recordings that a script leaves open, while Python still works."""
    for writer in list(_open):
        with contextlib.suppress(RecordingError):
            writer.close()


class _ById:
    """Compares commands by identity: they are never changed, and comparing their arrays would cost much."""

    def __init__(self, commands: tuple[tuple[Any, ...], ...]) -> None:
        self.commands = commands

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ById) and [list(map(id, one)) for one in self.commands] == [
            list(map(id, one)) for one in other.commands
        ]

    __hash__ = None  # type: ignore[assignment]


def make_room(path: Path) -> None:
    """Remove a recording that is to be replaced; RecordingError for what is none, or still being written."""
    if not os.path.lexists(path):
        return
    if path.is_dir() or (path.exists() and not path.is_file()):
        raise RecordingError(f"cannot record to {path}: this is {'a folder' if path.is_dir() else 'no plain file'}")
    try:
        with ReadOnly(path) as old:
            if old.size and not old.ours:
                raise RecordingError(f"cannot record to {path}: the file there is no recording; it is left as it is")
            if old.live:
                raise RecordingError(f"cannot record to {path}: another run is writing it")
        path.unlink()
    except RecordingError:
        raise
    except OSError as error:
        raise RecordingError(f"cannot record to {path}: {error.strerror or error}") from None


def _text(value: Any) -> np.ndarray:
    return np.frombuffer(form.text_bytes(value), np.uint8)
