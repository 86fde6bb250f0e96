"""`pliant replay`: pictures and films of recorded frames; nothing is computed anew."""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from framework.errors import RecordingError
from framework.recording.places import say
from framework.recording.reader import Recording
from framework.recording.resume import snapshot

if TYPE_CHECKING:
    from framework.world import World


LOOKED_AT = 200  # frames, for the view of a film


class Replay:
    """A world that is put to recorded frames, to be drawn: `replay.show(12)` and then `replay.world.picture(...)`.

    It is the world of the recording's scene. Where there is no such scene any more, it has the standard systems only,
    and `say` is told.
    """

    def __init__(self, recording: Recording, say: Callable[[str], object]) -> None:
        self.recording = recording
        self.world: World = self._make(say)

    def show(self, frame: int) -> None:
        """Put the world to a recorded frame."""
        world = self.world
        recorded = snapshot(self.recording, world, self.recording.check_frame(frame))
        world.restore(dataclasses.replace(recorded, systems=world.engine.fingerprints))
        world.watches.record(world)

    def _make(self, say: Callable[[str], object]) -> World:
        from framework.world import World

        origin, reason = self.recording.origin, f"{self.recording.path} does not say which scene made it"
        if origin is not None:
            try:
                return origin.build(origin.scene(self.recording.path), say)
            except RecordingError as error:
                reason = str(error)
        say(f"{reason}; it is drawn by the standard systems")
        return World(systems=importlib.import_module("systems").standard(), history=False)


def film(replay: Replay, path: Path, size: tuple[int, int]) -> str:
    """Film all frames; returns what was written, in words."""
    from framework.results import FilmOfRun
    from framework.viewer.following import Following

    frames, camera = replay.recording.frames, Following(size[0] / size[1])
    for frame in frames[:: len(frames) // LOOKED_AT + 1]:  # what comes is known: one view that holds it all
        with contextlib.suppress(RecordingError):
            replay.show(frame)
            camera.look(replay.world.scene())
    replay.show(replay.recording.first)
    output = FilmOfRun(path, replay.world, size, camera=camera)
    try:
        for frame in frames[1:]:
            try:
                replay.show(frame)
            except RecordingError as error:
                say(f"{error}; the picture before stands for it")
            output.frame(replay.world)
    except BaseException:
        output.discard()
        raise
    output.close()
    return f"film: {path} ({output.pictures} pictures, {output.rate:.4g} a second)"


def picture(replay: Replay, frame: int, path: Path, size: tuple[int, int]) -> str:
    """Draw one frame; returns what was written, in words."""
    replay.show(frame)
    replay.world.picture(path, size=size)
    return f"picture: {path} (frame {frame})"
