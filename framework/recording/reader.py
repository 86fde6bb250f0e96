"""`Recording`: reads the frames of a recording, whether its run ended, was killed, or is still going on.

Everything that is read is checked against its digest. A damaged frame raises RecordingError, the others stay readable.

*Limitations.* HDF5's own indices have no checksums: where they are damaged, frames can be missing or out of reach.
A recording that is still being written is seen as it was when it was opened; open it again for later frames.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from framework.errors import PathError, PliantError, RecordingError, suggest
from framework.recording import format as form
from framework.recording.contents import Contents
from framework.recording.head import MAGIC
from framework.recording.origin import Origin
from framework.recording.packing import find, unpack, unpack_array
from framework.recording.source import ReadOnly

if TYPE_CHECKING:
    from framework.scene import Scene
    from framework.world import World

SIGNATURE = b"\x89HDF\r\n\x1a\n"
KEPT = 64  # records of frames that stay in memory


class Recording:
    """A recording, to read: `with Recording("run.h5") as run: run.fields(run.last)["flag.position.x"]`.

    frames: the numbers of all finished frames. meta: what it says of its origin. complete: its run ended it.
    mended: its run was killed at the very end of a frame, which is taken from the journal. live: it is being written.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._records: dict[int, Any] = {}
        try:
            self._bytes = ReadOnly(self.path)
        except (OSError, ValueError) as error:
            reason = "this is a folder" if os.path.isdir(path) else getattr(error, "strerror", None) or error
            raise RecordingError(f"cannot read the recording {path}: {reason}") from None
        try:
            self.damage = ""
            self._check_head()
            with self.trouble(self.damage or "its index is damaged"):
                self._contents = Contents(self._bytes)
                self.meta: dict[str, Any] = self._contents.text("meta")
                self.frames = self._contents.frames()
        except BaseException:
            self._bytes.close()
            raise
        head = self._bytes.head
        self.complete = head is not None and head.closed
        self.mended = self._bytes.mended
        self.live = not self.complete and self._bytes.live
        self.damage = self.damage if head is not None else "its first 512 bytes are damaged"

    def _check_head(self) -> None:
        source = self._bytes
        start = bytearray(512)
        source.seek(0)
        source.readinto(start)
        source.seek(0)
        if not source.ours:
            if start.startswith(SIGNATURE):
                raise RecordingError(f"{self.path} is an HDF5 file, but no recording of pliant")
            raise RecordingError(f"{self.path} is no recording: it does not begin with {MAGIC.decode().strip()!r}")
        head = source.head
        if head is None:
            return
        if head.version > form.VERSION:
            raise RecordingError(f"{self.path} has format {head.version}, of a newer pliant; this one reads format "
                                 f"{form.VERSION}: update pliant")
        if head.version < form.VERSION:
            raise RecordingError(f"{self.path} has format {head.version}, which pliant no longer reads (it reads "
                                 f"format {form.VERSION}): use the pliant that made it")
        if head.end == 0:
            raise RecordingError(f"{self.path} holds no finished frame: its run was killed before the first")
        if head.end > source.size:
            self.damage = f"it is cut short: it has {source.size} bytes of {head.end}"

    # -- what is in it ------------------------------------------------------------------------------------------------

    @property
    def first(self) -> int:
        return self._end(0)

    @property
    def last(self) -> int:
        return self._end(-1)

    def _end(self, index: int) -> int:
        if not self.frames:
            raise RecordingError(f"{self.path} holds no finished frame")
        return self.frames[index]

    @property
    def origin(self) -> Origin | None:
        """The scene that made it; None for a world that was built by hand."""
        data = self.meta["scene"]
        return None if data is None else Origin.from_data(data)

    def check_frame(self, frame: Any) -> int:
        """The number of a frame that is there; RecordingError names the range."""
        if isinstance(frame, bool) or not isinstance(frame, (int, np.integer)):
            raise RecordingError(f"{self.path}: a frame is a whole number, got {frame!r}")
        if int(frame) not in self._known():
            raise RecordingError(f"{self.path} has no frame {frame}; it holds frames {self.first} to {self.last}")
        return int(frame)

    def _known(self) -> set[int]:
        if not hasattr(self, "_set"):
            self._set = set(self.frames)
        return self._set

    def record(self, frame: int) -> dict[str, Any]:
        """The record of a frame (see `framework.recording.format`): time, hash, watches, entities, what is stored."""
        if frame not in self._records:
            self.check_frame(frame)
            with self.trouble(f"frame {frame} is damaged"):
                found = self._contents.text(f"{form.group_name(frame)}/record")
                if found["frame"] != frame:
                    raise ValueError(f"it says it is frame {found['frame']}")
            while len(self._records) >= KEPT:
                del self._records[next(iter(self._records))]
            self._records[frame] = found
        return self._records[frame]

    def time(self, frame: int) -> float:
        """The time [s] of a frame."""
        return float(self.record(frame)["time"])

    def state_hash(self, frame: int) -> str:
        """What `world.state_hash()` was at a frame."""
        return str(self.record(frame)["hash"])

    def entities(self, frame: int) -> dict[str, dict[str, dict[str, Any]]]:
        """The state of a frame without any classes: entity -> component -> field -> array or value."""
        record = self.record(frame)
        return {
            name: {part: self.component(frame, entity, name, part) for part in parts}
            for entity, name, parts in record["entities"]
        }

    def component(self, frame: int, entity: int, name: str, part: str) -> dict[str, Any]:
        """The fields of one component at a frame; those of scratch components are None."""
        return {field: self.field(frame, name, part, field, packed)
                for field, packed in self.packed(frame, entity, name, part).items()}

    def packed(self, frame: int, entity: int, name: str, part: str) -> dict[str, Any]:
        """The fields of one component as they are stored."""
        parts = next(parts for number, _, parts in self.record(frame)["entities"] if number == entity)
        with self.trouble(f"{name}.{part} of frame {frame} is damaged"):
            found = self.record(parts[part])["stored"][f"{entity}.{part}"]
            if not isinstance(found, dict):
                raise ValueError("it is no component")
            return found

    def field(
        self, frame: int, name: str, part: str, field: str, packed: Any, classes: Callable[[str], Any] | None = None
    ) -> Any:
        """A field's value; None for one of a scratch component.

        classes: gives them by their path; without it, a value that needs one is None too.
        """
        where = f"{name}.{part}.{field} of frame {frame} is damaged"
        with self.trouble(where):
            if isinstance(packed, dict) and "in" in packed:
                own = packed["in"][0] == frame
                return (self._contents.array if own else self._contents.kept_array)(*packed["in"])
            if isinstance(packed, dict) and "blank" in packed:
                return None
            if isinstance(packed, dict) and "array" in packed:
                return unpack_array(packed["array"])
            return unpack(packed, classes or find) if classes or not _names_classes(packed) else None

    def fields(self, frame: int) -> dict[str, Any]:
        """All arrays and numbers of a frame by 'entity.component.field'."""
        return {f"{name}.{part}.{field}": value for name, parts in self.entities(frame).items()
                for part, values in parts.items() for field, value in values.items()
                if isinstance(value, (np.ndarray, int, float))}

    def part(self, frame: int, name: str) -> Any:
        """A part of a frame's record that an earlier one may hold: explicit, timeline, schema."""
        return self.record(self.record(frame)[name])["stored"][name]

    @property
    def watches(self) -> dict[str, str]:
        """Name -> path of the watches at the last frame."""
        return {name: path for name, (path, _) in self.record(self.last)["watches"].items()}

    def watched(self, frame: int) -> dict[str, Any]:
        """The values of the watches at a frame."""
        return {name: unpack(value, find) for name, (_, value) in self.record(frame)["watches"].items()}

    def watch_rows(self, until: int) -> Iterator[tuple[int, float, dict[str, Any]]]:
        """(frame, time, values of the watches) up to a frame; those of damaged frames are left out, with a warning."""
        for frame in self.frames:
            if frame > until:
                return
            try:
                yield frame, self.time(frame), self.watched(frame)
            except RecordingError as error:
                warnings.warn(f"{error}; its watches are left out", RuntimeWarning, stacklevel=3)

    def series(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """(times (k,) [s], values (k, ...)) of a watch, over all frames that have it."""
        rows = [(time, values[name]) for _, time, values in self.watch_rows(self.last) if name in values]
        if not rows:
            raise PathError(f"{self.path} has no series {name!r}{suggest(name, self.watches)}")
        return np.array([time for time, _ in rows]), np.array([value for _, value in rows])

    def given(self) -> list[tuple[int, Any]]:
        """(frame, command) of all that was given between frames, in order; classes must be imported."""
        return [tuple(entry) for frame in self.frames for entry in unpack(self.record(frame)["given"], find)]

    # -- worlds -------------------------------------------------------------------------------------------------------

    def world_at(
        self, frame: int, say: Callable[[str], object] = warnings.warn, scene: Scene | None = None
    ) -> World:
        """The world of a frame, built again by its scene. say: is told what may differ from the recorded run."""
        from framework.recording.resume import world_at

        return world_at(self, self.check_frame(frame), say, scene)

    def restore_into(self, world: World, frame: int) -> None:
        """Give a world of the same systems the state of a frame; it goes on from there as the recorded run did."""
        from framework.recording.resume import restore_into

        restore_into(self, world, self.check_frame(frame))

    # -- itself -------------------------------------------------------------------------------------------------------

    @contextmanager
    def trouble(self, what: str) -> Iterator[None]:
        """Whatever h5py or a malformed text raises becomes a RecordingError that says what it was about."""
        try:
            yield
        except RecordingError as error:
            raise error if str(self.path) in str(error) else RecordingError(f"{self.path}: {error}") from None
        except PliantError:
            raise
        except (Exception, SystemError) as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise RecordingError(f"{self.path}: {what} ({reason}); other frames may be readable") from None

    def __iter__(self) -> Iterator[int]:
        return iter(self.frames)

    def __len__(self) -> int:
        return len(self.frames)

    def close(self) -> None:
        try:
            if hasattr(self, "_contents"):
                self._contents.close()
        finally:
            self._bytes.close()

    def __enter__(self) -> Recording:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Recording {self.path}: {len(self.frames)} frames>"


def _names_classes(packed: Any) -> bool:
    if isinstance(packed, dict):
        return bool({"object", "enum", "class", "function", "partial"} & set(packed)) or any(
            map(_names_classes, packed.values())
        )
    return isinstance(packed, list) and any(map(_names_classes, packed))
