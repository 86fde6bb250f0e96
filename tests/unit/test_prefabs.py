"""Prefabs: counts, sizes, groups, orientation of triangles and the errors of bad arguments."""
from __future__ import annotations

import numpy as np
import pytest

from components.prefabs import box, grid, rope, sphere_shell
from components.spring_topology import triangle_edges
from framework.errors import FieldError


def area_vectors(geometry):
    a, b, c = (geometry.points[geometry.triangles[:, i]] for i in range(3))
    return 0.5 * np.cross(b - a, c - a)


def enclosed_volume(geometry):
    a, b, c = (geometry.points[geometry.triangles[:, i]] for i in range(3))
    return np.einsum("ij,ij->", a, np.cross(b, c)) / 6


@pytest.mark.parametrize("alternate", [False, True])
@pytest.mark.parametrize(
    ("plane", "front", "normal"), [("xy", (0, 1), (0, 0, 1)), ("xz", (0, 2), (0, 1, 0)), ("yz", (1, 2), (1, 0, 0))]
)
def test_grid(plane, front, normal, alternate):
    made = grid(size=(1.5, 1.0), cells=(3, 2), plane=plane, centre=(1, 2, 3), alternate=alternate)
    assert made.points.shape == (12, 3) and made.grid.tolist() == [4, 3]
    across, along = made.points[:, front[0]], made.points[:, front[1]]
    assert np.ptp(across) == 1.5 and np.ptp(along) == 1.0
    assert made.points.mean(axis=0) == pytest.approx([1, 2, 3])
    vectors = area_vectors(made)
    assert vectors.sum(axis=0) == pytest.approx(1.5 * np.array(normal))
    assert (vectors @ normal > 0).all()
    assert (across[made.groups["left"]] == across.min()).all() and (across[made.groups["right"]] == across.max()).all()
    assert (along[made.groups["bottom"]] == along.min()).all() and (along[made.groups["top"]] == along.max()).all()
    assert made.groups["corners"].tolist() == [0, 2, 9, 11]
    assert made.groups["corner_top_left"].tolist() == [2] and made.groups["corner_bottom_right"].tolist() == [9]
    assert all(group.dtype == np.int32 for group in made.groups.values())


def test_alternate_diagonals_meet_at_every_other_point():
    edges = triangle_edges(grid(cells=(2, 2), alternate=True).triangles, 9)
    assert np.bincount(edges.ravel(), minlength=9)[4] == 8


def test_box():
    made = box(size=(1, 2, 3), cells=(2, 3, 4), centre=(5, 0, 0))
    assert made.points.shape == (60, 3) and made.grid.tolist() == [3, 4, 5]
    assert made.points.min(axis=0).tolist() == [4.5, -1, -1.5] and made.points.max(axis=0).tolist() == [5.5, 1, 1.5]
    assert len(made.triangles) == 2 * 2 * (2 * 3 + 3 * 4 + 4 * 2)
    assert enclosed_volume(made) == pytest.approx(6)
    assert area_vectors(made).sum(axis=0) == pytest.approx([0, 0, 0])
    edges = triangle_edges(made.triangles, 60)
    assert len(np.unique(made.triangles)) - len(edges) + len(made.triangles) == 2  # Euler: closed surface
    sides = {"left": (0, 4.5), "right": (0, 5.5), "bottom": (1, -1), "top": (1, 1), "back": (2, -1.5)}
    sides["front"] = (2, 1.5)
    for name, (axis, value) in sides.items():
        assert (made.points[made.groups[name], axis] == value).all()
        assert len(made.groups[name]) == 60 // made.grid[axis]
    assert len(made.groups["corners"]) == 8


@pytest.mark.parametrize("subdivisions", [0, 1, 3])
def test_sphere_shell(subdivisions):
    made = sphere_shell(radius=2, subdivisions=subdivisions, centre=(1, 0, 0))
    n = 10 * 4**subdivisions + 2
    assert len(made.points) == n and len(made.triangles) == 2 * n - 4
    assert len(triangle_edges(made.triangles, n)) == 3 * n - 6
    assert np.linalg.norm(made.points - [1, 0, 0], axis=1) == pytest.approx(np.full(n, 2.0))
    assert made.points[made.groups["top"]] == pytest.approx(np.array([[1, 2, 0]]))
    assert made.points[made.groups["bottom"]] == pytest.approx(np.array([[1, -2, 0]]))
    assert 0.6 < enclosed_volume(made) / (4 / 3 * np.pi * 8) < 1
    outward = made.points[made.triangles].mean(axis=1) - [1, 0, 0]
    assert (np.einsum("ij,ij->i", area_vectors(made), outward) > 0).all()
    if subdivisions:
        assert len(made.groups["equator"]) == 5 * 2**subdivisions


@pytest.mark.parametrize("end", [(1, 0, 0), (0, -1, 0), (0, 1, 0), (0.6, 0, 0.8), (0, 0, 0)])
@pytest.mark.parametrize("length", [None, 1.0, 1.0001, 1.5, 20.0])
def test_rope(end, length):
    if not any(end) and length is None:
        return
    made = rope(end=end, segments=10, length=length)
    steps = np.linalg.norm(np.diff(made.points, axis=0), axis=1)
    assert steps == pytest.approx(np.full(10, (length or 1.0) / 10), rel=1e-9)
    assert made.points[0].tolist() == [0, 0, 0] and made.points[-1].tolist() == list(end)
    assert made.edges.tolist() == [[i, i + 1] for i in range(10)]
    assert made.groups["start"].tolist() == [0] and made.groups["end"].tolist() == [10]


def test_slack_rope_hangs_below_its_ends():
    made = rope(start=(-1, 2, 0), end=(1, 2, 0), segments=8, length=3)
    assert (made.points[1:-1, 1] < 2).all() and made.points[:, 2] == pytest.approx(np.zeros(9))
    assert made.points[4, 0] == pytest.approx(0, abs=1e-12)


BAD = [
    (lambda: grid(size=(0, 1)), r"grid: size must be positive, got 0.0 at \[0\]"),
    (lambda: grid(size=(1, 1, 1)), r"grid: size must have shape \(2,\)"),
    (lambda: grid(cells=(0, 3)), "grid: cells must be positive, got 0"),
    (lambda: grid(cells=2.5), "grid: cells must be an array of whole numbers"),
    (lambda: grid(plane="zx"), "grid: plane must be one of xy, xz, yz, got 'zx'"),
    (lambda: grid(cells=(10**5, 10**5)), r"fewer than 2\^31 points"),
    (lambda: grid(centre=(np.nan, 0, 0)), "grid: centre must be finite"),
    (lambda: box(size=-1), "box: size must be positive"),
    (lambda: box(cells=(1, 1)), "box: cells must have shape"),
    (lambda: sphere_shell(radius=0), "sphere_shell: radius must be positive"),
    (lambda: sphere_shell(subdivisions=-1), r"sphere_shell: subdivisions must be in \[0, 9\], got -1"),
    (lambda: rope(segments=0), "rope: segments must be positive"),
    (lambda: rope(length=0.5), "rope: length must be at least the distance from start to end, 1, got 0.5"),
    (lambda: rope(end=(0, 0, 0)), "rope: end must differ from start"),
    (lambda: rope(segments=1, length=2), "segments must be at least 2 for a slack rope"),
]


@pytest.mark.parametrize(("action", "message"), BAD, ids=[str(i) for i in range(len(BAD))])
def test_bad_arguments_say_what_is_wrong(action, message):
    with pytest.raises(FieldError, match=message):
        action()
