"""The pictures of README and docs: `python docs/make_pictures.py` runs the demos and draws them again.

Each is a frame of a demo, small enough for a page. Names choose some of them.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from framework.scene import load

if TYPE_CHECKING:
    from framework.viewer.session import Session
    from framework.viewer.window import Window

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
    """The window on the flag, and its panels cut out of it."""
    from framework.viewer import write_png
    from framework.viewer.session import Session

    session = Session(load("flag").make())
    session.world.watch("largest strain", "flag.strain.max")
    window = unseen(session)
    session.step(100)
    session.edit("wind.velocity", (0.0, 0.0, 4.0))
    session.step(30)
    session.selection = session.world.id("flag"), 700

    def drawn(tab: str) -> np.ndarray:
        window.gui.panels.tab = tab
        return photograph(window)

    image = drawn("Colours")
    left, _, width, height = window.box
    parts = {"window": image, "panel_left": image[:height, :left], "panel_timeline": image[height:]}
    parts |= {f"panel_{tab.lower()}": drawn(tab)[:height, left + width :] for tab in ("Colours", "Systems", "Plots")}
    for name, part in parts.items():
        write_png(FOLDER / f"{name}.png", np.ascontiguousarray(part))
        print(f"docs/images/{name}.png: {(FOLDER / name).with_suffix('.png').stat().st_size / 1000:.0f} kB")
    window.close()


def unseen(session: Session) -> Window:
    """A window on pygame's driver without a display."""
    os.environ["SDL_VIDEODRIVER"] = "offscreen"
    from framework.viewer.window import Window

    return Window(session)


def photograph(window: Window) -> np.ndarray:
    """What a window shows, after the turns in which imgui lays out its panels."""
    for _ in range(5):
        window.turn([], 0.0)
    return window.picture()


if __name__ == "__main__":
    main(sys.argv[1:])
