"""How long a window takes for a frame, where the processor draws: milliseconds at 1280 x 720, with the drawing done.

    python benchmarks/window.py [--json] [--quick] [--only TEXT]

The scene: a cloth of 71 x 71 = 5,041 particles coloured by its strain, on both sides lit by two lights, over a sphere
and a ground with shadows, with legend and caption. In each frame the particles have moved. Medians.
Panels are measured by themselves: with them a frame of the window takes the sum.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:  # run as a file
    sys.path.insert(0, str(ROOT))

from benchmarks._figures import Figure, parser, report, skipped  # noqa: E402
from components import Appearance, Collider, MassSpring, Material  # noqa: E402
from components.prefabs import grid  # noqa: E402
from framework import World  # noqa: E402
from framework.viewer import offscreen  # noqa: E402
from systems import standard  # noqa: E402

SIZE = (1280, 720)
CELLS = 70
NAMES = ("frame of the scene", "frame while the view turns", "scene made from the world", "picture, smooth, read back")
LIMITS = (18.0, 30.0, None, None)


def cloth() -> World:
    world = World(systems=standard(), frame_time=1e-5, substeps=1)
    world.spawn(grid(size=(1, 1), cells=(CELLS, CELLS), plane="xz", centre=(0, 0.6, 0)), Material(areal_density=0.2),
                MassSpring(stretch=400.0, shear=200.0, bend=2.0), Appearance(colour_by="strain", back="#ef8733"),
                name="cloth")
    world.spawn(Collider.sphere(radius=0.3, centre=(0, 0.25, 0)), name="sphere")
    world.spawn(Collider.plane(), name="ground")
    return world


def milliseconds(count: int, prepare: Callable[[int], None], measure: Callable[[], object]) -> float:
    """Median of `count` measurements after two that count for nothing."""
    taken = []
    for number in range(count + 2):
        prepare(number)
        began = time.perf_counter()
        measure()
        taken.append(1e3 * (time.perf_counter() - began))
    return statistics.median(taken[2:])


def panels(options: argparse.Namespace) -> Iterator[Figure]:
    """The panels beside the same cloth, a particle of it selected, with six curves of 300 frames: made and drawn."""
    names = {tab: f"panels, {tab.lower()} open" for tab in ("Colours", "Systems", "Plots")}
    renderer = offscreen._opengl()
    if renderer is None:
        yield from (skipped(name, "ms", "at most", 8.0, f"no OpenGL: {offscreen.opengl_reason()}")
                    for name in names.values())
        return
    from framework.viewer.gui import Gui
    from framework.viewer.panels import Panels
    from framework.viewer.session import Session

    session, context = Session(cloth()), renderer.context
    for axis in "xyz":
        session.world.watch(f"mean {axis}", f"cloth.position.{axis}.mean")
        session.world.watch(f"speed {axis}", f"cloth.velocity.{axis}.max")
    session.step(30 if options.quick else 300)
    session.selection = session.world.id("cloth"), 2500
    with context:
        window = context.framebuffer([context.renderbuffer(SIZE, 4)])
        gui, shown = Gui(context), Panels(filled=True)

        def show() -> None:
            gui.begin(SIZE, 1 / 60)
            shown.draw(session, SIZE)
            gui.end(window, shown.solid)
            context.finish()

        for tab, name in names.items():
            shown.tab = tab
            figure = milliseconds(5 if options.quick else 40, lambda _: session.step(), show)
            yield Figure(name, figure, "ms", "at most", 8.0, renderer.name.partition(",")[0])
        gui.release()


def scene(options: argparse.Namespace) -> Iterator[Figure]:
    renderer = offscreen._opengl()
    if renderer is None:
        yield from (skipped(name, "ms", "at most", limit, f"no OpenGL: {offscreen.opengl_reason()}")
                    for name, limit in zip(NAMES, LIMITS, strict=True) if limit is not None)
        return
    world, count = cloth(), 5 if options.quick else 40
    rest = world.value("cloth.position")
    drawn = world.scene()
    context = renderer.context

    def move(number: int) -> None:
        nonlocal drawn
        x = rest.copy()
        x[:, 1] += 0.05 * np.sin(9 * x[:, 0] + 0.2 * number) * np.cos(7 * x[:, 2])
        world.set("cloth.position", x)
        world.set("cloth.velocity", 0.0)
        world.step()
        drawn = world.scene()

    def turn(number: int) -> None:
        move(number)
        angle = 0.01 * number
        drawn.camera = replace(drawn.camera, eye=(2.2 * np.sin(angle), 1.3, 2.2 * np.cos(angle)), target=(0, 0.4, 0))

    with context:
        window = context.framebuffer([context.renderbuffer(SIZE, 4)], context.depth_renderbuffer(SIZE))

        def show() -> None:
            renderer.show(drawn, *SIZE, window, texts=True)
            context.finish()

        figures = [milliseconds(count, move, show), milliseconds(count, turn, show),
                   milliseconds(count, move, world.scene),
                   milliseconds(max(count // 4, 3), move, lambda: offscreen.render(drawn, SIZE))]
    for name, figure, limit in zip(NAMES, figures, LIMITS, strict=True):
        yield Figure(name, figure, "ms", "at most", limit, renderer.name.partition(",")[0])


def main(arguments: list[str] | None = None) -> None:
    options = parser(__doc__ or "").parse_args(arguments)
    report({"scene": lambda: scene(options), "panels": lambda: panels(options)}, options)


if __name__ == "__main__":
    main()
