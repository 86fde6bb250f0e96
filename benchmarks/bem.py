"""Speed of boundary elements.

    python benchmarks/bem.py [--json] [--quick]

Kernels are compiled before anything is measured, and that time is printed apart. Integrals are accurate to 1e-6 of each
element's block. Ratios are one-thread times of assembly over LAPACK's factorisation of the same matrix, in one run.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")  # before numpy is imported

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:  # run as a file
    sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402

from benchmarks._figures import Figure, parser, report  # noqa: E402


def best(action: Callable[[], object], repeats: int) -> float:
    """Seconds of the fastest of some calls."""
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        action()
        times.append(time.perf_counter() - began)
    return min(times)


def thesis_beam() -> Any:
    from systems.readers.bem_defo.parse import read_bem_defo

    return read_bem_defo(ROOT / "demos" / "thesis_beam.xml")


def beam_problem(elements: int) -> Any:
    """A plane beam of so many quadratic elements, clamped at one end and pulled down at the other."""
    from components.prefabs import plate
    from systems.kernels.bem.planar_problem import PlanarProblem

    long = elements * 5 // 12
    geometry = plate((5.0, 1.0), (long, elements // 2 - long), fill=False)
    nodes, shape = geometry.segments, (*geometry.segments.shape, 2)
    sides = {name: np.isin(nodes, geometry.groups[name]).all(axis=1)[:, None, None] for name in ("left", "right")}
    return PlanarProblem(
        points=np.ascontiguousarray(geometry.points[:, :2]), nodes=nodes, shear_modulus=5000.0, poisson_ratio=0.0,
        u_fixed=np.broadcast_to(sides["left"], shape).copy(), u_value=np.zeros(shape),
        t_value=np.where(sides["right"], (0.0, -10.0), 0.0), spring=np.zeros(shape),
        frames=np.tile(np.eye(2), (len(geometry.points), 1, 1)), u_free=np.zeros((len(geometry.points), 2)),
        t_free=np.zeros(shape),
    )  # fmt: skip


def ball_problem(count: int) -> Any:
    """A ball of quadratic triangles, held below and pulled above."""
    from components.prefabs import ellipsoid_surface
    from systems.kernels.bem.spatial_problem import SpatialProblem

    geometry = ellipsoid_surface(1.0, count, "triangle6")
    nodes, shape = geometry.faces, (*geometry.faces.shape, 3)
    y = np.where(nodes >= 0, geometry.points[nodes][..., 1], np.nan)
    used = (nodes >= 0)[..., None]
    below, above = (np.nanmax(y, axis=1) < -0.8)[:, None, None], (np.nanmin(y, axis=1) > 0.8)[:, None, None]
    return SpatialProblem(
        points=geometry.points, nodes=nodes, shear_modulus=1.0, poisson_ratio=0.3,
        u_fixed=np.broadcast_to(below & used, shape).copy(), u_value=np.zeros(shape),
        t_value=np.where(above & used, (0.0, 1.0, 0.0), 0.0), spring=np.zeros(shape),
        frames=np.tile(np.eye(3), (len(geometry.points), 1, 1)), u_free=np.zeros(geometry.points.shape),
        t_free=np.zeros(shape),
    )  # fmt: skip


def assembly(name: str, problem: Any, goal: float, repeats: int) -> Iterator[Figure]:
    """Assembly over factorisation, of the same matrix: the fastest of each in turns."""
    from scipy.linalg.lapack import dgetrf

    from systems.kernels.bem.system import assembled, own_load

    times, matrix = [], None
    for _ in range(repeats):
        matrix = None  # before the next one is made
        began = time.perf_counter()
        matrix = assembled(problem, [own_load(problem)]).a.T
        middle = time.perf_counter()
        dgetrf(matrix, overwrite_a=True)
        times.append((middle - began, time.perf_counter() - middle))
    size, fastest = 0 if matrix is None else len(matrix), np.min(times, axis=0)
    yield Figure(f"{name}, assembly / factorisation ({size} unknowns)", fastest[0] / fastest[1], "x", "at most", goal)


def beam(options: argparse.Namespace) -> Iterator[Figure]:
    from systems.kernels.bem.system import solve
    from systems.readers.bem_defo.scene import world_of
    from systems.readers.bem_defo.solve import solve as solve_file

    file, given, repeats = ROOT / "demos" / "thesis_beam.xml", beam_problem(12), 20 if options.quick else 200
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "results.csv"
        began = time.perf_counter()
        solve_file(file, out)
        yield Figure("plane, first call: compiling or loading kernels", time.perf_counter() - began, "s")

        def whole() -> None:
            world_of(thesis_beam(), fill=False).step()

        yield Figure("thesis beam, XML to results", 1e3 * best(whole, repeats), "ms", "at most", 5.0)
        yield Figure("thesis beam, XML to CSV file", 1e3 * best(lambda: solve_file(file, out), repeats // 4), "ms")
    yield Figure("thesis beam, assembly and solution", 1e3 * best(lambda: solve(given), repeats), "ms", "at most", 1.0)


def plane(options: argparse.Namespace) -> Iterator[Figure]:
    elements = 400 if options.quick else 2000
    yield from assembly(f"plane, {elements} quadratic elements", beam_problem(elements), 0.2, 3)


def space(options: argparse.Namespace) -> Iterator[Figure]:
    from systems.kernels.bem.system import solve

    began = time.perf_counter()
    solve(ball_problem(2))
    yield Figure("space, first call: compiling or loading kernels", time.perf_counter() - began, "s")
    yield frame(4 if options.quick else 7)
    yield from assembly("space, quadratic triangles", ball_problem(3 if options.quick else 8), 0.6, 5)


def frame(count: int) -> Figure:
    """A whole frame of a ball whose load changes, without drawing: sum of responses, stress, energy, reactions."""
    from components import BoundaryConditions, BoundaryElements, Material
    from components.prefabs import ellipsoid_surface
    from framework import World
    from systems import standard

    world, ball = World(systems=standard(), substeps=1, history=False), ellipsoid_surface(1.0, count, "triangle6")
    above, below = (np.flatnonzero(sign * ball.points[:, 1] > limit) for sign, limit in ((1, 0.2), (-1, 0.7)))
    pull = BoundaryConditions.traction(above, [(0, 0, 0), (1, 2, 3)], times=(0, 100))
    world.spawn(ball, Material(young_modulus=1e4, poisson_ratio=0.3), BoundaryElements(),
                BoundaryConditions.fixed(below) + pull, name="ball")
    world.step()
    name = f"space, frame of {len(ball.points)} points with a changing load"
    return Figure(name, 1e3 * best(world.step, 30), "ms", "at most", 1000 / 60)


def main(arguments: list[str] | None = None) -> None:
    options = parser(__doc__ or "").parse_args(arguments)
    groups = {"beam": beam, "plane": plane, "space": space}
    report({name: partial(group, options) for name, group in groups.items()}, options)


if __name__ == "__main__":
    main()
