"""The solver under a projection oblique to the axes, whose rounding leaves a trace of what it takes away."""
from __future__ import annotations

import numpy as np
import pytest

from systems.kernels.blocks import BlockMatrix, build_pattern
from systems.kernels.conjugate_gradient import Constraints, Status, Work, solve


@pytest.mark.parametrize("free", [1e-8, 1e-12, 0.0])
def test_a_load_along_the_normal_leaves_the_free_directions_alone(free: float) -> None:
    """One particle of 1 kg on a slope under a load of 1 along the normal and of `free` along the slope: v = `free`."""
    normal, along = np.array([0.19867124, 0.98006619, 0.0]), np.array([0.98006619, -0.19867124, 0.0])
    normal, along = normal / np.linalg.norm(normal), along / np.linalg.norm(along)
    matrix = BlockMatrix.zeros(build_pattern(1, []))
    matrix.diagonal[...] = np.eye(3)
    constraints = Constraints(
        np.zeros(1, np.int32), (np.eye(3) - np.outer(normal, normal))[None], np.zeros((1, 3))
    )
    v = np.zeros((1, 3))
    result = solve(matrix, (free * along - normal)[None], constraints, 1e-12, 1000, v, Work.zeros(1))
    assert result.status == Status.CONVERGED
    assert result.iterations <= 2
    assert v[0] == pytest.approx(free * along, abs=1e-15)
