"""How soon one can start: the import, and a first frame with kernels from the disk and without.

    python benchmarks/start.py [--json] [--quick] [--only TEXT]

Wall time of processes of their own, in turn with that of importing numba and scipy.sparse alone; medians.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:  # run as a file
    sys.path.insert(0, str(ROOT))

from benchmarks._figures import Figure, parser, report, rounds_of  # noqa: E402

LIBRARIES = ("-c", "import numba, scipy.sparse")
CORE = ("-c", "import framework, components, systems")
FIRST_FRAME = ("-m", "framework.cli", "run", "drape", "--frames", "1", "--headless")
CLOTH = ("-c", "from benchmarks._cloth import cloth_world; cloth_world(20, '{kind}').step()")


def seconds(*arguments: str, **environment: str) -> float:
    """Wall time of Python with `arguments`; exit code 1 says that a check fails after one frame, which is fine."""
    # bytecode of our own modules is cached, as that of the libraries is: a person's Python writes it too
    own = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"} | environment
    began = time.perf_counter()
    done = subprocess.run([sys.executable, *arguments], cwd=ROOT, env=own, capture_output=True, text=True)
    taken = time.perf_counter() - began
    if done.returncode not in (0, 1) or "Traceback" in done.stderr:
        raise RuntimeError(f"python {' '.join(arguments)} failed:\n{done.stderr}")
    return taken


def warm(options: argparse.Namespace) -> Iterator[Figure]:
    seconds(*FIRST_FRAME)
    commands = (partial(seconds, *command) for command in (LIBRARIES, CORE, FIRST_FRAME))
    libraries, core, frame = zip(*rounds_of(3 if options.quick else 9, *commands), strict=True)
    for name, taken, limit in (("import", core, 1.5), ("pliant run drape --frames 1, warm", frame, 2.5)):
        ratio = statistics.median(ours / reference for ours, reference in zip(taken, libraries, strict=True))
        note = f"{statistics.median(taken):.2f} s against {statistics.median(libraries):.2f} s"
        yield Figure(name, ratio, "x import numba, scipy", "at most", limit, note)


def cold(options: argparse.Namespace) -> Iterator[Figure]:
    commands = {"pliant run drape --frames 1": FIRST_FRAME}
    for kind in ("list", "grid"):
        commands[f"a first frame of springs ({kind})"] = (CLOTH[0], CLOTH[1].format(kind=kind))
    for name, command in commands.items():
        with tempfile.TemporaryDirectory() as folder:
            yield Figure(f"{name}, cold", seconds(*command, PLIANT_CACHE_DIR=folder), "s", "at most", 25.0)


def main(arguments: list[str] | None = None) -> None:
    options = parser(__doc__ or "").parse_args(arguments)
    report({"warm": partial(warm, options), "cold": partial(cold, options)}, options)


if __name__ == "__main__":
    main()
