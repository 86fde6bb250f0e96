"""World: entities, queries, commands between and inside frames, failures, closing."""
from __future__ import annotations

import copy
import gc
from dataclasses import dataclass
from typing import Any

import esper
import numpy as np
import pytest

from components import (
    BoundaryConditions,
    Collider,
    Force,
    Geometry,
    Gravity,
    Mass,
    MassSpring,
    Material,
    PointLoads,
    Position,
    SpringDamage,
    Springs,
    Strain,
    Transform,
    Velocity,
    Wind,
)
from components.prefabs import grid
from framework import (
    CommandError,
    FieldError,
    ForceSystem,
    PathError,
    ScheduleError,
    SimulationError,
    Stage,
    System,
    World,
    component,
    field,
)
from systems import standard


@dataclass(frozen=True)
class Note:
    text: str


@component
class Counter:
    """A number and an array that systems of these tests write."""

    count: int = field(dtype="int", default=0, principal=True, doc="number")
    values: np.ndarray = field(shape=(3,), default=(0.0, 0.0, 0.0), doc="numbers")


@component(feedback=True)
class Seen:
    """Feedback of these tests."""

    count: int = field(dtype="int", default=0, principal=True, doc="number")


def acts(act: Any, at: Stage = Stage.TRANSFORM) -> System:
    """A system of the name Acts that calls a function once a frame."""

    class Acts(System):
        """The function is no attribute, so that it may collect what it finds."""

        stage = at
        writes = (Counter,)
        reads = (Gravity,)

        def process(self, world: World, step: Any) -> None:
            act(world, step)

    return Acts()


def net(**model: float) -> tuple[Any, ...]:
    parameters = {"stretch": 100.0, "shear": 30.0, "damping_ratio": 0.1, **model}
    return grid((1, 1), (3, 3)), Material(areal_density=1.0), MassSpring(**parameters)


def physics(**settings: Any) -> World:
    world = World(systems=[*standard(), *settings.pop("systems", ())], frame_time=0.01, substeps=4, **settings)
    world.spawn(Gravity(), name="gravity")
    return world


# -- entities and queries ---------------------------------------------------------------------------------------------


def test_queries_come_in_the_order_of_ids_with_optional_and_without() -> None:
    world = World()
    ids = [world.spawn(Gravity(), *([Counter(count=i)] if i % 2 else [])) for i in range(20)]
    for gone in ids[3:9]:
        world.despawn(gone)
    ids = ids[:3] + ids[9:] + [world.spawn(Gravity())]
    rows = world.query(Gravity, optional=[Counter])
    assert [row[0] for row in rows] == ids == sorted(ids)
    assert [row[2] is None for row in rows][:4] == [True, False, True, False]
    assert [row[0] for row in world.query(Gravity, without=(Counter,))] == [r[0] for r in rows if r[2] is None]
    assert [row[0] for row in world.query(Gravity, Counter)] == [r[0] for r in rows if r[2] is not None]
    assert world.query(Wind) == ()


def test_ids_are_never_used_again() -> None:
    world = World()
    seen = set()
    for _ in range(5):
        entity = world.spawn(Gravity(), name="one")
        assert entity not in seen
        seen.add(entity)
        world.despawn("one")
    with pytest.raises(PathError, match="no entity with id"):
        world.despawn(entity)


def test_what_a_person_gets_is_theirs_or_cannot_be_written() -> None:
    world = physics()
    start = np.zeros((4, 3))
    start[:, 0] = range(4)
    world.spawn(Position(x=start), Mass(m=1.0), name="dots")
    start[:] = 7.0
    assert world.value("dots.position[1].x") == 1.0
    for array in (world.get("dots", Position).x, world.query(Position)[0][1].x):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0
    world.value("dots.position")[:] = 9.0
    world.get("gravity", Gravity).acceleration = None  # a copy
    assert world.value("dots.position.y.max") == 0.0 and world.value("gravity.acceleration.y") == -9.81
    world.spawn(*net(), name="net")
    groups = world.value("net.geometry.groups")
    groups["left"][:] = 0
    groups["new"] = 1
    assert "new" not in world.get("net", Geometry).groups and world.get("net", Geometry).groups["left"][1] == 1


def test_values_given_are_copied() -> None:
    world = World()
    world.spawn(Gravity(), name="g")
    value, table, words = np.zeros(3), np.zeros((2, 3)), [0.0, 0.0, 0.0]
    world.at(1 / 60).set("g.acceleration", value)
    world.at(2 / 60).keyframes("g.acceleration", [0, 0.01], table)
    world.at(3 / 60).set("g.acceleration", words)
    world.at(4 / 60).call("tests.unit.test_timeline:put", "g.acceleration", words)
    before = world.state_hash()
    value[:], table[:], words[0] = 5.0, 5.0, 5.0
    assert world.state_hash() == before
    for _ in range(5):
        world.step()
        assert world.value("g.acceleration.x") == 0.0


def test_spawning_inside_a_frame_waits_for_the_next() -> None:
    spawned = []

    def act(world: World, step: Any) -> None:
        if step.frame == 1:
            spawned.append(world.spawn(Counter(), name="new"))
            assert not world.has_entity("new")
        if step.frame == 3:
            world.despawn("new")
            assert world.has_entity("new")

    world = World(systems=[acts(act)])
    world.step(2)
    assert not world.has_entity("new")
    world.step()
    assert world.name(spawned[0]) == "new"
    world.step()
    assert world.has_entity("new")
    world.step()
    assert not world.has_entity("new")


def test_set_inside_a_system_waits_for_the_next_frame() -> None:
    found = []

    def act(world: World, step: Any) -> None:
        found.append(world.get("g", Gravity).acceleration[0])
        world.set("g.acceleration", (step.frame + 1.0, 0, 0))
        found.append(world.get("g", Gravity).acceleration[0])

    world = World(systems=[acts(act)])
    world.spawn(Gravity(acceleration=(0, 0, 0)), name="g")
    world.step(3)
    assert found == [0, 0, 1, 1, 2, 2] and world.value("g.acceleration.x") == 2.0


# -- commands that fail -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("net.material.total_mass", 3.0),  # two densities: found only when the whole component is looked at
        ("net.mass_density", 3.0),
        ("net.material", Material(linear_density=2.0)),  # fits no surface: found when the mass is derived
        ("net.shear", -1.0),
        ("net.boundary_conditions", BoundaryConditions.fixed("nowhere")),
        ("net.position[99]", (0, 0, 0)),
        ("net.springs.nodes", np.zeros((3, 2), int)),
    ],
)
def test_a_command_that_fails_changes_nothing(path: str, value: Any) -> None:
    world = physics(history=1)
    world.spawn(*net(), BoundaryConditions.fixed("left"), name="net")
    world.step(2)
    before = world.state_hash()
    with pytest.raises((FieldError, PathError)):
        world.set(path, value)
    world.snapshots.drop()
    assert world.state_hash() == before
    world.step(3)
    here = world.state_hash()
    world.step()
    world.restore(5)  # and the replay knows nothing of it
    assert world.state_hash() == here


def test_scratch_cannot_be_set() -> None:
    world = physics()
    world.spawn(*net(), name="net")
    with pytest.raises(CommandError, match=r"net\.force.*rebuilt"):
        world.set("net.force", 1.0)


# -- derived parameters -----------------------------------------------------------------------------------------------


def test_derived_parameters_follow_their_sources() -> None:
    world = physics()
    world.spawn(*net(), name="net")
    damping, mass = world.value("net.springs.damping"), world.value("net.mass.m.sum")
    world.set("net.areal_density", 4.0)
    assert world.value("net.mass.m.sum") == pytest.approx(4 * mass)
    np.testing.assert_allclose(world.value("net.springs.damping"), 2 * damping)
    world.set("net.material", Material(areal_density=1.0))
    assert world.value("net.mass.m.sum") == pytest.approx(mass)
    np.testing.assert_allclose(world.value("net.springs.damping"), damping)


def test_explicit_parameters_stay_and_that_is_state() -> None:
    world = physics()
    world.spawn(*net(), Mass(m=0.5), name="net")
    world.set("net.areal_density", 4.0)
    assert world.value("net.mass.m.sum") == 8.0
    plain = world.state_hash()
    taken = world.snapshot()
    world.set("net.springs.stiffness", world.value("net.springs.stiffness"))
    assert world.state_hash() != plain
    world.set("net.stretch", 500.0)
    assert world.value("net.springs.stiffness[0]") == pytest.approx([100.0])
    world.restore(taken)
    world.set("net.stretch", 500.0)
    assert world.value("net.springs.stiffness[0]") == pytest.approx([500.0])


def test_replacing_a_derived_component_derives_what_it_leaves_out() -> None:
    world = physics()
    world.spawn(*net(), name="net")
    rest = world.value("net.springs.rest")
    world.set("net.springs", Springs(stiffness=np.array([7.0, 8.0, 9.0])))
    np.testing.assert_array_equal(world.value("net.springs.rest"), rest)
    world.set("net.stretch", 500.0)
    np.testing.assert_array_equal(world.value("net.springs.stiffness"), [7.0, 8.0, 9.0])
    world.set("net.springs", Springs())  # nothing is given any more: it follows again
    np.testing.assert_array_equal(world.value("net.springs.stiffness"), [500.0, 30.0, 0.0])
    world.step(2)


def test_topology_follows() -> None:
    world = physics()
    world.spawn(*net(), name="net")
    count = len(world.get("net", Springs).rest)
    world.step(2)
    world.set("net.bend", 5.0)
    assert len(world.get("net", Springs).rest) == len(world.get("net", Strain).spring) > count
    world.step(2)
    world.set("net.bend", 0.0)
    assert len(world.get("net", Springs).rest) == count
    world.step(2)


def test_components_that_a_change_calls_for() -> None:
    world = physics()
    world.spawn(*net(), BoundaryConditions.fixed("left"), name="net")
    for absent in (SpringDamage, PointLoads):
        with pytest.raises(PathError, match=f"net has no {absent.__name__}"):
            world.get("net", absent)
    taken = world.snapshot()
    world.set("net.yield_strain", 0.01)
    world.set("net.boundary_conditions", BoundaryConditions.fixed("left") + BoundaryConditions.load("right", (1, 0, 0)))
    world.step(30)
    assert world.value("net.plastic.max") > 0 and world.value("net.point_loads[right].x.sum") == 4.0
    world.restore(taken)
    with pytest.raises(PathError, match="net has no PointLoads"):
        world.get("net", PointLoads)
    world.step(2)


# -- failures in a frame ----------------------------------------------------------------------------------------------


class Bad(ForceSystem):
    """Breaks at an evaluation in the middle of a step."""

    reads, adds = (Position, Velocity), (Force,)

    def __init__(self, error: type[BaseException], at: float) -> None:
        self.error, self.at = error, at

    def process(self, world: World, step: Any) -> None:
        if step.time >= self.at:
            raise self.error("on purpose")


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, CommandError])
@pytest.mark.parametrize("at", [0.0201, 0.0213, 0.026])
def test_an_error_puts_the_frame_back(error: type[BaseException], at: float) -> None:
    from components import RK4

    world = physics(systems=[Bad(error, at)], integrator=RK4())
    world.spawn(*net(), Velocity(v=np.full((16, 3), 0.3)), name="net")
    world.watch("x", "net.position.x.max")
    world.step(2)
    before = world.state_hash()
    with pytest.raises(error) as caught:
        world.step()
    assert world.frame == 2 and world.state_hash() == before
    world.snapshots.drop()
    assert world.state_hash() == before
    assert len(world.series("x")[0]) == 3
    if error is RuntimeError:
        assert "Bad at frame 2" in str(caught.value.__notes__)


@pytest.mark.parametrize("stage", [Stage.TRANSFORM, Stage.DETECT, Stage.EVOLVE, Stage.STATICS, Stage.FEEDBACK])
def test_what_a_failing_system_has_half_written_is_put_back(stage: Stage) -> None:
    def act(world: World, step: Any) -> None:
        for _, counter in world.query(Counter):
            counter.count += 1
            counter.values[1] += 1.0
            world.emit(Note("half"))
            world.random("r").random()
            if step.frame >= 2:
                raise ValueError("half way")

    world = World(systems=[acts(act, stage)], substeps=1)
    world.spawn(Counter(), name="c")
    world.step(1 if stage is Stage.FEEDBACK else 2)
    before, count = world.state_hash(), world.value("c.count")
    for _ in range(2):
        with pytest.raises(ValueError, match="half way"):
            world.step()
        world.snapshots.drop()
        assert (world.state_hash(), world.value("c.count")) == (before, count)


class Poison(System):
    """Writes a value that is not finite into one element, from a frame on."""

    stage = Stage.EVOLVE
    writes = (Velocity,)
    reads = (Gravity,)
    after = ("WorkMeter",)

    def process(self, world: World, step: Any) -> None:
        for _, gravity in world.query(Gravity):
            if step.frame >= 2 and step.substep == 1 and gravity.acceleration[0] == 0:
                for _, velocity in world.query(Velocity):
                    velocity.v[5, 1] = np.nan


def test_a_run_that_is_not_finite_stops_at_the_last_good_frame() -> None:
    world = physics(systems=[Poison()])
    world.spawn(*net(), name="net")
    good = physics(systems=[Poison()])
    good.spawn(*net(), name="net")
    good.step(2)
    with pytest.raises(SimulationError, match=r"frame 2 .*Poison made net: Velocity\.v\[5, 1\] nan") as caught:
        world.step(5)
    assert "last good frame, 2" in str(caught.value)
    world.snapshots.drop()
    assert world.frame == 2 and world.state_hash() == good.state_hash()
    with pytest.raises(SimulationError):
        world.step()
    for each in (world, good):
        each.set("gravity.acceleration", (0.1, -9.81, 0))
        each.step(3)
    assert world.state_hash() == good.state_hash()


def test_a_kinematic_frame_that_is_not_finite_is_found() -> None:
    def act(world: World, step: Any) -> None:
        for _, counter in world.query(Counter):
            counter.values[2] = np.inf

    world = World(systems=[acts(act)])
    world.spawn(Counter(), name="c")
    with pytest.raises(SimulationError, match=r"Acts made c: Counter\.values\[2\] inf"):
        world.step()


def test_infinite_parameters_are_allowed_where_they_mean_something() -> None:
    class Hardens(System):
        """Writes a component whose field may be infinite."""

        stage = Stage.EVOLVE
        writes = (MassSpring,)
        after = ("SpringFlow",)

        def process(self, world: World, step: Any) -> None:
            pass

    world = physics(systems=[Hardens()])
    world.spawn(*net(), name="net")
    world.step()


# -- reading before the first frame -----------------------------------------------------------------------------------


def test_priming_measures_only() -> None:
    class Meter(System):
        """Writes feedback, and does what it should leave to a frame."""

        writes = (Seen,)

        def process(self, world: World, step: Any) -> None:
            for _, seen in world.query(Seen):
                seen.count = 1 + int(1000 * world.random("noise").random())
            world.emit(Note("seen"))
            world.set("s.count", 5)

    class Counts(System):
        """Writes what is no feedback."""

        writes = (Counter,)

        def process(self, world: World, step: Any) -> None:
            for _, counter in world.query(Counter):
                counter.count += 1

    looked, plain = World(systems=[Meter(), Counts()]), World(systems=[Meter(), Counts()])
    for world in (looked, plain):
        world.spawn(Seen(), name="s")
        world.spawn(Counter(), name="c")
    for _ in range(3):
        assert looked.value("s.count") > 0 and looked.value("c.count") == 0
    looked.step(2)
    plain.step(2)
    assert looked.state_hash() == plain.state_hash() and looked.value("c.count") == 2


def test_an_error_while_priming_leaves_a_world_that_works() -> None:
    class Fails(System):
        """Fails as long as the count is 0."""

        writes = (Seen,)
        reads = (Counter,)

        def process(self, world: World, step: Any) -> None:
            if any(counter.count == 0 for _, counter in world.query(Counter)):
                raise RuntimeError("no count")

    world = World(systems=[Fails()])
    world.spawn(Seen(), name="s")
    world.spawn(Counter(), name="c")
    with pytest.raises(RuntimeError, match="no count"):
        world.value("s.count")
    world.set("c.count", 1)
    assert world.value("s.count") == 0
    with pytest.raises(ValueError, match="read-only"):
        world.query(Counter)[0][1].values[0] = 1.0


def test_previous() -> None:
    found = []

    class Reads(System):
        """Reads the last frame's feedback."""

        stage = Stage.TRANSFORM

        def process(self, world: World, step: Any) -> None:
            found.append(world.previous("net.strain.max"))
            with pytest.raises(PathError, match="is no feedback"):
                world.previous("net.position")

    class TooLate(System):
        """Reads it where it is being written."""

        stage = Stage.FEEDBACK

        def process(self, world: World, step: Any) -> None:
            world.previous("net.strain.max")

    world = physics(systems=[Reads()])
    world.spawn(*net(), BoundaryConditions.fixed("top"), name="net")
    world.step()
    last = world.value("net.strain.max")
    world.step()
    assert found == [0.0, last] and last > 0
    world = physics(systems=[TooLate()])
    world.spawn(*net(), name="net")
    with pytest.raises(PathError, match="cannot be read in FEEDBACK"):
        world.step()


# -- what systems may not do ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda world: world.random("gusts").random(), "Sly draws random numbers in FORCES"),
        (lambda world: world.emit(Note("1")), "Sly emits an event in FORCES"),
        (lambda world: world.set("gravity.acceleration", (0, 0, 0)), "Sly gives a command in FORCES"),
        (lambda world: world.at(1.0).despawn("gravity"), "Sly gives a command in FORCES"),
        (lambda world: world.query(Wind), "Sly queries Wind but does not declare it"),
        (lambda world: world.get("gravity", Gravity), "Sly queries Gravity but does not declare it"),
        (lambda world: world.step(), "inside a frame"),
        (lambda world: world.restore(0), "inside a frame"),
    ],
)
@pytest.mark.parametrize("implicit", [False, True])
def test_forces_are_pure(act: Any, message: str, implicit: bool) -> None:
    from components import BackwardEuler

    class Sly(ForceSystem):
        """Does more than to add forces."""

        reads, adds = (Position,), (Force,)

        def process(self, world: World, step: Any) -> None:
            act(world)

    world = physics(systems=[Sly()], integrator=BackwardEuler() if implicit else None)
    world.spawn(*net(), name="net")
    before = world.state_hash()
    with pytest.raises((ScheduleError, CommandError), match=message):
        world.step()
    assert world.state_hash() == before


def test_caches_of_forces_see_every_evaluation() -> None:
    """A force that caches by Position is right at the stages of an integrator, and after an estimate."""
    from components import RK4

    def law(x: np.ndarray) -> np.ndarray:
        return -x * (x * x).sum(axis=1, keepdims=True)

    class Plain(ForceSystem):
        """A cubic spring to the origin."""

        reads, adds = (Position,), (Force,)

        def process(self, world: World, step: Any) -> None:
            for _, position, force in world.query(Position, Force):
                force.f += law(position.x)

    class Cached(ForceSystem):
        """The same by way of a cache."""

        reads, adds = (Position,), (Force,)

        def process(self, world: World, step: Any) -> None:
            for entity, position, force in world.query(Position, Force):
                x = position.x
                force.f += world.cached(self, entity, [(entity, Position, "x")], lambda x=x: law(x))

    ends = []
    for system in (Plain(), Cached()):
        world = World(systems=[*standard(), system], integrator=RK4(), substeps=2)
        world.spawn(Position(x=[[1.0, 0.5, 0.0]]), Mass(m=1.0), name="dot")
        world.step(2)
        world.describe()
        world.step(2)
        ends.append(world.value("dot.position"))
    np.testing.assert_array_equal(*ends)


# -- closing ----------------------------------------------------------------------------------------------------------


def test_a_closed_world_says_so() -> None:
    world = physics()
    world.spawn(*net(), name="net")
    world.step()
    context = world.store.context
    with world:
        pass
    assert context not in esper.list_worlds()
    world.close()
    for use in (
        lambda: world.step(),
        lambda: world.spawn(Gravity()),
        lambda: world.set("net.stretch", 1.0),
        lambda: world.at(3.0).set("net.stretch", 1.0),
        lambda: world.value("net.stretch"),
        lambda: world.get("net", Position),
        lambda: world.query(Position),
        lambda: world.snapshot(),
        lambda: world.state_hash(),
        lambda: world.restore(0),
        lambda: world.despawn("net"),
        lambda: world.describe(),
        lambda: world.random("x"),
        lambda: world.emit(Note("1")),
    ):
        with pytest.raises(CommandError, match="this world is closed"):
            use()


def test_worlds_that_nobody_holds_are_given_back() -> None:
    gc.collect()
    before = set(esper.list_worlds())
    for _ in range(3):
        world = physics()
        world.spawn(*net(), name="net")
        world.step()
    del world
    gc.collect()
    assert set(esper.list_worlds()) <= before


# -- caches -----------------------------------------------------------------------------------------------------------


def test_caches_of_deleted_entities_go() -> None:
    world = physics()
    for _ in range(3):
        world.spawn(*net(), name="net")
        world.step()
        size = len(world._cache)
        world.despawn("net")
    assert size < 10


def test_a_mass_written_by_a_system_counts_at_once() -> None:
    class Heavier(System):
        """Doubles the mass at a frame."""

        stage = Stage.TRANSFORM
        writes = (Mass,)

        def process(self, world: World, step: Any) -> None:
            if step.frame == 1:
                for _, mass in world.query(Mass):
                    mass.m[...] = 4.0

    ends = []
    for drop in (False, True):
        world = World(systems=[*standard(), Heavier()], substeps=1, frame_time=0.1)
        world.spawn(Position(x=[[0.0, 0, 0]]), Mass(m=1.0), BoundaryConditions.load([0], (1.0, 0, 0)), name="dot")
        world.step()
        if drop:
            world.drop_caches()
        world.step()
        ends.append(world.value("dot.velocity[0].x"))
    assert ends[0] == ends[1]
    assert ends[0][0] == pytest.approx(0.1 + 0.1 / 4)


def test_a_collider_moved_by_a_system_is_met_where_it_is() -> None:
    class Lifts(System):
        """Moves a floor."""

        stage = Stage.TRANSFORM
        writes = (Collider,)

        def process(self, world: World, step: Any) -> None:
            for _, collider in world.query(Collider):
                collider.centre[1] = 0.1 * step.frame

    world = World(systems=[*standard(), Lifts()], substeps=1)
    world.spawn(Collider.plane(), name="floor")
    world.spawn(Position(x=[[0.0, 0.05, 0]]), Mass(m=1.0), name="dot")
    world.step(4)
    assert world.value("dot.position[0].y") == pytest.approx([0.3])


def test_what_a_person_gets_stays_as_it_was() -> None:
    world = physics()
    world.spawn(Position(x=[[0, 0, 0]]), Mass(m=1.0), name="ball")
    got, row = world.get("ball", Position).x, world.query(Position)[0][1].x
    world.step(3)
    now = world.get("ball", Position).x
    assert (got == row).all() and (got != now).any()
    assert not got.flags.writeable


def test_a_system_that_writes_what_it_only_reads_is_named() -> None:
    class Pusher(System):
        stage, reads = Stage.TRANSFORM, (Velocity,)

        def process(self, world: World, step: Any) -> None:
            for _, velocity in world.query(Velocity):
                velocity.v += 1.0

    world = physics(systems=[Pusher()])
    world.spawn(Position(x=[[0, 0, 0]]), Mass(m=1.0), name="ball")
    before = world.state_hash()
    with pytest.raises(ScheduleError, match=r"Pusher changed ball's Velocity, which it only reads: list Velocity"):
        world.step()
    assert world.state_hash() == before


def test_a_transform_of_a_dynamic_body_cannot_be_set() -> None:
    world = physics()
    world.spawn(*net(), Transform(translation=(0, 1, 0)), name="net")
    with pytest.raises(CommandError, match="net: Transform places a dynamic body once"):
        world.set("net.transform.translation", (0, 2, 0))
    with pytest.raises(CommandError, match="net: Transform places a dynamic body once"):
        world.set("net", Transform())


def test_a_world_is_no_plain_object_to_copy() -> None:
    world = physics()
    with pytest.raises(CommandError, match=r"take world.snapshot\(\)"):
        copy.deepcopy(world)
    copy.copy(world.engine.schedule.systems[0])  # leaves a note of Python's own on the class
    physics().restore(world.snapshot())


def test_a_force_that_replaces_the_array_is_named() -> None:
    class Push(ForceSystem):
        adds = (Force,)

        def process(self, world: World, step: Any) -> None:
            for _, force in world.query(Force):
                force.f = force.f + 5.0

    world = physics(systems=[Push()])
    world.spawn(Position(x=[[0, 0, 0]]), Mass(m=1.0), name="ball")
    with pytest.raises(ScheduleError, match=r"Push gave ball's Force.f another array.*force.f \+= "):
        world.step()


def test_numbers_that_overflow_name_their_system_and_nothing_else(recwarn: pytest.WarningsRecorder) -> None:
    class Explodes(System):
        stage, writes, after = Stage.EVOLVE, (Position,), ("SpringFlow",)

        def process(self, world: World, step: Any) -> None:
            for _, position in world.query(Position):
                position.x[...] = np.exp(1e4 * (1.0 + position.x)) - np.exp(1e4)

    world = World(systems=[*standard(), Explodes()])
    world.spawn(Position(x=[[0.0, 0, 0]]), Velocity(v=[[0.0, 0, 0]]), Mass(m=1.0), name="point")
    with pytest.raises(SimulationError, match=r"Explodes made point: Position\.x"):
        world.step()
    assert not [str(w.message) for w in recwarn if "encountered" in str(w.message)]
