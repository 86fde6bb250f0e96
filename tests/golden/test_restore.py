"""What comes back from a snapshot or the history goes on bit for bit as the first run did."""
from __future__ import annotations

import pickle
from dataclasses import dataclass

import numpy as np
import pytest

from components import Gravity, MassSpring, Material, Position, Springs, Wind
from components.prefabs import grid
from framework import CommandError, PathError, Snapshot, World
from systems import standard
from tests.golden import scenes

pytestmark = pytest.mark.filterwarnings("ignore:backward Euler:RuntimeWarning", "ignore:The substep:RuntimeWarning")
LAST = 18
TAKEN = 9  # the ramps of wind and keyframes run, events wait, commands are pending


@dataclass
class Run:
    """A reference run: its world at the end, hashes by frame, and a snapshot on the way."""

    world: World
    hashes: dict[int, str]
    snapshot: Snapshot


@pytest.fixture(scope="module", params=scenes.INTEGRATORS)
def name(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
def reference(name: str) -> Run:
    world = scenes.everything(name)
    hashes, taken = {}, None
    for frame in range(LAST + 1):
        scenes.run_with_edits(world, frame)
        hashes[frame] = world.state_hash()
        if frame == TAKEN:
            taken = world.snapshot()
    assert taken is not None and len(set(hashes.values())) == LAST + 1
    return Run(world, hashes, taken)


def hashes_from(world: World) -> dict[int, str]:
    found = {}
    for frame in range(world.frame, LAST + 1):
        scenes.run_with_edits(world, frame)
        found[frame] = world.state_hash()
    return found


def test_the_scene_uses_what_it_should(reference: Run) -> None:
    world = reference.world
    assert world.value("cloth.broken.sum") > 0 and world.value("cloth.plastic.max") > 0
    assert world.value("patch.position.y.min") < 0.02
    assert world.value("gust.heard") > LAST
    assert world.names() == ["gravity", "wind", "floor", "ball", "gust", "cloth", "patch"]


def test_restored_in_place(reference: Run) -> None:
    world = reference.world
    world.restore(reference.snapshot)
    assert world.names()[-2:] == ["early", "late"] and "timed" in world.names()
    expected = {frame: text for frame, text in reference.hashes.items() if frame >= TAKEN}
    assert hashes_from(world) == expected


def test_pickled_and_restored_in_a_world_of_other_values(name: str, reference: Run) -> None:
    world = scenes.everything(name, seed=7, stretch=50.0)
    world.step(3)
    world.restore(pickle.loads(pickle.dumps(reference.snapshot)))
    expected = {frame: text for frame, text in reference.hashes.items() if frame >= TAKEN}
    assert hashes_from(world) == expected
    with pytest.raises(CommandError, match=f"frame {TAKEN - 1} is not in the history"):
        world.restore(TAKEN - 1)


def test_any_frame_of_the_history(name: str) -> None:
    world = scenes.everything(name)
    hashes = hashes_from(world)
    for frame in (16, 2, 9, 5, 11, 0, 17, 4):
        world.restore(frame)
        assert (world.frame, world.state_hash()) == (frame, hashes[frame])
    assert hashes_from(world) == {frame: text for frame, text in hashes.items() if frame >= 4}


@pytest.mark.parametrize("budget", [1, 60_000])
def test_a_thinned_history_replays_what_was_given_in_between(budget: int) -> None:
    world = scenes.everything("euler")
    world.history.budget = budget
    hashes = {}
    for frame in range(LAST + 1):
        scenes.run_with_edits(world, frame)
        if frame == 2:
            world.at(0.2).set("gravity.acceleration", (0, -8.0, 0))
            world.at(0.3).spawn(*scenes.patch(), name="promised")
        if frame == 7:
            world.random("mine").standard_normal(3)
            world.random("gusts").standard_normal()
            world.emit(scenes.Blown(np.ones(3)))
        hashes[frame] = world.state_hash()
    assert len(world.history.frames) < LAST / 2
    for frame in (13, 1, 7, 8, 3, 12, 18, 5, 6, 16):
        world.restore(frame)
        assert (world.frame, world.state_hash()) == (frame, hashes[frame])


def test_going_on_from_the_past_without_an_edit_forgets_it() -> None:
    """A run goes back and on, without the command that it gave the first time: its past is that of the new run."""
    world = scenes.everything("euler")
    world.history.budget = 1
    world.step(2)
    world.set("gravity.acceleration", (0, 5.0, 0))
    world.step(6)
    world.restore(1)
    world.step(5)
    now = world.state_hash()
    plain = scenes.everything("euler")
    plain.step(6)
    assert now == plain.state_hash()
    world.step(2)
    world.restore(6)
    assert world.state_hash() == now


def test_a_command_given_again_after_going_back_counts_once() -> None:
    world = scenes.everything("euler")
    world.history.budget = 1
    hashes = hashes_from(world)
    world.restore(2)
    assert hashes_from(world) == {frame: text for frame, text in hashes.items() if frame >= 2}
    world.restore(10)
    assert world.state_hash() == hashes[10]


def test_a_snapshot_of_another_branch_brings_no_foreign_past() -> None:
    world = scenes.everything("euler")
    world.history.budget = 1
    world.step(3)
    world.set("gravity.acceleration", (0, 5.0, 0))
    world.step(3)
    branch, there = world.snapshot(), world.state_hash()
    world.restore(2)
    world.set("gravity.acceleration", (0, 1.0, 0))
    world.step(6)
    world.restore(branch)
    assert world.state_hash() == there
    world.step(3)
    later = world.state_hash()
    world.step(1)
    world.restore(9)
    assert world.state_hash() == later
    with pytest.raises(CommandError, match="not in the history"):
        world.restore(4)


def test_a_snapshot_of_the_same_branch_keeps_the_past() -> None:
    world = scenes.everything("euler")
    world.step(4)
    early = world.state_hash()
    world.step(3)
    taken = world.snapshot()
    world.step(3)
    world.restore(taken)
    world.restore(4)
    assert world.state_hash() == early


@pytest.mark.parametrize("name", ["euler", "implicit"], scope="function")
def test_branch_equals_a_run_that_had_the_edit_from_the_start(name: str) -> None:
    def edit(world: World) -> None:
        world.set("cloth.stretch", 120.0)
        world.set("wind.velocity", (0.0, 1.0, 0.0))

    plain = scenes.everything(name)
    plain.step(4)
    edit(plain)
    plain.step(5)
    branched = scenes.everything(name)
    branched.step(9)
    branched.restore(4)
    edit(branched)
    branched.restore(4)  # an edit belongs to the frame: nothing is lost
    branched.step(5)
    assert branched.state_hash() == plain.state_hash()
    timed = scenes.everything(name)
    timed.at(0.08).set("cloth.stretch", 120.0).set("wind.velocity", (0.0, 1.0, 0.0))
    timed.step(9)
    if name == "euler":  # a command on the timeline and the same one by hand leave the same state
        assert timed.state_hash() == plain.state_hash()


def test_restored_ids_and_names() -> None:
    world = World()
    a, b = world.spawn(Gravity(), name="a"), world.spawn(Gravity(), name="b")
    taken = world.snapshot()
    world.despawn(a)
    world.despawn("b")
    c = world.spawn(Gravity(), name="a")
    assert c not in (a, b)
    world.restore(taken)
    assert world.names() == ["a", "b"] and [row[0] for row in world.query(Gravity)] == [a, b]
    assert world.name(a) == "a" and world.get(b, Gravity).acceleration[1] == -9.81
    assert world.spawn(Gravity()) == c
    with pytest.raises(PathError, match="there is no entity with id 99"):
        world.get(99, Gravity)


def test_topology_that_changed_comes_back() -> None:
    """Arrays of another size are put back as own, writable ones; scratch ones fit again."""
    def build() -> World:
        world = World(systems=standard(), frame_time=0.01, substeps=4)
        world.spawn(Gravity(), name="gravity")
        world.spawn(grid((1, 1), (4, 4)), Material(areal_density=1.0), MassSpring(stretch=100.0), name="net")
        return world

    plain, world = build(), build()
    plain.step(4)
    world.step(2)
    taken = world.snapshot()
    springs = len(world.get("net", Springs).rest)
    world.set("net.bend", 10.0)
    world.set("net.rupture_strain", 1.0)
    assert len(world.get("net", Springs).rest) > springs
    world.step(2)
    world.restore(taken)
    assert len(world.get("net", Springs).rest) == springs
    world.step(2)
    assert world.state_hash() == plain.state_hash()
    world.restore(taken)
    world.restore(pickle.loads(pickle.dumps(taken)))
    world.step(2)
    world.restore(taken)  # and no run has written into the snapshot
    world.step(2)
    assert world.state_hash() == plain.state_hash()


def test_snapshots_share_what_has_not_changed() -> None:
    world = scenes.everything("euler")
    world.step(1)
    first = world.snapshot()
    world.step(1)
    second = world.snapshot()
    shared = {id(array) for array in first.arrays()} & {id(array) for array in second.arrays()}
    own = sum(a.nbytes for a in second.arrays() if id(a) not in shared)
    assert 0 < own < 0.6 * sum(a.nbytes for a in second.arrays())
    assert world.snapshot().arrays()[0] is second.arrays()[0]
    assert all(a is b for a, b in zip(world.snapshot().arrays(), second.arrays(), strict=True))


def test_other_systems_are_refused_by_name() -> None:
    taken = scenes.everything("euler").snapshot()
    with pytest.raises(CommandError, match=r"this world lacks Gusts"):
        World(systems=standard()).restore(taken)
    world = World(systems=[scenes.Gusts(strength=1.0), *standard(), scenes.GustForce(), scenes.Listener()])
    before = world.state_hash()
    with pytest.raises(CommandError, match=r"Gusts\.strength differs"):
        world.restore(taken)
    assert world.state_hash() == before
    swapped = World(systems=[scenes.GustForce(), scenes.Gusts(), *standard(), scenes.Listener()])
    with pytest.raises(CommandError, match="in another order"):
        swapped.restore(taken)


def test_watches_follow_the_branch() -> None:
    world = World(systems=standard(), frame_time=0.1)
    world.spawn(Wind(velocity=(0, 0, 0)), name="wind")
    world.watch("speed", "wind.velocity.x")
    for speed in (1.0, 2.0, 3.0):
        world.set("wind.velocity", (speed, 0, 0))
        world.step()
    world.restore(1)
    world.set("wind.velocity", (9.0, 0, 0))
    world.step()
    times, values = world.series("speed")
    np.testing.assert_allclose(times, [0.0, 0.1, 0.2])
    np.testing.assert_array_equal(values, [0.0, 1.0, 9.0])


def test_history_can_be_off() -> None:
    world = World(history=False)
    world.spawn(Position(x=[[0.0, 0, 0]]), name="point")
    world.step(3)
    with pytest.raises(CommandError, match="frame 1 is not in the history"):
        world.restore(1)
    with pytest.raises(CommandError, match="frame 9 has not been run"):
        world.restore(9)


def test_what_a_snapshot_shares_with_the_world_is_never_written_to() -> None:
    world = scenes.everything("euler")
    world.step(2)
    taken = world.snapshot()
    kept = pickle.loads(pickle.dumps(taken)).arrays()
    for path, value in (
        ("cloth.springs.stiffness", (1.0, 2.0, 3.0)),
        ("cloth.areal_density", 0.7),
        ("cloth.bend", 3.0),
        ("gravity.acceleration", (0, 1, 0)),
        ("ball.translation", (0, 1, 0)),
        ("cloth.geometry.points[0]", (0, 1, 0)),
        ("cloth.position[0]", (0, 1, 0)),
    ):
        world.set(path, value)
    world.step(2)
    world.restore(taken)
    world.step(2)
    for array, before in zip(taken.arrays(), kept, strict=True):
        np.testing.assert_array_equal(array, before)
    plain = scenes.everything("euler")
    plain.step(4)
    assert world.state_hash() == plain.state_hash()


@pytest.mark.parametrize("frame", [1, 3, 4, 6])
def test_boundary_elements_go_on_from_any_frame(frame: int) -> None:
    """Through changes of loads and supports, with and without caches."""
    world = scenes.boundary()
    hashes = [world.state_hash()]
    for _ in range(8):
        world.step()
        hashes.append(world.state_hash())
    world.restore(frame)
    assert world.state_hash() == hashes[frame]
    world.drop_caches()
    for later in range(frame + 1, 9):
        world.step()
        assert world.state_hash() == hashes[later]
