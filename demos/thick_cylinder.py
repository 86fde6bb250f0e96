"""A quarter of a thick cylinder under growing pressure, with two planes of symmetry: Lame's solution."""
import math

import numpy as np

from components import Appearance, BoundaryConditions, BoundaryElements, Material
from components.prefabs import arc, outline
from framework import Check, World, run
from systems import standard

FRAMES = 30


def build(inner: float = 1.0, outer: float = 2.0, pressure: float = 1.0, elements: int = 8) -> World:
    world = World(systems=standard(), frame_time=1 / 30, substeps=1)
    world.spawn(
        outline([arc((0, 0), inner, math.pi / 2, 0, elements, name="inner")],   # clockwise: the material is outside
                [arc((0, 0), outer, 0, math.pi / 2, elements, name="outer")], spacing=0.1),
        Material(young_modulus=1000.0, poisson_ratio=0.3),
        BoundaryElements(analysis="plane strain", symmetry="xy"),
        BoundaryConditions.pressure("inner", [0, pressure], times=(0, 1)),
        Appearance(colour_by="stress"), name="cylinder")
    world.watch("widening", "cylinder.displacement[inner].norm.mean")
    return world


def expect(world: World) -> list[Check]:
    # Lame: u_r = (1 + nu) / E p a^2 ((1 - 2 nu) r + b^2 / r) / (b^2 - a^2), sigma_t(a) = p (b^2 + a^2) / (b^2 - a^2).
    u = np.linalg.norm(world.value("cylinder.displacement[inner]"), axis=1).mean()
    inner = np.abs(np.linalg.norm(world.value("cylinder.geometry.points"), axis=1) - 1) < 1e-6
    hoop = world.value("cylinder.stress.principal")[inner, 0].mean()
    return [Check("widening at the inner radius [m]", u, near=0.0019066667, tolerance=1e-6),
            Check("hoop stress there [Pa]", hoop, near=5 / 3, tolerance=0.01)]


if __name__ == "__main__":
    run(build, expect, frames=FRAMES)
