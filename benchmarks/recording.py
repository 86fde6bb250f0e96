"""What recording costs a frame, in time, disk and memory, and what reading costs.

    python benchmarks/recording.py [--json] [--quick] [--only TEXT]

A net of 5,041 particles (71 x 71, one kind of spring) moves under gravity, 10 substeps of symplectic Euler a frame.
The time is that of `record` alone, from a finished frame to one that is on the disk, with the hash of the state.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:  # run as a file
    sys.path.insert(0, str(ROOT))

from benchmarks._figures import Figure, parser, report, skipped  # noqa: E402
from components import Gravity, MassSpring, Material  # noqa: E402
from components.prefabs import grid  # noqa: E402
from framework import World  # noqa: E402
from framework.recording import Recording  # noqa: E402
from systems import standard  # noqa: E402

MEMORY = Path("/proc/self/statm")


def net(cells: int) -> World:
    world = World(systems=standard(), frame_time=0.005, substeps=10, history=False)
    world.spawn(Gravity(), name="gravity")
    world.spawn(grid(size=(1.0, 1.0), cells=(cells, cells), plane="xz"), Material(areal_density=0.2),
                MassSpring(stretch=50.0), name="net")
    world.watch("centre", "net.position.mean")
    return world


def cost(options: argparse.Namespace) -> Iterator[Figure]:
    frames, world = 40 if options.quick else 200, net(70)
    world.step(3)
    with tempfile.TemporaryDirectory() as folder:
        path, taken = Path(folder, "run.h5"), []
        with world.record(path) as recorder:
            write = recorder.frame

            def timed() -> None:
                began = time.perf_counter()
                write()
                taken.append(time.perf_counter() - began)

            recorder.frame = timed  # type: ignore[method-assign]
            world.step(frames)
        size = path.stat().st_size / (frames + 1) / 1e6
        with Recording(path) as recording:
            began = time.perf_counter()
            for frame in recording:
                recording.entities(frame)
            read = (time.perf_counter() - began) / len(recording)
    hashed = statistics.median(_hash_time(world) for _ in range(20))
    note = f"{1e3 * hashed:.2f} ms of it for the hash; 95 % within {1e3 * statistics.quantiles(taken, n=20)[-1]:.2f} ms"
    yield Figure("record a frame of 5,041 particles", 1e3 * statistics.median(taken), "ms", "at most", 2.0, note)
    yield Figure("size of a frame of 5,041 particles", size, "MB")
    yield Figure("read and check a frame of 5,041 particles", 1e3 * read, "ms")


def _hash_time(world: World) -> float:
    world.step()
    began = time.perf_counter()
    world.state_hash()
    return time.perf_counter() - began


def memory(options: argparse.Namespace) -> Iterator[Figure]:
    name, frames = "memory of a recording, frames 1,000 to 20,000", 3000 if options.quick else 20000
    if not MEMORY.exists():
        yield skipped(name, "MB", "at most", 30.0, f"no {MEMORY}")
        return
    world = net(4)
    with tempfile.TemporaryDirectory() as folder, world.record(Path(folder, "run.h5")):
        world.step(1000)
        before = _resident()
        world.step(frames - 1000)
        yield Figure(name, _resident() - before, "MB more", "at most", 30.0, f"{frames} frames were run")


def _resident() -> float:
    return int(MEMORY.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def main(arguments: list[str] | None = None) -> None:
    options = parser(__doc__ or "").parse_args(arguments)
    report({"cost of a frame": partial(cost, options), "memory": partial(memory, options)}, options)


if __name__ == "__main__":
    main()
