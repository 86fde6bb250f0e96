"""Spring kernels against plain numpy, closed forms and finite differences."""
import os
import subprocess
import sys

import numpy as np
import pytest

from systems.kernels import springs
from systems.kernels.spring_grid import STRIP, grid_spring_energy, grid_spring_forces
from systems.kernels.stepping import drift, gravity_add, gravity_fill, kick, runge_kutta_end, runge_kutta_stage

ONE = np.array([20.0]), np.array([1600.0]), np.array([0.0])
HESSIAN = np.array([
    [163.08526023771415, 106.58492026052205, -35.52830675350735],
    [106.58492026052205, 100.91072341907629, -26.646230065130514],
    [-35.52830675350735, -26.646230065130514, 29.85410991206158],
])


def pair():
    x = np.array([[0.1, -0.2, 0.3], [0.9, 0.4, 0.1]])
    return x, np.zeros_like(x), np.array([[0, 1]], np.int32), np.array([0.8]), np.zeros(1, np.int32)


def net(particles=400, count=1500, kinds=3, seed=0, ordered=True):
    rng = np.random.default_rng(seed)
    x, v = rng.normal(size=(particles, 3)), rng.normal(size=(particles, 3))
    first = rng.integers(0, particles, count)
    nodes = np.stack([first, (first + rng.integers(1, particles, count)) % particles], 1).astype(np.int32)
    if ordered:
        nodes = nodes[np.argsort(nodes[:, 0], kind="stable")]
    rest, kind = rng.uniform(0.5, 2, count), rng.integers(0, kinds, count).astype(np.int32)
    return x, v, nodes, rest, kind, rng.uniform(10, 50, kinds), rng.uniform(0, 20, kinds), rng.uniform(0, 1, kinds)


def reference(x, v, nodes, rest, kind, stiffness, cubic, damping):
    p, q = nodes.T
    d = x[q] - x[p]
    length = np.linalg.norm(d, axis=1)
    stretch, e = length - rest, d / length[:, None]
    tension = stiffness[kind] * stretch + cubic[kind] * stretch**3 + damping[kind] * ((v[q] - v[p]) * e).sum(1)
    f = np.zeros_like(x)
    np.add.at(f, p, tension[:, None] * e)
    np.add.at(f, q, -tension[:, None] * e)
    return f


def forces(x, v, *rest):
    f = np.zeros_like(x)
    springs.spring_forces(x, v, *rest, f)
    return f


def test_two_particles_closed_form():
    x, v, nodes, rest, kind = pair()
    f = forces(x, v, nodes, rest, kind, *ONE)
    expected = np.array([16.77762657894779, 12.583219934210845, -4.194406644736947])
    np.testing.assert_allclose(f, [expected, -expected], rtol=1e-12)
    assert springs.spring_energy(x, nodes, rest, kind, *ONE[:2]) == pytest.approx(1.4168251505181892, rel=1e-12)
    kx, kv = np.empty((1, 3, 3)), np.empty((1, 3, 3))
    springs.spring_jacobians(x, v, nodes, rest, kind, *ONE, False, kx, kv)
    np.testing.assert_allclose(kx[0], HESSIAN, rtol=1e-12)
    assert not kv.any()


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("count", [1, 127, 128, 1500])
def test_forces_match_numpy_and_add(count, ordered):
    data = net(count=count, ordered=ordered)
    expected = reference(*data)
    f = np.ones_like(expected)
    springs.spring_forces(*data, f)
    np.testing.assert_allclose(f - 1.0, expected, atol=1e-12 * abs(expected).max())
    assert abs(forces(*data).sum(0)).max() < 1e-12 * abs(expected).sum()


def test_one_row_serves_all_kinds_and_rows_may_be_per_spring():
    x, v, nodes, rest, kind, *_ = net()
    single = [np.array([30.0]), np.array([4.0]), np.array([0.2])]
    expected = reference(x, v, nodes, rest, 0 * kind, *single)
    np.testing.assert_allclose(forces(x, v, nodes, rest, kind, *single), expected, atol=1e-11)
    own = [np.full(len(rest), value[0]) for value in single]
    np.testing.assert_allclose(
        forces(x, v, nodes, rest, np.arange(len(rest), dtype=np.int32), *own), expected, atol=1e-11)


def test_force_is_minus_the_energy_gradient():
    x, v, nodes, rest, kind, k, q, c = net(particles=12, count=30)
    f = forces(x, v, nodes, rest, kind, k, q, 0 * c)
    step = 1e-6
    for i, axis in np.ndindex(x.shape):
        sides = []
        for sign in (1, -1):
            y = x.copy()
            y[i, axis] += sign * step
            sides.append(springs.spring_energy(y, nodes, rest, kind, k, q))
        assert f[i, axis] == pytest.approx(-(sides[0] - sides[1]) / (2 * step), rel=1e-6, abs=1e-6)


def test_jacobians_match_finite_differences():
    x, v, nodes, rest, kind, k, q, c = net(particles=2, count=1)
    nodes = np.array([[0, 1]], np.int32)
    kx, kv = np.empty((1, 3, 3)), np.empty((1, 3, 3))
    springs.spring_jacobians(x, v, nodes, rest, kind, k, q, c, False, kx, kv)
    step = 1e-6
    for matrix, which in ((kx, 0), (kv, 1)):
        for j in range(3):
            sides = []
            for sign in (1, -1):
                state = [x.copy(), v.copy()]
                state[which][0, j] += sign * step
                sides.append(forces(*state, nodes, rest, kind, k, q, c)[0])
            np.testing.assert_allclose(matrix[0, :, j], -(sides[0] - sides[1]) / (2 * step), rtol=1e-6, atol=1e-6)


def test_projected_jacobians_are_positive_semidefinite():
    data = net()
    count = len(data[3])
    kx, kv = np.empty((count, 3, 3)), np.empty((count, 3, 3))
    springs.spring_jacobians(*data, True, kx, kv)
    for matrix in (kx, kv):
        assert (matrix == matrix.transpose(0, 2, 1)).all()
        assert np.linalg.eigvalsh(matrix).min() > -1e-12 * abs(matrix).max()
    exact = np.empty_like(kx)
    x, v, nodes, rest = data[:4]
    springs.spring_jacobians(x, 0 * v, *data[2:], False, exact, kv)
    stretched = np.linalg.norm(x[nodes[:, 1]] - x[nodes[:, 0]], axis=1) > rest
    np.testing.assert_allclose(kx[stretched], exact[stretched], rtol=1e-10, atol=1e-10)


def test_zero_length_spring_exerts_nothing_and_nan_stays_visible():
    x, v, nodes, rest, kind = pair()
    x[1] = x[0]
    v[1] = 1.0
    one = np.array([20.0]), np.array([0.0]), np.array([0.5])
    assert not forces(x, v, nodes, rest, kind, *one).any()
    kx, kv = np.empty((1, 3, 3)), np.empty((1, 3, 3))
    springs.spring_jacobians(x, v, nodes, rest, kind, *one, False, kx, kv)
    assert not kx.any() and not kv.any()
    x[1, 0] = np.nan
    assert np.isnan(forces(x, v, nodes, rest, kind, *one)).any()


def test_strain():
    x, _, nodes, rest, *_ = net()
    strain, node = np.empty(len(rest)), np.full(len(x), 7.0)
    springs.spring_strain(x, nodes, rest, strain, node)
    expected = np.linalg.norm(x[nodes[:, 1]] - x[nodes[:, 0]], axis=1) / rest - 1
    np.testing.assert_allclose(strain, expected, rtol=1e-13, atol=1e-15)
    largest = np.zeros(len(x))
    np.maximum.at(largest, nodes[:, 0], abs(strain))
    np.maximum.at(largest, nodes[:, 1], abs(strain))
    assert (node == largest).all()


def grid_list(rows, columns, reach):
    """The springs of a grid as a list: nodes and kind (0 along rows, 1 along columns, 2 diagonal)."""
    index = np.arange(rows * columns, dtype=np.int32).reshape(rows, columns)
    low, high = slice(None, max(columns - reach, 0)), slice(reach, None)
    up, down = slice(None, max(rows - reach, 0)), slice(reach, None)
    both = slice(None)
    ends = [(index[both, low], index[both, high]), (index[up], index[down]),
            (index[up, low], index[down, high]), (index[up, high], index[down, low])]
    kinds = [0, 1, 2, 2]
    nodes = np.concatenate([np.stack([a.ravel(), b.ravel()], 1) for a, b in ends])
    return nodes, np.concatenate([np.full(a.size, kind, np.int32) for (a, _), kind in zip(ends, kinds, strict=True)])


@pytest.mark.parametrize("reach", [1, 2])
@pytest.mark.parametrize(
    "rows, columns", [(1, 9), (9, 1), (3, 3), (7, 5), (20, 33), (4, STRIP), (5, STRIP + 1), (4, 700)])
def test_grid_equals_list(rows, columns, reach):
    rng = np.random.default_rng(4)
    x, v = rng.normal(size=(rows * columns, 3)), rng.normal(size=(rows * columns, 3))
    rest, stiffness = np.array([0.4, 0.5, 0.6]), np.array([50.0, 60.0, 20.0])
    cubic, damping = np.array([3.0, 4.0, 5.0]), np.array([0.1, 0.2, 0.3])
    nodes, kind = grid_list(rows, columns, reach)
    for diagonal in (True, False):
        tables = [values * ([1, 1, 1] if diagonal else [1, 1, 0]) for values in (stiffness, cubic, damping)]
        expected, f = np.ones_like(x), np.ones_like(x)
        springs.spring_forces(x, v, nodes, rest[kind], kind, *tables, expected)
        grid_spring_forces(x, v, rows, columns, reach, rest, *tables, f)
        np.testing.assert_allclose(f, expected, atol=1e-13 * abs(expected).max())
        assert abs((f - 1).sum(0)).max() < 1e-12 * abs(f).sum()
        energy = springs.spring_energy(x, nodes, rest[kind], kind, *tables[:2])
        assert grid_spring_energy(x, rows, columns, reach, rest, *tables[:2]) == pytest.approx(energy, rel=1e-12)


def test_grid_has_no_force_at_zero_length():
    x, v, f = np.zeros((12, 3)), np.ones((12, 3)), np.zeros((12, 3))
    one = np.ones(3)
    grid_spring_forces(x, v, 3, 4, 1, one, one, one, one, f)
    assert not f.any()


CHUNKED = """
import hashlib, numba, sys
sys.path.insert(0, "tests/unit")
numba.set_num_threads(int(sys.argv[1]))
from test_spring_kernels import *
x, v, nodes, *rest = net(particles=700, count=3000)
bounds, crossing = springs.chunk_springs(nodes, len(x))
f = np.zeros_like(x)
springs.spring_forces_chunked(x, v, bounds, crossing, nodes, *rest, f)
assert abs(f - reference(x, v, nodes, *rest)).max() < 1e-10
print(hashlib.sha256(f.tobytes()).hexdigest())
"""


def test_chunked_forces_have_the_same_bits_with_one_and_two_threads():
    hashes = set()
    for threads in "12":
        done = subprocess.run([sys.executable, "-c", CHUNKED, threads], capture_output=True, text=True,
                              env={**os.environ, "NUMBA_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive"})
        assert done.returncode == 0, done.stderr
        hashes.add(done.stdout)
    assert len(hashes) == 1


def test_gravity_kick_drift_and_runge_kutta():
    rng = np.random.default_rng(3)
    mass, g = rng.uniform(1, 2, 10), np.array([0.1, -9.81, 0.3])
    f = np.ones((10, 3))
    gravity_fill(mass, g, f)
    gravity_add(mass, g, f)
    np.testing.assert_allclose(f, 2 * mass[:, None] * g, rtol=1e-15)
    x, v = np.zeros((10, 3)), np.zeros((10, 3))
    kick(v, f, 1 / mass, 0.5)
    drift(x, v, 2.0)
    np.testing.assert_allclose(x, np.broadcast_to(2 * g, (10, 3)), rtol=1e-14)

    # An oscillator: one step agrees with the series of the cosine and sine up to h^4.
    h, x, v = 0.1, np.array([[1.0, 0.5, 0]]), np.array([[0.0, 1.0, 0]])
    x0, v0, w = x.copy(), v.copy(), np.ones(1)
    sums = np.zeros((2, 1, 3))
    for weight, ahead in ((h / 6, h / 2), (h / 3, h / 2), (h / 3, h), (h / 6, 0.0)):
        runge_kutta_stage(x0, v0, -x, w, weight, ahead, x, v, sums[0], sums[1])
    runge_kutta_end(x0, v0, sums[0], sums[1], x, v)
    cosine, sine = 1 - h**2 / 2 + h**4 / 24, h - h**3 / 6
    np.testing.assert_allclose(x, cosine * x0 + sine * v0, rtol=1e-14)
    np.testing.assert_allclose(v, cosine * v0 - sine * x0, rtol=1e-14)
