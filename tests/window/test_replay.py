"""A recording in a session: frames are shown, not run, and nothing can be changed."""
from __future__ import annotations

from pathlib import Path

import pytest

from components import Gravity, MassSpring, Material, Position
from components.prefabs import rope
from framework import World
from framework.recording import Recording
from framework.recording.replay import Replay
from framework.recording.window import RecordedSession
from systems import standard

pytest.importorskip("h5py")


@pytest.fixture
def session(tmp_path: Path) -> RecordedSession:
    world = World(systems=standard(), substeps=20)
    world.spawn(Gravity(), name="gravity")
    world.spawn(rope(segments=4), Material(linear_density=0.1), MassSpring(stretch=50.0), name="rope")
    world.watch("height", "rope.position.mean.y")
    with world.record(tmp_path / "run.h5"):
        world.step(6)
    notes: list[str] = []
    made = RecordedSession(Replay(Recording(tmp_path / "run.h5"), notes.append), 2)
    assert "drawn by the standard systems" in notes[0]
    return made


def test_frames_are_played_to_the_last(session: RecordedSession) -> None:
    assert (session.playhead, session.last) == (2, 6)
    assert session.step(3) == 3 and session.playhead == 5
    session.play()
    session.advance(1.0)
    session.advance(1.0)
    assert session.playhead == 6 and not session.playing and "last frame of the recording" in session.message


@pytest.mark.parametrize(("asked", "shown"), [(0, 0), (4, 4), (-5, 0), (99, 6)])
def test_scrubbing(session: RecordedSession, asked: int, shown: int) -> None:
    session.scrub(asked)
    assert session.playhead == shown
    recorded = session._replay.recording.entities(shown)["rope"]["position"]["x"]
    assert (session.world.get("rope", Position).x == recorded).all()


def test_nothing_can_be_changed(session: RecordedSession) -> None:
    before = session.world.state_hash()
    assert not session.edit("rope.material.linear_density", 0.2)
    assert "pliant run --from" in session.message and session.message.endswith("run.h5@2")
    assert not session.grab(session.world.id("rope"), 1) and not session.pin(session.world.id("rope"), 1)
    session.continue_from()
    assert session.world.state_hash() == before and not session.playing
    session.reset()
    assert session.playhead == 0
