"""`kernel`: numba's njit with a disk cache that notices edits in helpers.

numba keys a cached kernel by its own file only, so an edit in a helper of another file gives silently stale results.
Here a kernel's cache folder is named by a hash of its file, of the files of all kernels it calls (transitively), of the
constants they use, of numba's version and of the CPU.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

# An idle pool that spins slows every other process on the machine; numba's OpenMP layer reads this when it starts.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

import numba
from numba.core import config as numba_config
from numba.core import event as numba_event

from framework.kernel_cache import KernelCache, note

KEEP_DAYS = 60
LIBRARIES = ("numpy", "numba", "math", "scipy")  # their versions are those of the installation
_digests: dict[tuple[str, int, int], bytes] = {}


def kernel(function: FunctionType | None = None, **options: Any) -> Callable:
    """Compile `function` with numba.njit, cached on disk; `options` go to njit (`parallel`, `fastmath`, `inline` ...).

    Where numba can find no place for a cache (code from exec or stdin) the kernel compiles without one.
    """
    if function is None:
        return lambda inner: kernel(inner, **options)
    options.setdefault("error_model", "numpy")
    dispatcher = numba.njit(**options)(function)
    folder = _cache_folder(function)
    if folder is not None:
        previous = numba_config.CACHE_DIR
        numba_config.CACHE_DIR = str(folder)
        try:
            dispatcher._cache = KernelCache(function)
        except OSError as error:  # its source went away meanwhile
            note(folder, f"cannot be used ({error.strerror})")
        finally:
            numba_config.CACHE_DIR = previous
    return dispatcher


def cache_root() -> Path:
    """The user's cache folder for kernels: $PLIANT_CACHE_DIR, or the platform's usual place."""
    if given := os.environ.get("PLIANT_CACHE_DIR"):  # an empty variable counts as none
        return Path(given) / "kernels"
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home()
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "pliant" / "kernels"


def announce_compilation() -> None:
    """Say once on stderr that kernels are being compiled, the first time one really is (not when loaded from disk)."""
    numba_event.register("numba:compile", _Announcement())


class _Announcement(numba_event.Listener):
    def __init__(self) -> None:
        self.said = False

    def on_start(self, event: object) -> None:
        if not self.said:
            self.said = True
            print("pliant: compiling kernels, some seconds: it is the first run of this kind of scene on this machine",
                  file=sys.stderr)

    def on_end(self, event: object) -> None:
        pass


def _cache_folder(function: FunctionType) -> Path | None:
    file = function.__code__.co_filename
    if not os.path.isfile(file):
        return None
    try:
        root = cache_root()
    except RuntimeError:  # a user without a home
        return None
    folder = root / source_digest(function)
    try:
        if not folder.is_dir():
            _prune(root)
            folder.mkdir(parents=True, exist_ok=True)
        elif time.time() - folder.stat().st_mtime > 86400:
            with contextlib.suppress(OSError):  # one that can only be read is as good
                os.utime(folder)
    except OSError as error:
        note(root, f"cannot be written ({error.strerror})")
        return None
    return folder


def source_digest(function: FunctionType) -> str:
    """Hash of the files of `function` and of every kernel it calls, of the constants they use, of numba and the CPU."""
    import llvmlite.binding as llvm

    digest = hashlib.blake2b(digest_size=12)
    digest.update(f"{numba.__version__} {numba_config.CPU_NAME} {llvm.get_host_cpu_name()}".encode())
    todo, seen = [function], {function}
    files = set()
    while todo:
        current = todo.pop()
        files.add(os.path.abspath(current.__code__.co_filename))
        for name, value in sorted(_referenced(current).items()):
            helper = getattr(value, "py_func", None)
            if isinstance(helper, FunctionType):
                if helper not in seen:
                    seen.add(helper)
                    todo.append(helper)
            elif isinstance(value, (bool, int, float, complex, str, tuple)):
                digest.update(f"{name}={value!r}".encode())
            elif hasattr(value, "tobytes") and not isinstance(value, type):
                digest.update(name.encode() + value.tobytes())
    for file in sorted(files):
        digest.update(_file_digest(file))
    return digest.hexdigest()


def _referenced(function: FunctionType) -> dict[str, Any]:
    """Globals and closure variables that the code of `function` names, and all kernels that its file has imported.

    Kernels it calls that stand below it in its file are not known yet, but what they call has usually been imported.
    """
    names: set[str] = set()
    codes: list[CodeType] = [function.__code__]
    while codes:
        code = codes.pop()
        names.update(code.co_names)
        codes += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    space = function.__globals__
    found = {name: space[name] for name in names if name in space}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError:  # a closure variable that is assigned later
            continue
    for name, value in list(space.items()):
        if isinstance(value, ModuleType) and value.__name__.partition(".")[0] not in LIBRARIES:
            found.update({f"{name}.{k}": v for k, v in list(vars(value).items()) if k in names or _is_kernel(v)})
        elif _is_kernel(value):
            found[name] = value
    return found


def _is_kernel(value: Any) -> bool:
    return isinstance(value, numba.core.dispatcher.Dispatcher)


def _file_digest(file: str) -> bytes:
    stat = os.stat(file)
    key = (file, stat.st_mtime_ns, stat.st_size)
    if key not in _digests:
        _digests[key] = hashlib.blake2b(Path(file).read_bytes(), digest_size=16).digest()
    return _digests[key]


def _prune(root: Path) -> None:
    """Remove cache folders that nobody has used for KEEP_DAYS days."""
    if not root.is_dir():
        return
    oldest = time.time() - KEEP_DAYS * 86400
    for folder in root.iterdir():
        if folder.is_dir() and folder.stat().st_mtime < oldest:
            shutil.rmtree(folder, ignore_errors=True)
