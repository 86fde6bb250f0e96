"""Going back: what was given between frames, the branches that it starts, and the replay of frames.

The history holds the start of frames. One that it has thinned out is run again from the last one before it, with all
that was given from outside in between: commands, and what was drawn from random streams or emitted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from framework import lines
from framework.errors import CommandError
from framework.history import Snapshot
from framework.timeline import Command, Resume, describe

if TYPE_CHECKING:
    from framework.world import World


def note(world: World, command: Command) -> None:
    """Remember what was given between frames. It starts a branch."""
    branch(world, describe(command))
    for recorder in world.recorders:
        recorder.give(world.frame, command)
    if world.keep_log:
        world.timeline.log.append((world.frame, command))


def branch(world: World, command: str) -> None:
    """Later frames, and the start of this one, are no longer those of the run. command: what began it, in words."""
    if world.history.newest > world.frame or world.timeline.future:  # something of the former run would be lost
        lines.fork(world, command, world.frame)
    world.history.forget_after(world.frame - 1)
    world.timeline.future.clear()
    world.watches.forget_later()


def before_frame(world: World, left: tuple[Any, int]) -> None:
    """See to it that the coming frame can be replayed. left: `outside_state` at the end of the last one."""
    if outside_state(world) != left:
        note(world, Resume(world.streams.state(), world.queue.state()))
    else:
        missing = next((command for frame, command in world.timeline.future if frame == world.frame), None)
        if missing is not None:  # the former run was given something here that this one was not
            branch(world, f"not: {describe(missing)}")


def after_frame(world: World) -> tuple[Any, int]:
    """Record the frame; returns the `outside_state` at its end."""
    for recorder in tuple(world.recorders):
        recorder.frame()
    return outside_state(world)


def outside_state(world: World) -> tuple[Any, int]:
    """What a person can change between frames without a command."""
    return world.streams.state(), world.queue.count


def restore(world: World, target: Snapshot | int) -> None:
    """Put the world back to a snapshot or a frame."""
    if isinstance(target, Snapshot):
        _to_snapshot(world, target)
    elif isinstance(target, bool) or not isinstance(target, (int, np.integer)):
        raise CommandError(f"world.restore takes a snapshot or a frame number, got {target!r}")
    else:
        _to_frame(world, int(target))


def _to_snapshot(world: World, target: Snapshot) -> None:
    history, timeline = world.history, world.timeline
    passed = [entry for entry in (*timeline.log, *timeline.future) if entry[0] < target.frame]
    own = [entry for entry in target.log or () if entry[0] < target.frame]
    same = (target.log is not None and target.origin == world.store.context
            and list(map(id, own)) == list(map(id, passed)))  # fmt: skip
    if history.newest >= 0:
        keep_present(world)
    world.snapshots.put_back(target)
    if same:
        world.watches.go_to(target.frame)
        branch(world, "restore a snapshot")
    else:  # it belongs to another branch or process: of what came before it nothing is known here
        if history.newest >= 0:
            lines.fork(world, "restore a snapshot", target.frame, parent=False)
        history.clear()
        world.watches.forget_after(target.frame)
        world.watches.forget_later()
    timeline.log, timeline.future = list(target.log or ()), []


def _to_frame(world: World, target: int) -> None:
    history, timeline = world.history, world.timeline
    if target == world.frame and target not in history.frames:
        return
    newest = max(world.frame, history.newest)
    if not 0 <= target <= newest:
        raise CommandError(f"world.restore: frame {target} has not been run; the world is at frame {world.frame}")
    keep_present(world)
    start = history.at_or_before(target)
    if start is None:
        raise CommandError(f"world.restore: frame {target} is not in the history (World(history=...) sets its size)")
    go(world, start, target, [*timeline.log, *timeline.future])


def keep_present(world: World) -> None:
    """Keep the state that is about to be left, so that there is a way back to it.

    Not where the run has been further, or has been given something at this frame: then it is known as it was then.
    """
    if world.frame >= world.history.newest and not world.timeline.future:
        world.history.add(world.snapshots.take())


def go(world: World, start: Snapshot, target: int, given: list[tuple[int, Command]]) -> None:
    """Put the world to a snapshot of its present line and run to frame `target` with what was given on the way."""
    timeline = world.timeline
    world.snapshots.put_back(start)
    world.watches.go_to(start.frame)
    try:
        while world.frame < target:
            world.engine.frame()
            for frame, command in given:
                if frame == world.frame:
                    world.engine.execute(command)
    finally:  # whoever interrupts it has a world that knows how it came to where it is
        timeline.log = [entry for entry in given if entry[0] <= world.frame]
        timeline.future = [entry for entry in given if entry[0] > world.frame]
