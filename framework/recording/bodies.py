"""The bodies of a recorded frame as meshes with fields, for other programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from framework.recording.reader import Recording

CELLS = {"edges": 2, "triangles": 3}  # fields of a geometry -> corners


@dataclass(frozen=True)
class Body:
    """points (n, 3) [m]; cells: name of a field of the geometry -> corners (c, k) int32.

    point_fields: name -> (n,) or (n, k); units: name -> unit. Names are component_field.
    """

    name: str
    points: np.ndarray
    cells: dict[str, np.ndarray]
    point_fields: dict[str, np.ndarray]
    units: dict[str, str]


def bodies(recording: Recording, frame: int) -> Iterator[Body]:
    """All entities of a frame that have particles. The lines of a surface's mesh are left out."""
    schema = recording.part(frame, "schema")
    for name, parts in recording.entities(frame).items():
        points = parts.get("position", {}).get("x")
        if points is None:
            continue
        cells, fields, units = {}, {}, {}
        for part, values in parts.items():
            for field, value in values.items():
                unit, _, shape = schema[part]["fields"][field]
                if not isinstance(value, np.ndarray):
                    continue
                if part == "geometry" and field in CELLS:
                    cells[field] = value
                elif shape[:1] == ["n"] and value.ndim <= 2 and value.dtype.kind in "biuf" and (part != "position"):
                    fields[f"{part}_{field}"], units[f"{part}_{field}"] = value, unit
        if len(cells.get("triangles", ())):
            cells.pop("edges", None)
        yield Body(name, points, cells, fields, units)
