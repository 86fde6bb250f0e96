"""The interactive run without a window: time, going back, edits, failures."""
from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest

from components import Appearance, BoundaryConditions, Gravity, MassSpring, Material, Wind
from components.prefabs import grid
from framework import SimulationError, Stage, System, World
from framework.viewer import notices
from framework.viewer.edits import repeat
from framework.viewer.session import MOST_FRAMES, Session
from systems import standard


def build(history: bool | int = True, systems: tuple[System, ...] = ()) -> World:
    world = World(systems=[*standard(), *systems], substeps=20, history=history)
    world.spawn(Gravity(), name="gravity")
    world.spawn(Wind(velocity=(1.0, 0.0, 0.5), coefficient=1e-3), name="wind")
    world.spawn(grid(size=(1.0, 1.0), cells=(4, 4), plane="xz"), Material(areal_density=0.2),
                MassSpring(stretch=50.0, shear=20.0, bend=1.0), BoundaryConditions.fixed("left"), Appearance(),
                name="cloth")
    world.watch("lowest", "cloth.position.min.y")
    return world


@pytest.fixture
def session() -> Session:
    return Session(build(), build)


def test_time_goes_by_whole_frames(session: Session) -> None:
    session.advance(1.0)
    assert session.playhead == 0  # it was not playing
    session.play()
    assert session.advance(0.5 / 60) == 0
    assert session.advance(0.6 / 60) == 1
    assert session.advance(10.0) <= MOST_FRAMES
    session.pause()
    assert session.advance(1.0) == 0
    assert session.step(2) == 2
    assert session.world.time == pytest.approx(session.playhead / 60)


@pytest.mark.parametrize(("speed", "seconds", "frames"), [(1.0, 2 / 60, 2), (0.25, 4 / 60, 1), (2.0, 1 / 60, 2)])
def test_slow_motion(session: Session, speed: float, seconds: float, frames: int,
                     monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("framework.viewer.session.PATIENCE", 60.0)
    session.speed = speed
    session.play()
    assert session.advance(seconds) == frames


@pytest.mark.parametrize("speed", [0.0, -3.0, float("nan"), float("inf"), 1e9])
def test_a_speed_stays_a_sensible_number(session: Session, speed: float) -> None:
    session.speed = speed
    assert 0.0 < session.speed <= 100.0


def test_a_slow_scene_gives_the_window_its_turn(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("framework.viewer.session.PATIENCE", 0.0)
    session.play()
    assert session.advance(1.0) == 1
    assert session.advance(1.0) == 1  # what could not be kept up with is not owed for ever
    assert session.advance(1e-6) == 1
    assert session.advance(1e-6) == 0


def test_the_run_pauses_where_it_was_asked_to(session: Session) -> None:
    session.stop_at = 3
    session.play()
    for _ in range(6):
        session.advance(2 / 60)
    assert session.playhead == 3 and not session.playing and "frame 3" in session.message
    session.play()
    session.advance(1 / 60)
    assert session.playhead == 4


def test_watched_and_unwatched_runs_are_the_same_bits(session: Session) -> None:
    plain = build()
    plain.run(frames=20)
    session.play()
    rng = np.random.default_rng(0)
    while session.playhead < 20:
        session.stop_at = 20
        session.speed = float(rng.uniform(0.1, 3.0))
        session.advance(float(rng.uniform(0.0, 0.1)))
        session.scrub(int(rng.integers(0, session.last + 1))) if rng.random() < 0.2 else None
    assert session.world.state_hash() == plain.state_hash()


def test_scrubbing_keeps_newer_frames_and_playing_repeats_them(session: Session) -> None:
    session.step(12)
    newest = session.world.state_hash()
    session.scrub(3)
    assert (session.playhead, session.last) == (3, 12)
    session.step(4)
    assert (session.playhead, session.last) == (7, 12)
    session.step(5)
    assert session.world.state_hash() == newest
    session.scrub(1000)
    session.scrub(-5)
    assert session.playhead == 0


def test_continuing_from_a_past_frame_starts_a_branch(session: Session) -> None:
    session.step(4)
    session.edit("wind.velocity", (3.0, 0.0, 0.0))
    session.step(4)
    session.continue_from(2)
    assert (session.playhead, session.last, session.playing) == (2, 2, True)
    assert session.edits == []
    session.step(6)
    plain = build()
    plain.run(frames=8)
    assert session.world.state_hash() == plain.state_hash()


def test_an_edit_at_a_past_frame_starts_a_branch(session: Session) -> None:
    session.step(3)
    session.edit("gravity", (0.0, -1.0, 0.0))
    session.step(5)
    session.scrub(2)
    assert session.edit("wind.velocity", (0.0, 0.0, 9.0))
    assert session.last == 2
    assert [edit.frame for edit in session.edits] == [2]


@pytest.mark.parametrize("history", [True, 30_000, False])
def test_edits_repeat_without_a_window(history: bool | int) -> None:
    session = Session(build(history), build)
    session.step(2)
    assert session.edit("wind.velocity", (0.0, 0.0, 4.0))
    session.step(3)
    assert session.edit("cloth.mass_spring.stretch", 80.0)
    assert session.edit("cloth.mass_spring.stretch", 60.0)
    session.step(4)
    again = build()
    repeat(again, session.edits, session.last)
    assert again.state_hash() == session.world.state_hash()
    assert [time for time, _ in session.marks] == pytest.approx([2 / 60, 5 / 60, 5 / 60])
    assert "wind.velocity" in session.marks[0][1]


@pytest.mark.parametrize(("path", "value", "said"), [
    ("wind.velocty", (1, 0, 0), "velocity"), ("wnd.velocity", (1, 0, 0), "wind"), ("cloth.material", 3.0, ""),
    ("cloth.mass_spring.stretch", -1.0, "stretch"), ("world.frame", 7, "restore"),
])
def test_a_bad_edit_is_a_message(session: Session, path: str, value: object, said: str) -> None:
    session.step(2)
    before = session.world.state_hash()
    assert not session.edit(path, value)
    assert said in session.message and session.message
    assert session.edits == [] and session.world.state_hash() == before


def test_a_run_that_turns_non_finite_pauses_at_its_last_good_frame(session: Session) -> None:
    session.step(3)
    session.edit("cloth.mass_spring.stretch", 1e9)
    session.play()
    for _ in range(60):
        session.advance(2 / 60)
    assert not session.playing and "last good frame" in session.message
    assert np.isfinite(session.world.value("cloth.position")).all()
    with pytest.raises(SimulationError):
        session.world.step()


class Breaks(System):
    """A person's system with a mistake."""

    stage = Stage.FEEDBACK

    def process(self, world: World, step: object) -> None:
        if world.frame > 2:
            raise KeyError("tension")


def test_an_error_in_a_persons_system_pauses_and_names_it(capsys: pytest.CaptureFixture[str]) -> None:
    session = Session(build(systems=(Breaks(),)))
    assert session.step(5) == 2
    assert session.failed and "KeyError" in session.message and "Breaks" in session.message
    assert session.playhead == 2
    assert "KeyError" in capsys.readouterr().err


def test_an_error_in_a_persons_file_is_told_with_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In the window and in the terminal."""
    file = tmp_path / "mine.py"
    file.write_text(
        "from framework import Stage, System\n\n\nclass Mine(System):\n    stage = Stage.FEEDBACK\n\n"
        "    def process(self, world, step):\n        if world.frame > 2:\n            raise KeyError('tension')\n"
    )
    session = Session(build(systems=(runpy.run_path(str(file))["Mine"](),)))
    assert session.step(5) == 2
    assert "mine.py:9: KeyError" in session.message
    shown = capsys.readouterr().err
    assert "Traceback in your code" in shown and "mine.py" in shown and "framework" not in shown


def test_good_news_goes_by_itself_and_failures_stay(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    session.message = "screenshot: a.png"
    assert session.notice and not session.failed
    now = notices.perf_counter()
    monkeypatch.setattr(notices, "perf_counter", lambda: now + 2 * notices.LASTING)
    assert session.notice == "" and session.message
    session.fail("it broke")
    monkeypatch.setattr(notices, "perf_counter", lambda: now + 20 * notices.LASTING)
    assert session.notice == "it broke"


def test_a_hand_is_drawn_to_where_it_pulls(session: Session) -> None:
    entity = session.world.id("cloth")
    before = len(session.world.scene().lines)
    session.grab(entity, 3)
    session.drag_to((0.0, 2.0, 1.0))
    session.step(2)
    assert len(session.world.scene().lines) == before + 1


def test_reset_builds_the_scene_anew(session: Session) -> None:
    session.step(3)
    session.edit("wind.velocity", (9.0, 0.0, 0.0))
    session.selection = (99, 0)
    session.play()
    session.reset()
    assert (session.playhead, session.last, session.playing) == (0, 0, False)
    assert session.edits == [] and session.selection is None
    assert session.world.value("wind.velocity")[0] == 1.0


def test_reset_that_fails_keeps_the_world() -> None:
    def broken() -> World:
        raise OSError("no mesh.obj")

    session = Session(build(), broken)
    session.step(2)
    session.reset()
    assert session.playhead == 2 and "mesh.obj" in session.message
    session.rebuild = None
    session.reset()
    assert session.playhead == 2 and "no scene" in session.message


def test_without_a_history_going_back_is_a_message() -> None:
    session = Session(build(history=False), build)
    session.step(4)
    session.scrub(1)
    assert session.playhead == 4 and "history" in session.message


def test_branches_are_switched_with_their_edits(session: Session) -> None:
    session.step(3)
    assert session.edit("gravity.acceleration", (0.0, -1.0, 0.0))
    session.step(5)
    first = session.world.state_hash()
    session.scrub(2)
    session.edit("wind.velocity", (0.0, 0.0, 9.0))
    session.step(4)
    second = session.world.state_hash()
    for name, frame, edits, text in (("run", 8, [3], first), ("branch 1", 6, [2], second), ("run", 8, [3], first)):
        session.switch(name)
        assert (session.playhead, session.last, session.world.state_hash()) == (frame, frame, text)
        assert [edit.frame for edit in session.edits] == edits
        again = build()
        repeat(again, session.edits, session.last)
        assert again.state_hash() == text
    session.switch("branch 9")
    assert "there is no branch 'branch 9'" in session.message and session.playhead == 8
