"""Output files: checked before a run, CSV with the same bits, plots."""
from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from framework.errors import OutputError
from framework.outputs import check_output, columns, write_csv, write_plot

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


def test_csv_gives_back_the_same_bits(tmp_path: Path) -> None:
    write_csv(tmp_path / "run.csv", SERIES, frame_time=0.1)
    rows = list(csv.DictReader((tmp_path / "run.csv").open()))
    assert list(rows[0]) == ["frame", "time", "height", "tip.x", "tip.y", "tip.z"]
    assert [int(row["frame"]) for row in rows] == [0, 1, 2]
    assert [float(row["height"]) for row in rows] == list(SERIES["height"][1])
    assert [float(row["time"]) for row in rows] == list(TIMES)
    assert rows[0]["tip.x"] == ""


def test_plot(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    write_plot(tmp_path / "run.png", SERIES, "title")
    assert (tmp_path / "run.png").stat().st_size > 5000
