"""Checks of plain arguments (of prefabs, conditions and settings) by the rules that fields follow."""
from __future__ import annotations

from typing import Any

from framework.fields import checked, field


def argument(value: Any, where: str, **declaration: Any) -> Any:
    """`value` in its stored form, or a FieldError that starts with `where`; `declaration` as for `field`."""
    return checked(value, field(**declaration).metadata["pliant"], where)
