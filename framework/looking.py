"""Looking at a world: the scene that its RENDER systems draw, pictures and films. It changes no state."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from framework.audit import Audit
from framework.component import info
from framework.difference import Difference
from framework.errors import PathError, PliantError
from framework.fields import short
from framework.numbers import is_number, whole
from framework.system import Stage, System
from framework.viewer.errors import SceneError

if TYPE_CHECKING:
    import numpy as np

    from framework.world import World


_ranges: WeakKeyDictionary[World, dict] = WeakKeyDictionary()  # of colour bars, by what they show; no part of a state


def scene(world: World, *, show: Iterable[str] = (), highlight: Any = None, camera: Any = None,
          colour_by: str | Difference | None = None, limits: tuple[float, float] | None = None) -> Any:  # fmt: skip
    """What RENDER systems draw of a world, for a renderer.

    show: of "wireframe", "nodes", "normals", "springs", "supports", "loads" (with gravity and wind) and "axes".
    highlight: a body's name or id, or (name, particle). camera: a `framework.viewer.Camera`, or a `Following` for the
    pictures of a film; None: the world's, or one that holds all bodies.
    colour_by: a field that colours all bodies that have it, "" for none, None: as each Appearance says; or what
    `world.compare` found, for the body and frame that it is about. limits: its range; None: as Appearance says, or one
    that grows with the values of this world's pictures, and narrows when many in a row have used little of it.
    """
    from framework.viewer.camera import fit
    from framework.viewer.following import Following
    from framework.viewer.scene import Scene

    if isinstance(colour_by, Difference):
        colour_by.check_drawable(world)
    if limits is not None:
        _check_limits(limits)
    drawn = Scene(show=(show,) if isinstance(show, str) else show, colour_by=colour_by, limits=limits,
                  highlight=_chosen(world, highlight), ranges=_ranges.setdefault(world, {}))
    for system in world.engine.active(Stage.RENDER):
        _draw(world, system, drawn)
    if isinstance(camera, Following):
        drawn.camera = drawn.camera or camera.camera(drawn)
    else:
        drawn.camera = camera or drawn.camera or fit(drawn)
    return drawn


def _check_limits(limits: Any) -> None:
    pair = list(limits) if isinstance(limits, Iterable) and not isinstance(limits, str) else []
    if not (len(pair) == 2 and all(is_number(end) for end in pair) and pair[0] < pair[1]):
        raise SceneError(f"limits must be two finite numbers, the lower one first, got {short(limits)}")


def _chosen(world: World, what: Any) -> tuple[int, int | None] | None:
    """(id, particle or None) of a name or id, or of a pair of one and a particle."""
    if what is None:
        return None
    name, particle = what if isinstance(what, tuple) else (what, None)
    entity = world.id(name)
    positions = [part.x for cls, part in world.store.components(entity).items() if info(cls).name == "position"]
    count = len(positions[0]) if positions else 0
    if particle is not None and not 0 <= particle < count:
        raise PathError(f"{world.name(entity)} has no particle {particle}; it has {count}")
    return entity, particle


def _draw(world: World, system: System, drawn: Any) -> None:
    """Let a RENDER system draw; ScheduleError names what it tries to write, other errors get its name."""
    with world.acting(system):
        try:
            system.process(world, drawn)
        except SceneError as error:
            raise SceneError(f"{system.name} draws what cannot be drawn: {error}") from None
        except PliantError:
            raise
        except Exception as error:
            if isinstance(error, ValueError) and "read-only" in str(error):
                _name_what_is_written(world, system, drawn)
            error.add_note(f"in {system.name}, which draws frame {world.frame}")
            raise


def _name_what_is_written(world: World, system: System, drawn: Any) -> None:
    """Let it write once, see what has changed, and put the world back."""
    start = world.snapshots.take()
    audit = Audit(world.store, system, {cls for _, parts in world.store for cls in parts})
    world.engine.unguarded = True
    try:
        with suppress(Exception):  # what it does after its first write is beside the point
            system.process(world, type(drawn)())
        audit.check()
    finally:
        world.engine.unguarded = False
        world.snapshots.put_back(start)


def picture(world: World, path: Any = None, size: tuple[int, int] = (1280, 720), **look: Any) -> np.ndarray:
    """An image (height, width, 3) uint8 of the world; written as PNG when a path is given.

    look: as for `world.scene`, such as show=("supports", "loads"), camera=Camera(...), colour_by="strain".
    """
    from framework.viewer import render, write_png

    image = render(scene(world, **look), size)
    if path is not None:
        write_png(path, image)
    return image


def film(
    world: World, path: Any, frames: int, size: tuple[int, int] = (1280, 720), fps: float | None = None, **look: Any
) -> None:
    """Run `frames` frames and write them as a film (MP4 or GIF); look: as for `world.scene`."""
    frames = whole(frames, "world.film: frames")
    from framework.viewer import Film, render
    from framework.viewer.following import Following

    look = {"camera": Following(size[0] / size[1])} | look
    with Film(path, fps=1 / world.stepping.frame_time if fps is None else fps) as output:
        output.add(render(scene(world, **look), size))
        world.run(frames, on_frame=lambda now: output.add(render(scene(now, **look), size)))


def png(world: World) -> bytes:
    """The picture that notebooks show."""
    from framework.viewer import png_bytes

    return png_bytes(picture(world, None, (960, 540)))
