"""Systems: what runs in a frame, in which stage, and what each one reads, writes and adds to."""

from __future__ import annotations

import hashlib
from enum import IntEnum
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from framework.encoding import encode
from framework.errors import ScheduleError

if TYPE_CHECKING:
    from framework.doctor import Finding
    from framework.world import World


class Stage(IntEnum):
    """The parts of a frame, in order. DETECT, SOLVE and EVOLVE repeat every substep; SOLVE calls FORCES itself."""

    TRANSFORM = 1
    DETECT = 2
    SOLVE = 3
    FORCES = 4
    EVOLVE = 5
    STATICS = 6
    FEEDBACK = 7
    RENDER = 8


class Step:
    """Where in time a system is called.

    time: stage time [s]: of the evaluation for forces, t + h when implicit. h: substep [s]. frame: number of the frame.
    frame_time [s]; substep: number within the frame. packed: the dynamics system's arrays of all bodies, or None.
    empty: the sum of forces holds nothing yet, not even zeros: the force system that runs first must set it.
    priming: FEEDBACK is run for entities that have not lived through a frame yet.
    """

    __slots__ = ("empty", "frame", "frame_time", "h", "packed", "priming", "substep", "time")

    def __init__(self) -> None:
        self.time = 0.0
        self.h = 0.0
        self.frame = 0
        self.frame_time = 0.0
        self.substep = 0
        self.packed: Any = None
        self.empty = False
        self.priming = False


class System:
    """A part of a frame. Subclasses set the class attributes and write `process`.

    stage: when it runs. reads, writes, adds: component classes; adds means only `+=`, so adds never conflict.
    before, after: names of system classes it must precede or follow. needs: skipped while no entity has all of these.
    on_world: components (with defaults for all fields) that it keeps on the reserved entity `world`.
    replaces: those of `writes` that it calls `world.store.renew` for, so that snapshots need no copies of them.
    integrators: classes of the settings `World(integrator=...)` that it carries out.
    A system holds parameters only: its attributes are sealed when a world takes it. Caches belong to `world.cached`.
    """

    stage: ClassVar[Stage] = Stage.FEEDBACK
    reads: ClassVar[tuple[type, ...]] = ()
    writes: ClassVar[tuple[type, ...]] = ()
    adds: ClassVar[tuple[type, ...]] = ()
    before: ClassVar[tuple[str, ...]] = ()
    after: ClassVar[tuple[str, ...]] = ()
    needs: ClassVar[tuple[type, ...]] = ()
    on_world: ClassVar[tuple[type, ...]] = ()
    integrators: ClassVar[tuple[type, ...]] = ()
    replaces: ClassVar[tuple[type, ...]] = ()
    _sealed = False

    @property
    def name(self) -> str:
        return type(self).__name__

    def process(self, world: World, step: Any) -> None:
        """Do the work of one call. `step` is a Step, or the scene to draw into for RENDER systems."""
        raise NotImplementedError(f"{self.name} must define process(self, world, step)")

    def check(self, world: World) -> list[Finding]:
        """What is probably wrong with the scene, for `pliant doctor`; it must change nothing."""
        return []

    def closing(self, world: World) -> list[str]:
        """What a person should know at the end of a run, a line each: tolerances that were missed, say."""
        return []

    def seal(self) -> None:
        object.__setattr__(self, "_sealed", True)

    def __setattr__(self, name: str, value: Any) -> None:
        if self._sealed:
            raise ScheduleError(
                f"{self.name} sets its attribute {name!r} while it runs: systems hold parameters only. Put state into "
                f"a component, what can be recomputed into world.cached(...)"
            )
        object.__setattr__(self, name, value)


class ForceSystem(System):
    """Adds forces: a pure function of positions, velocities, time and parameters; it is called at every evaluation.

    external: counts as external work (wind, gravity), not as elastic. To take part in implicit steps with its
    derivatives a subclass defines `linearize`, and `pattern` unless its blocks are all on the diagonal; otherwise its
    force is held over the substep. starts: where it runs first (`step.empty`) it sets the sum of forces on all bodies,
    and says so by `step.empty = False`; that spares a pass over memory. pattern_reads: (component class, field) that
    the pattern is made from.
    """

    stage = Stage.FORCES
    external: ClassVar[bool] = True
    starts: ClassVar[bool] = False
    pattern_reads: ClassVar[tuple[tuple[type, str], ...]] = ()

    def energy(self, world: World, step: Step) -> dict[int, float] | None:
        """Potential or elastic energy per entity [J], or None when the force has none."""
        return None

    def pattern(self, world: World, step: Step) -> list[Any] | None:
        """Arrays (elements, k) of packed particles that its Jacobians couple; None: each only with itself."""
        return None

    def linearize(self, world: World, step: Step, matrix: Any) -> None:
        """Add the blocks of -df/dx and -df/dv to `matrix`, one `matrix.add...` per array that `pattern` returned."""
        raise NotImplementedError(f"{self.name} must define linearize(self, world, step, matrix)")

    @property
    def has_jacobian(self) -> bool:
        return type(self).linearize is not ForceSystem.linearize


class EsperProcessor(System):
    """Adapter for an esper Processor: its `process(h)` runs with the world's esper context active.

    Which components it touches cannot be seen, so they must be named.
    """

    def __init__(
        self,
        processor: Any,
        stage: Stage = Stage.FEEDBACK,
        reads: tuple[type, ...] = (),
        writes: tuple[type, ...] = (),
        before: tuple[str, ...] = (),
        after: tuple[str, ...] = (),
    ) -> None:
        self.processor = processor
        self.stage, self.reads, self.writes = stage, reads, writes  # type: ignore[misc]
        self.before, self.after = before, after  # type: ignore[misc]

    @property
    def name(self) -> str:
        return type(self.processor).__name__

    def process(self, world: World, step: Any) -> None:
        self.processor.process(step.h)


def fingerprint(system: System) -> dict[str, bytes]:
    """A digest of each attribute of a system: equal before and after a frame unless it hides state.

    Lists, dicts, sets and arrays of its classes count, since a system could collect in them.
    """
    values: dict[str, Any] = {}
    for cls in reversed(type(system).__mro__):
        if issubclass(cls, System) and cls.__module__ != System.__module__:
            kept = ((n, v) for n, v in vars(cls).items() if not n.startswith("__"))  # copying leaves one there
            values.update((n, v) for n, v in kept if isinstance(v, (list, dict, set, np.ndarray)))
    values.update(vars(system))
    values.pop("_sealed", None)
    if isinstance(system, EsperProcessor):
        values.pop("processor")
        values.update({f"processor.{name}": value for name, value in vars(system.processor).items()})
    found = {}
    for name, value in values.items():
        digest = hashlib.blake2b(digest_size=16)
        try:
            encode(value, digest.update)
        except (TypeError, ValueError) as error:
            raise ScheduleError(
                f"{system.name}: its attribute {name!r} must be plain data (numbers, texts, arrays, functions), {error}"
            ) from None
        found[name] = digest.digest()
    return found
