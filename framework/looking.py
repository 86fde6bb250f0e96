"""Looking at a world: the scene that its RENDER systems draw, pictures and films. It changes no state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from framework.numbers import whole
from framework.system import Stage

if TYPE_CHECKING:
    import numpy as np

    from framework.world import World


def scene(world: World) -> Any:
    """What RENDER systems draw of a world, for a renderer."""
    from framework.viewer.camera import fit
    from framework.viewer.scene import Scene

    drawn = Scene()
    for system in world.engine.active(Stage.RENDER):
        with world.acting(system):
            system.process(world, drawn)
    if drawn.camera is None:  # fitted once, so that a film does not follow the bodies
        drawn.camera = world.cached("view", "camera", (), lambda: fit(drawn))
    return drawn


def picture(world: World, path: Any = None, size: tuple[int, int] = (1280, 720)) -> np.ndarray:
    """An image (height, width, 3) uint8 of the world; written as PNG when a path is given."""
    from framework.viewer import render, write_png

    image = render(scene(world), size)
    if path is not None:
        write_png(path, image)
    return image


def film(
    world: World, path: Any, frames: int, size: tuple[int, int] = (1280, 720), fps: float | None = None
) -> None:
    """Run `frames` frames and write them as a film (MP4 or GIF)."""
    frames = whole(frames, "world.film: frames")
    from framework.viewer import Film, render

    with Film(path, fps=1 / world.stepping.frame_time if fps is None else fps) as output:
        output.add(render(scene(world), size))
        world.run(frames, on_frame=lambda now: output.add(render(scene(now), size)))


def png(world: World) -> bytes:
    """The picture that notebooks show."""
    from framework.viewer import png_bytes

    return png_bytes(picture(world, None, (960, 540)))
