"""What a person did to a world in a window: commands with their frames, which repeat without one."""
from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from framework import commands
from framework.errors import CommandError
from framework.timeline import Command, describe

if TYPE_CHECKING:
    from framework.world import World


@dataclass(frozen=True)
class Edit:
    """A command that a person gave between frames: before frame `frame`, at `time` [s]."""

    frame: int
    time: float
    command: Command
    quiet: bool = False  # one of many of a drag: no mark on the timeline

    @property
    def text(self) -> str:
        return describe(self.command)


def repeat(world: World, edits: Iterable[Edit], frames: int) -> None:
    """Run `world` to frame `frames` with the edits of a session, each before the frame at which it was given."""
    waiting = sorted(edits, key=lambda edit: edit.frame)
    if waiting and waiting[0].frame < world.frame:
        raise CommandError(f"the edits start at frame {waiting[0].frame}, the world is at frame {world.frame}")
    while True:
        while waiting and waiting[0].frame == world.frame:
            commands.give(world, waiting.pop(0).command)
        if world.frame >= frames:
            return
        world.step()
