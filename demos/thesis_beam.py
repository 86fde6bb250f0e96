"""A beam of 12 boundary elements under four loads: sheared, compressed, stiffer, and beyond its yield stress."""
import numpy as np

from components import Appearance, BoundaryConditions, BoundaryElements, Material, Transform
from components.prefabs import plate
from framework import Check, World, run
from systems import standard

FRAMES = 60
RUNS = {  # Young's modulus [Pa], Poisson's ratio, traction on the right side [Pa], where it is drawn
    "sheared": (1e4, 0.0, (0, -10, 0), (0, 0, 0)),
    "compressed": (100.0, 0.5, (-30, 0, 0), (7, 0, 0)),
    "stiffer": (1000.0, 0.5, (-30, 0, 0), (7, -2.4, 0)),
    "excessive": (100.0, 0.5, (-80, 0, 0), (0, -2.4, 0)),
}


def build(analysis: str = "plane strain", load: float = 1.0) -> World:
    world = World(systems=standard(), frame_time=1 / 30, substeps=1)
    for name, (young, ratio, traction, place) in RUNS.items():
        pull = BoundaryConditions.traction("right", [(0, 0, 0), load * np.array(traction, float)], times=(0, 1.5))
        world.spawn(
            plate(size=(5, 1), elements=(5, 1)), Transform(translation=place),
            Material(young_modulus=young, poisson_ratio=ratio, yield_stress=300.0 if ratio == 0 else 40.0),
            BoundaryElements(analysis=analysis), BoundaryConditions.fixed("left") + pull,
            Appearance(colour_by="stress", low=0, high=80), name=name)
    world.watch("tip", "sheared.displacement[right].mean.y")
    return world


def widening(world: World, name: str) -> float:
    """How much the beam widens per shortening, in the middle, where the clamped end is far."""
    u, x = world.value(f"{name}.displacement"), world.value(f"{name}.position") - world.value(f"{name}.displacement")
    u, x = u[:24], x[:24] - x[0]
    middle = np.abs(x[:, 0] - 2.5) < 0.1
    wider = u[middle & (x[:, 1] > 0.9), 1].mean() - u[middle & (x[:, 1] < 0.1), 1].mean()
    shorter = u[np.abs(x[:, 0] - 2) < 0.1, 0].mean() - u[np.abs(x[:, 0] - 3) < 0.1, 0].mean()
    return float(wider / shorter)


def expect(world: World) -> list[Check]:
    # Widening per shortening is nu / (1 - nu) = 1 in plane strain and nu = 1/2 in plane stress: the "half a point per
    # point" of the source is the latter. A beam ten times stiffer moves a tenth.
    flat = build("plane stress")
    flat.run(frames=FRAMES)
    ratio = world.value("stiffer.displacement[right].mean.x") / world.value("compressed.displacement[right].mean.x")
    tip = world.value("sheared.displacement[right].mean.y")
    return [Check("tip of the sheared beam [m]", tip, near=-0.5123826, tolerance=0.006),
            Check("widening, plane strain", widening(world, "compressed"), near=1.0, tolerance=0.02),
            Check("widening, plane stress", widening(flat, "compressed"), near=0.5, tolerance=0.01),
            Check("stiffer over compressed", ratio, near=0.1, tolerance=1e-9),
            Check("points beyond yield", world.value("excessive.stress.yielded"), above=20),
            Check("points beyond yield, compressed", world.value("compressed.stress.yielded"), below=8)]


if __name__ == "__main__":
    run(build, expect, frames=FRAMES)
