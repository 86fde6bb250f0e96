"""What a mesh file holds, before anything is merged, turned or repaired."""
from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from framework.errors import MeshError


def _none(width: int) -> np.ndarray:
    return np.zeros((0, width), np.int64)


@dataclass
class RawMesh:
    """Arrays as they stand in a file `name`, indices from 0.

    points (n, 3); triangles (t, 3), and for each: the number of its face in the file, from 1, in `faces` (t,), and the
    line in `lines` (t,), where the format has lines; uv (t, 3, 2): texture coordinates of its corners, or None.
    edges (e, 2), tetrahedra (k, 4); groups: name -> points; notes: what was left out.
    """

    name: str
    points: np.ndarray
    triangles: np.ndarray = field(default_factory=lambda: _none(3))
    faces: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    lines: np.ndarray | None = None
    uv: np.ndarray | None = None
    edges: np.ndarray = field(default_factory=lambda: _none(2))
    tetrahedra: np.ndarray = field(default_factory=lambda: _none(4))
    groups: dict[str, np.ndarray] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def where(self, triangle: int) -> str:
        """Which face of the file a triangle is of: '12 (line 34)'."""
        number = str(int(self.faces[triangle]))
        return number if self.lines is None else f"{number} (line {int(self.lines[triangle])})"

    def keep(self, chosen: np.ndarray) -> None:
        """Leave out the triangles that are not `chosen`, (t,) bool or indices."""
        self.triangles, self.faces = self.triangles[chosen], self.faces[chosen]
        self.lines = None if self.lines is None else self.lines[chosen]
        self.uv = None if self.uv is None else self.uv[chosen]

    def renumber(self, new: np.ndarray, points: np.ndarray) -> None:
        """Take other points; `new` (n,) gives the number of each old one there, -1 for none."""
        self.points = points
        self.triangles, self.edges, self.tetrahedra = new[self.triangles], new[self.edges], new[self.tetrahedra]
        self.groups = {name: np.unique(kept[kept >= 0]) for name, kept in self._renumbered(new)}

    def _renumbered(self, new: np.ndarray) -> list[tuple[str, np.ndarray]]:
        return [(name, new[group]) for name, group in self.groups.items()]


def check_raw(raw: RawMesh) -> None:
    """MeshError for coordinates that are no finite numbers and for indices out of range."""
    n = len(raw.points)
    bad = np.flatnonzero(~np.isfinite(raw.points).all(axis=1))
    if len(bad):
        found = raw.points[bad[0]].tolist()
        raise MeshError(f"{raw.name}: vertex {bad[0] + 1}: coordinates must be finite, got {found}")
    for what, cells in (("face", raw.triangles), ("edge", raw.edges), ("tetrahedron", raw.tetrahedra)):
        out = np.flatnonzero(((cells < 0) | (cells >= n)).any(axis=1))
        if len(out):
            row = cells[out[0]]
            wrong = int(row[(row < 0) | (row >= n)][0])
            place = raw.where(int(out[0])) if what == "face" else str(out[0] + 1)
            raise MeshError(f"{raw.name}: {what} {place}: must name vertices from 0 to {n - 1}, got {wrong}")
    for name, group in raw.groups.items():
        if group.size and (group.min() < 0 or group.max() >= n):
            raise MeshError(f"{raw.name}: group {name!r} must hold vertices from 0 to {n - 1}, got {group.max()}")
    if raw.uv is not None and not np.isfinite(raw.uv).all():
        raise MeshError(f"{raw.name}: texture coordinates must be finite")
