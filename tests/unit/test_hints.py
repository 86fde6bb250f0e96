"""Wrong guesses - of arguments, methods, signatures - are met with what to write instead."""

from __future__ import annotations

from typing import Any

import pytest

from components import Force, MassSpring, Material, Position, Wind
from components.prefabs import grid
from framework import ForceSystem, Stage, System, World
from framework.errors import CommandError, PathError, ScheduleError
from systems import standard


@pytest.mark.parametrize(
    ("named", "says"),
    [({"dt": 0.1}, "frame_time="), ({"fps": 60}, "1 / 60"), ({"gravity": -9.81}, "Gravity"),
     ({"frame_tiem": 0.1}, "'frame_time'"), ({"timestep": 0.1}, "substeps=")],
)  # fmt: skip
def test_arguments_of_a_world(named: dict[str, Any], says: str) -> None:
    with pytest.raises(CommandError, match=f"World takes no argument.*{says}"):
        World(**named)


@pytest.mark.parametrize(
    ("word", "says"),
    [("keyframes", r"world.at\(t\).keyframes"), ("remove", "despawn"), ("add_force", "ForceSystem"),
     ("spwan", "'spawn'"), ("update", r"world.step\(\)"), ("zzz", "no 'zzz'")],
)  # fmt: skip
def test_attributes_of_a_world(word: str, says: str) -> None:
    world = World()
    with pytest.raises(AttributeError, match=says):
        getattr(world, word)
    assert not hasattr(world, word)


def test_a_subclass_of_a_world_may_take_more() -> None:
    class Mine(World):
        def __init__(self, size: float, **named: Any) -> None:
            super().__init__(**named)
            self.size = size

    assert Mine(size=2.0, substeps=3).size == 2.0


def test_paths_are_proposed_in_their_shortest_form() -> None:
    world = World(systems=standard())
    world.spawn(Wind(velocity=(1, 0, 0)), name="wind")
    world.spawn(grid(), Material(areal_density=1.0), Position(), name="cloth")
    with pytest.raises(PathError, match=r"write one of wind\.velocity$"):
        world.value("wind")
    with pytest.raises(PathError, match=r"cloth\.geometry.*cloth\.material\.\.\..*cloth\.position"):
        world.value("cloth")


def no_step(self: Any, world: World) -> None: ...
def too_many(self: Any, world: World, step: Any, more: int) -> None: ...


@pytest.mark.parametrize("method", [no_step, too_many, 3, staticmethod(lambda: None)])
@pytest.mark.parametrize("base", [System, ForceSystem])
def test_methods_that_cannot_be_called_are_refused_at_once(method: Any, base: type) -> None:
    cls = type("Mine", (base,), {"process": method, "adds": (Force,) if base is ForceSystem else ()})
    with pytest.raises(ScheduleError, match=r"Mine must define process\(self, world, step\), got"):
        World(systems=[cls()])


def test_the_place_of_a_wrong_method_is_named() -> None:
    cls = type("Mine", (ForceSystem,), {"process": lambda self, world, step: None, "energy": no_step})
    with pytest.raises(ScheduleError, match=r"energy\(self, world, step\), got energy\(self, world.*test_hints.py:"):
        World(systems=[cls()])


def test_a_drawing_system_takes_a_scene() -> None:
    cls = type("Drawn", (System,), {"process": no_step, "stage": Stage.RENDER})
    with pytest.raises(ScheduleError, match=r"process\(self, world, scene\)"):
        World(systems=[cls()])


def test_a_force_that_says_it_moves_particles_is_told_what_does() -> None:
    cls = type("Mover", (ForceSystem,), {"process": lambda self, world, step: None, "writes": (Position,)})
    with pytest.raises(ScheduleError, match=r"a force only adds to Force.*is a System"):
        World(systems=[cls()])


def test_a_force_that_moves_particles_is_told_what_does() -> None:
    class Mover(ForceSystem):
        reads, adds = (Position,), (Force,)

        def process(self, world: World, step: Any) -> None:
            for _, position, _ in world.query(Position, Force):
                position.x += 0.1

    world = World(systems=[*standard(), Mover()])
    world.spawn(grid(), Material(areal_density=1.0), MassSpring(stretch=10.0), name="body")
    with pytest.raises(ScheduleError, match=r"Mover changed .*Position: a force only adds to Force"):
        world.step()

