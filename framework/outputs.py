"""What a run leaves behind: files checked before the run starts, and the watches as a plot."""
from __future__ import annotations

import glob
import io
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import numpy as np

from framework.errors import OutputError

Table = Mapping[str, tuple[np.ndarray, np.ndarray]]
"""Name of a watch -> times (frames,) in seconds, values (frames,) or (frames, k)."""


def check_output(option: str, path: Path, suffixes: tuple[str, ...]) -> None:
    """Raise unless a file with one of `suffixes` can be written at `path`; leaves no trace."""
    if os.path.isdir(path):  # unlike Path.is_dir, no error for a name that is too long
        raise OutputError(f"{option} {path}: this is a folder; name a file, such as {path / ('run' + suffixes[0])}")
    if path.suffix.lower() not in suffixes:
        raise OutputError(f"{option} {path}: the name must end in {' or '.join(suffixes)}")
    if not os.path.isdir(path.parent):
        problem = "is not a folder" if os.path.exists(path.parent) else "does not exist; make it first"
        raise OutputError(f"{option} {path}: the folder {path.parent} {problem}")
    existed = os.path.exists(path)
    try:
        with path.open("ab"):
            pass
        if not existed:
            path.unlink()
        part = part_beside(path)
        part.touch()
        part.unlink()
    except OSError as error:
        raise OutputError(f"{option} {path}: cannot be written ({error.strerror})") from None


def part_beside(path: Path) -> Path:
    """A hidden file beside `path` to write to until it is whole; those that killed programs have left are removed."""
    stem = path.stem[:40]
    with suppress(OSError):
        for left in path.parent.glob(f".{glob.escape(stem)}.*.part{glob.escape(path.suffix)}"):
            pid = left.name[len(stem) + 2 :].partition(".")[0]
            if pid.isdigit() and not _runs(int(pid)):
                left.unlink(missing_ok=True)
    return path.with_name(f".{stem}.{os.getpid()}.part{path.suffix}")


def _runs(pid: int) -> bool:
    """Whether a process lives; where that cannot be asked without harm, as on Windows, it does."""
    if os.name != "posix":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def write_whole(path: Path, content: bytes, what: str) -> None:
    """Write a file that gets its name once it is complete; where that fails, nothing is left and an older one stays."""
    place = Path(os.path.realpath(path))  # what a link leads to, not the link, is replaced
    part = part_beside(place)
    try:
        part.write_bytes(content)
        os.replace(part, place)
    except OSError as error:
        raise OutputError(f"{what} {path} cannot be written: {error.strerror or error}") from None
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def columns(series: Table) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """All watches on one time axis: times (r,), and one column (r,) a scalar; vectors become name.x, name.y, name.z.

    A watch that has no value at some time (its entity came later) leaves NaN there.
    """
    times = np.unique(np.concatenate([np.asarray(t, dtype=float) for t, _ in series.values()] or [np.empty(0)]))
    result: dict[str, np.ndarray] = {}
    for name, (t, values) in series.items():
        rows = np.searchsorted(times, t)
        flat = np.asarray(values, dtype=float).reshape(len(rows), -1)
        labels = [name] if flat.shape[1] == 1 else [
            f"{name}.{'xyz'[k] if flat.shape[1] == 3 else k}" for k in range(flat.shape[1])]
        for k, label in enumerate(labels):
            column = np.full(len(times), np.nan)
            column[rows] = flat[:, k]
            result[label] = column
    return times, result


def write_plot(path: Path, series: Table, title: str, paths: Mapping[str, str], units: Mapping[str, str]) -> None:
    """The watches over time, one panel a watch, headed by its path; units may be empty."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise OutputError(f"--plot {path}: needs matplotlib, which cannot be imported ({error}); "
                          "pip install matplotlib, or use --csv") from None
    figure = Figure(figsize=(8.0, 1.2 + 2.4 * len(series)), layout="constrained")
    FigureCanvasAgg(figure)
    figure.suptitle(title)
    panels = figure.subplots(len(series), 1, sharex=True, squeeze=False)[:, 0]
    for panel, name in zip(panels, series, strict=True):
        times, values = columns({name: series[name]})
        for label, column in values.items():
            panel.plot(times, column, label=label)
        panel.set_ylabel(f"{name} [{units[name]}]" if units.get(name) else name)
        panel.set_title(paths.get(name, ""), loc="left", fontsize="small")
        panel.grid(alpha=0.3)
        if len(values) > 1:
            panel.legend(loc="best")
    panels[-1].set_xlabel("time [s]")
    drawn = io.BytesIO()  # on a full disk, matplotlib's writers would raise this and that
    figure.savefig(drawn, dpi=120, format=path.suffix[1:].lower())
    write_whole(path, drawn.getvalue(), "plot")
