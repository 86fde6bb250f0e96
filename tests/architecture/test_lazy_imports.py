"""`import framework, components, systems` brings numpy, scipy, numba and esper, and nothing heavy besides."""
from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LAZY = ("pygame", "moderngl", "glcontext", "imgui", "imgui_bundle", "h5py", "meshio", "matplotlib", "rich", "typer",
        "click", "imageio", "imageio_ffmpeg", "lxml", "PIL", "pytest", "hypothesis")
CORE = "import framework, components, systems"


def python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)


def test_core_imports_nothing_heavy() -> None:
    result = python(f"{CORE}, sys; print(*sorted({{m.partition('.')[0] for m in sys.modules}}))")
    assert result.returncode == 0, result.stderr
    heavy = set(LAZY) & set(result.stdout.split())
    assert not heavy, f"the core imports {sorted(heavy)}"


def test_standard_systems_import_nothing_heavy() -> None:
    result = python("from systems import standard; standard(); import sys; "
                    "print(*sorted({m.partition('.')[0] for m in sys.modules}))")
    assert result.returncode == 0, result.stderr
    heavy = set(LAZY) & set(result.stdout.split())
    assert not heavy, f"systems.standard() imports {sorted(heavy)}"


def test_import_time_is_that_of_numba_and_scipy() -> None:
    """At most 1.5 x `import numba, scipy.sparse`; the best of interleaved rounds, as neighbours disturb the clock."""
    best = {"import numba, scipy.sparse": float("inf"), CORE: float("inf")}
    for _ in range(4):
        for code in best:
            start = time.perf_counter()
            result = python(code)
            best[code] = min(best[code], time.perf_counter() - start)
            assert result.returncode == 0, result.stderr
    reference, ours = best.values()
    assert ours <= 1.5 * reference, f"{ours:.2f} s against {reference:.2f} s for numba and scipy.sparse"
