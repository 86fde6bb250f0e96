"""The equilateral lattice of springs k is a plane body with E_2D = 2 k / sqrt(3) and nu = 1/3."""
from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from components import BackwardEuler, BoundaryConditions, Geometry, Mass, MassSpring, Position
from tests.verification.scenes import world_of

K, SPACING = 30.0, 0.1
E, NU = 2 * K / math.sqrt(3), 1 / 3


def lattice(columns: int, rows: int) -> Geometry:
    """Rows of equilateral triangles; every second row is shifted by half a spacing. Groups: bottom, top."""
    number = np.arange(columns * rows).reshape(rows, columns)
    points, triangles = [], []
    for j in range(rows):
        for i in range(columns):
            points.append((SPACING * (i + 0.5 * (j % 2)), SPACING * j * math.sqrt(3) / 2, 0.0))
    for j in range(rows - 1):
        for i in range(columns - 1):
            a, b, c, d = number[j, i], number[j, i + 1], number[j + 1, i + 1], number[j + 1, i]
            triangles += [(a, b, d), (b, c, d)] if j % 2 == 0 else [(a, b, c), (a, c, d)]
    return Geometry(
        points=np.array(points), triangles=np.array(triangles, np.int32),
        groups={"bottom": number[0], "top": number[-1]},
    )  # fmt: skip


@pytest.mark.parametrize("strain", [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.3, -0.5, 0.7)], ids=str)
def test_energy_density_of_a_homogeneous_strain(strain: Any) -> None:
    """Per area, W = E / (2 (1 - nu^2)) (exx^2 + eyy^2 + 2 nu exx eyy) + G / 2 gamma^2 with G = E / (2 (1 + nu)).

    Larger and smaller patches are added and subtracted so that only inner cells are left, 2 columns by 2 rows of them.
    The energy is even in the strain but for terms that the mean over both signs takes out: at 1e-4 it errs by 1e-8.
    """
    exx, eyy, gamma = strain
    size = 1e-4
    tensor = size * np.array([[exx, gamma / 2, 0], [gamma / 2, eyy, 0], [0, 0, 0]])

    def energies(columns: int, rows: int) -> float:
        geometry, total = lattice(columns, rows), 0.0
        for sign in (1, -1):
            world = world_of()
            world.spawn(
                geometry, Mass(m=np.ones(len(geometry.points))), MassSpring(stretch=K),
                Position(x=geometry.points @ (np.eye(3) + sign * tensor)), name="net",
            )  # fmt: skip
            total += 0.5 * world.value("net.energy.elastic")
        return total

    found = energies(7, 7) - energies(5, 7) - energies(7, 5) + energies(5, 5)
    area = 2 * SPACING * 2 * SPACING * math.sqrt(3) / 2
    density = E / (2 * (1 - NU**2)) * (exx**2 + eyy**2 + 2 * NU * exx * eyy) + E / (4 * (1 + NU)) * gamma**2
    assert found / (area * size**2) == pytest.approx(density, rel=1e-6)


def test_stretched_strip_contracts_by_a_third() -> None:
    """A strip drawn lengthwise (y) by 1e-5 between ends that slide along x: its width shrinks by nu times that.

    The outermost columns are softer than the bulk: the strain of the middle columns differs from it by less than 1 %.
    """
    columns, rows, stretch = 25, 31, 1e-5
    geometry = lattice(columns, rows)
    height = geometry.points[-1, 1]
    world = world_of(integrator=BackwardEuler(newton=True, tolerance=1e-12, newton_tolerance=1e-10), frame_time=1e3)
    world.spawn(
        geometry, Mass(m=np.full(len(geometry.points), 1e-3)), MassSpring(stretch=K),
        BoundaryConditions.fixed("bottom", axes="yz") + BoundaryConditions.fixed([columns // 2], axes="x")
        + BoundaryConditions.displacement("top", (0, stretch * height, 0), axes="y"), name="net",
    )  # fmt: skip
    world.step(8)
    u = world.get("net", Position).x - geometry.points
    middle = u.reshape(rows, columns, 3)[rows // 2, 8:17, 0]
    assert (middle[0] - middle[-1]) / (8 * SPACING) / stretch == pytest.approx(NU, rel=0.01)
