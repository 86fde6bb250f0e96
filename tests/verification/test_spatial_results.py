"""Stress on surfaces, fields inside, resultants and energy in space, against closed forms and converged figures."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from components.boundary_mesh import gauss_points
from components.geometry import Geometry
from components.prefabs import box_surface, ellipsoid_surface
from components.prefabs.surfaces import reversed_faces
from systems.kernels.bem.spatial_interior import _add_point
from systems.kernels.bem.spatial_problem import SpatialProblem
from systems.kernels.bem.spatial_results import boundary_stress, interior_field
from systems.kernels.bem.system import Solution, solve
from tests.verification.spatial_scenes import KINDS, at_points, held, kelvin, linear_field, normals, problem, used

GRADIENT = np.array([[0.3, 0.2, -0.1], [0.5, -0.7, 0.2], [0.1, 0.4, 0.25]]) * 1e-3
SYMMETRIC = np.diag([0.3e-3, -0.7e-3, 0.2e-3])


def inside(given: SpatialProblem, found: Solution, places: object) -> tuple[np.ndarray, np.ndarray]:
    return interior_field(
        np.asarray(places, float), given.points, given.nodes, found.u, found.t, given.shear_modulus,
        given.poisson_ratio, given.mirror, given.infinite, 1e-9,
    )  # fmt: skip


def stress_of(given: SpatialProblem, found: Solution) -> np.ndarray:
    return boundary_stress(given.points, given.nodes, found.u, found.t, given.shear_modulus, given.poisson_ratio)


def surface_sum(body: Geometry, t: np.ndarray, u: np.ndarray | None = None) -> np.ndarray:
    """Resultant force and moment about the origin (6,) of tractions t (m, 8, 3), or their work (1,) on u (m, 8, 3)."""
    total = 0.0
    for rows, shape, places, vectors in gauss_points(3, body.faces, body.points):
        area, k = np.linalg.norm(vectors, axis=-1)[..., None], shape.shape[1]
        pull = np.einsum("gk,eki->egi", shape, t[rows, :k]) * area
        if u is None:
            parts = np.concatenate([pull, np.cross(places, pull)], axis=-1)
        else:
            parts = (pull * np.einsum("gk,eki->egi", shape, u[rows, :k])).sum(axis=-1, keepdims=True)
        total = total + parts.sum(axis=(0, 1))
    return np.asarray(total)


def test_stress_kernels() -> None:
    """D_kij and S_kij at one point, to 1e-12 of their closed form (E = 1e4, nu = .3)."""
    d, n = np.array([0.3, -0.4, 1.2]), np.array([0.6, 0.0, 0.8])
    wanted_d = [
        (0.004344679351182402, -0.0009001661235007938, 0.016735741602229043, -0.005792905801576536,
         0.01737871740472961, -0.006613465397148689),
        (0.0024861731030021922, -0.00707885740657767, -0.02231432213630539, 0.005309143054933253,
         -0.006613465397148689, 0.021236572219733012),
        (-0.007458519309006577, -0.0036006644940031747, 0.09178020312265235, -0.006613465397148689,
         0.022945050780663088, -0.030593401040884118),
    ]  # fmt: skip
    wanted_s = [
        (227.13823654496912, 28.582927182361505, -259.395311170191, -23.238940767404586, 141.0329662572217,
         120.71004206903159),
        (-36.805023633350615, -84.83818833696277, 540.496020456397, 36.9910722919843, 130.88460421849112,
         -6.538321249781434),
        (152.43224422096802, 14.470265410676651, -1009.5069898609592, 127.49308350200461, -267.94476964300077,
         543.0396609937619),
    ]  # fmt: skip
    for k, unit in enumerate(np.eye(3)):
        pulled, moved = np.zeros(9), np.zeros(9)
        _add_point(d, n, np.zeros(3), unit, 0.3, pulled)
        _add_point(d, n, unit, np.zeros(3), 0.3, moved)
        assert pulled[3:] == pytest.approx(np.array(wanted_d[k]), rel=1e-12)
        assert -moved[3:] * 1e4 / 2.6 == pytest.approx(np.array(wanted_s[k]), rel=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_a_linear_field_inside_and_on_the_surface(kind: str) -> None:
    """Exact on the surface, in the middle, at an edge, and down to 1e-6 of an element from the surface."""
    body = box_surface((2, 1, 1), (2, 1, 1), kind)
    stress = linear_field(GRADIENT, 0.3)[1]
    t = np.einsum("mki,ji->mkj", normals(body), stress)
    given = problem(body)
    found = Solution(body.points @ GRADIENT.T, t, 1.0, np.zeros((0, 6)))
    assert stress_of(given, found)[body.faces >= 0] == pytest.approx(
        np.broadcast_to(stress, ((body.faces >= 0).sum(), 3, 3)), abs=1e-12 * np.abs(stress).max()
    )
    places = np.array([[0, 0, 0], [0.9999, 0.1, 0.1], [0.2, 0.3, 0.5 - 1e-6], [-0.5, 0.499, 0.499], [-0.5, 0.5, 0.2]])
    u, found_stress = inside(given, found, places)
    assert u == pytest.approx(places @ GRADIENT.T, abs=1e-12 * 1e-3)
    assert found_stress == pytest.approx(np.tile(stress, (5, 1, 1)), abs=1e-9 * np.abs(stress).max())


def test_images_count_inside() -> None:
    """A quarter of a box, closed by two planes of symmetry."""
    body = box_surface((2, 2, 1), (2, 2, 1), "triangle6")
    points = np.where(np.abs(body.points) < 1e-9, 0.0, body.points)
    corner, there = points[body.faces], body.faces >= 0
    rows = ((corner[..., :2] >= 0).all(axis=2) | ~there).all(axis=1)
    stress = linear_field(SYMMETRIC, 0.3)[1]
    t = np.einsum("mki,ji->mkj", normals(body), stress)
    given = dataclasses.replace(problem(Geometry(points=points, faces=body.faces[rows])), mirror=(True, True, False))
    places = np.array([[0.2, 0.3, 0.1], [0.0, 0.0, 0.49], [1e-6, 0.5, 0.2], [0.999999, 0.4, 0.0]])
    found = Solution(points @ SYMMETRIC.T, t[rows], 1.0, np.zeros((0, 6)))
    u, found_stress = inside(given, found, places)
    assert u == pytest.approx(places @ SYMMETRIC.T, abs=1e-12)
    assert found_stress == pytest.approx(np.tile(stress, (4, 1, 1)), abs=1e-8 * np.abs(stress).max())


@pytest.mark.parametrize("inward", [False, True])
def test_kelvins_field_down_to_the_surface(inward: bool) -> None:
    """Errors are those of the elements' interpolation, also at 1e-6 from the surface, and fall with their size."""
    errors = []
    force, at = np.array([1, -0.5, 0.7]), np.array([0.1, 0.05, 0]) if inward else np.array([1.6, 1.2, 0.9])
    direction = np.array([0.6, 0.3, 0.4]) / np.linalg.norm(np.array([0.6, 0.3, 0.4]) / [1, 0.8, 0.6])
    for count in (3, 6):
        body = ellipsoid_surface((1.0, 0.8, 0.6), count, "quad8", inward=inward)
        u, stress = kelvin(body.points, at, force, 0.3)
        normal = body.points / np.array([1, 0.64, 0.36]) * (-1 if inward else 1)
        normal /= np.linalg.norm(normal, axis=1)[:, None]
        t = at_points(body, np.einsum("nij,nj->ni", stress, normal))
        given = dataclasses.replace(problem(body), infinite=inward)
        depth = np.array([0.4, 0.1, 1e-2, 1e-3, 1e-4, 1e-6])[:, None]
        places = direction * (1 + (depth if inward else -depth))
        moved, pulled = inside(given, Solution(u, t, 1.0, np.zeros((0, 6))), places)
        exact_u, exact = kelvin(places, at, force, 0.3)
        errors.append([
            np.abs(moved - exact_u).max() / np.abs(exact_u).max(), np.abs(pulled - exact).max() / np.abs(exact).max()
        ])  # fmt: skip
    assert errors[1][0] < 3e-4 and errors[1][1] < 1.5e-2
    assert errors[0][0] / errors[1][0] > 7 and errors[0][1] / errors[1][1] > 1.8


def test_a_bar_in_tension() -> None:
    """5 x 1 x 1, E = 1e4, nu = .3, traction 10: stress, strain energy and change of volume are exact."""
    bar = box_surface((5, 1, 1), (3, 1, 1), "quad8", centre=(2.5, 0, 0))
    fixed = held(bar, "left")
    fixed[..., 1:] = False
    t = np.where(held(bar, "right"), (10.0, 0.0, 0.0), 0.0)
    given = problem(bar, 1e4 / 2.6, 0.3, u_fixed=fixed, t_value=t, accuracy=1e-12)
    found = solve(given)
    stress = stress_of(given, found)[bar.faces >= 0]
    assert stress[:, 0, 0] == pytest.approx(10.0, abs=1e-8)
    assert np.abs(stress).reshape(-1, 9)[:, 1:].max() < 1e-8
    assert 0.5 * surface_sum(bar, found.t, at_points(bar, found.u)) == pytest.approx(0.025, rel=1e-10)
    assert surface_sum(bar, normals(bar), at_points(bar, found.u)) == pytest.approx(0.002, rel=1e-10)


@pytest.mark.slow
def test_a_cantilever_tends_to_converged_finite_elements() -> None:
    """5 x 1 x 1, E = 1e4, nu = .3, clamped at x = 0, traction (0, 0, -1) at x = 5: another code's converged figures.

    With more elements near the clamp.
    """
    errors = []
    for count in (1, 2):
        beam = box_surface((5, 1, 1), (8 * count, 2 * count, 2 * count), "quad8", centre=(2.5, 0, 0))
        beam.points[:, 0] = 5 * (beam.points[:, 0] / 5) ** 1.5
        fixed, t = held(beam, "left"), np.where(held(beam, "right"), (0.0, 0.0, -1.0), 0.0)
        found = solve(problem(beam, 1e4 / 2.6, 0.3, u_fixed=fixed, t_value=t))
        reaction = surface_sum(beam, np.where(fixed, found.t, 0.0))
        wanted = {
            (5, 0, 0.5): (2, -0.0509141), (5, 0.5, 0.5): (2, -0.0509018), (5, 0.5, 0): (2, -0.0508561),
        }  # fmt: skip
        moved = [(found.u[_at(beam, place), axis], value) for place, (axis, value) in wanted.items()]
        moved += [(found.u[_at(beam, (5, 0, 0.5)), 0], 0.00748182), (found.u[_at(beam, (5, 0.5, 0.5)), 0], 0.0074666)]
        energy = 0.5 * float(surface_sum(beam, found.t, at_points(beam, found.u))[0])
        errors.append([max(abs(u / value - 1) for u, value in moved), abs(energy / 0.02544053 - 1)])
    assert errors[1][0] < 1.5e-3 and errors[1][1] < 5e-4
    assert errors[0][0] / errors[1][0] > 4 and errors[0][1] / errors[1][1] > 4
    # the force is in balance to the size of the singularity at the clamped edges
    assert reaction == pytest.approx(np.array([0, 0, 1, 0, -5, 0]), abs=7e-2)
    assert np.abs(reaction[[0, 1, 3, 5]]).max() < 1e-6


def _at(body: Geometry, place: tuple[float, ...]) -> int:
    return int(np.argmin(np.linalg.norm(body.points - place, axis=1)))


@pytest.mark.parametrize("nu", [0.0, 0.25, 0.3, 0.5])
def test_fields_around_a_cavity_under_pressure(nu: float) -> None:
    """Radius 1, E = 1000, p = 1: u_r = p / (4 G r^2), s_r = -1 / r^3, s_t = 1 / (2 r^3)."""
    hole, shear = ellipsoid_surface(1.0, 4, "quad8", inward=True), 1000 / (2 * (1 + nu))
    given = problem(hole, shear, nu, infinite=True, t_value=np.where(used(hole), -normals(hole), 0.0))
    found = solve(given)
    places = np.array([[2.0, 0, 0], [0, 1.2, 1.6]])
    u, stress = inside(given, found, places)
    radial = places / 2
    assert np.einsum("pi,pi->p", u, radial) == pytest.approx(0.25 / (4 * shear), rel=5e-3)
    assert np.einsum("pij,pi,pj->p", stress, radial, radial) == pytest.approx(-0.125, rel=5e-3)
    assert np.trace(stress, axis1=1, axis2=2) == pytest.approx(0.0, abs=2e-3)


def test_hoop_stress_of_a_cavity_converges() -> None:
    """s_t = p / 2 on the surface, from the derivatives of u: of the elements' order, at least 1.5 measured."""
    errors = []
    for count in (3, 6):
        hole = ellipsoid_surface(1.0, count, "quad8", inward=True)
        given = problem(hole, infinite=True, t_value=np.where(used(hole), -normals(hole), 0.0))
        trace = np.trace(stress_of(given, solve(given)), axis1=2, axis2=3)[hole.faces >= 0]
        errors.append(float(np.sqrt(np.mean(trace**2))))  # 2 s_t + s_r = 0
    assert errors[1] < 2e-2
    assert np.log2(errors[0] / errors[1]) > 1.5


@pytest.mark.parametrize("nu", [0.0, 0.25, 0.3])
def test_a_cavity_under_remote_tension(nu: float) -> None:
    """Goodier (1933): s_t (27 - 15 nu) / (2 (7 - 5 nu)) at the equator, -(3 + 15 nu) / (2 (7 - 5 nu)) at the poles."""
    hole = ellipsoid_surface(1.0, 4, "quad8", inward=True)
    far = np.diag([0.0, 0.0, 1.0])
    strain = (far - nu / (1 + nu) * np.eye(3)) / 2  # G = 1
    t_free = np.einsum("ij,mkj->mki", far, normals(hole))
    given = problem(hole, 1.0, nu, infinite=True, u_free=hole.points @ strain, t_free=t_free)
    found = solve(given)
    perturbed = dataclasses.replace(found, u=found.u - given.u_free, t=found.t - t_free)
    stress = stress_of(given, perturbed) + far
    axis = hole.points[hole.faces, 2]
    equator, pole = (hole.faces >= 0) & (np.abs(axis) < 1e-9), (hole.faces >= 0) & (np.abs(axis) > 1 - 1e-9)
    low = 2 * (7 - 5 * nu)
    assert stress[equator][:, 2, 2].mean() == pytest.approx((27 - 15 * nu) / low, rel=2e-2)
    assert stress[pole][:, 0, 0].mean() == pytest.approx(-(3 + 15 * nu) / low, abs=2e-2 * 2)


@pytest.mark.slow
@pytest.mark.parametrize("nu", [0.0, 0.3, 0.4999, 0.4999999, 0.5])
def test_a_thick_sphere(nu: float) -> None:
    """Lame: radii 1 and 2, pressure 1 inside, G = 1: u = A r + B / r^2, 4 B = b^3 / (b^3 - 1), A = 1 / (3 K 7)."""
    outer, inner = ellipsoid_surface(2.0, 4, "quad8"), ellipsoid_surface(1.0, 4, "quad8", inward=True)
    n = len(outer.points)
    faces = np.concatenate([outer.faces, np.where(inner.faces >= 0, inner.faces + n, -1)]).astype(np.int32)
    body = Geometry(points=np.concatenate([outer.points, inner.points]), faces=faces)
    t = np.zeros((*faces.shape, 3))
    t[len(outer.faces) :] = -normals(body)[len(outer.faces) :]
    given = problem(body, 1.0, nu, t_value=t)
    found = solve(given)
    a, b = (1 - 2 * nu) / (2 * (1 + nu)) / 7, 8 / 7 / 4  # 1 / (3 K) = (1 - 2 nu) / (2 G (1 + nu))
    radius = np.linalg.norm(body.points, axis=1)
    assert (found.u * body.points).sum(axis=1) / radius == pytest.approx(a * radius + b / radius**2, rel=5e-3)
    places = np.array([[1.5, 0, 0], [0, 0.9, 1.2]])
    u, stress = inside(given, found, places)
    radial = places / 1.5
    assert (u * radial).sum(axis=1) == pytest.approx(a * 1.5 + b / 2.25, rel=5e-3)
    assert np.einsum("pij,pi,pj->p", stress, radial, radial) == pytest.approx((1 - 8 / 1.5**3) / 7, abs=5e-3)


def test_an_eighth_of_an_incompressible_sphere_with_a_cavity() -> None:
    """Planes of symmetry close the cavity: u_r = (8 / 7) / (4 r^2) for radii 1 and 2, pressure 1 inside, G = 1."""
    outer, inner = ellipsoid_surface(2.0, 4, "quad8"), ellipsoid_surface(1.0, 4, "quad8", inward=True)
    points = np.concatenate([outer.points, inner.points])
    points = np.where(np.abs(points) < 1e-9, 0.0, points)
    faces = np.concatenate([outer.faces, np.where(inner.faces >= 0, inner.faces + len(outer.points), -1)])
    rows = ((points[faces] >= 0).all(axis=2) | (faces < 0)).all(axis=1)
    in_use = np.unique(faces[rows][faces[rows] >= 0])
    renumber = np.full(len(points) + 1, -1)
    renumber[in_use] = np.arange(len(in_use))
    body = Geometry(points=points[in_use], faces=renumber[faces[rows]].astype(np.int32))
    radius = np.linalg.norm(body.points, axis=1)
    hollow = (radius[np.maximum(body.faces, 0)] < 1.5) & (body.faces >= 0)
    t = np.where(hollow[..., None], -normals(body), 0.0)
    found = solve(problem(body, 1.0, 0.5, t_value=t, mirror=(True, True, True)))
    assert (found.u * body.points).sum(axis=1) / radius == pytest.approx(2 / 7 / radius**2, rel=5e-3)


@pytest.mark.parametrize("nu", [0.45, 0.5])
def test_a_bent_cavity_whose_middle_lies_in_the_material(nu: float) -> None:
    """A linear field around a horseshoe: the centre of dilatation must be inside the cavity all the same."""
    outer, bar = box_surface((6, 6, 4), (2, 2, 2), "quad4"), box_surface((4.8, 0.8, 1), (8, 1, 1), "quad4")
    turn, radius = bar.points[:, 0], 1.4 - bar.points[:, 1]  # as seen from above the bar is bent, not mirrored
    bent = np.stack([radius * np.sin(turn), -radius * np.cos(turn), bar.points[:, 2]], axis=1)
    faces = np.concatenate([outer.faces, np.where(bar.faces >= 0, reversed_faces(bar.faces) + len(outer.points), -1)])
    body = Geometry(points=np.concatenate([outer.points, bent]), faces=faces.astype(np.int32), groups=outer.groups)
    gradient = GRADIENT if nu < 0.5 else GRADIENT - np.trace(GRADIENT) / 3 * np.eye(3)
    stress = linear_field(gradient, nu)[1] if nu < 0.5 else gradient + gradient.T
    t, u = np.einsum("mki,ji->mkj", normals(body), stress), body.points @ gradient.T
    fixed = held(body, "left")
    given = problem(
        body, poisson_ratio=nu, u_fixed=fixed, u_value=at_points(body, u) * fixed, t_value=np.where(fixed, 0, t),
        accuracy=1e-10,
    )  # fmt: skip
    found = solve(given)
    assert found.condition < 1e6
    assert np.abs(found.u - u).max() < 1e-7 * np.abs(u).max()
