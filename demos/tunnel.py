"""A tunnel in rock without end, under the weight of what is above it and half of that from the sides."""
import math

import numpy as np

from components import Appearance, BoundaryElements, Material
from components.prefabs import arc, outline
from framework import Check, World, run
from systems import standard

FRAMES = 30


def build(radius: float = 3.0, depth: float = 200.0, side: float = 0.5, elements: int = 24) -> World:
    world = World(systems=standard(), frame_time=1 / 30, substeps=1)
    above = -2700 * 9.81 * depth
    size = 4 * radius
    world.spawn(
        outline([arc((0, 0), radius, 2 * math.pi, 0, elements, name="wall")],
                fill=((-size, -size), (size, size)), spacing=0.14 * radius),
        Material(young_modulus=30e9, poisson_ratio=0.25, yield_stress=11e6),
        BoundaryElements(infinite=True, far_stress=np.diag([side * above, above, 0])),
        Appearance(colour_by="stress"), name="rock")
    return world


def expect(world: World) -> list[Check]:
    # Kirsch (1898) with stress V above and k V from the sides: hoop stress (3 - k) V at the sides, (3 k - 1) V above.
    x, stress = world.value("rock.geometry.points"), world.value("rock.stress.tensor")
    far = 2700 * 9.81 * 200
    side, top = (int(np.argmin(np.linalg.norm(x - p, axis=1))) for p in ((3, 0, 0), (0, 3, 0)))
    return [Check("hoop stress at the side, of the weight", -stress[side, 1, 1] / far, near=2.5, tolerance=0.02),
            Check("hoop stress above", -stress[top, 0, 0] / far, near=0.5, tolerance=0.02)]


if __name__ == "__main__":
    run(build, expect, frames=FRAMES)
