"""What can colour a body: fields with a number or a vector for each particle."""
from __future__ import annotations

from typing import Any

import numpy as np

from framework.component import info


def colourable(world: Any, only: int | None = None) -> dict[str, tuple[str, list[str]]]:
    """Fields with a number or a vector per particle: `component.field` -> (unit, names of the bodies with it).

    only: the id of the one entity that is asked for.
    """
    found: dict[str, tuple[str, list[str]]] = {}
    for entity, parts in sorted(world.store):
        if (only is not None and entity != only) or "position" not in {info(cls).name for cls in parts}:
            continue
        for cls, part in parts.items():
            about = info(cls)
            for field in about.fields.values():
                value = getattr(part, field.name)
                if field.shape in (("n",), ("n", 3)) and isinstance(value, np.ndarray) and value.dtype.kind == "f":
                    key = about.name if field.principal else f"{about.name}.{field.name}"
                    found.setdefault(key, (field.unit, []))[1].append(world.store.names[entity])
    return dict(sorted(found.items()))
