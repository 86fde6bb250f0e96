"""PLY and OBJ, the files of polygon modellers, one a body and frame."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from framework.recording.bodies import Body

_PLY = {"f": "double", "i": "int", "u": "uint", "b": "uchar"}


def write_ply(path: Path, body: Body) -> None:
    """Binary little-endian PLY: vertices with all fields as properties (vectors: name_x, name_y, ...), faces, edges."""
    columns: list[tuple[str, np.ndarray]] = [(axis, body.points[:, k]) for k, axis in enumerate("xyz")]
    for name, values in body.point_fields.items():
        if values.ndim == 1:
            columns.append((name, values))
        else:
            letters = "xyz" if values.shape[1] == 3 else [str(k) for k in range(values.shape[1])]
            columns += [(f"{name}_{letter}", values[:, k]) for k, letter in enumerate(letters)]
    kinds = {"f": "<f8", "i": "<i4", "u": "<u4", "b": "u1"}
    vertices = np.empty(len(body.points), [(name, kinds[values.dtype.kind]) for name, values in columns])
    for name, values in columns:
        vertices[name] = values
    header = ["ply", "format binary_little_endian 1.0", "comment written by pliant; lengths in m",
              f"element vertex {len(vertices)}"]
    header += [f"property {_PLY[values.dtype.kind]} {name}" for name, values in columns]
    data = [vertices.tobytes()]
    triangles, edges = body.cells.get("triangles"), body.cells.get("edges")
    if triangles is not None:
        header += [f"element face {len(triangles)}", "property list uchar int vertex_indices"]
        faces = np.empty(len(triangles), [("count", "u1"), ("corners", "<i4", 3)])
        faces["count"], faces["corners"] = 3, triangles
        data.append(faces.tobytes())
    if edges is not None:
        header += [f"element edge {len(edges)}", "property int vertex1", "property int vertex2"]
        data.append(edges.astype("<i4").tobytes())
    path.write_bytes("\n".join([*header, "end_header", ""]).encode() + b"".join(data))


def write_obj(path: Path, body: Body) -> None:
    """Wavefront OBJ: points, faces and lines; it holds no fields."""
    lines = [f"# {body.name}, lengths in m", f"o {body.name}"]
    lines += [f"v {x!r} {y!r} {z!r}" for x, y, z in body.points.tolist()]
    lines += [f"f {a} {b} {c}" for a, b, c in (body.cells.get("triangles", np.zeros((0, 3), int)) + 1).tolist()]
    lines += [f"l {a} {b}" for a, b in (body.cells.get("edges", np.zeros((0, 2), int)) + 1).tolist()]
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
