"""A soft block is squeezed between two fingers and pulled: in the window, take hold of it anywhere with the mouse."""
import numpy as np

from components import Appearance, BoundaryConditions, BoundaryElements, Camera, Material, SupportForces
from components.prefabs import box_surface
from framework import Check, World, run
from systems import standard

FRAMES = 90


def left(x: np.ndarray) -> np.ndarray:
    """Which points a finger touches: the middle of one side."""
    return (x[:, 0] < -0.499) & (np.abs(x[:, 1] - 0.1) < 0.21) & (np.abs(x[:, 2]) < 0.21)


def right(x: np.ndarray) -> np.ndarray:
    return (x[:, 0] > 0.499) & (np.abs(x[:, 1] - 0.1) < 0.21) & (np.abs(x[:, 2]) < 0.21)


def build(elements: int = 5, depth: float = 0.12, lift: float = 0.15, young: float = 1e4) -> World:
    world = World(systems=standard(), frame_time=1 / 30, substeps=1)
    times, squeezed = (0, 1, 2, 3), np.array([(0, 0, 0), (depth, 0, 0), (depth, lift, 0), (depth, lift, 0)])
    world.spawn(
        box_surface((1, 1, 1), (elements, elements, elements), "quad8"),
        Material(young_modulus=young, poisson_ratio=0.4),
        BoundaryElements(),
        BoundaryConditions.fixed("bottom") + BoundaryConditions.displacement(left, squeezed, times)
        + BoundaryConditions.displacement(right, squeezed * (-1, 1, 1), times),
        Appearance(colour_by="stress", wireframe=True), name="block")
    world.spawn(Camera(eye=(1.9, 1.3, 2.6), target=(0, 0.02, 0), field_of_view=34), name="camera")
    world.watch("finger", "block.support_forces.force[1].first")
    return world


def expect(world: World) -> list[Check]:
    # The fingers press alike from both sides, and both pull upwards what the bottom holds down.
    bottom, one, other = world.get("block", SupportForces).force
    size = np.abs([one, other]).max()
    return [Check("force of the left finger into the block [N]", one[0], above=0),
            Check("both fingers along x, over their size", (one + other)[0] / size, near=0.0, tolerance=1e-3),
            Check("bottom against both fingers, along y", (bottom + one + other)[1] / size, near=0.0, tolerance=0.02)]


if __name__ == "__main__":
    run(build, expect, frames=FRAMES)
