"""The entities of a world: names, components in an esper context, field versions. It knows no time and no systems.

esper holds the components. What it leaves to its users is done here: rows in id order, no access to unknown entities,
ids that a restore can bring back, one context per world with the former one put back.
"""

from __future__ import annotations

import threading
import uuid
import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import esper
import numpy as np

from framework.build import build_components, missing_components, recompute_derived
from framework.component import checked_copy, field_values, info
from framework.entity_names import checked_name
from framework.errors import CommandError, PathError, suggest
from framework.fields import Sizes, short

_one_thread = threading.RLock()
Row = tuple[Any, ...]
Key = tuple[int, type, str]


class Store:
    """Entities and their components. An entity is an int id with a unique name."""

    def __init__(self) -> None:
        self.context = f"pliant-{uuid.uuid4().hex}"  # unique over processes: snapshots name their origin by it
        former = esper.current_world
        esper.switch_world(self.context)  # makes it
        esper.switch_world(former)
        self.closed = False
        self._release = weakref.finalize(self, _delete_context, self.context)
        self._release.atexit = False
        self.next_id = 1
        self.ids: dict[str, int] = {}
        self.names: dict[int, str] = {}
        self.explicit: set[Key] = set()
        self.structure = 0  # raised when entities or the components of one change
        self.edits = 0  # raised by everything that is no system: commands, structure, restore
        self._clock = 0  # versions are never used twice, so equal version means equal content
        self._field_versions: dict[Key, int] = {}
        self._shared: dict[Key, np.ndarray] = {}
        self._component_versions: dict[int, dict[type, int]] = {}
        self._class_versions: dict[type, int] = {}
        self._components: dict[int, dict[type, Any]] = {}
        self._esper_ids: dict[int, int] = {}
        self._rows: dict[Any, tuple[Row, ...]] = {}
        self.checked: dict[Any, tuple[Row, ...]] = {}  # rows by system and query, once it was found declared

    # -- esper context ------------------------------------------------------------------------------------------------

    @contextmanager
    def active(self) -> Iterator[None]:
        """esper's current world is this store's inside the block, and the former one afterwards."""
        self.check_open()
        if not _one_thread.acquire(blocking=False):
            raise CommandError("another thread is using a world: worlds of a process take turns (esper has one)")
        former = esper.current_world
        try:
            if former != self.context:
                if self.context not in esper.list_worlds():
                    raise CommandError("esper.delete_world deleted this world's entities: world.close() closes worlds")
                esper.switch_world(self.context)
            yield
        finally:
            if former != self.context and former in esper.list_worlds():
                esper.switch_world(former)
            _one_thread.release()

    def close(self) -> None:
        self.closed = True
        self._release()

    def check_open(self) -> None:
        if self.closed:
            raise CommandError("this world is closed")

    # -- entities -----------------------------------------------------------------------------------------------------

    def new_id(self) -> int:
        self.next_id += 1
        return self.next_id - 1

    def check_name(self, name: str | None, entity: int, free: bool = False) -> str:
        return checked_name(name, entity, () if free else self.ids)

    def build(self, given: Iterable[Any], name: str) -> tuple[dict[type, Any], set[tuple[type, str]]]:
        """Checked copies of `given` and of all they require, in the order they were derived, without adding them."""
        return build_components(given, name, lambda other: self.components(self.id(other)))

    def add(
        self, entity: int, name: str, components: dict[type, Any], explicit: Iterable[tuple[type, str]] = ()
    ) -> None:
        with self.active():
            self._esper_ids[entity] = esper.create_entity(*components.values())
        self.ids[name], self.names[entity] = entity, name
        self._components[entity] = dict(components)
        self.explicit.update((entity, cls, field) for cls, field in explicit)
        for cls in components:
            self.touch(entity, cls)
        self.changed_structure()

    def remove(self, entity: int) -> None:
        with self.active():
            esper.delete_entity(self._esper_ids.pop(entity), immediate=True)
        del self.ids[self.names.pop(entity)], self._components[entity]
        self.explicit = {key for key in self.explicit if key[0] != entity}
        self._component_versions.pop(entity, None)
        by_key: list[dict[Any, Any]] = [self._field_versions, self._shared]
        for kept in by_key:
            for key in [key for key in kept if key[0] == entity]:
                del kept[key]
        self.changed_structure()

    def id(self, entity: int | str) -> int:
        """The id of an entity given by id or name; PathError names the closest known ones."""
        self.check_open()
        if isinstance(entity, str):
            if entity in self.ids:
                return self.ids[entity]
            raise PathError(f"there is no entity {entity!r}{suggest(entity, self.ids)}")
        if isinstance(entity, (int, np.integer)) and not isinstance(entity, bool):
            if int(entity) in self.names:
                return int(entity)
            raise PathError(
                f"there is no entity with id {entity}{suggest('', self.ids)} (deleted, or of another world?)"
            )
        raise PathError(f"an entity is given by its name or id, got {entity!r}")

    def components(self, entity: int) -> dict[type, Any]:
        return self._components[entity]

    def component(self, entity: int | str, cls: type) -> Any:
        found = self._components[self.id(entity)]
        if not isinstance(cls, type) or cls not in found:
            name = cls.__name__ if isinstance(cls, type) else short(cls)
            raise PathError(f"{self.names[self.id(entity)]} has no {name}{suggest(name, (c.__name__ for c in found))}")
        return found[cls]

    def rows(self, types: tuple[type, ...], optional: tuple[type, ...], without: tuple[type, ...]) -> tuple[Row, ...]:
        """(id, component, ...) of every entity that has `types` and none of `without`, in id order."""
        self.check_open()
        key = (types, optional, without)
        if key not in self._rows:
            for cls in (*types, *optional, *without) or (None,):
                if not isinstance(cls, type) or not hasattr(cls, "__component__"):
                    raise PathError(f"world.query takes component classes, got {short(cls)}")
            with self.active():
                found = {esper_id for esper_id, _ in esper.get_components(*types)}
            having = [(e, p) for e, p in sorted(self._components.items()) if all(cls in p for cls in types)]
            for entity, _ in having:
                if types and self._esper_ids[entity] not in found:
                    raise CommandError(f"esper lost {self.names[entity]} or a component of it: the entities of a world "
                                       "are deleted by world.despawn only")
            self._rows[key] = tuple(
                (entity, *(parts[cls] for cls in types), *(parts.get(cls) for cls in optional))
                for entity, parts in having
                if not any(cls in parts for cls in without)
            )
        return self._rows[key]

    def __iter__(self) -> Iterator[tuple[int, dict[type, Any]]]:
        return iter(self._components.items())

    # -- values -------------------------------------------------------------------------------------------------------

    def write(self, entity: int, cls: type, field: str, value: Any) -> None:
        """Store a checked value, in place where it is an array of unchanged shape."""
        instance = self._components[entity][cls]
        old = getattr(instance, field)
        if isinstance(old, np.ndarray) and isinstance(value, np.ndarray) and old.shape == value.shape:
            if self._shared.pop((entity, cls, field), None) is old:
                old = np.empty_like(old)
                setattr(instance, field, old)
            old[...] = value
        else:
            setattr(instance, field, value if not isinstance(value, np.ndarray) else value.copy())
            if isinstance(old, np.ndarray) or isinstance(value, np.ndarray):
                self.changed_structure()
        self.touch(entity, cls, field)

    def share(self, entity: int, cls: type, field: str) -> np.ndarray:
        """An array as it is now, for good: the next `write` gives the component another one."""
        array: np.ndarray = getattr(self._components[entity][cls], field)
        self._shared[entity, cls, field] = array
        return array

    def renew(self, entity: int, cls: type) -> None:
        """Give a component that is about to be written anew other arrays, without content, for those that are shared.

        For systems that declare it in `replaces`.
        """
        instance = self._components[entity][cls]
        for field in info(cls).fields:
            shared = self._shared.pop((entity, cls, field), None)
            if shared is not None and getattr(instance, field) is shared:
                setattr(instance, field, np.empty_like(shared))

    def rederive(self, entity: int, source: type) -> None:
        """Recompute the derived parameters of an entity that follow `source`, field by field, unless they were set."""
        parts = self._components[entity]

        def keep(cls: type, field: str) -> bool:
            return (entity, cls, field) in self.explicit

        for cls, field, value in recompute_derived(
            parts, self.names[entity], source, keep, lambda n: self.components(self.id(n))
        ):
            self.write(entity, cls, field, value)
        self.complete(entity)

    def complete(self, entity: int) -> None:
        """Add required components that a change of their sources has called for (loads, damage)."""
        parts, name = self._components[entity], self.names[entity]
        added = missing_components(parts, name, lambda other: self.components(self.id(other)))
        for instance in added:
            self._attach(entity, instance)

    def attach(self, entity: int, instance: Any) -> None:
        """Add a component, and what it requires, to an entity that has none of its class."""
        cls, name = type(instance), self.names[entity]
        if cls in self._components[entity]:
            raise CommandError(f"{name} has a {cls.__name__} already")
        self._attach(entity, checked_copy(instance, name, self.sizes(entity)))
        self.complete(entity)

    def _attach(self, entity: int, instance: Any) -> None:
        with self.active():
            esper.add_component(self._esper_ids[entity], instance)
        self._components[entity][type(instance)] = instance
        self.touch(entity, type(instance))
        self.changed_structure()

    def sizes(self, entity: int, leave_out: tuple[type, str] | None = None) -> Sizes:
        """The symbolic sizes of an entity's arrays, from all fields but one."""
        sizes: Sizes = {}
        for cls, instance in self._components[entity].items():
            for field, value in field_values(instance):
                shape = info(cls).fields[field].shape
                if isinstance(value, np.ndarray) and (cls, field) != leave_out and value.ndim == len(shape):
                    for symbol, size in zip(shape, value.shape, strict=True):
                        if isinstance(symbol, str):
                            sizes.setdefault(symbol, (size, f"{cls.__name__}.{field}"))
        return sizes

    # -- versions -----------------------------------------------------------------------------------------------------

    def tick(self) -> int:
        self._clock += 1
        return self._clock

    def touch(self, entity: int, cls: type, field: str | None = None) -> None:
        """Raise the version of one field, or of all fields of a component."""
        for name in info(cls).fields if field is None else (field,):
            self._field_versions[entity, cls, name] = self.tick()
        self._component_versions.setdefault(entity, {})[cls] = self._clock
        self.edits += 1

    def touch_classes(self, classes: Iterable[type]) -> None:
        """Raise the version of component classes on every entity: a system wrote them."""
        self._clock += 1
        for cls in classes:
            self._class_versions[cls] = self._clock

    def version(self, entity: int, cls: type, field: str) -> int:
        return max(self.field_version((entity, cls, field)), self._class_versions.get(cls, 0))

    def field_version(self, key: Key) -> int:
        """The version of a field, without what systems wrote."""
        return self._field_versions.get(key, 0)

    def newest_versions(self, entity: int) -> list[int]:
        """The newest version in each of an entity's components."""
        own, written = self._component_versions[entity], self._class_versions
        return [max(own.get(cls, 0), written.get(cls, 0)) for cls in self._components[entity]]

    def stamp(self, classes: Iterable[type]) -> tuple[int | None, ...]:
        """Changes with every edit and when a system writes one of `classes`."""
        return (self.edits, *map(self._class_versions.get, classes))

    def class_version(self, cls: type) -> int:
        return self._class_versions.get(cls, 0)

    def changed_structure(self) -> None:
        self.structure += 1
        self.edits += 1
        self.drop_rows()

    def drop_rows(self) -> None:
        self._rows.clear()
        self.checked.clear()


def _delete_context(context: str) -> None:
    """Give the entities of a world that is closed or gone back to esper."""
    if context in esper.list_worlds():
        if esper.current_world == context:
            esper.switch_world("default")
        esper.delete_world(context)
