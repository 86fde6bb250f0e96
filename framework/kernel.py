"""`kernel`: numba's njit with a disk cache that notices edits in helpers.

numba keys a cached kernel by its own file only, so an edit in a helper of another file gives silently stale results.
Here each kernel file gets a cache folder of its own whose name is a hash of that file, of every project file it
imports (transitively), of numba's version and of the CPU.
"""
from __future__ import annotations

import ast
import hashlib
import os
import shutil
import site
import sys
import sysconfig
import time
from collections.abc import Callable
from importlib.util import resolve_name
from pathlib import Path
from typing import Any

import numba
from numba.core import config as numba_config
from numba.core import event as numba_event

KEEP_DAYS = 60
_LIBRARY_FOLDERS = tuple(
    str(Path(folder).resolve()) + os.sep
    for folder in {*site.getsitepackages(), site.getusersitepackages(), sysconfig.get_paths()["stdlib"]}
)
_digests: dict[tuple[str, int, int], tuple[str, list[str]]] = {}


def kernel(function: Callable | None = None, **options: Any) -> Callable:
    """Compile `function` with numba.njit, cached on disk; `options` go to njit (`parallel`, `fastmath`, `inline` ...).

    Where numba can find no place for a cache (code from exec or stdin) the kernel compiles without one.
    """
    if function is None:
        return lambda inner: kernel(inner, **options)
    options.setdefault("error_model", "numpy")
    previous = numba_config.CACHE_DIR
    folder = _cache_folder(function)
    if folder is None:
        return numba.njit(**options)(function)
    numba_config.CACHE_DIR = str(folder)
    try:
        return numba.njit(cache=True, **options)(function)
    except RuntimeError as error:
        if "cannot cache" not in str(error):
            raise
        return numba.njit(**options)(function)
    finally:
        numba_config.CACHE_DIR = previous


def cache_root() -> Path:
    """The user's cache folder for kernels: $PLIANT_CACHE_DIR, or the platform's usual place."""
    if "PLIANT_CACHE_DIR" in os.environ:
        return Path(os.environ["PLIANT_CACHE_DIR"]) / "kernels"
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA", str(Path.home()))
    else:
        base = os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache"))
    return Path(base) / "pliant" / "kernels"


def announce_compilation() -> None:
    """Say once on stderr that kernels are being compiled, the first time one really is (not when loaded from disk)."""
    numba_event.install_listener("numba:compile", _Announcement())


class _Announcement(numba_event.Listener):
    def __init__(self) -> None:
        self.said = False

    def on_start(self, event: object) -> None:
        if not self.said:
            self.said = True
            print("pliant: compiling kernels; this happens once on a machine and takes some seconds", file=sys.stderr)

    def on_end(self, event: object) -> None:
        pass


def _cache_folder(function: Callable) -> Path | None:
    file = function.__code__.co_filename
    if not os.path.isfile(file):
        return None
    digest = source_digest(file, function.__module__)
    folder = cache_root() / digest
    try:
        if not folder.is_dir():
            _prune(folder.parent)
            folder.mkdir(parents=True, exist_ok=True)
        elif time.time() - folder.stat().st_mtime > 86400:
            os.utime(folder)
    except OSError:
        return None
    return folder


def source_digest(file: str, module: str) -> str:
    """Hash of a kernel file, the project files it imports, numba's version and the CPU."""
    digest = hashlib.blake2b(digest_size=12)
    digest.update(f"{numba.__version__} {numba_config.CPU_NAME} {_host_cpu()}".encode())
    todo, seen = [(os.path.abspath(file), module)], set()
    while todo:
        path, name = todo.pop()
        if path in seen:
            continue
        seen.add(path)
        stat = os.stat(path)
        key = (path, stat.st_mtime_ns, stat.st_size)
        if key not in _digests:
            text = Path(path).read_bytes()
            _digests[key] = (hashlib.blake2b(text, digest_size=16).hexdigest(), _imported_names(text, name))
        own, imported = _digests[key]
        digest.update(own.encode())
        todo += sorted(_project_files(imported))
    return digest.hexdigest()


def _host_cpu() -> str:
    import llvmlite.binding as llvm

    return llvm.get_host_cpu_name()


def _imported_names(text: bytes, module: str) -> list[str]:
    """Absolute dotted names that a file imports; `from a import b` gives both a and a.b."""
    own = sys.modules.get(module)
    package = getattr(own, "__package__", None) or module.rpartition(".")[0]
    names: list[str] = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                if not package:
                    continue
                base = resolve_name("." * node.level + base, package)
            names += [base, *(f"{base}.{alias.name}" for alias in node.names)]
    return names


def _project_files(names: list[str]) -> set[tuple[str, str]]:
    """(file, module) of those imported modules that are sources of a project, not installed libraries."""
    found = set()
    for name in names:
        file = getattr(sys.modules.get(name), "__file__", None)
        if not file or not file.endswith(".py") or name == __name__:
            continue
        path = os.path.abspath(file)
        if not path.startswith(_LIBRARY_FOLDERS):
            found.add((path, name))
    return found


def _prune(root: Path) -> None:
    """Remove cache folders that nobody has used for KEEP_DAYS days."""
    if not root.is_dir():
        return
    oldest = time.time() - KEEP_DAYS * 86400
    for folder in root.iterdir():
        if folder.is_dir() and folder.stat().st_mtime < oldest:
            shutil.rmtree(folder, ignore_errors=True)
