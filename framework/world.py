"""World: entities, their systems and time. The one object a script works with.
Limitations: one thread steps and draws a world (esper is not thread-safe); several worlds live side by side.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any, ClassVar, TypeVar

import numpy as np

from framework import branches, commands, describe, looking, replay
from framework.cache import Cache
from framework.component import info, read_only_copy, read_only_rows, read_only_view
from framework.engine import Engine
from framework.errors import CommandError, PathError
from framework.events import Events
from framework.fields import short
from framework.hints import Hinting
from framework.history import History, Snapshot, SnapshotMaker
from framework.moment import Moment
from framework.numbers import is_number, whole
from framework.paths import Path, feedback_value, resolve
from framework.randomness import RandomStreams
from framework.recording import recorder
from framework.stepping import Clock, Stepping, check_integrator
from framework.store import Row, Store
from framework.system import Stage, System
from framework.timeline import Timeline
from framework.watches import Watches

C = TypeVar("C")
DEFAULT_HISTORY = 256 * 2**20


class World(Hinting):
    """A world of entities that systems step through time.

    systems: what runs in a frame, usually `[*standard(), ...]`. frame_time [s]; substeps: solver steps in a frame.
    integrator: settings such as VelocityVerlet(); None: symplectic Euler. seed: of all random streams.
    history: True keeps past frames within 256 MiB, a number is the budget in bytes, False keeps none.
    """

    def __init__(
        self,
        systems: Iterable[System] = (),
        *,
        frame_time: float = 1 / 60,
        substeps: int = 10,
        integrator: Any = None,
        seed: int = 0,
        history: bool | int = True,
    ) -> None:
        self.store = Store()
        self.clock = Clock()
        self.timeline = Timeline()
        self.queue = Events()
        self.streams = RandomStreams(seed)
        self.watches = Watches()
        self.recorders: list[recorder.Recorder] = []
        self.origin: Any = None  # of what scene it is, if of any
        self.engine = Engine(self, systems)
        self.snapshots = SnapshotMaker(self)
        budget = {True: DEFAULT_HISTORY, False: 0}[history] if isinstance(history, bool) else history
        self.history = History(whole(budget, "World: history"))
        self.keep_log = history is not False
        self._cache = Cache(self.store)
        check_integrator(integrator, self.engine.schedule)
        stepping = Stepping(frame_time=frame_time, substeps=substeps, integrator=integrator)
        components, _ = self.store.build([stepping], "world")
        for system in self.engine.schedule:
            components.update({cls: cls() for cls in system.on_world})
        self.store.add(0, "world", components)
        self.stepping: Stepping = components[Stepping]
        self.clock.use(self.stepping.frame_time)
        self.outside = replay.outside_state(self)

    # -- entities -----------------------------------------------------------------------------------------------------

    def spawn(self, *components: Any, name: str | None = None) -> int:
        """Add an entity made of components (and tuples of them, as prefabs return); its id is returned.

        What the components require is added and derived. Inside a frame the entity appears at the next frame's start.
        """
        command = commands.spawn(self, components, name)
        commands.give(self, command)
        return command.id

    def despawn(self, entity: int | str) -> None:
        """Delete an entity; inside a frame it is deleted at the next frame's start."""
        commands.give(self, commands.despawn(self, entity))

    def get(self, entity: int | str, component: type[C]) -> C:
        """A component of an entity: a copy with read-only arrays, or itself inside a step."""
        self._prime_outside()
        found = self.store.component(entity, component)
        self.engine.check_query((component,))
        if self.engine.system is None:
            return read_only_copy(found)
        return read_only_view(found) if self.engine.looking else found

    def query(self, *types: type, optional: Sequence[type] = (), without: Sequence[type] = ()) -> tuple[Row, ...]:
        """Rows (id, component, ..., optional component or None, ...) of all entities that have `types`, in id order."""
        engine = self.engine
        try:
            optional, without = tuple(optional), tuple(without)
            key = engine.system, types, optional, without
            if (rows := self.store.checked.get(key)) is not None:
                return rows
        except TypeError:
            got = short((types, optional, without))
            raise PathError(f"world.query takes component classes and, by name, lists of them; got {got}") from None
        rows = self.store.rows(types, optional, without)
        if engine.system is None:
            self._prime_outside()
            return read_only_rows(rows, read_only_copy)
        engine.check_query((*types, *optional))
        if engine.system.stage not in (Stage.FEEDBACK, Stage.RENDER):  # those may see other rows each time
            self.store.checked[key] = rows
        return engine.visible(rows)

    def names(self) -> list[str]:
        """Names of all entities, in the order of their ids, without the reserved `world`."""
        return [name for entity, name in sorted(self.store.names.items()) if entity]

    def name(self, entity: int) -> str:
        return self.store.names[self.store.id(entity)]

    def id(self, name: int | str) -> int:
        """The id of an entity; PathError names the closest known one."""
        return self.store.id(name)

    def has_entity(self, name: str) -> bool:
        return isinstance(name, str) and name in self.store.ids

    # -- values and commands ------------------------------------------------------------------------------------------

    def set(self, path: str, value: Any) -> None:
        """Give the field at `path` a value: at once between steps, at the start of the next frame inside one."""
        commands.give(self, commands.set_field(self, path, value, 0.0))

    def at(self, time: float) -> Moment:
        """Commands for time `time` [s]: `world.at(2.0).set("wind.velocity", (0, 0, 5), ramp=0.5)`."""
        return Moment(self, commands.check_time(self, time))

    def path(self, text: str) -> Path:
        """A path resolved once, to be read often by `world.value(path)`."""
        return resolve(self.store, text)

    def value(self, path: str | Path) -> Any:
        """The value at `path`, a text or what `world.path` made of it: a number, text or a new array."""
        self._prime_outside()
        if isinstance(path, str) and path in ("world.time", "world.frame"):
            return self.time if path == "world.time" else self.frame
        return (path if isinstance(path, Path) else resolve(self.store, path)).read(self.store)

    def previous(self, path: str) -> Any:
        """The last frame's value of a feedback field (strain, energy ...), for use inside a frame."""
        return feedback_value(self.store, path, self.engine.stage)

    cancel = commands.cancel

    def watch(self, name: str, path: str) -> None:
        """Record the value at `path` in every frame from now on, as the series `name`."""
        self._prime_outside()
        self.watches.add(self, name, path)

    def series(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """(times (k,) [s], values (k, ...)) of a watch."""
        self._prime_outside()
        return self.watches.series(self, name)

    def emit(self, event: Any) -> None:
        """Queue an event (a frozen dataclass of plain data) for this frame and the next."""
        self.store.check_open()
        self.engine.refuse_pure("emits an event")
        self.queue.emit(event)

    def events(self, kind: type[C]) -> list[C]:
        """Events of a class that were emitted in this frame and the last, in order."""
        return self.queue.of(kind)

    def random(self, name: str) -> np.random.Generator:
        """The random stream `name`, seeded by the world's seed and its name, part of the state."""
        self.store.check_open()
        self.engine.refuse_pure("draws random numbers")
        return self.streams[name]

    # -- time ---------------------------------------------------------------------------------------------------------

    @property
    def time(self) -> float:
        """Time [s] of the frame; a force takes that of its evaluation, step.time."""
        return self.engine.frame_clock().time

    @property
    def frame(self) -> int:
        return self.clock.frame

    def step(self, frames: int = 1) -> None:
        """Advance by frames. A frame that fails leaves the world as it was before it."""
        frames = whole(frames, "world.step: frames")
        if self.engine.in_frame:
            raise CommandError("world.step was called inside a frame")
        with self.store.active():
            for _ in range(frames):
                replay.before_frame(self, self.outside)
                self.engine.frame()
                self.outside = replay.after_frame(self)

    def run(self, frames: int | None = None, until: float | None = None,
            on_frame: Callable[[World], Any] | None = None) -> None:  # fmt: skip
        """Step `frames` frames, or until time `until` [s]; `on_frame(world)` after each may return False to end."""
        if (frames is None) == (until is None):
            raise CommandError("world.run: give either frames=... or until=...")
        if until is not None and not (is_number(until) and until >= self.time):
            raise CommandError(f"world.run: until must be a time from {self.time:g} s on, got {short(until)}")
        if on_frame is not None and not callable(on_frame):
            raise CommandError(f"world.run: on_frame must be a function of the world, got {short(on_frame)}")
        last = None if frames is None else self.frame + whole(frames, "world.run: frames")
        while self.frame < last if last is not None else self.time < until - 1e-9 * self.stepping.frame_time:  # type: ignore[operator]
            self.step()
            if on_frame is not None and on_frame(self) is False:
                return

    # -- state --------------------------------------------------------------------------------------------------------

    def snapshot(self) -> Snapshot:
        """The whole state, to restore here or in another process (it can be pickled)."""
        self._prime_outside()
        self.engine.check_hidden_state()
        return dataclasses.replace(self.snapshots.take(), log=tuple(self.timeline.log))

    def restore(self, target: Snapshot | int) -> None:
        """Go back to a snapshot or a past frame (replayed when the history lost it); stepping on repeats the run."""
        if self.engine.in_frame:
            raise CommandError("world.restore was called inside a frame")
        with self.store.active():
            replay.restore(self, target)
        self.outside = replay.outside_state(self)

    switch = branches.switch
    compare = branches.compare
    branches = branches.listed

    def state_hash(self) -> str:
        """A hexadecimal hash of the whole state."""
        self._prime_outside()
        return self.snapshots.hash()

    def cached(self, owner: Any, key: Any, reads: Iterable[tuple[int, type, str]], build: Callable[[], Any]) -> Any:
        """`build()`, kept until one of the fields (id, class, field) it `reads`, or the structure, changes."""
        return self._cache.get(owner, key, tuple([self.store.version(*field) for field in reads]), build)

    def cached_until_edit(self, owner: Any, key: Any, classes: Iterable[type], build: Callable[[], Any]) -> Any:
        """`build()`, kept until a command, restore or structural change, or until a system writes one of `classes`."""
        return self._cache.get(owner, key, self.store.stamp(classes), build)

    def drop_caches(self) -> None:
        """Forget everything that can be recomputed; no result may change by it."""
        self._cache.clear()
        self.store.drop_rows()
        self.snapshots.drop()

    def close(self) -> None:
        """Release the world; it cannot be used afterwards. A world that nobody holds any more is released by itself."""
        for recording in tuple(self.recorders):
            recording.close()
        self._cache.clear()
        self.store.close()

    # -- looking at it ------------------------------------------------------------------------------------------------

    def describe(self) -> str:
        """The frame with its systems and their time, what solves each entity, and its stable step."""
        return describe.world_text(self)

    def stability_hint(self) -> str:
        """What to change when the present step is too long; nothing when it is not."""
        return self.engine.stability_hint()

    scene = looking.scene
    picture = looking.picture
    film = looking.film
    _repr_png_ = looking.png

    record = recorder.record
    save = recorder.save
    load: ClassVar[Callable[..., World]] = classmethod(recorder.load)  # type: ignore[assignment]

    # -- for the framework's own parts --------------------------------------------------------------------------------

    def explicit(self, entity: int, cls: type) -> bool:
        """Whether the person gave or set any field of this component, instead of leaving it to be derived."""
        return any((entity, cls, field) in self.store.explicit for field in info(cls).fields)

    def acting(self, system: System) -> AbstractContextManager[None]:
        """Call methods of `system` with live components, as in `process`; outside a frame they must change nothing."""
        self._prime_outside()
        return self.engine.acting(system)

    def _prime_outside(self) -> None:
        self.store.check_open()
        if self.engine.fresh and not self.engine.in_frame and self.engine.system is None:
            with self.store.active():
                self.engine.prime()
            self.watches.record(self)

    def __repr__(self) -> str:
        return f"<World frame {self.frame}, t = {self.clock.time:g} s, entities: {', '.join(self.names()) or 'none'}>"

    def __enter__(self) -> World:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
