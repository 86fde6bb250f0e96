"""Numbers in attributes and elements."""

from __future__ import annotations

import math
from typing import Any

from systems.readers.bem_defo.places import Places, line_of, shown
from systems.readers.bem_defo.schema import described


def text_of(element: Any) -> str:
    return "".join(element.itertext()).strip()


def finite(element: Any, where: Places) -> tuple[float, int | None]:
    """(number that an element holds, line)."""
    value = float(text_of(element))
    if not math.isfinite(value):
        where.fail(line_of(element), f"{described(element)} must be finite, got {shown(text_of(element))}; correct it")
    return value, line_of(element)


def coordinates(element: Any, dimension: int, where: Places) -> list[float]:
    """x, y(, z) of a point, or of values at one; nan for an attribute that is missing."""
    if dimension == 2 and "z" in element.attrib:
        where.fail(line_of(element), f"{described(element)} must have no z where <dimension> is 2, got "
                                     f"{shown(element.get('z'))}; delete it")
    values = [float(element.get(axis, "nan")) for axis in "xyz"[:dimension]]
    for axis, value in zip("xyz", values, strict=False):
        if math.isinf(value):
            where.fail(line_of(element), f"{axis} of {described(element)} must be finite, got "
                                         f"{shown(element.get(axis))}; correct it")
    return values
