"""Building an entity: the components a person gave, those they require, and what is derived from them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from framework.component import Parts, check_together, check_whole, checked_copy, field_values, info
from framework.errors import CommandError, FieldError, PliantError
from framework.fields import FieldInfo, Sizes, checked, short

Find = Callable[[str], dict[type, Any]]


class EntityParts(Parts):
    """Parts that also reach the components of another entity, for nested transforms."""

    def __init__(self, entity: str, components: dict[type, Any], find: Find) -> None:
        super().__init__(entity, components)
        self._find = find

    def other(self, name: str) -> EntityParts:
        return EntityParts(name, self._find(name), self._find)


def flatten(given: Iterable[Any]) -> list[Any]:
    """Components out of components and (nested) tuples or lists of them, as prefabs return."""
    flat: list[Any] = []
    for item in given:
        flat += flatten(item) if isinstance(item, (tuple, list)) else [item]
    return flat


def build_components(given: Iterable[Any], entity: str, find: Find) -> tuple[dict[type, Any], set[tuple[type, str]]]:
    """Checked components by class, and the (class, field) pairs that the person gave explicitly.

    Components are built in dependency order: those a derive function reads come first.
    """
    givens: dict[type, Any] = {}
    for item in flatten(given):
        if isinstance(item, type):
            raise CommandError(f"{entity}: {item.__name__} is a class: give an instance, {item.__name__}(...)")
        if not hasattr(type(item), "__component__"):
            raise CommandError(
                f"{entity}: {short(item)} is not a component: give components such as Material(...), or prefabs"
            )
        if type(item) in givens:
            raise CommandError(f"{entity}: has two {type(item).__name__} components; an entity takes one of each")
        givens[type(item)] = item
    if not givens:
        raise CommandError(f"{entity}: an entity needs at least one component")
    wanted = _closure(givens)
    built: dict[type, Any] = {}
    explicit: set[tuple[type, str]] = set()
    sizes: Sizes = {}
    parts = EntityParts(entity, built, find)
    pending: set[type] = set()

    def build(cls: type) -> None:
        if cls in built or cls in pending:
            return
        pending.add(cls)
        about = info(cls)
        for source in about.sources:
            if source in wanted:
                build(source)
        instance = givens.get(cls)
        if instance is not None:
            explicit.update((cls, name) for name, value in field_values(instance) if value is not None)
        made = complete(instance, cls, parts)
        if made is not None:
            built[cls] = checked_copy(made, entity, sizes)
        pending.discard(cls)

    for cls in wanted:
        build(cls)
    check_together(built, entity)
    return built, explicit


def _closure(givens: dict[type, Any]) -> dict[type, None]:
    """The given classes and all they require, transitively, in a fixed order."""
    wanted: dict[type, None] = dict.fromkeys(givens)
    todo = list(givens)
    while todo:
        for required in info(todo.pop(0)).requires:
            if required not in wanted:
                wanted[required] = None
                todo.append(required)
    return wanted


@np.errstate(all="ignore")  # what is derived is checked as what is given is
def complete(instance: Any, cls: type, parts: Parts) -> Any:
    """The instance with missing fields derived; a new one when nothing was given; None when there is none to add."""
    derive = info(cls).derive
    if instance is None:
        if derive is None:
            raise CommandError(f"{parts.entity}: needs a {cls.__name__}{_hint(cls)}")
        return derive(parts)
    missing = [name for name, value in field_values(instance) if value is None]
    if derive is None or not missing:
        return instance
    derived = derive(parts)
    values = dict(field_values(instance))
    if derived is None:
        raise FieldError(f"{parts.entity}: {cls.__name__}.{missing[0]} must be given: nothing says how to derive it")
    values.update({name: getattr(derived, name) for name in missing})
    return cls(**values)


def _hint(cls: type) -> str:
    hint = getattr(cls, "missing_hint", "")
    return f": {hint}" if hint else ""


def recompute_derived(
    parts: dict[type, Any], entity: str, source: type, keep: Callable[[type, str], bool], find: Find
) -> Iterator[tuple[type, str, Any]]:
    """(class, field, value) of every derived parameter that follows `source`, directly or through another one.

    Where a recomputed array changes its size, all that is sized by it is derived anew, state included.
    """
    changed, resized = {source}, set[str]()
    view = EntityParts(entity, dict(parts), find)
    sizes: Sizes = {}
    for cls in _in_source_order(parts):
        about = info(cls)
        follows = about.derived == "parameter" and changed & set(about.sources)
        stale = resized & {size for item in about.fields.values() for size in item.shape if isinstance(size, str)}
        names = [
            name for name, item in about.fields.items()
            if not (keep(cls, name) and not stale) and (follows or resized & set(item.shape))
        ]  # fmt: skip
        if about.derive is None or not (follows or stale) or not names:
            continue
        with np.errstate(all="ignore"):
            derived = about.derive(view)
        if derived is None:
            continue
        for name in names:
            item, old = about.fields[name], getattr(parts[cls], name)
            value = checked(getattr(derived, name), item, f"{entity}: {cls.__name__}.{name}", sizes)
            if _same_bits(value, old):
                continue  # what follows from it stays as it is, too
            resized |= _new_sizes(old, value, item)
            yield cls, name, value
            changed.add(cls)
        check_whole(parts[cls], entity)


def _same_bits(new: Any, old: Any) -> bool:
    if not isinstance(new, np.ndarray) or not isinstance(old, np.ndarray):
        return False
    return new.shape == old.shape and new.dtype == old.dtype and new.tobytes() == old.tobytes()


def missing_components(parts: dict[type, Any], entity: str, find: Find) -> list[Any]:
    """Required components that are absent because there was nothing to derive, and that can be derived now."""
    found: list[Any] = []
    view = EntityParts(entity, parts, find)
    for cls in list(parts):
        for required in info(cls).requires:
            derive = info(required).derive
            if required not in parts and derive is not None and required not in {type(item) for item in found}:
                made = derive(view)
                if made is not None:
                    found.append(checked_copy(made, entity, {}))
    return found


def _in_source_order(parts: dict[type, Any]) -> list[type]:
    """Component classes so that sources come before what is derived from them (the order they were built in)."""
    order: list[type] = []

    def visit(cls: type, path: tuple[type, ...]) -> None:
        if cls in order or cls in path:
            return
        for source in info(cls).sources:
            if source in parts:
                visit(source, (*path, cls))
        order.append(cls)

    for cls in parts:
        visit(cls, ())
    return order


def _new_sizes(old: Any, new: Any, item: FieldInfo) -> set[str]:
    if not isinstance(old, np.ndarray) or not isinstance(new, np.ndarray) or old.shape == new.shape:
        return set()
    if old.ndim != new.ndim:
        raise PliantError(f"{item.name} changed from {old.ndim} to {new.ndim} dimensions")
    return {s for s, a, b in zip(item.shape, old.shape, new.shape, strict=True) if isinstance(s, str) and a != b}
