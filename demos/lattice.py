"""A lattice of equilateral triangles is pulled: it is a plate with E = 2 k / sqrt(3) and nu = 1/3, until it tears."""
import numpy as np

from components import Appearance, BackwardEuler, BoundaryConditions, Camera, Drag, Geometry, MassSpring, Material
from framework import Check, World, run
from systems import standard

FRAMES = 300
K, SIDE = 100.0, 0.05  # N/m, m
SMALL, MEASURED = 1e-4, 1.0  # strain and time [s] at which the moduli are measured; then a notch is cut


def triangular(columns: int, rows: int) -> Geometry:
    """Rows (odd number) of equilateral triangles in z = 0, every other row shifted by half a side."""
    number = np.arange(columns * rows, dtype=np.int32).reshape(rows, columns)
    x = np.arange(columns) + 0.5 * (np.arange(rows) % 2)[:, None]
    y = np.broadcast_to(np.sqrt(0.75) * (np.arange(rows) - (rows - 1) / 2)[:, None], x.shape)
    quarter = columns // 4  # what is nearer to an end feels how it is held
    points = SIDE * np.stack([x - columns / 2, y, 0 * x], axis=-1).reshape(-1, 3)
    a, b, c, d = number[:-1, :-1], number[:-1, 1:], number[1:, :-1], number[1:, 1:]
    even = np.stack([a, b, c, b, d, c], -1)[0::2]
    odd = np.stack([a, d, c, a, b, d], -1)[1::2]
    groups = {"left": number[:, 0], "right": number[:, -1], "west": number[:, quarter], "east": number[:, -quarter],
              "bottom": number[0, quarter:-quarter], "top": number[-1, quarter:-quarter]}
    triangles = np.vstack([even.reshape(-1, 3), odd.reshape(-1, 3)])
    return Geometry(points=points, triangles=triangles, groups=groups)


def build(columns: int = 41, rows: int = 25) -> World:
    world = World(systems=standard(), frame_time=1 / 60, substeps=2, integrator=BackwardEuler())
    length = (columns - 1) * SIDE
    pull = [(0, 0, 0), (SMALL * length, 0, 0), (SMALL * length, 0, 0), (0.08 * length, 0, 0)]
    world.spawn(
        triangular(columns, rows),
        Material(areal_density=0.05),
        MassSpring(stretch=K, rupture_strain=0.05, damping_ratio=0.1),
        Drag(coefficient=1e-4),
        BoundaryConditions.fixed("left", axes="x") + BoundaryConditions.fixed([0], axes="y")
        + BoundaryConditions.displacement("right", pull, times=(0, 0.3, MEASURED, 4), axes="x"),
        Appearance(colour_by="strain", low=0, high=0.05, draw="lines", size=2, colours="ember"),
        name="plate")
    world.spawn(Camera(eye=(0, 0, 3), target=(0.04, 0, 0), field_of_view=30), name="camera")
    ends = world.value("plate.points")[world.value("plate.springs.nodes")]
    cut = (ends[..., 0].min(axis=1) < 0.1 * SIDE) & (ends[..., 0].max(axis=1) > 0.1 * SIDE)
    level = abs(ends[:, 0, 1] - ends[:, 1, 1]) < 0.1 * SIDE
    notch = cut & (ends[:, 0, 1] < 0.6 * ends[..., 1].min())
    world.at(MEASURED).set(f"plate.broken[{listed(notch)}]", True)
    world.watch("level", f"plate.strain.spring[{listed(cut & level)}].sum")
    world.watch("slanted", f"plate.strain.spring[{listed(cut & ~level)}].sum")
    for name in ("bottom", "top", "west", "east"):
        world.watch(name, f"plate.position[{name}].mean")
    return world


def listed(chosen: np.ndarray) -> str:
    return ",".join(map(str, np.flatnonzero(chosen)))


def expect(world: World) -> list[Check]:
    times, level = world.series("level")
    pull = K * SIDE * (level + 0.5 * world.series("slanted")[1])  # of the springs through a section
    at = np.flatnonzero(times <= MEASURED + 1e-6)[-1]
    size = {axis: world.series(high)[1][:, i] - world.series(low)[1][:, i]
            for i, (axis, low, high) in enumerate((("x", "west", "east"), ("y", "bottom", "top")))}
    stretch, narrowing = (size[axis][at] / size[axis][0] - 1 for axis in "xy")
    rows = len(world.get("plate", Geometry).groups["left"])
    stress = pull[at] / (rows * np.sqrt(0.75) * SIDE)  # each row of springs carries a strip of this width
    modulus, broken = 2 * K / np.sqrt(3), world.value("plate.broken.sum")
    return [Check("E = 2 k / sqrt(3) [N/m]", stress / stretch, near=modulus, tolerance=0.002 * modulus),
            Check("Poisson's ratio", -narrowing / stretch, near=1 / 3, tolerance=0.002),
            Check("springs broken beside the notch", broken, above=20)]


if __name__ == "__main__":
    run(build, expect, frames=FRAMES)
