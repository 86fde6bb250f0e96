"""What goes wrong with recordings: kills, full disks, files that are damaged, replaced or of another kind."""
from __future__ import annotations

import errno
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from framework import RecordingError, World
from framework.recording import Recording, journal
from framework.recording.head import HEAD, Head
from tests.unit.test_recording import small

h5py = pytest.importorskip("h5py")
ROOT = Path(__file__).resolve().parents[2]
RUNNER = """
import sys
from tests.unit.test_recording import small
world = small(200)
recorder = world.record(sys.argv[1])
print(0, flush=True)
while True:
    world.step()
    print(world.frame, flush=True)
"""


def record(path: Path, frames: int = 5, n: int = 64) -> World:
    world = small(n)
    with world.record(path):
        world.step(frames)
    return world


def readable(path: Path) -> list[int]:
    """The frames that can be read; RecordingError when the recording cannot be opened."""
    good = []
    with Recording(path) as recording:
        for frame in recording:
            try:
                cell = recording.entities(frame)["cell"]["cell"]
            except RecordingError as error:
                assert str(path) in str(error)
                continue
            assert cell["count"] == frame and np.array_equal(cell["fixed"], np.arange(float(len(cell["x"]))))
            good.append(frame)
    return good


# -- kills ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kills", [3, pytest.param(20, marks=pytest.mark.slow)])
def test_a_killed_run_keeps_every_frame_that_it_said_was_finished(tmp_path: Path, kills: int) -> None:
    rng = random.Random(kills)
    for kill in range(kills):
        path = tmp_path / f"{kill}.h5"
        process = subprocess.Popen([sys.executable, "-c", RUNNER, str(path)], cwd=ROOT, stdout=subprocess.PIPE,
                                   env={**os.environ, "PYTHONPATH": str(ROOT)}, text=True)
        assert process.stdout is not None
        said = [process.stdout.readline()]
        time.sleep(rng.uniform(0.0, 0.3))
        process.send_signal(signal.SIGKILL)
        said += process.stdout.read().splitlines()
        process.wait()
        finished = int([line for line in said if line.strip()][-1])
        with Recording(path) as recording:
            assert not recording.complete and not recording.live
        assert readable(path)[: finished + 1] == list(range(finished + 1))


def test_a_recording_that_is_being_written_can_be_read(tmp_path: Path) -> None:
    path, world = tmp_path / "run.h5", small()
    with world.record(path):
        world.step(3)
        with Recording(path) as recording:
            assert recording.live and not recording.complete and recording.frames == [0, 1, 2, 3]
        with pytest.raises(RecordingError, match="another run is writing it"):
            small().record(path)
        world.step()
        assert readable(path) == [0, 1, 2, 3, 4]


# -- the disk ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("after", range(0, 40, 3))
def test_a_full_disk_ends_the_recording_and_keeps_its_frames(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    path, world, calls = tmp_path / "run.h5", small(), []
    write = journal.write_all

    def full(fd: int, data: Any, at: int) -> None:
        calls.append(at)
        if len(calls) > after + 8:  # the first frame fits
            write(fd, memoryview(data)[: len(data) // 2], at)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        write(fd, data, at)

    recorder = world.record(path)
    monkeypatch.setattr(journal, "write_all", full)
    del calls[:]
    with pytest.raises(RecordingError, match=r"run\.h5: frame \d+ cannot be recorded: No space left on device"):
        for _ in range(40):
            world.step()
    failed = world.frame
    world.step(2)  # the world itself goes on
    assert world.frame == failed + 2 and recorder.frames == failed
    recorder.close()
    monkeypatch.undo()
    assert readable(path)[:failed] == list(range(failed))
    with h5py.File(path) if not Recording(path).mended else h5py.File(_mended(path)) as plain:
        assert len(plain["frames/00000"]) >= failed


def _mended(path: Path) -> Path:
    assert journal.mend(path)
    return path


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_device_is_no_place_for_a_recording() -> None:
    with pytest.raises(RecordingError, match="/dev/full"):
        small().record("/dev/full")


@pytest.mark.parametrize("what", ["deleted", "replaced"])
def test_a_file_that_is_taken_away_while_it_is_written(tmp_path: Path, what: str) -> None:
    path, world = tmp_path / "run.h5", small()
    with world.record(path):
        world.step()
        path.unlink()
        if what == "replaced":
            path.write_text("mine")
        with pytest.raises(RecordingError, match=f"the file was {what} by another program"):
            world.step()
    assert what == "deleted" or path.read_text() == "mine"


def test_a_reader_keeps_a_recording_that_is_deleted(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    record(path)
    with Recording(path) as recording:
        path.unlink()
        assert recording.entities(3)["cell"]["cell"]["count"] == 3


def test_a_reader_notices_that_the_file_is_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    record(path, n=4000)
    with Recording(path) as recording:
        size = path.stat().st_size
        with path.open("r+b") as file:
            file.write(bytes(size))
        with pytest.raises(RecordingError, match=r"run\.h5"):
            for frame in recording:
                recording.entities(frame)


def test_a_failed_start_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.h5"

    def full(fd: int, data: Any, at: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(journal, "write_all", full)
    with pytest.raises(RecordingError, match="No space left"):
        small().record(path)
    assert not path.exists()


# -- damage -----------------------------------------------------------------------------------------------------------


def test_a_bit_in_an_array_costs_that_frame_only(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    record(path)
    with Recording(path) as recording:
        x = recording.entities(3)["cell"]["cell"]["x"].tobytes()
    data = bytearray(path.read_bytes())
    assert data.count(x) == 1
    data[data.index(x) + 100] ^= 4
    path.write_bytes(data)
    assert readable(path) == [0, 1, 2, 4, 5]
    with Recording(path) as recording, pytest.raises(
        RecordingError, match=r"run\.h5: cell\.cell\.x of frame 3 is damaged \(its checksum differs\)"
    ):
        recording.entities(3)


def test_a_bit_in_a_record_costs_that_frame_only(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    record(path)
    data = bytearray(path.read_bytes())
    data[data.index(b'{"frame":3,') + 30] ^= 1
    path.write_bytes(data)
    assert readable(path) == [0, 1, 2, 4, 5]
    with Recording(path) as recording, pytest.raises(RecordingError, match=r"frame 3 is damaged \(its checksum"):
        recording.time(3)


def test_a_damaged_head_is_told_and_read_over(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    record(path)
    data = bytearray(path.read_bytes())
    data[60] ^= 1
    path.write_bytes(data)
    assert readable(path) == [0, 1, 2, 3, 4, 5]
    with Recording(path) as recording:
        assert recording.damage == "its first 512 bytes are damaged"


@pytest.mark.parametrize(("version", "message"), [(7, "of a newer pliant"), (0, "no longer reads")])
def test_other_versions_of_the_format(tmp_path: Path, version: int, message: str) -> None:
    path = tmp_path / "run.h5"
    record(path)
    data = path.read_bytes()
    head = Head.of(data[:HEAD])
    assert head is not None
    path.write_bytes(Head(version, head.id, head.end).to_bytes() + data[HEAD:])
    with pytest.raises(RecordingError, match=f"has format {version}, .*{message}"):
        Recording(path)


def foreign(path: Path, kind: str) -> None:
    if kind == "hdf5":
        with h5py.File(path, "w") as file:
            file["x"] = 1
    else:
        path.write_bytes({"text": b"frame,time\n", "empty": b"", "head only": b"pliant recording\n" + bytes(600)}[kind])


@pytest.mark.parametrize(("kind", "message"), [
    ("hdf5", "is an HDF5 file, but no recording"), ("text", "is no recording"), ("empty", "is no recording"),
    ("head only", "its index is damaged"),
])
def test_files_of_another_kind(tmp_path: Path, kind: str, message: str) -> None:
    foreign(tmp_path / "run.h5", kind)
    with pytest.raises(RecordingError, match=message):
        Recording(tmp_path / "run.h5")


@pytest.mark.parametrize("kept", [0.999, 0.9, 0.5, 0.1])
def test_a_truncated_recording_says_so(tmp_path: Path, kept: float) -> None:
    path = tmp_path / "run.h5"
    record(path, 40)
    data = path.read_bytes()
    path.write_bytes(data[: int(kept * len(data))])
    if kept < 0.95:
        with pytest.raises(RecordingError, match="cut short"):
            Recording(path)
    else:
        with Recording(path) as recording:
            assert "cut short" in recording.damage
        assert len(readable(path)) >= 35


MUTATE = """
import random, resource, signal, sys
from pathlib import Path
from framework import PliantError
from framework.recording import Recording

source, target, first, last = Path(sys.argv[1]).read_bytes(), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
for seed in range(first, last):
    print(seed, flush=True)
    signal.alarm(20)
    rng, data = random.Random(seed), bytearray(source)
    at, length = rng.randrange(len(data)), rng.randrange(1, 600)
    kind = seed % 6
    if kind == 0:
        data[at] ^= 1 << rng.randrange(8)
    elif kind == 1:
        data[at : at + length] = bytes(len(data[at : at + length]))
    elif kind == 2:
        data[at : at + 8] = b"\\xff" * len(data[at : at + 8])
    elif kind == 3:
        del data[at:]
    elif kind == 4:
        other = rng.randrange(len(data))
        data[at : at + length] = data[other : other + length]
    else:
        for _ in range(16):
            data[rng.randrange(min(len(data), 6000))] = rng.randrange(256)
    target.write_bytes(data)
    try:
        with Recording(target) as recording:
            for frame in recording:
                try:
                    fields = recording.fields(frame)
                    assert fields["cell.cell.count"] == frame and len(fields["cell.cell.x"]) == 40, seed
                except PliantError as error:
                    assert str(target) in str(error), error
    except PliantError as error:
        assert str(target) in str(error), error
print("done")
"""


def killed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A recording whose run was killed while a journal was carried out."""
    world, write, done = small(40), journal.write_all, []
    recorder = world.record(path)
    world.step(30)

    def watched(fd: int, data: Any, at: int) -> None:
        write(fd, data, at)
        done.append(path.read_bytes())

    with monkeypatch.context() as patch:
        patch.setattr(journal, "write_all", watched)
        world.step()
    recorder.close()
    path.write_bytes(done[4])  # arrays, journal, head, and two of the replacements
    with Recording(path) as recording:
        assert recording.mended and recording.last == 31


@pytest.mark.parametrize("ended", [True, False])
@pytest.mark.parametrize(("first", "last"), [(0, 60), pytest.param(60, 460, marks=pytest.mark.slow)])
def test_mutated_recordings_give_an_error_or_true_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: int, last: int, ended: bool
) -> None:
    """Run in a process of its own: a crash or hang of the HDF5 library would name its seed."""
    if ended:
        record(tmp_path / "run.h5", 30, n=40)
    else:
        killed(tmp_path / "run.h5", monkeypatch)
    done = subprocess.run(
        [sys.executable, "-c", MUTATE, str(tmp_path / "run.h5"), str(tmp_path / "mutated.h5"), str(first), str(last)],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.endswith("done\n"), (done.stdout[-20:], done.stderr[-2000:])


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux")
def test_a_long_recording_needs_no_more_memory_and_files(tmp_path: Path) -> None:
    def used() -> tuple[float, int]:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6, len(os.listdir("/proc/self/fd"))

    world = small(100)
    with world.record(tmp_path / "run.h5"):
        world.step(2000)
        memory, files = used()
        world.step(18000)
        memory_after, files_after = used()
    assert files_after == files and memory_after - memory < 30.0, (memory, memory_after)
    with Recording(tmp_path / "run.h5") as recording:
        assert len(recording) == 20001 and recording.series("count")[1][-1] == 20000
