"""The benchmarks can be imported, and print their figures as they say. What they measure is not tested here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import bem, massspring, recording, start, window
from benchmarks._figures import Figure, median_ratio, skipped
from benchmarks._yardstick import Yardstick

KEYS = ["name", "value", "unit", "goal", "holds"]


def test_a_figure_says_whether_its_goal_holds() -> None:
    assert Figure("speed", 0.7, "x", "at least", 0.65).holds is True
    assert Figure("cost", 1.7, "x", "at most", 1.6).holds is False
    assert Figure("cost", 1.7, "ns").holds is None
    line = json.loads(Figure("speed", 0.7, "x", "at least", 0.65).json())
    assert list(line) == KEYS and line["goal"] == "at least 0.65"


def test_a_figure_that_cannot_be_measured_is_skipped() -> None:
    figure = skipped("speed", "x", "at least", 0.65, "no C++ compiler")
    assert figure.value is None and figure.holds is None and "skipped: no C++ compiler" in figure.text()


def test_the_ratio_is_that_of_second_to_first() -> None:
    assert median_ratio([(1.0, 2.0), (2.0, 8.0), (1.0, 3.0)]) == 3.0


def test_without_a_yardstick_nothing_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert Yardstick(tmp_path / "none.cpp").why_not == "no yardstick"
    massspring.main(["--json", "--quick", "--only", "c++", "--yardstick", str(tmp_path / "none.cpp")])
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(lines) == 10
    assert all([*line][:5] == KEYS and line["value"] is None and "no yardstick" in line["note"] for line in lines)


def test_the_cloth_takes_the_path_that_is_measured() -> None:
    from benchmarks._cloth import Frames, Kernels

    for kind in ("list", "grid"):
        assert Frames(5, kind).seconds(1) > 0
    assert Kernels(5).seconds(1) > 0


def test_start_lists_its_figures(capsys: pytest.CaptureFixture[str]) -> None:
    for benchmark in (start, recording):
        benchmark.main(["--json", "--only", "nothing of this name"])
    assert capsys.readouterr().out == ""


def test_the_window_measures_its_cloth(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(window, "CELLS", 6)
    monkeypatch.setattr(window, "SIZE", (64, 36))
    window.main(["--json", "--quick"])
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["name"] for line in lines[:2]] == [*window.NAMES[:2]]
    assert sum(line["name"].startswith("panels") for line in lines) == 3
    assert all(line["value"] is None or line["value"] > 0 for line in lines)


def test_boundary_elements_are_measured(capsys: pytest.CaptureFixture[str]) -> None:
    bem.main(["--json", "--quick", "--only", "beam"])
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(lines) == 4 and all([*line][:5] == KEYS and line["value"] > 0 for line in lines)
