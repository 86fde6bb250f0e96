"""Output files: checked before a run; plots."""
from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from framework.errors import OutputError
from framework.outputs import check_output, columns, write_plot

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


def test_plot(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    write_plot(tmp_path / "run.png", SERIES, "title")
    assert (tmp_path / "run.png").stat().st_size > 5000
