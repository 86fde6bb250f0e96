"""The frame: which systems run when, how long each takes, and what happens when one fails.

COMMANDS   due commands and ramps; the only part that changes structure
TRANSFORM  moving frames and colliders
substeps:  DETECT, SOLVE (which calls FORCES itself, at each of its evaluations), EVOLVE (plastic flow, work ...)
STATICS    quasi-static bodies; FEEDBACK: finite check; strain, energy, watches
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from framework import commands
from framework.audit import Audit, Guilty, first_non_finite
from framework.component import info, read_only_rows, read_only_view
from framework.errors import PliantError, ScheduleError, SimulationError
from framework.schedule import Schedule
from framework.system import Stage, Step, System, fingerprint

if TYPE_CHECKING:
    from framework.history import Snapshot
    from framework.stepping import Clock
    from framework.store import Row
    from framework.timeline import Command
    from framework.world import World


class NonFinite(Exception):
    """Raised inside a frame when the state has turned non-finite; the frame is then replayed to find the cause."""


class Engine:
    """Runs the frames of one world."""

    def __init__(self, world: World, systems: Iterable[System]) -> None:
        self.world = world
        self.schedule = Schedule(systems)
        self.fingerprints = {system.name: fingerprint(system) for system in self.schedule}
        for system in self.schedule:
            system.seal()
        self._plain = [
            (s, vars(s), dict(vars(s)) if _is_plain(s, self.fingerprints[s.name]) else None) for s in self.schedule
        ]
        self._names = {system: system.name for system in self.schedule}
        self.seconds = {system.name: 0.0 for system in self.schedule}
        self.calls = {system.name: 0 for system in self.schedule}
        self.step = Step()
        self.stage: Stage | None = None
        self.system: System | None = None
        self.in_frame = False
        self.in_commands = False
        self.fresh: set[int] = set()
        self.priming: set[int] = set()
        self._checking = self.unguarded = False
        self._audited: set[System] = set()
        self._touched = {
            system: tuple(c for c in dict.fromkeys((*system.writes, *system.adds)) if not info(c).scratch)
            for system in self.schedule
        }
        self._computed = tuple(
            dict.fromkeys(c for s in Stage if s < Stage.FEEDBACK for x in self.schedule.stages[s] for c in x.writes)
        )
        self._active: dict[Stage, list[System]] = {}
        self._active_structure = -1

    # -- one frame ----------------------------------------------------------------------------------------------------

    def frame(self) -> None:
        """Advance by one frame, or leave the world as it was at the start of it and raise."""
        self.check_hidden_state()
        start = self.world.snapshots.take()
        self.world.history.add(start)
        try:
            self._run_frame()
        except NonFinite:
            self._explain_non_finite(start)
        except BaseException as error:
            self._roll_back(start)
            if self.system is not None and isinstance(error, Exception) and not isinstance(error, PliantError):
                error.add_note(
                    f"in {self.system.name} at frame {start.frame}; the world is back at the start of that frame"
                )
            raise
        finally:
            self.in_frame = self.in_commands = False
            self.stage = self.system = None

    @np.errstate(over="ignore", invalid="ignore", divide="ignore")  # the check of each frame names the system
    def _run_frame(self) -> None:
        world, step = self.world, self.step
        self.in_frame = self.in_commands = True
        world.queue.next_frame()
        commands.run_due(world, world.time, 1e-9 * world.stepping.frame_time)
        self.in_commands = False
        self.prime()
        world.clock.use(world.stepping.frame_time)
        step.frame, step.frame_time, step.substep = world.frame, world.stepping.frame_time, 0
        step.h = step.frame_time / world.stepping.substeps
        step.time = start = world.time
        self.run_stage(Stage.TRANSFORM)
        detects, evolves = bool(self.active(Stage.DETECT)), bool(self.active(Stage.EVOLVE))
        for substep in range(world.stepping.substeps):
            step.substep, step.time = substep, start + substep * step.h
            if detects:
                self.run_stage(Stage.DETECT)
            self.run_stage(Stage.SOLVE)
            step.time = start + (substep + 1) * step.h
            if evolves:
                self.run_stage(Stage.EVOLVE)
        self.run_stage(Stage.STATICS)
        self.stage, self.system = Stage.FEEDBACK, None
        if first_non_finite(world, self._computed) is not None:
            raise NonFinite
        world.clock.frame += 1
        step.time, step.frame = world.time, world.frame
        self.fresh.clear()
        self.run_stage(Stage.FEEDBACK)
        world.watches.record(world)

    def prime(self) -> None:
        """Run FEEDBACK for entities that have lived through no frame, so that the first has something to read.

        Looking at a world before its first frame primes it too, so priming only measures: systems that write anything
        but feedback wait for the frame; draws, events and commands of the others are forgotten.
        """
        if not self.fresh:
            return
        world, step, former = self.world, self.step, (self.step.time, self.step.frame, self.stage, self.system)
        kept = world.streams.state(), world.queue.state(), world.timeline.state(), world.store.next_id
        step.time, step.frame, step.priming = world.time, world.frame, True
        step.frame_time, step.h = world.stepping.frame_time, world.stepping.frame_time / world.stepping.substeps
        self.priming, self.stage = set(self.fresh), Stage.FEEDBACK
        try:
            for system in self.active(Stage.FEEDBACK):
                if system.writes and all(info(cls).feedback for cls in system.writes):
                    self.run(system)
        finally:
            self.priming, step.priming = set(), False
            step.time, step.frame, self.stage = former[:3]
            if not self.in_frame:
                self.system = former[3]
            world.streams.restore(kept[0])
            world.queue.restore(kept[1])
            world.timeline.restore(kept[2])
            world.store.next_id = kept[3]

    # -- systems ------------------------------------------------------------------------------------------------------

    def run_stage(self, stage: Stage) -> None:
        """Call the systems of a stage in order; those whose `needs` no entity meets are skipped."""
        systems = self.active(stage)
        if not systems:
            return
        former, self.stage = self.stage, stage
        if self.system is not None:  # a solver calls the forces: what it has moved so far is new to their caches
            self.touch_writes(self.system)
        try:
            for system in systems:
                self.run(system)
        finally:
            self.stage = former

    def active(self, stage: Stage) -> list[System]:
        store = self.world.store
        if self._active_structure != store.structure:
            present = {cls for _, parts in store for cls in parts}
            self._active = {
                each: [s for s in systems if present.issuperset(s.needs)]
                for each, systems in self.schedule.stages.items()
            }
            self._active_structure = store.structure
        return self._active[stage]

    def run(self, system: System) -> None:
        former, self.system, name = self.system, system, self._names[system]
        audit = None if system in self._audited or self.priming else Audit(self.world.store, system)
        whole, began = self.step.empty, perf_counter()
        try:
            system.process(self.world, self.step)
        finally:  # what a failing system has half written must be put back too
            if self._touched[system]:
                self.touch_writes(system)
        self.seconds[name] += perf_counter() - began
        self.calls[name] += 1
        if audit is not None:
            audit.check()
            if system.stage is Stage.FORCES and not whole:
                audit.check_adding(lambda: system.process(self.world, self.step))
            self._audited.add(system)
        if self._checking:
            bad = first_non_finite(self.world, (*system.writes, *system.adds))
            if bad is not None:
                raise Guilty(system.name, bad, self.step.time, self.step.substep)
        self.system = former

    @contextmanager
    def acting(self, system: System) -> Iterator[None]:
        """Be inside `system`; outside of a frame with the step as it will be in the coming one."""
        world, former = self.world, self.system
        if self.in_frame:
            self.system = system
            try:
                yield
            finally:
                self.system = former
            return
        with world.store.active():
            self.system = system
            self.step.frame_time = world.stepping.frame_time
            self.step.h = world.stepping.frame_time / world.stepping.substeps
            self.step.time = world.time
            try:
                yield
            finally:  # a look at other states (an estimate) is over: caches of them are worthless
                self.touch_writes(system)
                self.system = former

    def execute(self, command: Command) -> None:
        """Carry out a command of the log again."""
        commands.execute(self.world, command, self.world.time)

    def refuse_pure(self, what: str) -> None:
        """ScheduleError when the running system may do nothing but add forces, or look."""
        system = self.system
        if system is not None and system.stage in (Stage.FORCES, Stage.RENDER):
            raise ScheduleError(
                f"{system.name} {what} in {system.stage.name}, whose systems run as often as others like and "
                f"must change nothing: do it in a system of another stage, and keep what it finds in a component"
            )

    def frame_clock(self) -> Clock:
        """The clock of the frame; ScheduleError for a force, over whose evaluations it stands still."""
        if self.stage is Stage.FORCES and self.system is not None and self.in_frame:
            raise ScheduleError(f"{self.system.name} uses world.time: a force is evaluated at step.time, which moves")
        return self.world.clock

    @property
    def looking(self) -> bool:
        """Whether a RENDER system runs: it gets views that cannot be written."""
        return self.system is not None and self.system.stage is Stage.RENDER and not self.unguarded

    def visible(self, rows: tuple[Row, ...]) -> tuple[Row, ...]:
        """What the running system gets of the rows of its query."""
        if self.looking:
            return read_only_rows(rows, read_only_view)
        if self.priming and self.system is not None and self.system.stage is Stage.FEEDBACK:
            return tuple(row for row in rows if row[0] in self.priming)
        return rows

    def touch_writes(self, system: System) -> None:
        """Raise the versions of what a system writes."""
        self.world.store.touch_classes(self._touched[system])

    def check_query(self, types: Iterable[type]) -> None:
        """ScheduleError when the running system queries a component it did not declare."""
        system = self.system
        if system is None or system.stage is Stage.RENDER:
            return
        declared = {*system.reads, *system.writes, *system.adds, *system.needs}
        for cls in types:
            if cls not in declared:
                raise ScheduleError(
                    f"{system.name} queries {cls.__name__} but does not declare it: list it in reads, writes or adds"
                )

    def check_hidden_state(self) -> None:
        for system, attributes, plain in self._plain:
            if attributes == plain:
                continue
            known = self.fingerprints[system.name]
            now = fingerprint(system)
            if now != known:
                changed = sorted(name for name in {*now, *known} if now.get(name) != known.get(name))
                raise ScheduleError(
                    f"{system.name} keeps state in its attribute {changed[0]!r}, which a snapshot cannot hold: put "
                    f"state into a component, what can be recomputed into world.cached(...)"
                )

    # -- faults -------------------------------------------------------------------------------------------------------

    def _roll_back(self, start: Snapshot) -> None:
        self.world.snapshots.put_back(start)
        self.world.watches.forget_after(start.frame)

    def stability_hint(self) -> str:
        """What the solver says about its step, for messages."""
        hints = (getattr(system, "stability_hint", None) for system in self.schedule.stages[Stage.SOLVE])
        return " ".join(filter(None, (hint(self.world) for hint in hints if hint)))

    def _explain_non_finite(self, start: Snapshot) -> None:
        """Replay the failed frame with a check after each system, put the world back and raise what was found."""
        self._roll_back(start)
        self._checking = True
        found: Guilty | None = None
        try:
            self._run_frame()
        except Guilty as guilty:
            found = guilty
        except NonFinite:
            pass
        finally:
            self._checking = False
            self._roll_back(start)
        hint = self.stability_hint()
        where = str(found) if found else "the state turned non-finite"
        raise SimulationError(
            f"frame {start.frame} (t = {start.time:.6g} s) failed: {where}. The world is at its last good frame, "
            f"{start.frame}.{' ' + hint if hint else ''}"
        )


def _is_plain(system: System, known: dict[str, bytes]) -> bool:
    """Whether all that counts are attributes that can only be replaced, so that comparing them tells all."""
    own = vars(system)
    return known.keys() <= own.keys() and all(v is None or type(v) in (bool, int, float, str) for v in own.values())
