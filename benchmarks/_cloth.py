"""The cloth of the speed figures: n x n particles, structural and diagonal springs, falling on a sphere."""

from __future__ import annotations

import math
import time
from functools import cache
from typing import Any

import numpy as np

from components import Collider, Gravity, Mass, MassSpring, Springs
from components.prefabs import grid
from components.spring_topology import grid_pairs
from framework import World
from systems import standard
from systems.kernels.springs import spring_forces
from systems.kernels.stepping import gravity_add, symplectic_step

H, SUBSTEPS = 0.01, 10
STIFFNESS, DAMPING, MASS, GRAVITY = 100.0, 0.1, 0.3, (0.0, -10.0, 0.0)
RADIUS, FRICTION, HEIGHT = 10.0, 0.5, 10.5


def springs_of(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Pairs (s, 2) and rest lengths (s,) [m] of an n x n cloth with unit spacing."""
    pairs, kinds = grid_pairs([n, n], shear=True, bend=False)
    return pairs, np.where(kinds == 0, 1.0, math.sqrt(2.0))


def cloth_world(n: int, kind: str, integrator: Any = None) -> World:
    """kind: 'grid' leaves the springs to be derived, 'list' gives the same ones as an explicit list."""
    world = World(systems=standard(), frame_time=H * SUBSTEPS, substeps=SUBSTEPS, integrator=integrator, history=False)
    world.spawn(Gravity(acceleration=GRAVITY), name="gravity")
    world.spawn(Collider.sphere(radius=RADIUS, friction=FRICTION), name="sphere")
    parts: list[Any] = [
        grid(size=(n - 1, n - 1), cells=(n - 1, n - 1), plane="xz", centre=(0, HEIGHT, 0)),
        MassSpring(stretch=STIFFNESS, shear=STIFFNESS, damping=DAMPING),
        Mass(m=MASS),
    ]
    if kind == "list":
        pairs, rest = springs_of(n)
        kind_of_each, one = np.zeros(len(rest), np.int32), np.ones(1)
        tables = {"stiffness": STIFFNESS * one, "cubic": 0 * one, "damping": DAMPING * one}
        parts.append(Springs(nodes=pairs, rest=rest, kind=kind_of_each, **tables))
    world.spawn(*parts, name="cloth")
    return world


@cache
def check_path(kind: str) -> None:
    """RuntimeError unless the cloth is solved by the path that its kind asks for."""
    path, text = "structured grid" if kind == "grid" else "list", cloth_world(5, kind).describe()
    if f"({path}" not in text:
        raise RuntimeError(f"the cloth is not solved as a {path}:\n{text}")


class Frames:
    """A world that is put back to its first frame for each measurement."""

    def __init__(self, n: int, kind: str) -> None:
        check_path(kind)
        self.world = cloth_world(n, kind)
        self.start = self.world.snapshot()

    def seconds(self, frames: int) -> float:
        """CPU time of `frames` frames after a first one."""
        self.world.restore(self.start)
        self.world.step()
        began = time.process_time()
        self.world.step(frames)
        return time.process_time() - began


class Kernels:
    """The kernels that one substep of such a world calls, without a world."""

    def __init__(self, n: int) -> None:
        count = n * n
        self.x0 = grid(size=(n - 1, n - 1), cells=(n - 1, n - 1), plane="xz", centre=(0, HEIGHT, 0)).points
        self.x, self.v, self.f = self.x0.copy(), np.zeros((count, 3)), np.zeros((count, 3))
        self.mass, self.gravity = np.full(count, MASS), np.array(GRAVITY)
        self.nodes, self.rest = springs_of(n)
        self.kind = np.zeros(len(self.rest), np.int32)
        self.tables = np.array([STIFFNESS]), np.zeros(1), np.array([DAMPING])
        self.inverse_mass = 1.0 / self.mass
        self.colliders = np.zeros((1, 16))
        self.colliders[0, [7, 11]] = RADIUS, FRICTION

    def step(self) -> None:
        self.f.fill(0.0)
        gravity_add(self.mass, self.gravity, self.f)
        spring_forces(self.x, self.v, self.nodes, self.rest, self.kind, *self.tables, self.f)
        symplectic_step(self.x, self.v, self.f, self.inverse_mass, H, self.colliders)

    def seconds(self, frames: int) -> float:
        """CPU time of `frames` times 10 steps after a first 10, from the start."""
        self.x[...], self.v[...] = self.x0, 0.0
        for _ in range(SUBSTEPS):
            self.step()
        began = time.process_time()
        for _ in range(SUBSTEPS * frames):
            self.step()
        return time.process_time() - began
