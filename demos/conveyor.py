"""A belt carries soft boxes and a cloth; rollers that turn take the boxes on at the same speed."""
import numpy as np

from components import Appearance, Camera, Collider, Gravity, MassSpring, Material, Transform
from components.prefabs import box, grid
from framework import Check, World, run
from systems import standard

FRAMES = 180
SPEED, RADIUS, ROLLERS = 0.8, 0.12, 9
COLOURS = ("#e07a5f", "#3d5a80", "#81b29a")


def build(seed: int = 0) -> World:
    world = World(systems=standard(), frame_time=1 / 60, substeps=20, seed=seed)
    world.spawn(Gravity(acceleration=(0, -9.81, 0)), name="gravity")
    world.spawn(Camera(eye=(1.0, 2.4, 4.6), target=(-0.3, -0.1, 0), field_of_view=40), name="camera")
    world.spawn(Collider.plane(point=(0, -0.8, 0)), name="floor")
    belt = Collider.box(size=(3.2, 0.2, 1.2), centre=(-1.6, -0.1, 0), friction=0.5, thickness=0.005,
                        surface_velocity=(SPEED, 0, 0))
    world.spawn(belt, Appearance(colour="#4a4e57"), name="belt")
    turn = Appearance(colour="#b8bec6")
    for i in range(ROLLERS):  # capsules along z, whose tops are level with the belt
        name, at = f"roller{i}", (0.14 + 0.26 * i, -RADIUS, 0)
        roller = Collider.capsule(radius=RADIUS, length=1.0, friction=0.5)
        world.spawn(Transform(translation=at), name=f"axle{i}")
        world.spawn(roller, Transform(rotation=(np.pi / 2, 0, 0), parent=f"axle{i}"), turn, name=name)
        world.at(0.0).keyframes(f"axle{i}.rotation", (0, 10), [(0, 0, 0), (0, 0, -10 * SPEED / RADIUS)])
    for i, colour in enumerate(COLOURS):
        world.spawn(
            box(size=(0.36, 0.24, 0.36), cells=(6, 4, 6), centre=(-0.4 - 0.75 * i, 0.16 + 0.1 * i, 0.3 - 0.3 * i)),
            Material(mass_density=120.0), MassSpring(stretch=400.0, shear=300.0, damping_ratio=0.2),
            Appearance(colour=colour), name=f"box{i}")
    world.spawn(
        grid(size=(0.5, 0.5), cells=(16, 16), plane="xz", centre=(-2.8, 0.4, -0.2)), Material(areal_density=0.4),
        MassSpring(stretch=60.0, shear=30.0, bend=2.0, damping_ratio=0.1), Appearance(colour="#f2cc8f"), name="cloth")
    world.watch("speed", "box2.velocity.mean.x")
    world.watch("place", "box0.position.mean.x")
    return world


def expect(world: World) -> list[Check]:
    times, speed = world.series("speed")
    # Friction of 0.5 g brings a box to the speed of the belt within 0.17 s of its landing, and from then on keeps it
    # there; the last box rides on the belt until 1.9 m / 0.8 m/s = 2.4 s. On the rollers it wobbles by some per cent.
    on_belt = speed[(times > 1.0) & (times < 2.0)]
    return [Check("speed of a box on the belt [m/s]", on_belt.mean(), near=SPEED, tolerance=0.01 * SPEED),
            Check("speed of the cloth [m/s]", world.value("cloth.velocity.mean.x"), near=SPEED, tolerance=0.01 * SPEED),
            Check("way of the first box in 3 s [m]", np.ptp(world.series("place")[1]), near=SPEED * 3, tolerance=0.15)]



if __name__ == "__main__":
    run(build, expect, frames=FRAMES)
