"""The guard against a person's own folder that hides one of our packages."""
from __future__ import annotations

import sys
from collections.abc import Iterable
from importlib.machinery import PathFinder
from pathlib import Path

from framework.errors import PliantError

PACKAGES = ("framework", "components", "systems", "demos")
_ours = Path(__file__).resolve().parent.parent


def check_hidden(folder: Path | str, packages: Iterable[str] = PACKAGES) -> None:
    """Raise when `folder`, which Python searches first for a script in it, holds a package or module named like ours.

    A plain folder without `__init__.py` hides a package only where Python finds it first, as in an editable install.
    """
    folder = Path(folder).resolve()
    if folder == _ours:
        return
    for name in packages:
        plain = (folder / name).is_dir() and _found_as_namespace(name)
        for hiding, file in ((folder / name, folder / name / "__init__.py"), (folder / f"{name}.py",) * 2):
            if file.is_file() or (plain and hiding.is_dir()):
                raise PliantError(f"{hiding} hides pliant's package '{name}' ({_ours / name}) from scripts in "
                                  f"{folder}; give it another name, or move the script to another folder")


def _found_as_namespace(name: str) -> bool:
    """Whether Python's path holds no regular package of this name: then a plain folder passes for it."""
    spec = PathFinder.find_spec(name, sys.path)
    return spec is not None and spec.origin is None
