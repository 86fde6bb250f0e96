"""A cloth hangs by two corners, which move together; it comes to rest (backward Euler, one step a frame)."""
from components import Appearance, BackwardEuler, BoundaryConditions, Camera, Drag, Gravity, MassSpring, Material
from components.prefabs import grid
from framework import Check, World, run
from systems import standard

FRAMES = 360
SIZE, DENSITY, G = (0.8, 0.6), 0.2, 9.81  # m, kg/m^2, m/s^2


def build(cells: int = 24, stretch: float = 150.0) -> World:
    world = World(systems=standard(), frame_time=1 / 60, substeps=1, integrator=BackwardEuler())
    world.spawn(Gravity(acceleration=(0, -G, 0)), name="gravity")
    world.spawn(Camera(eye=(0.7, 0.1, 1.25), target=(0.0, -0.27, 0.08), field_of_view=38), name="camera")
    left, right = [(0, 0, 0), (0.06, 0, 0)], [(0, 0, 0), (-0.06, 0, 0)]
    world.spawn(
        grid(size=SIZE, cells=(4 * cells // 3, cells), plane="xz", centre=(0, 0, 0.3)),
        Material(areal_density=DENSITY),
        MassSpring(stretch=stretch, shear=0.5 * stretch, bend=0.05 * stretch, damping_ratio=0.1),
        Drag(coefficient=2e-4),
        BoundaryConditions.displacement("corner_bottom_left", left, times=(2, 3))
        + BoundaryConditions.displacement("corner_bottom_right", right, times=(2, 3)),
        Appearance(colour_by="strain", low=0, high=0.05, colours=("#1f86ad", "#8fd3d0", "#fff6cf")),
        name="cloth")
    world.watch("hem", "cloth.position[top].mean")
    world.watch("kinetic", "cloth.energy.kinetic")
    return world


def expect(world: World) -> list[Check]:
    # At rest the corners carry the weight. With 1e-5 J left (falling set 0.3 J free) particles move at 0.014 m/s, and
    # the drag of all 825 is 2e-4 N s/m 0.014 m/s 825 = 0.0023 N: 0.3 % of the weight.
    load = -sum(world.value(f"cloth.force[corner_bottom_{side}].sum.y") for side in ("left", "right"))
    weight = DENSITY * SIZE[0] * SIZE[1] * G
    return [Check("load on the two corners [N]", load, near=weight, tolerance=0.003 * weight),
            Check("kinetic energy [J]", world.value("cloth.energy.kinetic"), below=1e-5)]


if __name__ == "__main__":
    run(build, expect, frames=FRAMES)
