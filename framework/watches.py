"""Watches: values recorded in every frame as series, for curves, CSV files and plots."""

from __future__ import annotations

import csv
import io
import warnings
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

import numpy as np

from framework.errors import CommandError, PathError, suggest
from framework.fields import short
from framework.outputs import write_whole
from framework.paths import resolve

if TYPE_CHECKING:
    from framework.world import World

Row = tuple[int, float, Any]  # frame, time, value

class Watches:
    """Series of (frame, time, value) by name. They observe: they are no part of the state."""

    def __init__(self) -> None:
        self.paths: dict[str, str] = {}
        self.units: dict[str, str] = {}  # of each series; empty for plain numbers
        self._rows: dict[str, list[Row]] = {}
        self._later: dict[str, list[Row]] = {}  # of frames after the present one, the newest first, once it went back
        self._missed: set[str] = set()

    def add(self, world: World, name: str, path: str) -> None:
        if not isinstance(name, str) or not name:
            raise CommandError(f"world.watch: a series has a name, got {name!r}")
        if name in self.paths:
            raise CommandError(f"world.watch: there is a series {name!r} already")
        found = resolve(world.store, path)
        value = found.read(world.store)
        if not isinstance(value, (int, float, bool)) and np.asarray(value).dtype.kind not in "fiub":
            raise CommandError(f"world.watch: {path!r} is no number but {short(value)}")
        self.paths[name], self.units[name], self._rows[name], self._later[name] = path, found.unit, [], []
        self.record(world, only=name)

    def record(self, world: World, only: str | None = None) -> None:
        """Take the present frame's values; nan for an entity that is gone. A frame recorded twice counts once."""
        for name, path in self.paths.items():
            if only is not None and name != only:
                continue
            rows = self._rows[name]
            if rows and rows[-1][0] == world.frame:
                rows.pop()
            if path.partition(".")[0] in world.store.ids:
                value = resolve(world.store, path).read(world.store)
            else:
                if name not in self._missed:
                    self._missed.add(name)
                    warnings.warn(
                        f"watch {name!r}: there is no entity {path.partition('.')[0]!r} in frame {world.frame}; the "
                        f"series holds nan where it is missing",
                        RuntimeWarning,
                        stacklevel=3,
                    )
                value = np.full(np.shape(rows[-1][2]), np.nan) if rows else np.nan
            rows.append((world.frame, world.time, value))
            later = self._later[name]
            while later and later[-1][0] <= world.frame:
                later.pop()

    def last(self, name: str) -> Any:
        """The newest value of a series; NaN where there is none."""
        return self._rows[name][-1][2] if self._rows[name] else np.nan

    def put(self, name: str, rows: list[Row]) -> None:
        """Replace a series: of a run that is gone on with."""
        self._rows[name], self._later[name] = rows, []

    def all_rows(self) -> dict[str, list[Row]]:
        """Every series with what comes after the present frame."""
        return {name: [*rows, *self._later[name][::-1]] for name, rows in self._rows.items()}

    def put_all(self, rows: dict[str, list[Row]]) -> None:
        """Replace all series by those of another branch; one that it does not know is empty."""
        for name in self.paths:
            self.put(name, list(rows.get(name, ())))

    def forget_after(self, frame: int) -> None:
        """Drop what a frame that failed, or that belongs to another branch, has left."""
        for name, rows in self._rows.items():
            self._rows[name] = [row for row in rows if row[0] <= frame]

    def forget_later(self) -> None:
        """Another branch begins: the frames that came after the present one are no longer those of the run."""
        for name in self._later:
            self._later[name] = []

    def go_to(self, frame: int) -> None:
        """Show the series up to a frame of this run, back or forth; what comes after it is kept."""
        for name, rows in self._rows.items():
            later = self._later[name]
            while rows and rows[-1][0] > frame:
                later.append(rows.pop())
            while later and later[-1][0] <= frame:
                rows.append(later.pop())

    def sample(self, name: str, most: int) -> tuple[np.ndarray, np.ndarray]:
        """(times, values) of a series with what comes after the present frame, in about `most` rows: for a curve."""
        rows, later = self._rows[name], self._later[name]
        every = max(1, -(-(len(rows) + len(later)) // most))
        chosen = [*rows[::every], *rows[-1:], *later[::-1][::every]]
        return np.array([row[1] for row in chosen]), np.array([row[2] for row in chosen])

    def series(self, world: World, name: str) -> tuple[np.ndarray, np.ndarray]:
        if not isinstance(name, str) or name not in self._rows:
            raise PathError(
                f"there is no series {name!r}{suggest(name, self._rows)}; world.watch({name!r}, path) makes one"
            )
        rows = self._rows[name]
        return np.array([row[1] for row in rows]), np.array([row[2] for row in rows])

    def write_csv(self, world: World, path: str) -> None:
        """All series as a table: frame, time, one column per number (vectors: name.x, name.y, name.z)."""
        frames = sorted({row[0] for rows in self._rows.values() for row in rows})
        times = {row[0]: row[1] for rows in self._rows.values() for row in rows}
        columns: dict[str, dict[int, float]] = {}
        for name, rows in self._rows.items():
            for frame, _, value in rows:
                for suffix, number in _numbers(value):
                    columns.setdefault(name + suffix, {})[frame] = number
        text = io.StringIO(newline="")
        table = csv.writer(text)
        table.writerow(["frame", "time [s]", *columns])
        for frame in frames:
            table.writerow(
                [frame, repr(times[frame]), *(repr(c[frame]) if frame in c else "" for c in columns.values())]
            )
        write_whole(FilePath(path), text.getvalue().encode(), "table")


def _numbers(value: Any) -> list[tuple[str, float]]:
    array = np.asarray(value, dtype=float)
    if array.ndim == 0:
        return [("", float(array))]
    if array.shape == (3,):
        return [(f".{axis}", float(v)) for axis, v in zip("xyz", array, strict=True)]
    return [(f"[{', '.join(map(str, index))}]", float(array[index])) for index in np.ndindex(*array.shape)]
