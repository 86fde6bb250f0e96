"""What a world's user sees of recordings: `world.record`, `world.save`, `World.load`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from framework.errors import CommandError, PliantError, RecordingError
from framework.fields import short
from framework.recording.packing import pack
from framework.timeline import Command, describe

if TYPE_CHECKING:
    from framework.system import System
    from framework.world import World

W = TypeVar("W", bound="World")


class Recorder:
    """A recording in the making: each frame of its world is on the disk before `world.step` goes on.

    It ends by `close`, at the end of its `with` block, or with the world.
    """

    def __init__(self, world: World, path: str | Path, sync: bool) -> None:
        from framework.recording.writer import Writer

        self.path = checked_path(path)
        self._world = world
        self._given: list[tuple[int, Command]] = []
        self._writer: Writer | None = Writer(self.path, world, sync=sync)
        self.frames = 0  # how many are on the disk
        try:
            self.frame()
        except BaseException:
            self.abandon()
            self.path.unlink(missing_ok=True)
            raise
        world.recorders.append(self)

    def frame(self) -> None:
        """Write down the present state; after an error the recording takes no more frames."""
        if self._writer is None:
            return
        try:
            self._writer.write([(frame, command) for frame, command in self._given if frame < self._world.frame])
        except BaseException:
            self.abandon()
            raise
        self.frames = len(self._writer.frames)
        self._given = [entry for entry in self._given if entry[0] >= self._world.frame]

    def give(self, frame: int, command: Command) -> None:
        """Note a command that was given between frames."""
        self._given.append((frame, command))

    def close(self) -> None:
        """End the recording."""
        writer, self._writer = self._writer, None
        self._leave()
        if writer is not None:
            writer.close()

    def abandon(self) -> None:
        """Let go of a file that takes no more frames: what it holds stays."""
        writer, self._writer = self._writer, None
        self._leave()
        if writer is not None:
            writer.release()

    def _leave(self) -> None:
        if self in self._world.recorders:
            self._world.recorders.remove(self)

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def record(world: World, path: str | Path, *, sync: bool = False) -> Recorder:
    """Write this frame and every one that follows to the recording `path` (F.h5), until its `close()`.

    A recording that is there already is replaced. Each finished frame survives the process; sync: wait for the disk
    as well, so that it survives the machine. RecordingError where the file cannot be written.
    """
    world.store.check_open()
    if world.engine.in_frame:
        raise CommandError("world.record was called inside a frame")
    return Recorder(world, path, sync)


def save(world: World, path: str | Path) -> None:
    """Write the whole world as it is to `path` (F.h5), a recording of one frame; `World.load(path)` makes it again."""
    record(world, path, sync=True).close()


def load(
    cls: type[W], path: str | Path, frame: int | None = None, *, systems: Iterable[System] | None = None
) -> World:
    """The world that `save` or a recording holds, at `frame` or the last one.

    The world is built by the scene it came from. One that was made by no scene needs the same `systems` again.
    """
    from framework.recording.reader import Recording

    with Recording(path) as recording:
        frame = recording.last if frame is None else frame
        if systems is None:
            return recording.world_at(frame)
        world = cls(systems=systems)
        recording.restore_into(world, frame)
        return world


def check_command(world: World, command: Command) -> None:
    """CommandError for a command that no recording could hold, while there is one."""
    if not world.recorders:
        return
    try:
        pack(command)
    except TypeError as error:
        raise CommandError(f"{describe(command)}: it cannot be recorded: {error}") from None


def checked_path(path: str | Path) -> Path:
    """The path of a recording; RecordingError unless it can be a file's."""
    if not isinstance(path, (str, Path)) or not str(path):
        raise RecordingError(f"a recording has a path such as 'run.h5', got {short(path)}")
    path = Path(path)
    if "\0" in str(path):
        raise RecordingError(f"{short(str(path))} cannot name a file")
    try:
        if path.is_dir():
            raise RecordingError(f"{path} is a folder; name a file in it, such as {path / 'run.h5'}")
        if not path.parent.is_dir():
            raise RecordingError(f"{path}: the folder {path.parent} does not exist; make it first")
    except (ValueError, OSError) as error:
        if isinstance(error, PliantError):
            raise
        raise RecordingError(f"{short(path)} cannot name a file: {error}") from None
    return path


