"""ConditionSequence: sets of conditions that follow each other, one for each frame."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from components.conditions import BoundaryConditions, ElementValues
from framework.component import component
from framework.fields import field, non_negative


@component(requires=(BoundaryConditions,))
class ConditionSequence:
    """A complete set of conditions of a boundary-element body for each frame, as a load sequence or an animation.

    In frame i after `start` the conditions in BoundaryConditions are those of number i, from 1 on; after the last one
    they stay. Those of the first frame stand in BoundaryConditions from the beginning.
    """

    frames: tuple[Any, ...] = field(dtype="object", type=tuple, default=(), doc="ElementValues of each frame")
    start: int = field(dtype="int", default=0, rule=non_negative, doc="frame of the world before the first one")

    def problems(self) -> Iterator[tuple[str, str, Any]]:
        for number, values in enumerate(self.frames):
            if not isinstance(values, ElementValues):
                yield "frames", "be ElementValues", f"{values!r} at [{number}]"
            elif values.displacement.shape != self.frames[0].displacement.shape:
                found = f"{values.displacement.shape} at [{number}] after {self.frames[0].displacement.shape}"
                yield "frames", "have the same shape", found
