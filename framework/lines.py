"""The lines of a world's history: the run that it is on, and the former runs that are kept as branches.

A line holds all that is needed to be on it again: snapshots, what was given from outside, series. Lines share the
snapshots of their common past, and all have one budget of bytes, where each array counts once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from framework.history import History, Snapshot
    from framework.timeline import Command
    from framework.world import World

MOST = 100  # lines besides the present one: a person reads their list
ENTRY_BYTES = 120  # of a frame, a command or a row of a series, about what CPython needs


@dataclass(eq=False)
class Line:
    """One run: its name, where it came from, and what is kept of it.

    newest: the last frame that can be gone to, -1 where there is none. stride: of the frames that are kept.
    given and rows are filled while the world is on another line.
    """

    name: str = "run"
    number: int = 0
    parent: str = ""
    began: int = 0
    command: str = ""
    newest: int = -1
    stride: int = 1
    frames: dict[int, Snapshot] = field(default_factory=dict)
    given: list[tuple[int, Command]] = field(default_factory=list)
    rows: dict[str, list[Any]] = field(default_factory=dict)
    bytes: int = 0  # of all but the snapshots

    def at_or_before(self, frame: int) -> Snapshot | None:
        frames = [f for f in self.frames if f <= frame]
        return self.frames[max(frames)] if frames else None


def fork(world: World, command: str, frame: int, parent: bool = True) -> None:
    """Keep the present line and begin another one at `frame`, with its past up to there."""
    history = world.history
    former = history.line
    put_aside(world)
    history.made += 1
    past = {f: snapshot for f, snapshot in former.frames.items() if f < frame}
    for snapshot in past.values():
        history.hold(snapshot, 1)
    history.line = Line(f"branch {history.made}", history.made, former.name if parent else "", frame, command,
                        min(former.newest, frame - 1), former.stride, past)  # fmt: skip
    while len(history.lines) > MOST:
        drop(history, next(iter(history.lines.values())))
    make_room(history)


def put_aside(world: World) -> None:
    """Keep the present line as it is; another one must be taken up."""
    line, timeline = world.history.line, world.timeline
    line.given, line.rows = [*timeline.log, *timeline.future], world.watches.all_rows()
    rows = [row for series in line.rows.values() for row in series]
    line.bytes = ENTRY_BYTES * (len(line.frames) + len(line.given) + len(rows))
    line.bytes += sum(getattr(row[2], "nbytes", 0) for row in rows)
    world.history.bytes += line.bytes
    world.history.lines[line.name] = line


def take_up(world: World, line: Line) -> list[tuple[int, Command]]:
    """Make a kept line the present one; returns what was given to it. The world's state is still another's."""
    history = world.history
    if history.lines.pop(line.name, None) is not None:
        history.bytes -= line.bytes
    else:  # it was dropped for want of room, but whoever asks has kept it
        for snapshot in line.frames.values():
            history.hold(snapshot, 1)
    world.watches.put_all(line.rows)
    given, line.given, line.rows, line.bytes = line.given, [], {}, 0
    history.line, line.stride = line, 1  # frames that are computed again are kept again
    make_room(history)
    return given


def drop(history: History, line: Line) -> None:
    del history.lines[line.name]
    history.bytes -= line.bytes
    for snapshot in line.frames.values():
        history.hold(snapshot, -1)


def make_room(history: History) -> None:
    """Thin lines until they are within the budget; what goes can be computed again from the first frame that stays.

    First every 2nd, 4th, ... frame of the branches goes, of the oldest first, down to their first and newest one. Then
    the present line is thinned, but not to fewer frames than there are branches; then the newest frames of branches go,
    and in the end branches.
    """
    lines = history.lines

    def full() -> bool:
        return history.bytes > history.budget

    for line in list(lines.values()):
        while full() and len(line.frames) > 2:
            _halve(history, line, {min(line.frames), max(line.frames)})
    _thin_present(history, len(lines))
    for line in list(lines.values()):
        if full() and len(line.frames) > 1:
            history.hold(line.frames.pop(max(line.frames)), -1)
    _thin_present(history, 1)
    while full() and lines:
        drop(history, next(iter(lines.values())))


def _thin_present(history: History, least: int) -> None:
    line = history.line
    while history.bytes > history.budget and len(line.frames) > max(1, least):
        _halve(history, line, {min(line.frames)})


def _halve(history: History, line: Line, keep: set[int]) -> None:
    line.stride *= 2
    for frame in [f for f in line.frames if f % line.stride and f not in keep]:
        history.hold(line.frames.pop(frame), -1)
