"""The pictures of README and docs: `python docs/make_pictures.py` runs the demos and draws them again.

Each is a frame of a demo, small enough for a page. Names choose some of them.
"""

from __future__ import annotations

import sys
from pathlib import Path

from framework.scene import load

FOLDER = Path(__file__).resolve().parent / "images"
SIZE = (960, 540)
FRAMES = {"drape": 500, "flag": 150, "cloth_hang": 150, "custom_force": 240}


def main(names: list[str]) -> None:
    FOLDER.mkdir(exist_ok=True)
    for name in names or FRAMES:
        world = load(name).make()
        world.run(frames=FRAMES[name])
        file = FOLDER / f"{name}.png"
        world.picture(file, size=SIZE)
        print(f"{file.relative_to(FOLDER.parent.parent)}: frame {world.frame}, {file.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main(sys.argv[1:])
