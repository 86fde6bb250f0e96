"""The order of systems: by stage, then by what each reads, writes and adds; a conflict without order is an error."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping, Set
from graphlib import CycleError, TopologicalSorter

from framework.errors import ScheduleError
from framework.fields import short
from framework.system import EsperProcessor, ForceSystem, Stage, System


class Schedule:
    """Systems per stage in the order they run. Registration order decides where the declarations leave it open."""

    def __init__(self, systems: Iterable[System]) -> None:
        # the order of registration counts, and a set or the like has none that is the same in each run
        listed = isinstance(systems, Iterable) and not isinstance(systems, (str, bytes, Set, Mapping))
        if not listed or getattr(systems, "shape", None) == ():  # an array of no dimension cannot be iterated
            raise ScheduleError(f"systems must be a list of systems, such as standard(), got {short(systems)}")
        self.systems = list(systems)
        for system in self.systems:
            _check(system)
        names = [system.name for system in self.systems]
        for name in names:
            if names.count(name) > 1:
                raise ScheduleError(f"{name} is registered twice: a world takes one system of each class")
        _check_stages(self.systems)
        self.stages: dict[Stage, list[System]] = {
            stage: _ordered(stage, [s for s in self.systems if s.stage == stage]) for stage in Stage
        }
        self.written: frozenset[type] = frozenset(c for s in self.systems for c in (*s.writes, *s.adds))

    def __iter__(self) -> Iterator[System]:
        return (system for stage in Stage for system in self.stages[stage])


def _check(system: System) -> None:
    if isinstance(system, type):
        raise ScheduleError(f"{system.__name__} is a class: register an instance, {system.__name__}()")
    if not isinstance(system, System):
        raise ScheduleError(
            f"{short(system)} is not a system: derive it from framework.System or ForceSystem, or wrap an esper "
            f"Processor in EsperProcessor(...)"
        )
    if not isinstance(system.stage, Stage):
        raise ScheduleError(f"{system.name}.stage must be a Stage, got {system.stage!r}")
    if type(system).process is System.process:
        raise ScheduleError(f"{system.name} must define process(self, world, step)")
    _check_methods(system)
    for attribute in ("reads", "writes", "adds", "needs", "on_world"):
        listed = getattr(system, attribute)
        for cls in listed if isinstance(listed, (tuple, list)) else (listed,):
            if not isinstance(listed, (tuple, list)) or not (isinstance(cls, type) and hasattr(cls, "__component__")):
                raise ScheduleError(f"{system.name}.{attribute} must be a tuple of component classes, got {listed!r}")
    for attribute in ("before", "after"):
        listed = getattr(system, attribute)
        if not isinstance(listed, (tuple, list)) or not all(isinstance(name, str) for name in listed):
            raise ScheduleError(f"{system.name}.{attribute} must be a tuple of names of system classes, got {listed!r}")
    moved = [c.__name__ for c in (*system.writes, *system.adds) if c.__name__ != "Force"]
    if isinstance(system, ForceSystem) and moved:
        raise ScheduleError(
            f"{system.name} is a ForceSystem and says that it writes {', '.join(moved)}: a force only adds to Force. "
            f"What moves particles or changes a body is a System (docs/writing-a-force.md), BoundaryConditions, or "
            f"world.set"
        )
    feedback = [c.__name__ for c in (*system.writes, *system.adds) if c.__component__.feedback]  # type: ignore[attr-defined]
    if feedback and system.stage not in (Stage.FEEDBACK, Stage.EVOLVE):
        raise ScheduleError(
            f"{system.name} (stage {system.stage.name}) writes {', '.join(feedback)}: feedback is written in "
            f"FEEDBACK only"
        )


def _check_methods(system: System) -> None:
    """The methods that the framework calls must be functions that take what it calls them with."""
    if isinstance(system, EsperProcessor):
        return
    drawing = system.stage is Stage.RENDER
    for name, given in (("process", ("world", "scene" if drawing else "step")), ("check", ("world",)),
                        ("closing", ("world",)), ("describe", ("world",)), ("energy", ("world", "step")),
                        ("pattern", ("world", "step")), ("linearize", ("world", "step", "matrix"))):
        method = getattr(system, name, None)
        if method is None:
            continue
        wanted = f"{name}(self, {', '.join(given)})"
        where = ""
        if callable(method):
            function = getattr(type(system), name, None)
            code = getattr(inspect.unwrap(function), "__code__", None) if callable(function) else None
            where = "" if code is None else f" ({code.co_filename}:{code.co_firstlineno})"
            try:
                signature = inspect.signature(method)
                signature.bind(*given)
                continue
            except ValueError:  # a function of C says nothing of what it takes
                continue
            except TypeError:
                parameters = ", ".join(["self", *map(str, signature.parameters.values())])
                found = f"{name}({parameters})"
        else:
            found = repr(method)
        raise ScheduleError(f"{system.name} must define {wanted}, got {found}{where}")


def _check_stages(systems: list[System]) -> None:
    """Refuse an order of two systems that their stages contradict."""
    stages = {system.name: system.stage for system in systems}
    for system in systems:
        for word, others, sign in (("before", system.before, 1), ("after", system.after, -1)):
            for other in others:
                if other in stages and sign * (system.stage - stages[other]) > 0:
                    raise ScheduleError(
                        f"{system.name} ({system.stage.name}) cannot run {word} {other} ({stages[other].name}): "
                        f"stages run in this order: {', '.join(stage.name for stage in Stage)}"
                    )


def _ordered(stage: Stage, systems: list[System]) -> list[System]:
    by_name = {system.name: system for system in systems}
    sorter: TopologicalSorter[str] = TopologicalSorter({name: () for name in by_name})
    for system in systems:
        for word, others in (("before", system.before), ("after", system.after)):
            for other in others:  # a name of a system that this world does without orders nothing
                if other in by_name:
                    pair = (other, system.name) if word == "before" else (system.name, other)
                    sorter.add(*pair)
    order = _stable_order(sorter, list(by_name), stage)
    _refuse_ambiguity(systems, stage)
    return [by_name[name] for name in order]


def _stable_order(sorter: TopologicalSorter[str], registered: list[str], stage: Stage) -> list[str]:
    """Topological order that follows registration wherever it may."""
    try:
        sorter.prepare()
    except CycleError as error:
        raise ScheduleError(f"stage {stage.name}: before/after form a circle: {' -> '.join(error.args[1])}") from None
    ready: set[str] = set()
    order: list[str] = []
    while sorter.is_active():
        ready.update(sorter.get_ready())
        first = min(ready, key=registered.index)
        ready.remove(first)
        order.append(first)
        sorter.done(first)
    return order


def _refuse_ambiguity(systems: list[System], stage: Stage) -> None:
    following = {system.name: {*system.before} for system in systems}
    for system in systems:
        for other in system.after:
            if other in following:
                following[other].add(system.name)
    for index, first in enumerate(systems):
        for second in systems[index + 1 :]:
            clash = _conflict(first, second)
            if clash and not (
                _reaches(first.name, second.name, following) or _reaches(second.name, first.name, following)
            ):
                names = ", ".join(sorted(c.__name__ for c in clash))
                raise ScheduleError(
                    f"stage {stage.name}: {first.name} and {second.name} both use {names} and at least one writes it; "
                    f"say which comes first: before = ({first.name!r},) or after = ({first.name!r},) in {second.name}"
                )


def _conflict(first: System, second: System) -> set[type]:
    def touched(system: System) -> set[type]:
        return {*system.reads, *system.writes, *system.adds}

    clash = (set(first.writes) & touched(second)) | (set(second.writes) & touched(first))
    return clash | (set(first.adds) & set(second.reads)) | (set(second.adds) & set(first.reads))


def _reaches(start: str, goal: str, following: dict[str, set[str]]) -> bool:
    todo, seen = [start], set()
    while todo:
        name = todo.pop()
        if name == goal:
            return True
        if name not in seen:
            seen.add(name)
            todo += following.get(name, ())
    return False
