"""2,000 broken mesh files: each gives a sound mesh or one MeshError; nothing hangs, prints or exits."""
from __future__ import annotations

import contextlib
import io
import re
import signal
import struct
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from components import Mass, MassSpring, Material, Position
from components.meshes import read_mesh
from framework import World
from framework.errors import FieldError, MeshError
from systems import standard
from tests.unit.mesh_files import CUBE

EACH, FAST, LONGEST = 400, 30, 20  # files of a format, of a fast run; seconds for one
FORMATS = ("obj", "stl", "ply", "vtu", "msh")


def originals(folder: Path, kind: str) -> list[bytes]:
    """Sound files of a format, text and binary."""
    if kind == "obj":
        textured = CUBE.replace("g bottom", "vt 0 0\nvt 1 0\nvt 1 1\ng bottom") + "f 1/1 2/2/ 3/3\nl 1 2 3\n"
        return [CUBE.encode(), textured.encode()]
    corners = np.array([[[0, 0, 0], [0, 1, 0], [1, 0, 0]], [[0, 0, 0], [1, 0, 0], [0, 0, 1]],
                        [[1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 0, 0], [0, 0, 1], [0, 1, 0]]], "<f4")
    if kind == "stl":
        facet = "facet normal 0 0 1\nouter loop\n{}endloop\nendfacet\n"
        loops = ["".join(f"vertex {x} {y} {z}\n" for x, y, z in three) for three in corners.tolist()]
        body = b"".join(struct.pack("<3f", 0, 0, 0) + three.tobytes() + b"\0\0" for three in corners)
        return [("solid a\n" + "".join(map(facet.format, loops)) + "endsolid a\n").encode(),
                b"binary".ljust(80) + struct.pack("<I", 4) + body]
    import meshio

    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]], float)
    solid = meshio.Mesh(points, [("tetra", [[0, 1, 2, 3], [1, 4, 2, 3]]), ("triangle", [[0, 1, 2]])])
    plain = meshio.Mesh(points, [("tetra", [[0, 1, 2, 3], [1, 4, 2, 3]])])  # gmsh 4.1 takes one kind of cell
    surface = meshio.Mesh(points, [("triangle", [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])])
    ways: dict[str, list[tuple[meshio.Mesh, dict[str, Any]]]] = {
        "ply": [(surface, {"binary": False}), (surface, {"binary": True})],
        "vtu": [(solid, {"binary": False}), (solid, {"binary": True})],
        "msh": [(solid, {"file_format": "gmsh22", "binary": False}), (plain, {"file_format": "gmsh", "binary": False}),
                (plain, {"file_format": "gmsh", "binary": True})],
    }  # fmt: skip
    found = []
    for mesh, more in ways[kind]:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            meshio.write(folder / f"original.{kind}", mesh, **more)
        found.append((folder / f"original.{kind}").read_bytes())
    return found


def flip(data: bytes, random: np.random.Generator) -> bytes:
    changed = bytearray(data)
    for at in random.integers(0, len(data), int(random.integers(1, 6))):
        changed[at] = int(random.integers(0, 256))
    return bytes(changed)


def truncate(data: bytes, random: np.random.Generator) -> bytes:
    return data[: int(random.integers(0, len(data)))]


def swap_numbers(data: bytes, random: np.random.Generator) -> bytes:
    numbers = list(re.finditer(rb"-?\d+(?:\.\d+)?", data))
    if len(numbers) < 2:
        return flip(data, random)
    first, second = sorted(random.choice(len(numbers), 2, replace=False))
    a, b = numbers[first], numbers[second]
    return data[: a.start()] + b[0] + data[a.end() : b.start()] + a[0] + data[b.end() :]


def double_line(data: bytes, random: np.random.Generator) -> bytes:
    lines = data.split(b"\n")
    at = int(random.integers(0, len(lines)))
    other = int(random.integers(0, len(lines)))
    return b"\n".join([*lines[:other], lines[at], *lines[other:]])


def huge_number(data: bytes, random: np.random.Generator) -> bytes:
    numbers = list(re.finditer(rb"\d+", data))
    if not numbers:
        return flip(data, random)
    chosen = numbers[int(random.integers(0, len(numbers)))]
    huge = [b"999999999", b"99999999999", b"4294967295", b"18446744073709551615", b"-7", b"nan", b"1e308", b"1_0", b""]
    return data[: chosen.start()] + huge[int(random.integers(0, len(huge)))] + data[chosen.end() :]


def drop_line(data: bytes, random: np.random.Generator) -> bytes:
    lines = data.split(b"\n")
    del lines[int(random.integers(0, len(lines)))]
    return b"\n".join(lines)


MUTATIONS: tuple[Callable[[bytes, np.random.Generator], bytes], ...] = (
    flip, truncate, swap_numbers, double_line, huge_number, drop_line)


@contextlib.contextmanager
def no_longer_than(seconds: float) -> Iterator[None]:
    if not hasattr(signal, "setitimer"):
        yield
        return

    def stop(*_: Any) -> None:
        raise TimeoutError(f"reading took more than {seconds} s")

    former = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, former)


def check(file: Path) -> bool:
    """Read a file; whether it gave a mesh, which must then be sound enough to be a body."""
    try:
        with warnings.catch_warnings(), no_longer_than(LONGEST):
            warnings.simplefilter("ignore")
            mesh = read_mesh(file, repair=True)
    except MeshError as error:
        assert file.name in str(error) and "Traceback" not in str(error) and len(str(error)) < 1000
        return False
    geometry = mesh.geometry
    assert np.isfinite(geometry.points).all() and np.isfinite(mesh.report.size).all() and str(mesh.report)
    for cells in (geometry.triangles, geometry.edges, geometry.tetrahedra):
        assert cells is None or (cells.min() >= 0 and cells.max() < len(geometry.points))
    try:
        world = World(systems=standard())
        body = world.spawn(mesh, Material(total_mass=1.0), MassSpring(stretch=1.0))
        assert np.isfinite(world.get(body, Position).x).all() and (world.get(body, Mass).m > 0).all()
        world.close()
    except FieldError as error:  # such as a point that only lines have, which has no area to carry mass
        assert "Geometry" in str(error) or "carry mass" in str(error)
    return True


def fuzz(kind: str, count: int, folder: Path) -> int:
    random = np.random.default_rng([11, FORMATS.index(kind)])
    sound = originals(folder, kind)
    read = 0
    for number in range(count):
        data = sound[int(random.integers(0, len(sound)))]
        for _ in range(int(random.integers(1, 3))):
            data = MUTATIONS[number % len(MUTATIONS)](data, random) if data else data
        file = folder / f"broken{number}.{kind}"
        file.write_bytes(data)
        try:
            read += check(file)
        except BaseException as error:
            error.add_note(f"{kind} file {number}: {data[:2000]!r}")
            raise
        file.unlink()
    return read


@pytest.mark.parametrize("kind", FORMATS)
def test_broken_files_give_a_mesh_or_one_error(kind: str, tmp_path: Path, capfd: Any) -> None:
    assert all(check(written) for written in _originals(tmp_path, kind))
    fuzz(kind, FAST, tmp_path)
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
@pytest.mark.parametrize("kind", FORMATS)
def test_many_broken_files_give_a_mesh_or_one_error(kind: str, tmp_path: Path, capfd: Any) -> None:
    resource = pytest.importorskip("resource")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    read = fuzz(kind, EACH, tmp_path)
    assert 0 < read < EACH
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 500_000  # kB
    assert capfd.readouterr() == ("", "")


def _originals(folder: Path, kind: str) -> Iterator[Path]:
    for number, data in enumerate(originals(folder, kind)):
        file = folder / f"sound{number}.{kind}"
        file.write_bytes(data)
        yield file
