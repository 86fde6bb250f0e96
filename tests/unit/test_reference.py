"""The reference page is what its generator writes."""

from __future__ import annotations

import runpy
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_page_of_components_is_current() -> None:
    made = runpy.run_path(str(DOCS / "make_reference.py"))["text"]()
    assert (DOCS / "components.md").read_text(encoding="utf-8") == made, "run: python docs/make_reference.py"
