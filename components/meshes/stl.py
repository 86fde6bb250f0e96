"""STL files, text and binary: read here, strictly, since other readers take a garbled text for numbers.

Format: Burns, Automated Fabrication (1993), section 6.5. Normals and attributes are skipped.
"""
from __future__ import annotations

import numpy as np

from components.meshes.raw import RawMesh
from framework.errors import MeshError

HEADER = 84
RECORD = np.dtype([("normal", "<f4", (3,)), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
FACET = ("facet normal", "outer loop", "vertex", "vertex", "vertex", "endloop", "endfacet")


def read_stl(name: str, data: bytes) -> RawMesh:
    """The mesh in the bytes of an STL file: three points a triangle, in the order of the file."""
    if len(data) >= HEADER:
        count = int(np.frombuffer(data, "<u4", 1, 80)[0])
        if HEADER + count * RECORD.itemsize == len(data):
            corners = np.frombuffer(data, RECORD, count, HEADER)["corners"]
            return _raw(name, corners.astype(float).reshape(-1, 3), None)
        if not data.lstrip()[:5].lower() == b"solid":
            raise MeshError(f"{name}, byte 80: a binary STL of {count} triangles must have "
                            f"{HEADER + count * RECORD.itemsize} bytes, got {len(data)}")
    if not data.lstrip()[:5].lower() == b"solid":
        raise MeshError(f"{name}, byte 0: a text STL must begin with 'solid', got {data[:12]!r}")
    return _read_text(name, data.decode("utf-8", errors="replace"))


def _read_text(name: str, text: str) -> RawMesh:
    points: list[tuple[float, ...]] = []
    lines: list[int] = []
    at = 0  # place in FACET
    for number, line in enumerate(text.replace("\r", "\n").split("\n"), start=1):
        words = line.split()
        if not words or (words[0].lower() in ("solid", "endsolid") and at == 0):
            continue
        wanted = FACET[at].split()
        if [word.lower() for word in words[: len(wanted)]] != wanted:
            rule = f"'{FACET[at]}' must come here"
            raise MeshError(f"{name}, line {number}: {rule}, got {line.strip()[:60]!r}")
        if wanted == ["vertex"]:
            try:
                values = tuple(float(word) for word in words[1:])
            except ValueError:
                values = ()
            if len(values) != 3 or "_" in line:
                raise MeshError(f"{name}, line {number}: vertex must have three numbers, got {line.strip()[:60]!r}")
            points.append(values)
        if at == 0:
            lines.append(number)
        at = (at + 1) % len(FACET)
    if at:
        raise MeshError(f"{name}: ends within a facet: '{FACET[at]}' must come")
    return _raw(name, np.array(points, float).reshape(-1, 3), np.array(lines, np.int64))


def _raw(name: str, points: np.ndarray, lines: np.ndarray | None) -> RawMesh:
    triangles = np.arange(len(points)).reshape(-1, 3)
    return RawMesh(name, points, triangles, np.arange(len(triangles)) + 1, lines)
