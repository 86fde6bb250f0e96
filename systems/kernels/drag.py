"""Forces proportional to the velocity relative to a medium."""
from __future__ import annotations

from framework.kernel import kernel


@kernel
def drag_forces(v, medium, coefficient, f):
    """f += coefficient (n,) [kg/s] times (medium (3,) - v (n, 3)) [m/s]; a coefficient of one row serves all."""
    single = len(coefficient) == 1
    for i in range(len(v)):
        c = coefficient[0 if single else i]
        for j in range(3):
            f[i, j] += c * (medium[j] - v[i, j])
