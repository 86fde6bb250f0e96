"""Supports of the packed bodies: which degrees of freedom the solver does not move, and the prescribed motions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from components import Driven, Supports, driven_state
from systems.dynamics.packing import Packed

if TYPE_CHECKING:
    from framework import World


class PackedSupports:
    """A cache of Supports for the solvers.

    fixed (n, 3) bool: held or driven axes. inverse_mass (n,) [1/kg]: 0 where a particle is held along all three.
    Particles held along one or two axes keep their mass; `hold_forces` and `enforce` take care of those axes.
    """

    def __init__(self, world: World, packed: Packed) -> None:
        self.fixed = np.zeros(packed.x.shape, bool)
        self.driven: list[tuple[np.ndarray, Driven]] = []
        for entity, supports in world.query(Supports):
            if entity not in packed.ids:
                continue
            part = packed.rows(entity)
            self.fixed[part] = supports.fixed
            for driven in supports.driven or ():
                still_fixed = supports.fixed[driven.nodes] & driven.axes
                if still_fixed.any():
                    self.driven.append((driven.nodes.astype(np.int64) + part.start, driven))
        whole = self.fixed.all(axis=1)
        self.inverse_mass = np.where(whole, 0.0, 1.0 / packed.m)
        self.any = bool(self.fixed.any())
        held = self.fixed.copy()
        for nodes, driven in self.driven:
            held[np.ix_(nodes, driven.axes)] = False
        self._force_axes = np.flatnonzero(self.fixed & ~whole[:, None])
        self._held_axes = np.flatnonzero(held & ~whole[:, None])
        self._still_axes = np.flatnonzero(held)
        self._held_at = np.empty(0)

    def begin(self, x: np.ndarray, v: np.ndarray) -> None:
        """Start a substep: held axes stop, and stay where they are now."""
        if len(self._still_axes):
            v.reshape(-1)[self._still_axes] = 0.0
        if len(self._held_axes):
            self._held_at = x.reshape(-1)[self._held_axes]

    def hold_forces(self, f: np.ndarray) -> None:
        """No force along held axes of particles that are free along others."""
        if len(self._force_axes):
            f.reshape(-1)[self._force_axes] = 0.0

    def enforce(self, x: np.ndarray, v: np.ndarray, time: float) -> None:
        """Put held axes back and driven ones to their prescribed state at `time` [s]."""
        if len(self._held_axes):
            x.reshape(-1)[self._held_axes] = self._held_at
            v.reshape(-1)[self._held_axes] = 0.0
        for nodes, driven in self.driven:
            where = np.ix_(nodes, driven.axes)
            at, speed = driven_state(driven, time)
            x[where], v[where] = at[:, driven.axes], speed[:, driven.axes]

    def end_positions(self, x: np.ndarray, time: float) -> np.ndarray:
        """x with driven axes where they are at `time` [s]: what an implicit step must reach."""
        end = x.copy()
        for nodes, driven in self.driven:
            end[np.ix_(nodes, driven.axes)] = driven_state(driven, time)[0][:, driven.axes]
        return end
