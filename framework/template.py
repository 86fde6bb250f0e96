"""The scene that `pliant new` writes: thirty lines that run."""

TEMPLATE = '''"""{title}: a cloth hangs from its upper edge, and the wind rises after one second."""
from components import Appearance, BoundaryConditions, Gravity, MassSpring, Material, Wind
from components.prefabs import grid
from framework import Check, World, run
from systems import standard


def build(cells: int = 20, speed: float = 4.0, seed: int = 0) -> World:
    world = World(systems=standard(), frame_time=1 / 60, substeps=20, seed=seed)
    world.spawn(Gravity(acceleration=(0, -9.81, 0)), name="gravity")
    world.spawn(Wind(velocity=(0, 0, 0)), name="wind")
    world.spawn(
        grid(size=(1.0, 1.0), cells=(cells, cells), plane="xy"),
        Material(areal_density=0.2),                                              # kg/m^2
        MassSpring(stretch=100.0, shear=50.0, bend=1.0, damping_ratio=0.05),      # N/m
        BoundaryConditions.fixed("top"),
        Appearance(colour_by="strain"),
        name="cloth")
    world.at(1.0).set("wind.velocity", (0, 0, speed), ramp=0.5)
    world.watch("hem", "cloth.position[bottom].mean")
    return world


def expect(world: World) -> list[Check]:
    return [Check("largest strain", world.value("cloth.strain.max"), below=0.2)]


if __name__ == "__main__":
    run(build, expect, frames=180)
'''
