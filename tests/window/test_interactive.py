"""When `pliant run` opens a window, and how it ends."""
from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from framework.app import Options, run_scene
from framework.interactive import headless_reason
from framework.scene import load
from framework.viewer.errors import ViewerError
from framework.world import World


@pytest.fixture(autouse=True)
def linux_without_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PLIANT_HEADLESS", "DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("sys.platform", "linux")


@pytest.mark.parametrize(("environment", "options", "reason"), [
    ({"DISPLAY": ":0"}, {}, None),
    ({"WAYLAND_DISPLAY": "wayland-0"}, {}, None),
    ({"SDL_VIDEODRIVER": "offscreen"}, {}, None),
    ({}, {}, "no display"),
    ({"DISPLAY": ":0"}, {"headless": True}, ""),
    ({"DISPLAY": ":0", "PLIANT_HEADLESS": "1"}, {}, ""),
    ({"DISPLAY": ":0"}, {"frames": 10}, None),
    ({"DISPLAY": ":0"}, {"film": Path("a.mp4")}, ""),
    ({"DISPLAY": ":0"}, {"csv": Path("a.csv")}, ""),
    ({"DISPLAY": ":0"}, {"record": Path("a.h5")}, ""),
])
def test_when_a_window_is_opened(environment: dict[str, str], options: dict[str, Any], reason: str | None,
                                 monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    found = headless_reason(Options(**options))
    assert found == reason or (reason and found and reason in found)


def test_without_a_display_the_run_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_scene(load("drape"), Options(frames=1)) == 0
    assert "drape: without a window: there is no display" in capsys.readouterr().out


def test_a_window_that_cannot_be_opened_is_said_and_the_run_is_headless(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DISPLAY", ":77")

    def fail(*given: object) -> None:
        raise ViewerError("no window can be opened: x11 not available")

    monkeypatch.setattr("framework.viewer.window.open_screen", fail)
    assert run_scene(load("drape"), Options(frames=2)) == 0
    out = capsys.readouterr().out
    assert "x11 not available" in out and "2 frames" in out


def test_a_run_in_a_window_pauses_where_it_was_asked_to(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")  # the painter draws

    def turns(window: Any, stopped: Any) -> None:
        for _ in range(6):
            window.turn([], 1 / 30)
        assert not window.session.playing and "frame 3" in window.session.message
        window.session.reset()
        assert window.session.playhead == 0
        window.session.step(2)
        window.close()

    monkeypatch.setattr("framework.viewer.window.Window.run", turns)
    worlds: list[World] = []
    scene = load("drape")
    assert run_scene(scene, Options(frames=3, size=(160, 90)), worlds.append) == 0
    assert worlds[-1].frame == 2
    assert "window closed at frame 2" in capsys.readouterr().out
