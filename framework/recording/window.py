"""A recording in the window: its frames are played, stepped through and scrubbed; nothing is computed or changed."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from framework.errors import CommandError, PliantError
from framework.recording.replay import Replay
from framework.viewer.session import Session

if TYPE_CHECKING:
    from framework.timeline import Command
    from framework.world import World


class RecordedSession(Session):
    """A session on recorded frames. Commands are refused with a message that says how to go on from a frame."""

    def __init__(self, replay: Replay, frame: int) -> None:
        replay.show(frame)
        super().__init__(replay.world)
        self._replay, self._frames = replay, replay.recording.frames

    @property
    def last(self) -> int:
        return self._frames[-1]

    def _next_frame(self) -> None:
        index = bisect_left(self._frames, self.playhead + 1)
        if index == len(self._frames):
            raise CommandError("this is the last frame of the recording; R goes back to the first")
        self._replay.show(self._frames[index])

    def scrub(self, frame: int) -> None:
        index = min(bisect_left(self._frames, int(frame)), len(self._frames) - 1)
        if self._frames[index] != self.playhead:
            self._try(lambda: self._replay.show(self._frames[index]))
            self._check_selection()

    def reset(self) -> None:
        self.pause()
        self.message = ""
        self.scrub(self._frames[0])

    def continue_from(self, frame: int | None = None) -> None:
        self.message = self._refusal()

    def give(self, make: Callable[[World], Command], quiet: bool = False) -> bool:
        self.message = self._refusal()
        return False

    def _refusal(self) -> str:
        path = self._replay.recording.path
        return f"this is a recording; go on from this frame with: pliant run --from {path}@{self.playhead}"


def show(replay: Replay, frame: int, size: tuple[int, int]) -> None:
    """Play a recording in a window until it is closed. PliantError where no window can be opened."""
    from framework.app import Options
    from framework.interactive import headless_reason
    from framework.viewer import ViewerError
    from framework.viewer.window import Window

    path = replay.recording.path
    reason = headless_reason(Options(size=size))
    if reason is None:
        try:
            session = RecordedSession(replay, frame)
            window = Window(session, size, f"pliant: {Path(path).name}")
        except ViewerError as error:
            reason = str(error)
        else:
            print(f"{path}: window open; space pauses, H lists the keys, escape closes", flush=True)
            session.play()
            window.run(lambda: False)
            return
    raise PliantError(f"{path}: no window can be opened{': ' if reason else ''}{reason}; "
                      "write it with --film F.mp4 or --picture F.png")
