"""VTK's XML files of unstructured grids, for ParaView: https://docs.vtk.org/en/latest/design_documents/VTKFileFormats.html

Arrays are inline and binary: their size in bytes as a 64-bit number and the bytes, in base64.
"""

from __future__ import annotations

import base64
import struct
from collections.abc import Iterable
from pathlib import Path
from xml.sax.saxutils import quoteattr

import numpy as np

from framework.recording.bodies import Body

TYPES = {"vertex": 1, "edges": 3, "triangles": 5}
KINDS = {"float64": "Float64", "int32": "Int32", "int64": "Int64", "uint8": "UInt8"}
_OPEN = '<VTKFile type="{}" version="1.0" byte_order="LittleEndian" header_type="UInt64">\n'


def write_vtu(path: Path, body: Body) -> None:
    """One body at one time: its cells, or its points as cells where it has none, and its fields."""
    n = len(body.points)
    cells = body.cells or {"vertex": np.arange(n, dtype=np.int32)[:, None]}
    corners = np.concatenate([cell.ravel() for cell in cells.values()])
    sizes = np.concatenate([np.full(len(cell), cell.shape[1], np.int64) for cell in cells.values()])
    kinds = np.concatenate([np.full(len(cell), TYPES[name], np.uint8) for name, cell in cells.items()])
    lines = [
        '<?xml version="1.0"?>\n', _OPEN.format("UnstructuredGrid"),
        f'<UnstructuredGrid><Piece NumberOfPoints="{n}" NumberOfCells="{len(sizes)}">\n',
        "<Points>\n", _array("Points", body.points), "</Points>\n<Cells>\n",
        _array("connectivity", corners.astype(np.int64)), _array("offsets", np.cumsum(sizes)), _array("types", kinds),
        "</Cells>\n<PointData>\n",
        *(_array(name, values) for name, values in body.point_fields.items()),
        "</PointData>\n</Piece></UnstructuredGrid>\n</VTKFile>\n",
    ]  # fmt: skip
    path.write_text("".join(lines), encoding="ascii")


def write_pvd(path: Path, files: Iterable[tuple[float, int, str]]) -> None:
    """The time series: (time [s], number of the body, file beside `path`)."""
    rows = [f'<DataSet timestep="{time!r}" part="{part}" file={quoteattr(name)}/>\n' for time, part, name in files]
    path.write_text("".join(['<?xml version="1.0"?>\n', _OPEN.format("Collection"), "<Collection>\n", *rows,
                             "</Collection>\n</VTKFile>\n"]), encoding="utf-8")


def _array(name: str, values: np.ndarray) -> str:
    values = np.ascontiguousarray(values.astype(np.uint8) if values.dtype.kind == "b" else values)
    if values.dtype.name not in KINDS:
        values = values.astype(np.float64)
    data = values.astype(values.dtype.newbyteorder("<"), copy=False).tobytes()
    text = base64.b64encode(struct.pack("<Q", len(data)) + data).decode()
    columns = values.shape[1] if values.ndim == 2 else 1
    return (f'<DataArray type="{KINDS[values.dtype.name]}" Name={quoteattr(name)} NumberOfComponents="{columns}" '
            f'format="binary">{text}</DataArray>\n')
