"""The schedule: order, conflicts, declarations; and what systems may hold."""
from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

from components import Force, Gravity, Position, Strain, Velocity
from framework import ForceSystem, ScheduleError, Stage, System, World, component, field
from framework.schedule import Schedule
from framework.system import fingerprint
from systems import standard


@component
class Level:
    """A number."""

    height: float = field(unit="m", default=0.0, principal=True, doc="height")


def system(name: str, **attributes: Any) -> System:
    """An instance of a fresh system class."""
    attributes.setdefault("process", lambda self, world, step: None)
    return type(name, (attributes.pop("base", System),), attributes)()


def names(*systems: System, stage: Stage = Stage.FEEDBACK) -> list[str]:
    return [each.name for each in Schedule(systems).stages[stage]]


# -- order ------------------------------------------------------------------------------------------------------------


def test_registration_decides_where_nothing_else_does() -> None:
    assert names(system("C"), system("A"), system("B")) == ["C", "A", "B"]


def test_before_and_after_decide_else() -> None:
    assert names(system("C", after=("A",)), system("A"), system("B", before=("A",))) == ["B", "A", "C"]
    assert names(system("C", after=("A",)), system("B"), system("A")) == ["B", "A", "C"]


def test_stages_follow_each_other() -> None:
    late, early = system("Late"), system("Early", stage=Stage.TRANSFORM)
    assert [each.name for each in Schedule([late, early])] == ["Early", "Late"]


def test_two_writers_without_an_order_are_ambiguous() -> None:
    with pytest.raises(ScheduleError, match=r"stage FEEDBACK: First and Second both use Level.*before = \('First',\)"):
        names(system("First", writes=(Level,)), system("Second", writes=(Level,)))
    with pytest.raises(ScheduleError, match="First and Second both use Level"):
        names(system("First", reads=(Level,)), system("Second", writes=(Level,)))
    with pytest.raises(ScheduleError, match="First and Second both use Level"):
        names(system("First", adds=(Level,)), system("Second", reads=(Level,)))
    with pytest.raises(ScheduleError, match="First and Second both use Level"):
        names(system("First", adds=(Level,)), system("Second", writes=(Level,)))


def test_an_order_through_others_is_an_order() -> None:
    chain = (
        system("First", writes=(Level,), before=("Middle",)), system("Middle"),
        system("Last", writes=(Level,), after=("Middle",)),
    )  # fmt: skip
    assert names(*reversed(chain)) == ["First", "Middle", "Last"]


def test_reading_and_adding_conflict_with_themselves_never() -> None:
    names(system("A", reads=(Level,)), system("B", reads=(Level,)))
    names(system("A", adds=(Level,)), system("B", adds=(Level,)))
    names(system("A", writes=(Level,)), system("B", writes=(Level,), stage=Stage.STATICS))


def test_circles_are_named() -> None:
    with pytest.raises(ScheduleError, match=r"before/after form a circle: .*A.*B"):
        names(system("A", before=("B",)), system("B", before=("A",)))
    with pytest.raises(ScheduleError, match="circle"):
        names(system("A", after=("C",)), system("B", after=("A",)), system("C", after=("B",)))
    with pytest.raises(ScheduleError, match="circle: A -> A"):
        names(system("A", after=("A",)))


def test_an_order_against_the_stages_is_refused() -> None:
    with pytest.raises(ScheduleError, match=r"A \(TRANSFORM\) cannot run after B \(FEEDBACK\)"):
        Schedule([system("A", stage=Stage.TRANSFORM, after=("B",)), system("B")])
    with pytest.raises(ScheduleError, match=r"B \(FEEDBACK\) cannot run before A \(TRANSFORM\)"):
        Schedule([system("A", stage=Stage.TRANSFORM), system("B", before=("A",))])
    Schedule([system("A", stage=Stage.TRANSFORM, before=("B",)), system("B")])


def test_what_is_no_system_is_refused() -> None:
    with pytest.raises(ScheduleError, match="A is a class: register an instance"):
        Schedule([type(system("A"))])  # type: ignore[list-item]
    with pytest.raises(ScheduleError, match="is not a system"):
        Schedule([print])  # type: ignore[list-item]
    with pytest.raises(ScheduleError, match="A is registered twice"):
        Schedule([system("A"), system("A")])
    with pytest.raises(ScheduleError, match=r"A\.stage must be a Stage"):
        Schedule([system("A", stage=3)])
    with pytest.raises(ScheduleError, match=r"A\.reads must .*component classes"):
        Schedule([system("A", reads=("Level",))])


# -- declarations -----------------------------------------------------------------------------------------------------


def test_feedback_is_written_in_its_stage() -> None:
    with pytest.raises(ScheduleError, match=r"A \(stage SOLVE\) writes Strain: feedback is written in FEEDBACK only"):
        Schedule([system("A", stage=Stage.SOLVE, writes=(Strain,))])
    with pytest.raises(ScheduleError, match="writes Strain"):
        Schedule([system("A", base=ForceSystem, adds=(Force, Strain))])


@pytest.mark.parametrize("kind", ["types", "optional", "get"])
def test_an_undeclared_query_is_an_error(kind: str) -> None:
    def process(self: System, world: World, step: Any) -> None:
        if kind == "types":
            world.query(Position, Velocity)
        elif kind == "optional":
            world.query(Position, optional=[Velocity])
        else:
            world.get("body", Velocity)

    world = World(systems=[system("Nosy", reads=(Position,), process=process)])
    world.spawn(Position(x=[[0.0, 0, 0]]), Velocity(), name="body")
    for _ in range(2):  # also when another system has made the same query
        with pytest.raises(ScheduleError, match="Nosy queries Velocity but does not declare it"):
            world.step()


def test_a_query_that_another_system_declared_is_checked_for_each() -> None:
    def process(self: System, world: World, step: Any) -> None:
        world.query(Gravity)

    world = World(systems=[system("Open", reads=(Gravity,), process=process), system("Nosy", process=process)])
    with pytest.raises(ScheduleError, match="Nosy queries Gravity"):
        world.step()


# -- state in systems -------------------------------------------------------------------------------------------------


class Hides(System):
    """Holds attributes of many kinds and changes one of them."""

    shared: list[int] = []

    def __init__(self, what: str) -> None:
        self.what = what
        self.count = 0
        self.items = [1]
        self.table = {"a": [1]}
        self.array = np.zeros(3)
        self.members = {1}

    def process(self, world: World, step: Any) -> None:
        if step.frame < 2:
            return
        if self.what == "count":
            self.count += 1
        elif self.what == "items":
            self.items.append(2)
        elif self.what == "table":
            self.table["a"][0] += 1
        elif self.what == "array":
            self.array[1] = 5.0
        elif self.what == "members":
            self.members.add(2)
        elif self.what == "shared":
            type(self).shared.append(1)
        elif self.what == "later":
            object.__setattr__(self, "later", 1)
        elif self.what == "gone":
            del self.count


@pytest.mark.parametrize("what", ["count", "items", "table", "array", "members", "shared", "later", "gone"])
@pytest.mark.parametrize("look", [World.step, World.snapshot])
def test_hidden_state_is_caught_and_named(what: str, look: Any) -> None:
    Hides.shared = []
    world = World(systems=[Hides(what)])
    with pytest.raises(ScheduleError, match=f"Hides .*attribute '{'count' if what == 'gone' else what}'"):
        world.step(2)
        look(world)


class Collects(System):
    """Has no attributes of its own, and collects in its class."""

    seen: list[int] = []

    def process(self, world: World, step: Any) -> None:
        self.seen.append(step.frame)


def test_hidden_state_in_a_class_is_caught_and_named() -> None:
    with pytest.raises(ScheduleError, match="Collects keeps state in its attribute 'seen'"):
        World(systems=[Collects()]).step(2)


def test_hidden_state_in_a_closure() -> None:
    total = [0]

    def process(self: System, world: World, step: Any) -> None:
        self.act()

    def act() -> None:
        total[0] += 1

    made = system("Closes", process=process)
    made.act = act  # type: ignore[attr-defined]
    world = World(systems=[made])
    with pytest.raises(ScheduleError, match="Closes keeps state in its attribute 'act'"):
        world.step(2)


def test_parameters_are_plain_data() -> None:
    made = system("Odd")
    made.generator = np.random.default_rng()  # type: ignore[attr-defined]
    with pytest.raises(ScheduleError, match="Odd: its attribute 'generator' must be plain data"):
        World(systems=[made])


def test_fingerprints_tell_parameters_apart() -> None:
    def print_of(value: Any) -> dict[str, bytes]:
        made = system("A")
        made.value = value  # type: ignore[attr-defined]
        return fingerprint(made)

    values = [
        1, 1.0, True, "1", None, [1], [1, [2]], [[1], 2], {"a": 1}, np.ones(2), np.ones(2, np.float32), np.ones((2, 1)),
        lambda x: x + 1, lambda x: x + 2, lambda x, y=1: x, lambda x, y=2: x, np.sin, len, max, Stage.SOLVE,
        functools.partial(max, 1), functools.partial(max, 2), Level, Level(), Level(height=1.0),
    ]  # fmt: skip
    prints = [print_of(value)["value"] for value in values]
    assert len(set(prints)) == len(values)
    assert prints == [print_of(value)["value"] for value in values]


def test_a_system_serves_only_one_world_at_a_time_without_harm() -> None:
    """Systems hold no state, so that two worlds may even share them."""
    shared = standard()
    first, second = World(systems=shared), World(systems=shared)
    for world in (first, second):
        world.spawn(Gravity(), name="g")
        world.step(2)
    assert first.state_hash() == second.state_hash()
