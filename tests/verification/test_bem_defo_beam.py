"""The beam that is shipped as a file: its displacements and reactions, against an independent solution.

Collocation with the same 12 elements and converged integrals, unit of length of the logarithm 1 m. The tolerance is
that of the reference's quadrature; without the unit of length the tip moves by 0.507409 m.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from framework.scene import demos_folder
from systems.readers.bem_defo import read_bem_defo, world_of
from systems.readers.bem_defo.solve import solve

EXPECTED = {
    10: (-0.07468653, -0.50720318), 12: (0.07468653, -0.50720318), 13: (0.0, -0.50709415),
    11: (-0.07388455, -0.43175218),
}  # fmt: skip
TOLERANCE = 2e-7
BEAM = demos_folder() / "thesis_beam.xml"


def rows(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as opened:
        return list(csv.DictReader(opened))


def test_displacements_of_the_beam(tmp_path: Path) -> None:
    files = solve(BEAM, tmp_path / "beam.csv", log_length=1.0, accuracy=1e-9)
    assert files == [tmp_path / "beam.csv", tmp_path / "beam.tractions.csv"]
    found = {int(row["point"]): row for row in rows(files[0])}
    assert len(found) == 24 and {row["frame"] for row in found.values()} == {"1"}
    for point, expected in EXPECTED.items():
        moved = [float(found[point][name]) for name in ("ux", "uy")]
        assert moved == pytest.approx(expected, abs=TOLERANCE)


def test_reactions_of_the_beam(tmp_path: Path) -> None:
    """Tractions of element 12, integrated with Simpson's rule, which is exact for them."""
    _, file = solve(BEAM, tmp_path / "beam.csv", log_length=1.0, accuracy=1e-9)
    held = [row for row in rows(file) if row["element"] == "12"]
    assert [row["point"] for row in held] == ["22", "24", "1"]
    traction = np.array([[float(row[name]) for name in ("tx", "ty")] for row in held])
    force = np.array([1, 4, 1]) / 6 @ traction
    assert force == pytest.approx([0.0, 9.99052047], abs=1e-6)
    moment = np.array([1, 4, 1]) / 6 @ (-traction[:, 0] * [1.0, 0.5, 0.0])
    assert moment == pytest.approx(49.7715211, abs=1e-5)


def test_without_a_unit_of_length() -> None:
    with world_of(read_bem_defo(BEAM)) as world:
        world.step()
        assert world.value("body.displacement")[9, 1] == pytest.approx(-0.507409, abs=1e-6)
