"""The same bits in every process: threads of numba and BLAS, hash seeds, kernels from the disk or just compiled."""
from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from tests.golden import scenes

ROOT = Path(__file__).resolve().parents[2]
FEW = ("euler", "implicit", "large", "boundary")
ALL = (*scenes.INTEGRATORS, "large", "boundary")


def hashes(*jobs: str, **settings: str) -> dict[str, list[str]]:
    """What `tests.golden.hashes` prints in a process with these environment variables."""
    usual = {"NUMBA_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2", "PYTHONHASHSEED": "1"}
    environment = {**os.environ, **usual, **settings}
    result = subprocess.run(
        [sys.executable, "-m", "tests.golden.hashes", *jobs], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def test_one_and_two_threads_and_another_hash_seed() -> None:
    other = hashes(*FEW, NUMBA_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", PYTHONHASHSEED="77")
    assert hashes(*FEW) == other


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings",
    [{"NUMBA_NUM_THREADS": "1"}, {"OPENBLAS_NUM_THREADS": "1"}, {"PYTHONHASHSEED": "random"}, {}],
    ids=["one numba thread", "one BLAS thread", "random hash seed", "again"],
)
def test_settings(settings: dict[str, str]) -> None:
    if not hasattr(test_settings, "reference"):
        test_settings.reference = hashes(*ALL)  # type: ignore[attr-defined]
    assert hashes(*ALL, **settings) == test_settings.reference  # type: ignore[attr-defined]


@pytest.mark.slow
def test_kernels_just_compiled_and_from_the_disk(tmp_path: Path) -> None:
    usual = hashes("euler", "implicit")
    assert hashes("euler", "implicit", PLIANT_CACHE_DIR=str(tmp_path)) == usual  # cold
    assert any(tmp_path.rglob("*.nbc")), "the kernels were not cached where they should be"
    assert hashes("euler", "implicit", PLIANT_CACHE_DIR=str(tmp_path)) == usual  # warm


def restored_elsewhere(name: str, folder: Path) -> None:
    world = scenes.everything(name)
    scenes.run_with_edits(world, 9)
    file = folder / f"{name}.pkl"
    file.write_bytes(pickle.dumps((name, world.snapshot(), 18)))
    expected = [world.state_hash()]
    for frame in range(10, 19):
        scenes.run_with_edits(world, frame)
        if frame % 4 == 0:
            expected.append(world.state_hash())
    assert hashes(f"restore:{file}")[f"restore:{file}"] == expected


@pytest.mark.filterwarnings("ignore:backward Euler:RuntimeWarning")
def test_restored_in_a_fresh_process(tmp_path: Path) -> None:
    restored_elsewhere("euler", tmp_path)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:backward Euler:RuntimeWarning")
@pytest.mark.parametrize("name", ["verlet", "rk4", "implicit", "newton"])
def test_every_integrator_restored_in_a_fresh_process(name: str, tmp_path: Path) -> None:
    restored_elsewhere(name, tmp_path)
