"""The interactive run: playing, stepping, going back, editing, holding on to bodies. No graphics: a window shows it.

Everything a person does to the world is a command at a frame, so a session can be repeated without a window:
`repeat(world, session.edits, session.last)` ends in the same state, bit for bit.
"""
from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from framework import commands, replay
from framework.errors import RecordingError
from framework.report import told
from framework.timeline import Command, describe

from .edits import Edit
from .notices import Noticing
from .scene import SHOW

if TYPE_CHECKING:
    from framework.world import World

MOST_FRAMES = 8  # in one call of `advance`
PATIENCE = 0.04  # s of computing in one call of `advance`; the window stays alive when the scene is slow
SLOWEST, FASTEST = 1e-4, 100.0
SHOWABLE = SHOW
GRABS = ("spring", "imposed")


class Session(Noticing):
    """An interactive run of one world.

    world: what is shown; it is replaced by `reset`. rebuild: makes the world of frame 0 again. stop_at: frame at which
    the run pauses, None for none. speed: simulated seconds in a second of a person's time. Steps are always whole
    frames, so what is computed does not depend on how it is watched.

    playing, message (what last went wrong, or was worth saying), edits, selection (entity id, particle or None),
    colour_by (field or "" for none; None as the scene says), range_lock ((low, high) or None), show (of SHOWABLE),
    screenshot and film (paths that the window is asked to write), quit.
    """

    def __init__(self, world: World, rebuild: Callable[[], World] | None = None, stop_at: int | None = None) -> None:
        self.world, self.rebuild, self.stop_at = world, rebuild, stop_at
        self.playing = False
        self._edits: dict[str, list[Edit]] = {}  # by branch
        self.selection: tuple[int, int | None] | None = None
        self.colour_by: str | None = None
        self.range_lock: tuple[float, float] | None = None
        self.show: set[str] = set()
        self.screenshot: Path | None = None
        self.film: Path | None = None
        self.quit = False
        self.pace = 0.0  # simulated seconds in a second of computing
        self.held: tuple[int, int] | None = None  # (entity id, particle) in the hand
        self.grab_by = "spring"
        self.on_frame: Callable[[World], None] | None = None  # called after each frame that is run
        self._speed, self._owed = 1.0, 0.0
        self._hand: Any = None
        self._made: list[Any] = []  # all hands that took hold of something
        self._target: np.ndarray | None = None
        self._felt: tuple[Any, np.ndarray] = (None, np.zeros(3))

    # -- time ---------------------------------------------------------------------------------------------------------

    @property
    def playhead(self) -> int:
        """The frame that is shown."""
        return self.world.frame

    @property
    def last(self) -> int:
        """The newest frame that has been run."""
        return max(self.world.frame, self.world.history.newest)

    @property
    def speed(self) -> float:
        return self._speed

    @speed.setter
    def speed(self, value: float) -> None:
        if math.isfinite(value):
            self._speed = min(max(float(value), SLOWEST), FASTEST)

    def play(self) -> None:
        self.playing = True

    def pause(self) -> None:
        self.playing, self._owed = False, 0.0

    def toggle(self) -> None:
        self.pause() if self.playing else self.play()

    def advance(self, seconds: float) -> int:
        """Let `seconds` of a person's time pass; returns how many frames were run. What is too late is dropped."""
        if not self.playing or not (math.isfinite(seconds) and seconds > 0.0):
            return 0
        frame_time = self.world.stepping.frame_time
        self._owed += seconds * self.speed
        began, done = perf_counter(), 0
        while self.playing and done < MOST_FRAMES and self._owed >= frame_time * (1.0 - 1e-9):
            if done and perf_counter() - began > PATIENCE:
                break
            self._owed -= frame_time
            if not self.step(1):
                break
            done += 1
            if self.stop_at is not None and self.playhead == self.stop_at:
                self.pause()
                self.message = f"paused at frame {self.playhead}, where the run was asked to stop; play goes on"
        self._owed = min(max(self._owed, 0.0), frame_time)
        if done:
            self.pace = done * frame_time / max(perf_counter() - began, 1e-9)
        return done

    def step(self, n: int = 1) -> int:
        """Show the next n frames, running those that are new; returns how many it were. A failure pauses the run."""
        for done in range(n):
            if not self._try(self._next_frame):
                self.pause()
                return done
            if self.on_frame is not None:
                self.on_frame(self.world)
        return n

    def _next_frame(self) -> None:
        world = self.world
        if world.frame < self.last:
            world.restore(world.frame + 1)
            return
        self._move_hand()
        try:
            world.step()
        except RecordingError as error:  # the frame is done
            self.fail(f"{error}; the run goes on without it")

    def reset(self) -> None:
        """Build the world anew: frame 0, without what was done to it."""
        if self.rebuild is None:
            self.fail("this run cannot be started anew: there is no scene to build")
            return
        rebuild = self.rebuild
        made: list[World] = []
        if self._try(lambda: made.append(rebuild())):
            self._drop_hand()
            self.world, self._edits = made[0], {}
            self.pause()
            self.message = ""
            self._check_selection()

    def scrub(self, frame: int) -> None:
        """Show a past frame, or the nearest that was run; the newer ones stay. Playing on repeats them first."""
        if (target := min(max(int(frame), 0), self.last)) != self.playhead:
            self._move(lambda: self.world.restore(target))

    @property
    def edits(self) -> list[Edit]:
        """What was done to the world in the branch that is shown."""
        return self._edits.setdefault(self.world.history.line.name, [])

    def switch(self, name: str) -> None:
        """Show the newest frame of another branch."""
        self._move(lambda: self.world.switch(name))

    def _move(self, action: Callable[[], object]) -> None:
        self.release()
        self._try(action)
        self._check_selection()

    def continue_from(self, frame: int | None = None) -> None:
        """Go back to a frame (the shown one) and go on from there, as a branch."""
        if frame is not None:
            self.scrub(frame)
        former = self.edits
        if frame is None or self.playhead == min(max(int(frame), 0), self.last):
            replay.branch(self.world, "continue from here")
            self._branch(former)
            self.play()

    # -- commands -----------------------------------------------------------------------------------------------------

    @property
    def marks(self) -> list[tuple[float, str]]:
        """(time [s], text) of what was done to the world and of what is due, for a timeline."""
        done = [(edit.time, edit.text) for edit in self.edits if not edit.quiet]
        due = [(due.time, describe(due.command)) for due in self.world.timeline.pending]
        return sorted(done + due, key=lambda mark: mark[0])

    def edit(self, path: str, value: Any) -> bool:
        """Give the field at `path` a value, as a command at the present frame; False and a message on failure."""
        return self.give(lambda world: commands.set_field(world, path, value, 0.0))

    def give(self, make: Callable[[World], Command], quiet: bool = False) -> bool:
        """Carry out the command that `make` returns for the world. At a past frame it starts a branch."""
        def action() -> None:
            former, command = self.edits, make(self.world)
            commands.give(self.world, command)
            self._branch(former)
            self.edits.append(Edit(self.world.frame, self.world.time, command, quiet))

        return self._try(action)

    def _branch(self, former: list[Edit]) -> None:
        """A new branch takes over what was done before it; a hand that left in a frame after its first leaves now."""
        if self.edits is not former:
            self.edits.extend(edit for edit in former if edit.frame <= self.world.frame)
            for hand in self._made:
                if hand is not self._hand and hand.holds(self.world):
                    self.give(hand.leave)

    # -- hands --------------------------------------------------------------------------------------------------------

    def grab(self, entity: int, particle: int) -> bool:
        """Take hold of a particle, by a spring or (grab_by = "imposed") by imposing its motion."""
        self.release()
        hands = self._hands()
        if hands is None:
            return False
        made: list[Any] = []
        imposed = self.grab_by == "imposed"
        if not self._try(lambda: made.append(hands.hand(self.world, entity, particle, imposed))):
            return False
        if not self.give(made[0].take):
            return False
        self._hand, self.held = made[0], (entity, particle)
        self._made.append(self._hand)
        self.selection = self.held
        return True

    def drag_to(self, point: Any) -> None:
        """Where the hand goes (3,) [m], at the next frame that is run."""
        target = np.asarray(point, dtype=float)
        if self.held is not None and target.shape == (3,) and np.isfinite(target).all():
            self._target = target

    def release(self) -> None:
        """Let go."""
        hand, self._hand = self._hand, None
        if hand is not None:
            self.give(hand.leave)
        self._drop_hand()

    def pin(self, entity: int, particle: int) -> bool:
        """Hold a particle where it is, from now on."""
        return self._support(entity, particle, True)

    def unpin(self, entity: int, particle: int) -> bool:
        """Let a particle move along all axes."""
        return self._support(entity, particle, False)

    def is_pinned(self, entity: int, particle: int) -> bool:
        hands = self._hands()
        return hands is not None and bool(hands.is_pinned(self.world, entity, particle))

    @property
    def reaction(self) -> np.ndarray:
        """The force (3,) [N] of the hand on the held particle, or of the support on the selected one."""
        entity, particle = self.held or self.selection or (0, None)
        if particle is None or entity not in self.world.store.names:
            return np.zeros(3)
        key = (id(self.world), self.world.frame, self.world.store.edits, entity, particle)
        if key != self._felt[0]:
            found: list[np.ndarray] = []
            self._try(lambda: found.append(self._feel(entity, particle)))
            self._felt = key, found[0] if found else np.zeros(3)
        return self._felt[1]

    def _feel(self, entity: int, particle: int) -> np.ndarray:
        force = None if self._hand is None else self._hand.force(self.world)
        if force is None and self.is_pinned(entity, particle):
            meter: Any = next((s for s in self.world.engine.schedule if hasattr(s, "measure")), None)
            force = None if meter is None else meter.measure(self.world, entity)[particle]
        return np.zeros(3) if force is None else np.asarray(force)

    def _support(self, entity: int, particle: int, held: bool) -> bool:
        hands = self._hands()
        return hands is not None and self.give(lambda world: hands.support(world, entity, particle, held))

    def _hands(self) -> Any:
        """The system of this world that makes grabs and pins."""
        found = next((system for system in self.world.engine.schedule if hasattr(system, "hand")), None)
        if found is None:
            self.fail("no system of this world can hold bodies; systems.standard() has one")
        return found

    def _move_hand(self) -> None:
        hand, target, self._target = self._hand, self._target, None
        if hand is not None and target is not None:
            self.give(lambda world: hand.move(world, target), quiet=True)

    def _drop_hand(self) -> None:
        self._hand = self._target = self.held = None

    def _check_selection(self) -> None:
        if self.selection is not None and self.selection[0] not in self.world.store.names:
            self.selection = None

    # -- pictures and failures ----------------------------------------------------------------------------------------

    def request_screenshot(self, path: Path | str) -> None:
        self.screenshot = Path(path)

    def start_film(self, path: Path | str) -> None:
        self.film = Path(path)

    def stop_film(self) -> None:
        self.film = None

    def _try(self, action: Callable[[], object]) -> bool:
        """Do something to the world; what goes wrong becomes the message, and the last good state stays."""
        try:
            action()
        except Exception as error:  # a person's own systems and builds may raise anything
            self.fail(told(error))
            return False
        return True
