"""What a scene gives and nothing uses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from components import Appearance, Camera, Gravity, Mass, MassSpring, Material, Position, Wind
from components.material import DENSITIES, ELASTIC
from framework import World
from framework.component import info
from framework.doctor import Finding


def check_unused(world: World) -> Iterator[Finding]:
    """Components that no system reads, and fields that their company makes useless."""
    yield from _unread(world)
    for entity, material, model, mass in world.query(Material, optional=(MassSpring, Mass)):
        yield from _material(world, entity, material, model, mass)
    bodies = world.query(Position)
    for cls in (Gravity, Wind):
        for entity, _ in world.query(cls):
            if not bodies:
                yield _nothing(world, entity, cls.__name__, "there is no body it could act on", "spawn a body")
    cameras = world.query(Camera)
    for entity, _ in cameras[1:]:
        first = world.name(cameras[0][0])
        yield _nothing(world, entity, "Camera", f"pictures are taken by {first}'s camera", "keep one camera")
    for entity, look in world.query(Appearance):
        for limit in ("low", "high"):
            if not look.colour_by and getattr(look, limit) is not None:
                yield _nothing(world, entity, f"Appearance.{limit}", "nothing is coloured by a field", "give colour_by")


def _unread(world: World) -> Iterator[Finding]:
    """Components that no active system declares and that nothing else is derived from."""
    used: set[type] = {Position}
    for system in world.engine.schedule:
        used |= {*system.reads, *system.writes, *system.adds, *system.needs}
    for entity, parts in sorted(world.store):
        if entity == 0:
            continue
        sources = {source for cls in parts for source in (*info(cls).sources, *info(cls).requires)}
        for cls in parts:
            if cls not in used and cls not in sources and world.explicit(entity, cls):
                yield _nothing(world, entity, cls.__name__, "no system of this world reads it", _hint(cls))


def _hint(cls: type) -> str:
    return f"add the system that does to World(systems=[...]), or leave {cls.__name__} out"


def _material(world: World, entity: int, material: Material, model: Any, mass: Any) -> Iterator[Finding]:
    elastic = [name for name in ELASTIC if getattr(material, name) is not None]
    if elastic and model is not None and model.stretch is not None:
        yield _nothing(
            world, entity, f"Material.{elastic[0]}", "MassSpring has stiffnesses of its own, in N/m",
            "leave it out, or choose a model of a continuum",
        )  # fmt: skip
    density = [name for name in DENSITIES if getattr(material, name) is not None]
    if density and mass is not None and world.explicit(entity, Mass):
        yield _nothing(
            world, entity, f"Material.{density[0]}", "the masses were given by Mass", "give one of the two"
        )  # fmt: skip


def _nothing(world: World, entity: int, what: str, why: str, do: str) -> Finding:
    return Finding(what="it has no effect", where=f"{world.name(entity)}.{what}", why=why, do=do)
