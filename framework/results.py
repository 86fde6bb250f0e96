"""What a run leaves behind: recording, CSV, plot, picture and film, each written whatever becomes of the others."""
from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from framework.errors import OutputError, PliantError, RecordingError
from framework.outputs import write_plot
from framework.recording import Recorder

if TYPE_CHECKING:
    from framework.app import Options
    from framework.viewer import Film
    from framework.viewer.following import Following
    from framework.world import World

T = TypeVar("T")


class Results:
    """The outputs of one run. A failure is kept until all others are written; `raise_failures` tells of all."""

    def __init__(self, name: str, world: World, options: Options) -> None:
        self._name, self._world, self._options = name, world, options
        self._failures: list[str] = []
        self._defect: Exception | None = None  # an error that is no pliant error: in a person's drawing system, say
        self._lines: list[str] = []
        self._film: FilmOfRun | None = None
        self._recorder = None if options.record is None else world.record(options.record)
        try:
            self._film = None if options.film is None else FilmOfRun(options.film, world, options.size, options.show)
        except BaseException:
            self.abandon()
            raise

    def frame(self) -> None:
        """Film the frame that is done; without a film that can be written the run goes on for its other outputs."""
        film = self._film
        if film is None or film.failed:
            return
        try:
            film.frame(self._world)
        except OutputError as error:
            film.failed = True
            film.discard()
            self._failures.append(str(error))
            print(f"pliant: {error}; the run goes on without it", file=sys.stderr)

    def lose_recording(self, error: RecordingError) -> None:
        """Keep why the recording takes no more frames; the run goes on for its other outputs."""
        self._recorder = None
        self._failures.append(str(error))
        print(f"pliant: {error}; the run goes on without it", file=sys.stderr)

    def write(self) -> list[str]:
        """Write all outputs, what is cheap and whole first; returns a line for each that says where it is."""
        options = self._options
        if self._recorder is not None:
            self._attempt(self._close_recording, self._recorder)
        if options.csv is not None:
            self._attempt(self._write_csv, options.csv)
        if self._film is not None and not self._film.failed:
            self._attempt(self._close_film, self._film)
        if options.plot is not None:
            self._attempt(self._write_plot, options.plot)
        if options.picture is not None:
            self._attempt(self._write_picture, options.picture)
        return self._lines

    def abandon(self) -> None:
        """Keep recording and film so far, when the run is broken off; leave no part of a film."""
        if self._recorder is not None:
            with contextlib.suppress(OutputError):
                self._recorder.close()
        if self._film is not None:
            with contextlib.suppress(OutputError):
                self._film.close()

    def raise_failures(self) -> None:
        """Raise when an output could not be written."""
        if self._failures and self._defect is not None:
            self._defect.add_note("Also: " + "; ".join(self._failures))
        if self._defect is not None:
            raise self._defect
        if len(self._failures) == 1:
            raise OutputError(self._failures[0])
        if self._failures:
            raise OutputError(f"{len(self._failures)} outputs could not be written\n  " + "\n  ".join(self._failures))

    def _attempt(self, write: Callable[[T], str], target: T) -> None:
        try:
            self._lines.append(write(target))
        except PliantError as error:
            self._failures.append(str(error))
        except Exception as error:
            self._defect = self._defect or error

    def _close_recording(self, recorder: Recorder) -> str:
        recorder.close()
        return f"recording: {recorder.path} ({recorder.frames} frames, {recorder.path.stat().st_size / 1e6:.1f} MB)"

    def _write_csv(self, path: Path) -> str:
        self._world.watches.write_csv(self._world, str(path))
        return f"csv: {path} ({', '.join(self._world.watches.paths)})"

    def _write_plot(self, path: Path) -> str:
        watches = self._world.watches
        write_plot(path, {name: self._world.series(name) for name in watches.paths}, self._name, watches.paths,
                   watches.units)
        return f"plot: {path}"

    def _write_picture(self, path: Path) -> str:
        self._world.picture(path, size=self._options.size, show=self._options.show)
        return f"picture: {path}"

    def _close_film(self, film: FilmOfRun) -> str:
        film.close()
        pace = "real time" if film.real_time else "not real time"
        return f"film: {film.path} ({film.pictures} pictures, {film.rate:.4g} a second, {pace})"


class FilmOfRun:
    """The film of a run in real time: at most 60 pictures a second, so short frames are skipped."""

    def __init__(self, path: Path, world: World, size: tuple[int, int], show: Sequence[str] = (),
                 camera: Following | None = None) -> None:
        from framework.viewer import Film
        from framework.viewer.following import Following

        self.camera = camera or Following(size[0] / size[1])
        self.every = max(1, round(1.0 / (60.0 * world.stepping.frame_time)))
        fps = 1.0 / (world.stepping.frame_time * self.every)
        self.real_time = 1.0 <= fps <= 61.0
        self.fps = fps if self.real_time else 30.0
        self.path, self.size, self.show, self.frames, self.failed = path, size, show, 0, False
        self._film: Film = Film(path, self.fps)
        try:
            self._add(world)
        except BaseException:
            self.discard()
            raise

    def frame(self, world: World) -> None:
        self.frames += 1
        if self.frames % self.every == 0:
            self._add(world)

    def _add(self, world: World) -> None:
        self._film.add(world.picture(size=self.size, show=self.show, camera=self.camera))

    @property
    def pictures(self) -> int:
        """How many pictures the file holds."""
        return self._film.kept

    @property
    def rate(self) -> float:
        """Pictures a second."""
        return self._film.rate

    def close(self) -> None:
        self._film.close()

    def discard(self) -> None:
        self._film.discard()
