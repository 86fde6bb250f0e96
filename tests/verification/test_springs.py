"""Springs alone: periods, static extension, and the force, energy and Hessian of one quartic spring."""
from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad

from components import (
    RK4,
    BackwardEuler,
    BoundaryConditions,
    Force,
    Gravity,
    Mass,
    MassSpring,
    Position,
    Springs,
    Velocity,
    VelocityVerlet,
)
from components.prefabs import rope
from framework import Stage, System, World
from systems.springs import SpringForces
from tests.verification.scenes import orders, refined, world_of


def pair(world: World, separation: float, masses: tuple[float, float], fixed: bool, **springs: float) -> None:
    """Two particles on a spring of rest length 1 along x, `separation` [m] apart; the first one held if `fixed`."""
    parts: list[Any] = [
        rope((0, 0, 0), (1, 0, 0), segments=1), Mass(m=list(masses)), MassSpring(**springs),
        Position(x=[[0, 0, 0], [separation, 0, 0]]),
    ]  # fmt: skip
    world.spawn(*parts, *([BoundaryConditions.fixed("start")] if fixed else []), name="pair")


def spring_period(
    steps: int, expected: float, stretched: float, masses: tuple[float, float], fixed: bool, integrator: Any,
    **springs: float,
) -> float:  # fmt: skip
    """4 times the time at which the spring, released stretched, has its rest length: after `steps` steps, by Newton."""
    world = world_of(integrator=integrator, frame_time=expected / 4, substeps=steps)
    pair(world, 1 + stretched, masses, fixed, **springs)
    world.step()
    x, v = world.get("pair", Position).x, world.get("pair", Velocity).v
    return 4 * (world.time - (x[1, 0] - x[0, 0] - 1) / (v[1, 0] - v[0, 0]))


def quartic_period(m: float, k: float, lam: float, amplitude: float) -> float:
    """4 sqrt(m) integral of dx / sqrt(2 (V(A) - V(x))), V = k x^2 / 2 + lam x^4 / 4; x = A sin s makes it regular:

    2 (V(A) - V(x)) = A^2 cos^2 s (k + lam A^2 (1 + sin^2 s) / 2).
    """
    value, _ = quad(
        lambda s: 1 / math.sqrt(k + 0.5 * lam * amplitude**2 * (1 + math.sin(s) ** 2)), 0, math.pi / 2, epsabs=1e-14
    )
    return 4 * math.sqrt(m) * value


PERIODS = {
    "mass 0.3 on k = 100": (0.3441442325727286, 0.05, (1.0, 0.3), True, {"stretch": 100.0}),
    "masses 0.2 and 0.5": (0.23748208234474522, 0.05, (0.2, 0.5), False, {"stretch": 100.0}),
    "quartic": (0.7701066258079781, 0.2, (1.0, 1.0), True, {"stretch": 20.0, "stretch_cubic": 1600.0}),
    "linear": (1.4049629462081452, 0.2, (1.0, 1.0), True, {"stretch": 20.0}),
    "quartic, two free masses": (
        0.5445476173455124, 0.2, (1.0, 1.0), False, {"stretch": 20.0, "stretch_cubic": 1600.0},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", PERIODS.values(), ids=PERIODS)
def test_period(case: Any) -> None:
    """RK4's period error is of order 4: Richardson's extrapolation of 100 and 200 steps a quarter leaves order 5.

    The tolerance is the difference that the extrapolation makes, at most 1e-8.
    """
    expected, stretched, masses, fixed, springs = case
    coarse, fine = (spring_period(n, expected, stretched, masses, fixed, RK4(), **springs) for n in (100, 200))
    correction = (fine - coarse) / 15
    assert abs(correction) < 1e-8 * expected
    assert fine + correction == pytest.approx(expected, rel=1e-11, abs=abs(correction))


def test_quadrature_of_the_quartic_period() -> None:
    assert quartic_period(1.0, 20.0, 1600.0, 0.2) == pytest.approx(0.7701066258079781, rel=1e-12)
    assert quartic_period(1.0, 20.0, 0.0, 0.2) == pytest.approx(2 * math.pi / math.sqrt(20), rel=1e-12)
    assert quartic_period(0.5, 20.0, 1600.0, 0.2) == pytest.approx(0.5445476173455124, rel=1e-12)


@pytest.mark.parametrize("integrator, order", [(VelocityVerlet(), 2), (RK4(), 4)], ids=["VelocityVerlet", "RK4"])
def test_order_of_the_quartic_period(integrator: Any, order: int) -> None:
    expected, stretched, masses, fixed, springs = PERIODS["quartic"]

    def error(steps: int) -> float:
        return abs(spring_period(steps, expected, stretched, masses, fixed, integrator, **springs) - expected)

    assert orders(refined(error, (10, 20, 40))) == pytest.approx([order] * 2, abs=0.1)


@pytest.mark.parametrize("lam, extension", [
    (0, 0.0981), (1600, 0.07030260085161144), (51200, 0.02987059496291108), (204800, 0.019708615885565026),
])  # fmt: skip
@pytest.mark.parametrize("newton", [False, True], ids=["linearised", "newton"])
def test_hanging_mass(lam: float, extension: float, newton: bool) -> None:
    """k C + lam C^3 = m g for 0.2 kg on k = 20: a fixed point of any step, reached by long backward Euler steps.

    Near it each step shrinks the deviation by sqrt(1 + h^2 k' / m), k' = k + 3 lam C^2 >= k: by sqrt(2) at h = 0.1 s,
    so that 90 steps leave less than 1e-13 of it.
    """
    world = world_of(integrator=BackwardEuler(newton=newton, tolerance=1e-13), frame_time=0.1)
    world.spawn(Gravity(acceleration=(9.81, 0, 0)))
    pair(world, 1.0, (1.0, 0.2), True, stretch=20.0, stretch_cubic=float(lam))
    world.step(90)
    assert world.get("pair", Position).x[1, 0] - 1 == pytest.approx(extension, rel=1e-11)


# The two particles, C = |x1 - x0| - L, E = k C^2 / 2 + lam C^4 / 4; closed forms.
X = np.array([[0.1, -0.2, 0.3], [0.9, 0.4, 0.1]])
FORCE = np.array([16.77762657894779, 12.583219934210845, -4.194406644736947])
BLOCK = np.array([
    [163.08526023771415, 106.58492026052205, -35.52830675350735],
    [106.58492026052205, 100.91072341907629, -26.646230065130514],
    [-35.52830675350735, -26.646230065130514, 29.85410991206158],
])  # fmt: skip


def quartic_in_space() -> World:
    world = world_of()
    world.spawn(
        rope((0, 0, 0), (0.8, 0, 0), segments=1), Mass(m=[1, 1]), MassSpring(stretch=20.0, stretch_cubic=1600.0),
        Position(x=X), name="pair",
    )  # fmt: skip
    return world


class CollectBlocks:
    """Stands in for the matrix that `linearize` adds to."""

    project_psd = False

    def __init__(self) -> None:
        self.pairs: list[Any] = []

    def add_pairs(self, index: int, nodes: np.ndarray, kx: np.ndarray, kv: np.ndarray, rows: slice) -> None:
        self.pairs.append((nodes.copy(), kx.copy(), kv.copy()))


def spring_system(world: World) -> SpringForces:
    return next(s for s in world.engine.schedule.stages[Stage.FORCES] if isinstance(s, SpringForces))


def prepared(world: World) -> System:
    """The spring system of a world whose bodies are packed."""
    world.describe()
    return spring_system(world)


def test_force_energy_and_hessian_in_space() -> None:
    world = quartic_in_space()
    system, step = prepared(world), world.engine.step
    matrix = CollectBlocks()
    with world.acting(system):
        step.packed.f.fill(0.0)
        system.process(world, step)
        (_, force) = world.query(Force)[0]
        assert force.f == pytest.approx(np.array([FORCE, -FORCE]), rel=1e-12)
        assert system.energy(world, step)[world.store.id("pair")] == pytest.approx(1.4168251505181892, rel=1e-12)
        system.linearize(world, step, matrix)
    ((nodes, kx, kv),) = matrix.pairs
    assert nodes.tolist() == [[0, 1]]
    # of the 6 x 6 Hessian [[B, -B], [-B, B]] the system gives B, the derivative -df0/dx0
    assert kx[0] == pytest.approx(BLOCK, rel=1e-12)
    assert not kv.any()
    assert world.value("pair.strain.spring.mean") == pytest.approx(0.219803902718557 / 0.8, rel=1e-12)
    assert world.value("pair.energy.elastic") == pytest.approx(1.4168251505181892, rel=1e-12)


def test_backward_euler_sees_that_hessian() -> None:
    """One linearised step from rest: (M + h^2 K) dv = h f(x0), by hand with the 6 x 6 Hessian."""
    h = 0.05
    world = world_of(integrator=BackwardEuler(tolerance=1e-14), frame_time=h)
    world.spawn(
        rope((0, 0, 0), (0.8, 0, 0), segments=1), Mass(m=[1, 2]), MassSpring(stretch=20.0, stretch_cubic=1600.0),
        Position(x=X), name="pair",
    )  # fmt: skip
    world.step()
    hessian = np.block([[BLOCK, -BLOCK], [-BLOCK, BLOCK]])
    mass = np.diag(np.repeat([1.0, 2.0], 3))
    v = np.linalg.solve(mass + h * h * hessian, h * np.concatenate([FORCE, -FORCE]))
    assert world.get("pair", Velocity).v.ravel() == pytest.approx(v, rel=1e-11)


def test_compressed_spring_is_regularised_in_the_matrix_only() -> None:
    """Under compression -T/l (I - e e') is negative: left out of the matrix, while the force stays exact."""
    world = world_of()
    pair(world, 0.6, (1.0, 1.0), False, stretch=20.0, stretch_cubic=1600.0)
    system = prepared(world)
    matrix = CollectBlocks()
    with world.acting(system):
        matrix.project_psd = True
        system.linearize(world, world.engine.step, matrix)
    assert np.linalg.eigvalsh(matrix.pairs[0][1][0]) == pytest.approx([0, 0, 20 + 3 * 1600 * 0.16], rel=1e-12, abs=1e-9)


def test_stiffness_and_damping_of_each_kind() -> None:
    """The damping ratio is that of two of the body's particles on one spring: c = 2 zeta sqrt(k m / 2)."""
    world = world_of()
    world.spawn(
        rope((0, 0, 0), (1, 0, 0), segments=1), Mass(m=[0.4, 0.4]), MassSpring(stretch=50.0, damping_ratio=0.1),
        name="pair",
    )  # fmt: skip
    assert world.get("pair", Springs).damping[0] == pytest.approx(2 * 0.1 * math.sqrt(50 * 0.2), rel=1e-14)
