"""Twelve pendulums, each faster than the last, part and meet again after ten periods of the first."""
import numpy as np

from components import Appearance, BoundaryConditions, Camera, Geometry, Gravity, Mass, MassSpring, VelocityVerlet
from framework import Check, World, run
from systems import standard

FRAMES = 1225
COUNT, AMPLITUDE, G = 12, np.radians(30), 9.81
PERIOD = 2.0409898895191305  # s: 4 sqrt(L / g) K(sin(AMPLITUDE / 2)) for L = 1 m, K the complete elliptic integral


def build(stretch: float = 1e5, mass: float = 0.1) -> World:
    world = World(systems=standard(), frame_time=1 / 60, substeps=20, integrator=VelocityVerlet())
    world.spawn(Gravity(acceleration=(0, -G, 0)), name="gravity")
    world.spawn(Camera(eye=(1.5, -0.1, 2.6), target=(0.02, -0.42, 0), field_of_view=23), name="camera")
    number = np.arange(COUNT)
    length = (10 / (10 + number)) ** 2  # the period goes with the root of the length
    across = 0.09 * (number - (COUNT - 1) / 2)
    pivots = np.column_stack([0 * length, 0 * length, across])
    bobs = np.column_stack([length * np.sin(AMPLITUDE), -length * np.cos(AMPLITUDE), across])
    world.spawn(
        Geometry(points=np.vstack([pivots, bobs]), edges=np.column_stack([number, number + COUNT]),
                 groups={"pivots": number, "bobs": number + COUNT}),
        Mass(m=mass),
        MassSpring(stretch=stretch, damping_ratio=0.05),
        BoundaryConditions.fixed("pivots"),
        Appearance(colour="#c8553d", size=5),
        name="pendulums")
    world.watch("first", f"pendulums.position[{COUNT}].first.x")
    return world


def expect(world: World) -> list[Check]:
    times, x = world.series("first")
    falling = np.flatnonzero((x[:-1] > 0) & (x[1:] <= 0))
    zeros = times[falling] + (times[1] - times[0]) * x[falling] / (x[falling] - x[falling + 1])
    period = np.diff(zeros).mean() if len(zeros) > 1 else np.nan
    bobs = world.value("pendulums.position[bobs]")
    angles = np.degrees(np.arctan2(bobs[:, 0], -bobs[:, 1]))
    # Period: the string is longer by m g / k = 1e-5 m, half of that in the period (1e-5 s); a zero read off the line
    # between two frames h apart errs by (w h)^2 h / 31 = 1.4e-6 s. Angles: the last frame is 6.8 ms late, 0.044 rad of
    # the fastest one's phase, and its stretch adds 0.003 rad: 30 (1 - cos 0.047) = 0.033.
    return [Check("period of the first [s]", period, near=PERIOD, tolerance=2e-5),
            Check("least angle after ten periods [deg]", angles.min(), near=30, tolerance=0.05)]


if __name__ == "__main__":
    run(build, expect, frames=FRAMES)
