"""bem_defo problems as worlds: sequences, the command line, results as files, and worlds as problems."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from components import (
    BoundaryConditions,
    BoundaryElements,
    CentrifugalLoad,
    ConditionSequence,
    ElementValues,
    Geometry,
    Gravity,
    MassSpring,
    Material,
    Transform,
)
from components.prefabs import plate
from framework import World
from framework.cli import main
from framework.errors import FieldError, OutputError, ProblemFileError, SimulationError
from framework.recording.reader import Recording
from framework.scene import load
from systems import standard
from systems.readers.bem_defo import problem_of, read_bem_defo, same, world_of, write_bem_defo
from systems.readers.bem_defo.solve import solve
from tests.unit.bem_defo_files import ELEMENTS, POINTS, beam, condition, config, cube, listed, values

TRACTIONS = ('x="-30.0" y="0.0"', 'x="0.0" y="-10.0"', 'x="5.0" y="0.0"')


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("beam.xml").write_text(beam())
    Path("sequence.xml").write_text(beam(*TRACTIONS, modulus="100", ratio="0.5"))


def rows(file: str) -> list[dict[str, str]]:
    with open(file, encoding="utf-8", newline="") as opened:
        return list(csv.DictReader(opened))


# -- worlds ---------------------------------------------------------------------------------------------------------


def test_frame_i_shows_the_ith_conditions() -> None:
    with world_of(read_bem_defo("sequence.xml"), fill=False) as world:
        for traction in TRACTIONS:
            world.step()
            Path("one.xml").write_text(beam(traction, modulus="100", ratio="0.5"))
            with world_of(read_bem_defo("one.xml"), fill=False) as alone:
                alone.step()
                for field in ("displacement", "element_traction", "stress.von_mises"):
                    assert np.array_equal(world.value(f"body.{field}"), alone.value(f"body.{field}"))


def test_conditions_may_change_kind_in_a_sequence() -> None:
    """Held and pulled, then pulled at both ends and held nowhere: the count of supports changes."""
    free = condition("", values("nbc", 6, 'x="7"') + values("nbc", 12, 'x="-7"'))
    Path("kinds.xml").write_text(beam().replace("</bem_defo>", free + "</bem_defo>"))
    with world_of(read_bem_defo("kinds.xml")) as world:
        world.step(2)
        u = world.value("body.displacement")
        assert u[11, 0] - u[21, 0] == pytest.approx(5 * 7 / 1e4, rel=1e-5)  # E = 1e4, nu = 0
        world.restore(1)
        assert world.value("body.displacement")[9, 1] == pytest.approx(-0.5074, abs=1e-4)


def test_a_half_body_is_half_of_the_whole() -> None:
    """A square of side 2 pulled along x: nu = 0.3 in plane stress, u = (s x / E, -nu s y / E)."""
    text = config(analysis=2, symmetry=2, order=1, modulus="1000", ratio="0.3") + listed(
        [(1.0, 0.0), (1.0, 1.0), (0.0, 1.0)], [(1, 2), (2, 3)])
    Path("quarter.xml").write_text(text + condition("", values("nbc", 1, 'x="10"', 2)) + "</bem_defo>")
    with world_of(read_bem_defo("quarter.xml"), accuracy=1e-10) as world:
        world.step()
        u = world.value("body.displacement")[:3]
    assert u == pytest.approx(np.array([[0.01, 0, 0], [0.01, -0.003, 0], [0, -0.003, 0]]), abs=1e-9)


def test_a_hole_in_an_infinite_region_is_filled_around() -> None:
    corners = [(np.cos(a), -np.sin(a)) for a in np.linspace(0, 2 * np.pi, 24, endpoint=False)]
    elements = [(j + 1, (j + 1) % 24 + 1) for j in range(24)]
    places = [(float(x), float(y)) for x, y in corners]
    text = config(region=2, order=1) + listed(places, elements) + condition("", "") + "</bem_defo>"
    Path("hole.xml").write_text(text)
    with world_of(read_bem_defo("hole.xml")) as world:
        geometry = world.get("body", Geometry)
        inside = geometry.points[24:]
        assert len(inside) > 20 and (np.linalg.norm(inside, axis=1) > 0.95).all() and geometry.triangles is not None


def test_points_of_the_problem_come_first_and_all_have_results() -> None:
    elements = [(a + 1, b + 1, c + 1) for a, b, c in ELEMENTS]
    Path("inside.xml").write_text(beam(points=[(2.5, 0.5), *POINTS], elements=elements))
    with world_of(read_bem_defo("inside.xml")) as world:
        world.step()
        geometry, u = world.get("body", Geometry), world.value("body.displacement")
        assert geometry.points[:25, :2].tolist() == [[2.5, 0.5], *map(list, POINTS)]
        assert len(geometry.points) > 25 and geometry.triangles.max() < len(geometry.points)
        # of a slender beam, w(x) = F x^2 (3 l - x) / (6 E I), with l = 5, I = 1/12, and shear's part below 0.02
        assert u[0, 1] == pytest.approx(-10 * 2.5**2 * 12.5 / 6 / (1e4 / 12), abs=0.02)


def test_no_two_points_are_at_one_place() -> None:
    """Points of the problem where the filling would have one."""
    with world_of(read_bem_defo("beam.xml")) as world:
        inside = world.get("body", Geometry).points[24:27, :2].tolist()
        count = len(world.get("body", Geometry).points)
    Path("inside.xml").write_text(beam(points=[*POINTS, *map(tuple, inside), (2.4, 0.4)]))
    with world_of(read_bem_defo("inside.xml")) as world:
        geometry = world.get("body", Geometry)
        assert len(geometry.points) == count + 1 and len(np.unique(geometry.points, axis=0)) == count + 1
        corners = geometry.points[geometry.triangles]
        area = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])[:, 2]
        assert area.min() > 0 and area.sum() / 2 == pytest.approx(5.0)
        write_bem_defo(world, "body", "again.xml")


@pytest.mark.parametrize("order", [1, 2])
def test_a_solid_has_the_triangles_of_its_surface(order: int) -> None:
    Path("cube.xml").write_text(cube(order))
    with world_of(read_bem_defo("cube.xml")) as world:
        geometry = world.get("body", Geometry)
        corners = geometry.points[geometry.triangles]
        double = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        assert np.linalg.norm(double, axis=1).sum() / 2 == pytest.approx(6.0)
        assert np.einsum("ti,ti->", double, corners[:, 0]) / 6 == pytest.approx(1.0)


def test_a_sequence_in_python_starts_when_it_is_told_to() -> None:
    up, down = (ElementValues(*values_of(traction)) for traction in (5.0, -5.0))
    with World(systems=standard(), frame_time=0.5, substeps=1) as world:
        world.step(2)
        world.spawn(plate(size=(5, 1), elements=(5, 1), fill=False), Material(young_modulus=1e4, poisson_ratio=0.0),
                    BoundaryElements(), BoundaryConditions((up,)), ConditionSequence((up, down), start=2), name="plate")
        tips = []
        for _ in range(4):
            world.step()
            tips.append(world.value("plate.displacement[right].mean.y"))
        world.restore(3)
        world.step()
        assert world.value("plate.displacement[right].mean.y") == tips[1]
    assert tips[0] > 0.2 and tips[1:] == pytest.approx([-tips[0]] * 3)


def values_of(traction: float) -> tuple[np.ndarray, np.ndarray]:
    """Displacement and traction of a plate of 5 by 1 elements, held on the left, loaded along y on the right."""
    held, loads = np.full((12, 3, 3), np.nan), np.full((12, 3, 3), np.nan)
    held[11], loads[5] = 0.0, (0.0, traction, 0.0)
    return held, loads


def test_sequences_that_cannot_be() -> None:
    values, other = ElementValues(*values_of(1.0)), ElementValues(*(np.zeros((3, 2, 3)),) * 2)
    with World(systems=standard()) as world:
        for frames, message in [((values, 3), r"frames must be ElementValues, got 3 at \[1\]"),
                                ((values, other), r"frames must have the same shape, got \(3, 2, 3\) at \[1\] after")]:
            with pytest.raises(FieldError, match=rf"^plate: ConditionSequence\.{message}"):
                world.spawn(plate(fill=False), Material(young_modulus=1.0, poisson_ratio=0.0), BoundaryElements(),
                            BoundaryConditions((values,)), ConditionSequence(frames), name="plate")


def test_a_recording_grows_with_the_length_of_a_sequence_not_with_its_square() -> None:
    sizes = []
    for count in (10, 40):
        Path("long.xml").write_text(beam(*(f'y="{number}"' for number in range(count))))
        solve(Path("long.xml"), Path("long.h5"))
        sizes.append(Path("long.h5").stat().st_size)
    assert sizes[1] < 4.2 * sizes[0]


# -- the command line -----------------------------------------------------------------------------------------------


def test_run_like_a_demo(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "sequence.xml", "--csv", "w.csv", "--record", "run.h5", "--set", "build.log_length=1"]) == 0
    said = capsys.readouterr().out
    assert "sequence: 3 frames, 0.3 s simulated" in said
    table = rows("w.csv")
    assert [row["frame"] for row in table] == ["0", "1", "2", "3"] and float(table[0]["largest displacement"]) == 0
    with Recording(Path("run.h5")) as recording:
        assert recording.last == 3 and recording.origin is not None
        assert recording.origin.target == str(Path("sequence.xml").resolve())
    assert main(["run", "--from", "run.h5@1", "--csv", "again.csv"]) == 0
    assert rows("again.csv") == table


def test_a_recording_finds_its_file_beside_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "beam.xml", "--record", "run.h5"]) == 0
    Path("new").mkdir()
    for name in ("beam.xml", "run.h5"):
        Path(name).rename(Path("new", name))
    assert main(["run", "--from", "new/run.h5@0", "--frames", "1", "--csv", "w.csv"]) == 0
    assert float(rows("w.csv")[-1]["largest displacement"]) == pytest.approx(0.5129, abs=1e-3)
    Path("new/beam.xml").unlink()
    assert main(["run", "--from", "new/run.h5@0"]) == 2
    assert "beam.xml: there is no such file" in capsys.readouterr().err


@pytest.mark.parametrize("words, code, said", [
    (["doctor", "beam.xml"], 0, "beam: nothing to report"),
    (["run", "beam.xml", "--frames", "1", "--set", "body.young_modulus=2e4", "--csv", "w.csv"], 0, "beam: 1 frames"),
    (["run", "beam"], 2, "no demo is called 'beam'; did you mean the file beam.xml?"),
    (["run", "bean.xml"], 2, "bean.xml: there is no such file; did you mean 'beam.xml'"),
    (["doctor", "bean.xml"], 2, "bean.xml: there is no such file; did you mean 'beam.xml'"),
    (["run", "beam.xml", "--set", "build.log_len=1"], 2, "build has no argument 'log_len'; did you mean 'log_length'?"),
    (["solve", "bean.xml", "--out", "r.csv"], 2, "bean.xml: there is no such file; did you mean 'beam.xml'"),
    (["solve", "beam.py", "--out", "r.csv"], 2, "beam.py: a problem file must end in .xml, got '.py'"),
    (["solve", "beam.xml", "--out", "r.txt"], 2, "--out r.txt: the name must end in .csv or .vtu or .h5 or .hdf5"),
    (["solve", "beam.xml", "--out", "no/r.csv"], 2, "the folder no does not exist; make it first"),
    (["solve", "beam.xml"], 2, "Missing option '--out'"),
    (["solve", "beam.xml", "--out", "r.csv", "--log-length", "-1"], 2, "BoundaryElements.log_length must be positive"),
    (["solve", "beam.xml", "--out", "r.csv", "--accuracy", "1"], 2, "BoundaryElements.accuracy must be in"),
    (["solve", "broken.xml", "--out", "r.csv"], 2, "broken.xml:9: <E> must be positive, in Pa, got -1.0; write"),
    (["solve", "loose.xml", "--out", "r.csv"], 3, "loose.xml: <bc> 2 of 2 cannot be solved: body: loads must be in "
                                                  "balance"),
    (["run", "loose.xml", "--frames", "2"], 3, "body: loads must be in balance"),
])  # fmt: skip
def test_commands_and_their_exit_codes(
    words: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("broken.xml").write_text(beam().replace(">10000<", ">-1<"))
    slides = condition(values("dbc", 12, 'x="0"'), values("nbc", 6, 'y="-10"'))
    Path("loose.xml").write_text(beam().replace("</bem_defo>", slides + "</bem_defo>"))
    assert main(words) == code
    output = capsys.readouterr()
    assert said in output.out + output.err and "Traceback" not in output.err


# -- results --------------------------------------------------------------------------------------------------------


def test_results_as_tables() -> None:
    assert main(["solve", "sequence.xml", "--out", "r.csv"]) == 0
    with world_of(read_bem_defo("sequence.xml")) as world:
        table, tractions = rows("r.csv"), rows("r.tractions.csv")
        assert ",".join(table[0]) == "frame,point,x,y,z,ux,uy,uz,von_mises" and len(table) == 3 * 24
        assert ",".join(tractions[0]) == "frame,element,point,tx,ty,tz" and len(tractions) == 3 * 36
        for frame in range(3):
            world.step()
            part = table[24 * frame : 24 * frame + 24]
            assert [(row["frame"], row["point"]) for row in part] == [(str(frame + 1), str(i)) for i in range(1, 25)]
            assert [(float(row["x"]), float(row["y"])) for row in part] == POINTS
            u = np.array([[float(row[name]) for name in ("ux", "uy", "uz")] for row in part])
            assert u == pytest.approx(world.value("body.displacement")[:24], abs=1e-12)
            t = np.array([[float(row[name]) for name in ("tx", "ty", "tz")] for row in tractions[36 * frame :][:36]])
            assert t == pytest.approx(world.value("body.element_traction").reshape(36, 3), abs=1e-9)
            held = tractions[36 * frame + 33 : 36 * frame + 36]
            assert [(row["element"], row["point"]) for row in held] == [("12", "22"), ("12", "24"), ("12", "1")]


@pytest.mark.parametrize("order", [1, 2])
def test_results_of_a_solid(order: int) -> None:
    """A cube pulled by 1 Pa: u = z / E, exact for both kinds of elements, to the accuracy of the integrals."""
    Path("cube.xml").write_text(cube(order))
    solve(Path("cube.xml"), Path("cube.csv"), accuracy=1e-8)
    table, tractions = rows("cube.csv"), rows("cube.tractions.csv")
    assert len(table) == (8 if order == 1 else 20) and len(tractions) == 6 * 4 * order
    for row in table:
        u = [float(row[name]) for name in ("ux", "uy", "uz")]
        assert u == pytest.approx([0.0, 0.0, float(row["z"]) / 1e4], abs=1e-10)
    held = [float(row["tz"]) for row in tractions if row["element"] == "1"]
    assert held == pytest.approx([-1.0] * 4 * order, abs=1e-4)


def test_results_for_paraview() -> None:
    import meshio

    assert [str(file) for file in solve(Path("beam.xml"), Path("one.vtu"))] == ["one.vtu"]
    files = solve(Path("sequence.xml"), Path("r.vtu"))
    assert [str(file) for file in files] == ["r.pvd", *(f"r_00000{i}.vtu" for i in (1, 2, 3))]
    with world_of(read_bem_defo("sequence.xml")) as world:
        world.step(2)
        found = meshio.read("r_000002.vtu")
        assert np.array_equal(found.points, world.value("body.position"))
        assert np.array_equal(found.point_data["displacement"], world.value("body.displacement"))
        assert found.point_data["stress"].shape == (len(found.points), 9) and len(found.cells_dict["triangle"]) > 10


def test_results_as_a_recording() -> None:
    assert main(["solve", "sequence.xml", "--out", "r.h5", "--log-length", "2"]) == 0
    with world_of(read_bem_defo("sequence.xml"), log_length=2.0) as world, World.load("r.h5") as last:
        world.step(3)
        assert last.frame == 3 and last.state_hash() == world.state_hash()


def test_results_that_cannot_be_had() -> None:
    with pytest.raises(OutputError, match=r"r\.txt: the name must end in"):
        solve(Path("beam.xml"), Path("r.txt"))
    Path("loose.xml").write_text(beam().replace('dbc_point x="0.0" y="0.0"', 'dbc_point x="0.0"'))
    with pytest.raises(SimulationError, match=r"^loose\.xml: <bc> 1 of 1 cannot be solved: body: loads must be in "
                                               "balance"):
        solve(Path("loose.xml"), Path("r.csv"))
    assert not Path("r.csv").exists()


# -- worlds as problems ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [beam(), beam(region=1, analysis=2), beam(points=[*POINTS, (2.0, 0.5)])])
def test_a_problem_comes_back_from_its_world(text: str) -> None:
    Path("one.xml").write_text(text)
    problem = read_bem_defo("one.xml")
    with world_of(problem, fill=False) as world:
        assert same(problem, problem_of(world, "body"))
        write_bem_defo(world, world.id("body"), "again.xml")
    assert same(problem, read_bem_defo("again.xml"))


def test_a_sequence_is_written_as_it_is_at_a_time() -> None:
    problem = read_bem_defo("sequence.xml")
    with world_of(problem, fill=False) as world:
        world.step(2)
        found = problem_of(world, "body").conditions[0]
    assert np.array_equal(found.traction, problem.conditions[1].traction, equal_nan=True)


def body(*more: Any, material: Any = None, settings: Any = None) -> Callable[[World], None]:
    """What spawns a plate that is held on the left and loaded on the right, with conditions and components beside."""
    conditions = [item for item in more if isinstance(item, BoundaryConditions)]
    others = [item for item in more if not isinstance(item, BoundaryConditions)]
    held = BoundaryConditions.fixed("left") + BoundaryConditions.traction("right", [(0, 0, 0), (0, -20, 0)], (0, 2))

    def spawn(world: World) -> None:
        world.spawn(
            plate(size=(5, 1), elements=(5, 1), fill=False), material or Material(young_modulus=1e4, poisson_ratio=0.2),
            settings or BoundaryElements(), sum(conditions, held), *others, name="plate")

    return spawn


def test_a_body_made_in_python_is_written_where_it_stands() -> None:
    """Placed by a Transform, with a load in time: the file has what it is at this time."""
    with World(systems=standard(), frame_time=1.0, substeps=1) as world:
        body(Transform(translation=(1, 2, 0)))(world)
        world.step()
        write_bem_defo(world, "plate", "plate.xml")
        expected = world.value("plate.displacement")
    problem = read_bem_defo("plate.xml")
    assert problem.points.min(axis=0).tolist() == [1, 2]
    assert sorted(set(problem.conditions[0].traction[~np.isnan(problem.conditions[0].traction)].tolist())) == [-10, 0]
    with world_of(problem) as again:
        again.step()
        assert again.value("body.displacement")[: len(expected)] == pytest.approx(expected, abs=1e-9)


WEIGHT = Material(young_modulus=1e4, poisson_ratio=0.2, mass_density=1.0)
UNSAID = {
    "symmetry": (body(settings=BoundaryElements(symmetry="y")), "plate: BoundaryElements.symmetry must be one of"),
    "relief": (body(settings=BoundaryElements(free="inertia relief")), "plate: BoundaryElements.free must be 'refuse'"),
    "weight": (body(material=WEIGHT), "plate: Material.mass_density must be left out"),
    "spin": (body(CentrifugalLoad(angular_velocity=(0, 0, 1))), "plate: CentrifugalLoad must be left out"),
    "point load": (body(BoundaryConditions.load("right", (0, 1, 0))), "plate: BoundaryConditions must have no loads "
                                                                      "at points"),
    "foundation": (body(BoundaryConditions.foundation("top", (0, 9, 0))), "plate: BoundaryConditions must have no "
                                                                          "foundation"),
    "no elements": (lambda world: world.spawn(plate(), Material(total_mass=1.0), MassSpring(stretch=1.0), name="plate"),
                    "plate: BoundaryElements must be there"),
}  # fmt: skip


@pytest.mark.parametrize("name", UNSAID)
def test_what_the_format_cannot_say_is_refused(name: str) -> None:
    spawn, message = UNSAID[name]
    with World(systems=standard()) as world:
        world.spawn(Gravity(), name="gravity")
        spawn(world)
        with pytest.raises(ProblemFileError) as caught:
            write_bem_defo(world, "plate", "plate.xml")
    assert str(caught.value).startswith(message) and not Path("plate.xml").exists()


def test_the_scene_knows_its_length_and_name() -> None:
    scene = load("sequence.xml")
    assert (scene.name, scene.frames, scene.length) == ("sequence", 3, 3)
