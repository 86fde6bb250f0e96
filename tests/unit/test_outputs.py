"""Output files: checked before a run; plots."""
from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from framework.errors import OutputError
from framework.outputs import check_output, columns, part_beside, write_plot, write_whole

TIMES = np.arange(3) * 0.1
SERIES = {"height": (TIMES, np.array([1.0, 0.1 + 0.2, np.pi])), "tip": (TIMES[1:], np.arange(6.0).reshape(2, 3))}


def test_check_leaves_no_trace(tmp_path: Path) -> None:
    check_output("--csv", tmp_path / "new.csv", (".csv",))
    assert not list(tmp_path.iterdir())
    (tmp_path / "old.csv").write_text("kept")
    check_output("--csv", tmp_path / "old.csv", (".csv",))
    assert (tmp_path / "old.csv").read_text() == "kept"


@pytest.mark.parametrize(("name", "message"), [
    ("", "this is a folder"),
    ("run.txt", r"must end in \.csv"),
    ("run", r"must end in \.csv"),
    ("no/run.csv", "does not exist; make it first"),
    ("file/run.csv", "is not a folder"),
    ("a" * 300 + ".csv", "cannot be written"),
])
def test_unwritable(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match=message):
        check_output("--csv", tmp_path / name, (".csv",))


def test_columns_share_one_time_axis() -> None:
    times, values = columns(SERIES)
    assert np.array_equal(times, TIMES)
    assert list(values) == ["height", "tip.x", "tip.y", "tip.z"]
    assert np.isnan(values["tip.y"][0]) and list(values["tip.y"][1:]) == [1.0, 4.0]


def test_plot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    figures = pytest.importorskip("matplotlib.figure")
    made: list = []
    monkeypatch.setattr(figures.Figure, "savefig", lambda self, *_, save=figures.Figure.savefig, **options: (
        made.append(self), save(self, *_, **options))[1])
    write_plot(tmp_path / "run.png", SERIES, "title", {"height": "flag.position[3].y"}, {"height": "m"})
    assert (tmp_path / "run.png").stat().st_size > 5000
    height, tip = made[0].axes
    assert (height.get_title("left"), height.get_ylabel()) == ("flag.position[3].y", "height [m]")
    assert (tip.get_ylabel(), tip.get_xlabel()) == ("tip", "time [s]")


@pytest.mark.parametrize("call", ["write_bytes", "replace"])
def test_a_failed_write_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    def fail(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    file = tmp_path / "run.csv"
    file.write_text("former")
    with monkeypatch.context() as patch:
        patch.setattr(Path if call == "write_bytes" else os, call, fail)
        with pytest.raises(OutputError, match=r"table .*run\.csv cannot be written: No space left on device"):
            write_whole(file, b"new", "table")
    assert [found.name for found in tmp_path.iterdir()] == ["run.csv"] and file.read_text() == "former"


def test_what_a_link_leads_to_is_written(tmp_path: Path) -> None:
    (tmp_path / "link.csv").symlink_to(tmp_path / "target.csv")
    write_whole(tmp_path / "link.csv", b"new", "table")
    assert (tmp_path / "link.csv").is_symlink() and (tmp_path / "target.csv").read_bytes() == b"new"


def test_a_long_name_has_a_part_beside_it(tmp_path: Path) -> None:
    write_whole(tmp_path / ("ä" * 120 + ".csv"), b"new", "table")


def test_parts_that_killed_programs_have_left_are_removed(tmp_path: Path) -> None:
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    left, living = tmp_path / f".a[1].{child.pid}.part.mp4", tmp_path / f".a[1].{os.getppid()}.part.mp4"
    other = tmp_path / f".b.{child.pid}.part.mp4"
    for file in (left, living, other):
        file.write_bytes(b"x")
    assert part_beside(tmp_path / "a[1].mp4").name == f".a[1].{os.getpid()}.part.mp4"
    assert not left.exists() and living.exists() and other.exists()
