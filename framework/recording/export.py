"""`pliant export`: a recording for other programs, as a folder of files."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np

from framework.errors import RecordingError, suggest
from framework.recording.bodies import Body, bodies
from framework.recording.places import say
from framework.recording.polygons import write_obj, write_ply
from framework.recording.reader import Recording
from framework.recording.vtu import write_pvd, write_vtu

WRITERS: dict[str, Callable[[Path, Body], None]] = {"vtu": write_vtu, "ply": write_ply, "obj": write_obj}
FORMATS = (*WRITERS, "csv")


def check_export(kind: str, folder: Path, every: int) -> None:
    """Raise on what cannot work, before the recording is read."""
    if kind not in FORMATS:
        raise RecordingError(f"--to {kind}: no such format{suggest(kind, FORMATS)}")
    if every < 1:
        raise RecordingError(f"--every must be 1 or more, got {every}")
    if os.path.lexists(folder) and not os.path.isdir(folder):
        raise RecordingError(f"{folder}: a file is there; name a folder to write to")
    if not os.path.isdir(folder.parent):
        raise RecordingError(f"{folder}: the folder {folder.parent} does not exist; make it first")


def export(recording: Recording, kind: str, folder: Path, every: int = 1) -> list[Path]:
    """Write every `every`-th frame to a folder; returns the files, the one to open first.

    vtu: a file a body and frame, and `NAME.pvd`, the time series that ParaView opens. ply, obj: a file a body and
    frame. csv: `watches.csv`, a row a frame. RecordingError when a file cannot be written.
    """
    check_export(kind, folder, every)
    try:
        folder.mkdir(exist_ok=True)
        if kind == "csv":
            return [_write_csv(recording, folder / "watches.csv", every)]
        return _write_bodies(recording, kind, folder, every)
    except OSError as error:
        if isinstance(error, RecordingError):
            raise
        raise RecordingError(f"cannot write to {error.filename or folder}: {error.strerror or error}") from None


def _write_bodies(recording: Recording, kind: str, folder: Path, every: int) -> list[Path]:
    files: list[tuple[float, int, str]] = []
    numbers: dict[str, int] = {}
    for frame in recording.frames[::every]:
        try:
            found = list(bodies(recording, frame))
        except RecordingError as error:
            say(f"{error}; it is left out")
            continue
        for body in found:
            name = f"{body.name}_{frame:06d}.{kind}"
            WRITERS[kind](folder / name, body)
            files.append((recording.time(frame), numbers.setdefault(body.name, len(numbers)), name))
    if not files:
        raise RecordingError(f"{recording.path} holds no body with particles that could be written as {kind}")
    written = [folder / name for _, _, name in files]
    if kind == "vtu":
        series = folder / f"{recording.path.stem}.pvd"
        write_pvd(series, files)
        written.insert(0, series)
    return written


def _write_csv(recording: Recording, path: Path, every: int) -> Path:
    """frame, time and one column a number (vectors: name.x, name.y, name.z)."""
    rows, columns = [], {}
    for frame, time, values in recording.watch_rows(recording.last):
        if (frame - recording.first) % every:
            continue
        row = {"frame": str(frame), "time [s]": repr(time)}
        for name, value in values.items():
            row.update((name + suffix, number) for suffix, number in _numbers(value))
        columns.update(dict.fromkeys(row))
        rows.append(row)
    if len(columns) == 2:
        raise RecordingError(f'{recording.path} has no watches; add world.watch("name", "entity.field") to its scene')
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, columns, restval="")
        table.writeheader()
        table.writerows(rows)
    return path


def _numbers(value: object) -> list[tuple[str, str]]:
    array = np.asarray(value, dtype=float)
    if array.ndim == 0:
        return [("", repr(float(array)))]
    if array.shape == (3,):
        return [(f".{axis}", repr(float(v))) for axis, v in zip("xyz", array, strict=True)]
    return [(f"[{', '.join(map(str, index))}]", repr(float(array[index]))) for index in np.ndindex(*array.shape)]
