"""All dynamic bodies in contiguous arrays: a cache of the world. The bodies' components are views of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from components import Force, Mass, Position, Velocity

if TYPE_CHECKING:
    from framework import World


@dataclass(frozen=True)
class Packed:
    """Arrays of all particles of all bodies, bodies in the order of their ids.

    ids (b,): entities; starts (b + 1,): first particle of each. x [m], v [m/s], f [N]: (n, 3); m [kg]: (n,).
    """

    ids: tuple[int, ...]
    starts: np.ndarray
    x: np.ndarray
    v: np.ndarray
    f: np.ndarray
    m: np.ndarray

    def rows(self, entity: int) -> slice:
        """The particles of an entity."""
        i = self.ids.index(entity)
        return slice(int(self.starts[i]), int(self.starts[i + 1]))

    def start(self, entity: int) -> int:
        """The packed number of an entity's first particle."""
        return int(self.starts[self.ids.index(entity)])

    def owner(self, particle: int) -> tuple[int, int]:
        """(entity, index within it) of a packed particle."""
        i = int(np.searchsorted(self.starts, particle, side="right")) - 1
        return self.ids[i], particle - int(self.starts[i])


def pack(world: World) -> Packed:
    """Gather the bodies and rebind their components to slices of the packed arrays."""
    rows = world.query(Position, Velocity, Mass, Force)
    counts = [len(position.x) for _, position, *_ in rows]
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    n = int(starts[-1])
    packed = Packed(
        tuple(row[0] for row in rows), starts, np.empty((n, 3)), np.empty((n, 3)), np.zeros((n, 3)), np.empty(n)
    )
    for i, (_, position, velocity, mass, force) in enumerate(rows):
        part = slice(int(starts[i]), int(starts[i + 1]))
        position.x = _moved(position.x, packed.x[part])
        velocity.v = _moved(velocity.v, packed.v[part])
        mass.m = _moved(mass.m, packed.m[part])
        force.f = packed.f[part]
    return packed


def _moved(old: Any, new: np.ndarray) -> np.ndarray:
    new[...] = old
    return new
