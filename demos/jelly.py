"""A jelly drops to the ground, spreads and springs back: a closed mesh with an inner layer and a volume it keeps."""
import numpy as np

from components import Appearance, Camera, Collider, EnclosedVolume, Geometry, Gravity, Mass, MassSpring
from components.meshes import read_mesh
from components.prefabs import inner_layer, sphere_shell
from components.surface_mesh import signed_volume
from framework import Check, World, run
from systems import standard

FRAMES = 240
SIZE, DENSITY, GAP = 0.3, 1000.0, 0.12  # m, kg/m3, m


def rounded_cube(subdivisions: int = 3) -> Geometry:
    """A sphere pushed out towards the corners of a cube: |x|^4 + |y|^4 + |z|^4 = const, one corner down."""
    sphere = sphere_shell(subdivisions=subdivisions)
    points = sphere.points / (np.abs(sphere.points) ** 4).sum(axis=1, keepdims=True) ** 0.25
    x, z = np.array([1.0, -1.0, 0.0]) / np.sqrt(2), np.array([1.0, 1.0, -2.0]) / np.sqrt(6)
    return Geometry(points=points @ np.stack([x, np.cross(z, x), z], axis=1), triangles=sphere.triangles)


def build(mesh: str | None = None, stiffness: float = 400.0, filling: float = 4e4) -> World:
    world = World(systems=standard(), frame_time=1 / 60, substeps=80)
    world.spawn(Gravity(acceleration=(0, -9.81, 0)), name="gravity")
    world.spawn(Collider.plane(point=(0, 0, 0), friction=0.6), name="ground")
    world.spawn(Camera(eye=(0.55, 0.45, 0.95), target=(0, 0.16, 0), field_of_view=36), name="camera")
    shape = rounded_cube() if mesh is None else read_mesh(mesh, repair=True).geometry
    extent = np.ptp(shape.points, axis=0)
    points = (shape.points - shape.points.min(axis=0) - 0.5 * extent * (1, 0, 1)) * (SIZE / extent.max())
    surface = Geometry(points=points + np.array([0, GAP, 0]), triangles=shape.triangles, groups=shape.groups)
    volume = signed_volume(surface.points, surface.triangles)
    world.spawn(
        inner_layer(surface, 0.15 * SIZE),
        Mass(m=DENSITY * volume / (2 * len(points))),  # the filling's too, all alike: slivers make no light particles
        MassSpring(stretch=stiffness, shear=stiffness, damping_ratio=0.05),
        EnclosedVolume(compression_modulus=filling),
        Appearance(colour="#d1495b"),
        name="jelly")
    world.watch("height", "jelly.position[outer].max.y")
    return world


def expect(world: World) -> list[Check]:
    rest, x = world.value("jelly.rest_volume"), world.value("jelly.position")
    _, height = world.series("height")
    volume = signed_volume(x, world.value("jelly.triangles"))
    # It comes to rest on the ground. Its weight compresses the filling by less than a column of its size would be at
    # its foot, rho g L / K = 7 %; springs hold against it, too.
    filling = world.value("jelly.compression_modulus")
    # It fell at 1.5 m/s, and its springs have taken most of that.
    return [Check("change of its volume", abs(volume / rest - 1), below=DENSITY * 9.81 * SIZE / filling),
            Check("lowest point [m]", x[:, 1].min(), near=0, tolerance=1e-3),
            Check("deepest dent over its height", 1 - height.min() / (height[0] - GAP), above=0.1),
            Check("speed at the end [m/s]", np.linalg.norm(world.value("jelly.velocity.mean")), below=0.2)]


if __name__ == "__main__":
    run(build, expect, frames=FRAMES)
