"""Wavefront OBJ files: v, vt, f, l, g and o; what else they hold (normals, materials, smoothing) is skipped.

Format: appendix B1 of the Advanced Visualizer manual (Wavefront, 1995). Limitations: no curves and free-form surfaces.
"""
from __future__ import annotations

from itertools import pairwise

import numpy as np

from components.meshes.polygons import MOST_CONCAVE_CORNERS, cut
from components.meshes.raw import RawMesh
from framework.errors import MeshError

SKIPPED = {"vn", "vp", "s", "usemtl", "mtllib", "usemap", "maplib", "shadow_obj", "trace_obj", "lod", "bevel",
           "c_interp", "d_interp", "mg", "p"}  # fmt: skip


def read_obj(name: str, data: bytes) -> RawMesh:
    """The mesh in the bytes of an OBJ file; MeshError with line and rule for what is wrong. `name` is for messages."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise MeshError(f"{name}: an OBJ file must be UTF-8 or ASCII text, got UTF-16; save it as UTF-8")
    if b"\0" in data:
        at = data.index(b"\0")
        raise MeshError(f"{name}: byte {at}: an OBJ file must be text, got a binary file")
    text = data.decode("utf-8-sig", errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    return _Reader(name).read(text.split("\n"))


class _Reader:
    """The statements read so far. Corners are flat lists; `sizes` says how many belong to each face."""

    def __init__(self, name: str) -> None:
        self.name, self.line = name, 0
        self.points: list[tuple[float, float, float]] = []
        self.point_lines: list[int] = []
        self.uv: list[tuple[float, float]] = []
        self.corners: list[int] = []
        self.corner_uv: list[int] = []  # -1: none
        self.sizes: list[int] = []
        self.face_lines: list[int] = []
        self.edges: list[tuple[int, int]] = []
        self.edge_lines: list[int] = []
        self.groups: dict[str, list[int]] = {}
        self.current: dict[str, list[str]] = {"g": [], "o": []}
        self.unknown: dict[str, int] = {}

    def fail(self, rule: str, found: str) -> MeshError:
        return MeshError(f"{self.name}, line {self.line}: {rule}, got {found[:60]!r}")

    def read(self, lines: list[str]) -> RawMesh:
        handlers = {"v": self.vertex, "vt": self.texture, "f": self.face, "l": self.polyline}
        count, number = len(lines), 0
        while number < count:
            line = lines[number]
            number += 1
            self.line = number
            if line.endswith("\\"):
                parts = [line[:-1]]
                while line.endswith("\\") and number < count:
                    line = lines[number]
                    parts.append(line[:-1] if line.endswith("\\") else line)
                    number += 1
                line = " ".join(parts)
            words = line.partition("#")[0].split()
            if not words:
                continue
            key = words[0]
            handler = handlers.get(key)
            if handler is not None:
                handler(words[1:])
            elif key in self.current:
                self.current[key] = words[1:] if key == "g" else [" ".join(words[1:])] if words[1:] else []
            elif key not in SKIPPED:
                self.unknown[key] = self.unknown.get(key, 0) + 1
        return self.mesh()

    def numbers(self, words: list[str], what: str, least: int) -> list[float]:
        if len(words) < least:
            raise self.fail(f"{what} must have at least {least} numbers", " ".join(words))
        try:
            values = [float(word) for word in words]
        except ValueError:
            raise self.fail(f"{what} must be numbers", " ".join(words)) from None
        if any("_" in word for word in words):  # Python reads 1_000 as a number, OBJ does not
            raise self.fail(f"{what} must be numbers", " ".join(words))
        return values

    def vertex(self, words: list[str]) -> None:
        x, y, z = self.numbers(words[:3], "v", 3)  # a weight or a colour may follow
        self.points.append((x, y, z))
        self.point_lines.append(self.line)

    def texture(self, words: list[str]) -> None:
        values = self.numbers(words[:2], "vt", 1)
        self.uv.append((values[0], values[1] if len(values) > 1 else 0.0))

    def index(self, word: str, count: int, what: str) -> int:
        try:
            value = int(word)
        except ValueError:
            value = 0
        if value == 0 or "_" in word or value < -count or value >= 2**31:
            raise self.fail(f"{what} must be whole numbers from 1, or from -{count} to -1", word)
        return value - 1 if value > 0 else count + value

    def face(self, words: list[str]) -> None:
        if len(words) < 3:
            raise self.fail("f must have at least 3 corners", " ".join(words))
        first = len(self.corners)
        for word in words:
            parts = word.split("/")
            self.corners.append(self.index(parts[0], len(self.points), "vertices of f"))
            has = len(parts) > 1 and parts[1]
            self.corner_uv.append(self.index(parts[1], len(self.uv), "texture vertices of f") if has else -1)
        self.sizes.append(len(words))
        self.face_lines.append(self.line)
        for name in dict.fromkeys(self.current["g"] + self.current["o"]):
            self.groups.setdefault(name, []).extend(self.corners[first:])

    def polyline(self, words: list[str]) -> None:
        if len(words) < 2:
            raise self.fail("l must have at least 2 points", " ".join(words))
        ends = [self.index(word.partition("/")[0], len(self.points), "vertices of l") for word in words]
        self.edges += list(pairwise(ends))
        self.edge_lines += [self.line] * (len(ends) - 1)

    def mesh(self) -> RawMesh:
        points = np.array(self.points, float).reshape(-1, 3)
        for i in np.flatnonzero(~np.isfinite(points).all(axis=1))[:1]:
            self.line = self.point_lines[i]
            raise self.fail("v must be finite numbers", " ".join(map(str, self.points[i])))
        sizes, face_lines = np.array(self.sizes, np.int64), np.array(self.face_lines, np.int64)
        corners = self.known(self.corners, len(points), np.repeat(face_lines, sizes), "f must name vertices")
        with_uv = np.array([i for i in self.corner_uv if i >= 0], np.int64)
        self.known(with_uv, len(self.uv), np.repeat(face_lines, sizes)[np.array(self.corner_uv, np.int64) >= 0],
                   "f must name texture vertices")
        ends = self.known(np.array(self.edges, np.int64).ravel(), len(points), np.repeat(self.edge_lines, 2),
                          "l must name vertices")
        raw = RawMesh(self.name, points, edges=ends.reshape(-1, 2))
        raw.groups = {name: np.unique(np.array(group, np.int64)) for name, group in self.groups.items()}
        for key, times in sorted(self.unknown.items())[:5]:
            raw.notes.append(f"skipped {times} lines that begin with {key[:20]!r}")
        self.add_triangles(raw, corners, sizes, face_lines)
        return raw

    def known(self, values: list[int] | np.ndarray, count: int, lines: np.ndarray, what: str) -> np.ndarray:
        array = np.array(values, np.int64)
        for i in np.flatnonzero(array >= count)[:1]:
            self.line = int(lines[i])
            raise self.fail(f"{what} from 1 to {count}", str(array[i] + 1))
        return array

    def add_triangles(self, raw: RawMesh, corners: np.ndarray, sizes: np.ndarray, face_lines: np.ndarray) -> None:
        start = np.cumsum(sizes) - sizes
        slots, owners, crossed = [np.zeros((0, 3), np.int64)], [np.zeros(0, np.int64)], []
        for size in np.unique(sizes):
            faces = np.flatnonzero(sizes == size)
            own = start[faces, None] + np.arange(size)
            local, bad = cut(raw.points, corners[own])
            slots.append(np.take_along_axis(own[:, None, :], local, axis=2).reshape(-1, 3))
            owners.append(np.repeat(faces, size - 2))
            crossed += faces[bad].tolist()
        owner = np.concatenate(owners)
        order = np.argsort(owner, kind="stable")
        slot, owner = np.concatenate(slots)[order], owner[order]
        raw.triangles, raw.faces, raw.lines = corners[slot], owner + 1, face_lines[owner]
        if crossed:
            few = ", ".join(f"{f + 1} (line {face_lines[f]})" for f in sorted(crossed)[:5])
            raw.notes.append(f"{len(crossed)} polygons cross themselves, have no area or are concave with more than "
                             f"{MOST_CONCAVE_CORNERS} corners, and were cut as fans: faces {few}")
        uv = np.array(self.corner_uv, np.int64)[slot]
        with_uv = int((uv >= 0).all(axis=1).sum())
        if len(uv) and with_uv == len(uv):
            raw.uv = np.array(self.uv, float).reshape(-1, 2)[uv]
        elif with_uv:
            raw.notes.append(f"texture coordinates left out: only {with_uv} of {len(uv)} triangles have them")
