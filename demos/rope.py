"""A slack rope settles between two posts, is let go at one of them after 3 s, and swings."""
import numpy as np

from components import (
    Appearance,
    BoundaryConditions,
    Camera,
    Collider,
    Drag,
    Gravity,
    MassSpring,
    Material,
    Position,
)
from components.prefabs import rope
from framework import Check, World, run
from systems import standard

FRAMES = 480
RELEASE = 3.0  # s


def build(segments: int = 40, stretch: float = 2e4) -> World:
    world = World(systems=standard(), frame_time=1 / 60, substeps=40)
    world.spawn(Gravity(acceleration=(0, -9.81, 0)), name="gravity")
    world.spawn(Collider.plane(point=(0, -1.65, 0)), name="ground")
    world.spawn(Camera(eye=(0.9, -0.2, 3.6), target=(-0.35, -0.75, 0), field_of_view=33), name="camera")
    world.spawn(
        rope(start=(-0.5, 0, 0), end=(0.5, 0, 0), segments=segments, length=1.5),
        Material(total_mass=1.0),
        MassSpring(stretch=stretch, bend=5.0, damping_ratio=0.2),
        Drag(coefficient=0.1),
        BoundaryConditions.fixed("ends"),
        Appearance(colour="orange", size=5),
        name="rope")
    for name, x in (("post_left", -0.5), ("post_right", 0.5)):
        post = rope(start=(x, -1.65, 0), end=(x, 0, 0), segments=1)
        world.spawn(post, Position(), Appearance(colour="#7a6a58", size=7), name=name)
    world.at(RELEASE).set("rope.conditions", BoundaryConditions.fixed("start").conditions)
    world.at(RELEASE).set("rope.drag.coefficient", 1e-3)
    world.watch("lowest", "rope.position.y.min")
    return world


def expect(world: World) -> list[Check]:
    times, lowest = world.series("lowest")
    x = world.value("rope.position")
    length = np.linalg.norm(np.diff(x, axis=0), axis=1).sum()
    # A rigid chain of 40 links sags 0.50284 m. The mean tension of 3.27 N stretches this one by 0.0044 to 1.5065 m, and
    # a catenary sags 0.63 m more per metre: 0.0041, and some of that depends on where it stretches. Hanging from one
    # end its mean tension is 4.9 N: 0.0065 of its length, doubled where it swings hard.
    return [Check("sag before the release [m]", -lowest[abs(times - RELEASE).argmin()], near=0.507, tolerance=5e-4),
            Check("length at the end [m]", length, near=1.5 * 1.0065, tolerance=0.015)]


if __name__ == "__main__":
    run(build, expect, frames=FRAMES)
