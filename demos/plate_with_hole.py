"""An endless plate with a hole is pulled: boundary elements on the left, Kirsch's solution on the right."""
import math

import numpy as np

from components import Appearance, BoundaryElements, Material, Position, Stress, Transform
from components.prefabs import arc, outline
from framework import Check, World, run
from systems import standard

FRAMES = 30


def kirsch(x: np.ndarray, hole: float, pull: float) -> np.ndarray:
    """(n, 3, 3) stress at x (n, 3) around a hole in a plate that is pulled along x (Kirsch 1898)."""
    q, t = hole**2 / (x * x).sum(axis=1), np.arctan2(x[:, 1], x[:, 0])
    radial = 0.5 * pull * (1 - q + (1 - 4 * q + 3 * q * q) * np.cos(2 * t))
    hoop = 0.5 * pull * (1 + q - (1 + 3 * q * q) * np.cos(2 * t))
    shear = -0.5 * pull * (1 + 2 * q - 3 * q * q) * np.sin(2 * t)
    c, s, found = np.cos(t), np.sin(t), np.zeros((len(x), 3, 3))
    found[:, 0, 0] = radial * c * c + hoop * s * s - 2 * shear * s * c
    found[:, 1, 1] = radial * s * s + hoop * c * c + 2 * shear * s * c
    found[:, 0, 1] = found[:, 1, 0] = (radial - hoop) * s * c + shear * (c * c - s * s)
    return found


def build(hole: float = 0.5, elements: int = 20, pull: float = 1e6) -> World:
    world = World(systems=standard(), frame_time=1 / 30, substeps=1)
    size = 4 * hole
    shape = outline([arc((0, 0), hole, 2 * math.pi, 0, elements, name="hole")],
                    fill=((-size, -size), (size, size)), spacing=0.14 * hole)
    world.spawn(
        shape, Material(young_modulus=210e9, poisson_ratio=0.3),
        BoundaryElements(analysis="plane stress", infinite=True), Appearance(colour_by="stress"), name="plate")
    exact = kirsch(shape.points, hole, pull)
    deviator = exact - np.trace(exact, axis1=1, axis2=2)[:, None, None] / 3 * np.eye(3)
    equivalent = np.sqrt(1.5 * (deviator**2).sum(axis=(1, 2)))
    world.spawn(
        shape, Transform(translation=(2.1 * size, 0, 0)), Position(),
        Stress(von_mises=equivalent, tensor=exact), Appearance(colour_by="stress"), name="kirsch")
    world.at(0.0).set("plate.far_stress", np.diag([pull, 0, 0]), ramp=0.9)
    world.watch("highest", "plate.stress[hole].max")
    return world


def expect(world: World) -> list[Check]:
    # Hoop stress 3 above the hole and -1 beside it.
    found, exact = world.value("plate.stress.tensor"), world.value("kirsch.stress.tensor")
    error = np.abs(found - exact).max() / world.value("plate.far_stress").max()
    top = np.argmax(exact[:, 0, 0])
    return [Check("hoop stress above the hole [Pa]", found[top, 0, 0], near=3e6, tolerance=3e3),
            Check("largest error of a stress, of the pull", error, below=0.001)]


if __name__ == "__main__":
    run(build, expect, frames=FRAMES)
