"""`pliant solve beam.xml --out results.csv`: displacements, stresses and tractions of all <bc> of a problem."""

from __future__ import annotations

import contextlib
import csv
import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from components import Deformation, Geometry, Stress
from framework import World
from framework.errors import OutputError, SimulationError
from framework.outputs import write_whole
from framework.recording.bodies import Body
from framework.recording.vtu import write_pvd, write_vtu
from systems.readers.bem_defo.model import BemDefo
from systems.readers.bem_defo.parse import read_bem_defo
from systems.readers.bem_defo.places import named
from systems.readers.bem_defo.scene import load, world_of

POINTS = ("frame", "point", "x", "y", "z", "ux", "uy", "uz", "von_mises")
TRACTIONS = ("frame", "element", "point", "tx", "ty", "tz")


def solve(path: Path, out: Path, log_length: float | None = None, accuracy: float = 1e-6) -> list[Path]:
    """Solve each <bc> of a bem_defo file and write what `out` asks for by its suffix; returns the files.

    .csv: a row for each frame (<bc>, from 1 on) and point, with its place at rest [m], displacement [m] and von Mises
    stress [Pa]; beside it NAME.tractions.csv, a row for each point of each element, in its order, with its traction
    [Pa]. Ids are those of the file. .vtu: the deformed body; of several frames one file each, NAME_000001.vtu and so
    on, and NAME.pvd with all of them. .h5: a recording.
    """
    kind = out.suffix.lower()
    if kind not in (".csv", ".vtu", ".h5", ".hdf5"):
        raise OutputError(f"{named(out)}: the name must end in .csv, .vtu, .h5 or .hdf5")
    if kind in (".h5", ".hdf5"):
        scene = load(path)
        given = {"accuracy": accuracy} | ({} if log_length is None else {"log_length": log_length})
        world = scene.make({name: repr(value) for name, value in given.items()})
        with contextlib.closing(world), world.record(out):
            for _ in _frames(world, scene.length, path):
                pass
        return [out]
    problem = read_bem_defo(path)
    with contextlib.closing(world_of(problem, log_length=log_length, accuracy=accuracy, fill=kind == ".vtu")) as world:
        frames = _frames(world, len(problem.conditions), path)
        return (_write_csv if kind == ".csv" else _write_vtu)(problem, world, frames, out)


def _frames(world: World, count: int, path: Path) -> Iterator[int]:
    """Step through the frames; an error says which <bc> has no solution."""
    for number in range(1, count + 1):
        try:
            world.step()
        except SimulationError as error:
            raise SimulationError(f"{named(path)}: <bc> {number} of {count} cannot be solved: {error}") from None
        yield number


def _write_csv(problem: BemDefo, world: World, frames: Iterator[int], out: Path) -> list[Path]:
    points, tractions = io.StringIO(newline=""), io.StringIO(newline="")
    rows, loads = csv.writer(points, lineterminator="\n"), csv.writer(tractions, lineterminator="\n")
    rows.writerow(POINTS)
    loads.writerow(TRACTIONS)
    rest = np.zeros((len(problem.points), 3))
    rest[:, : problem.dimension] = problem.points
    for number in frames:
        moved, stress = world.get("body", Deformation), world.get("body", Stress)
        values = np.concatenate([rest, moved.displacement[: len(rest)], stress.von_mises[: len(rest), None]], axis=1)
        rows.writerows([number, i, *row] for i, row in zip(problem.point_ids.tolist(), values.tolist(), strict=True))
        for e, c in np.argwhere(problem.elements >= 0):
            ids = int(problem.element_ids[e]), int(problem.point_ids[problem.elements[e, c]])
            loads.writerow([number, *ids, *moved.element_traction[e, c].tolist()])
    beside = out.with_name(f"{out.stem}.tractions.csv")
    for file, text in ((out, points), (beside, tractions)):
        write_whole(file, text.getvalue().encode(), "results")
    return [out, beside]


def _write_vtu(problem: BemDefo, world: World, frames: Iterator[int], out: Path) -> list[Path]:
    files: list[tuple[float, int, str]] = []
    single = len(problem.conditions) == 1
    try:
        for number in frames:
            name = out.name if single else f"{out.stem}_{number:06d}{out.suffix}"
            write_vtu(out.with_name(name), _snapshot(world))
            files.append((float(number), 0, name))
        written = [out.with_name(name) for _, _, name in files]
        if single:
            return written
        write_pvd(out.with_suffix(".pvd"), files)
    except OSError as error:
        raise OutputError(f"results {named(out)} cannot be written: {error.strerror or error}") from None
    return [out.with_suffix(".pvd"), *written]


def _snapshot(world: World) -> Body:
    """The deformed body with its fields, as ParaView takes it."""
    moved, stress = world.get("body", Deformation), world.get("body", Stress)
    geometry = world.get("body", Geometry)
    if geometry.triangles is not None:
        cells = {"triangles": geometry.triangles}
    else:
        pieces = [geometry.segments[:, [j, j + 1]] for j in range(geometry.segments.shape[1] - 1)]
        cells = {"edges": np.concatenate(pieces)}
    fields = {
        "displacement": moved.displacement, "traction": moved.traction, "von_mises": stress.von_mises,
        "stress": stress.tensor.reshape(-1, 9), "strain": stress.strain_tensor.reshape(-1, 9),
    }  # fmt: skip
    units = {"displacement": "m", "traction": "Pa", "von_mises": "Pa", "stress": "Pa", "strain": "1"}
    return Body("body", world.value("body.position"), cells, fields, units)
