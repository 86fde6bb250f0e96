"""Speed and memory of spring bodies: against plain C++, over sizes, over threads.

    python benchmarks/massspring.py [--json] [--quick] [--only TEXT] [--yardstick FILE.cpp]

Against C++: one thread, CPU time, C++ and ours in turn for each size, each the best of five blocks; the median of the
ratios of nine rounds. Both step
the same cloth with damped springs, gravity and a sphere by symplectic Euler with h = 0.01 s from the same start; our
contact has Coulomb friction, theirs stops a particle where it is. Kernels: forces and step. Whole frames: a World with
the standard systems, 10 substeps and feedback once a frame, history off. A first frame, in which caches are built and
the stable step is estimated, is left out on both sides.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:  # run as a file
    sys.path.insert(0, str(ROOT))

from benchmarks._figures import Figure, median_ratio, parser, report, rounds_of, skipped  # noqa: E402
from benchmarks._yardstick import Yardstick  # noqa: E402

WORK = 2_000_000  # particle-steps of one measurement
SUBSTEPS = 10


@dataclass(frozen=True)
class Contest:
    """kind: which loop of the yardstick. goals: {size: ratio to reach}. ours: size -> object with seconds(frames)."""

    name: str
    kind: str
    goals: dict[int, float]
    ours: Callable[[int], Any]


def contests() -> list[Contest]:
    from benchmarks._cloth import Frames, Kernels

    return [
        Contest("kernels, list", "list", {20: 0.7, 70: 0.8, 200: 0.8, 500: 0.8}, Kernels),
        Contest("frames, list", "list", {20: 0.3, 70: 0.65, 200: 0.65, 500: 0.65}, partial(Frames, kind="list")),
        Contest("frames, grid", "grid", {70: 2.5, 200: 3.0}, partial(Frames, kind="grid")),
    ]


def against_cpp(options: argparse.Namespace) -> Iterator[Figure]:
    """Our speed over that of C++. In each round both measure each size, one right after the other."""
    yardstick = Yardstick(options.yardstick)
    results: dict[tuple[str, int], list[tuple[float, float]]] = {}
    if not yardstick.why_not:
        entries = {(c.name, n): (c.kind, c.ours(n)) for c in contests() for n in c.goals}
        for _ in range(3 if options.quick else 9):
            for line in yardstick.lines():
                for (name, n), (kind, ours) in entries.items():
                    if n == line["n"]:
                        results.setdefault((name, n), []).append((line[f"{kind}_mpps"], speed(ours, n)))
    for contest in contests():
        for n, goal in contest.goals.items():
            label, unit = f"{contest.name}, N = {n}", "x the speed of C++"
            rounds = results.get((contest.name, n))
            if rounds is None:
                yield skipped(label, unit, "at least", goal, yardstick.why_not)
                continue
            theirs, ours = (statistics.median(side) for side in zip(*rounds, strict=True))
            note = f"{ours:.1f} against {theirs:.1f} million particle-steps a second"
            yield Figure(label, median_ratio(rounds), unit, "at least", goal, note)


def speed(ours: Any, n: int) -> float:
    """Million particle-steps a CPU second: the best of five blocks, as the yardstick does it."""
    frames = max(3, WORK // (n * n * SUBSTEPS))
    return frames * SUBSTEPS * n * n / 1e6 / min(ours.seconds(frames) for _ in range(5))


def linear(options: argparse.Namespace) -> Iterator[Figure]:
    """Cost of a particle in a step of whole frames. Beyond the caches memory sets the pace, which costs once."""
    from benchmarks._cloth import Frames

    sizes = {"10 thousand": 100, "100 thousand": 316} | ({} if options.quick else {"a million": 1000})
    for kind in ("list", "grid"):
        worlds = {label: (Frames(n, kind), n) for label, n in sizes.items()}
        rounds = rounds_of(
            3 if options.quick else 5,
            *(partial(per_particle, world, n, max(1, 300_000 // (n * n))) for world, n in worlds.values()),
        )
        cost = [1e9 * statistics.median(side) for side in zip(*rounds, strict=True)]
        for label, value in zip(sizes, cost, strict=True):
            yield Figure(f"frames, {kind}, {label} particles", value, "ns a particle-step")
        for i in range(1, len(cost)):
            name = f"frames, {kind}, {list(sizes)[i]} / {list(sizes)[i - 1]}"
            yield Figure(name, cost[i] / cost[i - 1], "x per particle", "at most", 1.6)


def per_particle(world: object, n: int, frames: int) -> float:
    """CPU seconds of a particle in a substep."""
    return world.seconds(frames) / (frames * SUBSTEPS * n * n)  # type: ignore[attr-defined]


def threads(options: argparse.Namespace) -> Iterator[Figure]:
    """The chunked spring kernel at N = 500: two threads against one in wall time, and the bits of the forces.

    On a busy machine OpenMP may run it on fewer threads, and neighbours take turns with ours: measure when it is quiet.
    """
    name, unit = "chunked springs, N = 500, 2 threads", "x the speed of 1 thread"
    if (os.cpu_count() or 1) < 2:
        yield skipped(name, unit, "at least", 1.4, "one processor only")
        return
    lines = {count: child("threads", "3" if options.quick else "11", NUMBA_NUM_THREADS=str(count)) for count in (1, 2)}
    hashes = {word for line in lines.values() for word in line[1:]}
    yield Figure(name, float(lines[2][0]), unit, "at least", 1.4)
    yield Figure("chunked springs, different bits", len(hashes) - 1.0, "between 1 and 2 threads", "at most", 0.0)


def threads_child(rounds: int) -> None:
    """Print the ratio of wall times of one thread to all of them, and the hashes of the forces."""
    import hashlib

    import numba
    import numpy as np

    from benchmarks._cloth import Kernels
    from systems.kernels.springs import chunk_springs, spring_forces_chunked

    cloth = Kernels(500)
    cloth.v[...] = np.random.default_rng(0).normal(size=cloth.v.shape)
    cloth.x += 0.1 * cloth.v
    chunks = chunk_springs(cloth.nodes, len(cloth.x))
    hashes = set()

    def seconds(count: int) -> float:
        numba.set_num_threads(count)
        began = time.perf_counter()
        for _ in range(10):
            cloth.f.fill(0.0)
            springs = cloth.nodes, cloth.rest, cloth.kind, *cloth.tables
            spring_forces_chunked(cloth.x, cloth.v, *chunks, *springs, cloth.f)
        taken = time.perf_counter() - began
        hashes.add(hashlib.sha256(cloth.f.tobytes()).hexdigest())
        return taken

    most = numba.config.NUMBA_NUM_THREADS
    seconds(most)
    print(1.0 / median_ratio(rounds_of(rounds, partial(seconds, 1), partial(seconds, most))), *sorted(hashes))


def memory(options: argparse.Namespace) -> Iterator[Figure]:
    """Bytes a particle after two frames with feedback: what numpy and Python hold, and growth of the process."""
    small, large = (100, 200) if options.quick else (500, 1000)
    explicit, implicit = {}, {}
    for kind in ("grid", "list"):
        explicit[kind] = memory_of(kind, "explicit", small, large)
        yield from memory_figures(f"memory, {kind}, symplectic Euler", explicit[kind], 400.0, options.quick)
    small, large = (70, 140) if options.quick else (250, 500)
    for kind in ("grid", "list"):
        implicit[kind] = memory_of(kind, "implicit", small, large)
        more = tuple(b - a for a, b in zip(explicit[kind], implicit[kind], strict=True))
        yield from memory_figures(f"memory, {kind}, more with backward Euler", more, 800.0, options.quick)


def memory_figures(name: str, found: tuple[float, ...], limit: float, quick: bool) -> Iterator[Figure]:
    """Small worlds of a quick run lie in blocks that the allocator keeps: their resident memory says nothing."""
    for what, value in zip(("allocated", "resident"), found, strict=True):
        if what == "allocated" or not quick:
            yield Figure(f"{name}, {what}", value, "bytes a particle", "at most", limit)


def memory_of(kind: str, solver: str, small: int, large: int) -> tuple[float, float]:
    """(allocated, resident) bytes a particle by which a world of large x large exceeds one of small x small."""

    def growth(how: str) -> float:
        # glibc keeps freed blocks for reuse; this makes it give those above 1 MB back, as other allocators do
        options = {"MALLOC_MMAP_THRESHOLD_": "1000000"}
        less, more = (float(child("memory", kind, solver, str(n), how, **options)[0]) for n in (small, large))
        return (more - less) / (large**2 - small**2)

    return growth("allocated"), growth("resident")


def memory_child(kind: str, solver: str, n: int, how: str) -> None:
    """Print the bytes held after two frames: allocations that tracemalloc sees, or the resident set."""
    import gc
    import tracemalloc

    from benchmarks._cloth import cloth_world
    from components import BackwardEuler

    settings = BackwardEuler() if solver == "implicit" else None
    cloth_world(5, kind, settings).step(2)  # modules and kernels
    if how == "allocated":
        tracemalloc.start()
    world = cloth_world(n, kind, settings)
    world.step(2)
    gc.collect()
    print(tracemalloc.get_traced_memory()[0] if how == "allocated" else resident())


def resident() -> int:
    """Bytes of this process in memory now, or at most so far where the system does not say."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def child(*arguments: str, **environment: str) -> list[str]:
    """Words that this file prints when it is run with `arguments` in a process of its own."""
    command = [sys.executable, __file__, "--child", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment}, cwd=ROOT)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stderr}")
    return done.stdout.split()


def main(arguments: list[str] | None = None) -> None:
    made = parser(__doc__ or "")
    made.add_argument("--yardstick", type=Path, metavar="FILE.cpp", help="the C++ program to compare with")
    options = made.parse_args(arguments)
    import numba

    import framework  # noqa: F401  (sets how idle threads wait, before numba starts them)

    numba.set_num_threads(1)
    groups = {"c++": against_cpp, "linear": linear, "threads": threads, "memory": memory}
    report({name: partial(group, options) for name, group in groups.items()}, options)


if __name__ == "__main__":
    if "--child" in sys.argv:
        task, *rest = sys.argv[sys.argv.index("--child") + 1 :]
        if task == "threads":
            threads_child(int(rest[0]))
        else:
            memory_child(rest[0], rest[1], int(rest[2]), rest[3])
    else:
        main()
