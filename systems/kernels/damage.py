"""Plastic flow and rupture of springs."""
from __future__ import annotations

import math

from framework.kernel import kernel


@kernel
def flow_and_break(x, nodes, rest, yield_strain, rupture_strain, plastic, broken):
    """Perfectly plastic flow, then rupture; returns whether plastic (s,) or broken (s,) changed.

    The elastic strain (l - rest - plastic) / rest is brought back to +-yield_strain by moving the plastic length;
    a spring whose total strain (l - rest) / rest reaches rupture_strain breaks for good.
    """
    changed = False
    for s in range(len(rest)):
        if broken[s] or rest[s] == 0.0:
            continue
        p, q = nodes[s, 0], nodes[s, 1]
        dx, dy, dz = x[q, 0] - x[p, 0], x[q, 1] - x[p, 1], x[q, 2] - x[p, 2]
        extension = math.sqrt(dx * dx + dy * dy + dz * dz) - rest[s]
        limit = yield_strain * rest[s]
        elastic = extension - plastic[s]
        if elastic > limit:
            plastic[s] = extension - limit
            changed = True
        elif elastic < -limit:
            plastic[s] = extension + limit
            changed = True
        if extension >= rupture_strain * rest[s]:
            broken[s] = True
            changed = True
    return changed
