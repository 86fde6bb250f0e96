"""Rules of the source that no linter knows: short files, no `assert` on what people pass in, documented modules."""
from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MOST_LINES = {"framework": 320, "components": 320, "systems": 320, "demos": 95}
FILES = sorted(file for folder in MOST_LINES for file in (ROOT / folder).rglob("*.py"))
MODULES = [file for file in FILES if file.read_text(encoding="utf-8").strip()]


def named(file: Path) -> str:
    return str(file.relative_to(ROOT))


@pytest.mark.parametrize("file", FILES, ids=named)
def test_files_are_short(file: Path) -> None:
    lines = len(file.read_text(encoding="utf-8").splitlines())
    most = MOST_LINES[file.relative_to(ROOT).parts[0]]
    assert lines <= most, f"{named(file)} has {lines} lines; split it by idea (at most {most})"


@pytest.mark.parametrize("file", FILES, ids=named)
def test_no_assert_in_the_product(file: Path) -> None:
    module = ast.parse(file.read_text(encoding="utf-8"))
    lines = [node.lineno for node in ast.walk(module) if isinstance(node, ast.Assert)]
    assert not lines, f"{named(file)}: assert at lines {lines}; raise an error of framework.errors instead"


@pytest.mark.parametrize("file", MODULES, ids=named)
def test_modules_and_public_classes_say_what_they_are(file: Path) -> None:
    module = ast.parse(file.read_text(encoding="utf-8"))
    assert ast.get_docstring(module), f"{named(file)} has no docstring"
    for node in module.body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            assert ast.get_docstring(node), f"{named(file)}: class {node.name} has no docstring"


@pytest.mark.parametrize("file", FILES, ids=named)
def test_no_utils(file: Path) -> None:
    assert file.stem not in ("utils", "util", "helpers", "misc", "common"), f"{named(file)}: name the idea"
