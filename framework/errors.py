"""What pliant raises when something cannot work. Each message says where, the rule, and what was found."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class PliantError(Exception):
    """Base of all errors that pliant raises on purpose."""


class FieldError(PliantError, ValueError):
    """A component's field broke its rule."""


class MeshError(FieldError):
    """A mesh that cannot be read or used: it names file, place and rule."""


class ProblemFileError(FieldError):
    """A problem file that cannot be read or used: it names file, line, rule, what was found, and what to do."""


class PathError(PliantError, LookupError):
    """An entity, component, field, group or path that does not exist or is ambiguous."""


class CommandError(PliantError):
    """A command that cannot be carried out: in the past, of a kind that cannot be recorded, on a deleted entity."""


class ScheduleError(PliantError):
    """Systems that cannot be ordered, or a system that does what it did not declare."""


class SimulationError(PliantError, RuntimeError):
    """A run that cannot go on; the world is back at its last good frame."""


class OutputError(PliantError, OSError):
    """A file that cannot be written, or a missing program or library that an output needs."""


class RecordingError(OutputError):
    """A recording that cannot be written, read or resumed: it names file, frame and rule."""


def suggest(word: object, known: Iterable[str]) -> str:
    """': did you mean 'x'?' for the closest known words, or the list of all known ones."""
    names = sorted(set(known))
    close = difflib.get_close_matches(word, names, n=2, cutoff=0.6) if isinstance(word, str) else []
    if close:
        return "; did you mean " + " or ".join(repr(name) for name in close) + "?"
    shown = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
    return f"; known: {shown}" if names else "; there are none"
