"""The pictures of docs/tutorial.md: `python docs/make_tutorial.py` runs the page, as its test does, and keeps them."""

from __future__ import annotations

import os
import runpy
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
from make_pictures import photograph, unseen

from framework.scene import load
from framework.viewer import write_png
from framework.viewer.session import Session

PAGE = Path(__file__).resolve().with_name("tutorial.md")
FOLDER = PAGE.parent / "images"
TEST = PAGE.parent.parent / "tests" / "unit" / "test_docs.py"
KEPT = ("my_cloth", "hem", "jet", "height", "ball", "branch")


def main() -> None:
    os.environ["PLIANT_HEADLESS"] = "1"
    sys.path.insert(0, "")  # the present folder, as in a Python prompt
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        draw_window()
        for name in KEPT:
            Path(f"{name}.png").unlink(missing_ok=True)
        try:
            runpy.run_path(str(TEST))["play"](PAGE)
        finally:
            for name in KEPT:
                if Path(f"{name}.png").exists():
                    keep(name)
        os.chdir(PAGE.parent)


def draw_window() -> None:
    """The window on the first scene, while a hand pulls at the hem."""
    from framework.template import TEMPLATE

    Path("my_cloth.py").write_text(TEMPLATE.format(title="My cloth"), encoding="utf-8")
    session = Session(load("my_cloth.py").make())
    session.step(100)
    cloth = session.world.id("cloth")
    session.grab(cloth, 3)  # near the lower left corner
    place = session.world.value("cloth.position[3].first")
    session.drag_to(place + np.array((-0.1, 0.1, 0.3)))
    session.step(40)
    window = unseen(session)
    photograph(window)
    window.controls.key("home")
    write_png("window.png", photograph(window))
    window.close()
    keep("window")
    Path("my_cloth.py").unlink()  # the page writes it again


def keep(name: str) -> None:
    file = FOLDER / f"tutorial-{name}.png"
    shutil.copyfile(f"{name}.png", file)
    print(f"docs/images/{file.name}: {file.stat().st_size / 1000:.0f} kB", flush=True)


if __name__ == "__main__":
    main()
