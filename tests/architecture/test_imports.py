"""Imports point one way: demos -> systems -> components -> framework, and systems -> systems.kernels."""
from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
KERNEL_IMPORTS = {"__future__", "collections", "dataclasses", "enum", "functools", "itertools", "math", "types",
                  "typing", "numpy", "scipy", "numba", "framework.kernel", "systems.kernels"}


def imported_modules(file: Path) -> Iterator[str]:
    """Full names of what a file imports; `from systems import gravity` counts as systems.gravity."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def python_files(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


def named(file: Path) -> str:
    return str(file.relative_to(ROOT))


def test_contracts_of_import_linter() -> None:
    result = subprocess.run(
        [sys.executable, "-c", "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports())"],
        cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout[-3000:] + result.stderr[-2000:]


@pytest.mark.parametrize("file", python_files("systems/kernels"), ids=named)
def test_kernels_import_numerics_only(file: Path) -> None:
    strange = [name for name in imported_modules(file)
               if not any(name == known or name.startswith(known + ".") for known in KERNEL_IMPORTS)]
    assert not strange, f"{named(file)} imports {strange}; kernels know numpy, scipy, numba and framework.kernel only"


@pytest.mark.parametrize("file", [f for f in python_files("systems") if f != ROOT / "systems/__init__.py"], ids=named)
def test_systems_do_not_import_each_other(file: Path) -> None:
    own = file.relative_to(ROOT / "systems").parts[0].removesuffix(".py")
    others = {name.split(".")[1] for name in imported_modules(file) if name.startswith("systems.")} - {own, "kernels"}
    assert not others, f"{named(file)} imports the systems {sorted(others)}"


def test_framework_kernel_is_a_leaf() -> None:
    ours = {name for file in ("kernel.py", "kernel_cache.py") for name in imported_modules(ROOT / "framework" / file)
            if name.split(".")[0] in ("framework", "components", "systems", "demos")}
    assert {name.removesuffix(".KernelCache").removesuffix(".note") for name in ours} == {"framework.kernel_cache"}
