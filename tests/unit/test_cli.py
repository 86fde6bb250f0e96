"""The command line: what it runs and writes, and the one clear message for each mistake."""
from __future__ import annotations

import csv
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from framework import World
from framework.cli import main
from framework.errors import OutputError
from framework.viewer import Film
from framework.watches import Watches

SCENE = '''"""A height that sinks by `rate` in a second."""
from framework import Check, Stage, System, World, component, field, run

FRAMES = 4


@component()
class Height:
    """A height."""
    value: float = field(unit="m", default=1.0, doc="height above ground", principal=True)


class Sink(System):
    """Lowers each height."""
    stage, writes = Stage.EVOLVE, (Height,)

    def __init__(self, rate=0.5):
        self.rate = rate

    def process(self, world, step):
        for _, height in world.query(Height):
            height.value = height.value - self.rate * step.h


def build(rate: float = 0.5, start: float = 1.0, seed: int = 0) -> World:
    world = World(systems=[Sink(rate)], frame_time=0.1, substeps=1, seed=seed)
    world.spawn(Height(start), name="ball")
    world.watch("height", "ball.value")
    return world


def expect(world):
    return [Check("height at the end", world.value("ball.value"), near=0.8, tolerance=1e-9)]


if __name__ == "__main__":
    run(build, expect)
'''
Pliant = Callable[..., tuple[int, str, str]]


@pytest.fixture
def pliant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Pliant]:
    """Call the program in a folder with scene.py; returns exit code, stdout, stderr."""
    (tmp_path / "scene.py").write_text(SCENE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))

    def forget_scenes() -> None:
        for name, module in list(sys.modules.items()):
            if str(getattr(module, "__file__", None)).startswith(str(tmp_path)):
                del sys.modules[name]

    def call(*arguments: str) -> tuple[int, str, str]:
        forget_scenes()
        code = main(arguments)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    yield call
    forget_scenes()


def rows_of(file: str) -> list[dict[str, str]]:
    return list(csv.DictReader(Path(file).read_text().splitlines()))


def scene_with(old: str, new: str) -> str:
    assert old in SCENE
    return SCENE.replace(old, new)


def test_run_says_how_far_it_came_and_checks(pliant: Pliant) -> None:
    code, out, err = pliant("run", "scene.py")
    assert (code, err) == (0, "")
    assert "scene: 4 frames, 0.4 s simulated" in out
    assert "pass  height at the end  0.8  = 0.8 +- 1e-09" in out
    assert "--picture" in out


def test_failed_check_gives_1(pliant: Pliant) -> None:
    code, out, err = pliant("run", "scene.py", "--frames", "5")
    assert code == 1
    assert "FAIL  height at the end  0.75" in out and "1 of 1 checks failed" in err


def test_checks_of_the_end_wait_for_it(pliant: Pliant) -> None:
    code, out, _ = pliant("run", "scene.py", "--frames", "3")
    assert code == 0
    assert "checks: skipped, they describe the world after 4 frames and this run ended at 3" in out


@pytest.mark.parametrize("arguments", [
    ("--until", "0.4"), ("--frames", "8", "--set", "build.rate=0.25"), ("--set", "ball.value=1.0"), ("--seed", "3"),
])
def test_options_change_the_run(pliant: Pliant, arguments: tuple[str, ...]) -> None:
    assert pliant("run", "scene.py", *arguments)[0] == 0


def test_set_of_a_world_path_comes_before_frame_0(pliant: Pliant) -> None:
    code, out, _ = pliant("run", "scene.py", "--set", "ball.value=3", "--csv", "run.csv")
    rows = rows_of("run.csv")
    assert code == 1 and "2.8" in out
    assert [float(row["height"]) for row in rows] == pytest.approx([3.0, 2.95, 2.9, 2.85, 2.8][-len(rows):])


def test_csv_and_plot(pliant: Pliant) -> None:
    pytest.importorskip("matplotlib")
    code, out, _ = pliant("run", "scene.py", "--csv", "run.csv", "--plot", "run.png")
    assert code == 0 and "csv: run.csv" in out and "plot: run.png" in out
    rows = rows_of("run.csv")
    assert float(rows[-1]["height"]) == pytest.approx(0.8) and float(rows[-1]["time [s]"]) == pytest.approx(0.4)
    assert Path("run.png").stat().st_size > 5000


MISTAKES = [
    (("run", "scene.py", "--frames", "-1"), "--frames must be 0 or more, got -1"),
    (("run", "scene.py", "--frames", "x"), "--frames"),
    (("run", "scene.py", "--frames", "1", "--until", "2"), "give one of them"),
    (("run", "scene.py", "--until", "nan"), "--until must be a time"),
    (("run", "scene.py", "--fram", "1"), "--frames"),
    (("run", "scene.py", "--size", "big"), "--size needs WIDTHxHEIGHT"),
    (("run", "scene.py", "--picture", "no/run.png"), "the folder no does not exist"),
    (("run", "scene.py", "--picture", "run.txt"), "must end in .png"),
    (("run", "scene.py", "--film", "."), "this is a folder"),
    (("run", "scene.py", "--picture", "a.png", "--plot", "a.png"), "name the same file"),
    (("run", "scene.py", "--set", "rate"), "path=value"),
    (("run", "scene.py", "--set", "build.rat=1"), "did you mean 'rate'"),
    (("run", "scene.py", "--set", "build.rate=fast"), "build.rate must be float, got 'fast'"),
    (("run", "scene.py", "--set", "bal.value=1"), "ball"),
    (("run", "scene.py", "--set", "ball.valu=1"), "value"),
    (("run", "scene.py", "--set", "ball.value=red"), "value"),
    (("run", "scene.py", "--set", "build.start=nan"), "value"),
    (("run", "scen.py"), "no such file: scen.py; did you mean 'scene.py'"),
    (("run", "scene"), "did you mean the file scene.py"),
    (("run", "."), "no demo is called '.'"),
    (("run",), "Missing argument"),
    (("rum", "scene.py"), "run"),
    (("new", "scene"), "exists already"),
    (("new", "components"), "choose another, such as components_scene"),
    (("new", "class"), "is a word of Python's own, which no module can have as its name; how about class_scene?"),
    (("new", "None.py"), "how about None_scene?"),
    (("new", "random"), "choose another, such as random_scene"),
    (("new", "winreg"), "choose another"),
    (("new", "numba"), "choose another"),
    (("new", "__main__"), "choose another"),
    (("new", "a-b"), "cannot name a Python file"),
]


@pytest.mark.parametrize(("arguments", "message"), MISTAKES, ids=[" ".join(a) for a, _ in MISTAKES])
def test_a_mistake_gives_one_message_and_2(pliant: Pliant, arguments: tuple[str, ...], message: str) -> None:
    code, _, err = pliant(*arguments)
    assert code == 2
    assert message in err and err.startswith("pliant: ") and "Traceback" not in err
    assert not list(Path.cwd().glob("run.*"))


BROKEN = [
    ("no build", "x = 1\n", "has no build() function"),
    ("build returns nothing", scene_with("    return world\n", ""), "must return its World, got NoneType; is its last"),
    ("syntax", scene_with("FRAMES = 4", "FRAMES = = 4"), "scene.py"),
    ("own exception", scene_with("    return world\n", "    return world / 0\n"), "TypeError"),
    ("ends itself", "raise SystemExit(0)\n", "scene.py:1: the scene ends the program itself (SystemExit(0))"),
    ("build ends", scene_with("    return world\n", "    import sys; sys.exit()\n"), "scene ends the program itself"),
    ("system ends", scene_with("height.value = ", "raise SystemExit('x'); height.value = "), "(SystemExit('x'))"),
    ("expect ends", scene_with("    return [Check", "    raise SystemExit\n    return [Check"), "ends the program"),
    ("FRAMES text", scene_with("FRAMES = 4", "FRAMES = '4'"), "must be a whole number, zero or positive, got '4'"),
    ("FRAMES float", scene_with("FRAMES = 4", "FRAMES = 4.0"), "scene: FRAMES, or frames=... of run(), must be"),
    ("FRAMES negative", scene_with("FRAMES = 4", "FRAMES = -4"), "got -4"),
    ("FRAMES bool", scene_with("FRAMES = 4", "FRAMES = True"), "got True"),
    ("frames of run", scene_with("FRAMES = 4", "").replace("run(build, expect)", "run(build, frames='9')"), "got '9'"),
    ("expect is no function", scene_with("def expect(world):", "expect = 3\ndef other(world):"), "expect must be"),
    ("end of input", scene_with("    return world\n", "    raise EOFError\n"), "EOFError"),
    ("own exception in a system", scene_with("self.rate * step.h", "self.rat * step.h"), "AttributeError"),
    ("missing module", "import no_such_module\n", "no_such_module"),
    ("wrong expect", scene_with("return [Check(", "return (Check(").replace("1e-9)]", "1e-9))"), "list of Check"),
    ("no watches", scene_with('    world.watch("height", "ball.value")\n', ""), "watches nothing"),
    ("wrong field", scene_with("Height(start)", "Height(float('nan'))"), "ball: Height.value"),
    ("no seed", scene_with(", seed: int = 0", "").replace(", seed=seed", ""), "no argument 'seed'"),
]


@pytest.mark.parametrize(("source", "message"), [case[1:] for case in BROKEN], ids=[case[0] for case in BROKEN])
def test_a_broken_scene_shows_the_persons_lines_only(pliant: Pliant, source: str, message: str) -> None:
    Path("scene.py").write_text(source)
    code, _, err = pliant("run", "scene.py", "--csv", "run.csv", "--seed", "1")
    assert code == 2
    assert message in err
    assert "framework/" not in err, err
    if "Traceback" in err:
        assert "scene.py" in err


def test_error_names_the_line_that_gave_it(pliant: Pliant) -> None:
    Path("scene.py").write_text(scene_with("Height(start)", "Height(float('nan'))"))
    line = 1 + SCENE[:SCENE.index("Height(start)")].count("\n")
    assert f"scene.py:{line}: ball: Height.value" in pliant("run", "scene.py")[2]


def test_folder_that_hides_a_package_is_named(pliant: Pliant) -> None:
    Path("components").mkdir()
    assert pliant("run", "scene.py")[0] == 0, "a folder without __init__.py hides nothing"
    Path("components/__init__.py").write_text("")
    code, _, err = pliant("run", "scene.py")
    assert code == 2 and f"{Path.cwd() / 'components'} hides pliant's package 'components'" in err


def test_simulation_error_keeps_what_there_is(pliant: Pliant) -> None:
    Path("scene.py").write_text(scene_with("        for _, height",
                                           "        if step.frame >= 2:\n"
                                           "            from framework.errors import SimulationError\n"
                                           "            raise SimulationError('ball: diverged')\n"
                                           "        for _, height"))
    code, out, err = pliant("run", "scene.py", "--csv", "run.csv", "--film", "run.mp4", "--size", "64x48")
    assert "film: run.mp4 (3 pictures, 10 a second" in out and Path("run.mp4").stat().st_size > 500
    assert code == 3 and "ball: diverged" in err and "Traceback" not in err
    assert float(rows_of("run.csv")[-1]["height"]) == pytest.approx(0.9)


def fail(*arguments: object, **named: object) -> None:
    raise OutputError("no space is left")


def test_a_picture_that_fails_loses_nothing_else(pliant: Pliant, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(World, "picture", fail)
    code, out, err = pliant("run", "scene.py", "--csv", "run.csv", "--plot", "run.svg", "--picture", "run.png")
    assert (code, err) == (2, "pliant: no space is left\n") and "pass  height at the end" in out
    assert len(rows_of("run.csv")) >= 4 and Path("run.svg").stat().st_size > 1000


def test_a_film_that_fails_ends_no_run(pliant: Pliant, monkeypatch: pytest.MonkeyPatch) -> None:
    add = Film.add
    monkeypatch.setattr(Film, "add", lambda self, image: fail() if self.frames == 2 else add(self, image))
    code, _, err = pliant("run", "scene.py", "--csv", "run.csv", "--film", "run.mp4", "--size", "64x48")
    assert code == 2 and err.splitlines() == ["pliant: no space is left; the run goes on without it",
                                              "pliant: no space is left"]
    assert float(rows_of("run.csv")[-1]["height"]) == pytest.approx(0.8)
    assert not list(Path.cwd().glob(".*part*")) and not Path("run.mp4").exists()


def test_all_failures_are_told_together(pliant: Pliant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(World, "picture", fail)
    monkeypatch.setattr(Watches, "write_csv", fail)
    code, _, err = pliant("run", "scene.py", "--csv", "run.csv", "--picture", "run.png")
    assert code == 2
    assert err == "pliant: 2 outputs could not be written\n  no space is left\n  no space is left\n"


def test_an_error_in_a_person_s_code_keeps_the_frames_before_it(pliant: Pliant) -> None:
    Path("scene.py").write_text(scene_with("        for _, height", "        1 / (2 - step.frame)\n"
                                           "        for _, height"))
    code, _, err = pliant("run", "scene.py", "--csv", "run.csv", "--film", "run.mp4", "--size", "64x48")
    assert code == 2 and "ZeroDivisionError" in err and Path("run.mp4").stat().st_size > 500
    assert float(rows_of("run.csv")[-1]["height"]) == pytest.approx(0.9)


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits on the size of files")
@pytest.mark.parametrize("film", ["run.mp4", "run.gif"])
def test_a_full_disk_leaves_nothing_broken(tmp_path: Path, film: str) -> None:
    """No file may grow beyond 600 bytes: enough for the table, for nothing else."""
    pytest.importorskip("matplotlib")
    (tmp_path / "scene.py").write_text(SCENE)
    (tmp_path / "limited.py").write_text("import resource, sys, framework.cli\n"
                                         "resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600))\n"
                                         "sys.exit(framework.cli.main())\n")
    (tmp_path / film).write_text("former")
    result = subprocess.run(
        [sys.executable, "limited.py", "run", "scene.py", "--csv", "run.csv", "--film", film, "--plot", "run.pdf",
         "--picture", "run.png"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode == 2 and "Traceback" not in result.stderr, result.stderr
    assert all(f"{name} cannot be written" in result.stderr for name in (film, "run.pdf", "run.png"))
    assert "csv: run.csv" in result.stdout and (tmp_path / "run.csv").stat().st_size > 100
    assert sorted(file.name for file in tmp_path.iterdir() if file.is_file()) == sorted(
        ["limited.py", "run.csv", film, "scene.py"]) and (tmp_path / film).read_text() == "former"


def test_list_gives_each_demo_a_line(pliant: Pliant) -> None:
    code, out, _ = pliant("list")
    lines = out.splitlines()
    assert code == 0 and any(line.startswith("drape ") for line in lines)
    assert all(len(line.split(maxsplit=1)) == 2 for line in lines), "each demo's docstring says what it is"


def test_new_scene_runs(pliant: Pliant) -> None:
    code, out, _ = pliant("new", "first")
    assert code == 0 and "pliant run first.py" in out
    assert len(Path("first.py").read_text().splitlines()) <= 32
    code, _, err = pliant("run", "first.py", "--frames", "2", "--set", "build.cells=4")
    assert code == 0, err


def test_no_arguments_shows_the_help(pliant: Pliant) -> None:
    code, out, _ = pliant()
    assert code == 0 and all(word in out for word in ("run", "list", "new"))


def test_a_script_takes_the_same_options(tmp_path: Path) -> None:
    (tmp_path / "scene.py").write_text(SCENE)
    def script(*options: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "scene.py", *options], cwd=tmp_path, capture_output=True, text=True)

    good = script("--csv", "run.csv")
    assert good.returncode == 0, good.stderr
    assert "scene: 4 frames" in good.stdout and (tmp_path / "run.csv").exists()
    bad = script("--frame", "x")
    assert bad.returncode == 2 and "Traceback" not in bad.stderr


@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_a_signal_ends_after_a_frame(tmp_path: Path, name: str, code: int) -> None:
    (tmp_path / "scene.py").write_text(scene_with("FRAMES = 4", "FRAMES = 10**9").replace(
        "height.value = ", "print('step', flush=True); height.value = "))
    process = subprocess.Popen([sys.executable, "scene.py", "--csv", "run.csv", "--film", "run.mp4", "--size", "64x48"],
                               cwd=tmp_path, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    while "step" not in process.stdout.readline():
        pass
    process.send_signal(getattr(signal, name))
    out, err = process.communicate(timeout=60)
    assert process.returncode == code, err
    assert "interrupted after" in err and "csv: run.csv" in out and "film: run.mp4" in out
    assert (tmp_path / "run.csv").read_text().startswith("frame,time [s],height")
    assert not list(tmp_path.glob(".*part*"))


def test_an_integrator_is_set_by_its_name(pliant: Pliant) -> None:
    assert pliant("run", "pendulum", "--frames", "1", "--set", "world.integrator=RK4")[0] == 0
    assert pliant("run", "pendulum", "--frames", "1", "--set", "world.integrator=BackwardEuler(newton=True)")[0] == 0
    code, _, err = pliant("run", "pendulum", "--frames", "1", "--set", "world.integrator=RK5()")
    assert code == 2 and "'RK5()' (a text)" in err
