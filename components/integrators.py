"""Time integrators: frozen settings that the dynamics system carries out. Change one by replacing it."""
from __future__ import annotations

import dataclasses
from typing import Any

from components.arguments import argument
from framework.errors import FieldError
from framework.fields import positive


@dataclasses.dataclass(frozen=True, kw_only=True)
class SymplecticEuler:
    """First-order symplectic Euler: v from the force at the old positions, then x from the new v. Explicit."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class VelocityVerlet:
    """Second-order velocity Verlet. Explicit."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class RK4:
    """The classical fourth-order Runge-Kutta method. Explicit."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class BackwardEuler:
    """First-order implicit Euler: one linearised step, or with `newton` full Newton with line search.

    tolerance: relative residual of each linear solve, within max_iterations. newton_tolerance: relative residual of the
    nonlinear equations, within newton_iterations.
    """

    newton: bool = False
    tolerance: float = 1e-6
    max_iterations: int = 1000
    newton_tolerance: float = 1e-8
    newton_iterations: int = 20

    def __post_init__(self) -> None:
        if not isinstance(self.newton, bool):
            raise FieldError(f"BackwardEuler.newton must be True or False, got {self.newton!r}")
        for name in ("tolerance", "newton_tolerance"):
            value = self._check(name, rule=positive)
            if value >= 1:
                raise FieldError(f"BackwardEuler.{name} must be below 1, got {value}")
        for name in ("max_iterations", "newton_iterations"):
            self._check(name, rule=positive, dtype="int")

    def _check(self, name: str, **declaration: Any) -> Any:
        value = argument(getattr(self, name), f"BackwardEuler.{name}", **declaration)
        object.__setattr__(self, name, value)
        return value


Integrator = SymplecticEuler | VelocityVerlet | RK4 | BackwardEuler
