"""Plane boundary elements against closed forms: linear fields, the beam, hole, cylinder, and rates of convergence."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from systems.kernels.bem.planar_problem import PlanarProblem
from systems.kernels.bem.planar_results import boundary_stress, interior_field, principal, von_mises
from systems.kernels.bem.quadrature import logarithmic_rule
from systems.kernels.bem.system import Solution, solve
from tests.verification.planar_scenes import (
    BEAM,
    BEAM_NODES,
    kelvin,
    linear_field,
    normals,
    outline,
    problem,
    ring,
)

GRADIENT = np.array([[0.3, 0.2], [0.5, -0.7]]) * 1e-3
L_SHAPE = [[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]]
SHAPES = {
    "rectangle": ([[0, 0], [5, 0], [5, 1], [0, 1]], 3), "L": (L_SHAPE, 2),
    "strip": ([[0, 0], [1000, 0], [1000, 1], [0, 1]], 4),
}  # fmt: skip


def stress_of(found: Solution, given: PlanarProblem) -> np.ndarray:
    return boundary_stress(given.points, given.nodes, found.u, found.t, given.shear_modulus, given.poisson_ratio)[0]


def inside(given: PlanarProblem, found: Solution, places: object) -> tuple[np.ndarray, np.ndarray]:
    """(displacement, stress) at places, at an entry accuracy of 1e-12."""
    return interior_field(
        np.asarray(places, float), given.points, given.nodes, found.u, found.t, given.shear_modulus,
        given.poisson_ratio, given.mirror, None, given.infinite, 1e-12,
    )  # fmt: skip


def test_the_logarithmic_rule_is_exact_for_polynomials() -> None:
    s, _, w = logarithmic_rule(9)
    for power in range(9):
        assert w @ s**power == pytest.approx(-1 / (power + 1) ** 2, rel=1e-13)


def clamped(points: np.ndarray, nodes: np.ndarray, u: np.ndarray, accuracy: float) -> PlanarProblem:
    """Displacements u (n, 2) prescribed all around."""
    return problem(points, nodes, u_fixed=np.ones((*nodes.shape, 2), bool), u_value=u[nodes], accuracy=accuracy)


# -- linear fields ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("shape", SHAPES)
def test_prescribed_linear_field_returns_the_tractions_of_each_side(shape: str, order: int) -> None:
    """Corners have two tractions; each side's is exact to 1e-8 at entry accuracy 1e-12."""
    points, nodes = outline(*SHAPES[shape], order)
    gradient, stress = linear_field(GRADIENT, 0.3)
    given = clamped(points, nodes, points @ gradient.T, 1e-12)
    error = np.abs(solve(given).t - normals(points, nodes) @ stress).max() / np.abs(stress).max()
    assert error < 1e-8


@pytest.mark.parametrize("accuracy", [1e-6, 1e-9, 1e-12])
def test_tractions_reach_the_entry_accuracy(accuracy: float) -> None:
    gradient, stress = linear_field(GRADIENT, 0.3)
    given = clamped(BEAM, BEAM_NODES, BEAM @ gradient.T, accuracy)
    error = np.abs(solve(given).t - normals(BEAM, BEAM_NODES) @ stress).max() / np.abs(stress).max()
    assert error < 50 * accuracy


def test_a_free_body_under_balanced_tractions_has_no_rigid_motion() -> None:
    gradient, stress = linear_field(GRADIENT, 0.3)
    given = problem(BEAM, BEAM_NODES, t_value=normals(BEAM, BEAM_NODES) @ stress, accuracy=1e-12)
    found = solve(given)
    assert len(found.free) == 3
    assert found.u.mean(axis=0) == pytest.approx([0, 0], abs=1e-12)
    offset = BEAM - BEAM.mean(axis=0)
    difference = found.u - offset @ gradient.T
    spin = (offset[:, 0] * difference[:, 1] - offset[:, 1] * difference[:, 0]).sum() / (offset**2).sum()
    rigid = spin * np.stack([-offset[:, 1], offset[:, 0]], axis=1)
    assert difference - rigid == pytest.approx(np.zeros((24, 2)), abs=1e-14)


@pytest.mark.parametrize("angle", [0.0, 30.0, 90.0])
def test_rollers_along_any_axis(angle: float) -> None:
    """A bar on rollers at one end and below, pulled: u is linear; turned by an angle the result turns with it."""
    c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    turn = np.array([[c, -s], [s, c]])
    given = problem(BEAM @ turn.T, BEAM_NODES, shear_modulus=7e4, frames=np.tile(turn, (24, 1, 1)), accuracy=1e-12)
    given.u_fixed[11, :, 0] = True
    given.u_fixed[:5, :, 1] = True
    given.t_value[5, :, 0] = 10.0
    found = solve(given)
    strain = 10 * (1 - 0.3) / (2 * 7e4)
    exact = np.stack([strain * BEAM[:, 0], -strain * 0.3 / 0.7 * BEAM[:, 1]], axis=1)
    assert found.u @ turn == pytest.approx(exact, abs=1e-9 * strain * 5)


def test_springs_to_ground_carry_the_load() -> None:
    """A bar on an elastic support of k [Pa/m] per area moves by p / k as a whole, and stretches as if it were held."""
    given = problem(BEAM, BEAM_NODES, shear_modulus=7e4, poisson_ratio=0.0, accuracy=1e-12)
    given.spring[11, :, 0] = 2e3
    given.u_fixed[:5, :, 1] = True
    given.t_value[5, :, 0] = 10.0
    u = solve(given).u[:, 0]
    assert u == pytest.approx(10 / 2e3 + 10 / 1.4e5 * BEAM[:, 0], rel=1e-9)


@pytest.mark.parametrize("length", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("modulus", [1e-3, 1e12])
def test_units_do_not_matter(length: float, modulus: float) -> None:
    given = problem(BEAM * length, BEAM_NODES, shear_modulus=modulus, poisson_ratio=0.3)
    given.u_fixed[11] = True
    given.t_value[5, :, 1] = -1e-3 * modulus
    reference = problem(BEAM, BEAM_NODES, poisson_ratio=0.3)
    reference.u_fixed[11] = True
    reference.t_value[5, :, 1] = -1e-3
    assert solve(given).u / length == pytest.approx(solve(reference).u, rel=1e-9, abs=1e-12)


# -- the beam ---------------------------------------------------------------------------------------------------------


def beam(**settings: object) -> PlanarProblem:
    """5 x 1, E = 1e4, nu = 0, clamped at the left, 10 downwards on the right."""
    given = problem(BEAM, BEAM_NODES, shear_modulus=5e3, poisson_ratio=0.0, **settings)
    given.u_fixed[11] = True
    given.t_value[5, :, 1] = -10.0
    return given


def test_beam_with_a_unit_logarithm() -> None:
    """Twelve elements, all integrals converged: another code's figures to 2e-7."""
    found = solve(beam(log_length=1.0, accuracy=1e-9))
    expected = {
        9: (-0.07468653, -0.50720318), 11: (0.07468653, -0.50720318), 12: (0, -0.50709415),
        10: (-0.07388455, -0.43175218),
    }  # fmt: skip
    for node, value in expected.items():
        assert found.u[node] == pytest.approx(value, abs=2e-7)
    weights = np.array([1, 4, 1]) / 6
    force = weights @ found.t[11]
    assert force == pytest.approx([0, 9.99052047], abs=2e-7)
    moment = weights @ (BEAM[BEAM_NODES[11], 0] * found.t[11, :, 1] - BEAM[BEAM_NODES[11], 1] * found.t[11, :, 0])
    assert moment == pytest.approx(49.7715211, abs=2e-6)


def test_beam_without_a_unit_balances_exactly() -> None:
    found = solve(beam(accuracy=1e-9))
    assert found.u[11, 1] == pytest.approx(-0.507409, abs=1e-6)
    assert np.array([1, 4, 1]) / 6 @ found.t[11] == pytest.approx([0, 10], abs=1e-10)


def test_beam_converges() -> None:
    """u of the corner tends to -0.5123826 of the continuum; with a unit logarithm by way of known values."""
    for pieces, value in ((2, -0.51123601), (4, -0.51212221)):
        points, nodes = outline([[0, 0], [5, 0], [5, 1], [0, 1]], 1)
        points = np.concatenate([
            side(a, b, n * pieces) for a, b, n in
            (((0, 0), (5, 0), 5), ((5, 0), (5, 1), 1), ((5, 1), (0, 1), 5), ((0, 1), (0, 0), 1))
        ])  # fmt: skip
        nodes = ring(len(points))
        given = problem(points, nodes, shear_modulus=5e3, poisson_ratio=0.0, log_length=1.0, accuracy=1e-9)
        given.u_fixed[(points[nodes][:, :, 0] == 0).all(axis=1)] = True
        given.t_value[(points[nodes][:, :, 0] == 5).all(axis=1), :, 1] = -10.0
        corner = int(np.flatnonzero((points == [5, 1]).all(axis=1))[0])
        assert solve(given).u[corner, 1] == pytest.approx(value, abs=2e-7)


def side(a: object, b: object, pieces: int) -> np.ndarray:
    """(2 pieces, 2) points from a up to, and without, b."""
    steps = np.arange(2 * pieces) / (2 * pieces)
    return np.asarray(a, float) + steps[:, None] * (np.asarray(b, float) - np.asarray(a, float))


# -- curved boundaries ------------------------------------------------------------------------------------------------


def ellipse(m: int, order: int = 2, a: float = 1.0, b: float = 0.6) -> tuple[np.ndarray, np.ndarray]:
    angle = 2 * np.pi * np.arange(m * order) / (m * order)
    return np.stack([a * np.cos(angle), b * np.sin(angle)], axis=1), ring(m * order, order)


def rates(order: int, kind: str) -> tuple[float, float]:
    """Measured orders of convergence of displacement and unknown traction, in the discrete L2 norm, on an ellipse."""
    errors = []
    for m in (16, 32, 64):
        points, nodes = ellipse(m, order)
        u, stress = kelvin(points, np.array([1.5, 0.9]), np.array([1.0, -0.4]), 0.3)
        angle = np.arctan2(points[:, 1] / 0.6, points[:, 0])
        normal = np.stack([0.6 * np.cos(angle), np.sin(angle)], axis=1)
        normal /= np.linalg.norm(normal, axis=1, keepdims=True)
        t = (stress @ normal[..., None])[..., 0]
        given = problem(points, nodes, u_value=u[nodes], t_value=t[nodes], accuracy=1e-10)
        given.u_fixed[:] = kind == "displacement"
        if kind == "mixed":
            given.u_fixed[: m // 2] = True
        found = solve(given)
        fixed = given.u_fixed[..., 0]
        free = np.setdiff1d(np.arange(len(points)), nodes[fixed])
        errors.append([
            np.sqrt(np.mean((found.u - u)[free] ** 2)) if len(free) else 1.0,
            np.sqrt(np.mean((found.t - t[nodes])[fixed] ** 2)) if fixed.any() else 1.0,
        ])  # fmt: skip
    return tuple(math.log2(errors[1][i] / errors[2][i]) for i in range(2))  # type: ignore[return-value]


def test_quadratic_elements_converge() -> None:
    assert rates(2, "mixed")[0] > 2.9
    assert rates(2, "displacement")[1] > 1.8


def test_linear_elements_converge() -> None:
    assert rates(1, "mixed")[0] > 1.9
    assert rates(1, "displacement")[1] > 0.9


def test_a_hole_in_an_infinite_plate() -> None:
    """Kirsch (1898): remote tension 1 along x, a hole of radius 1: s_t = 3 at its top, -1 at its side."""
    m = 32
    angle = -2 * np.pi * np.arange(2 * m) / (2 * m)  # clockwise: the material lies outside
    points, nodes = np.stack([np.cos(angle), np.sin(angle)], axis=1), ring(2 * m)
    far = np.array([[1.0, 0.0], [0.0, 0.0]])
    strain = np.array([[0.5 * (1 - 0.3), 0], [0, -0.5 * 0.3]])  # plane strain, G = 1
    given = problem(
        points, nodes, infinite=True, accuracy=1e-10, u_free=points @ strain, t_free=normals(points, nodes) @ far
    )
    found = solve(given)
    hoop = stress_of(found, given).sum(axis=-1, where=[True, True, False])  # s_r = 0
    at = nodes.reshape(-1)
    exact = 1 - 2 * np.cos(2 * angle[at])
    assert hoop.reshape(-1) == pytest.approx(exact, abs=2e-2)
    u_r = (found.u * points).sum(axis=1)
    assert u_r == pytest.approx((1 + 2 * np.cos(2 * angle)) * (1 - 0.3) / 2, abs=1e-4)
    perturbed = dataclasses.replace(found, u=found.u - given.u_free, t=found.t - given.t_free)
    places = np.array([[0, 1.5], [0, 2.0], [0, 5.0]])
    _, stress = inside(given, perturbed, places)
    assert stress[:, 0] + 1 == pytest.approx([1.5185185185185186, 1.21875, 1.0224], abs=1e-4)


@pytest.mark.parametrize("nu", [0.3, 0.5])
def test_a_thick_cylinder(nu: float) -> None:
    """Lame: radii 1 and 2, pressure 1 inside, E = 1000; the free body keeps its centre."""
    m = 24
    angle = 2 * np.pi * np.arange(2 * m) / (2 * m)
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    points = np.concatenate([2 * circle, circle[::-1]])
    nodes = np.concatenate([ring(2 * m), ring(2 * m) + 2 * m])
    given = problem(points, nodes, shear_modulus=1000 / (2 * (1 + nu)), poisson_ratio=nu, accuracy=1e-9)
    given.t_value[m:] = -normals(points, nodes)[m:]
    found = solve(given)
    radial = (found.u * points).sum(axis=1) / np.linalg.norm(points, axis=1)
    expected = {0.3: (0.0019066666666666668, 0.0012133333333333332), 0.5: (0.002, 0.001)}[nu]
    assert radial[2 * m :] == pytest.approx(expected[0], rel=1e-4)
    assert radial[: 2 * m] == pytest.approx(expected[1], rel=1e-4)
    if nu < 0.5:
        places = np.array([[1.25, 0], [0, 1.5]])
        u, stress = inside(given, found, places)
        assert stress[0, :2] == pytest.approx([-0.52, 1.18666667], abs=2e-4)
        assert stress[1, :2] == pytest.approx([0.92592593, -0.25925926], abs=2e-4)
        assert [u[0, 0], u[1, 1]] == pytest.approx([0.0016033333, 0.0014155556], rel=5e-5)


@pytest.mark.parametrize("nu", [0.0, 0.3, 0.4, 0.49, 0.4999, 0.4999999, 0.5])
def test_the_error_around_a_hole_does_not_grow_towards_incompressible(nu: float) -> None:
    """Radii 1 and 2, pressure 1 inside, G = 1: u_r = ((1 - 2 nu) r + 4 / r) / 6."""
    circle = ellipse(12, 2, 1.0, 1.0)[0]
    points = np.concatenate([2 * circle, circle[::-1]])
    nodes = np.concatenate([ring(24), ring(24) + 24])
    given = problem(points, nodes, poisson_ratio=nu)
    given.t_value[12:] = -normals(points, nodes)[12:]
    radius = np.linalg.norm(points, axis=1)
    exact = ((1 - 2 * nu) * radius + 4 / radius) / 6
    assert (solve(given).u * points).sum(axis=1) / radius == pytest.approx(exact, rel=1e-3)


@pytest.mark.parametrize("nu", [0.45, 0.5])
def test_a_bent_hole_whose_middle_lies_in_the_material(nu: float) -> None:
    """A linear field around a horseshoe: the centre of dilatation must be inside the hole all the same."""
    turn = np.linspace(-2.4, 2.4, 13)
    arc = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    outer, outer_nodes = outline([[-3, -3], [3, -3], [3, 3], [-3, 3]], 3)
    hole, hole_nodes = outline(np.concatenate([0.8 * arc, 1.2 * arc[::-1]]), 1)
    points, nodes = np.concatenate([outer, hole]), np.concatenate([outer_nodes, hole_nodes + len(outer)])
    gradient = GRADIENT if nu < 0.5 else GRADIENT - np.trace(GRADIENT) / 2 * np.eye(2)
    stress = linear_field(gradient, nu)[1] if nu < 0.5 else gradient + gradient.T
    given = problem(points, nodes, poisson_ratio=nu, t_value=normals(points, nodes) @ stress, accuracy=1e-10)
    given.u_fixed[:3], given.u_value[:3] = True, (points @ gradient.T)[nodes[:3]]
    found = solve(given)
    assert found.condition < 1e6
    assert np.abs(found.u - points @ gradient.T).max() < 1e-7 * np.abs(points @ gradient.T).max()


def test_a_quarter_with_mirrors_equals_the_whole() -> None:
    whole_points, whole_nodes = outline([[-2, -1], [2, -1], [2, 1], [-2, 1]], 4)
    pull = (whole_points[whole_nodes][:, :, 0] == 2).all(axis=1), (whole_points[whole_nodes][:, :, 0] == -2).all(axis=1)
    whole = problem(whole_points, whole_nodes, accuracy=1e-12)
    whole.t_value[pull[0], :, 0], whole.t_value[pull[1], :, 0] = 1e-3, -1e-3
    corners = np.array([[2, 0], [2, 1], [0, 1]], float)
    points = np.concatenate([side(corners[0], corners[1], 2), side(corners[1], corners[2], 2), corners[2:]])
    nodes = np.array([[0, 1, 2], [2, 3, 4], [4, 5, 6], [6, 7, 8]])
    quarter = problem(points, nodes, mirror=(True, True), accuracy=1e-12)
    quarter.t_value[:2, :, 0] = 1e-3
    found, reference = solve(quarter), solve(whole)
    assert len(found.free) == 0
    for place, u in zip(points, found.u, strict=True):
        same = int(np.flatnonzero((np.abs(whole_points - place) < 1e-12).all(axis=1))[0])
        assert u == pytest.approx(reference.u[same], abs=1e-13)


@pytest.mark.parametrize("lean", [0.0, 0.4])
def test_supports_that_cross_a_plane_of_symmetry(lean: float) -> None:
    """A linear field prescribed around half a body; its sides cross the plane y = 0 smoothly, or at an edge."""
    points, _ = outline([[-1, 0], [1, 0], [1 - lean, 1], [lean - 1, 1]], 2)
    points = np.concatenate([points[4:], points[:1]])  # not the plane itself
    nodes = np.array([[2 * i, 2 * i + 1, 2 * i + 2] for i in range(6)])
    gradient, stress = linear_field(np.diag([0.3, -0.7]), 0.3)
    given = dataclasses.replace(clamped(points, nodes, points @ gradient.T, 1e-12), mirror=(False, True))
    found = solve(given)
    assert found.condition < 1e5
    assert np.abs(found.t - normals(points, nodes) @ stress).max() < 1e-8 * np.abs(stress).max()


def test_the_degenerate_disc_shows_in_the_condition_number() -> None:
    """With displacements all around, a unit logarithm is singular at radius exp(1 / (2 (3 - 4 nu))) = 1.320."""
    def condition(radius: float, **settings: object) -> float:
        points, nodes = ellipse(16, 2, radius, radius)
        return solve(problem(points, nodes, u_fixed=np.ones((16, 3, 2), bool), accuracy=1e-9, **settings)).condition

    radius = math.exp(1 / (2 * (3 - 4 * 0.3)))
    assert condition(radius, log_length=1.0) > 1e3 * condition(1.0, log_length=1.0)
    assert condition(radius) < 10 * condition(1.0)


def test_inside_down_to_the_boundary() -> None:
    gradient, stress = linear_field(GRADIENT, 0.3)
    t = normals(BEAM, BEAM_NODES) @ stress
    given, found = problem(BEAM, BEAM_NODES), Solution(BEAM @ gradient.T, t, 1.0, np.zeros((0, 3)))
    places = np.array([[2, 0.5], [1.0, 1e-3], [1.3, 1e-6], [4.999999, 0.5], [0.001, 0.999]])
    u, found_stress = inside(given, found, places)
    assert u == pytest.approx(places @ gradient.T, abs=1e-12)
    assert found_stress == pytest.approx(np.tile([stress[0, 0], stress[1, 1], stress[0, 1]], (5, 1)), rel=1e-8)


def test_stresses_of_a_tensor() -> None:
    assert von_mises(np.array([3.0, 0.0, 0.0]), 0.0) == pytest.approx(3.0)
    assert von_mises(np.array([0.0, 0.0, 1.0]), 0.0) == pytest.approx(math.sqrt(3))
    assert principal(np.array([0.0, 0.0, 1.0])) == pytest.approx((1.0, -1.0))
