"""`run`: what a script calls under `__main__`, and the loop it shares with `pliant run`."""
from __future__ import annotations

import contextlib
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
from framework.errors import PliantError, RecordingError, SimulationError
from framework.interactive import headless_reason, open_window, run_window
from framework.outputs import check_output
from framework.recording.format import same_file
from framework.recording.origin import with_settings
from framework.recording.places import resumed, split_place
from framework.results import Results
from framework.scene import Scene
from framework.viewer.errors import ViewerError

if TYPE_CHECKING:
    from framework.world import World

DONE, CHECK_FAILED, MISTAKE, DIVERGED = 0, 1, 2, 3  # a run that a signal ends gives 128 + its number


@dataclass(frozen=True, kw_only=True)
class Options:
    """What a command line can ask of a run."""
    frames: int | None = None
    until: float | None = None
    film: Path | None = None
    picture: Path | None = None
    csv: Path | None = None
    plot: Path | None = None
    record: Path | None = None
    resume: str | None = None
    settings: Sequence[str] = ()
    seed: int | None = None
    size: tuple[int, int] = (1280, 720)
    show: Sequence[str] = ()
    headless: bool = False

    def check(self) -> None:
        """Raise on what cannot work, before anything is computed."""
        if self.frames is not None and self.until is not None:
            raise PliantError("--frames and --until both say when to stop; give one of them")
        if self.frames is not None and self.frames < 0:
            raise PliantError(f"--frames must be 0 or more, got {self.frames}")
        if self.until is not None and not 0.0 <= self.until < float("inf"):
            raise PliantError(f"--until must be a time in seconds, 0 or more, got {self.until}")
        asked = [("--film", self.film, (".mp4", ".gif")), ("--picture", self.picture, (".png",)),
                 ("--csv", self.csv, (".csv",)), ("--plot", self.plot, (".png", ".svg", ".pdf")),
                 ("--record", self.record, (".h5", ".hdf5"))]
        taken: dict[Path, str] = {}
        for option, path, suffixes in asked:
            if path is not None:
                check_output(option, path, suffixes)
                if path.resolve() in taken:
                    raise PliantError(f"{taken[path.resolve()]} and {option} name the same file {path}")
                taken[path.resolve()] = option
        if self.record is not None and self.resume is not None and same_file(self.record, split_place(self.resume)[0]):
            raise PliantError(f"--record {self.record}: the run goes on from this recording; name another file")


def run(build: Callable[..., World], expect: Callable[[World], Sequence[Check]] | None = None,
        frames: int | None = None, *, arguments: Sequence[str] | None = None) -> World:
    """Build the scene, run it, check what it must end on; returns the world as the run left it.

    Called from a script (`python FILE.py`), it takes the options of `pliant run` from the command line and opens a
    window where there is a display. Called by other code it takes those in `arguments`; without any it runs headless.
    Raises SystemExit with the exit code of `pliant run` when that is not 0, and when help was all that was asked for.
    """
    caller = sys._getframe(1).f_globals
    is_script = caller.get("__name__") == "__main__" and "__file__" in caller
    if arguments is None:
        arguments = sys.argv[1:] if is_script else []
    if frames is None:
        frames = caller.get("FRAMES")
    worlds: list[World] = []

    def action() -> int:
        name = Path(caller.get("__file__") or str(getattr(build, "__module__", "scene"))).stem
        scene = Scene(name=name, build=build, expect=expect, frames=frames)
        if not arguments:
            return run_scene(scene, Options(headless=not is_script), worlds.append)
        from framework.cli import run_script

        return run_script(scene, arguments, worlds.append)

    from framework.report import guarded

    code = guarded(action)
    if code != DONE or not worlds:
        raise SystemExit(code)
    return worlds[-1]


def run_scene(scene: Scene, options: Options, on_world: Callable[[World], object] = lambda world: None) -> int:
    """Run `scene` as `options` say and report on stdout; the exit code. A person's mistakes are raised."""
    from framework.kernel import announce_compilation
    from framework.report import Progress, message

    options.check()
    announce_compilation()
    world = prepare(scene, options.settings, options.seed, on_world, options.resume)
    if (options.csv or options.plot) and not world.watches.paths:
        raise PliantError(f"{'--csv' if options.csv else '--plot'} writes what the scene watches, and {scene.name} "
                          'watches nothing; add world.watch("name", "entity.field...") to its build')
    no_window = headless_reason(options)
    if no_window is None:
        try:
            window = open_window(scene.name, world, lambda: _again(scene, options), options)
        except ViewerError as error:
            no_window = str(error)
        else:
            with _stopping("closing the window") as stop:
                on_world(run_window(scene.name, window, stop))
            return 128 + stop[0] if stop else DONE
    if no_window:
        print(f"{scene.name}: without a window: {no_window}", flush=True)
    if options.picture is not None:
        world.scene()  # what cannot be drawn is told now, and not when the run is over
    started = time.perf_counter()
    failure: Exception | None = None
    frames = max(scene.length - world.frame, 0) if options.frames is None else options.frames
    results = Results(scene.name, world, options)
    with _stopping() as stop:
        with Progress(world, frames, options.until) as progress:
            try:
                while not stop and not progress.finished:
                    try:
                        world.step()
                    except RecordingError as error:  # the frame is done
                        results.lose_recording(error)
                    progress.advance()
                    results.frame()
            except Exception as error:  # told when what there is has been written
                failure = error
            except BaseException:
                results.abandon()
                raise
        seconds = time.perf_counter() - started
        lines = results.write()
    if failure is not None and not isinstance(failure, SimulationError):
        print(*lines, sep="\n", end="\n" if lines else "")
        raise failure
    print(f"{scene.name}: {progress.done} frames, {world.time:.6g} s simulated in {seconds:.1f} s", *lines, sep="\n")
    for system in world.engine.schedule:
        for line in system.closing(world):
            print(f"{system.name}: {line}")
    if not (options.picture or options.film or options.csv or options.plot or options.record):
        print("nothing was drawn; --picture out.png and --film out.mp4 draw it, --csv and --plot write its watches")
    code = DONE
    if failure is not None:
        print(f"pliant: {message(failure)}", file=sys.stderr)
        code = DIVERGED
    elif stop:
        print(f"pliant: interrupted after {progress.done} frames", file=sys.stderr)
        code = 128 + stop[0]
    else:
        code = _report_checks(scene, world)
    results.raise_failures()
    return code


def _again(scene: Scene, options: Options) -> World:
    return prepare(scene, options.settings, options.seed, resume=options.resume)


def prepare(
    scene: Scene, settings: Sequence[str], seed: int | None, on_world: Callable[[World], object] = lambda world: None,
    resume: str | None = None,
) -> World:
    """The scene's world with the settings of a command line (`build.argument=value`, `path=value`).

    resume: the place in a recording, 'F.h5@FRAME', whose world it is instead of that of frame 0.
    """
    arguments, paths = split_settings(settings)
    world = scene.make(arguments, seed) if resume is None else resumed(resume, scene, arguments, seed)
    on_world(world)
    for path, value in paths.items():
        integrator = path in ("world.integrator", "world.stepping.integrator")
        world.set(path, named_settings(value, world.engine.schedule) if integrator else value)
    if paths:
        world.watches.record(world)  # the frame as it is now
        world.origin = with_settings(world.origin, settings)
    return world


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
def _stopping(doing: str = "stopping after this frame") -> Iterator[list[int]]:
    """A list of the signals that ask the run to end; the frame, or the writing of the outputs, is finished first.

    Ctrl-C and SIGTERM are such signals, and the closing of the terminal. The second one stops at once.
    """
    received: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield received
        return

    def stop(number: int, frame: FrameType | None) -> None:
        if received:
            raise KeyboardInterrupt(number)
        received.append(number)
        again = "Ctrl-C again" if number == signal.SIGINT else "the same again"
        with contextlib.suppress(OSError):  # a terminal that is gone
            print(f"\npliant: {doing} ({again}: at once)", file=sys.stderr)

    numbers = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    former = {number: signal.getsignal(number) for number in numbers}
    former = {number: was for number, was in former.items() if number == signal.SIGINT or was is not signal.SIG_IGN}
    for number in former:
        signal.signal(number, stop)
    try:
        yield received
    finally:
        for number, was in former.items():
            signal.signal(number, signal.SIG_DFL if was is None else was)
