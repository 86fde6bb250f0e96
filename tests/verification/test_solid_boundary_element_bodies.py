"""Bodies of boundary elements in space in a world, with points inside and planes of symmetry."""

from __future__ import annotations

import numpy as np
import pytest

from components import BoundaryConditions, BoundaryElements, Geometry, Gravity, Material, Stress
from components.prefabs import box_surface
from framework import World
from systems import standard


def world_of(geometry: Geometry, conditions: BoundaryConditions, nu: float, density: float | None = None) -> World:
    world = World(systems=standard(), frame_time=1.0, substeps=1)
    if density is not None:
        world.spawn(Gravity(acceleration=(0, -9.81, 0)), name="gravity")
    material = Material(young_modulus=1e4, poisson_ratio=nu, mass_density=density)
    world.spawn(geometry, material, BoundaryElements(accuracy=1e-9), conditions, name="body")
    world.run(frames=1)
    return world


def with_points(surface: Geometry, places: list[tuple[float, ...]]) -> Geometry:
    return Geometry(points=np.concatenate([surface.points, places]), faces=surface.faces, groups=surface.groups)


INSIDE = [(0.0, 0.0, 0.0), (0.4, -0.2, 0.3), (0.1, 0.2, 0.499999), (0.49, 0.49, 0.49)]


@pytest.mark.parametrize("kind", ["triangle6", "quad4"])
def test_points_inside_a_stretched_block(kind: str) -> None:
    """Traction 10 at both ends, E = 1e4, nu = .3: strain 1e-3 and -3e-4, stress 10 along x, also inside."""
    block = with_points(box_surface((1, 1, 1), (2, 2, 2), kind), INSIDE)
    pull = BoundaryConditions.traction("left", (-10, 0, 0)) + BoundaryConditions.traction("right", (10, 0, 0))
    world = world_of(block, pull, 0.3)
    u = world.value("body.displacement")
    assert u - u[-4] == pytest.approx(block.points * (1e-3, -3e-4, -3e-4), abs=1e-10)
    tensor = world.get("body", Stress).tensor
    assert np.abs(tensor - np.diag([10.0, 0, 0])).max() < 1e-5


def test_points_inside_a_column_under_its_weight() -> None:
    """On rollers, at nu = 0: u_y = rho g (y^2 / 2 - y) / E with y from the foot, s_yy = -rho g (1 - y)."""
    column = with_points(box_surface((1, 1, 1), (2, 2, 2), "quad8"), INSIDE)
    world = world_of(column, BoundaryConditions.fixed("bottom", axes="y"), 0.0, density=2.0)
    y, weight = column.points[:, 1] + 0.5, 2.0 * 9.81
    assert world.value("body.displacement")[:, 1] == pytest.approx(weight * (y * y / 2 - y) / 1e4, abs=1e-9)
    tensor = world.get("body", Stress).tensor
    assert tensor[:, 1, 1] == pytest.approx(-weight * (1 - y), abs=1e-5)
