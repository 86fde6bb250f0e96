"""Where things stand in a file, for the errors and warnings that name them: `beam.xml:17: ...`."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any, NoReturn

from framework.errors import ProblemFileError

LAST_LINE = 65535  # libxml2 counts no further
LONGEST = 40  # characters of a value that a message shows


@dataclass
class Places:
    """Lines of points, elements and <bc>; None where a line is not known, as in a problem that is in no file."""

    name: str
    points: list[int | None] = field(default_factory=list)
    elements: list[int | None] = field(default_factory=list)
    conditions: list[int | None] = field(default_factory=list)

    def at(self, line: int | None) -> str:
        return self.name if line is None else f"{self.name}:{line}"

    def fail(self, line: int | None, text: str) -> NoReturn:
        raise ProblemFileError(f"{self.at(line)}: {printable(text)}")

    def fail_point(self, i: int, text: str) -> NoReturn:
        self.fail(self.points[i] if i < len(self.points) else None, text)

    def fail_element(self, e: int, text: str) -> NoReturn:
        self.fail(self.elements[e] if e < len(self.elements) else None, text)

    def fail_condition(self, number: int, text: str) -> NoReturn:
        self.fail(self.conditions[number] if number < len(self.conditions) else None, text)

    def warn(self, line: int | None, text: str) -> None:
        warnings.warn(f"{self.at(line)}: {text}", UserWarning, stacklevel=2)


def line_of(element: Any) -> int | None:
    """The line an element begins on."""
    line = element.sourceline
    return None if line is None or line >= LAST_LINE else int(line)


def shown(value: str) -> str:
    """A value from the file for a message: in quotes, cut where it is long."""
    return printable(repr(value if len(value) <= LONGEST else value[: LONGEST - 3] + "..."))


def named(path: Any) -> str:
    """The name of a file for a message."""
    text = str(path)
    return text if text.isprintable() else ascii(text)


def printable(text: str) -> str:
    """The text on one line: what cannot be seen by its number."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def listed(ids: Any) -> str:
    """'3, 7, 12', cut where there are many."""
    items = [str(item) for item in ids]
    return ", ".join(items[:6]) + (f" and {len(items) - 6} more" if len(items) > 6 else "")
