"""Commands: the only way to change a world between steps. They are data: a run can be stored, branched, repeated."""

from __future__ import annotations

import copy
import importlib
import inspect
from bisect import insort
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from framework.encoding import encode
from framework.errors import CommandError
from framework.fields import short


@dataclass(frozen=True)
class Set:
    """Give a field a value at once, or linearly from its value at that moment over `ramp` seconds."""

    path: str
    value: Any
    ramp: float = 0.0


@dataclass(frozen=True)
class Keyframes:
    """Follow values that are linear between times; seconds count from the moment of the command."""

    path: str
    times: np.ndarray
    values: np.ndarray


@dataclass(frozen=True)
class Spawn:
    """Add an entity of these components, with the id that it was given when the command was made."""

    components: tuple[Any, ...]
    name: str
    id: int


@dataclass(frozen=True)
class Despawn:
    """Delete an entity."""

    entity: str


@dataclass(frozen=True)
class Call:
    """Call a function, named 'module:function', with the world and arguments."""

    function: str
    arguments: tuple[Any, ...]


@dataclass(frozen=True)
class Later:
    """Put a command on the timeline, for `time` [s]."""

    time: float
    command: Command


@dataclass(frozen=True)
class Cancel:
    """Take back what is pending and moving for an entity, or for one path of it."""

    what: str


@dataclass(frozen=True)
class Resume:
    """Put random streams and events to a state: what was drawn and emitted between two frames."""

    random: dict[str, Any]
    events: tuple[list[Any], list[Any]]


Command = Set | Keyframes | Spawn | Despawn | Call | Later | Cancel | Resume


@dataclass(frozen=True)
class Due:
    """A command with its time."""

    time: float
    command: Command


@dataclass(frozen=True)
class Motion:
    """A running ramp or keyframe sequence: `path` follows `values` at absolute `times`."""

    path: str
    times: np.ndarray
    values: np.ndarray


@dataclass
class Timeline:
    """Pending commands and running motions; those of one time run in the order they were given.

    log: (frame, command) of what was given between frames up to now, in order; future: the same of later frames,
    after a restore to an earlier one. Both serve the replay of frames and are no part of the state.
    """

    pending: list[Due] = field(default_factory=list)
    motions: list[Motion] = field(default_factory=list)
    spawns: dict[str, int] = field(default_factory=dict)  # how many pending commands spawn an entity of a name
    log: list[tuple[int, Command]] = field(default_factory=list)
    future: list[tuple[int, Command]] = field(default_factory=list)
    _state: dict[str, Any] | None = None  # kept until something changes: snapshots of frames in between share it

    def add(self, time: float, command: Command) -> None:
        self._state = None
        insort(self.pending, Due(float(time), command), key=_time)  # behind those of the same time
        self._count(command, 1)

    def take_due(self, time: float) -> Due | None:
        """The first pending command, if it is due at `time`; it is pending no more."""
        if not self.pending or self.pending[0].time > time:
            return None
        self._state = None
        due = self.pending.pop(0)
        self._count(due.command, -1)
        return due

    def cancel(self, what: str) -> int:
        """Take back the pending commands and motions of a path, an entity or a function; how many they were."""
        kept = [due for due in self.pending if not concerns(due.command, what)]
        moving = [motion for motion in self.motions if not _within(motion.path, what)]
        count = len(self.pending) - len(kept) + len(self.motions) - len(moving)
        self.restore({"pending": kept, "motions": moving})
        return count

    def _count(self, command: Command, change: int) -> None:
        if isinstance(command, Spawn):
            self.spawns[command.name] = self.spawns.get(command.name, 0) + change

    def start_motion(self, path: str, times: np.ndarray, values: np.ndarray) -> None:
        self.stop_motion(path)
        self.motions.append(Motion(path, times, values))

    def stop_motion(self, path: str) -> None:
        self._keep_motions(lambda motion: motion.path != path)

    def end_motion(self, over: Motion) -> None:
        self._keep_motions(lambda motion: motion is not over)

    def forget_entity(self, name: str) -> None:
        """Stop the motions of an entity that is deleted: one of the same name may come later, which is another."""
        self._keep_motions(lambda motion: not _within(motion.path, name))

    def _keep_motions(self, wanted: Callable[[Motion], bool]) -> None:
        self._state = None
        self.motions = [motion for motion in self.motions if wanted(motion)]

    def due_spawn(self, name: str) -> Spawn | None:
        """The pending command that will spawn an entity of this name."""
        if not self.spawns.get(name):
            return None
        spawns = (due.command for due in self.pending if isinstance(due.command, Spawn))
        return next((command for command in spawns if command.name == name), None)

    def state(self) -> dict[str, Any]:
        if self._state is None:
            self._state = {"pending": tuple(self.pending), "motions": tuple(self.motions)}
        return self._state

    def restore(self, state: dict[str, Any]) -> None:
        self._state = None
        self.pending, self.motions = list(state["pending"]), list(state["motions"])
        self.spawns = {}
        for due in self.pending:
            self._count(due.command, 1)


def _time(due: Due) -> float:
    return due.time


def concerns(command: Command, what: str) -> bool:
    """Whether a command is about a path, an entity or a function called `what`."""
    if isinstance(command, (Set, Keyframes)):
        return _within(command.path, what)
    if isinstance(command, Spawn):
        return command.name == what
    return what == (command.entity if isinstance(command, Despawn) else getattr(command, "function", None))


def _within(path: str, what: str) -> bool:
    return path == what or path.startswith((f"{what}.", f"{what}["))


def interpolate(motion: Motion, time: float) -> np.ndarray:
    """Linear in time between keyframes, held before the first and after the last."""
    times, values = motion.times, motion.values
    after = int(np.searchsorted(times, time, side="right"))
    if after == 0:
        return values[0]
    if after == len(times):
        return values[-1]
    share = (time - times[after - 1]) / (times[after] - times[after - 1])
    return values[after - 1] + share * (values[after] - values[after - 1])


def function_name(function: str | Callable[..., Any]) -> str:
    """'module:function' of an importable function; CommandError for lambdas and inner functions."""
    if not isinstance(function, str):
        name = getattr(function, "__qualname__", short(function))
        if inspect.ismethod(function):
            raise CommandError(f"a command calls a function by its name; {name} is bound to an object, which has none")
        if not callable(function) or "<" in name or not hasattr(function, "__module__"):
            raise CommandError(
                f"a command calls a function by its importable name; {name} has none: define it in a module"
            )
        given, function = function, f"{function.__module__}:{name}"
        if load_function(function) is not given:
            raise CommandError(f"a command calls a function by its name, but {function!r} is another function now")
    load_function(function)
    return function


def plain_arguments(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """An own copy of a call's arguments; CommandError when they are no data that can be stored."""
    try:
        encode(arguments, lambda part: None)
    except (TypeError, ValueError) as error:
        raise CommandError(f"a command's arguments must be plain data: {error}") from None
    return copy.deepcopy(arguments)


def load_function(name: str) -> Callable[..., Any]:
    module, _, attribute = name.partition(":")
    if not module or not attribute:
        raise CommandError(f"a function is named 'module:function', got {name!r}")
    try:
        found: Any = importlib.import_module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        raise CommandError(f"cannot find the function {name!r}: {error}") from None
    if not callable(found):
        raise CommandError(f"{name!r} is not a function")
    return found


def describe(command: Command) -> str:
    if isinstance(command, Set):
        return f"set {command.path} = {short(command.value)}" + (f" over {command.ramp:g} s" if command.ramp else "")
    if isinstance(command, Keyframes):
        return f"keyframes of {command.path}"
    if isinstance(command, Spawn):
        return f"spawn {command.name}"
    if isinstance(command, Cancel):
        return f"cancel {command.what}"
    if isinstance(command, Later):
        return f"at {command.time:g} s: {describe(command.command)}"
    if isinstance(command, Resume):
        return "draw random numbers or emit events"
    return f"despawn {command.entity}" if isinstance(command, Despawn) else f"call {command.function}"
