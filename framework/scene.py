"""`Scene`: what a demo or a person's script offers the runner: build, expect, the number of frames."""
from __future__ import annotations

import ast
import importlib
import importlib.machinery
import importlib.util
import numbers
import os
import pkgutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from framework.arguments import build_arguments
from framework.check import Check
from framework.errors import PliantError, suggest
from framework.fields import short
from framework.guard import check_hidden
from framework.recording.origin import Origin

if TYPE_CHECKING:
    from framework.world import World

DEFAULT_FRAMES = 300
READERS = {".xml": "systems.readers.bem_defo"}
"""Suffix of a problem file -> the package with `scene.load(path)` and `solve.solve(path, out, ...)`."""


@dataclass(frozen=True, kw_only=True)
class Scene:
    """A scene: `build` makes the world, `expect` lists the checks at the end.

    frames: how long it runs, and what `expect` speaks of; None where the script does not say.
    file: what it was read from, where that is not the file of `build`.
    """
    name: str
    build: Callable[..., World]
    expect: Callable[[World], Sequence[Check]] | None = None
    frames: int | None = None
    file: Path | None = None

    def __post_init__(self) -> None:
        frames: Any = self.frames
        if frames is not None:
            if isinstance(frames, bool) or not isinstance(frames, numbers.Integral) or frames < 0:
                raise PliantError(f"{self.name}: FRAMES, or frames=... of run(), must be a whole number, zero or "
                                  f"positive, got {short(frames)}")
            object.__setattr__(self, "frames", int(frames))
        if self.expect is not None and not callable(self.expect):
            raise PliantError(f"{self.name}: expect must be a function of the world, got {short(self.expect)}")

    @property
    def length(self) -> int:
        """The number of frames of a run that is asked for no other."""
        return DEFAULT_FRAMES if self.frames is None else self.frames

    def make(self, settings: Mapping[str, str] | None = None, seed: int | None = None) -> World:
        """Call `build` with typed arguments from text; the world's frame 0."""
        from framework.world import World

        world = self.build(**build_arguments(self.build, settings or {}, seed))
        if not isinstance(world, World):
            raise PliantError(f"{self.name}: build() must return its World, got {type(world).__name__}"
                              + ("; is its last line `return world`?" if world is None else ""))
        world.origin = self.origin(settings or {}, seed)
        return world

    def origin(self, settings: Mapping[str, str], seed: int | None) -> Origin | None:
        """What a recording says of where its world came from; None for a scene that is in no file."""
        return Origin.of(self.build, settings, seed, self.file)


def load(target: str) -> Scene:
    """The demo called `target`, or the scene in the file `target` (FILE.py, or a problem file, FILE.xml)."""
    path = Path(target)
    if path.suffix.lower() in READERS:
        scene: Scene = reader(path, "scene").load(path)
        return scene
    if path.suffix == ".py" or len(path.parts) > 1:
        return scene_of(_load_file(path))
    names = demo_names()
    if target not in names:
        hint = suggest(target, names)
        for suffix in (".py", *READERS):
            if target and os.path.isfile(f"{target}{suffix}"):
                hint = f"; did you mean the file {target}{suffix}?"
        raise PliantError(f"no demo is called {target!r}{hint}")
    return scene_of(importlib.import_module(f"demos.{target}"))


def reader(path: Path, part: str) -> ModuleType:
    """A module of the package that reads problem files such as `path`."""
    if path.suffix.lower() not in READERS:
        raise PliantError(f"{path}: a problem file must end in {' or '.join(READERS)}, got {path.suffix!r}")
    return importlib.import_module(f"{READERS[path.suffix.lower()]}.{part}")


def demo_names() -> list[str]:
    """The names of all demos, sorted."""
    return sorted(name for _, name, is_package in pkgutil.iter_modules([str(demos_folder())])
                  if not is_package and not name.startswith("_"))


def demo_summaries() -> dict[str, str]:
    """Name -> first line of its docstring, for every demo; reads the files, imports none."""
    result = {}
    for name in demo_names():
        source = (demos_folder() / f"{name}.py").read_text(encoding="utf-8")
        result[name] = (ast.get_docstring(ast.parse(source)) or "").partition("\n")[0]
    return result


def scene_of(module: ModuleType) -> Scene:
    """The scene that a loaded module defines."""
    source = getattr(module, "__file__", None)
    file = Path(source) if source else None
    build = getattr(module, "build", None)
    if not callable(build):
        raise PliantError(f"{file or module.__name__}: has no build() function; a scene defines "
                          "build() -> World (see: pliant new NAME)")
    frames = getattr(module, "FRAMES", None)
    if frames is None and file is not None:
        frames = frames_in_source(file.read_text(encoding="utf-8"))
    return Scene(name=module.__name__.rpartition(".")[2], build=build, expect=getattr(module, "expect", None),
                 frames=frames)


def frames_in_source(source: str) -> Any:
    """N when the source calls `run(..., frames=N)`, so that `pliant run FILE.py` runs as long as `python FILE.py`."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "run":
            for keyword in node.keywords:
                if keyword.arg == "frames" and isinstance(keyword.value, ast.Constant):
                    return keyword.value.value  # Scene checks it
    return None


def demos_folder() -> Path:
    """Where the demos are; PliantError when they are not installed."""
    spec = importlib.util.find_spec("demos")
    if spec is None or not spec.submodule_search_locations:
        raise PliantError("pliant's package 'demos' is not installed")
    return Path(next(iter(spec.submodule_search_locations)))


class _FromSource(importlib.machinery.SourceFileLoader):
    """Compiles the file anew: bytecode is known by second and size, so that a quick edit would run as it was before."""

    def get_code(self, fullname: str) -> Any:
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


def _load_file(path: Path) -> ModuleType:
    """Import a person's file under its own name, its folder searched first, as `python FILE.py` would."""
    if os.path.isdir(path):
        raise PliantError(f"{path} is a folder; name a scene file in it, such as {path / 'scene.py'}")
    if not os.path.isfile(path):
        near = [str(other) for other in path.parent.glob("*.py")] if path.parent.is_dir() else []
        raise PliantError(f"no such file: {path}{suggest(str(path), near) if near else ''}")
    if path.suffix != ".py":
        raise PliantError(f"{path}: a scene is a Python file, whose name ends in .py, or a problem file "
                          f"({', '.join(READERS)})")
    path = path.resolve()
    if path.parent == demos_folder().resolve():
        return importlib.import_module(f"demos.{path.stem}")
    check_hidden(path.parent)
    known: Any = sys.modules.get(path.stem)
    if known is not None and getattr(known, "__file__", None) != str(path):
        raise PliantError(f"{path} has the name of the module '{path.stem}', which is in use; rename the file")
    spec = importlib.util.spec_from_file_location(path.stem, path, loader=_FromSource(path.stem, str(path)))
    if spec is None or spec.loader is None:
        raise PliantError(f"{path}: cannot be loaded as a Python file")
    if str(path.parent) not in sys.path:
        sys.path.insert(0, str(path.parent))
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[path.stem]
        raise
    return module
