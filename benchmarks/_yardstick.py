"""The C++ yardstick: the same cloth as a plain loop, compiled here as its file says and run as it is.

It measures one size after the other, each the best of five blocks, and prints a line for each. Here it is stopped
behind each line, so that ours can run the same size next to it. A main function of our own would be simpler, but how
it is written changes the speed of the loops by up to a half (their alignment in memory), so it would not be the same
yardstick.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PLACE = ROOT / "../shared/reference/bench/massspring.cpp"
FLAGS = ("-O3", "-march=native", "-ffast-math")


class Yardstick:
    """`why_not` says why it cannot be run; it is empty when it can."""

    def __init__(self, source: Path | None = None) -> None:
        source = PLACE if source is None else source
        compiler = next(filter(None, map(shutil.which, ("g++", "clang++", "c++"))), None)
        self.why_not = ""
        if not source.is_file():
            self.why_not = "no yardstick"
        elif compiler is None:
            self.why_not = "no C++ compiler"
        elif not hasattr(os, "openpty"):
            self.why_not = "no terminals on this system"
        else:
            self._folder = tempfile.TemporaryDirectory()  # removed with this object
            self._program = Path(self._folder.name) / "yardstick"
            command = [compiler, *FLAGS, str(source), "-o", str(self._program)]
            if subprocess.run(command, capture_output=True).returncode != 0:
                self.why_not = "the yardstick does not compile"

    def lines(self) -> Iterator[dict[str, Any]]:
        """Run it; for each size its line: n, grid_mpps, list_mpps (million particle-steps a CPU second)."""
        ours, its = os.openpty()  # on a terminal it writes each line when it has it
        with subprocess.Popen([self._program], stdout=its) as process:
            os.close(its)
            try:
                with open(ours, encoding="ascii") as output:
                    while line := _line(output):
                        process.send_signal(signal.SIGSTOP)
                        yield json.loads(line)
                        process.send_signal(signal.SIGCONT)
            finally:
                process.kill()


def _line(output: Any) -> str:
    try:
        return output.readline()
    except OSError:  # how a terminal says on Linux that the other side has ended
        return ""
