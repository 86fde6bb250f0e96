"""The doctor: what it finds in scenes that are wrong in one way each, and that it leaves the others alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from components import (
    Appearance,
    BackwardEuler,
    BoundaryConditions,
    Camera,
    Collider,
    Geometry,
    Gravity,
    Mass,
    MassSpring,
    Material,
    Position,
    Transform,
    Velocity,
    Wind,
)
from components.prefabs import grid
from framework import System, World, component, field
from framework.cli import main
from framework.doctor import Finding, examine, report
from framework.scene import demo_names, load
from systems import standard

SPRINGS = MassSpring(stretch=100.0, shear=50.0, damping_ratio=0.1)


def scene(*extra: object, geometry: object = None, material: object = None, **settings: object) -> World:
    """A sheet held at its left edge, which the doctor has nothing to say about, and something more."""
    world = World(systems=standard(), **({"substeps": 20} | settings))
    world.spawn(Gravity(), name="gravity")
    sheet = geometry or grid(size=(1.0, 1.0), cells=(4, 4), plane="xz")
    model = SPRINGS if geometry is None or geometry.triangles is None else MassSpring(stretch=100.0)
    world.spawn(sheet, material or Material(areal_density=0.5), model, BoundaryConditions.fixed([0]), name="sheet")
    for number, parts in enumerate(extra):
        world.spawn(*(parts if isinstance(parts, tuple) else (parts,)), name=f"extra{number}")
    return world


@component
class Nobody:
    """A component that no system reads."""

    value: float = field(default=1.0, doc="anything")


def shape(points: object, triangles: object) -> Geometry:
    return Geometry(points=np.array(points, float), triangles=np.array(triangles))


def loose(*others: object) -> World:
    world = World(systems=standard())
    world.spawn(Gravity(), name="gravity")
    world.spawn(grid(size=(1, 1), cells=(2, 2)), Material(areal_density=1.0), SPRINGS, name="sheet")
    for other in others:
        world.spawn(other)
    return world


SQUARE = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]
FLAT = shape([*SQUARE, [0.5, 0.5, 0]], [[0, 1, 4], [0, 4, 2], [1, 3, 2], [1, 4, 2]])
THIN = shape([*SQUARE, [0.51, 0.51, 0]], [[0, 1, 2], [1, 3, 2], [1, 4, 2]])
PIECES = shape([*SQUARE, [3, 0, 0], [4, 0, 0], [3, 1, 0]], [[0, 1, 2], [1, 3, 2], [4, 5, 6]])

SICK: dict[str, tuple[Callable[[], World], str, str, str]] = {
    "millimetres": (lambda: scene(geometry=grid(size=(348, 174), cells=(4, 4))), "warning",
                    "sheet.Position.x", "348 m wide"),
    "tiny": (lambda: scene(geometry=grid(size=(1e-5, 1e-5), cells=(4, 4)), integrator=BackwardEuler()), "warning",
             "sheet.Position.x", "not metres"),
    "megapascals": (lambda: scene(material=Material(areal_density=0.5, young_modulus=1e13, poisson_ratio=0.3)),
                    "warning", "sheet.Material.young_modulus", "1e+13"),
    "grams": (lambda: scene(material=Material(mass_density=1e6, thickness=0.001)), "warning",
              "sheet.Material.mass_density", "osmium"),
    "gravity in mm": (lambda: scene(Gravity(acceleration=(0, -9810, 0))), "warning",
                      "extra0.Gravity.acceleration", "9810"),
    "hurricane": (lambda: scene(Wind(velocity=(500, 0, 0))), "warning", "extra0.Wind.velocity", "500"),
    "glue": (lambda: scene(Collider.plane(point=(0, -5, 0), friction=7.0)), "warning",
             "extra0.Collider.friction", "7"),
    "fast": (lambda: scene((Position(x=[[0, 5, 0]]), Velocity(v=[[1e4, 0, 0]]), Mass(m=1.0))), "warning",
             "extra0.Velocity.v", "10000"),
    "slow motion": (lambda: scene(frame_time=1.0, integrator=BackwardEuler()), "warning", "world.frame_time", "1 s"),
    "long step": (lambda: scene(substeps=1, material=Material(areal_density=0.01)), "error", "world.stepping",
                  "longer than"),
    "falls": (loose, "warning", "sheet", "falls for ever"),
    "pieces": (lambda: scene(geometry=PIECES), "warning", "sheet.Springs.nodes", "2 separate pieces"),
    "flat triangle": (lambda: scene(geometry=FLAT, integrator=BackwardEuler()), "warning", "sheet.Geometry.triangles",
                      "no area, e.g. [3]"),
    "sliver": (lambda: scene(geometry=THIN, integrator=BackwardEuler()), "note", "sheet.Geometry.triangles", "slivers"),
    "masses": (lambda: scene((Position(x=[[0, 5, 0], [1, 5, 0]]), Velocity(v=[[1, 0, 0]] * 2), Mass(m=[1e-4, 1e3]))),
               "warning", "extra0.Mass.m", "1e+07"),
    "inside": (lambda: scene(Collider.plane(point=(0, 0.25, 0))), "warning", "sheet.Position.x", "start inside"),
    "inside a ball": (lambda: scene(Collider.sphere(radius=0.3)), "warning", "sheet.Position.x", "collider extra0"),
    "constants": (lambda: scene(material=Material(areal_density=0.5, young_modulus=1e6, poisson_ratio=0.3)), "warning",
                  "sheet.Material.young_modulus", "no effect"),
    "two masses": (lambda: scene((grid(cells=(2, 2)), Material(areal_density=1.0), Mass(m=0.1), SPRINGS,
                                  BoundaryConditions.fixed([0]))), "warning",
                   "extra0.Material.areal_density", "no effect"),
    "two cameras": (lambda: scene(Camera(eye=(3, 3, 3)), Camera(eye=(1, 1, 1))), "warning", "extra1.Camera", "extra0"),
    "limits": (lambda: scene((Position(x=[[0, 5, 0]]), Velocity(v=[[1, 0, 0]]), Mass(m=1.0), Appearance(low=0.0))),
               "warning", "extra0.Appearance.low", "no effect"),
    "a heavy sheet": (lambda: scene(material=Material(areal_density=150.0)), "warning",
                      "sheet.Material.areal_density", "silk"),
    "gravity upwards": (lambda: scene(Gravity(acceleration=(0, 9.81, 0))), "warning", "extra0.Gravity", "upwards"),
    "degrees": (lambda: scene((Collider.plane(point=(0, -5, 0)), Transform(rotation=(90, 0, 0)))), "warning",
                "extra0.Transform.rotation", "numpy.radians"),
    "centimetres": (lambda: scene(geometry=shape(18 * np.array(SQUARE), [[0, 1, 2], [1, 3, 2]]),
                                  integrator=BackwardEuler()), "warning", "sheet.Position.x", "0.01 if"),
    "beside": (lambda: loose(Collider.sphere(centre=(5, -2, 0), radius=0.5)), "warning", "sheet", "no collider is"),
    "above": (lambda: loose(Collider.box(centre=(0, 2, 0), size=(1, 1, 1))), "warning", "sheet", "no collider is"),
    "in one place": (lambda: scene((grid(cells=(2, 2)), Material(areal_density=1.0), SPRINGS,
                                    BoundaryConditions.fixed([0]))), "note", "sheet", "extra0 is too"),
    "unread": (lambda: scene(Nobody()), "warning", "extra0.Nobody", "no system"),
}  # fmt: skip


@pytest.mark.parametrize("case", SICK)
def test_it_finds(case: str) -> None:
    build, severity, where, words = SICK[case]
    world = build()
    before = world.state_hash()
    matching = [f for f in examine(world) if f.where.startswith(where) and words in str(f).replace("\n         ", " ")]
    assert matching, [str(finding) for finding in examine(world)]
    assert matching[0].severity == severity
    assert matching[0].why and matching[0].do
    assert world.state_hash() == before


def test_a_sound_scene_has_no_findings() -> None:
    assert examine(scene()) == []
    assert examine(scene(Collider.plane(point=(0, 0, 0)))) == []  # resting on a floor is no overlap
    assert report("sheet", []) == "sheet: nothing to report"


def test_wind_without_a_body_is_found() -> None:
    world = World(systems=standard())
    world.spawn(Wind(velocity=(1, 0, 0)), name="wind")
    assert [finding.where for finding in examine(world)] == ["wind.Wind"]


@pytest.mark.parametrize("name", demo_names())
def test_demos_are_healthy(name: str) -> None:
    assert [str(f) for f in examine(load(name).make()) if f.severity != "note"] == []


def test_systems_report_findings_of_their_own() -> None:
    class Opinion(System):
        """Has one."""

        reads = (Position,)

        def process(self, world: World, step: object) -> None:
            pass

        def check(self, world: World) -> list[Finding]:
            n = len(world.query(Position))
            return [Finding(what=f"{n} bodies", where="world", why="too few", do="spawn more", severity="note")]

    world = World(systems=[*standard(), Opinion()])
    assert [finding.what for finding in examine(world)] == ["0 bodies"]


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "flag"]) == 0
    assert "nothing to report" in capsys.readouterr().out
    assert main(["doctor", "flag", "--set", "world.substeps=1", "--set", "flag.mass=1e-9"]) == 1
    assert "do:" in capsys.readouterr().out
    assert main(["doctor", "flagg"]) == 2
    assert "did you mean" in capsys.readouterr().err
