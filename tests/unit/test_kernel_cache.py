"""The disk cache of kernels: it is used, and it notices what a kernel is made of, in whichever file that stands."""
from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numba
import numpy as np
import pytest

from framework import kernel
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


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    monkeypatch.setenv("PLIANT_CACHE_DIR", str(blocked))

    @kernel
    def add(x: float) -> float:
        return x + 1.0

    assert add(1.0) == 2.0


def test_the_folder_follows_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLIANT_CACHE_DIR", str(tmp_path))
    assert cache_root() == tmp_path / "kernels"


def test_options_go_to_numba() -> None:
    @kernel(fastmath=True)
    def divide(x: np.ndarray) -> float:
        return x[0] / x[1]

    assert divide(np.array([1.0, 0.0])) == np.inf, "numpy's error model is the default"
    assert divide.targetoptions["fastmath"] is True
