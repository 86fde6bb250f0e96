"""Checks of the plain numbers that the methods of a world take."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from framework.errors import CommandError
from framework.fields import short


def is_number(value: Any) -> bool:
    """Whether `value` is one finite number; True and False are none."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # an int beyond all floats
        return False


def whole(value: Any, what: str) -> int:
    """`value` as an int, zero or positive; CommandError otherwise."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 0:
        raise CommandError(f"{what} must be a whole number, zero or positive, got {short(value)}")
    return int(value)
