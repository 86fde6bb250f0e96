"""A force of one's own in twenty lines: the particles of a turning disc attract each other and gather in clumps."""
import numpy as np

from components import Appearance, Camera, Force, Mass, Position, Velocity
from framework import Check, ForceSystem, Step, World, kernel, run
from systems import standard

FRAMES = 300


class SelfGravity(ForceSystem):
    """F = -G m M / r^2 between the particles of a body. Limitations: O(n^2)."""

    reads, adds = (Position, Mass), (Force,)

    def __init__(self, G: float = 6.674e-11, softening: float = 0.0) -> None:
        self.G, self.softening = G, softening  # parameters only, never state

    def process(self, world: World, step: Step) -> None:
        for _, position, mass, force in world.query(Position, Mass, Force):
            attract(position.x, mass.m, self.G, self.softening, force.f)


@kernel  # our cached njit: it notices edits in helpers
def attract(x, m, G, softening, f):
    for i in range(len(x)):
        for j in range(i):
            dx, dy, dz = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, 2] - x[i, 2]
            square = dx * dx + dy * dy + dz * dz + softening * softening
            pull = G * m[i] * m[j] / (square * np.sqrt(square))
            for c, d in ((0, dx), (1, dy), (2, dz)):
                f[i, c] += pull * d
                f[j, c] -= pull * d


def build(particles: int = 600, disc: float = 0.15, seed: int = 0) -> World:
    """A core of mass 1 and a disc of `particles` that together have the mass `disc`, on circles around it."""
    world = World(systems=[*standard(), SelfGravity(G=1.0, softening=0.05)], frame_time=1 / 60, substeps=6, seed=seed)
    world.spawn(Camera(eye=(0.4, 2.0, 2.3), field_of_view=38), name="camera")
    random = world.random("disc")
    r, angle = np.sqrt(random.uniform(0.06, 1.0, particles)), random.uniform(0, 2 * np.pi, particles)
    x = np.column_stack([r * np.cos(angle), random.normal(0, 0.02, particles), r * np.sin(angle)])
    v = (np.sqrt((1 + disc * r**2) / r) / r)[:, None] * np.column_stack([x[:, 2], 0 * r, -x[:, 0]])
    x, v = np.vstack([[0, 0, 0], x]), np.vstack([-disc * v.mean(axis=0), v])  # the core balances the momentum
    world.spawn(Position(x=x), Velocity(v=v), Mass(m=np.append(1.0, np.full(particles, disc / particles))),
                Appearance(colour_by="velocity", low=0.5, high=2.5, colours="ember", size=2.5), name="disc")
    world.watch("linear", "disc.momentum.linear.norm")
    world.watch("angular", "disc.momentum.angular.y")
    return world


def expect(world: World) -> list[Check]:
    spin = world.series("angular")[1]
    return [Check("largest momentum [kg m/s]", world.series("linear")[1].max(), below=1e-12),
            Check("angular momentum, largest change", abs(spin / spin[0] - 1).max(), below=1e-12)]


if __name__ == "__main__":
    run(build, expect, frames=FRAMES)
