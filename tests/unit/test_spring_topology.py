"""Springs: which particles they join, in which order, and their rest lengths, stiffness and damping."""
from __future__ import annotations

import time
from itertools import product

import numpy as np
import pytest

from components import Geometry, MassSpring, Material, Springs, Transform
from components.prefabs import box, grid, rope, sphere_shell
from components.spring_topology import grid_pairs, spring_pairs
from framework.build import build_components
from framework.errors import FieldError


def springs(geometry, *more, mass=1.0, **model):
    parts = (geometry, Material(total_mass=mass), MassSpring(**({"stretch": 10.0} | model)), *more)
    given = {type(part): part for part in parts}  # a later Material replaces the first
    return build_components(given.values(), "body", lambda name: {})[0][Springs]


def kind_by_definition(offset):
    """Kind of the spring along an integer offset between grid points, or None."""
    sizes = sorted(np.abs(offset))
    if sizes[-1] == sum(sizes) == 2:
        return 2
    return {1: 0, 2: 1, 3: 1}.get(sum(sizes)) if sizes[-1] == 1 else None


@pytest.mark.parametrize("shape", [(4, 5), (2, 2), (1, 6), (6, 1), (2, 7), (3, 4, 5), (2, 2, 2), (1, 3, 4), (5, 1, 2)])
def test_grid_springs_are_those_of_the_definition(shape):
    places = list(product(*map(range, shape)))
    expected = []
    for i, a in enumerate(places):
        for j in range(i + 1, len(places)):
            kind = kind_by_definition(np.subtract(places[j], a))
            if kind is not None:
                expected.append((i, j, kind))
    pairs, kinds = grid_pairs(list(shape), shear=True, bend=True)
    assert [(*pair, kind) for pair, kind in zip(pairs.tolist(), kinds.tolist(), strict=True)] == expected
    assert pairs.dtype == kinds.dtype == np.int32 and pairs.flags.c_contiguous


def test_only_kinds_with_stiffness_have_springs():
    sheet = grid(cells=(4, 4))
    assert set(springs(sheet).kind) == {0}
    assert set(springs(sheet, shear=1.0).kind) == {0, 1}
    assert set(springs(sheet, bend=1.0).kind) == {0, 2}


def test_triangle_springs():
    # two triangles on the edge 1-2 and a third beside them
    mesh = Geometry(points=np.eye(5, 3), triangles=np.array([[0, 1, 2], [2, 1, 3], [3, 4, 2]], np.int32))
    pairs, kinds = spring_pairs("body", mesh, shear=False, bend=True)
    found = {kind: pairs[kinds == kind].tolist() for kind in (0, 2)}
    assert found[0] == [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3], [2, 4], [3, 4]]
    assert found[2] == [[0, 3], [1, 4]]
    keys = pairs[:, 0] * 5 + pairs[:, 1]
    assert (np.diff(keys) >= 0).all()


def test_closed_mesh_has_a_bend_spring_for_each_edge():
    made = springs(sphere_shell(subdivisions=2), bend=1.0)
    assert (made.kind == 0).sum() == (made.kind == 2).sum() == 3 * 162 - 6


def test_rope_springs():
    made = springs(rope(segments=4, length=2.0), bend=1.0)
    assert made.nodes.tolist() == [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3], [2, 4], [3, 4]]
    assert made.kind.tolist() == [0, 2, 0, 2, 0, 2, 0]
    assert made.rest[made.kind == 0] == pytest.approx(np.full(4, 0.5))


def test_no_bend_springs_at_branches():
    # a star of three edges at 0, and one edge more at 3
    star = Geometry(points=np.eye(5, 3), edges=np.array([[0, 1], [2, 0], [0, 3], [4, 3], [3, 4]], np.int32))
    pairs, kinds = spring_pairs("body", star, shear=False, bend=True)
    assert pairs[kinds == 0].tolist() == [[0, 1], [0, 2], [0, 3], [3, 4]]
    assert pairs[kinds == 2].tolist() == [[0, 4]]


def test_edges_beside_a_grid_or_triangles_are_springs_too():
    sheet = grid(cells=(2, 2))
    for shape in ({"grid": sheet.grid}, {"triangles": sheet.triangles}):
        without = springs(Geometry(points=sheet.points, **shape), bend=1.0)
        more = springs(Geometry(points=sheet.points, edges=[[8, 0], [1, 0]], **shape), bend=1.0)
        assert len(more.nodes) == len(without.nodes) + 1
        assert [0, 8] in more.nodes.tolist()


def test_rest_lengths_follow_the_scale():
    made = springs(grid(size=(1, 1), cells=(2, 2)), Transform(scale=(2, 4, 1), rotation=(1, 1, 1)), shear=1.0)
    assert set(np.round(made.rest[made.kind == 0], 12)) == {1.0, 2.0}
    assert made.rest[made.kind == 1] == pytest.approx(np.full(8, np.sqrt(5)))


def test_parameters_of_each_kind():
    made = springs(
        grid(cells=(2, 2)), Material(total_mass=18.0, rayleigh_beta=0.1), shear=40.0, bend=0.0, stretch_cubic=7.0,
        damping=0.5, damping_ratio=0.25,
    )
    assert made.stiffness.tolist() == [10.0, 40.0, 0.0] and made.cubic.tolist() == [7.0, 0.0, 0.0]
    # mean mass 2: critical damping of two particles on one spring is 2 sqrt(k)
    expected = [0.5 + 0.1 * k + 0.25 * 2 * np.sqrt(k) for k in (10.0, 40.0, 0.0)]
    assert made.damping == pytest.approx(expected)


@pytest.mark.parametrize(
    ("geometry", "model", "message"),
    [
        (rope(), {"shear": 1.0}, "MassSpring.shear must be 0 for a body of lines"),
        (sphere_shell(), {"shear": 1.0}, "MassSpring.shear must be 0 for a body of triangles: only the cells"),
        (Geometry(points=np.eye(3)), {}, "must give edges, triangles or a grid"),
        (Geometry(points=np.zeros((2, 3)), edges=[[0, 1]]), {}, r"around them to carry mass, got 0.0 at \[0\]"),
        (
            Geometry(points=[[0, 0, 0], [1, 0, 0], [0, 0, 0]], edges=[[0, 1], [1, 2]]), {"bend": 1.0},
            r"must differ where a spring joins them, got equal \[0\] and \[2\]",
        ),
    ],
)
def test_bodies_that_cannot_have_springs(geometry, model, message):
    with pytest.raises(FieldError, match=message):
        springs(geometry, **model)


def test_a_large_grid_takes_no_more_than_seconds():
    start = time.perf_counter()
    pairs, _ = grid_pairs([500, 500], shear=True, bend=True)
    assert len(pairs) == 2 * 500 * 499 + 2 * 499**2 + 2 * 500 * 498
    assert time.perf_counter() - start < 5
    assert (np.diff(pairs[:, 0].astype(np.int64) * 250000 + pairs[:, 1]) > 0).all()
    assert len(springs(box(cells=(9, 9, 9)), shear=1.0, bend=1.0).nodes) == 3 * 900 + 6 * 810 + 4 * 729 + 3 * 800
