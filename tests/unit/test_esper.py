"""esper: a Processor plugs in, and the rest of esper stays untouched."""
from __future__ import annotations

import esper
import pytest

from components import Gravity
from framework import CommandError, EsperProcessor, ScheduleError, Stage, World, component, field


@component
class Age:
    """How long something has lived."""

    seconds: float = field(unit="s", default=0.0, principal=True, doc="age")


class Ageing(esper.Processor):
    """An esper processor as its users write them."""

    def __init__(self, rate: float = 1.0) -> None:
        self.rate = rate

    def process(self, dt: float) -> None:
        for _, (age,) in esper.get_components(Age):
            age.seconds += self.rate * dt


class Counting(esper.Processor):
    """A processor that holds state."""

    def __init__(self) -> None:
        self.count = 0

    def process(self, dt: float) -> None:
        self.count += 1


def world_with(processor: esper.Processor, **settings: object) -> World:
    world = World(systems=[EsperProcessor(processor, writes=(Age,), **settings)], frame_time=0.5, substeps=5)  # type: ignore[arg-type]
    world.spawn(Age(), name="a")
    return world


def test_a_processor_runs_in_the_world_s_context() -> None:
    esper.switch_world("default")
    outside = esper.create_entity(Age())
    world = world_with(Ageing(), stage=Stage.EVOLVE)
    world.step(2)
    assert world.value("a.seconds") == pytest.approx(1.0)
    assert esper.current_world == "default" and esper.component_for_entity(outside, Age).seconds == 0.0
    esper.delete_entity(outside, immediate=True)
    assert "Ageing" in world.describe()


def test_what_it_writes_is_state() -> None:
    world = world_with(Ageing(), stage=Stage.EVOLVE)
    world.step()
    taken = world.snapshot()
    world.step()
    later = world.state_hash()
    world.restore(taken)
    assert world.value("a.seconds") == pytest.approx(0.5)
    world.step()
    assert world.state_hash() == later


def test_its_state_is_caught_and_named() -> None:
    with pytest.raises(ScheduleError, match=r"Counting keeps state in its attribute 'processor\.count'"):
        world_with(Counting()).step(3)


def test_its_parameters_belong_to_the_snapshot() -> None:
    from framework import CommandError

    with pytest.raises(CommandError, match=r"Ageing\.processor\.rate differs"):
        world_with(Ageing(2.0)).restore(world_with(Ageing(1.0)).snapshot())


def test_entities_deleted_behind_the_world_s_back_do_not_break_it() -> None:
    world = World()
    world.spawn(Gravity(), name="g")
    world.step()
    assert world.value("g.acceleration.y") == -9.81
    assert esper.current_world == "default"


class Deletes(esper.Processor):
    """Deletes an entity of the world behind its back."""

    def process(self, dt: float) -> None:
        for entity, _ in list(esper.get_component(Age)):
            esper.delete_entity(entity, immediate=True)


def test_what_esper_lost_is_said() -> None:
    world = world_with(Deletes(), stage=Stage.EVOLVE)
    with pytest.raises(CommandError, match=r"esper lost a or a component of it: .* by world\.despawn only"):
        world.step()
    world = world_with(Ageing(), stage=Stage.EVOLVE)
    esper.delete_world(world.store.context)
    with pytest.raises(CommandError, match=r"esper\.delete_world deleted this world's entities: .*world\.close"):
        world.step()
    assert world.store.context not in esper.list_worlds()
    world.close()
