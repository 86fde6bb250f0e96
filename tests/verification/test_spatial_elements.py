"""Boundary elements in space against linear fields, Kelvin's solution, bars, spheres, and their own images."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from components.geometry import Geometry
from components.prefabs import box_surface, ellipsoid_surface
from systems.kernels.bem.spatial_batch import batch_point
from systems.kernels.bem.spatial_elements import BATCH
from systems.kernels.bem.spatial_problem import sides
from systems.kernels.bem.system import solve
from tests.verification.spatial_scenes import KINDS, at_points, held, kelvin, linear_field, normals, problem, used

GRADIENT = np.array([[0.3, 0.2, -0.1], [0.5, -0.7, 0.2], [0.1, 0.4, 0.25]]) * 1e-3


def sides_of_points(body: Geometry) -> np.ndarray:
    """(n,) number of sides at each point."""
    used = body.faces >= 0
    pairs = np.unique(np.stack([body.faces[used], sides(problem(body))[used]]), axis=1)
    return np.bincount(pairs[0], minlength=len(body.points))


@pytest.mark.parametrize(("kind", "count"), [("triangle6", 2), ("quad8", 2), ("triangle3", 4), ("quad4", 6)])
def test_a_coarse_sphere_is_smooth_and_a_cube_is_not(kind: str, count: int) -> None:
    assert np.all(sides_of_points(ellipsoid_surface(1.0, count, kind)) == 1)
    cube = box_surface((1, 1, 1), (2, 2, 2), kind)
    at_sides = (np.abs(np.abs(cube.points) - 0.5) < 1e-12).sum(axis=1)
    assert np.array_equal(sides_of_points(cube), at_sides)


@pytest.mark.parametrize("kind", KINDS)
def test_a_prescribed_linear_field_returns_each_sides_traction(kind: str) -> None:
    cube = box_surface((1, 1, 1), (2, 2, 2), kind)
    gradient, stress = linear_field(GRADIENT, 0.3)
    values = at_points(cube, cube.points @ gradient.T)
    found = solve(problem(cube, u_fixed=used(cube).copy(), u_value=values, accuracy=1e-12))
    exact = np.einsum("mki,ji->mkj", normals(cube), stress)
    assert np.abs(found.t - exact).max() < 1e-8 * np.abs(stress).max()


def test_elements_of_all_kinds_together() -> None:
    """A cube whose sides differ: corners and edges are shared, quadratic sides meet quadratic ones only."""
    six, eight = (box_surface((1, 1, 1), (2, 2, 2), kind) for kind in ("triangle6", "quad8"))
    numbers = [int(np.argmin(np.linalg.norm(six.points - p, axis=1))) for p in eight.points]
    faces = six.faces.copy()
    top = held(six, "top", "front")[:, 0, 0]
    other = eight.faces[held(eight, "top", "front")[:, 0, 0]]
    mixed = np.concatenate([faces[~top], np.where(other >= 0, np.array(numbers)[other], -1)])
    in_use = np.unique(mixed[mixed >= 0])
    renumber = np.full(len(six.points) + 1, -1)
    renumber[in_use] = np.arange(len(in_use))
    cube = Geometry(points=six.points[in_use], faces=renumber[mixed].astype(np.int32))
    gradient, stress = linear_field(GRADIENT, 0.2)
    values = at_points(cube, cube.points @ gradient.T)
    found = solve(problem(cube, poisson_ratio=0.2, u_fixed=used(cube).copy(), u_value=values, accuracy=1e-10))
    exact = np.einsum("mki,ji->mkj", normals(cube), stress)
    assert np.abs(found.t - exact).max() < 1e-7 * np.abs(stress).max()


@pytest.mark.parametrize("nu", [0.0, 0.3, 0.5])
def test_mixed_conditions_and_springs(nu: float) -> None:
    """A linear field: held below, on springs at one side, pulled elsewhere."""
    cube = box_surface((1, 1, 1), (2, 1, 2), "triangle6")
    gradient = GRADIENT - np.trace(GRADIENT) / 3 * np.eye(3) if nu == 0.5 else GRADIENT
    stress = 1.0 * (gradient + gradient.T) if nu == 0.5 else linear_field(gradient, nu)[1]
    u = cube.points @ gradient.T
    exact = np.einsum("mki,ji->mkj", normals(cube), stress)
    fixed, springs = held(cube, "bottom"), 2.0 * held(cube, "left")
    t = np.where(fixed, 0.0, exact + springs * at_points(cube, u))
    given = problem(
        cube, poisson_ratio=nu, u_fixed=fixed, u_value=np.where(fixed, at_points(cube, u), 0), t_value=t,
        spring=springs, accuracy=1e-10,
    )  # fmt: skip
    found = solve(given)
    assert np.abs(found.u - u).max() < 1e-8 * np.abs(u).max()
    assert np.abs(found.t - exact).max() < 1e-7 * np.abs(stress).max()


def test_local_axes_do_not_change_the_answer() -> None:
    cube = box_surface((1, 1, 1), (1, 1, 1), "triangle6")
    rng = np.random.default_rng(3)
    frames = np.linalg.qr(rng.normal(size=(len(cube.points), 3, 3)))[0]
    u, t = rng.normal(size=(len(cube.points), 3)), rng.normal(size=used(cube).shape) * used(cube)
    fixed = held(cube, "bottom")
    plain = solve(problem(cube, u_fixed=fixed, u_value=at_points(cube, u) * fixed, t_value=np.where(fixed, 0, t)))
    own = frames[cube.faces]
    turned = solve(problem(
        cube, frames=frames, u_fixed=fixed,
        u_value=np.einsum("mkab,mka->mkb", own, at_points(cube, u)) * fixed,
        t_value=np.where(fixed, 0, np.einsum("mkab,mka->mkb", own, t)),
    ))  # fmt: skip
    assert turned.u == pytest.approx(plain.u, abs=1e-9 * np.abs(plain.u).max())
    assert turned.t == pytest.approx(plain.t, abs=1e-8 * np.abs(plain.t).max())


def test_a_bar_on_rollers_is_stretched_exactly() -> None:
    """5 x 1 x 1, traction 10 along x, E = 1e4, nu = .3; it may contract, and nothing holds it sideways."""
    bar = box_surface((5, 1, 1), (3, 1, 1), "quad8", centre=(2.5, 0, 0))
    fixed = held(bar, "left")
    fixed[..., 1:] = False
    t = np.zeros(fixed.shape)
    t[..., 0] = 10.0 * held(bar, "right")[..., 0]
    found = solve(problem(bar, 1e4 / 2.6, 0.3, u_fixed=fixed, t_value=t, accuracy=1e-12))
    assert len(found.free) == 3  # two translations and the turn about x
    exact = np.stack([1e-3 * bar.points[:, 0], -3e-4 * bar.points[:, 1], -3e-4 * bar.points[:, 2]], axis=1)
    assert found.u == pytest.approx(exact, abs=1e-10 * 5e-3 * 10)


def exterior_errors(kind: str, counts: tuple[int, ...]) -> list[tuple[float, float, float]]:
    """(size, error of displacement, of unknown traction) on an ellipsoid, with a point force outside, half held."""
    force, at = np.array([1.0, -0.5, 0.7]), np.array([1.6, 1.2, 0.9])
    found = []
    for count in counts:
        body = ellipsoid_surface((1.0, 0.8, 0.6), count, kind)
        u, stress = kelvin(body.points, at, force, 0.3)
        normal = body.points / np.array([1, 0.64, 0.36])
        normal /= np.linalg.norm(normal, axis=1)[:, None]
        t = at_points(body, np.einsum("nij,nj->ni", stress, normal))
        body.groups["above"] = np.flatnonzero(body.points[:, 1] >= -1e-9)
        fixed = held(body, "above")
        given = problem(
            body, u_fixed=fixed, u_value=at_points(body, u) * fixed, t_value=np.where(fixed, 0, t)
        )
        result = solve(given)
        errors = [np.sqrt((e**2).mean()) for e in (result.u - u, (result.t - t)[fixed])]
        found.append((1 / np.sqrt(len(body.faces)), *errors))
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "counts", "rates"),
    [("triangle3", (4, 8), (1.95, 0.9)), ("quad4", (4, 8), (1.95, 0.9)), ("triangle6", (3, 6), (2.95, 1.8)),
     ("quad8", (3, 6), (2.95, 1.8))],
)  # fmt: skip
def test_convergence_on_an_ellipsoid(kind: str, counts: tuple[int, ...], rates: tuple[float, float]) -> None:
    """Points on the true surface: displacement at least of order 3 (quadratic) and 2, unknown traction 1.8 and 0.9."""
    coarse, fine = exterior_errors(kind, counts)
    for rate, wanted in zip(np.log(np.array(coarse[1:]) / fine[1:]) / np.log(coarse[0] / fine[0]), rates, strict=True):
        assert rate > wanted


def test_symmetric_models_equal_the_whole() -> None:
    whole = ellipsoid_surface((1.0, 0.8, 0.6), 2, "quad8")
    t = np.where(used(whole), normals(whole) * (1.0, 2.0, -1.0), 0.0)
    fixed = np.zeros(t.shape, bool)
    full = solve(problem(whole, u_fixed=fixed, t_value=t, accuracy=1e-12))
    points = np.where(np.abs(whole.points) < 1e-9, 0.0, whole.points)
    part = (points[whole.faces] >= 0).all(axis=2) | (whole.faces < 0)
    rows = part.all(axis=1)
    faces = whole.faces[rows]
    in_use = np.unique(faces[faces >= 0])
    renumber = np.full(len(points) + 1, -1)
    renumber[in_use] = np.arange(len(in_use))
    eighth = Geometry(points=points[in_use], faces=renumber[faces].astype(np.int32))
    given = problem(eighth, t_value=t[rows], mirror=(True, True, True), accuracy=1e-12)
    found = solve(given)
    assert found.u == pytest.approx(full.u[in_use], abs=1e-10 * np.abs(full.u).max())


def half_in_y(body: Geometry) -> tuple[Geometry, np.ndarray, np.ndarray]:
    """(the elements with y >= 0, not those in the plane y = 0; their rows, and numbers of their points)."""
    points = np.where(np.abs(body.points) < 1e-9, 0.0, body.points)
    y, there = points[body.faces][..., 1], body.faces >= 0
    rows = np.flatnonzero(((y >= 0) | ~there).all(axis=1) & ((y > 0) & there).any(axis=1))
    faces = body.faces[rows]
    in_use = np.unique(faces[faces >= 0])
    renumber = np.full(len(points) + 1, -1)
    renumber[in_use] = np.arange(len(in_use))
    return Geometry(points=points[in_use], faces=renumber[faces].astype(np.int32)), rows, in_use


def test_a_clamped_end_may_cross_a_plane_of_symmetry() -> None:
    """Half a cantilever is the whole one: along the plane's normal the traction at the clamp is 0 there."""
    whole = box_surface((2, 1, 1), (2, 2, 2), "quad8")
    fixed, t = held(whole, "left"), np.where(held(whole, "right"), (0.0, 0.0, -1.0), 0.0)
    full = solve(problem(whole, u_fixed=fixed, t_value=t, accuracy=1e-12))
    half, rows, numbers = half_in_y(whole)
    given = problem(half, u_fixed=fixed[rows], t_value=t[rows], mirror=(False, True, False), accuracy=1e-12)
    found = solve(given)
    assert found.condition < 1e5
    assert found.u == pytest.approx(full.u[numbers], abs=1e-10 * np.abs(full.u).max())


@pytest.mark.parametrize("lean", [0.0, 0.8])
def test_supports_that_cross_a_plane_of_symmetry(lean: float) -> None:
    """A linear field prescribed around half a body; its sides cross the plane y = 0 smoothly, or at an edge."""
    body = half_in_y(box_surface((2, 2, 1), (2, 2, 1), "triangle6"))[0]
    body.points[:, 0] *= 1 - lean * body.points[:, 1] / 2
    gradient, stress = linear_field(np.array([[0.3, 0, 0.1], [0, -0.7, 0], [0.2, 0, 0.4]]), 0.3)
    given = problem(
        body, u_fixed=used(body).copy(), u_value=at_points(body, body.points @ gradient.T),
        mirror=(False, True, False), accuracy=1e-12,
    )  # fmt: skip
    found = solve(given)
    exact = np.einsum("mki,ji->mkj", normals(body), stress)
    assert found.condition < 1e5
    assert np.abs(found.t - exact).max() < 1e-8 * np.abs(stress).max()


@pytest.mark.parametrize("nu", [0.0, 0.25, 0.3])
def test_a_spherical_cavity_under_pressure(nu: float) -> None:
    """u_r(a) = p a / (4 G); the error falls by a power of the elements' size."""
    errors = []
    for count in (2, 4):
        hole = ellipsoid_surface(1.0, count, "quad8", inward=True)
        shear = 1000 / (2 * (1 + nu))
        found = solve(problem(hole, shear, nu, infinite=True, t_value=np.where(used(hole), -normals(hole), 0.0)))
        errors.append(np.abs((found.u * hole.points).sum(axis=1) * 4 * shear - 1).max())
    assert errors[1] < 3e-3
    assert errors[0] / errors[1] > 4


def test_units_do_not_matter() -> None:
    body = box_surface((2, 1, 1), (2, 1, 1), "triangle6")
    fixed, t = held(body, "left"), np.where(held(body, "right"), (0.0, -1.0, 0.0), 0.0)
    one = solve(problem(body, 1.0, 0.3, u_fixed=fixed, t_value=t))
    for length, stiffness in ((1e-6, 1e12), (1e6, 1e-3)):
        scaled = Geometry(points=body.points * length, faces=body.faces, groups=body.groups)
        other = solve(problem(scaled, stiffness, 0.3, u_fixed=fixed, t_value=t))
        assert other.u * stiffness / length == pytest.approx(one.u, abs=1e-8 * np.abs(one.u).max())
        assert other.condition == pytest.approx(one.condition, rel=1e-3)


def test_a_source_next_to_an_element_is_integrated() -> None:
    """Two boxes with a gap of 1e-6: a linear field on both comes back, though each is next to the other's side."""
    left = box_surface((1, 1, 1), (1, 1, 1), "quad8")
    n = len(left.points)
    right = left.points + np.array([1 + 1e-6, 0, 0])
    both = Geometry(
        points=np.concatenate([left.points, right]),
        faces=np.concatenate([left.faces, np.where(left.faces >= 0, left.faces + n, -1)]).astype(np.int32),
    )
    gradient, stress = linear_field(GRADIENT, 0.3)
    u, exact = both.points @ gradient.T, np.einsum("mki,ji->mkj", normals(both), stress)
    fixed = used(both).copy()
    fixed[: len(left.faces)] = held(Geometry(points=left.points, faces=left.faces, groups=left.groups), "left")
    fixed[len(left.faces) :] = held(left, "right")
    given = problem(
        both, u_fixed=fixed, u_value=at_points(both, u) * fixed, t_value=np.where(fixed, 0, exact), accuracy=1e-9
    )
    found = solve(given)
    assert np.abs(found.u - u).max() < 1e-7 * np.abs(u).max()


@pytest.mark.parametrize("case", [
    ((0.3, -0.4, 1.2), (0.6, 0.0, 0.8), 0.3, 1e4,
     [[1.053409302121336e-05, -4.0360509659821305e-07, 1.210815289794639e-06],
      [-4.0360509659821305e-07, 1.0769529327562318e-05, -1.6144203863928522e-06],
      [1.210815289794639e-06, -1.6144203863928522e-06, 1.5074650357943257e-05]],
     [[-0.016509781534493128, 0.008766515798664873, -0.023815823724621],
      [0.0037990684559176357, -0.02017474360874636, 0.021819536947333525],
      [-0.013880929039126525, 0.028442800070996508, -0.08719119296651974]]),
    ((1.0, 0.0, 0.0), (1.0, 0.0, 0.0), 0.3, 1.0,
     [[0.20690142601946393, 0, 0], [0, 0.1330080595839411, 0], [0, 0, 0.1330080595839411]],
     [[-0.19325957375444433, 0, 0], [0, -0.022736420441699334, 0], [0, 0, -0.022736420441699334]]),
    ((-0.7, 0.2, 0.1), (0.0, -0.6, 0.8), 0.0, 1.0,
     [[0.2115689622689116, -0.014037751051017832, -0.007018875525508916],
      [-0.014037751051017832, 0.1664476196049257, 0.0020053930072882614],
      [-0.007018875525508916, 0.0020053930072882614, 0.1634395300939933]],
     [[0.014929036832034837, 0.038993752919493974, -0.057710754320851085],
      [-0.04523275338661301, 0.004902071795593529, 0.02250496597067938],
      [0.05459125408729157, -0.021613680189662376, 0.0042336074598307745]]),
    ((1.0, 2.0, 2.0), (0.0, 0.0, 1.0), 0.25, 1e4,
     [[4.666580121521622e-06, 4.912189601601708e-07, 4.912189601601708e-07],
      [4.912189601601708e-07, 5.403408561761879e-06, 9.824379203203415e-07],
      [4.912189601601708e-07, 9.824379203203415e-07, 5.403408561761879e-06]],
     [[-0.003274793067734472, -0.0026198344541875774, -0.001637396533867236],
      [-0.0026198344541875774, -0.007204544749015838, -0.003274793067734472],
      [-0.003602272374507919, -0.007204544749015838, -0.007204544749015838]]),
])  # fmt: skip
def test_kelvins_solution(case: tuple) -> None:
    d, n, nu, young, u, t = case
    at, point = np.zeros(7 * BATCH), np.zeros(15 * BATCH)
    at[0 :: BATCH][:7] = (*d, *n, 1.0)
    batch_point(at, np.ones(BATCH), 0.0, 0.0, 0.0, nu, point)
    rows = point[::BATCH]
    assert rows[:9].reshape(3, 3) == pytest.approx(np.array(t), rel=1e-12, abs=1e-15)
    scaled = rows[9:] * 2 * (1 + nu) / young
    assert scaled[[0, 1, 2, 1, 3, 4, 2, 4, 5]].reshape(3, 3) == pytest.approx(np.array(u), rel=1e-12)


def test_a_body_without_supports_and_unbalanced_units() -> None:
    """Pure traction: rigid motions are left out of the answer."""
    body = box_surface((1, 1, 1), (1, 1, 1), "quad8")
    t = np.where(held(body, "left", "right"), normals(body), 0.0)
    found = solve(problem(body, t_value=t, accuracy=1e-10))
    assert len(found.free) == 6
    assert found.u[:, 0] == pytest.approx(body.points[:, 0] / 2.6, abs=1e-8)
    shifted = dataclasses.replace(problem(body, t_value=t, accuracy=1e-10), points=body.points + np.array([5, 0, 0]))
    assert solve(shifted).u == pytest.approx(found.u, abs=1e-8)
