"""A cantilever of quadratic boundary elements in space: pushed down, then twisted, beside beam theory."""
import numpy as np

from components import Appearance, BoundaryConditions, BoundaryElements, Camera, Geometry, Material
from components.prefabs import box_surface
from framework import Check, World, run
from systems import standard

FRAMES = 90


def build(elements: int = 2, load: float = 1.0, torque: float = 5.0, young: float = 1e3) -> World:
    world = World(systems=standard(), frame_time=1 / 30, substeps=1)
    shape = box_surface((5, 1, 1), (4 * elements, elements, elements), "quad8", centre=(2.5, 0, 0))
    corner, twist = shape.points[shape.faces], np.zeros((len(shape.faces), 8, 3))
    end = (shape.faces < 0) | (np.abs(corner[..., 0] - 5) < 1e-9)
    whole = end.all(axis=1)
    # shear stress of a twisted circle, t = (0, -z, y): its moment over the square is 1/6
    twist[whole] = 6 * torque * np.stack([0 * corner[..., 0], -corner[..., 2], corner[..., 1]], axis=-1)[whole]
    down = [(0, 0, 0), (0, -load, 0), (0, -load, 0), (0, 0, 0)]
    world.spawn(
        shape, Material(young_modulus=young, poisson_ratio=0.3), BoundaryElements(),
        BoundaryConditions.fixed("left") + BoundaryConditions.traction("right", down, times=(0, 1, 1.3, 2)),
        Appearance(colour_by="stress", wireframe=True), name="beam")
    world.spawn(Camera(eye=(7, 2.5, 7), target=(2.4, -0.3, 0), field_of_view=35), name="camera")
    world.at(2.0).set("beam.boundary_conditions", (
        BoundaryConditions.fixed("left") + BoundaryConditions.at_elements(traction=twist)).conditions)
    world.watch("tip", "beam.displacement[right].mean.y")
    return world


def expect(world: World) -> list[Check]:
    # Twist of a square section: T L / (0.1406 G a^4) (Saint-Venant; Timoshenko, Goodier, Theory of Elasticity, 1970),
    # away from the ends, where the section cannot warp freely. The tip under a unit load, by beam theory with shear:
    # P L^3 / (3 E I) (1 + 3 E I / (k G A L^2)) = 0.515 m at E = 1e3 Pa and k = 0.85; the clamped end makes it less.
    x, u = world.get("beam", Geometry).points, world.value("beam.displacement")
    near, far = (int(np.argmin(np.linalg.norm(x - (place, 0.5, 0), axis=1))) for place in (2.5, 3.75))
    theory = 5.0 * (x[far, 0] - x[near, 0]) / (0.1406 * 1e3 / 2.6)
    turned = (u[far, 2] - u[near, 2]) / 0.5
    bent = build()
    bent.run(frames=36)
    tip = bent.value("beam.displacement[right].mean.y")
    return [Check("twist over that of theory", turned / theory, near=1.0, tolerance=0.02),
            Check("tip under the load [m]", tip, near=-0.5087, tolerance=0.003)]


if __name__ == "__main__":
    run(build, expect, frames=FRAMES)
