"""`run`: what a script calls under `__main__`, and the loop it shares with `pliant run`."""
from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from framework.arguments import named_settings, split_settings
from framework.check import Check, table
from framework.errors import PliantError, SimulationError
from framework.outputs import check_output, write_plot
from framework.scene import Scene

if TYPE_CHECKING:
    from framework.viewer import Film
    from framework.world import World

DONE, CHECK_FAILED, MISTAKE, DIVERGED, INTERRUPTED = 0, 1, 2, 3, 130


@dataclass(frozen=True, kw_only=True)
class Options:
    """What a command line can ask of a run."""
    frames: int | None = None
    until: float | None = None
    film: Path | None = None
    picture: Path | None = None
    csv: Path | None = None
    plot: Path | None = None
    settings: Sequence[str] = ()
    seed: int | None = None
    size: tuple[int, int] = (1280, 720)

    def check(self) -> None:
        """Raise on what cannot work, before anything is computed."""
        if self.frames is not None and self.until is not None:
            raise PliantError("--frames and --until both say when to stop; give one of them")
        if self.frames is not None and self.frames < 0:
            raise PliantError(f"--frames must be 0 or more, got {self.frames}")
        if self.until is not None and not 0.0 <= self.until < float("inf"):
            raise PliantError(f"--until must be a time in seconds, 0 or more, got {self.until}")
        asked = [("--film", self.film, (".mp4", ".gif")), ("--picture", self.picture, (".png",)),
                 ("--csv", self.csv, (".csv",)), ("--plot", self.plot, (".png", ".svg", ".pdf"))]
        taken: dict[Path, str] = {}
        for option, path, suffixes in asked:
            if path is not None:
                check_output(option, path, suffixes)
                if path.resolve() in taken:
                    raise PliantError(f"{taken[path.resolve()]} and {option} name the same file {path}")
                taken[path.resolve()] = option


def run(build: Callable[..., World], expect: Callable[[World], Sequence[Check]] | None = None,
        frames: int | None = None, *, arguments: Sequence[str] | None = None) -> World:
    """Build the scene, run it, check what it must end on; returns the world as the run left it.

    Called from a script (`python FILE.py`), it takes the options of `pliant run` from the command line; elsewhere only
    those in `arguments`. Raises SystemExit with the exit code of `pliant run` when that is not 0.
    """
    caller = sys._getframe(1).f_globals
    if arguments is None:
        arguments = sys.argv[1:] if caller.get("__name__") == "__main__" and "__file__" in caller else []
    if frames is None:
        frames = caller.get("FRAMES")
    scene = Scene(name=Path(caller.get("__file__") or build.__module__).stem, build=build, expect=expect, frames=frames)
    worlds: list[World] = []
    if arguments:
        from framework.cli import run_script

        code = run_script(scene, arguments, worlds.append)
    else:
        from framework.report import guarded

        code = guarded(lambda: run_scene(scene, Options(), worlds.append))
    if code != DONE:
        raise SystemExit(code)
    return worlds[0]


def run_scene(scene: Scene, options: Options, on_world: Callable[[World], object] = lambda world: None) -> int:
    """Run `scene` as `options` say and report on stdout; the exit code. A person's mistakes are raised."""
    from framework.kernel import announce_compilation
    from framework.report import Progress, message

    options.check()
    announce_compilation()
    world = prepare(scene, options.settings, options.seed, on_world)
    if (options.csv or options.plot) and not world.watches.paths:
        raise PliantError(f"{'--csv' if options.csv else '--plot'} writes what the scene watches, and {scene.name} "
                          'watches nothing; add world.watch("name", "entity.field...") to its build')
    started, failure = time.perf_counter(), None
    film = _open_film(world, options)
    with _stopping() as stop, Progress(world, scene.length if options.frames is None else options.frames,
                                       options.until) as progress:
        try:
            while not stop and not progress.finished:
                world.step()
                progress.advance()
                if film is not None:
                    film.frame(world)
        except SimulationError as error:
            failure = error
        finally:
            if film is not None:
                film.close()
    seconds = time.perf_counter() - started
    print(f"{scene.name}: {progress.done} frames, {world.time:.6g} s simulated in {seconds:.1f} s")
    _write(scene, world, options, film)
    if failure is not None:
        print(f"pliant: {message(failure)}", file=sys.stderr)
        return DIVERGED
    if stop:
        print(f"pliant: interrupted after {progress.done} frames", file=sys.stderr)
        return INTERRUPTED
    return _report_checks(scene, world)


def prepare(
    scene: Scene, settings: Sequence[str], seed: int | None, on_world: Callable[[World], object] = lambda world: None
) -> World:
    """The scene's world with the settings of a command line (`build.argument=value`, `path=value`)."""
    arguments, paths = split_settings(settings)
    world = scene.make(arguments, seed)
    on_world(world)
    for path, value in paths.items():
        integrator = path in ("world.integrator", "world.stepping.integrator")
        world.set(path, named_settings(value, world.engine.schedule) if integrator else value)
    if paths:
        world.watches.record(world)  # frame 0 as it is now
    return world


class _FilmOfRun:
    """The film of a run in real time: at most 60 pictures a second, so short frames are skipped."""

    def __init__(self, path: Path, world: World, size: tuple[int, int]) -> None:
        from framework.viewer import Film

        self.every = max(1, round(1.0 / (60.0 * world.stepping.frame_time)))
        fps = 1.0 / (world.stepping.frame_time * self.every)
        self.real_time = 1.0 <= fps <= 61.0
        self.fps = fps if self.real_time else 30.0
        self.path, self.size, self.pictures, self.frames = path, size, 0, 0
        self._film: Film = Film(path, self.fps)
        self._add(world)

    def frame(self, world: World) -> None:
        self.frames += 1
        if self.frames % self.every == 0:
            self._add(world)

    def _add(self, world: World) -> None:
        self._film.add(world.picture(size=self.size))
        self.pictures += 1

    def close(self) -> None:
        self._film.close()


def _open_film(world: World, options: Options) -> _FilmOfRun | None:
    return None if options.film is None else _FilmOfRun(options.film, world, options.size)


def _write(scene: Scene, world: World, options: Options, film: _FilmOfRun | None) -> None:
    """Write picture, CSV and plot, and say where everything is."""
    if options.picture is not None:
        world.picture(options.picture, size=options.size)
        print(f"picture: {options.picture}")
    if film is not None:
        pace = "real time" if film.real_time else "not real time"
        print(f"film: {film.path} ({film.pictures} pictures, {film.fps:.4g} a second, {pace})")
    if options.csv is not None or options.plot is not None:
        series = {name: world.series(name) for name in world.watches.paths}
        if options.csv is not None:
            world.watches.write_csv(world, str(options.csv))
            print(f"csv: {options.csv} ({', '.join(series)})")
        if options.plot is not None:
            write_plot(options.plot, series, scene.name)
            print(f"plot: {options.plot}")
    if not (options.picture or options.film or options.csv or options.plot):
        print("nothing was drawn; --picture out.png and --film out.mp4 draw it, --csv and --plot write its watches")


def _report_checks(scene: Scene, world: World) -> int:
    if scene.expect is None:
        return DONE
    if scene.frames is not None and world.frame < scene.frames:
        print(f"checks: skipped, they describe the world after {scene.frames} frames and this run ended at "
              f"{world.frame}")
        return DONE
    checks = scene.expect(world)
    if not isinstance(checks, Sequence) or not all(isinstance(check, Check) for check in checks):
        raise PliantError(f"{scene.name}: expect() must return a list of Check, got {type(checks).__name__}")
    for line in table(checks):
        print(line)
    failed = sum(not check.passed for check in checks)
    if failed:
        print(f"pliant: {failed} of {len(checks)} checks failed", file=sys.stderr)
    return CHECK_FAILED if failed else DONE


@contextmanager
def _stopping() -> Iterator[list[int]]:
    """A list that Ctrl-C makes non-empty, so that the current frame is finished; a second Ctrl-C stops at once."""
    pressed: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield pressed
        return

    def stop(number: int, frame: FrameType | None) -> None:
        if pressed:
            raise KeyboardInterrupt
        pressed.append(number)
        print("\npliant: stopping after this frame (Ctrl-C again: at once)", file=sys.stderr)

    former = signal.signal(signal.SIGINT, stop)
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL if former is None else former)
