"""Ordered events: what one system emits is read by others in this frame and the next, in the order of emission."""

from __future__ import annotations

import copy
from typing import Any, TypeVar

from framework.encoding import encode
from framework.errors import CommandError
from framework.fields import short

E = TypeVar("E")


class Events:
    """A queue that forgets an event at the end of the frame after its own. Events are part of the state."""

    def __init__(self) -> None:
        self._former: list[Any] = []
        self._current: list[Any] = []

    def emit(self, event: Any) -> None:
        parameters = getattr(type(event), "__dataclass_params__", None)  # of classes: those of their metaclass, none
        if parameters is None or not parameters.frozen:
            raise CommandError(f"world.emit: an event must be an instance of a frozen dataclass of plain data, so "
                               f"that systems can ask for its class; got {short(event)}")
        try:
            encode(event, lambda part: None)
        except (TypeError, ValueError) as error:
            raise CommandError(f"world.emit: an event must be plain data, a frozen dataclass of it: {error}") from None
        self._current.append(copy.deepcopy(event))  # it may hold live arrays

    def of(self, kind: type[E]) -> list[E]:
        """Events of a class (or of classes derived from it), oldest first."""
        if not isinstance(kind, type):
            raise CommandError(f"world.events takes the class of the events, got {kind!r}")
        return [event for event in (*self._former, *self._current) if isinstance(event, kind)]

    @property
    def count(self) -> int:
        """How many were emitted in this frame."""
        return len(self._current)

    def next_frame(self) -> None:
        self._former, self._current = self._current, []

    def state(self) -> tuple[list[Any], list[Any]]:
        return list(self._former), list(self._current)

    def restore(self, state: tuple[list[Any], list[Any]]) -> None:
        self._former, self._current = list(state[0]), list(state[1])
