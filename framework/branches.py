"""Branches: the runs of one world. A command given at a past frame begins a new one; the former run is kept.

What is kept is thinned within the history's budget and computed again when it is asked for, bit for bit as it was.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from framework import lines, replay
from framework.difference import Difference, between
from framework.errors import CommandError, PathError, suggest
from framework.fields import short

if TYPE_CHECKING:
    from framework.lines import Line
    from framework.world import World


@dataclass(frozen=True)
class Branch:
    """One run of a world: `world.switch(branch.name)` goes to it.

    parent: the branch that it left, empty for the first run and where it is not known. began: the frame at which it
    did so, by `command`, in words. newest: its last frame. present: whether the world is on it.
    """

    name: str
    parent: str
    began: int
    newest: int
    command: str
    present: bool


def listed(world: World) -> tuple[Branch, ...]:
    """All branches that are kept, the present one too, in the order in which they began."""
    here = world.history.line
    known = sorted([*world.history.lines.values(), here], key=lambda line: line.number)
    return tuple(
        Branch(line.name, line.parent, line.began, _newest(world, line), line.command, line is here) for line in known
    )


def switch(world: World, name: str, frame: int | None = None) -> None:
    """Go to a branch, at its newest frame or another one, bit for bit as it was; stepping on goes on with it.

    CommandError for a name or frame that is not known, and while the world is recorded: a recording holds one branch.
    """
    line, frame = _place(world, "world.switch", name, frame)
    if world.recorders and line is not world.history.line:
        raise CommandError("world.switch: the world is being recorded, and a recording holds one branch; close() it")
    _enter(world, line, frame)


def compare(world: World, a: str, b: str, path: str, frame: int | None = None) -> Difference:
    """How the value at `path` in branch `b` differs from that in branch `a`, at a frame or the last that both have.

    The world stays where it is. The result colours pictures of that frame: `world.picture(colour_by=difference)`.
    CommandError for branches and frames that are not known and values that cannot be compared, PathError for a path.
    """
    last = min(_newest(world, _place(world, "world.compare", name, None)[0]) for name in (a, b))
    frame = last if frame is None else frame
    places = [_place(world, "world.compare", name, frame) for name in (a, b)]
    values, unit = [], ""
    with _coming_back(world):
        for line, at in places:
            _enter(world, line, at)
            try:
                found = world.path(path)
                values.append(world.value(found))
            except PathError as error:
                raise PathError(f"{line.name}, frame {at}: {error}") from None
            unit = found.unit
    return between(a, b, path, frame, unit, values)


def _newest(world: World, line: Line) -> int:
    return max(line.newest, world.frame) if line is world.history.line else line.newest


def _place(world: World, what: str, name: Any, frame: Any) -> tuple[Line, int]:
    """The line and the frame that a person has named."""
    world.store.check_open()
    if world.engine.in_frame or world.engine.system is not None:
        raise CommandError(f"{what} was called inside a frame")
    known = {line.name: line for line in (*world.history.lines.values(), world.history.line)}
    if not isinstance(name, str) or name not in known:
        raise CommandError(f"{what}: there is no branch {short(name)}{suggest(name, known)}")
    line = known[name]
    newest = _newest(world, line)
    frame = newest if frame is None else frame
    if isinstance(frame, bool) or not isinstance(frame, (int, np.integer)) or not 0 <= frame <= newest:
        raise CommandError(f"{what}: {name} has frames up to {newest}, got {short(frame)}")
    here = line is world.history.line and frame == world.frame
    if not here and line.at_or_before(int(frame)) is None:
        raise CommandError(f"{what}: frame {frame} of {name} is not in the history, which begins later")
    return line, int(frame)


def _enter(world: World, line: Line, frame: int) -> None:
    with world.store.active():
        if line is world.history.line:
            replay.restore(world, frame)
        else:
            replay.keep_present(world)
            lines.put_aside(world)
            given = lines.take_up(world, line)
            start = line.at_or_before(frame)
            replay.go(world, start, frame, given)  # type: ignore[arg-type]
    world.outside = replay.outside_state(world)


@contextmanager
def _coming_back(world: World) -> Iterator[None]:
    """Leave the world after the block as it was before it."""
    line, here, outside = world.history.line, world.snapshots.take(), world.outside
    log, future = world.timeline.log, world.timeline.future
    try:
        yield
    finally:
        with world.store.active():
            if line is not world.history.line:
                lines.put_aside(world)
                lines.take_up(world, line)
            replay.go(world, here, here.frame, [])
            world.timeline.log, world.timeline.future = log, future
        world.outside = outside
