"""The disk cache of kernels: it is used, and it notices what a kernel is made of, in whichever file that stands."""
from __future__ import annotations

import importlib.util
import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numba
import numpy as np
import pytest

from framework import kernel, kernel_cache
from framework.kernel import cache_root, source_digest

ROOT = Path(__file__).resolve().parents[2]
HELPER = "from framework.kernel import kernel\n@kernel\ndef scale(x):\n    return {factor} * x\n"
MIDDLE = HELPER.replace("scale", "twice").replace("{factor} * x", "scale(x) + scale(x)")
MIDDLE = "from helper import scale\n" + MIDDLE
MAIN = """
from framework.kernel import kernel
from middle import twice
SHIFT = {shift}
@kernel
def run(x):
    return later(x) + SHIFT
@kernel
def later(x):
    return twice(x)
print(run(1.0), len(run.stats.cache_hits))
"""


def write(folder: Path, factor: float = 2.0, shift: float = 0.0) -> None:
    (folder / "helper.py").write_text(HELPER.format(factor=factor))
    (folder / "middle.py").write_text(MIDDLE)
    (folder / "main.py").write_text(MAIN.format(shift=shift))


def run(folder: Path) -> tuple[float, int]:
    """(result, kernels loaded from the disk) of a fresh process."""
    environment = {**os.environ, "PLIANT_CACHE_DIR": str(folder / "cache"), "PYTHONPATH": str(ROOT)}
    result = subprocess.run(
        [sys.executable, "main.py"], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    value, hits = result.stdout.split()
    return float(value), int(hits)


@pytest.mark.slow
def test_edits_anywhere_are_noticed(tmp_path: Path) -> None:
    write(tmp_path)
    assert run(tmp_path) == (4.0, 0)
    assert run(tmp_path) == (4.0, 1)
    write(tmp_path, factor=3.0)  # in a helper of a helper, called from below the kernel that is run
    assert run(tmp_path) == (6.0, 0)
    write(tmp_path, factor=3.0, shift=1.0)
    assert run(tmp_path)[0] == 7.0
    write(tmp_path)
    assert run(tmp_path) == (4.0, 1), "the former kernels are still there"


def load(file: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PLIANT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # helpers are written anew within a second
    for name in ("helper", "middle", "main"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return tmp_path


def digests(folder: Path, source: str, name: str = "run") -> str:
    """Digest of the kernel `name` of main.py, loaded afresh with its helpers."""
    for module in ("helper", "middle", "main"):
        sys.modules.pop(module, None)
    importlib.invalidate_caches()
    (folder / "main.py").write_text(source)
    return source_digest(getattr(load(folder / "main.py"), name).py_func)


HEAD = "from framework.kernel import kernel\n"


@pytest.mark.parametrize(
    "source",
    [
        HEAD + "from helper import scale\n@kernel\ndef run(x):\n    return scale(x)\n",
        HEAD + "import helper\n@kernel\ndef run(x):\n    return helper.scale(x)\n",
        HEAD + "import helper as h\n@kernel\ndef run(x):\n    return h.scale(x)\n",
        HEAD + "from middle import twice\n@kernel\ndef run(x):\n    return twice(x)\n",
        HEAD + "from helper import scale\n@kernel\ndef run(x):\n    return late(x)\n"
        "@kernel\ndef late(x):\n    return scale(x)\n",
        HEAD + "from helper import scale\ndef make(f):\n    @kernel\n    def run(x):\n        return f(x)\n"
        "    return run\nrun = make(scale)\n",
    ],
    ids=["name", "module", "alias", "two files away", "through a later kernel", "closure"],
)  # fmt: skip
def test_a_helper_s_edit_changes_the_digest(folder: Path, source: str) -> None:
    write(folder, factor=2.0)
    before = digests(folder, source)
    assert digests(folder, source) == before
    write(folder, factor=2.5)
    assert digests(folder, source) != before


def test_constants_of_other_files_change_the_digest(folder: Path) -> None:
    source = HEAD + "from helper import K\n@kernel\ndef run(x):\n    return K[0] * x\n"
    found = set()
    for constant in ("(1.0, 2.0)", "(1.5, 2.0)", "(1, 2)"):
        (folder / "helper.py").write_text(f"K = {constant}\n")
        found.add(digests(folder, source))
    (folder / "helper.py").write_text("import numpy\nK = numpy.ones(2)\n")
    found.add(digests(folder, source))
    assert len(found) == 4


def test_numba_s_own_setting_is_put_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numba.core.config, "CACHE_DIR", "theirs")

    @kernel
    def add(x: float) -> float:
        return x + 1.0

    assert numba.core.config.CACHE_DIR == "theirs"


def test_code_without_a_file_compiles_without_a_cache() -> None:
    space: dict = {}
    exec("from framework import kernel\n@kernel\ndef add(x):\n    return x + 1.0\n", space)
    assert space["add"](1.0) == 2.0


@pytest.fixture
def notes(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a process that has said nothing about its cache yet."""
    monkeypatch.setattr(kernel_cache, "_noted", set())


def test_a_cache_that_cannot_be_written_is_done_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, notes: None
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    monkeypatch.setenv("PLIANT_CACHE_DIR", str(blocked))

    def add(x: float) -> float:
        return x + 1.0

    with pytest.warns(RuntimeWarning, match=r"kernel cache .* cannot be written \(Not a directory\)") as found:
        compiled = kernel(add)
        kernel(add)
    assert len(found) == 1, "said once"
    assert compiled(1.0) == 2.0


SIMPLE = HEAD + "@kernel\ndef run(x):\n    return x + 1.0\n"


def simple(folder: Path) -> tuple[float, int]:
    """(result, loaded from the disk) of a kernel that is loaded as in a fresh process."""
    (folder / "main.py").write_text(SIMPLE)
    sys.modules.pop("main", None)
    module = load(folder / "main.py")
    return module.run(1.0), len(module.run.stats.cache_hits)


def cached(folder: Path, pattern: str) -> Path:
    (found,) = (folder / "cache").rglob(pattern)
    return found


def cut(file: Path, keep: int) -> None:
    file.write_bytes(file.read_bytes()[:keep])


def flip(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 0xFF
    file.write_bytes(content)


DAMAGE = {
    "empty index": ("*.nbi", lambda file: cut(file, 0)),
    "half an index": ("*.nbi", lambda file: cut(file, 80)),
    "index of text": ("*.nbi", lambda file: file.write_text("no pickle")),
    "empty code": ("*.nbc", lambda file: cut(file, 0)),
    "half the code": ("*.nbc", lambda file: cut(file, file.stat().st_size // 2)),
    "another byte in the code": ("*.nbc", flip),
    "no code": ("*.nbc", Path.unlink),  # killed between the two files
    "code of numba's own": ("*.nbc", lambda file: file.write_bytes(pickle.dumps((1, 2, 3)))),
}


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.filterwarnings("ignore:the kernel cache")
def test_a_damaged_cache_is_compiled_anew(folder: Path, damage: str, notes: None) -> None:
    assert simple(folder) == (2.0, 0)
    assert simple(folder) == (2.0, 1)
    pattern, harm = DAMAGE[damage]
    harm(cached(folder, pattern))
    assert simple(folder) == (2.0, 0)
    assert simple(folder) == (2.0, 1), "and the cache is whole again"


def test_code_of_another_signature_is_not_taken(folder: Path) -> None:
    """Two processes that start cold at once may give the same number to the code of two signatures."""
    assert simple(folder) == (2.0, 0)
    file = cached(folder, "*.nbc")
    of_floats = file.read_bytes()
    file.unlink()
    cached(folder, "*.nbi").unlink()
    (folder / "main.py").write_text(SIMPLE)
    load(folder / "main.py").run(np.ones(2))
    file.write_bytes(of_floats)
    sys.modules.pop("main")
    again = load(folder / "main.py").run
    assert again(np.ones(2)).tolist() == [2.0, 2.0]
    assert not again.stats.cache_hits


def test_a_full_disk_is_no_error(folder: Path, monkeypatch: pytest.MonkeyPatch, notes: None) -> None:
    def full(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(kernel_cache.IndexDataCacheFile, "_save_index", full)
    with pytest.warns(RuntimeWarning, match=r"cannot be written \(No space left on device\)"):
        assert simple(folder) == (2.0, 0)


def test_a_folder_that_becomes_read_only_is_no_error(folder: Path, notes: None) -> None:
    """The kernel is made while its folder can be written, and compiled when something stands in its place."""
    (folder / "main.py").write_text(SIMPLE)
    module = load(folder / "main.py")
    shutil.rmtree(folder / "cache")
    (folder / "cache").write_text("in the way")
    with pytest.warns(RuntimeWarning, match="kernel cache .* cannot be"):
        assert module.run(1.0) == 2.0


def test_an_empty_variable_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLIANT_CACHE_DIR", "")
    assert cache_root().is_absolute()
    assert cache_root().parent.name == "pliant"


def test_the_folder_follows_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLIANT_CACHE_DIR", str(tmp_path))
    assert cache_root() == tmp_path / "kernels"


def test_options_go_to_numba() -> None:
    @kernel(fastmath=True)
    def divide(x: np.ndarray) -> float:
        return x[0] / x[1]

    assert divide(np.array([1.0, 0.0])) == np.inf, "numpy's error model is the default"
    assert divide.targetoptions["fastmath"] is True
