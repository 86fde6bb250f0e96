"""Components: slotted dataclasses of declared fields, with the components they require and how those are derived."""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Callable, Iterator
from typing import Any, TypeVar, cast, dataclass_transform

import numpy as np

from framework.errors import FieldError, PliantError, suggest
from framework.fields import FieldInfo, Sizes, brief, checked, field

T = TypeVar("T")
Derive = Callable[[Any], Any]
Classes = tuple[type, ...] | Callable[[], tuple[type, ...]]


@dataclasses.dataclass(frozen=True)
class ComponentInfo:
    """What the framework knows of a component class.

    requires: classes that `spawn` adds when absent. derive: pure function of the entity's Parts that returns an
    instance; sources: the classes it reads. derived: "state" is set once; "parameter" follows its sources until set.
    feedback: written in the FEEDBACK stage only, readable through `world.previous`. scratch: rebuilt in every substep,
    no part of the state.
    """

    name: str
    fields: dict[str, FieldInfo]
    principal: str | None
    requires: tuple[type, ...]
    derive: Derive | None
    sources: tuple[type, ...]
    derived: str
    feedback: bool
    scratch: bool


@dataclass_transform(field_specifiers=(field,))
def component(
    cls: type[T] | None = None,
    *,
    requires: Classes = (),
    derive: Derive | None = None,
    sources: Classes = (),
    derived: str = "state",
    feedback: bool = False,
    scratch: bool = False,
) -> Any:
    """Class decorator: make a component out of a class whose annotations are declared with `field`.

    requires and sources may be functions without arguments, called at first use: two components can then name each
    other.
    """
    if cls is None:
        return lambda inner: component(
            inner,
            requires=requires,
            derive=derive,
            sources=sources,
            derived=derived,
            feedback=feedback,
            scratch=scratch,
        )
    if not isinstance(cls, type):
        raise PliantError(f"@component decorates a class, got {cls!r}")
    if derived not in ("state", "parameter"):
        raise PliantError(f"{cls.__name__}: derived must be 'state' or 'parameter', got {derived!r}")
    made: Any = dataclasses.dataclass(slots=True, eq=False, repr=False)(cls)
    made.__repr__ = _brief
    made.__init__ = _explained(made.__init__)
    fields = {}
    for item in dataclasses.fields(made):
        if "pliant" not in item.metadata:
            raise PliantError(f"{cls.__name__}.{item.name} must be declared with field(unit=..., shape=..., doc=...)")
        fields[item.name] = dataclasses.replace(item.metadata["pliant"], name=item.name)
    principal = [name for name, info in fields.items() if info.principal]
    if len(principal) > 1:
        raise PliantError(f"{cls.__name__}: only one field can be principal, got {', '.join(principal)}")
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", cls.__name__).lower()
    made.__component__ = ComponentInfo(
        name,
        fields,
        principal[0] if principal else (next(iter(fields)) if len(fields) == 1 else None),
        cast(Any, requires),  # functions are called at first use, in `info`
        derive,
        cast(Any, sources),
        derived,
        feedback,
        scratch,
    )
    return made


def _brief(self: Any) -> str:
    """A component in a line: of large arrays the shape and the range."""
    return f"{type(self).__name__}({', '.join(f'{name}={brief(value)}' for name, value in field_values(self))})"


def _explained(init: Callable[..., None]) -> Callable[..., None]:
    """A component's constructor whose errors about its arguments name the class and the closest fields."""

    @functools.wraps(init)
    def __init__(self: Any, *values: Any, **named: Any) -> None:
        try:
            init(self, *values, **named)
        except TypeError:
            name, fields = type(self).__name__, dataclasses.fields(self)
            names = [item.name for item in fields]
            for word in named:
                if word not in names:
                    raise FieldError(f"{name} has no field {word!r}{suggest(word, names)}") from None
            if len(values) > len(names):
                raise FieldError(f"{name} has {len(names)} fields, got {len(values)} values") from None
            for word in names[: len(values)]:
                if word in named:
                    raise FieldError(f"{name}.{word} is given twice") from None
            for item in fields[len(values) :]:
                if item.name not in named and item.default is dataclasses.MISSING:
                    raise FieldError(f"{name}.{item.name} must be given ({item.metadata['pliant'].doc})") from None
            raise

    return __init__


def info(cls: Any) -> ComponentInfo:
    """The ComponentInfo of a component class or instance; an error for anything else."""
    found = getattr(cls, "__component__", None)
    if found is None:
        name = cls.__name__ if isinstance(cls, type) else repr(cls)
        raise PliantError(f"{name} is not a component: decorate its class with @component from framework")
    if callable(found.requires) or callable(found.sources):
        found = dataclasses.replace(found, requires=_classes(found.requires), sources=_classes(found.sources))
        owner: Any = cls if isinstance(cls, type) else type(cls)
        owner.__component__ = found
    return found


def _classes(value: Classes) -> tuple[type, ...]:
    return value() if callable(value) else value


def field_values(instance: Any) -> Iterator[tuple[str, Any]]:
    """(name, value) of each field, in declaration order."""
    for name in info(instance).fields:
        yield name, getattr(instance, name)


def checked_copy(instance: Any, entity: str, sizes: Sizes) -> Any:
    """A checked copy that shares no array with `instance`; FieldError names entity, component and field."""
    about, cls = info(instance), type(instance)
    values = {
        name: checked(getattr(instance, name), item, f"{entity}: {cls.__name__}.{name}", sizes)
        for name, item in about.fields.items()
    }
    copy = cls(**values)
    check_whole(copy, entity)
    return copy


def check_whole(instance: Any, entity: str) -> None:
    """Rules over several fields: a component may offer `problems()` that yields (field, rule, found)."""
    for name, rule, found in getattr(instance, "problems", tuple)():
        raise FieldError(f"{entity}: {type(instance).__name__}.{name} must {rule}, got {found}")


def check_together(parts: dict[type, Any], entity: str) -> None:
    """Rules over several components: one may offer `misfits(parts)` that yields ('Component.field', rule, found)."""
    for instance in list(parts.values()):
        for name, rule, found in getattr(instance, "misfits", lambda parts: ())(parts):
            raise FieldError(f"{entity}: {name} must {rule}, got {found}")


def read_only_copy(instance: Any) -> Any:
    """A copy whose arrays are read-only, so that nobody takes it for the world itself."""
    return type(instance)(**{name: _frozen(value) for name, value in field_values(instance)})


def read_only_view(instance: Any) -> Any:
    """The component with views of its arrays that cannot be written: it costs no copy, and follows the world."""
    return type(instance)(**{name: _view(value) for name, value in field_values(instance)})


def read_only_rows(rows: tuple[Any, ...], make: Callable[[Any], Any]) -> tuple[Any, ...]:
    """Rows (id, component, ...) of a query, each component replaced by `make` of it."""
    return tuple((row[0], *(None if part is None else make(part) for part in row[1:])) for row in rows)


def _view(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        view = value.view()
        view.flags.writeable = False
        return view
    if isinstance(value, dict):
        return {key: _view(item) for key, item in value.items()}
    return value


def _frozen(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        copy = value.copy()
        copy.flags.writeable = False
        return copy
    if isinstance(value, dict):
        return {key: _frozen(item) for key, item in value.items()}
    return value


class Parts:
    """An entity's components while it is built: `parts[Geometry]`, `parts.get(Material)`, `Material in parts`."""

    def __init__(self, entity: str, components: dict[type, Any]) -> None:
        self.entity = entity
        self._components = components

    def __getitem__(self, cls: type[T]) -> T:
        if cls not in self._components:
            raise PliantError(f"{self.entity}: needs a {cls.__name__}")
        return self._components[cls]

    def get(self, cls: type[T]) -> T | None:
        return self._components.get(cls)

    def __contains__(self, cls: type) -> bool:
        return cls in self._components

    def other(self, name: str) -> Parts:
        """The parts of another entity, by name."""
        raise PliantError(f"{self.entity}: there is no entity {name!r} to look up")
