"""Small mesh files as texts, and where larger ones may lie."""
from __future__ import annotations

import os
from pathlib import Path

import pytest

FOLDER = Path(os.environ.get("PLIANT_MESHES") or Path(__file__).resolve().parents[3] / "shared/reference/meshes")

TETRAHEDRON = """# four faces, seen anticlockwise from outside
v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
f 1 3 2
f 1 2 4
f 2 3 4
f 1 4 3
"""

CUBE = """o cube
v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
v 0 0 1
v 1 0 1
v 1 1 1
v 0 1 1
g bottom
f 1 4 3 2
g top
f 5 6 7 8
g sides
f 1 2 6 5
f 2 3 7 6
f 3 4 8 7
f -5 -8 -4 -1
"""


def large_mesh(name: str) -> Path:
    """A mesh of the research groups that share theirs; skips the test where the folder is absent."""
    file = FOLDER / name
    if not file.is_file():
        pytest.skip(f"{name} is not here: PLIANT_MESHES names the folder of the larger meshes")
    return file


def written(folder: Path, name: str, content: str | bytes) -> Path:
    file = folder / name
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return file
