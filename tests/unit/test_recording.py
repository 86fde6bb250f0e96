"""Recordings: every finished frame survives whatever happens to the process, and goes on bit for bit."""
from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from framework import Stage, System, World, component, field
from framework.recording import Recording, journal
from tests.golden import scenes

h5py = pytest.importorskip("h5py")
LAST = 16


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[int, str]]:
    """A recording of a world that uses everything that is state, and the hashes of its frames."""
    path = tmp_path_factory.mktemp("run") / "run.h5"
    world, hashes = scenes.everything(), {}
    with world.record(path):
        hashes[0] = world.state_hash()
        for frame in range(1, LAST + 1):
            scenes.edit(world)
            world.step()
            hashes[frame] = world.state_hash()
    return path, hashes


def test_frames_have_the_hashes_of_the_run(run: tuple[Path, dict[int, str]]) -> None:
    with Recording(run[0]) as recording:
        assert recording.complete and not recording.live and not recording.mended
        assert {frame: recording.state_hash(frame) for frame in recording} == run[1]
        assert (recording.first, recording.last, len(recording)) == (0, LAST, LAST + 1)


@pytest.mark.parametrize("frame", [0, 4, 8, 13])
def test_a_recorded_frame_goes_on_bit_for_bit(run: tuple[Path, dict[int, str]], frame: int) -> None:
    world = scenes.everything(seed=5, stretch=33.0)  # other values: all must come from the recording
    with Recording(run[0]) as recording:
        recording.restore_into(world, frame)
    assert world.state_hash() == run[1][frame]
    for later in range(frame + 1, LAST + 1):
        scenes.edit(world)
        world.step()
        assert world.state_hash() == run[1][later], later


@pytest.mark.parametrize("integrator", ["verlet", "implicit"])
def test_other_integrators(tmp_path: Path, integrator: str) -> None:
    world, path = scenes.everything(integrator), tmp_path / "run.h5"
    with world.record(path):
        world.step(9)
    other = scenes.everything(integrator, seed=2)
    with Recording(path) as recording:
        recording.restore_into(other, 5)
        other.step(4)
        assert other.state_hash() == world.state_hash() == recording.state_hash(9)


def test_the_recording_holds_what_was_given_from_outside(run: tuple[Path, dict[int, str]]) -> None:
    with Recording(run[0]) as recording:
        given = recording.given()
        assert [(frame, type(command).__name__) for frame, command in given] == [
            (3, "Spawn"), (5, "Despawn"), (11, "Despawn"), (11, "Set")]


# -- kills ------------------------------------------------------------------------------------------------------------


@component
class Cell:
    """A number and some arrays."""

    x: np.ndarray = field(unit="m", shape=("n",), doc="changes")
    fixed: np.ndarray = field(unit="m", shape=("n",), doc="does not change")
    count: int = field(dtype="int", default=0, principal=True, doc="frames so far")


class Count(System):
    """Counts frames."""

    stage, writes = Stage.EVOLVE, (Cell,)

    def process(self, world: World, step: Any) -> None:
        for _, cell in world.query(Cell):
            cell.count += 1
            cell.x[...] += world.random("x").standard_normal(len(cell.x))


def small(n: int = 64) -> World:
    world = World(systems=[Count()], frame_time=0.5, substeps=1, history=2**20)
    world.spawn(Cell(x=np.zeros(n), fixed=np.arange(float(n))), name="cell")
    world.watch("count", "cell.count")
    return world


def test_a_kill_at_any_write_keeps_every_finished_frame(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file as it is after each write to it, and in the middle of each, holds all frames finished till then."""
    path, world, states, done = tmp_path / "run.h5", small(), [], 0
    write = journal.write_all

    def watched(fd: int, data: Any, at: int) -> None:
        for piece in (memoryview(data)[: len(data) // 2], data):
            if len(piece) != 512 or piece is data:  # the head is less than a page: it is written or not
                write(fd, piece, at)
                states.append((done, path.read_bytes()))

    monkeypatch.setattr(journal, "write_all", watched)
    recorder = world.record(path)
    while done < 4:
        done += 1
        world.step()
    recorder.close()
    monkeypatch.undo()
    killed, mended = tmp_path / "killed.h5", 0
    for finished, content in (state for state in states if state[0]):
        killed.write_bytes(content)
        with Recording(killed) as recording:
            mended += recording.mended
            assert recording.last >= finished - 1
            for frame in recording:
                assert recording.entities(frame)["cell"]["cell"]["count"] == frame
                recording.fields(frame)
        waiting = recording.mended
        assert journal.mend(killed) == waiting
        with h5py.File(killed) as plain:
            assert len(plain["frames/00000"]) == len(recording.frames)
    assert mended > 10, "some kills need the journal"
