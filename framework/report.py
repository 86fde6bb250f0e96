"""What a run says while it runs, and how a person's mistake is told: one message, no traceback of ours."""
from __future__ import annotations

import contextlib
import os
import signal
import sys
import sysconfig
import time
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from framework.errors import PliantError, SimulationError

if TYPE_CHECKING:
    from framework.world import World

_ours = Path(__file__).resolve().parent.parent
_libraries = Path(sysconfig.get_paths()["stdlib"]).resolve()


class Progress:
    """How far a run is: a bar on a terminal, else a line about every tenth of it (and at least 2 s apart)."""

    def __init__(self, world: World, frames: int, until: float | None) -> None:
        self._world, self._frames, self._until = world, frames, until
        self._start = world.time
        self._bar: Any = None
        self._tenth, self._said = 0, time.perf_counter()
        self.done = 0

    @property
    def finished(self) -> bool:
        if self._until is None:
            return self.done >= self._frames
        return self._world.time >= self._until - 1e-6 * self._world.stepping.frame_time

    @property
    def _fraction(self) -> float:
        if self._until is None:
            return self.done / max(self._frames, 1)
        return min(1.0, (self._world.time - self._start) / max(self._until - self._start, 1e-300))

    def advance(self) -> None:
        """One more frame is done."""
        self.done += 1
        if self._bar is not None:
            self._bar.update(0, completed=self._fraction, done=self.done, time=self._world.time)
            return
        now = time.perf_counter()
        if int(10 * self._fraction) > self._tenth and now - self._said > 2.0 and not self.finished:
            self._tenth, self._said = int(10 * self._fraction), now
            print(f"{100 * self._fraction:.0f} %: frame {self.done}, {self._world.time:.4g} s", flush=True)

    def __enter__(self) -> Progress:
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
            from rich.progress import Progress as Bar

            self._bar = Bar(TextColumn("frame {task.fields[done]}, {task.fields[time]:.3f} s"), BarColumn(),
                            TaskProgressColumn(), TimeRemainingColumn(), console=Console(stderr=True), transient=True)
            self._bar.add_task("run", total=1.0, done=0, time=self._start)
            self._bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        if self._bar is not None:
            self._bar.stop()


def guarded(action: Callable[[], int]) -> int:
    """Run `action`; a person's mistake becomes one message on stderr and exit code 2, a failed run 3, Ctrl-C 130.

    An error that is neither pliant's own nor passed through a person's code is a defect of pliant: it is not caught.
    """
    former = warnings.formatwarning
    warnings.formatwarning = _warning_text
    try:
        return action()
    except KeyboardInterrupt as error:
        print("pliant: interrupted", file=sys.stderr)
        return 128 + (error.args[0] if error.args else signal.SIGINT)
    except BrokenPipeError:  # whoever read the output has had enough, as in `pliant run ... | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except SystemExit as error:
        frames = _persons_frames(error)
        if not frames:
            raise
        print(f"pliant: {_short(frames[-1].filename)}:{frames[-1].lineno}: the scene ends the program itself "
              f"(SystemExit({error.code!r})), so the run was not finished. What a file does when it is started as a "
              "script belongs below: if __name__ == '__main__':", file=sys.stderr)
        return 2
    except SimulationError as error:
        print(f"pliant: {message(error)}", file=sys.stderr)
        return 3
    except PliantError as error:
        print(f"pliant: {persons_place(error)}{message(error)}", file=sys.stderr)
        return 2
    except SyntaxError as error:
        if error.filename is None or _is_library(error.filename):
            raise
        print("".join(traceback.format_exception_only(error)).rstrip(), file=sys.stderr)
        return 2
    except Exception as error:
        from framework.viewer.errors import ViewerError

        if isinstance(error, ViewerError):
            print(f"pliant: {message(error)}", file=sys.stderr)
            return 2
        if not _persons_frames(error):
            raise
        print(persons_traceback(error), file=sys.stderr)
        return 2
    finally:
        warnings.formatwarning = former


def _warning_text(
    message: Warning | str, category: type[Warning], filename: str, lineno: int, line: str | None = None
) -> str:
    """A warning without the place in our code that gave it."""
    ours = category in (RuntimeWarning, UserWarning)
    return f"pliant: warning: {message}\n" if ours else f"{category.__name__}: {message}\n"


def message(error: BaseException) -> str:
    """What the error says, with the notes that were added on its way."""
    return "\n  ".join([str(error), *getattr(error, "__notes__", ())])


def told(error: BaseException) -> str:
    """Print an error that ends no program as `guarded` would; returned is what it says, with its place."""
    own = isinstance(error, PliantError)
    text = persons_place(error) + ("" if own else f"{type(error).__name__}: ") + message(error)
    print(f"pliant: {text}" if own else persons_traceback(error), file=sys.stderr)
    return text


def persons_place(error: BaseException) -> str:
    """'file:line: ' of the last call in a person's code on the way to an error, or ''."""
    frames = _persons_frames(error)
    return f"{_short(frames[-1].filename)}:{frames[-1].lineno}: " if frames else ""


def persons_traceback(error: BaseException) -> str:
    """The traceback of an error without our own calls; all of it where a person's code has no part in it."""
    frames, last = _persons_frames(error), traceback.extract_tb(error.__traceback__)[-1:]
    if not frames:
        return "".join(traceback.format_exception(error)).rstrip()
    lines = ["Traceback in your code (most recent call last):\n", *traceback.format_list(frames),
             *traceback.format_exception_only(error)]
    if last and last[0] != frames[-1]:
        lines.append(f"(raised below your call, in {last[0].filename}:{last[0].lineno})")
    return "".join(lines).rstrip()


def _persons_frames(error: BaseException) -> list[traceback.FrameSummary]:
    """The calls of the traceback that lie in a person's code: not ours (demos count as a person's), not a library's."""
    return [frame for frame in traceback.extract_tb(error.__traceback__) if not _is_library(frame.filename)]


def _is_library(filename: str) -> bool:
    path = Path(filename)
    if filename.startswith("<") or not path.exists() or "site-packages" in path.parts:
        return True
    path = path.resolve()
    if path.is_relative_to(_ours):
        return path.relative_to(_ours).parts[0] in ("framework", "components", "systems", "tests")
    return path.is_relative_to(_libraries)


def _short(filename: str) -> str:
    with contextlib.suppress(ValueError):
        return str(Path(filename).resolve().relative_to(Path.cwd()))
    return filename
