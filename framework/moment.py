"""`world.at(t)`: commands for a later time."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from framework import commands, replay
from framework.recording.recorder import check_command
from framework.timeline import Call, Command, Later, function_name, plain_arguments

if TYPE_CHECKING:
    from framework.world import World


class Moment:
    """`world.at(t)`: gives commands for time t [s]. Each returns the moment, so that calls can be chained."""

    def __init__(self, world: World, time: float) -> None:
        self._world, self._time = world, time

    def set(self, path: str, value: Any, ramp: float = 0.0) -> Moment:
        """Set a field at this time; with `ramp` [s], linearly from the value it has then."""
        return self._add(commands.set_field(self._world, path, value, ramp))

    def keyframes(self, path: str, times: Any, values: Any) -> Moment:
        """Follow `values` (k, ...) at `times` (k,) [s after this time], linear in between, held afterwards."""
        return self._add(commands.keyframes(self._world, path, times, values))

    def spawn(self, *components: Any, name: str | None = None) -> Moment:
        """Spawn an entity at this time."""
        return self._add(commands.spawn(self._world, components, name, self._time))

    def despawn(self, entity: int | str) -> Moment:
        """Delete an entity at this time."""
        return self._add(commands.despawn(self._world, entity))

    def call(self, function: str | Callable[..., Any], *arguments: Any) -> Moment:
        """Call a function of a module, given as 'module:function' or itself, as function(world, *arguments)."""
        return self._add(Call(function_name(function), plain_arguments(arguments)))

    def _add(self, command: Command) -> Moment:
        world = self._world
        world.store.check_open()
        world.engine.refuse_pure("gives a command")
        check_command(world, command)
        world.timeline.add(self._time, command)
        if not world.engine.in_frame and not world.engine.priming:
            replay.note(world, Later(self._time, command))
        return self
