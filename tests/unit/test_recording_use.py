"""The commands on recordings, going on from one, saving worlds, and the one clear message for each mistake."""
from __future__ import annotations

import errno
import os
import subprocess
import sys
import xml.etree.ElementTree as xml
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from components import MassSpring, Material
from components.prefabs import grid
from framework import CommandError, RecordingError, World, component, field
from framework.recording import Recording, journal
from systems import standard
from tests.unit.test_cli import SCENE, Pliant, pliant, scene_with  # noqa: F401
from tests.unit.test_recording import small

pytest.importorskip("h5py")
ROOT = Path(__file__).resolve().parents[2]


def cloth(stretch: float = 50.0) -> World:
    world = World(systems=standard(), frame_time=0.02, substeps=4)
    world.spawn(grid(size=(1.0, 1.0), cells=(4, 4), plane="xz"), Material(areal_density=0.2),
                MassSpring(stretch=stretch), name="cloth")
    world.watch("centre", "cloth.position.mean")
    return world


# -- the command line -------------------------------------------------------------------------------------------------


def test_run_records_and_goes_on(pliant: Pliant) -> None:  # noqa: F811
    _, out, err = pliant("run", "scene.py", "--set", "build.rate=0.25", "--set", "ball.value=2", "--frames", "8",
                         "--record", "run.h5")
    assert "recording: run.h5 (9 frames" in out and err == "pliant: 1 of 1 checks failed\n", err
    _code, out, err = pliant("run", "--from", "run.h5@3", "--frames", "5", "--record", "rest.h5", "--csv", "rest.csv")
    assert "scene: 5 frames, 0.8 s simulated" in out and "rest.h5 (6 frames" in out, err
    with Recording("run.h5") as run, Recording("rest.h5") as rest:
        assert rest.frames == [3, 4, 5, 6, 7, 8] and run.complete
        assert [run.state_hash(frame) for frame in rest] == [rest.state_hash(frame) for frame in rest]
        assert run.origin is not None and run.origin.arguments == {"rate": "0.25"}
        assert run.series("height")[1] == pytest.approx(2.0 - 0.025 * np.arange(9))
    assert Path("rest.csv").read_text().count("\n") == 10, "the series are those of the whole run"


def test_a_run_that_goes_on_ends_where_the_scene_does(pliant: Pliant) -> None:  # noqa: F811
    pliant("run", "scene.py", "--record", "run.h5")
    code, out, _ = pliant("run", "scene.py", "--from", "run.h5@1")
    assert code == 0 and "scene: 3 frames" in out and "pass  height at the end" in out
    code, out, _ = pliant("run", "--from", "run.h5@1", "--set", "ball.value=9")
    assert code == 1 and "FAIL" in out


def test_a_script_and_the_program_go_on_from_each_other(tmp_path: Path) -> None:
    """Classes of a script that runs itself are those of the module it is elsewhere; and the process is another."""
    (tmp_path / "scene.py").write_text(SCENE)
    def python(*arguments: str) -> None:
        done = subprocess.run([sys.executable, *arguments], cwd=tmp_path, capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": str(ROOT)})
        assert "Traceback" not in done.stderr and done.returncode in (0, 1), done.stderr

    python("scene.py", "--frames", "6", "--record", "a.h5")
    python("-m", "framework.cli", "run", "--from", "a.h5@2", "--frames", "4", "--record", "b.h5")
    python("scene.py", "--from", "b.h5@4", "--frames", "2", "--record", "c.h5")
    runs = [Recording(tmp_path / name) for name in ("a.h5", "b.h5", "c.h5")]
    assert len({run.state_hash(6) for run in runs}) == 1


def test_a_recording_moves_with_its_scene(pliant: Pliant) -> None:  # noqa: F811
    pliant("run", "scene.py", "--record", "run.h5")
    Path("other").mkdir()
    for name in ("run.h5", "scene.py"):
        Path(name).rename(Path("other") / name)
    assert pliant("run", "--from", "other/run.h5@2")[0] == 0
    code, _, err = pliant("run", "other/scene.py", "--from", "other/run.h5@2")
    assert (code, err) == (0, "")
    Path("other/scene.py").unlink()
    code, _, err = pliant("run", "--from", "other/run.h5@2")
    assert code == 2 and "other/run.h5: its scene cannot be loaded: no such file" in err


def test_info(pliant: Pliant) -> None:  # noqa: F811
    pliant("run", "scene.py", "--set", "build.rate=0.25", "--record", "run.h5")
    code, out, err = pliant("info", "run.h5", "--check")
    assert (code, err) == (0, "")
    for text in ("scene.py --set build.rate=0.25", "complete", "0 to 4", "t = 0.4 s, hash", "height (ball.value)",
                 "height.value", "checked: 5 of 5 frames are good"):
        assert text in out, text


def test_info_of_a_damaged_recording(pliant: Pliant) -> None:  # noqa: F811
    pliant("run", "scene.py", "--record", "run.h5")
    data = bytearray(Path("run.h5").read_bytes())
    data[data.index(b'{"frame":2,') + 20] ^= 1
    Path("run.h5").write_bytes(data)
    code, out, err = pliant("info", "run.h5", "--check")
    assert code == 1 and "4 of 5 frames are good" in out and "run.h5: frame 2 is damaged" in err


def test_what_is_not_damaged_can_be_used(pliant: Pliant) -> None:  # noqa: F811
    pliant("run", "rope", "--frames", "5", "--record", "run.h5")
    data = bytearray(Path("run.h5").read_bytes())
    for frame in (2, 5):
        data[data.index(b'{"frame":%d,' % frame) + 20] ^= 1
    Path("run.h5").write_bytes(data)
    code, out, err = pliant("info", "run.h5")
    assert code == 0 and "frame 5 is damaged" in out, err
    code, out, err = pliant("export", "run.h5", "out", "--to", "obj")
    assert code == 0 and "12 files in out" in out and err.count("left out") == 2
    code, out, err = pliant("replay", "run.h5@4", "--film", "run.mp4", "--picture", "run.png", "--size", "64x48")
    assert code == 0 and "film: run.mp4" in out and err.count("stands for it") == 2
    with pytest.warns(RuntimeWarning, match=r"frame 2 is damaged .*; its watches are left out"):
        code, out, err = pliant("run", "--from", "run.h5@4", "--frames", "2")
    assert "2 frames" in out, err


def test_replay_draws_what_the_run_drew(pliant: Pliant) -> None:  # noqa: F811
    size = ("--size", "64x48")
    pliant("run", "rope", "--frames", "4", "--record", "run.h5", "--picture", "run.png", *size)
    code, out, err = pliant("replay", "run.h5@4", "--picture", "again.png", "--film", "again.mp4", *size)
    assert code == 0 and "again.png (frame 4)" in out and "again.mp4" in out, err
    assert Path("run.png").read_bytes() == Path("again.png").read_bytes()


def test_replay_without_the_scene(pliant: Pliant) -> None:  # noqa: F811
    world = cloth()
    with world.record("run.h5"):
        world.step(2)
    world.picture("run.png", size=(64, 48))
    code, _out, err = pliant("replay", "run.h5", "--picture", "again.png", "--size", "64x48")
    assert code == 0 and "drawn by the standard systems" in err
    assert Path("run.png").read_bytes() == Path("again.png").read_bytes()


# -- export -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def run(tmp_path: Path) -> Path:
    world = cloth()
    with world.record(tmp_path / "run.h5"):
        world.step(3)
    return tmp_path / "run.h5"


def test_export_to_paraview(pliant: Pliant, run: Path) -> None:  # noqa: F811
    meshio = pytest.importorskip("meshio")
    code, out, err = pliant("export", str(run), "out", "--to", "vtu")
    assert code == 0 and "5 files in out, such as out/run.pvd" in out, err
    series = xml.parse("out/run.pvd").getroot().findall("Collection/DataSet")
    assert [float(entry.get("timestep", "")) for entry in series] == pytest.approx([0.0, 0.02, 0.04, 0.06])
    mesh = meshio.read(Path("out") / str(series[2].get("file")))
    with Recording(run) as recording:
        cloth = recording.entities(2)["cloth"]
    assert np.array_equal(mesh.points, cloth["position"]["x"])
    assert np.array_equal(mesh.cells_dict["triangle"], cloth["geometry"]["triangles"])
    assert np.array_equal(mesh.point_data["velocity_v"], cloth["velocity"]["v"])
    assert np.array_equal(mesh.point_data["mass_m"].ravel(), cloth["mass"]["m"])


@pytest.mark.parametrize("kind", ["ply", "obj"])
def test_export_to_polygons(pliant: Pliant, run: Path, kind: str) -> None:  # noqa: F811
    meshio = pytest.importorskip("meshio")
    code, _out, err = pliant("export", str(run), "out", "--to", kind, "--every", "2")
    assert code == 0 and sorted(os.listdir("out")) == [f"cloth_000000.{kind}", f"cloth_000002.{kind}"], err
    mesh = meshio.read(f"out/cloth_000002.{kind}")
    with Recording(run) as recording:
        cloth = recording.entities(2)["cloth"]
    assert np.array_equal(mesh.points, cloth["position"]["x"])
    assert np.array_equal(mesh.cells_dict["triangle"], cloth["geometry"]["triangles"])


def test_export_of_a_body_of_lines(pliant: Pliant) -> None:  # noqa: F811
    meshio = pytest.importorskip("meshio")
    pliant("run", "rope", "--frames", "1", "--record", "run.h5")
    assert pliant("export", "run.h5", "out", "--to", "vtu")[0] == 0
    mesh = meshio.read(next(path for path in Path("out").iterdir() if path.name.endswith("000001.vtu")))
    assert len(mesh.cells_dict["line"]) > 0


def test_export_of_watches(pliant: Pliant, run: Path) -> None:  # noqa: F811
    assert pliant("export", str(run), "out", "--to", "csv")[0] == 0
    lines = Path("out/watches.csv").read_text().splitlines()
    assert lines[0] == "frame,time [s],centre.x,centre.y,centre.z" and len(lines) == 5


# -- mistakes ---------------------------------------------------------------------------------------------------------

MISTAKES = [
    (("run", "--from", "run.h5@999"), "run.h5 has no frame 999; it holds frames 0 to 4"),
    (("run", "--from", "run.h5@-1"), "after @ comes the number of a frame, 0 or more, got '-1'"),
    (("run", "--from", "run.h5@x"), "got 'x'"),
    (("run", "--from", "run.h5@"), "got ''"),
    (("run", "--from", "@3"), "names no recording"),
    (("run", "--from", "no.h5@3"), "cannot read the recording no.h5: No such file"),
    (("run", "--from", "scene.py@3"), "scene.py is no recording"),
    (("run", "--from", "."), "this is a folder"),
    (("run", "rope", "--from", "run.h5"), "scene.py, not from rope"),
    (("run", "--from", "run.h5", "--seed", "1"), "--seed: a run that goes on"),
    (("run", "--from", "run.h5", "--set", "build.rate=1"), "--set build.rate: a run that goes on"),
    (("run", "--from", "run.h5", "--record", "run.h5"), "the run goes on from this recording"),
    (("run", "--from", "hand.h5"), "does not say which scene made it"),
    (("run", "scene.py", "--record", "run.txt"), "must end in .h5 or .hdf5"),
    (("run", "scene.py", "--record", "no/run.h5"), "the folder no does not exist"),
    (("run", "scene.py", "--record", "mine.h5"), "the file there is no recording; it is left as it is"),
    (("run", "scene.py", "--record", "a.h5", "--csv", "./a.h5"), "--csv a.h5: the name must end in .csv"),
    (("replay", "run.h5"), "no window can be opened; write it with --film F.mp4"),
    (("replay", "run.h5@9", "--picture", "a.png"), "has no frame 9"),
    (("replay", "run.h5", "--film", "a.txt"), "must end in .mp4 or .gif"),
    (("replay", "run.h5@2", "--film", "a.mp4"), "a film shows all frames"),
    (("export", "run.h5", "out", "--to", "vtk"), "no such format; did you mean 'vtu'"),
    (("export", "run.h5", "scene.py", "--to", "vtu"), "scene.py: a file is there; name a folder"),
    (("export", "run.h5", "no/out", "--to", "csv"), "the folder no does not exist"),
    (("export", "run.h5", "out", "--to", "csv", "--every", "0"), "--every must be 1 or more"),
    (("export", "run.h5", "out", "--to", "vtu"), "holds no body with particles"),
    (("export", "run.h5", "out"), "--to"),
    (("info", "no.h5"), "cannot read the recording no.h5"),
    (("info", "run.h5@77"), "has no frame 77"),
    (("info",), "Missing argument"),
]


@pytest.fixture
def recorded(pliant: Pliant) -> Pliant:  # noqa: F811
    assert pliant("run", "scene.py", "--record", "run.h5")[0] == 0
    world = small()
    world.record("hand.h5").close()
    Path("mine.h5").write_text("mine")
    return pliant


@pytest.mark.parametrize(("arguments", "message"), MISTAKES, ids=[" ".join(a) for a, _ in MISTAKES])
def test_a_mistake_gives_one_message_and_2(recorded: Pliant, arguments: tuple[str, ...], message: str) -> None:
    before = Path("run.h5").read_bytes()
    code, _, err = recorded(*arguments)
    assert code == 2, err
    assert message in err and err.startswith("pliant: ") and "Traceback" not in err
    assert Path("run.h5").read_bytes() == before and Path("mine.h5").read_text() == "mine"


def test_a_folder_that_cannot_be_written(pliant: Pliant, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    def closed(*arguments: Any) -> int:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr("framework.recording.journal.os.open", closed)
    code, _, err = pliant("run", "scene.py", "--record", "run.h5")
    assert code == 2 and "run.h5" in err and "Permission denied" in err


def test_a_run_goes_on_when_its_recording_cannot(pliant: Pliant, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    commit, calls = journal.Journaled.commit, []

    def full(self: journal.Journaled) -> None:
        calls.append(0)
        if len(calls) > 3:  # the head, frames 0 and 1
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        commit(self)

    monkeypatch.setattr(journal.Journaled, "commit", full)
    code, out, err = pliant("run", "scene.py", "--record", "run.h5", "--csv", "run.csv")
    assert code == 2 and "scene: 4 frames" in out and "csv: run.csv" in out
    assert "run.h5: frame 2 cannot be recorded: No space left on device; the recording ends with frame 1" in err
    with Recording("run.h5") as recording:
        assert recording.frames == [0, 1] and not recording.complete


SCENES = [
    ("other field", scene_with("value: float = field(", "extra: float = field(unit=\"m\", default=0.0, doc=\"\")\n"
                               "    value: float = field("),
     "the component Height has other fields than in the recording; extra did not exist then"),
    ("lost field", scene_with("value: float", "level: float").replace(".value", ".level"), "it lacks value"),
    ("lost class", SCENE.replace("Height", "Depth"), "the component 'height' is unknown here: scene:Height is needed"),
    ("other system", scene_with("class Sink(", "class Drop(").replace("Sink(rate)", "Drop(rate)"),
     "belongs to a world with other systems"),
    ("other parameter", scene_with("Sink(rate)", "Sink(2 * rate)"), "Sink.rate differs"),
    ("no build", "x = 1\n", "has no build() function"),
]


@pytest.mark.parametrize(("source", "message"), [case[1:] for case in SCENES], ids=[case[0] for case in SCENES])
def test_a_scene_that_has_changed(recorded: Pliant, source: str, message: str) -> None:
    Path("scene.py").write_text(source)
    code, _, err = recorded("run", "--from", "run.h5@2")
    assert code == 2 and message in err and "run.h5" in err and "Traceback" not in err, err


def test_a_harmless_change_is_told(recorded: Pliant) -> None:
    Path("scene.py").write_text(SCENE + "\n# more\n")
    code, _out, err = recorded("run", "--from", "run.h5@2")
    assert code == 0 and "scene.py has changed since the recording was made" in err


# -- from Python ------------------------------------------------------------------------------------------------------


def test_save_and_load(tmp_path: Path) -> None:
    world = cloth()
    world.step(3)
    world.save(tmp_path / "world.h5")
    again = World.load(tmp_path / "world.h5", systems=standard())
    assert again.state_hash() == world.state_hash() and again.frame == 3
    world.step(2)
    again.step(2)
    assert again.state_hash() == world.state_hash()
    with pytest.raises(RecordingError, match="does not say which scene made it"):
        World.load(tmp_path / "world.h5")
    with pytest.raises(RecordingError, match="other systems"):
        World.load(tmp_path / "world.h5", systems=())


def test_a_restored_world_goes_on_in_its_recording(tmp_path: Path) -> None:
    """What follows a restore is another branch: it takes the place of the frames that were recorded after it."""
    path, world = tmp_path / "run.h5", cloth()
    with world.record(path):
        world.step(6)
        former = world.state_hash()
        world.restore(3)
        world.set("cloth.stretch", 80.0)
        world.step(2)
    with Recording(path) as recording:
        assert recording.frames == [0, 1, 2, 3, 4, 5] and former not in map(recording.state_hash, recording)
        other = cloth()
        recording.restore_into(other, 5)
    assert other.state_hash() == world.state_hash()


def test_recordings_end_with_their_world(tmp_path: Path) -> None:
    world = small()
    world.record(tmp_path / "run.h5")
    world.step()
    world.close()
    with Recording(tmp_path / "run.h5") as recording:
        assert recording.complete and recording.frames == [0, 1]


def test_a_script_that_forgets_to_close_ends_its_recording(tmp_path: Path) -> None:
    code = "import sys; from tests.unit.test_recording import small; w = small(); w.record(sys.argv[1]); w.step(3)"
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path / "run.h5")], cwd=ROOT, capture_output=True,
                          text=True)
    assert (done.returncode, done.stderr) == (0, "")
    with Recording(tmp_path / "run.h5") as recording:
        assert recording.complete and recording.last == 3


def push(world: World, value: float) -> None:
    """A function that a command can name."""
    world.set("cell.count", int(value))


def test_commands_are_recorded_and_lambdas_refused(tmp_path: Path) -> None:
    world, path = small(), tmp_path / "run.h5"
    world.at(1.0).call(push, 40)
    world.record(path)
    with pytest.raises(CommandError, match="define it in a module"):
        world.at(2.0).call(lambda world: None)
    with pytest.raises(CommandError, match=r"call .*push: it cannot be recorded: .*<lambda>. has no importable name"):
        world.at(2.0).call(push, lambda: 3)
    world.step(5)
    world.close()
    other = small()
    with Recording(path) as recording:
        recording.restore_into(other, 1)
        other.step(4)
        assert other.value("cell.count") == 43 and other.state_hash() == recording.state_hash(5)


@component
class Odd:
    """Holds what it is given."""

    thing: Any = field(dtype="object", principal=True, doc="anything")


@pytest.mark.parametrize("value", [
    True, 3, 10**30, 0.1, float("inf"), "ü", b"\x00", (1, (2.0,)), [1, [None]], {"a": 1, 2: (3,)}, {1, 2},
    frozenset({"x"}), np.arange(3), np.array(["a", "bc"]), ..., push, World, np.zeros((0, 3)), (),
], ids=lambda value: getattr(value, "__name__", str(value)))
def test_values_of_any_kind_come_back(tmp_path: Path, value: Any) -> None:
    world = World()
    world.spawn(Odd(value), name="odd")
    world.save(tmp_path / "world.h5")
    again = World.load(tmp_path / "world.h5", systems=())
    found = again.get("odd", Odd).thing
    assert type(found) is type(value)
    assert np.array_equal(found, value) if isinstance(value, np.ndarray) else found == value
    assert again.state_hash() == world.state_hash()


def test_a_lambda_in_a_component_cannot_be_recorded(tmp_path: Path) -> None:
    world = World()
    world.spawn(Odd(lambda: 1), name="odd")
    with pytest.raises(RecordingError, match=r"odd: Odd\.thing cannot be recorded: the function .*<lambda>"):
        world.record(tmp_path / "run.h5")
    assert not (tmp_path / "run.h5").exists() and not world.recorders


def test_nothing_in_a_file_is_imported(tmp_path: Path) -> None:
    world = World()
    world.spawn(Odd(push), name="odd")
    path = tmp_path / "world.h5"
    world.save(path)
    with Recording(path) as recording:
        record = recording.record(0)
        record["stored"]["1.odd"]["thing"] = {"function": "antigravity:fly"}
        with pytest.raises(RecordingError, match="nothing has imported the module antigravity"):
            recording.restore_into(World(), 0)
    assert "antigravity" not in sys.modules


@pytest.mark.parametrize("path", ["", 3, "no/such/run.h5", ".", "a\0b"])
def test_paths_that_name_no_file(path: Any) -> None:
    with pytest.raises(RecordingError):
        small().record(path)
