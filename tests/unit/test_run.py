"""`run` called from Python, and how long a scene runs."""
from __future__ import annotations

import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from framework import Check, FieldError, PliantError, World, run
from framework.guard import check_hidden
from framework.scene import DEFAULT_FRAMES, frames_in_source, scene_of


def build(frame_time: float = 0.1) -> World:
    return World(frame_time=frame_time, substeps=1)


def at(time: float) -> list[Check]:
    return [Check("time", time, near=0.3, tolerance=1e-12)]


def test_run_returns_the_world_at_its_end(capsys: pytest.CaptureFixture[str]) -> None:
    world = run(build, lambda world: at(world.time), frames=3)
    assert world.frame == 3
    assert "pass  time" in capsys.readouterr().out


def test_run_takes_arguments() -> None:
    world = run(build, lambda world: at(world.time), arguments=["--frames", "1", "--set", "build.frame_time=0.3"])
    assert world.frame == 1


@pytest.mark.parametrize(("arguments", "code"), [(["--frames", "2"], 1), (["--frames", "-2"], 2), (["--what"], 2)])
def test_run_exits_when_something_is_wrong(arguments: list[str], code: int) -> None:
    with pytest.raises(SystemExit) as stop:
        run(build, lambda world: at(world.time), arguments=arguments)
    assert stop.value.code == code


def test_help_runs_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        run(build, arguments=["--help"])
    assert caught.value.code == 0 and "--frames" in capsys.readouterr().out


@pytest.mark.parametrize("frames", ["3", 3.0, -3, True, [3]])
def test_frames_are_a_whole_number(frames: Any, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        run(build, frames=frames)
    assert stop.value.code == 2 and "must be a whole number, zero or positive, got" in capsys.readouterr().err


def test_frames_may_be_a_number_of_numpy() -> None:
    assert run(build, frames=np.int64(2)).frame == 2


def test_check_without_bound_is_an_error() -> None:
    with pytest.raises(FieldError):
        Check("time", 1.0)


@pytest.mark.parametrize(("source", "frames"), [
    ("run(build, expect, frames=120)", 120),
    ("if __name__ == '__main__':\n    run(build, frames=7)", 7),
    ("run(build, expect)", None),
    ("run(build, frames=n)", None),
    ("other(frames=3)", None),
])
def test_frames_of_a_script(source: str, frames: int | None) -> None:
    assert frames_in_source(source) == frames


def test_frames_of_a_module() -> None:
    module = types.ModuleType("somewhere")
    module.build = build  # type: ignore[attr-defined]
    assert scene_of(module).length == DEFAULT_FRAMES
    module.FRAMES = 12  # type: ignore[attr-defined]
    assert scene_of(module).length == 12


def test_a_folder_that_passes_for_a_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In an editable install our packages are on no path, so a folder without __init__.py passes for one of them."""
    (tmp_path / "components").mkdir()
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    with pytest.raises(PliantError, match="hides pliant's package 'components'"):
        check_hidden(tmp_path, ("components",))
