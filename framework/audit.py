"""Checks of what systems did: the audit of a first call, and the search for numbers that are not finite."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np

from framework.component import field_values, info
from framework.encoding import encode
from framework.errors import ScheduleError
from framework.system import Stage, System

if TYPE_CHECKING:
    from framework.store import Store
    from framework.world import World


class Audit:
    """Digests of the components that a system only reads, taken before its first call in a frame."""

    def __init__(self, store: Store, system: System, read_only: Iterable[type] | None = None) -> None:
        self._store, self._system = store, system
        mine = {*system.writes, *system.adds}
        looked_at = (*system.reads, *system.needs) if read_only is None else read_only
        self._read_only = [cls for cls in looked_at if cls not in mine and not info(cls).scratch]
        self._before = self._digests()
        self._arrays = self._held() if system.stage is Stage.FORCES else {}

    def check(self) -> None:
        """ScheduleError when one of them has changed: its version was not raised, so a restore would go wrong."""
        for (entity, cls), digest in self._digests().items():
            if self._before.get((entity, cls), digest) != digest:
                self._store.touch_classes((cls,))  # so that rolling the frame back puts it back
                what = f"{self._system.name} changed {self._store.names[entity]}'s {cls.__name__}"
                if self._system.stage is Stage.RENDER:
                    raise ScheduleError(f"{what} in RENDER, whose systems only look: change it in another stage")
                if self._system.stage is Stage.FORCES:
                    raise ScheduleError(
                        f"{what}: a force only adds to Force, and is asked many times a step. What moves particles or "
                        f"changes a body is a System (docs/writing-a-force.md), BoundaryConditions, or world.set"
                    )
                raise ScheduleError(f"{what}, which it only reads: list {cls.__name__} in its writes")

        for key, array in self._held().items() if self._arrays else ():
            if self._arrays.get(key, array) is not array:
                entity, cls, field = key
                raise ScheduleError(
                    f"{self._system.name} gave {self._store.names[entity]}'s {cls.__name__}.{field} another array, "
                    f"which the solver never sees: change the one that is there, as in force.f += ..."
                )

    def check_adding(self, again: Callable[[], object]) -> None:
        """ScheduleError when a force does not add to what others gave. `again` evaluates it once more."""
        held = self._held()
        kept = {key: array.copy() for key, array in held.items()}
        found: dict[tuple[int, type, str], float] = {}
        try:
            for key, array in held.items():
                finite = kept[key][np.isfinite(kept[key])]
                found[key] = 1.0 + float(np.abs(finite).max(initial=0.0))
                array[...] = kept[key] + found[key]
            before = {key: array.copy() for key, array in held.items()}
            again()
            added = {key: array - before[key] for key, array in held.items()}
            for array in held.values():
                array[...] = 0.0
            again()
            for key, array in held.items():
                if np.abs(np.nan_to_num(added[key] - array)).max(initial=0.0) > 1e-6 * found[key]:
                    entity, cls, field = key
                    raise ScheduleError(
                        f"{self._system.name} sets {self._store.names[entity]}'s {cls.__name__}.{field} and so takes "
                        f"away what other forces gave: add to it, as in force.f[:] += ..."
                    )
        finally:
            for key, array in held.items():
                array[...] = kept[key]

    def _held(self) -> dict[tuple[int, type, str], np.ndarray]:
        """The arrays of what a force adds to."""
        return {
            (entity, cls, name): value
            for cls in (*self._system.writes, *self._system.adds)
            for entity, instance in self._store.rows((cls,), (), ())
            for name, value in field_values(instance)
            if isinstance(value, np.ndarray)
        }

    def _digests(self) -> dict[tuple[int, type], bytes]:
        found = {}
        for cls in self._read_only:
            for entity, instance in self._store.rows((cls,), (), ()):
                digest = hashlib.blake2b(digest_size=16)
                for _, value in field_values(instance):
                    encode(value, digest.update)
                found[entity, cls] = digest.digest()
        return found


def first_non_finite(world: World, classes: Iterable[type]) -> tuple[str, type, str, tuple[int, ...], float] | None:
    """(entity, class, field, index, value) of the first number that is not finite in components of `classes`."""
    for cls in classes:
        rows = world.store.rows((cls,), (), ())
        for name, about in info(cls).fields.items() if rows else ():
            for entity, instance in rows:
                value = getattr(instance, name)
                if isinstance(value, np.ndarray):
                    if value.dtype.kind == "f":
                        good = ~np.isnan(value) if about.infinite else np.isfinite(value)
                        if not good.all():
                            index = tuple(int(i) for i in np.argwhere(~good)[0])
                            return world.store.names[entity], cls, name, index, float(value[index])
                elif isinstance(value, float) and not (math.isfinite(value) or (about.infinite and value == value)):
                    return world.store.names[entity], cls, name, (), value
    return None


class Guilty(Exception):
    """The first number that is not finite, and the system that wrote it."""

    def __init__(
        self, system: str, bad: tuple[str, type, str, tuple[int, ...], float], time: float, substep: int
    ) -> None:
        entity, cls, field, index, value = bad
        at = f"[{', '.join(map(str, index))}]" if index else ""
        super().__init__(
            f"{system} made {entity}: {cls.__name__}.{field}{at} {value!r} in substep {substep}, t = {time:.6g} s"
        )
