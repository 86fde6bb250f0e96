"""Write docs/gallery.md, all demos with a picture each: `python docs/make_gallery.py` runs them; names choose some.

A demo that is added to demos/ appears by itself, with a picture of the middle of its run.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path

import numpy as np
from PIL import Image

from framework.scene import demo_names, demo_summaries, load
from framework.viewer import png_bytes

PAGE = Path(__file__).with_name("gallery.md")
FOLDER = PAGE.parent / "images" / "gallery"
SIZE = (480, 270)
MOST = 60_000  # bytes of a picture
COLOURS = (256, 128, 64, 32)  # of a palette: as many as fit
FRAMES = {  # where the middle shows too little
    "drape": 500, "cohesion": 140, "curtain": 80, "jelly": 24, "pendulum": 120, "plate_with_hole": 30, "rope": 195,
    "thesis_beam": 60, "thick_cylinder": 30, "trampoline": 45, "tunnel": 30,
}
HEAD = """# Gallery

All demos, made by `docs/make_gallery.py`. `pliant list` lists them too. Each is a short script in
[`demos/`](../demos), which ends by checking its own numbers, and is a good start for a scene of your own.
"""


def text() -> str:
    """The whole page."""
    return "\n".join([HEAD, *(entry(name, summary) for name, summary in demo_summaries().items())])


def entry(name: str, summary: str) -> str:
    return f"""## {name}

{summary}

![A frame of the demo {name}](images/gallery/{name}.png)

[demos/{name}.py](../demos/{name}.py)

```sh
pliant run {name}
```
"""


def draw(name: str) -> Path:
    """Run a demo to the frame of its picture, and draw it."""
    scene = load(name)
    world = scene.make()
    world.run(frames=FRAMES.get(name, scene.length // 2))
    file = FOLDER / f"{name}.png"
    file.write_bytes(small(world.picture(size=SIZE)))
    print(f"{file.relative_to(PAGE.parent.parent)}: frame {world.frame}, {file.stat().st_size / 1000:.0f} kB")
    return file


def small(image: np.ndarray) -> bytes:
    """A PNG of at most MOST bytes; where it would be larger, with a palette."""
    content, full = png_bytes(image), Image.fromarray(image)
    for colours in COLOURS:
        if len(content) <= MOST:
            break
        file = io.BytesIO()
        palette = full.quantize(colours, Image.Quantize.MAXCOVERAGE)
        full.quantize(palette=palette).save(file, "png", optimize=True)  # with dithering: no steps in the sky
        content = file.getvalue()
    return content


def main(names: list[str]) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for file in () if names else FOLDER.glob("*.png"):
        file.unlink()  # of demos that are gone
    for name in names or demo_names():
        draw(name)
    PAGE.write_text(text(), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
