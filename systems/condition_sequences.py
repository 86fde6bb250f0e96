"""Sequences of conditions: when a frame is done, the body gets those of the next one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from components import ConditionSequence
from framework import Stage, System

if TYPE_CHECKING:
    from framework import Step, World


class ConditionSequences(System):
    """Gives the command that puts the next conditions in force, so that the timeline holds one set and not all."""

    stage = Stage.FEEDBACK
    reads = (ConditionSequence,)
    needs = (ConditionSequence,)

    def process(self, world: World, step: Step) -> None:
        for entity, sequence in world.query(ConditionSequence):
            number = world.frame - sequence.start
            if 0 < number < len(sequence.frames):
                path = f"{world.name(entity)}.boundary_conditions.conditions"
                world.set(path, (sequence.frames[number],))
