"""A mesh from a file becomes a springy shell and falls: `pliant run your_mesh --set build.mesh=FILE`."""
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from components import Appearance, BackwardEuler, Camera, Collider, Gravity, MassSpring, Material
from components.meshes import Mesh, read_mesh
from framework import Check, World, run
from systems import standard

FRAMES = 90
HOUSE = """# used without a file: a house of quadrangles, two gables and a roof that juts out
v 0 0 0
v 1 0 0
v 1 0 1.4
v 0 0 1.4
v 0 0.7 0
v 1 0.7 0
v 1 0.7 1.4
v 0 0.7 1.4
v 0.5 1.2 -0.2
v 0.5 1.2 1.6
g floor
f 1 2 3 4
g walls
f 1 5 9 6 2
f 2 6 7 3
f 3 7 10 8 4
f 4 8 5 1
g roof
f 5 8 10 9
f 6 9 10 7
"""


def opened(mesh: str | None, scale: float, up: str) -> Mesh:
    if mesh is not None:
        return read_mesh(mesh, scale, up, repair=True)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "house.obj"
        file.write_text(HOUSE, encoding="utf-8")
        return read_mesh(file, repair=True)


def build(mesh: str | None = None, scale: float = 1.0, up: str = "y", stiffness: float = 400.0) -> World:
    body = opened(mesh, scale, up)
    print(body.report)
    points = body.geometry.points
    low, high = points.min(axis=0), points.max(axis=0)
    middle, extent = 0.5 * (low + high), float(np.max(high - low))
    ground = float(low[1]) - 0.3 * extent
    world = World(systems=standard(), frame_time=1 / 60, substeps=4, integrator=BackwardEuler())
    world.spawn(Gravity(acceleration=(0, -9.81, 0)), name="gravity")
    world.spawn(Collider.plane(point=(0, ground, 0), friction=0.5), name="ground")
    world.spawn(Camera(eye=middle + extent * np.array([1.3, 0.7, 2.0]), target=middle, field_of_view=40), name="camera")
    world.spawn(body, Material(total_mass=1.0),
                MassSpring(stretch=stiffness, bend=0.5 * stiffness, damping_ratio=0.1),
                Appearance(colour="#edae49", wireframe=len(points) < 500), name="mesh")
    world.watch("height", "mesh.position.mean.y")
    return world


def expect(world: World) -> list[Check]:
    ground, y = world.value("ground.centre")[1], world.value("mesh.position")[:, 1]
    height = world.series("height")[1] - ground
    # It has landed: no particle is below the ground, and the mean of all is at most where it was without the gap.
    return [Check("lowest point above the ground [m]", y.min() - ground, above=-1e-6 * np.ptp(y)),
            Check("height of its middle, of that at the start", height[-1] / height[0], below=0.85)]


if __name__ == "__main__":
    run(build, expect, frames=FRAMES)
