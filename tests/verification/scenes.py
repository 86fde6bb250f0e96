"""Small scenes and rates shared by the verification tests."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from components import RK4, BackwardEuler, Mass, Position, SymplecticEuler, Velocity, VelocityVerlet
from framework import System, World
from systems import standard

EXPLICIT = [SymplecticEuler(), VelocityVerlet(), RK4()]
IMPLICIT = [BackwardEuler(tolerance=1e-12), BackwardEuler(newton=True, tolerance=1e-12, newton_tolerance=1e-12)]


def label(integrator: Any) -> str:
    """Name of an integrator in a test's id."""
    newton = getattr(integrator, "newton", False)
    return type(integrator).__name__ + ("-newton" if newton else "")


def world_of(
    *extra: System, integrator: Any = None, frame_time: float = 0.01, substeps: int = 1, history: bool = False
) -> World:
    """A world with the standard systems and `extra` ones."""
    return World(
        systems=[*standard(), *extra], integrator=integrator, frame_time=frame_time, substeps=substeps, history=history
    )


def particles(x: Any, v: Any = None, m: Any = 1.0) -> tuple[Position, Velocity, Mass]:
    """Components of free particles: x (n, 3) [m], v (n, 3) [m/s] or None for rest, m (n,) or one number [kg]."""
    x = np.array(x, dtype=float)
    v = np.zeros_like(x) if v is None else np.array(v, dtype=float)
    return Position(x=x), Velocity(v=v), Mass(m=np.broadcast_to(np.asarray(m, dtype=float), len(x)).copy())


def orders(errors: Sequence[float], factor: float = 2.0) -> np.ndarray:
    """Observed orders of errors at steps that shrink by `factor` each time."""
    e = np.asarray(errors, dtype=float)
    return np.log(e[:-1] / e[1:]) / np.log(factor)


def refined(error: Callable[[int], float], counts: Sequence[int]) -> list[float]:
    """error(n) for each number of steps."""
    return [error(n) for n in counts]
