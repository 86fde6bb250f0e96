"""The stable step: its estimate against exact eigenvalues, and its warning."""
from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest

from components import (
    RK4,
    BoundaryConditions,
    Drag,
    Gravity,
    Mass,
    MassSpring,
    Material,
    Position,
    SymplecticEuler,
    VelocityVerlet,
)
from components.prefabs import grid, rope
from framework import World
from framework.system import Stage
from systems.dynamics.stability import stable_step
from tests.verification.scenes import EXPLICIT, label, particles, world_of

K, M = 500.0, 0.02


def chain(integrator: Any, h: float, n: int = 12, **damping: float) -> World:
    """n masses between two walls: the highest frequency is 2 sqrt(k / m) cos(pi / (2 (n + 1)))."""
    world = world_of(integrator=integrator, frame_time=h)
    world.spawn(
        rope((0, 0, 0), (1, 0, 0), segments=n + 1), Mass(m=np.full(n + 2, M)), MassSpring(stretch=K),
        Material(total_mass=1.0, **damping), BoundaryConditions.fixed("ends"), name="chain",
    )  # fmt: skip
    return world


def chain_omega(n: int = 12) -> float:
    return 2 * math.sqrt(K / M) * math.cos(math.pi / (2 * (n + 1)))


def estimate(world: World) -> float:
    return stable_step(world.engine.schedule.stages[Stage.SOLVE][0], world).limit


def exact_limit(integrator: Any, omega: float, damping: float = 0.0) -> float:
    """Largest h at which the method's 2 x 2 matrix for x'' = -omega^2 x - d x' has no eigenvalue above 1."""

    def grows(h: float) -> bool:
        a = np.array([[0.0, 1.0], [-(omega**2), -damping]])
        if isinstance(integrator, RK4):
            z = h * a
            step = np.eye(2) + z + z @ z / 2 + z @ z @ z / 6 + z @ z @ z @ z / 24
        else:
            rows = []
            for x, v in ((1.0, 0.0), (0.0, 1.0)):
                f = -(omega**2) * x - damping * v
                if isinstance(integrator, VelocityVerlet):
                    x1 = x + h * v + h * h / 2 * f
                    v1 = v + h / 2 * f + h / 2 * (-(omega**2) * x1 - damping * (v + h * f))
                else:
                    v1 = v + h * f
                    x1 = x + h * v1
                rows.append((x1, v1))
            step = np.array(rows).T
        return bool(np.abs(np.linalg.eigvals(step)).max() > 1 + 1e-9)

    low, high = 0.0, 20.0 / (omega + damping)
    for h in np.linspace(high / 400, high, 400):  # the first step that grows
        if grows(float(h)):
            high = float(h)
            break
        low = float(h)
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if grows(middle) else (middle, high)
    return low


@pytest.mark.parametrize("integrator", EXPLICIT, ids=label)
def test_chain(integrator: Any) -> None:
    """Within 10 % of the exact limit, and not above it."""
    exact = exact_limit(integrator, chain_omega())
    assert 0.9 * exact < estimate(chain(integrator, 1e-3)) <= exact


@pytest.mark.parametrize("integrator", EXPLICIT, ids=label)
@pytest.mark.parametrize("beta", [1e-4, 1e-3, 1e-2])
def test_chain_with_damping(integrator: Any, beta: float) -> None:
    """Stiffness-proportional damping d = beta omega^2 of the fastest mode: also where damping rules the limit."""
    omega = chain_omega()
    exact = exact_limit(integrator, omega, beta * omega**2)
    assert 0.85 * exact < estimate(chain(integrator, 1e-3, rayleigh_beta=beta)) <= exact


@pytest.mark.parametrize("integrator", EXPLICIT, ids=label)
def test_free_grid(integrator: Any) -> None:
    """Springs along two directions decouple at rest: the highest frequency is that of a free chain of 7 points.

    omega^2 = (4 k / m) sin^2(6 pi / 14).
    """
    world = world_of(integrator=integrator, frame_time=1e-3)
    world.spawn(grid(size=(1.0, 1.0), cells=(6, 6)), Mass(m=np.full(49, M)), MassSpring(stretch=K), name="net")
    exact = exact_limit(integrator, 2 * math.sqrt(K / M) * math.sin(6 * math.pi / 14))
    assert 0.9 * exact < estimate(world) <= exact


@pytest.mark.parametrize("integrator", [SymplecticEuler(), VelocityVerlet()], ids=label)
def test_drag_alone(integrator: Any) -> None:
    """x'' = -d x': symplectic Euler needs h d < 2, and so does Verlet with its predicted velocity."""
    world = world_of(integrator=integrator, frame_time=1e-3)
    world.spawn(*particles([[0, 0, 0]], m=0.5), Drag(coefficient=10.0), name="drop")
    assert 0.9 * 0.1 < estimate(world) <= 0.1


@pytest.mark.parametrize("integrator", EXPLICIT, ids=label)
def test_warns_above_and_not_below(integrator: Any) -> None:
    exact = exact_limit(integrator, chain_omega())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        chain(integrator, 0.85 * exact).step()
    with pytest.warns(RuntimeWarning, match="longer than the stable step") as caught:
        chain(integrator, 1.02 * exact).step()
    assert "chain" in str(caught[0].message) and "substeps=2" in str(caught[0].message)


@pytest.mark.parametrize("integrator", EXPLICIT, ids=label)
def test_the_limit_is_real(integrator: Any) -> None:
    """Just below the exact limit a disturbed chain stays bounded, just above it it does not."""
    exact = exact_limit(integrator, chain_omega())
    for factor, bounded in ((0.98, True), (1.05, False)):
        world = world_of(integrator=integrator, frame_time=factor * exact)
        x = np.linspace([0, 0, 0], [1, 0, 0], 14)
        x[1:-1, 0] += 1e-9 * (-1.0) ** np.arange(12)
        world.spawn(
            rope((0, 0, 0), (1, 0, 0), segments=13), Mass(m=np.full(14, M)), MassSpring(stretch=K), Position(x=x),
            BoundaryConditions.fixed("ends"), name="chain",
        )  # fmt: skip
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            world.step(100)
        moved = np.abs(world.get("chain", Position).x[:, 0] - np.linspace(0, 1, 14)).max()
        assert (moved < 1e-8) == bounded


def test_gravity_alone_allows_any_step() -> None:
    world = world_of(frame_time=1e-3)
    world.spawn(Gravity())
    world.spawn(*particles([[0, 0, 0]]), name="stone")
    assert estimate(world) == math.inf
