"""The pictures of README and docs: `python docs/make_pictures.py` runs the demos and draws them again.

Each is a frame of a demo, small enough for a page. Names choose some of them.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from framework.scene import load

FOLDER = Path(__file__).resolve().parent / "images"
SIZE = (960, 540)
FRAMES = {"drape": 500, "flag": 150, "cloth_hang": 150, "custom_force": 240}


def main(names: list[str]) -> None:
    FOLDER.mkdir(exist_ok=True)
    for name in names or [*FRAMES, "window"]:
        if name == "window":
            draw_window()
            continue
        world = load(name).make()
        world.run(frames=FRAMES[name])
        file = FOLDER / f"{name}.png"
        world.picture(file, size=SIZE)
        print(f"{file.relative_to(FOLDER.parent.parent)}: frame {world.frame}, {file.stat().st_size / 1000:.0f} kB")


def draw_window() -> None:
    """The window on the flag, on pygame's driver without a display."""
    os.environ["SDL_VIDEODRIVER"] = "offscreen"
    from framework.viewer import write_png
    from framework.viewer.session import Session
    from framework.viewer.window import Window

    session = Session(load("flag").make())
    window = Window(session)
    session.step(100)
    session.edit("wind.velocity", (0.0, 0.0, 4.0))
    session.step(30)
    session.selection = session.world.id("flag"), 700
    for _ in range(5):  # imgui lays out in the first turns
        window.turn([], 0.0)
    write_png(FOLDER / "window.png", window.picture())
    window.close()


if __name__ == "__main__":
    main(sys.argv[1:])
