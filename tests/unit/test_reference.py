"""The reference page and the gallery are what their generators write."""

from __future__ import annotations

import runpy
from pathlib import Path

from framework.scene import demo_names

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_page_of_components_is_current() -> None:
    made = runpy.run_path(str(DOCS / "make_reference.py"))["text"]()
    assert (DOCS / "components.md").read_text(encoding="utf-8") == made, "run: python docs/make_reference.py"


def test_the_gallery_shows_every_demo() -> None:
    page = (DOCS / "gallery.md").read_text(encoding="utf-8")
    made = runpy.run_path(str(DOCS / "make_gallery.py"))["text"]()
    assert page == made, "run: python docs/make_gallery.py (with names, it draws those demos only)"
    pictures = {file.stem for file in (DOCS / "images" / "gallery").glob("*.png")}
    assert pictures == set(demo_names()) == {line[3:] for line in page.splitlines() if line.startswith("## ")}
