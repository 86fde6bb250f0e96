"""`pliant info`: what a recording holds, as tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from framework.errors import RecordingError

if TYPE_CHECKING:
    from framework.recording.reader import Recording


def show(recording: Recording, frame: int | None) -> None:
    """Print scene, frames, times, and the entities and fields of a frame, if there is any."""
    from rich.console import Console
    from rich.table import Table

    console = Console(width=max(110, Console().width), highlight=False)
    table = Table.grid(padding=(0, 2))
    for label, text in summary(recording):
        table.add_row(label, text)
    console.print(table)
    if frame is None:
        return
    try:
        rows = list(field_rows(recording, frame))
    except RecordingError as error:
        console.print(f"fields: {error}", markup=False)
        return
    fields = Table("entity", "field", "unit", "type", "shape", "value, smallest", "largest", title=f"frame {frame}",
                   title_justify="left", title_style="", box=None, padding=(0, 2, 0, 0))
    for row in rows:
        fields.add_row(*row)
    console.print(fields)


def summary(recording: Recording) -> Iterator[tuple[str, str]]:
    """(label, text) of what is known of a recording as a whole."""
    origin, meta, frames = recording.origin, recording.meta, recording.frames
    yield "recording", f"{recording.path}, {recording.path.stat().st_size / 1e6:.1f} MB"
    if origin is None:
        yield "scene", "none: the world was built by hand"
    else:
        given = [f"build.{name}={text}" for name, text in origin.arguments.items()]
        given += [setting for setting in origin.settings if not setting.startswith("build.")]
        yield "scene", " --set ".join([origin.target, *given]) + (f" --seed {origin.seed}" if origin.seed else "")
    yield "made with", ", ".join(f"{name} {number}" for name, number in meta["versions"].items())
    yield "state", state(recording)
    if not frames:
        yield "frames", "none"
        return
    missing = frames[-1] - frames[0] + 1 - len(frames)
    yield "frames", f"{frames[0]} to {frames[-1]}" + (f", {missing} of them missing" if missing else "")
    for word, frame in (("first", frames[0]), ("last", frames[-1])):
        yield word, _told(recording, frame, lambda found: f"t = {found['time']:.6g} s, hash {found['hash']}")
    watches = _told(recording, frames[-1], lambda found: ", ".join(
        f"{name} ({path})" for name, (path, _) in found["watches"].items()))
    if watches:
        yield "watches", watches


def _told(recording: Recording, frame: int, text: Callable[[dict[str, Any]], str]) -> str:
    """A text about a frame, or what is wrong with it."""
    try:
        return text(recording.record(frame))
    except RecordingError as error:
        return str(error)


def state(recording: Recording) -> str:
    """Whether the recording is whole, in words."""
    words = "complete" if recording.complete else (
        "still being written" if recording.live else "its run did not end it (killed?); all finished frames are here")
    if recording.mended:
        words += "; the last frame is read from its journal"
    return f"{words}; {recording.damage}" if recording.damage else words


def field_rows(recording: Recording, frame: int) -> Iterator[tuple[str, ...]]:
    """(entity, component.field, unit, type, shape, smallest, largest) of all fields of a frame."""
    schema = recording.part(frame, "schema")
    for name, parts in recording.entities(frame).items():
        label = name
        for part, values in parts.items():
            for field, value in values.items():
                unit, dtype, _ = schema[part]["fields"][field]
                shape, low, high = _extent(value)
                yield label, f"{part}.{field}", unit or "", dtype, shape, low, high
                label = ""


def _extent(value: Any) -> tuple[str, str, str]:
    if isinstance(value, np.ndarray):
        shape = " x ".join(map(str, value.shape))
        if value.size and value.dtype.kind in "biuf":
            return shape, f"{value.min():.6g}", f"{value.max():.6g}"
        return shape, "", ""
    if isinstance(value, (int, float)):
        return "", f"{value:.6g}", ""
    return "", "" if value is None or isinstance(value, dict) else str(value)[:40], ""


def damaged(recording: Recording) -> dict[int, str]:
    """Read everything and compare it with its checksums: frame -> what is wrong."""
    found = {}
    for frame in recording:
        try:
            recording.entities(frame)
            recording.part(frame, "timeline")
            recording.part(frame, "explicit")
        except RecordingError as error:
            found[frame] = str(error)
    return found
