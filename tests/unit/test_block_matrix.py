"""Block matrix: pattern, slots, assembly and product against dense and scipy sums."""
from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from systems.kernels.blocks import (
    BlockMatrix,
    Pattern,
    add_diagonal,
    add_elements,
    add_identity,
    add_pairs,
    build_pattern,
    components,
    element_slots,
    multiply,
    pair_slots,
    to_scipy,
)


@st.composite
def meshes(draw):
    """Number of nodes, elements of one size k (repeated elements and repeated nodes in one element occur), a seed."""
    n = draw(st.integers(1, 12))
    k = draw(st.integers(1, 4))
    rows = draw(st.lists(st.lists(st.integers(0, n - 1), min_size=k, max_size=k), max_size=20))
    return n, np.array(rows, dtype=np.int32).reshape(-1, k), draw(st.integers(0, 2**32 - 1))


def dense_sum(n: int, elements: np.ndarray, blocks: np.ndarray) -> np.ndarray:
    full = np.zeros((n, n, 3, 3))
    for nodes, block in zip(elements, blocks, strict=True):
        for a, i in enumerate(nodes):
            for b, j in enumerate(nodes):
                full[i, j] += block[a, b]
    return full.transpose(0, 2, 1, 3).reshape(3 * n, 3 * n)


def random_blocks(count: int, k: int, rng: np.random.Generator) -> np.ndarray:
    """Symmetric element matrices (count, k, k, 3, 3)."""
    matrices = rng.normal(size=(count, 3 * k, 3 * k))
    matrices += matrices.transpose(0, 2, 1)
    return np.ascontiguousarray(matrices.reshape(count, k, 3, k, 3).transpose(0, 1, 3, 2, 4))


@settings(max_examples=60, deadline=None)
@given(meshes())
def test_pattern_holds_each_pair_once_in_order(mesh):
    n, elements, _ = mesh
    pattern = build_pattern(n, [elements, elements[::-1]])
    wanted = sorted({(min(i, j), max(i, j)) for row in elements.tolist() for i in row for j in row if i != j})
    rows = np.repeat(np.arange(n), np.diff(pattern.indptr))
    assert list(zip(rows.tolist(), pattern.columns.tolist(), strict=True)) == wanted
    assert pattern.indptr.dtype == pattern.columns.dtype == np.int32
    assert pattern.n == n


@settings(max_examples=60, deadline=None)
@given(meshes())
def test_elements_sum_to_the_dense_matrix_and_product(mesh):
    n, elements, seed = mesh
    rng = np.random.default_rng(seed)
    blocks = random_blocks(len(elements), elements.shape[1], rng)
    matrix = BlockMatrix.zeros(build_pattern(n, [elements]))
    slots = element_slots(matrix.pattern, elements)
    add_elements(slots, blocks, -2.0, matrix.diagonal, matrix.upper)
    dense = dense_sum(n, elements, -2.0 * blocks)
    np.testing.assert_allclose(to_scipy(matrix).toarray(), dense, rtol=0, atol=1e-12)
    p = rng.normal(size=(n, 3))
    out = np.full((n, 3), np.nan)
    form = multiply(matrix, p, out)
    np.testing.assert_allclose(out.ravel(), dense @ p.ravel(), rtol=0, atol=1e-11)
    assert form == pytest.approx(p.ravel() @ dense @ p.ravel(), rel=1e-11, abs=1e-10)


@settings(max_examples=60, deadline=None)
@given(meshes())
def test_pairs_equal_generic_elements(mesh):
    n, elements, seed = mesh
    pairs = np.ascontiguousarray(elements[:, [0, -1]])
    k = random_blocks(len(pairs), 1, np.random.default_rng(seed)).reshape(-1, 3, 3)
    pattern = build_pattern(n, [pairs])
    short, full = BlockMatrix.zeros(pattern), BlockMatrix.zeros(pattern)
    add_pairs(pairs, pair_slots(pattern, pairs), k, 0.5, short.diagonal, short.upper)
    signs = np.array([[1.0, -1.0], [-1.0, 1.0]])
    blocks = np.ascontiguousarray(signs[None, :, :, None, None] * k[:, None, None])
    add_elements(element_slots(pattern, pairs), blocks, 0.5, full.diagonal, full.upper)
    np.testing.assert_allclose(short.diagonal, full.diagonal, rtol=0, atol=1e-13)
    np.testing.assert_allclose(short.upper, full.upper, rtol=0, atol=1e-13)


def test_slots_say_where_and_whether_transposed():
    elements = np.array([[2, 0, 2]], dtype=np.int32)
    pattern = build_pattern(3, [elements, np.array([[0, 1]], dtype=np.int32)])
    assert pattern.columns.tolist() == [1, 2]
    n = 3
    assert element_slots(pattern, elements)[0].tolist() == [[2, ~(n + 1), 2], [n + 1, 0, n + 1], [2, ~(n + 1), 2]]
    assert pair_slots(pattern, np.array([[1, 0], [1, 1]], dtype=np.int32)).tolist() == [~(n + 0), 1]


def test_patterns_of_several_element_sizes_and_without_any():
    pattern = build_pattern(5, [np.array([[0, 1]], dtype=np.int32), np.array([[1, 2, 3]], dtype=np.int32)])
    assert pattern.columns.tolist() == [1, 2, 3, 3]
    empty = BlockMatrix.zeros(build_pattern(2, []))
    add_identity(np.array([2.0, 3.0]), 1.0, empty.diagonal)
    out = np.empty((2, 3))
    assert multiply(empty, np.ones((2, 3)), out) == 15.0
    assert out.tolist() == [[2.0] * 3, [3.0] * 3]
    assert to_scipy(empty).shape == (6, 6)
    empty.clear()
    assert not empty.diagonal.any()


def test_diagonal_blocks_add_up():
    rng = np.random.default_rng(1)
    matrix = BlockMatrix.zeros(build_pattern(4, []))
    nodes = np.array([3, 1, 3], dtype=np.int32)
    blocks = rng.normal(size=(3, 3, 3))
    add_diagonal(nodes, blocks, 2.0, matrix.diagonal)
    np.testing.assert_allclose(matrix.diagonal[3], 2.0 * (blocks[0] + blocks[2]), rtol=1e-14)
    np.testing.assert_allclose(matrix.diagonal[1], 2.0 * blocks[1], rtol=1e-14)
    assert not matrix.diagonal[[0, 2]].any()


@settings(max_examples=60, deadline=None)
@given(meshes())
def test_components_are_numbered_by_their_lowest_node(mesh):
    n, elements, _ = mesh
    labels = components(build_pattern(n, [elements]))
    lowest = np.arange(n)
    for _ in range(n):
        for row in elements:
            lowest[row] = lowest[row].min()
    assert labels.dtype == np.int32
    assert labels.tolist() == [sorted(set(lowest.tolist())).index(low) for low in lowest]


def test_wrong_elements_are_named():
    with pytest.raises(ValueError, match=r"must be in \[0, 3\), got 0 to 3"):
        build_pattern(3, [np.array([[0, 3]], dtype=np.int32)])
    pattern = build_pattern(3, [np.array([[0, 1]], dtype=np.int32)])
    for missing in ([0, 2], [1, 2]):
        with pytest.raises(ValueError, match="does not hold"):
            pair_slots(pattern, np.array([missing], dtype=np.int32))


def test_a_product_never_writes_into_a_copy():
    matrix = BlockMatrix.zeros(Pattern(np.zeros(5, dtype=np.int32), np.empty(0, dtype=np.int32)))
    with pytest.raises(ValueError, match="copy"):
        multiply(matrix, np.ones((4, 3)), np.empty((4, 6))[:, :3])
