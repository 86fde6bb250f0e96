"""A flag in a gusty wind that turns at 2 s."""
import numpy as np

from components import Appearance, BoundaryConditions, Camera, Gravity, MassSpring, Material, Position, Wind
from components.prefabs import grid, rope
from framework import Check, World, run
from systems import standard

FRAMES = 300


def build(cells: int = 40, speed: float = 6.0, seed: int = 0) -> World:
    world = World(systems=standard(), frame_time=1 / 60, substeps=80, seed=seed)
    world.spawn(Gravity(acceleration=(0, -9.81, 0)), name="gravity")
    world.spawn(Wind(velocity=(speed, 0, 0)), name="wind")
    world.spawn(Wind(velocity=(0, 0, 0), coefficient=5e-4), name="gust")
    world.spawn(Camera(eye=(1.7, 0.3, 2.9), target=(-0.25, -0.15, 0.3), field_of_view=38), name="camera")
    world.spawn(
        grid(size=(1.5, 1.0), cells=(cells, cells), plane="xy"),   # a prefab names its node groups: left, right, ...
        Material(areal_density=0.15),
        MassSpring(stretch=400.0, shear=200.0, bend=20.0, damping_ratio=0.05),
        BoundaryConditions.fixed("left"),
        Appearance(colour_by="strain", low=0, high=0.05, colours=("#b5173a", "#ef8733", "#f7e08a")),
        name="flag")
    pole = Appearance(colour="#7a6a58", draw="lines", size=9)
    world.spawn(rope(start=(-0.75, -2.5, 0), end=(-0.75, 0.54, 0), segments=1), Position(), pole, name="pole")
    world.at(2.0).set("wind.velocity", (0, 0, speed), ramp=0.5)
    times = np.arange(0, 6, 0.15)
    gusts = world.random("gust").normal(0, speed, (len(times), 3)) * (0.2, 0.5, 1.5)
    world.at(0.0).keyframes("gust.velocity", times, gusts)
    world.watch("tip", "flag.position[right].mean")
    return world


def expect(world: World) -> list[Check]:
    # The mean wind and a gust of twice the usual strength pull each of the 41 rows with 41 (1e-3 6 + 5e-4 18) = 0.62 N
    # at the pole and half that on average; springs of 400 N/m are 0.0375 m long: 0.02, doubled for a sudden pull.
    # In a fold springs are squeezed further.
    return [Check("mean strain", world.value("flag.strain.mean"), below=0.04),
            Check("largest strain", world.value("flag.strain.max"), below=0.3),
            Check("tip downwind of the pole [m]", world.value("flag.position[right].mean.z"), above=1.2, below=1.56)]


if __name__ == "__main__":
    run(build, expect, frames=FRAMES)
