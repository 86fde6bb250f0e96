"""Bodies of plane boundary elements in a world, against closed forms and converged solutions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from components import (
    BoundaryConditions,
    BoundaryElements,
    CentrifugalLoad,
    Deformation,
    Energy,
    Geometry,
    Gravity,
    Material,
    Stress,
    SupportForces,
)
from components.prefabs import arc, line, outline, plate, polygon
from framework import FieldError, SimulationError, World
from systems import standard
from tests.verification.planar_scenes import BEAM, BEAM_NODES

ON = BoundaryConditions
E, NU = 1000.0, 0.3


def body(
    geometry: Geometry, conditions: BoundaryConditions, *others: Any, young: float = E, nu: float = NU,
    density: float | None = None, frames: int = 1, thickness: float | None = None, **settings: Any,
) -> World:  # fmt: skip
    """A world with one elastic body after some frames of 1 s."""
    world = World(systems=standard(), frame_time=1.0, substeps=1)
    material = Material(young_modulus=young, poisson_ratio=nu, mass_density=density, thickness=thickness)
    world.spawn(geometry, material, BoundaryElements(**settings), conditions, *others, name="body")
    world.run(frames=frames)
    return world


def thesis_beam() -> Geometry:
    points = np.zeros((24, 3))
    points[:, :2] = BEAM
    return Geometry(points=points, segments=BEAM_NODES.astype(np.int32),
                    groups={"left": [0, 21, 23], "right": [9, 11, 12]})


def quarter(*radii: Any, elements: int = 6, grading: float = 1.0) -> Geometry:
    """The quarter between two ellipses about the origin, for two planes of symmetry."""
    inner, outer = radii
    return outline(
        [arc((0, 0), inner, math.pi / 2, 0.0, elements, name="inner", grading=grading)],
        [arc((0, 0), outer, 0.0, math.pi / 2, elements, name="outer", grading=1 / grading)],
    )


def test_the_thesis_beam() -> None:
    """Its own 12 elements, with the textbook kernels: converged quadrature gives these figures."""
    conditions = ON.fixed("left") + ON.traction("right", (0, -10, 0))
    world = body(thesis_beam(), conditions, young=1e4, nu=0.0, log_length=1.0, accuracy=1e-10)
    u = world.value("body.displacement")
    expected = {9: (-0.07468653, -0.50720318), 11: (0.07468653, -0.50720318), 12: (0.0, -0.50709415),
                10: (-0.07388455, -0.43175218)}
    for point, value in expected.items():
        assert u[point, :2] == pytest.approx(value, abs=2e-8)
    support = world.get("body", SupportForces)
    assert support.force[0] == pytest.approx([0.0, 9.99052047, 0.0], abs=1e-7)
    assert support.moment[0] == pytest.approx([0.0, 0.0, 49.7715211], abs=1e-6)
    assert 0 < support.residual < 1e-3


def test_without_a_unit_of_the_logarithm_forces_balance() -> None:
    conditions = ON.fixed("left") + ON.traction("right", (0, -10, 0))
    world = body(thesis_beam(), conditions, young=1e4, nu=0.0)
    assert world.value("body.displacement[right].mean.y") == pytest.approx(-0.507409, abs=2e-4)
    assert world.value("body.displacement")[11, 1] == pytest.approx(-0.507409, abs=1e-6)
    support = world.get("body", SupportForces)
    assert support.force[0] == pytest.approx([0.0, 10.0, 0.0], abs=1e-10)
    assert support.residual < 1e-12


def test_a_hole_under_far_stress_is_kirschs() -> None:
    hole = outline([arc((0, 0), 1.0, 2 * math.pi, 0.0, 24, name="hole")], fill=((-6, -6), (6, 6)), spacing=0.5)
    world = body(hole, ON(), infinite=True, analysis="plane stress", far_stress=np.diag([1.0, 0.0, 0.0]))
    x, stress = hole.points, world.get("body", Stress).tensor
    near = np.hypot(x[:, 0], x[:, 1]) < 5.9
    r, t = np.hypot(x[near, 0], x[near, 1]), np.arctan2(x[near, 1], x[near, 0])
    q = 1 / r**2
    radial = 0.5 * (1 - q) + 0.5 * (1 - 4 * q + 3 * q * q) * np.cos(2 * t)
    hoop = 0.5 * (1 + q) - 0.5 * (1 + 3 * q * q) * np.cos(2 * t)
    shear = -0.5 * (1 + 2 * q - 3 * q * q) * np.sin(2 * t)
    c, s = np.cos(t), np.sin(t)
    xx = radial * c * c + hoop * s * s - 2 * shear * s * c
    xy = (radial - hoop) * s * c + shear * (c * c - s * s)
    assert stress[near, 0, 0] == pytest.approx(xx, abs=0.006)  # 24 elements: second order along the boundary
    assert stress[near, 0, 1] == pytest.approx(xy, abs=0.006)
    u = world.value("body.displacement")
    assert u[np.argmax(x[:24, 0]), 0] == pytest.approx(3.0 / E, rel=2e-3)  # 3 a S / E at angle 0


@pytest.mark.parametrize("nu", [0.3, 0.5])
def test_a_thick_cylinder_is_lames(nu: float) -> None:
    geometry = quarter(1.0, 2.0, elements=8)
    world = body(geometry, ON.pressure("inner", 1.0), nu=nu, symmetry="xy")
    r = np.hypot(geometry.points[:, 0], geometry.points[:, 1])
    u = np.linalg.norm(world.value("body.displacement"), axis=1)
    exact = (1 + nu) / E * ((1 - 2 * nu) * r + 4 / r) / 3
    assert u == pytest.approx(exact, rel=2e-4)
    hoop = world.get("body", Stress).principal
    on = r < 1 + 1e-9
    assert hoop[on].max() == pytest.approx(5 / 3, rel=3e-3)
    assert world.get("body", Energy).elastic == pytest.approx(0.5 * math.pi / 2 * exact[on][0], rel=1e-3)


def test_nafems_le1() -> None:
    """Elliptic membrane: the tangential stress at D is 92.7 MPa (NAFEMS 1990), 92.658 when converged."""
    geometry = quarter((2.0, 1.0), (3.25, 2.75), elements=10, grading=0.4)
    conditions = ON.traction("outer", (1e7, 0, 0), local=True)
    world = body(geometry, conditions, young=210e9, analysis="plane stress", symmetry="xy")
    at = int(np.argmin(np.linalg.norm(geometry.points - (2.0, 0.0, 0.0), axis=1)))
    assert world.get("body", Stress).tensor[at, 1, 1] == pytest.approx(92.658e6, rel=0.005)
    assert world.value("body.displacement")[at, 0] == pytest.approx(-0.10221e-3, rel=2e-3)


def test_cooks_membrane() -> None:
    corners = [(0, 0), (48, 44), (48, 60), (0, 44)]
    errors = []
    for f in (1, 2, 4):
        sides = polygon(corners, [16 * f, 8 * f, 16 * f, 12 * f], names=("bottom", "right", "top", "left"))
        geometry = outline(sides, fill=False)
        conditions = ON.fixed("left") + ON.traction("right", (0, 1 / 16, 0))
        world = body(geometry, conditions, young=1.0, nu=1 / 3, analysis="plane stress")
        middle = int(np.argmin(np.linalg.norm(geometry.points - (48, 52, 0), axis=1)))
        errors.append(np.abs(world.value("body.displacement")[middle, :2] - [-10.69536, 23.96774]))
    assert np.all(errors[2] < 5e-3)
    assert np.all(np.log2(errors[0] / errors[2]) / 2 > 1.1)  # the clamped corners set the rate, between 1 and 2


@pytest.mark.parametrize(("analysis", "stress"), [("plane stress", 1333.3333333333333), ("plane strain", 1600.0)])
def test_the_membrane_patch(analysis: str, stress: float) -> None:
    inside = [(0.04, 0.02), (0.18, 0.03), (0.16, 0.08), (0.08, 0.08)]
    sides = outline(polygon([(0, 0), (0.24, 0), (0.24, 0.12), (0, 0.12)], 2), fill=False)
    points = np.concatenate([sides.points, np.pad(inside, ((0, 0), (0, 1)))])
    geometry = Geometry(points=points, segments=sides.segments)
    corner = points[sides.segments]
    u = 1e-3 * np.stack([corner[..., 0] + corner[..., 1] / 2, corner[..., 1] + corner[..., 0] / 2], axis=-1)
    u = np.pad(u, ((0, 0), (0, 0), (0, 1)))
    world = body(geometry, ON.at_elements(displacement=u), young=1e6, nu=0.25, analysis=analysis, accuracy=1e-12)
    found = world.value("body.displacement")
    assert found[-4:, :2] == pytest.approx(
        np.array([[5e-05, 4e-05], [0.000195, 0.00012], [0.0002, 0.00016], [0.00012, 0.00012]]), rel=1e-8
    )
    tensor = world.get("body", Stress).tensor
    wanted = np.zeros((3, 3))
    wanted[0, 0] = wanted[1, 1] = stress
    wanted[0, 1] = wanted[1, 0] = 400.0
    wanted[2, 2] = 0.0 if analysis == "plane stress" else 0.25 * 2 * stress
    assert np.abs(tensor - wanted).max() < 1e-6 * stress


def test_a_column_under_its_weight() -> None:
    """On rollers, without lateral strain from the sides: u_y = rho g (y^2 / 2 - h y) / E at nu = 0."""
    world = World(systems=standard(), frame_time=1.0, substeps=1)
    world.spawn(Gravity(acceleration=(0, -10, 0)))
    geometry = plate((1.0, 4.0), (2, 6))
    world.spawn(
        geometry, Material(young_modulus=E, poisson_ratio=0.0, mass_density=2.0), BoundaryElements(accuracy=1e-10),
        ON.roller("bottom") + ON.roller("left"), name="column",
    )  # fmt: skip
    world.run(frames=1)
    y = geometry.points[:, 1]
    assert world.value("column.displacement")[:, 1] == pytest.approx(20 * (y * y / 2 - 4 * y) / E, abs=1e-9)
    assert world.get("column", Stress).tensor[:, 1, 1] == pytest.approx(20 * (y - 4), abs=1e-6)
    support = world.get("column", SupportForces)
    assert support.force == pytest.approx(np.array([[0, 80, 0], [0, 0, 0]]), abs=1e-6)
    assert world.get("column", Energy).elastic == pytest.approx(0.5 * 20**2 * 4**3 / 3 / E, rel=1e-8)


def test_a_rotating_disc() -> None:
    """Plane stress: sigma_t = (3 + nu) / 8 rho w^2 R^2 in the centre, u(R) = (1 - nu) rho w^2 R^3 / (4 E)."""
    disc = outline([arc((0, 0), 1.0, 0, 2 * math.pi, 16, name="rim")])
    spin = CentrifugalLoad(angular_velocity=(0, 0, 3.0))
    world = body(disc, ON(), spin, analysis="plane stress", density=2.0)
    r2 = (disc.points**2).sum(axis=1)
    load = 2.0 * 9.0
    stress = world.get("body", Stress)
    trace = np.einsum("nii->n", stress.tensor)
    assert trace == pytest.approx(load / 8 * (2 * (3 + NU) - (4 + 4 * NU) * r2), abs=2e-3 * load)
    u = np.linalg.norm(world.value("body.displacement[rim]"), axis=1)
    assert u == pytest.approx((1 - NU) * load / (4 * E), rel=1e-4)


def test_supports_share_the_load_and_a_foundation_gives() -> None:
    """A block on springs sinks by load over stiffness, without deformation where it is uniform (nu = 0)."""
    block = plate((2.0, 1.0), (4, 2))
    conditions = ON.foundation("bottom", (1.0, 50.0, 0.0)) + ON.pressure("top", 5.0)
    world = body(block, conditions, nu=0.0, accuracy=1e-9)
    assert world.value("body.displacement[bottom].mean.y") == pytest.approx(-0.1, rel=1e-8)
    assert world.get("body", SupportForces).force[0] == pytest.approx([0, 10, 0], abs=1e-7)


def test_rollers_along_a_slope() -> None:
    """A block on an incline feels only what is along its normal."""
    angle = 0.4
    c, s = math.cos(angle), math.sin(angle)
    turn = np.array([[c, -s], [s, c]])
    corners = (np.array([(0, 0), (2, 0), (2, 1), (0, 1)]) @ turn.T).tolist()
    geometry = outline(polygon(corners, 3, names=("bottom", "right", "top", "left")))
    conditions = ON.roller("bottom") + ON.roller("left") + ON.pressure("top", 6.0)
    world = body(geometry, conditions, nu=0.25, accuracy=1e-9)
    local = world.value("body.displacement")[:, :2] @ turn
    rest = geometry.points[:, :2] @ turn
    assert local[:, 1] == pytest.approx(-6.0 * (1 - 0.25**2) / E * rest[:, 1], abs=1e-9)
    assert local[:, 0] == pytest.approx(6.0 * 0.25 * 1.25 / E * rest[:, 0], abs=1e-9)


def test_a_point_load_is_spread_with_its_force_and_moment() -> None:
    world = body(plate((4.0, 1.0), (8, 2)), ON.fixed("left") + ON.load([4], (0, -3, 0)))
    point = world.get("body", Geometry).points[4]
    support = world.get("body", SupportForces)
    assert support.force[0] == pytest.approx([0, 3, 0], abs=1e-9)
    assert support.moment[0, 2] == pytest.approx(3 * point[0], rel=0.02)  # the clamped corners' tractions


def test_a_free_body_with_balanced_loads_has_no_rigid_motion() -> None:
    geometry = plate((2.0, 1.0), (4, 2), centre=(0, 0))
    world = body(geometry, ON.traction("left", (-7, 0, 0)) + ON.traction("right", (7, 0, 0)), accuracy=1e-10)
    u = world.value("body.displacement")
    assert u[:, 0] == pytest.approx(7 * (1 - NU**2) / E * geometry.points[:, 0], abs=1e-9)
    assert u[:, 1] == pytest.approx(-7 * NU * (1 + NU) / E * geometry.points[:, 1], abs=1e-9)


def test_loads_that_nothing_holds_are_refused() -> None:
    with pytest.raises(SimulationError, match=r"body: loads must be in balance .* force of \(7, 0, 0\) N"):
        body(plate((2.0, 1.0), (4, 2)), ON.traction("right", (7, 0, 0)))


def test_inertia_relief() -> None:
    """A bar pulled at one end and let go: the stress falls linearly to 0 at the other end."""
    geometry = plate((4.0, 1.0), (8, 2))
    world = body(geometry, ON.traction("right", (8, 0, 0)), nu=0.0, free="inertia relief", accuracy=1e-10)
    assert world.get("body", Stress).tensor[:, 0, 0] == pytest.approx(2 * geometry.points[:, 0], abs=1e-5)


def test_inertia_relief_of_a_moment() -> None:
    geometry = plate((4.0, 1.0), (8, 2), centre=(0, 0))
    conditions = ON.traction("right", (0, 1, 0)) + ON.traction("left", (0, -1, 0))
    world = body(geometry, conditions, free="inertia relief")
    traction, u = world.get("body", Deformation).element_traction, world.value("body.displacement")
    assert np.isfinite(u).all()
    assert np.abs(traction).max() == pytest.approx(1.0)
    # antisymmetric about the centre
    right, left = (int(np.argmin(np.linalg.norm(geometry.points - p, axis=1))) for p in ((2, 0, 0), (-2, 0, 0)))
    assert u[right] == pytest.approx(-u[left], abs=1e-9)


def test_unbalanced_loads_on_an_infinite_plane_are_refused() -> None:
    hole = outline([arc((0, 0), 1.0, 2 * math.pi, 0.0, 8, name="hole")], fill=False)
    with pytest.raises(SimulationError, match="infinite region in the plane must be in balance"):
        body(hole, ON.traction("hole", (1, 0, 0)), infinite=True)


def test_loads_follow_their_table_in_time() -> None:
    conditions = ON.fixed("left") + ON.traction("right", [(0, 0, 0), (8, 0, 0)], times=(0.0, 4.0))
    world = body(plate((4.0, 1.0), (4, 1)), conditions, nu=0.0)
    first = world.value("body.displacement[right].mean.x")
    world.run(frames=2)
    assert world.value("body.displacement[right].mean.x") == pytest.approx(3 * first, rel=1e-12)
    assert first == pytest.approx(2 * 4 / E, rel=1e-6)


def test_a_frame_does_not_depend_on_how_it_was_reached() -> None:
    conditions = ON.fixed("left") + ON.traction("right", [(0, 0, 0), (8, -2, 0)], times=(0.0, 4.0))
    world = body(plate((4.0, 1.0), (4, 1)), conditions, frames=2)
    world.run(frames=2)
    expected = world.state_hash()
    world.restore(2)
    world.drop_caches()
    world.run(frames=2)
    assert world.state_hash() == expected


def test_yield_and_rupture_are_marked_and_said() -> None:
    world = World(systems=standard(), frame_time=1.0, substeps=1)
    material = Material(young_modulus=E, poisson_ratio=0.0, yield_stress=5.0, rupture_stress=7.5)
    conditions = ON.fixed("left") + ON.traction("right", [(0, 0, 0), (8, 0, 0)], times=(0.0, 2.0))
    world.spawn(plate((4.0, 1.0), (4, 1)), material, BoundaryElements(), conditions, name="bar")
    world.run(frames=1)
    assert world.get("bar", Stress).yielded == 0
    world.run(frames=1)
    stress = world.get("bar", Stress)
    assert stress.yielded == stress.ruptured == len(stress.exceeded) > 0
    assert np.all(stress.exceeded == 2)


def test_plane_stress_counts_the_thickness_in_forces_only() -> None:
    conditions = ON.fixed("left") + ON.traction("right", (8, 0, 0))
    thin, unit = (body(plate((4.0, 1.0), (4, 1)), conditions, analysis="plane stress", thickness=t) for t in (0.1, 1.0))
    assert thin.value("body.displacement") == pytest.approx(unit.value("body.displacement"), rel=1e-12)
    assert thin.get("body", SupportForces).force == pytest.approx(0.1 * unit.get("body", SupportForces).force)
    assert thin.get("body", Energy).elastic == pytest.approx(0.1 * unit.get("body", Energy).elastic)


BAD = {
    "no constants": (lambda: Material(young_modulus=E), BoundaryElements(), ON.fixed("left"), "two of"),
    "no boundary": (lambda: Material(young_modulus=E, poisson_ratio=NU), BoundaryElements(analysis="three-dimensional"),
                    ON.fixed("left"), "analysis must fit"),
    "a point": (lambda: Material(young_modulus=E, poisson_ratio=NU), BoundaryElements(), ON.fixed([0]), "whole"),
    "out of the plane": (lambda: Material(young_modulus=E, poisson_ratio=NU), BoundaryElements(),
                         ON.traction("right", (0, 0, 1)), "third component"),
    "twice": (lambda: Material(young_modulus=E, poisson_ratio=NU), BoundaryElements(),
              ON.fixed("left") + ON.displacement("left", (1, 0, 0)), "once"),
    "a corner torn": (lambda: Material(young_modulus=E, poisson_ratio=NU), BoundaryElements(),
                      ON.fixed("left") + ON.displacement("bottom", (1, 0, 0)), "one displacement"),
    "a mass": (lambda: Material(young_modulus=E, poisson_ratio=NU), BoundaryElements(far_stress=np.eye(3)),
               ON.fixed("left"), "far_stress"),
}  # fmt: skip


SQUARE = [(0, 0), (1, 0), (1, 1), (0, 1)]
SIDES = [[0, 1], [1, 2], [2, 3], [3, 0]]
OUTLINES = {
    "clockwise": (SQUARE, [[1, 0], [2, 1], [3, 2], [0, 3]], "anticlockwise"),
    "a gap": (SQUARE, SIDES[:3], r"closed curves.*point 0"),
    "one element the other way": (SQUARE, [*SIDES[:3], [0, 3]], "closed curves"),
    "a point that three use": ([*SQUARE, (-1, 0)], [*SIDES, [0, 4], [4, 0]], "closed curves"),
    "crossing": ([(0, 0), (1, 1), (1, 0), (0, 1)], SIDES, "not cross each other, got elements 0 and 2"),
    "points at one place": ([*SQUARE, (1, 0)], [[0, 1], [4, 2], [2, 3], [3, 0]], "points 1 and 4"),
    "a line": ([(0, 0), (1, 0), (2, 0)], [[0, 1], [1, 2], [2, 0]], "anticlockwise"),
    "one point thrice": (SQUARE, [[0, 0], *SIDES[1:]], "different points"),
    "unknown point": (SQUARE, [[0, 9], *SIDES[1:]], "indices"),
    "nothing": (SQUARE, np.zeros((0, 2), int), "at least one element"),
    "four points": (SQUARE, [[0, 1, 2, 3]], "2 or 3 points"),
    "middle off": ([*SQUARE, (0.05, 0), (1, 0.5), (0.5, 1), (0, 0.5)],
                   [[0, 4, 1], [1, 5, 2], [2, 6, 3], [3, 7, 0]], "element 0 with point 4 at 0.05"),
    "bent": ([*SQUARE, (0.5, -0.6), (1, 0.5), (0.5, 1), (0, 0.5)],
             [[0, 4, 1], [1, 5, 2], [2, 6, 3], [3, 7, 0]], "element 0 with point 4 at 0.5"),
}  # fmt: skip


@pytest.mark.parametrize("case", OUTLINES)
def test_bad_outlines_are_refused_by_element(case: str) -> None:
    points, segments, message = OUTLINES[case]
    world = World(systems=standard())
    with pytest.raises(FieldError, match=message):
        geometry = Geometry(points=np.pad(np.array(points, float), ((0, 0), (0, 1))), segments=segments)
        world.spawn(geometry, Material(young_modulus=E, poisson_ratio=NU), BoundaryElements(), name="body")


def test_a_hole_must_run_clockwise_and_a_half_must_lie_on_one_side() -> None:
    world = World(systems=standard())
    material = Material(young_modulus=E, poisson_ratio=NU)
    hole = outline([arc((0, 0), 1.0, 0.0, 2 * math.pi, 8)], fill=False)
    with pytest.raises(FieldError, match="run clockwise around the holes"):
        world.spawn(hole, material, BoundaryElements(infinite=True))
    with pytest.raises(FieldError, match="on one side of the plane of symmetry x = 0"):
        world.spawn(hole, material, BoundaryElements(symmetry="x"))


def test_an_incompressible_body_needs_a_free_part() -> None:
    with pytest.raises(SimulationError, match="leaves the pressure open"):
        body(plate(), ON.fixed("boundary"), nu=0.5)


@pytest.mark.parametrize("case", BAD)
def test_bad_bodies_are_refused(case: str) -> None:
    material, settings, conditions, message = BAD[case]
    world = World(systems=standard())
    with pytest.raises(FieldError, match=message):
        world.spawn(plate(), material(), settings, conditions, name="body")


def test_conditions_on_surfaces_need_a_surface() -> None:
    from components import MassSpring
    from components.prefabs import grid

    world = World(systems=standard())
    with pytest.raises(FieldError, match="got Traction, which acts on a surface"):
        world.spawn(grid(), Material(areal_density=1.0), MassSpring(stretch=1.0), ON.traction("left", (1, 0, 0)))


def test_outlines_keep_their_sides() -> None:
    geometry = plate((4, 4), (8, 8), centre=(0, 0), hole=0.5)
    assert set(geometry.groups) == {"left", "right", "bottom", "top", "hole", "boundary"}
    area = 0.0
    a, b, c = (geometry.points[geometry.triangles[:, j], :2] for j in range(3))
    area = 0.5 * ((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]).sum()
    assert area == pytest.approx(16 - 16 * 2 * 0.5 * 0.25 * math.sin(2 * math.pi / 32) , rel=1e-9)
    graded = line((0, 0), (1, 0), 4, grading=8.0).points(1)[:, 0]
    assert np.diff(graded)[-1] / np.diff(graded)[0] == pytest.approx(8.0)


def test_a_hand_moves_a_patch_and_feels_its_reaction() -> None:
    """Pulled at its whole end, a bar answers with E A / L; let go, it springs back."""
    from framework.viewer.session import Session

    session = Session(body(plate((4.0, 1.0), (8, 1), fill=False), ON.fixed("left"), nu=0.0))
    world, middle = session.world, 17  # of the right side
    entity = world.id("body")
    end = world.get("body", Geometry).points[middle]
    assert end == pytest.approx([4.0, 0.5, 0.0])
    assert session.grab(entity, middle)
    session.drag_to(end + np.array([0.1, 0.0, 0.0]))
    session.step(2)
    assert world.value("body.displacement[right].mean.x") == pytest.approx(0.1, rel=1e-12)
    assert session.reaction[0] == pytest.approx(E * 0.1 / 4, rel=1e-3)
    expected, kept = world.state_hash(), session.edits
    session.release()
    session.step(1)
    assert np.abs(world.value("body.displacement")).max() < 1e-12
    assert expected != world.state_hash() and len(kept) >= 2
    assert session.pin(entity, middle) and session.is_pinned(entity, middle)
    assert session.unpin(entity, middle) and not session.is_pinned(entity, middle)
    assert not session.unpin(entity, middle) and "not pinned" in session.message


def test_a_hand_on_what_is_held_says_so() -> None:
    from framework.viewer.session import Session

    session = Session(body(plate((4.0, 1.0), (4, 1), fill=False), ON.fixed("left")))
    assert not session.grab(session.world.id("body"), 0) and "once" in session.message
    assert session.held is None and session.step(2) == 2


def test_conditions_may_be_changed_while_it_runs() -> None:
    world = body(plate((4.0, 1.0), (4, 1)), ON.fixed("left") + ON.traction("right", (8, 0, 0)), nu=0.0)
    first = world.value("body.displacement[right].mean.x")
    world.set("body.boundary_conditions", (ON.fixed("left") + ON.traction("right", (-4, 0, 0))).conditions)
    world.set("body.young_modulus", 2 * E)
    world.run(frames=1)
    assert world.value("body.displacement[right].mean.x") == pytest.approx(-first / 4, rel=1e-9)
    world.set("body.boundary_conditions", ON.traction("right", (1, 0, 0)).conditions)
    before = world.state_hash()
    with pytest.raises(SimulationError, match="in balance where nothing holds"):
        world.run(frames=1)
    assert world.state_hash() == before
    world.restore(1)
    world.run(frames=1)
    assert world.value("body.displacement[right].mean.x") == pytest.approx(-first / 4, rel=1e-9)


def test_what_does_not_fit_into_memory_is_refused_with_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    from systems.boundary_elements import response

    monkeypatch.setattr(response, "available_bytes", lambda: 2e5)
    with pytest.raises(SimulationError, match=r"the equations of 160 points .* of 0\.0002 GB"):
        body(plate((4.0, 1.0), (32, 8), fill=False), ON.fixed("left"))


def test_memory_that_is_left_is_a_number(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    from framework import memory

    assert memory.available_bytes() > 1e6
    monkeypatch.setattr(memory, "MEMINFO", tmp_path / "none")
    assert memory.available_bytes() > 1e6


def viscous(frame_time: float, load: Any, beta: float = 0.5, until: float = 2.0) -> World:
    """A bar that follows its load with a lag."""
    world = World(systems=standard(), frame_time=frame_time, substeps=1)
    material = Material(young_modulus=E, poisson_ratio=0.0, rayleigh_beta=beta)
    world.spawn(plate((4.0, 1.0), (4, 1)), material, BoundaryElements(response="viscous"), load, name="bar")
    world.run(until=until)
    return world


@pytest.mark.parametrize("frame_time", [0.05, 0.4, 2.0])
def test_a_viscous_body_relaxes_exponentially_whatever_the_frame(frame_time: float) -> None:
    """A load from the start on: u = u_static (1 - exp(-t / beta)); the support bears all of it at once."""
    world = viscous(frame_time, ON.fixed("left") + ON.traction("right", (8, 0, 0)))
    static = 8 * 4 / E
    share = 1 - math.exp(-2.0 / 0.5)
    assert world.value("bar.displacement[right].mean.x") == pytest.approx(static * share, rel=1e-6)
    assert world.get("bar", SupportForces).force[0, 0] == pytest.approx(-8.0, rel=1e-6)
    assert world.get("bar", Stress).tensor[:, 0, 0] == pytest.approx(8.0 * share, rel=1e-4)
    assert world.get("bar", Energy).elastic == pytest.approx(0.5 * 8 * static * share**2, rel=1e-5)


def test_a_viscous_body_follows_a_ramp_exactly() -> None:
    """With f = c t: u = k (t - beta + beta exp(-t / beta))."""
    ramp = ON.fixed("left") + ON.traction("right", [(0, 0, 0), (16, 0, 0)], times=(0.0, 4.0))
    coarse, fine = (viscous(h, ramp).value("bar.displacement[right].mean.x") for h in (1.0, 0.1))
    exact = 4 * 4 / E * (2 - 0.5 + 0.5 * math.exp(-4.0))
    assert coarse == pytest.approx(exact, rel=1e-6) and fine == pytest.approx(exact, rel=1e-6)


def test_prescribed_displacements_are_met_at_once_against_a_resistance() -> None:
    moved = ON.fixed("left") + ON.displacement("right", [(0, 0, 0), (0.4, 0, 0)], times=(0.0, 4.0))
    world = viscous(0.5, moved)
    assert world.value("bar.displacement[right].mean.x") == pytest.approx(0.2, rel=1e-12)
    # strain 0.05, growing by 0.025 a second: E (0.05 + 0.5 * 0.025)
    assert world.get("bar", SupportForces).force[0, 0] == pytest.approx(-E * (0.05 + 0.0125), rel=1e-6)


def test_a_viscous_body_goes_on_from_any_frame() -> None:
    world = viscous(0.1, ON.fixed("left") + ON.traction("right", (8, -1, 0)), until=1.0)
    expected = world.state_hash()
    world.restore(4)
    world.drop_caches()
    world.run(until=1.0)
    assert world.state_hash() == expected


def test_a_viscous_response_needs_a_damping() -> None:
    with pytest.raises(FieldError, match="rayleigh_beta must be positive beside a viscous response"):
        viscous(0.1, ON.fixed("left"), beta=0.0)
