"""Two drops of particles that attract each other, and push when too close, meet and come to rest as one round drop."""
import numpy as np

from components import Appearance, Attraction, Camera, Drag, Mass, Position, Velocity
from framework import Check, World, run
from systems import standard

FRAMES = 480
SPACING, DROPS = 0.12, {"left": (-1.0, "steelblue"), "right": (1.0, "orange")}


def build(particles: int = 250, speed: float = 0.3, seed: int = 0) -> World:
    world = World(systems=standard(), frame_time=1 / 60, substeps=6, seed=seed)
    world.spawn(Camera(eye=(0.3, 0.4, 3.6), target=(0, 0, 0), field_of_view=32), name="camera")
    world.spawn(Attraction(strength=0.3, softening=0.05, repulsion=1.5, repulsion_range=0.16), name="cohesion")
    cells = np.stack(np.meshgrid(*[np.arange(-6, 7)] * 3), axis=-1).reshape(-1, 3) * SPACING
    ball = cells[np.argsort((cells**2).sum(axis=1), kind="stable")[:particles]]
    for name, (side, colour) in DROPS.items():
        x = ball + world.random(name).normal(0, 0.1 * SPACING, ball.shape) + (side, 0.3 * side, 0)
        world.spawn(Position(x=x), Velocity(v=(-speed * side, 0, 0)), Mass(m=0.02), Drag(coefficient=0.04),
                    Appearance(colour=colour, size=5), name=name)
        for field in ("energy.kinetic", "momentum.linear"):
            world.watch(f"{name} {field}", f"{name}.{field}")
    return world


def expect(world: World) -> list[Check]:
    x = np.vstack([world.value(f"{name}.position") for name in DROPS])
    momentum = sum(world.series(f"{name} momentum.linear")[1] for name in DROPS)
    extent = np.sqrt(np.linalg.eigvalsh(np.cov(x.T)))
    apart = np.linalg.norm(world.value("left.position.mean") - world.value("right.position.mean"))
    # Pairs act equally and oppositely, and drag keeps zero zero. The axes of a ball are equal, but for the noise of n
    # particles, some sqrt(2 / n) = 0.06, and as much that sticks. Halves of one ball of radius r lie 0.75 r apart.
    radius = np.sqrt(5) * extent.mean()
    kinetic = sum(world.series(f"{name} energy.kinetic")[1] for name in DROPS)
    return [Check("largest momentum [kg m/s]", np.linalg.norm(momentum, axis=1).max(), below=1e-12),
            Check("kinetic energy over its largest", kinetic[-1] / kinetic.max(), below=1e-3),
            Check("longest axis over shortest", extent.max() / extent.min(), below=1.15),
            Check("distance of the drops over the radius", apart / radius, below=0.75 * 1.1)]


if __name__ == "__main__":
    run(build, expect, frames=FRAMES)
