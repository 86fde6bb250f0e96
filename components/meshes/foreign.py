"""Formats that meshio reads, behind a guard: whatever it does with a broken file becomes one MeshError.

meshio 5 prints to the console, calls sys.exit, loops for ever at the end of some files, and believes the counts in
their headers. So counts are compared with the size of the file first, output is caught, and memory is bounded.
"""
from __future__ import annotations

import contextlib
import io
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from components.meshes.polygons import cut
from components.meshes.raw import RawMesh
from framework.errors import MeshError, OutputError

FORMATS = {".ply": "ply", ".vtk": "vtk", ".vtu": "vtu", ".msh": "gmsh", ".inp": "abaqus"}
CORNERS = {"triangle": 3, "quad": 4, "tetra": 4, "line": 2, "triangle6": 3, "triangle7": 3, "quad8": 4, "quad9": 4,
           "tetra10": 4, "line3": 2}  # fmt: skip
COUNTS = {  # what a header says there is: each needs at least a byte
    ".ply": rb"element\s+\w+\s+(\d+)",
    ".vtk": rb"(?:POINTS|CELLS|CELL_TYPES|POINT_DATA|CELL_DATA|POLYGONS|OFFSETS|CONNECTIVITY)\s+(\d+)(?:\s+(\d+))?",
    ".msh": rb"\$(?:Nodes|Elements|Entities|PhysicalNames|Periodic)\s+(\d+)(?:[ \t]+(\d+))?",
}
LARGEST_RATIO = 1100  # of what zlib packs; only VTU is packed
EMPTY_READS = 100
SPARE = 256 * 2**20  # bytes that reading may take besides what follows from the file's size
EXPANSION = 100


def read_foreign(name: str, path: Path, data: bytes) -> RawMesh:
    """The mesh in a file that meshio knows; MeshError names file and rule."""
    try:
        import meshio
    except ImportError as error:
        raise OutputError(f"{name}: reading {path.suffix} files needs meshio, which is not installed ({error}): "
                          "pip install meshio; OBJ and STL need nothing") from None
    suffix = path.suffix.lower()
    _check_counts(name, suffix, data)
    text = io.StringIO()
    try:
        with (contextlib.redirect_stdout(text), contextlib.redirect_stderr(text), warnings.catch_warnings(),
              np.errstate(all="ignore"), _bounded_memory(SPARE + EXPANSION * len(data))):  # fmt: skip
            warnings.simplefilter("ignore")
            if suffix == ".ply":
                mesh = meshio.ply._ply.read_buffer(_Ending(_usual_ply(data)))
            else:
                mesh = getattr(meshio, FORMATS[suffix]).read(str(path))  # meshio.read would print and exit
            return _raw(name, mesh)
    except MeshError:
        raise
    except (Exception, SystemExit) as error:  # sys.exit in meshio must not end the program
        said = text.getvalue() if isinstance(error, SystemExit) else f"{type(error).__name__}: {error}"
        detail = " ".join(said.split())[:200].rstrip(": ")
        raise MeshError(f"{name}: must be a sound {suffix} file; meshio could not read it ({detail})") from None


def _check_counts(name: str, suffix: str, data: bytes) -> None:
    if suffix == ".vtu":
        if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
            raise MeshError(f"{name}: a VTU file must not define entities")
        pattern, most = rb'NumberOf(?:Points|Cells)\s*=\s*"\s*(\d+)', LARGEST_RATIO * len(data)
    else:
        pattern, most = COUNTS.get(suffix, rb"(?!)"), len(data)
    for match in re.finditer(pattern, data):
        for number in match.groups():
            if number is not None and (len(number) > 18 or int(number) > most):
                raise MeshError(f"{name}, byte {match.start()}: the count must fit in the file of {len(data)} bytes, "
                                f"got {number.decode()[:30]}")
    if suffix == ".ply" and not re.search(rb"^end_header\s*$", data[: 2**16], re.MULTILINE):
        raise MeshError(f"{name}: the header of a PLY file must end with a line 'end_header', got none")


def _usual_ply(data: bytes) -> bytes:
    """meshio knows 'vertex_indices' only, many programs write 'vertex_index'."""
    head, end, body = data.partition(b"end_header")
    return re.sub(rb"\bvertex_index\b", b"vertex_indices", head) + end + body


class _Ending(io.BytesIO):
    """Bytes that raise EOFError when somebody keeps on reading lines at their end."""

    empty = 0

    def readline(self, size: int | None = -1, /) -> bytes:
        line = super().readline(size)
        if not line:
            self.empty += 1
            if self.empty > EMPTY_READS:
                raise EOFError("the file ends too early")
        return line


@contextlib.contextmanager
def _bounded_memory(most: int) -> Iterator[None]:
    """Let allocations beyond `most` bytes more than now fail with MemoryError, where the system can (Linux)."""
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        limit, hard = resource.getrlimit(resource.RLIMIT_AS)
        ceiling = pages * resource.getpagesize() + most
        if limit != resource.RLIM_INFINITY:
            ceiling = min(ceiling, limit)
        resource.setrlimit(resource.RLIMIT_AS, (ceiling, hard))
    except (ImportError, OSError, ValueError):
        yield
        return
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


def _raw(name: str, mesh: Any) -> RawMesh:
    points = np.asarray(mesh.points, float)
    if points.ndim != 2 or points.shape[1] not in (2, 3):
        points = np.zeros((0, 3)) if not points.size else points
        if points.size:
            raise MeshError(f"{name}: points must have 2 or 3 coordinates, got an array {points.shape}")
    if points.shape[1] == 2:
        points = np.column_stack([points, np.zeros(len(points))])
    raw = RawMesh(name, points)
    if not np.isfinite(points).all():
        return raw  # check_raw says where
    cells: dict[str, list[np.ndarray]] = {"line": [], "tetra": [], "triangle": []}
    owners, left_out, first = [np.zeros(0, np.int64)], dict[str, int](), 1
    for block in mesh.cells:
        count = len(block.data)
        kind = _kind(block)
        if kind is None:
            left_out[block.type] = left_out.get(block.type, 0) + count
        else:
            corners = np.asarray(block.data)[:, : CORNERS.get(block.type)].astype(np.int64)
            if kind == "polygon":
                corners, owner = _triangles(name, points, corners)
                owners.append(owner + first)
            cells["triangle" if kind == "polygon" else kind].append(corners)
        first += count
    for kind, count in left_out.items():
        raw.notes.append(f"left out {count} cells of the type {kind!r}")
    raw.edges = np.concatenate([raw.edges, *cells["line"]])
    raw.tetrahedra = np.concatenate([raw.tetrahedra, *cells["tetra"]])
    raw.triangles, raw.faces = np.concatenate([raw.triangles, *cells["triangle"]]), np.concatenate(owners)
    _add_groups(raw, mesh)
    return raw


def _kind(block: Any) -> str | None:
    """line, tetra or polygon; None for cells that no geometry here has."""
    width = np.ndim(block.data) == 2 and np.shape(block.data)[1]
    if not width or np.asarray(block.data).dtype.kind not in "iu":
        return None
    if block.type.startswith("polygon") and width >= 3:
        return "polygon"
    if block.type not in CORNERS or width < CORNERS[block.type]:
        return None
    flat = block.type.startswith(("triangle", "quad"))
    return "polygon" if flat else "line" if block.type.startswith("line") else "tetra"


def _triangles(name: str, points: np.ndarray, polygons: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    if polygons.shape[1] == 3:
        return polygons, np.arange(len(polygons))
    bad = ((polygons < 0) | (polygons >= len(points))).any(axis=1)
    if bad.any():
        row = polygons[np.argmax(bad)]
        wrong = row[(row < 0) | (row >= len(points))][0]
        raise MeshError(f"{name}: faces must name vertices from 0 to {len(points) - 1}, got {wrong}")
    local, _ = cut(points, polygons)
    corners = np.take_along_axis(polygons[:, None, :], local, axis=2).reshape(-1, 3)
    return corners, np.repeat(np.arange(len(polygons)), polygons.shape[1] - 2)


def _add_groups(raw: RawMesh, mesh: Any) -> None:
    """Point sets, and the corners of the cells of cell sets and of Gmsh's physical groups."""
    groups: dict[str, list[np.ndarray]] = {}
    for name, members in (mesh.point_sets or {}).items():
        groups.setdefault(str(name), []).append(np.asarray(members).ravel())
    for name, blocks in (mesh.cell_sets or {}).items():
        for block, chosen in zip(mesh.cells, blocks, strict=False):
            if not str(name).startswith("gmsh:") and chosen is not None and len(chosen):
                groups.setdefault(str(name), []).append(np.asarray(block.data)[np.asarray(chosen, int)].ravel())
    physical = (mesh.cell_data or {}).get("gmsh:physical", [])
    for name, value in (mesh.field_data or {}).items():
        number, dimension = (int(v) for v in np.ravel(value)[:2]) if np.size(value) >= 2 else (0, -1)
        for block, tags in zip(mesh.cells, physical, strict=False):
            chosen = np.ravel(tags) == number
            if getattr(block, "dim", dimension) == dimension and chosen.any() and name not in (mesh.cell_sets or {}):
                groups.setdefault(str(name), []).append(np.asarray(block.data)[chosen].ravel())
    for name, parts in groups.items():
        members = np.concatenate(parts)
        if members.dtype.kind in "iu":
            raw.groups[name] = np.unique(members.astype(np.int64))
