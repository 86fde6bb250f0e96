"""Branches: former runs that are kept, gone to and compared, bit for bit as they were."""
from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from framework import CommandError, PathError, World
from framework.lines import drop
from systems import standard
from tests.golden import scenes

pytestmark = pytest.mark.filterwarnings("ignore:The substep:RuntimeWarning")
FORK, LAST = 4, 9


def edited(world: World) -> World:
    world.set("cloth.stretch", 120.0)
    world.random("mine").standard_normal(3)
    return world


def hashes(world: World, last: int = LAST) -> dict[int, str]:
    found = {world.frame: world.state_hash()}
    while world.frame < last:
        world.step()
        found[world.frame] = world.state_hash()
    return found


def with_branch(budget: int | None = None) -> tuple[World, dict[int, str], dict[int, str]]:
    """A world on `branch 1`, and the hashes of both runs."""
    world = scenes.everything()
    if budget is not None:
        world.history.budget = budget
    world.watch("height", "cloth.position.y.mean")
    first = hashes(world)
    world.restore(FORK)
    return world, first, hashes(edited(world))


def plain(edit: bool) -> dict[int, str]:
    world = scenes.everything()
    world.step(FORK)
    return hashes(edited(world) if edit else world)


def test_both_branches_are_runs_of_their_own() -> None:
    world, first, second = with_branch()
    assert second == plain(edit=True) and {f: h for f, h in first.items() if f >= FORK} == plain(edit=False)
    run, branch = world.branches()
    assert (run.name, run.parent, run.began, run.newest, run.command, run.present) == ("run", "", 0, LAST, "", False)
    assert (branch.name, branch.parent, branch.began, branch.newest) == ("branch 1", "run", FORK, LAST)
    assert branch.present and branch.command == "set cloth.mass_spring.stretch = 120.0"


@pytest.mark.parametrize("budget", [None, 150_000])
def test_switching_back_and_forth_changes_nothing(budget: int | None) -> None:
    world, first, second = with_branch(budget)
    series = {"branch 1": world.series("height")}
    for name, known in (("run", first), ("branch 1", second), ("run", first), ("branch 1", second)):
        world.switch(name)
        assert (world.frame, world.state_hash()) == (LAST, known[LAST])
        times, values = world.series("height")
        assert len(times) == LAST + 1
        np.testing.assert_array_equal(values, series.setdefault(name, (times, values))[1])
        for frame in (7, 2, 5, 8):
            world.switch(name, frame=frame)
            expected = known[frame] if frame >= FORK else first[frame]
            assert (world.frame, world.state_hash()) == (frame, expected)
    assert not np.array_equal(series["run"][1], series["branch 1"][1])
    np.testing.assert_array_equal(series["run"][1][: FORK + 1], series["branch 1"][1][: FORK + 1])


def test_a_branch_is_gone_on_with() -> None:
    world, _, _ = with_branch()
    world.switch("run", frame=6)
    world.step(6)
    assert [(b.name, b.newest) for b in world.branches()] == [("run", 12), ("branch 1", LAST)]
    alone = scenes.everything()
    alone.step(12)
    assert world.state_hash() == alone.state_hash()
    world.switch("branch 1")
    world.step(3)
    other = edited_run(12)
    assert world.state_hash() == other
    world.switch("run", 5)
    world.set("cloth.stretch", 90.0)
    assert [(b.name, b.parent, b.began, b.newest) for b in world.branches()] == [
        ("run", "", 0, 12), ("branch 1", "run", FORK, 12), ("branch 2", "run", 5, 5),
    ]  # fmt: skip


def edited_run(last: int) -> str:
    world = scenes.everything()
    world.step(FORK)
    return hashes(edited(world), last)[last]


def test_what_begins_a_branch_is_said() -> None:
    world = scenes.everything()
    world.step(3)
    world.set("gravity.acceleration", (0, 1.0, 0))
    world.step(2)
    taken = world.snapshot()
    world.step(3)
    world.restore(2)
    world.step(3)  # without what was given at frame 3
    world.restore(4)
    world.at(1.0).despawn("cloth")
    world.step(2)
    world.restore(5)
    world.random("mine").standard_normal(3)
    world.step(1)
    world.restore(taken)
    found = [(b.parent, b.began, b.newest, b.command) for b in world.branches()]
    assert found == [
        ("", 0, 8, ""),
        ("run", 3, 5, "not: set gravity.gravity.acceleration = (0, 1.0, 0)"),
        ("branch 1", 4, 6, "at 1 s: despawn cloth"),
        ("branch 2", 5, 6, "draw random numbers or emit events"),
        ("", 5, 5, "restore a snapshot"),
    ]
    world.switch("run")
    assert world.frame == 8


def test_stepping_on_from_the_past_without_an_edit_is_no_branch() -> None:
    world = scenes.everything()
    world.step(5)
    world.restore(2)
    world.step(6)
    world.set("cloth.stretch", 90.0)
    assert [b.name for b in world.branches()] == ["run"]


def test_leaving_a_frame_before_its_command_is_given_again_changes_nothing() -> None:
    world = scenes.everything()
    world.step(2)
    world.set("cloth.stretch", 120.0)
    edited = world.state_hash()
    world.step(2)
    world.restore(1)
    world.step(1)  # frame 2, and the command of the first run is still to come
    bare = world.state_hash()
    assert bare != edited
    world.compare("run", "run", "cloth.position", 3)
    assert world.state_hash() == bare
    world.restore(0)
    world.restore(2)
    assert world.state_hash() == edited
    world.restore(1)
    world.step(2)  # without it
    world.switch("run", 2)
    assert world.state_hash() == edited and [b.began for b in world.branches()] == [0, 2]


def test_a_command_at_the_newest_frame_is_not_lost_by_stepping_over_it() -> None:
    world = scenes.everything()
    world.step(3)
    world.set("cloth.stretch", 120.0)
    edited = world.state_hash()
    world.restore(1)
    world.step(4)
    assert [(b.name, b.began, b.newest) for b in world.branches()] == [("run", 0, 3), ("branch 1", 3, 5)]
    world.switch("run")
    assert world.state_hash() == edited


def test_comparing() -> None:
    world, _, _ = with_branch()
    before, where = world.state_hash(), world.frame
    for path in ("cloth.position", "cloth.strain.max", "cloth.velocity[right].mean"):
        same = world.compare("run", "branch 1", path, FORK)
        assert same.max == same.rms == 0.0
    found = world.compare("run", "branch 1", "cloth.position")
    assert (world.state_hash(), world.frame) == (before, where)
    values = []
    for edit in (False, True):
        alone = scenes.everything()
        alone.step(FORK)
        hashes(edited(alone) if edit else alone)
        values.append(alone.value("cloth.position"))
    np.testing.assert_array_equal(found.values, values[1] - values[0])
    sizes = np.linalg.norm(found.values, axis=1)
    assert found.unit == "m" and found.frame == LAST and found.max > 0
    assert found.max == pytest.approx(sizes.max(), rel=1e-12)
    assert found.rms == pytest.approx(np.sqrt(np.mean(sizes**2)), rel=1e-12)
    np.testing.assert_array_equal(world.compare("branch 1", "run", "cloth.position").values, -found.values)
    stretch = world.compare("run", "branch 1", "cloth.mass_spring.stretch")
    assert stretch.max == 40.0 and stretch.values.shape == ()
    assert "max 40 N/m" in repr(stretch)


def test_a_picture_is_coloured_by_the_difference() -> None:
    world, _, _ = with_branch()
    found = world.compare("run", "branch 1", "cloth.position")
    scene = world.scene(colour_by=found)
    assert [(each.label, each.unit) for each in scene.legends] == [("position: |branch 1 - run|", "m")]
    assert 0 == scene.legends[0].low < found.max <= scene.legends[0].high
    plain = world.scene(colour_by="")
    changed = [not np.array_equal(a.front, b.front) for a, b in zip(scene.surfaces, plain.surfaces, strict=True)]
    assert changed.count(True) == 1  # the other bodies keep their colours
    world.switch("run")
    assert len(world.scene(colour_by=found, limits=(0.0, 1.0)).legends) == 1
    world.switch("run", 7)
    with pytest.raises(CommandError, match=r"frame 9, the world is on run at frame 7; world.switch\('branch 1', 9\)"):
        world.scene(colour_by=found)
    world.set("cloth.stretch", 70.0)
    world.step(2)
    with pytest.raises(CommandError, match="the world is on branch 2 at frame 9"):
        world.scene(colour_by=found)
    world.switch("run")
    for path in ("cloth.position[right]", "cloth.strain.max", "cloth.mass_spring.stretch"):
        with pytest.raises(CommandError, match="must have a value for each of 20 particles"):
            world.scene(colour_by=world.compare("run", "branch 1", path))


def test_comparing_keeps_what_was_drawn_and_not_yet_stepped() -> None:
    world, _, _ = with_branch()
    alone = scenes.everything()
    alone.step(FORK)
    hashes(edited(alone))
    for each in (world, alone):
        each.random("mine").standard_normal(2)
    world.compare("run", "branch 1", "cloth.position", 6)
    for each in (world, alone):
        each.step(2)
    assert world.state_hash() == alone.state_hash()


@pytest.mark.parametrize(
    ("act", "error", "text"),
    [
        (lambda w: w.switch("branch 2"), CommandError, "no branch 'branch 2'; did you mean 'branch 1'?"),
        (lambda w: w.switch(1), CommandError, "there is no branch 1; known: branch 1, run"),
        (lambda w: w.switch("run", 10), CommandError, "world.switch: run has frames up to 9, got 10"),
        (lambda w: w.switch("run", -1), CommandError, "got -1"),
        (lambda w: w.switch("run", True), CommandError, "got True"),
        (lambda w: w.compare("run", "brnch 1", "cloth.position"), CommandError, "did you mean 'branch 1'"),
        (lambda w: w.compare("run", "branch 1", "cloth.positon"), PathError, "run, frame 9: .*did you mean 'position'"),
        (lambda w: w.compare("run", "branch 1", "cloth.position", 12), CommandError, "has frames up to 9, got 12"),
        (lambda w: w.compare("run", "branch 1", "cloth.pinned.position"), PathError, "run, frame 9"),
        (lambda w: w.compare("run", "branch 1", "cloth.geometry.groups"), CommandError, "is no number in run"),
    ],
)  # fmt: skip
def test_mistakes_leave_the_world_as_it_was(act: object, error: type[Exception], text: str) -> None:
    world, _, second = with_branch()
    with pytest.raises(error, match=text):
        act(world)  # type: ignore[operator]
    assert (world.frame, world.state_hash()) == (LAST, second[LAST])
    assert [b.name for b in world.branches()] == ["run", "branch 1"]


def test_values_of_other_shapes_are_refused() -> None:
    world = scenes.everything()
    world.step(3)
    world.restore(1)
    world.set("cloth.bend", 0.0)
    world.step(1)
    with pytest.raises(CommandError, match=r"springs.rest' has shape \(\d+,\) in run and \(\d+,\) in branch 1, at"):
        world.compare("run", "branch 1", "cloth.springs.rest")


@pytest.mark.parametrize("budget", [1, 50_000, 120_000, 400_000])
def test_the_budget_holds_with_many_branches(budget: int) -> None:
    world = scenes.everything()
    world.history.budget = budget
    world.watch("height", "cloth.position.y.mean")
    tips = {}
    for number in range(12):
        world.step(4)
        tips[world.history.line.name] = world.state_hash()
        world.restore(world.frame - 2)
        world.set("cloth.stretch", 80.0 + number)
        assert world.history.bytes <= budget or (world.history.frames, world.history.lines) == ([0], {})
    kept = [branch.name for branch in world.branches() if not branch.present]
    assert len(kept) == 12 if budget == 400_000 else len(kept) <= 12
    for name in kept:
        if name in world.history.lines:  # going to one may cost another
            world.switch(name)
            assert world.state_hash() == tips[name]
            assert world.history.bytes <= budget or len(world.history.frames) == 1
    for line in list(world.history.lines.values()):
        drop(world.history, line)
    world.history.clear()
    assert world.history.bytes == 0 and not world.history._holders


def test_old_branches_are_thinned_first() -> None:
    world = scenes.everything()
    for _ in range(2):
        world.step(9)
        world.restore(world.frame - 8)
        world.set("cloth.stretch", 90.0)
    world.step(6)
    counts = [len(line.frames) for line in world.history.lines.values()]
    assert min(counts) > 6
    world.history.budget = world.history.bytes - 1
    world.step(1)
    after = [len(line.frames) for line in world.history.lines.values()]
    assert after[0] < counts[0] and after[1] == counts[1]


def test_no_history_has_no_branches() -> None:
    world = World(history=False)
    world.step(3)
    assert [(b.name, b.newest) for b in world.branches()] == [("run", 3)]


def test_a_recording_is_not_disturbed(tmp_path: Path) -> None:
    pytest.importorskip("h5py")
    world = scenes.everything()
    with world.record(tmp_path / "run.h5"):
        world.step(6)
        world.restore(FORK)
        world.set("cloth.stretch", 120.0)
        world.step(1)
        world.compare("run", "branch 1", "cloth.position", 5)
        with pytest.raises(CommandError, match="a recording holds one branch"):
            world.switch("run")
        world.step(1)
        expected = world.state_hash()
    world.switch("run")
    systems = [scenes.Gusts(), *standard(), scenes.GustForce(), scenes.Listener()]
    assert World.load(tmp_path / "run.h5", systems=systems).state_hash() == expected


@pytest.mark.parametrize("budget", [None, 150_000])
def test_a_walk_over_branches_meets_the_same_states(budget: int | None) -> None:
    """Steps, edits, draws, restores, switches and comparisons in any order: a frame of a branch is always the same."""
    choose = np.random.default_rng(3)
    world = scenes.everything()
    if budget is not None:
        world.history.budget = budget
    world.watch("height", "cloth.position.y.mean")
    seen: dict[tuple[str, int], str] = {}
    for _ in range(40):
        before = world.history.line.name, world.frame
        act = choose.integers(6)
        names = [branch.name for branch in world.branches()]
        if act == 0:
            world.step(int(choose.integers(1, 4)))
        elif act == 1:
            world.restore(int(choose.integers(0, world.frame + 1)))
        elif act == 2:
            world.set("cloth.stretch", float(choose.uniform(50, 120)))
        elif act == 3:
            world.switch(names[choose.integers(len(names))])
        elif act == 4:
            here = world.state_hash()
            world.compare(names[0], names[choose.integers(len(names))], "cloth.position")
            assert (world.history.line.name, world.frame, world.state_hash()) == (*before, here)
        else:
            world.random("mine").standard_normal(2)
            world.step()
            if world.history.line.name == before[0]:
                seen.pop(before, None)  # it was drawn there
        place = world.history.line.name, world.frame
        if not any(frame == world.frame for frame, _ in world.timeline.future):  # its command is still to come
            known = seen.get(place) if act != 2 else None
            assert known in (None, world.state_hash())
            seen[place] = world.state_hash()
        assert len(world.series("height")[0]) == world.frame + 1
        assert budget is None or world.history.bytes <= budget
    assert len(seen) > 10 and len(world.branches()) > 1
