"""A curtain on rings that are drawn aside along their rod and back."""
import numpy as np

from components import (
    Appearance,
    BackwardEuler,
    BoundaryConditions,
    Camera,
    Collider,
    Gravity,
    MassSpring,
    Material,
    Transform,
)
from components.prefabs import grid
from framework import Check, World, run
from systems import standard

FRAMES = 360
WIDTH, RINGS, DRAWN = 2.4, 9, 0.35  # DRAWN: share of its width that a drawn curtain takes
TIMES = (0.5, 2.0, 3.0, 4.5)


def build(cells: int = 40) -> World:
    world = World(systems=standard(), frame_time=1 / 60, substeps=2, integrator=BackwardEuler())
    world.spawn(Gravity(acceleration=(0, -9.81, 0)), name="gravity")
    world.spawn(Camera(eye=(0.9, 0.3, 4.4), target=(0, -0.05, 0), field_of_view=38), name="camera")
    world.spawn(Collider.plane(point=(0, -1.15, 0)), name="floor")
    rod = Transform(translation=(0, 1.04, 0), rotation=(0, 0, np.pi / 2))
    world.spawn(Collider.capsule(radius=0.03, length=2.7), rod, Appearance(colour="#8a6f4d"), name="rod")
    cloth = grid(size=(WIDTH, 2.0), cells=(cells, cells * 5 // 6), plane="xy")
    hem = np.flatnonzero(cloth.points[:, 1] > 1.0 - 1e-9)
    rings = hem[np.round(np.linspace(0, len(hem) - 1, RINGS)).astype(int)]
    conditions = BoundaryConditions()
    for i, ring in enumerate(rings):
        drawn = (-(1 - DRAWN) * (cloth.points[ring, 0] + WIDTH / 2), 0, 0.02 * (-1) ** i)  # folds go to and fro
        conditions += BoundaryConditions.displacement([ring], [(0, 0, 0), drawn, drawn, (0, 0, 0)], times=TIMES)
    world.spawn(
        cloth, Material(areal_density=0.25), MassSpring(stretch=150.0, shear=20.0, bend=1.0, damping_ratio=0.05),
        conditions, Appearance(colour="#8c2f39", back="#b56576"), name="curtain")
    world.watch("edge", "curtain.position[right].mean.x")
    return world


def expect(world: World) -> list[Check]:
    times, edge = world.series("edge")
    # The last ring goes from 1.2 m to -1.2 + 0.35 2.4 = -0.36 m; the edge below it swings after it, by some 0.1 m.
    # 1.5 s after the curtain is closed again its edge still swings a little. Columns that are 0.06 m wide carry
    # 0.25 2.0 9.81 0.06 = 0.29 N at the top, half of it on average: springs of 150 N/m, 0.05 m long, give by 0.02.
    aside = edge[(times > 2.2) & (times < 3.0)]
    return [Check("edge while it is drawn aside [m]", aside.mean(), near=WIDTH * (DRAWN - 0.5), tolerance=0.15),
            Check("edge when it is closed again [m]", edge[-1], near=WIDTH / 2, tolerance=0.1),
            Check("mean strain", world.value("curtain.strain.mean"), below=0.04)]


if __name__ == "__main__":
    run(build, expect, frames=FRAMES)
