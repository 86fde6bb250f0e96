"""How soon the first frame is there: warm, and with no compiled kernel on the disk."""
from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
IMPORT = [sys.executable, "-c", "import framework, components, systems"]
FIRST_FRAME = [sys.executable, "-m", "framework.cli", "run", "drape", "--frames", "1"]


def seconds(command: list[str], **environment: str) -> float:
    """Wall time of a command; exit code 1 (a check that fails after one frame) is fine."""
    start = time.perf_counter()
    result = subprocess.run(command, cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True)
    assert result.returncode in (0, 1) and "Traceback" not in result.stderr, result.stderr
    return time.perf_counter() - start


@pytest.mark.slow
def test_first_frame_warm() -> None:
    """At most 2.5 x the import; the best of interleaved rounds, as neighbours disturb the clock."""
    seconds(FIRST_FRAME)
    pairs = [(seconds(IMPORT), seconds(FIRST_FRAME)) for _ in range(4)]
    reference, ours = (min(times) for times in zip(*pairs, strict=True))
    assert ours <= 2.5 * reference, f"{ours:.2f} s against {reference:.2f} s for the import"


@pytest.mark.slow
def test_first_frame_cold(tmp_path: Path) -> None:
    """All kernels of a demo compile in less than 25 s."""
    taken = seconds(FIRST_FRAME, PLIANT_CACHE_DIR=str(tmp_path))
    assert taken < 25.0, f"{taken:.1f} s"
