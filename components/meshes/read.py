"""`read_mesh`: a mesh file made into a Geometry, with a report of what was found."""
from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from components.arguments import argument
from components.geometry import RESERVED, Geometry
from components.meshes.examine import Findings, examine
from components.meshes.foreign import FORMATS, read_foreign
from components.meshes.obj import read_obj
from components.meshes.raw import RawMesh, check_raw
from components.meshes.repair import chosen_repairs, merge_points, repaired
from components.meshes.report import MeshReport, defect_texts, size_doubt, size_text
from components.meshes.stl import read_stl
from components.surface_mesh import signed_volume
from framework.component import checked_copy
from framework.errors import FieldError, MeshError, suggest
from framework.fields import non_negative, positive

KNOWN = (".obj", ".stl", *FORMATS)
LARGEST_FILE = 256 * 2**20
MOST_POINTS = 2_000_000
FARTHEST = 1e12  # [m] beyond, areas and volumes would lose all digits or overflow
TURNS = {"y": ((0, 1), (1, 1), (2, 1)), "z": ((0, 1), (2, 1), (1, -1)), "x": ((1, -1), (0, 1), (2, 1))}


class Mesh(tuple):
    """What `read_mesh` returns: goes into `world.spawn` as it is. `geometry`: Geometry; `report`: MeshReport."""

    report: MeshReport

    @property
    def geometry(self) -> Geometry:
        return self[0]


def read_mesh(
    path: str | os.PathLike[str],
    scale: float = 1.0,
    up: str = "y",
    *,
    merge: float = 1e-7,
    repair: bool | str | tuple[str, ...] = False,
    largest_file: int = LARGEST_FILE,
    most_points: int = MOST_POINTS,
) -> Mesh:
    """Read a mesh: OBJ and STL, and PLY, VTK, VTU, Gmsh (.msh) and Abaqus (.inp) by meshio.

    scale: metres in a unit of the file. up: the file's axis that points up; it is turned to +y. merge: vertices nearer
    to each other than this share of the mesh's diagonal become one (seams; corners keep their texture coordinates);
    0 merges those at the very same place. Vertices that nothing uses are left out. repair: True, or names: collapsed,
    degenerate, duplicates, non_manifold, flipped, inside_out, and holes, which True leaves alone, as an open surface
    may be meant. largest_file [bytes] and most_points stop files that are probably not meant.

    Raises MeshError, which names file, place and rule. Warns of sizes that are hardly metres, and of defects.
    """
    file = _checked_path(path)
    factor = argument(scale, "read_mesh: scale", rule=positive)
    near = argument(merge, "read_mesh: merge", rule=non_negative)
    if up not in TURNS:
        raise MeshError(f"read_mesh: up must be one of {', '.join(TURNS)}, got {up!r}")
    repairs = chosen_repairs(repair)
    most = argument(most_points, "read_mesh: most_points", dtype="int", rule=positive)
    raw = _read(file, str(path), argument(largest_file, "read_mesh: largest_file", dtype="int", rule=positive))
    if len(raw.points) > most:
        raise MeshError(f"{path}: may have {most} vertices, got {len(raw.points)}; pass most_points="
                        f"{len(raw.points)} to read it all the same")
    check_raw(raw)
    raw.points = np.stack([factor * sign * raw.points[:, axis] for axis, sign in TURNS[up]], axis=1)
    far = np.flatnonzero(~(np.abs(raw.points) <= FARTHEST).all(axis=1))
    if len(far):
        raise MeshError(f"{path}: vertex {far[0] + 1}: coordinates must be at most {FARTHEST:g} m after scale, "
                        f"got {raw.points[far[0]].tolist()}")
    return _mesh(raw, factor, near, repairs)


def _checked_path(path: Any) -> Path:
    if not isinstance(path, (str, os.PathLike)) or isinstance(path, bytes) or not str(path):
        raise MeshError(f"read_mesh: path must be the name of a file, got {path!r}")
    file = Path(path)
    try:
        folder, exists = file.is_dir(), file.is_file()
        near = [] if exists or not file.parent.is_dir() else [
            str(other) for other in file.parent.iterdir() if other.suffix.lower() in KNOWN]
    except (OSError, ValueError) as error:  # a name that no file can have, a folder that may not be read
        raise MeshError(f"{path!s:.80}: cannot be found: {error}") from None
    if folder:
        raise MeshError(f"{path}: must be a mesh file, got a folder")
    if not exists:
        raise MeshError(f"{path}: there is no such file{suggest(str(path), near) if near else ''}")
    if file.suffix.lower() not in KNOWN:
        raise MeshError(f"{path}: must be a mesh file of a known kind ({', '.join(KNOWN)}), got {file.suffix!r}")
    return file


def _read(file: Path, name: str, largest: int) -> RawMesh:
    try:
        size = file.stat().st_size
        if size > largest:
            raise MeshError(f"{name}: may have {largest} bytes, got {size}; pass largest_file={size} "
                            "to read it all the same")
        data = file.read_bytes()
    except OSError as error:
        raise MeshError(f"{name}: cannot be read: {error.strerror or error}") from None
    if not data:
        raise MeshError(f"{name}: must hold a mesh, got an empty file")
    suffix = file.suffix.lower()
    if suffix == ".obj":
        return read_obj(name, data)
    return read_stl(name, data) if suffix == ".stl" else read_foreign(name, file, data)


def _mesh(raw: RawMesh, scale: float, near: float, repairs: tuple[str, ...]) -> Mesh:
    if not any(map(len, (raw.triangles, raw.tetrahedra, raw.edges))):
        what = f"{len(raw.points)} points only" if len(raw.points) else "none"
        raise MeshError(f"{raw.name}: must hold faces, tetrahedra or lines, got {what}" + "".join(
            f"; {note}" for note in raw.notes))
    extent = np.ptp(raw.points, axis=0)
    old, merged, unused = _compact(raw, near * float(np.sqrt(extent @ extent)))
    from_solid = len(raw.tetrahedra) > 0
    if from_solid:
        _take_surface(raw)
        old = old[_drop_unused(raw)]
    found = examine(raw.points, raw.triangles)
    defects, texts = defect_texts(raw, old, found)
    done = repaired(raw, repairs)
    if done:
        old = old[_drop_unused(raw)]
        found = examine(raw.points, raw.triangles)
    _refuse_collapsed(raw, found)
    geometry, renamed = _geometry(raw)
    size = np.ptp(raw.points, axis=0)
    volume = signed_volume(raw.points, raw.triangles) if found.closed else None
    first = f"{raw.name}: {len(raw.points)} vertices, {len(raw.triangles)} triangles"
    if from_solid:
        first += f", {len(raw.tetrahedra)} tetrahedra"
    shape = "closed" if found.closed else "open" if found.parts else "lines"
    lines = [first, f"size {size_text(size, scale)}",
             f"{shape}, parts: {found.parts}, borders: {len(found.borders)}"
             + (f", volume {volume:.4g} m3" if volume is not None else "")]  # fmt: skip
    if merged:
        lines.append(f"merged {merged} vertices with others at the same place")
    if len(unused):
        lines.append(f"left out {len(unused)} vertices that nothing uses: {', '.join(map(str, unused[:5].tolist()))}"
                     + (", ..." if len(unused) > 5 else ""))
    if geometry.groups:
        lines.append(f"groups: {', '.join(geometry.groups)}")
    raw.notes += renamed
    lines += [*texts, *(f"repaired: {text}" for text in done), *raw.notes]
    mesh = Mesh((geometry,))
    mesh.report = MeshReport(
        raw.name, size, scale, len(raw.points), len(raw.triangles), len(raw.tetrahedra), tuple(geometry.groups),
        found.closed, found.parts, volume, merged, unused, defects, tuple(done), tuple(raw.notes), tuple(lines),
    )  # fmt: skip
    _warn(mesh.report, texts, found, scale)
    return mesh


def _warn(report: MeshReport, texts: list[str], found: Findings, scale: float) -> None:
    if scale == 1.0 and size_doubt(report.size):
        warnings.warn(f"{report.file}: size {size_text(report.size, scale)}", UserWarning, stacklevel=4)
    left = [len(a) for a in (found.degenerate, found.duplicates, found.non_manifold, found.flipped, found.inside_out)]
    if any(left):
        faults = "; ".join(text for text in texts if "borders" not in text)
        warnings.warn(f"{report.file}: {faults} (read_mesh(..., repair=True) repairs what can be)", UserWarning,
                      stacklevel=4)


def _take_surface(raw: RawMesh) -> None:
    """The triangles become the surface of the tetrahedra: faces of one of them only, seen from outside."""
    p = raw.points[raw.tetrahedra]
    volume = np.einsum("ij,ij->i", p[:, 1] - p[:, 0], np.cross(p[:, 2] - p[:, 0], p[:, 3] - p[:, 0]))
    size = np.ptp(p, axis=1).max(axis=1, initial=0.0)
    flat = np.flatnonzero(np.abs(volume) <= 1e-12 * size**3)
    if len(flat):
        raise MeshError(f"{raw.name}: tetrahedron {flat[0] + 1}: must have a volume, got four corners in a plane")
    turned = int((volume < 0).sum())
    if turned:
        raw.tetrahedra[volume < 0] = raw.tetrahedra[volume < 0][:, [0, 2, 1, 3]]
        raw.notes.append(f"turned {turned} tetrahedra with a negative volume")
    sides = raw.tetrahedra[:, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]].reshape(-1, 3)
    _, first, counts = np.unique(np.sort(sides, axis=1), axis=0, return_index=True, return_counts=True)
    outside = np.sort(first[counts == 1])
    raw.triangles, raw.uv, raw.lines = sides[outside], None, None
    raw.faces = np.arange(len(outside)) + 1


def _compact(raw: RawMesh, tolerance: float) -> tuple[np.ndarray, int, np.ndarray]:
    """Merge points and leave out unused ones: (number in the file of each point kept, merged, numbers of unused)."""
    n = len(raw.points)
    used = np.zeros(n, bool)
    for cells in (raw.triangles, raw.edges, raw.tetrahedra):
        used[cells.ravel()] = True
    unused = np.flatnonzero(~used) + 1
    first = merge_points(raw, tolerance)
    if tolerance > 0 or len(np.unique(first)) < n:
        raw.renumber(first, raw.points)
    kept = _drop_unused(raw)
    return kept, int(used.sum()) - len(kept), unused


def _drop_unused(raw: RawMesh) -> np.ndarray:
    """Leave out points of no cell; (n,) old numbers of those kept."""
    used = np.zeros(len(raw.points), bool)
    for cells in (raw.triangles, raw.edges, raw.tetrahedra):
        used[cells.ravel()] = True
    kept = np.flatnonzero(used)
    new = np.full(len(used), -1, np.int64)
    new[kept] = np.arange(len(kept))
    raw.renumber(new, raw.points[kept])
    raw.edges = raw.edges[raw.edges[:, 0] != raw.edges[:, 1]]
    return kept


def _refuse_collapsed(raw: RawMesh, found: Findings) -> None:
    if len(found.collapsed):
        few = ", ".join(raw.where(t) for t in found.collapsed[:5])
        raise MeshError(f"{raw.name}: faces must have three different corners, got fewer in {len(found.collapsed)}: "
                        f"{few}; repair=True (or repair='collapsed') leaves them out, a smaller merge may keep their "
                        "corners apart")
    if len(raw.tetrahedra) and (np.diff(np.sort(raw.tetrahedra, axis=1), axis=1) == 0).any():
        raise MeshError(f"{raw.name}: tetrahedra must have four different corners; pass a smaller merge")
    if not len(raw.triangles) and not len(raw.edges):
        raise MeshError(f"{raw.name}: must hold faces, got none that can be used")


def _geometry(raw: RawMesh) -> tuple[Geometry, list[str]]:
    groups: dict[str, np.ndarray] = {}
    renamed = []
    for name, group in raw.groups.items():
        usable = usable_name(name)
        if len(group):
            groups[usable] = np.union1d(groups.get(usable, group), group)
        if usable != name:
            renamed.append(f"group {name!r} is called {usable!r}")
    cells = {"triangles": raw.triangles, "edges": raw.edges, "tetrahedra": raw.tetrahedra}
    given: dict[str, Any] = {name: array for name, array in cells.items() if len(array)}
    if raw.uv is not None:
        given["uv"] = raw.uv
    shape = Geometry(points=raw.points, groups=groups, **given)
    try:
        return checked_copy(shape, raw.name, {}), renamed
    except FieldError as error:
        raise MeshError(str(error)) from None


def usable_name(name: str) -> str:
    """A group's name that paths can hold: without spaces, dots, brackets, and no number or word that paths use."""
    clean = "".join("_" if mark in "[]. \t" or not mark.isprintable() else mark for mark in name) or "unnamed"
    return f"group_{clean}" if clean in RESERVED or not clean.strip("0123456789-,:") else clean
