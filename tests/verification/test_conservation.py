"""Conservation laws and invariances of every integrator: momentum, angular momentum, energy, boosts, shifts, turns."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from components import (
    RK4,
    BackwardEuler,
    Gravity,
    Mass,
    MassSpring,
    Material,
    Momentum,
    Position,
    SymplecticEuler,
    Velocity,
    VelocityVerlet,
    Wind,
    Work,
)
from components.prefabs import box, grid, rope, sphere_shell
from framework import World
from tests.verification.scenes import EXPLICIT, IMPLICIT, label, orders, world_of

LOOSE = [BackwardEuler(tolerance=1e-2), BackwardEuler(newton=True, tolerance=1e-2, newton_tolerance=0.5)]


def net(
    integrator: Any, *, damping: float = 0.1, boost: Any = (0, 0, 0), shift: Any = (0, 0, 0), turn: Any = None,
    substeps: int = 4, gravity: Any = None,
) -> World:  # fmt: skip
    """Two nets of springs that vibrate and turn freely, seen from a frame of one's choice."""
    turn = Rotation.identity() if turn is None else turn
    world = world_of(integrator=integrator, frame_time=0.02, substeps=substeps)
    if gravity is not None:
        world.spawn(Gravity(acceleration=turn.apply(gravity)))
    random = np.random.default_rng(3)
    for name, cells in (("small", (2, 2)), ("large", (3, 4))):
        geometry = grid(size=(1.0, 0.8), cells=cells)
        n = len(geometry.points)
        x = geometry.points + 0.03 * random.standard_normal((n, 3))
        v = 0.3 * random.standard_normal((n, 3)) + np.cross([0.5, -1.0, 0.7], x)
        world.spawn(
            geometry, Mass(m=0.05 * (1 + random.random(n))),
            MassSpring(stretch=40.0, shear=15.0, bend=5.0, stretch_cubic=300.0, damping_ratio=damping),
            Position(x=turn.apply(x) + shift), Velocity(v=turn.apply(v) + boost), name=name,
        )  # fmt: skip
    return world


@pytest.mark.parametrize("integrator", EXPLICIT + IMPLICIT + LOOSE, ids=label)
def test_momentum(integrator: Any) -> None:
    """d/dt sum m v = 0 without external force, to 1e-12 of sum m |v|, each body by itself, however loose the solve."""
    world = net(integrator)
    start = {name: world.get(name, Momentum).linear.copy() for name in ("small", "large")}
    size = {n: float(world.get(n, Mass).m @ np.linalg.norm(world.get(n, Velocity).v, axis=1)) for n in start}
    world.step(50)
    for name in start:
        assert np.abs(world.get(name, Momentum).linear - start[name]).max() < 1e-12 * size[name]


@pytest.mark.parametrize("integrator", [SymplecticEuler(), VelocityVerlet()], ids=label)
def test_angular_momentum_is_exact(integrator: Any) -> None:
    """Central forces between pairs, damping along springs included, and these two schemes: sum x * m v is constant."""
    world = net(integrator)
    start = world.get("large", Momentum).angular.copy()
    world.step(50)
    assert world.get("large", Momentum).angular == pytest.approx(start, abs=1e-12 * float(np.abs(start).max()) * 10)


@pytest.mark.parametrize("integrator, order, counts", [(RK4(), 4, (4, 8, 16)), (IMPLICIT[1], 1, (40, 80, 160))],
                         ids=["RK4", "BackwardEuler"])  # fmt: skip
def test_angular_momentum_of_the_others_converges(integrator: Any, order: int, counts: tuple[int, ...]) -> None:
    """Backward Euler loses it at the order h; RK4 at order 4 or, as its error is dissipative, 5."""
    errors = []
    for substeps in counts:
        world = net(integrator, substeps=substeps)
        start = world.get("large", Momentum).angular.copy()
        world.step(5)
        errors.append(float(np.abs(world.get("large", Momentum).angular - start).max()))
    rates = orders(errors)
    assert np.all(rates > order - 0.15) and np.all(rates < order + 1.3)


@pytest.mark.parametrize("integrator, order", [(SymplecticEuler(), 1), (VelocityVerlet(), 2)], ids=["SE", "Verlet"])
def test_energy_of_symplectic_integrators_does_not_drift(integrator: Any, order: int) -> None:
    """Without damping the energy error stays what it was in the first second, for 20 s; it is of the scheme's order."""
    sizes = []
    for substeps in (4, 8):
        world = net(integrator, damping=0.0, substeps=substeps)
        world.watch("kinetic", "large.energy.kinetic")
        world.watch("elastic", "large.energy.elastic")
        world.step(1000)
        total = world.series("kinetic")[1] + world.series("elastic")[1]
        error = np.abs(total / total[0] - 1)
        assert error[-100:].max() < 2 * error[:100].max()
        sizes.append(error.max())
    assert orders(sizes) == pytest.approx([order], abs=0.25)


@pytest.mark.parametrize("integrator", EXPLICIT + IMPLICIT, ids=label)
def test_damping_takes_energy(integrator: Any) -> None:
    world = net(integrator, damping=0.2)
    energies = []
    world.run(50, on_frame=lambda w: energies.append(w.value("large.energy.kinetic") + w.value("large.energy.elastic")))
    assert np.all(np.diff(energies) < 0)


def close(a: np.ndarray, b: np.ndarray, size: float) -> None:
    assert np.abs(a - b).max() < 1e-10 * size


@pytest.mark.parametrize("integrator", EXPLICIT + IMPLICIT, ids=label)
def test_a_boost_changes_nothing(integrator: Any) -> None:
    """x + V t, v + V is a solution too (Galileo): differences are rounding at coordinates of some metres."""
    boost, gravity = np.array([3.0, -2.0, 1.0]), (0, -9.81, 0)
    still, moving = (net(integrator, boost=b, gravity=gravity) for b in ((0, 0, 0), boost))
    for world in (still, moving):
        world.step(25)
    close(moving.get("large", Position).x - boost * moving.time, still.get("large", Position).x, 1.0)
    close(moving.get("large", Velocity).v - boost, still.get("large", Velocity).v, 10.0)


@pytest.mark.parametrize("integrator", EXPLICIT + IMPLICIT, ids=label)
def test_a_shift_and_a_turn_change_nothing(integrator: Any) -> None:
    turn, shift, gravity = Rotation.from_rotvec([0.4, -1.1, 0.8]), np.array([5.0, -7.0, 2.0]), (0, -9.81, 0)
    plain, placed = net(integrator, gravity=gravity), net(integrator, gravity=gravity, turn=turn, shift=shift)
    for world in (plain, placed):
        world.step(25)
    close(turn.inv().apply(placed.get("large", Position).x - shift), plain.get("large", Position).x, 10.0)
    close(turn.inv().apply(placed.get("large", Velocity).v.copy()), plain.get("large", Velocity).v, 10.0)


@pytest.mark.parametrize("geometry, material, total", [
    (grid(size=(1.5, 1.0), cells=(4, 3)), Material(areal_density=0.15), 0.15 * 1.5),
    (grid(size=(1.5, 1.0), cells=(4, 3)), Material(mass_density=1200.0, thickness=0.002), 2.4 * 1.5),
    (box(size=(1.0, 2.0, 0.5), cells=(2, 3, 2)), Material(mass_density=700.0), 700.0),
    (rope((0, 0, 0), (1, 2, 2), segments=7), Material(linear_density=0.3), 0.9),
    (sphere_shell(radius=0.5), Material(total_mass=2.5), 2.5),
])  # fmt: skip
def test_masses_add_up_to_that_of_the_body(geometry: Any, material: Any, total: float) -> None:
    world = world_of()
    world.spawn(geometry, material, Mass(), name="body")
    assert world.get("body", Mass).m.sum() == pytest.approx(total, rel=1e-13)


@pytest.mark.parametrize("integrator, order", [(VelocityVerlet(), 2), (RK4(), 2)], ids=["VelocityVerlet", "RK4"])
def test_work_of_gravity_and_wind_is_the_change_of_energy(integrator: Any, order: int) -> None:
    """Kinetic + elastic energy grows by the work of external forces: without damping, to the trapezoidal rule's order.

    The body moves at the start, so that its power is not zero then.
    """
    errors = []
    for substeps in (20, 40, 80):
        world = world_of(integrator=integrator, frame_time=0.05, substeps=substeps)
        world.spawn(Gravity())
        world.spawn(Wind(velocity=(3, 1, 0), coefficient=0.02))
        geometry = rope((0, 0, 0), (1, 0, 0), segments=3)
        world.spawn(
            geometry, Mass(m=np.full(4, 0.1)), MassSpring(stretch=50.0), Velocity(v=np.tile([0.5, 2.0, 0], (4, 1))),
            Work(), name="rope",
        )  # fmt: skip
        before = world.value("rope.energy.kinetic") + world.value("rope.energy.elastic")
        world.step(8)
        after = world.value("rope.energy.kinetic") + world.value("rope.energy.elastic")
        errors.append(abs(after - before - world.value("rope.work.external")))
    assert errors[-1] < 1e-4
    assert orders(errors) == pytest.approx([order] * 2, abs=0.15)
