"""`F.h5@FRAME` on a command line: a place in a recording, and a run that goes on from there."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from framework.errors import PliantError, RecordingError
from framework.recording.reader import Recording

if TYPE_CHECKING:
    from framework.scene import Scene
    from framework.world import World


def split_place(text: str) -> tuple[Path, int | None]:
    """The file and the frame of 'F.h5@12'; no frame means the last one."""
    name, at, number = text.rpartition("@") if "@" in text else (text, "", "")
    if at and not (number.isascii() and number.isdecimal()):
        raise RecordingError(f"{text}: after @ comes the number of a frame, 0 or more, got {number!r}")
    if not name:
        raise RecordingError(f"{text!r} names no recording; write F.h5@FRAME")
    return Path(name), int(number) if at else None


def frame_of(recording: Recording, frame: int | None) -> int:
    return recording.last if frame is None else recording.check_frame(frame)


def scene_of(place: str) -> Scene:
    """The scene that a recording was made from."""
    with Recording(split_place(place)[0]) as recording:
        if recording.origin is None:
            raise RecordingError(f"{recording.path} does not say which scene made it; it cannot be run from")
        return recording.origin.scene(recording.path)


def resumed(place: str, scene: Scene, arguments: Mapping[str, str], seed: int | None) -> World:
    """The world of a place, for a run that goes on; it must be of `scene`, with the arguments of the recorded run."""
    if arguments or seed is not None:
        word = "--seed" if seed is not None else f"--set build.{next(iter(arguments))}"
        raise PliantError(f"{word}: a run that goes on from a recording is built with the arguments in it")
    path, frame = split_place(place)
    with Recording(path) as recording:
        origin = recording.origin
        if origin is None or not origin.is_of(scene.origin({}, None)):
            made_by = "no scene" if origin is None else origin.target
            raise RecordingError(f"{path} was recorded from {made_by}, not from {scene.name}")
        return recording.world_at(frame_of(recording, frame), say, scene)


def say(text: str) -> None:
    """A notice to the person who runs a command."""
    print(f"pliant: {text}", file=sys.stderr)
