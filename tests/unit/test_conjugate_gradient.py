"""Conjugate gradients under constraints against dense solves, and the momentum correction."""
from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from systems.kernels.blocks import (
    BlockMatrix,
    add_elements,
    add_identity,
    add_pairs,
    build_pattern,
    components,
    element_slots,
    pair_slots,
    to_scipy,
)
from systems.kernels.conjugate_gradient import Constraints, Status, Work, solve
from systems.kernels.momentum import free_axes, restore_momentum


def spring_system(n: int, pairs: np.ndarray, stiffness: float, rng: np.random.Generator) -> BlockMatrix:
    """Mass plus stiffness of springs in random directions: what backward Euler solves."""
    matrix = BlockMatrix.zeros(build_pattern(n, [pairs]))
    direction = rng.normal(size=(len(pairs), 3))
    direction /= np.linalg.norm(direction, axis=1)[:, None]
    blocks = stiffness * (direction[:, :, None] * direction[:, None, :] + 0.01 * np.eye(3))
    add_pairs(pairs, pair_slots(matrix.pattern, pairs), blocks, 1.0, matrix.diagonal, matrix.upper)
    add_identity(rng.uniform(0.5, 2.0, n), 1.0, matrix.diagonal)
    return matrix


def random_pairs(n: int, count: int, rng: np.random.Generator) -> np.ndarray:
    return rng.integers(0, n, size=(count, 2)).astype(np.int32)


def random_constraints(n: int, rng: np.random.Generator) -> Constraints:
    nodes = np.flatnonzero(rng.random(n) < 0.4).astype(np.int32)
    projections = np.empty((len(nodes), 3, 3))
    for projection in projections:
        kind = rng.integers(3)
        if kind == 0:  # pins on axes, down to none and up to all three
            projection[:] = np.diag(rng.integers(0, 2, 3))
        elif kind == 1:  # contact
            normal = rng.normal(size=3)
            normal /= np.linalg.norm(normal)
            projection[:] = np.eye(3) - np.outer(normal, normal)
        else:
            projection[:] = 0.0
    return Constraints(nodes, projections, rng.normal(size=(len(nodes), 3)))


def dense_solution(matrix: BlockMatrix, b: np.ndarray, constraints: Constraints) -> np.ndarray:
    n = len(b)
    a = to_scipy(matrix).toarray()
    s = np.eye(3 * n)
    z = np.zeros((n, 3))
    for node, projection, value in zip(*constraints, strict=True):
        s[3 * node : 3 * node + 3, 3 * node : 3 * node + 3] = projection
        z[node] = value - projection @ value
    u = np.linalg.solve(s @ a @ s + np.eye(3 * n) - s, s @ (b.ravel() - a @ z.ravel()))
    return (s @ u).reshape(n, 3) + z


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 15), st.integers(0, 30), st.floats(-1, 4), st.booleans(), st.integers(0, 2**32 - 1))
def test_agrees_with_a_dense_solve_and_keeps_constraints(n, springs, exponent, warm, seed):
    rng = np.random.default_rng(seed)
    matrix = spring_system(n, random_pairs(n, springs, rng), 10.0**exponent, rng)
    constraints = random_constraints(n, rng)
    b = rng.normal(size=(n, 3))
    x = rng.normal(size=(n, 3)) if warm else np.zeros((n, 3))
    work = Work.zeros(n)
    result = solve(matrix, b, constraints, 1e-11, 1000, x, work)
    assert result.status in (Status.CONVERGED, Status.STAGNATED)
    assert result.residual < 1e-9
    free = np.eye(3 * n)
    for node, projection, _ in zip(*constraints, strict=True):
        free[3 * node : 3 * node + 3, 3 * node : 3 * node + 3] = projection
    a = to_scipy(matrix).toarray()
    weakest = np.linalg.eigvalsh(free @ a @ free + (np.eye(3 * n) - free) * np.trace(a)).min()
    error = np.linalg.norm(work.residual) / weakest  # |x - exact| <= |residual| / smallest eigenvalue
    np.testing.assert_allclose(x, dense_solution(matrix, b, constraints), rtol=0, atol=1.01 * error + 1e-10)
    truth = b - (to_scipy(matrix) @ x.ravel()).reshape(n, 3)
    for node, projection, value in zip(*constraints, strict=True):
        truth[node] = projection @ truth[node]
        np.testing.assert_allclose(x[node] - projection @ x[node], value - projection @ value, rtol=0, atol=1e-12)
        if np.array_equal(projection, np.diag(np.diag(projection))):
            pinned = np.diag(projection) == 0.0
            assert np.array_equal(x[node][pinned], value[pinned])  # to the bit
    np.testing.assert_allclose(work.residual, truth, rtol=0, atol=1e-10)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_block_jacobi_takes_out_bad_scaling(seed):
    """Nodes whose blocks differ by 16 orders of magnitude: A = D B D, with B well conditioned."""
    rng = np.random.default_rng(seed)
    n = 20
    tetrahedra = np.array([rng.permutation(n)[:4] for _ in range(30)], dtype=np.int32)
    matrix = BlockMatrix.zeros(build_pattern(n, [tetrahedra]))
    half = rng.normal(size=(len(tetrahedra), 12, 12))
    scale = 10.0 ** rng.uniform(-4, 4, n)
    element = half @ half.transpose(0, 2, 1) + np.eye(12)
    element = element.reshape(-1, 4, 3, 4, 3).transpose(0, 1, 3, 2, 4)
    element = element * scale[tetrahedra][:, :, None, None, None] * scale[tetrahedra][:, None, :, None, None]
    slots = element_slots(matrix.pattern, tetrahedra)
    add_elements(slots, np.ascontiguousarray(element), 1.0, matrix.diagonal, matrix.upper)
    add_identity(scale**2, 1.0, matrix.diagonal)
    y = rng.normal(size=(n, 3))
    b = (to_scipy(matrix) @ (y / scale[:, None]).ravel()).reshape(n, 3)
    x = np.zeros((n, 3))
    result = solve(matrix, b, Constraints.none(), 1e-13, 400, x, Work.zeros(n))
    assert result.residual < 1e-12
    assert result.iterations < 200


def small_case(seed: int = 3, n: int = 30) -> tuple[BlockMatrix, np.ndarray]:
    rng = np.random.default_rng(seed)
    return spring_system(n, random_pairs(n, 60, rng), 50.0, rng), rng.normal(size=(n, 3))


def test_nothing_to_do_gives_the_prescribed_values_whatever_the_guess():
    matrix, b = small_case()
    x = np.ones((30, 3))
    assert solve(matrix, np.zeros_like(b), Constraints.none(), 1e-6, 50, x, Work.zeros(30)) == (0, 0.0, 0)
    assert not x.any()
    everything = Constraints(np.arange(30, dtype=np.int32), np.zeros((30, 3, 3)), b)
    assert solve(matrix, b, everything, 1e-6, 50, x, Work.zeros(30)).iterations == 0
    assert np.array_equal(x, b)


def test_too_few_iterations_report_the_true_residual():
    matrix, b = small_case()
    x, work = np.zeros_like(b), Work.zeros(30)
    result = solve(matrix, b, Constraints.none(), 1e-12, 4, x, work)
    assert result.status is Status.MAX_ITERATIONS
    assert result.iterations == 4
    truth = np.linalg.norm(b.ravel() - to_scipy(matrix) @ x.ravel()) / np.linalg.norm(b)
    assert result.residual == pytest.approx(truth, rel=1e-12)
    again = solve(matrix, b, Constraints.none(), 1e-12, 200, x, work)  # goes on from there
    assert again.status is Status.CONVERGED


def test_the_exact_guess_needs_no_iteration_and_the_same_call_gives_the_same_bits():
    matrix, b = small_case()
    x, y, work = np.zeros_like(b), np.zeros_like(b), Work.zeros(30)
    solve(matrix, b, Constraints.none(), 1e-10, 200, x, work)
    solve(matrix, b, Constraints.none(), 1e-10, 200, y, Work.zeros(30))
    assert np.array_equal(x, y)
    assert solve(matrix, b, Constraints.none(), 1e-9, 200, x, work).iterations == 0


def test_an_unreachable_tolerance_stops_as_stagnated():
    matrix, b = small_case()
    result = solve(matrix, b, Constraints.none(), 0.0, 10_000, np.zeros_like(b), Work.zeros(30))
    assert result.status is Status.STAGNATED
    assert result.residual < 1e-13
    assert result.iterations < 1000


def test_indefinite_and_broken_matrices_are_named():
    matrix, b = small_case()
    matrix.upper[:] *= 5.0
    assert solve(matrix, b, Constraints.none(), 1e-9, 200, np.zeros_like(b), Work.zeros(30)).status is Status.INDEFINITE
    matrix, b = small_case()
    matrix.diagonal[7, 1, 1] = -1.0
    assert solve(matrix, b, Constraints.none(), 1e-9, 200, np.zeros_like(b), Work.zeros(30)).status is Status.INDEFINITE
    pinned = Constraints(np.array([7], dtype=np.int32), np.diag([1.0, 0.0, 1.0])[None], np.zeros((1, 3)))
    assert solve(matrix, b, pinned, 1e-9, 200, np.zeros_like(b), Work.zeros(30)).status is Status.CONVERGED


@pytest.mark.parametrize("where", ["diagonal", "upper", "b"])
def test_infinities_and_nan_are_named(where):
    matrix, b = small_case()
    target = {"diagonal": matrix.diagonal, "upper": matrix.upper, "b": b}[where]
    target.flat[0] = np.nan
    result = solve(matrix, b, Constraints.none(), 1e-9, 200, np.zeros_like(b), Work.zeros(30))
    assert result.status is Status.NOT_FINITE


def component_case(seed: int) -> tuple[BlockMatrix, np.ndarray, np.ndarray, Constraints]:
    """Four spring bodies with shuffled nodes; in body 0 one node is pinned in y, in body 1 one node is pinned fully."""
    rng = np.random.default_rng(seed)
    sizes = (40, 30, 50, 1)
    order = rng.permutation(sum(sizes)).astype(np.int32)
    pairs, start = [], 0
    for size in sizes:
        chain = np.stack([np.arange(size - 1), np.arange(1, size)], axis=1)
        pairs.append(start + np.concatenate([chain, random_pairs(size, 2 * size, rng)]))
        start += size
    springs = np.ascontiguousarray(order[np.concatenate(pairs)])
    matrix = spring_system(len(order), springs, 1e3, rng)
    nodes = np.array([order[5], order[45]], dtype=np.int32)
    projections = np.array([np.diag([1.0, 0.0, 1.0]), np.zeros((3, 3))])
    ascending = np.argsort(nodes)
    constraints = Constraints(nodes[ascending], projections[ascending], rng.normal(size=(2, 3)))
    body = np.empty(len(order), dtype=int)
    body[order] = np.repeat(np.arange(4), sizes)
    return matrix, rng.normal(size=(len(order), 3)), body, constraints


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1e-1, 1e-2, 1e-4]))
def test_momentum_of_free_axes_holds_to_rounding(seed, tolerance):
    matrix, b, body, constraints = component_case(seed)
    labels = components(matrix.pattern)
    free = free_axes(labels, labels.max() + 1, constraints)
    assert {tuple(free[labels[np.argmax(body == k)]]) for k in range(4)} == {(1, 0, 1), (0, 0, 0), (1, 1, 1)}
    x, work = np.zeros_like(b), Work.zeros(len(b))
    solve(matrix, b, constraints, tolerance, 500, x, work)
    exact = dense_solution(matrix, b, constraints)
    before, lost = x.copy(), b - (to_scipy(matrix) @ x.ravel()).reshape(-1, 3)
    restore_momentum(matrix, work.residual, labels, free, x)
    kept = b - (to_scipy(matrix) @ x.ravel()).reshape(-1, 3)
    scale = np.abs(matrix.diagonal).max() * np.abs(x).max()
    for k in range(4):
        axes = free[labels[np.argmax(body == k)]].astype(bool)
        assert np.all(np.abs(kept[body == k].sum(axis=0)[axes]) < 1e-14 * scale)
        assert np.array_equal(x[body == k][:, ~axes], before[body == k][:, ~axes])
    assert np.abs(lost[body == 2].sum(axis=0)).max() > 1e-9 or tolerance < 1e-3  # there was something to restore
    a = to_scipy(matrix)
    error, earlier = (x - exact).ravel(), (before - exact).ravel()
    assert error @ (a @ error) <= earlier @ (a @ earlier) * (1 + 1e-9)


def test_momentum_change_is_the_impulse():
    """sum m dv = sum b for free bodies: the stiffness cancels in the sum, whatever the solver left."""
    rng = np.random.default_rng(8)
    n = 500
    pairs = np.stack([np.arange(n - 1), np.arange(1, n)], axis=1).astype(np.int32)
    matrix = spring_system(n, pairs, 200.0, rng)
    mass = np.random.default_rng(9).uniform(0.5, 2.0, n)
    matrix.clear()
    blocks = np.tile(200.0 * np.eye(3), (n - 1, 1, 1))
    add_pairs(pairs, pair_slots(matrix.pattern, pairs), blocks, 1.0, matrix.diagonal, matrix.upper)
    add_identity(mass, 1.0, matrix.diagonal)
    b, dv, work = rng.normal(size=(n, 3)), np.zeros((n, 3)), Work.zeros(n)
    result = solve(matrix, b, Constraints.none(), 1e-2, 500, dv, work)
    assert 1e-4 < result.residual < 1e-2
    labels = components(matrix.pattern)
    restore_momentum(matrix, work.residual, labels, free_axes(labels, 1, Constraints.none()), dv)
    lost = np.abs(mass @ dv - b.sum(axis=0)).max() / np.abs(mass[:, None] * dv).sum()
    assert lost < 1e-14
