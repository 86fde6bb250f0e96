"""Speed of contact with a triangle mesh.

    python benchmarks/contact.py [--json] [--quick] [--mesh FILE.obj]

A cloth of 20,022 particles has fallen over the mesh, scaled to a height of 1.7 m, for 0.7 s. Measured is the contact
part of one explicit substep of 1 ms from there, in wall time: the best of many, in two threads. Building the tree is
measured once more after a first time, in which kernels compile.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:  # run as a file
    sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402

from benchmarks._figures import Figure, parser, report, skipped  # noqa: E402

LIMIT, UNIT = 4.0, "ms a substep"
HEIGHT, H = 1.7, 1e-3


def read_obj(file: Path) -> tuple[np.ndarray, np.ndarray]:
    """(vertices (n, 3), triangles (t, 3)) of an OBJ file; polygons are cut into fans."""
    vertices: list[list[float]] = []
    triangles: list[tuple[int, int, int]] = []
    for line in file.read_text(encoding="utf-8").splitlines():
        word, *rest = line.split() or [""]
        if word == "v":
            vertices.append([float(number) for number in rest[:3]])
        elif word == "f":
            corners = [int(text.split("/")[0]) - 1 for text in rest]
            triangles += [(corners[0], corners[i], corners[i + 1]) for i in range(1, len(corners) - 1)]
    points = np.array(vertices)
    points -= 0.5 * (points.min(axis=0) + points.max(axis=0))
    return points * HEIGHT / np.ptp(points[:, 1]), np.array(triangles, np.int32)


def draped(vertices: np.ndarray, triangles: np.ndarray, frames: int) -> Any:
    """A world in which the cloth has fallen over the mesh."""
    from components import Collider, Gravity, MassSpring, Material
    from components.prefabs import grid
    from framework import World
    from systems import standard

    world = World(systems=standard(), frame_time=0.02, substeps=round(0.02 / H), history=False)
    world.spawn(Gravity(), name="gravity")
    world.spawn(Collider.mesh(vertices, triangles, friction=0.3), name="mesh")
    world.spawn(
        grid(size=(2.0, 2.0), cells=(140, 141), plane="xz", centre=(0, 0.52 * HEIGHT, 0)),
        Material(areal_density=0.3),
        MassSpring(stretch=10.0, shear=5.0, damping_ratio=0.02), name="cloth",
    )  # fmt: skip
    world.step(frames)
    return world


def contact(options: argparse.Namespace) -> Iterator[Figure]:
    name, why = "20,022 particles on a mesh, 2 threads", ""
    if not options.mesh or not options.mesh.is_file():
        why = "no mesh: name one with --mesh FILE.obj or in PLIANT_MESH"
    elif (os.cpu_count() or 1) < 2:
        why = "one processor only"
    if why:
        yield skipped(name, UNIT, "at most", LIMIT, why)
        return
    import numba

    from systems.dynamics.mesh_tree import mesh_tree

    vertices, triangles = read_obj(options.mesh)
    numba.set_num_threads(2)
    world = draped(vertices, triangles, 5 if options.quick else 35)
    dynamics = next(system for system in world.engine.schedule if system.name == "Dynamics")
    with world.acting(dynamics):
        problem = dynamics.problem(world, world.engine.step)
    x0, v0 = problem.packed.x.copy(), problem.packed.v - np.array([0, 9.81 * H, 0])
    weights = problem.supports.inverse_mass

    def seconds() -> float:
        x, v = x0 + H * v0, v0.copy()
        began = time.perf_counter()
        problem.colliders.resolve(x0, x, v, weights, H)
        return time.perf_counter() - began

    for threads in (1, 2):
        numba.set_num_threads(threads)
        best = 1e3 * min(seconds() for _ in range(10 if options.quick else 100))
        x, v = x0 + H * v0, v0.copy()
        touching = problem.colliders.resolve(x0, x, v, weights, H)
        note = f"{len(triangles)} triangles, {touching} particles touch"
        if threads == 1:
            yield Figure(name.replace("2 threads", "1 thread"), best, UNIT, note=note)
        else:
            yield Figure(name, best, UNIT, "at most", LIMIT, note)
    began = time.perf_counter()
    mesh_tree(vertices, triangles)
    yield Figure("tree and grid of the mesh", 1e3 * (time.perf_counter() - began), "ms")


def main(arguments: list[str] | None = None) -> None:
    made = parser(__doc__ or "")
    found = os.environ.get("PLIANT_MESH", "")
    made.add_argument("--mesh", type=Path, default=Path(found) if found else None, metavar="FILE.obj", help="a mesh")
    options = made.parse_args(arguments)
    import framework  # noqa: F401  (sets how idle threads wait, before numba starts them)

    report({"contact": partial(contact, options)}, options)


if __name__ == "__main__":
    main()
