"""Names of entities: unique words that paths can hold."""

from __future__ import annotations

import re
from collections.abc import Container

from framework.errors import CommandError
from framework.fields import short

RESERVED = {"build", "world", "mean", "min", "max", "sum", "norm", "rms", "first", "last", "count", "x", "y", "z"}


def checked_name(name: str | None, entity: int, taken: Container[str]) -> str:
    """The name, or one made from the id where none is given; CommandError for one that cannot be or is taken."""
    if name is None:
        name = f"entity{entity}"
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]*", name):
        raise CommandError(
            f"an entity's name must be letters from a to z, digits, '_' or '-', starting with a letter; "
            f"got {short(name)}"
        )
    if name in RESERVED:
        raise CommandError(f"{name!r} is a reserved word of paths and cannot name an entity")
    if name in taken:
        raise CommandError(f"there is an entity {name!r} already: names are unique")
    return name
