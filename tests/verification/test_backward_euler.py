"""Backward Euler: what full Newton solves, what the linearised step is, what the report says."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from components import (
    BackwardEuler,
    BoundaryConditions,
    Gravity,
    Mass,
    MassSpring,
    Position,
    SolverReport,
    Springs,
    Velocity,
)
from components.prefabs import grid, rope
from framework import World
from tests.verification.scenes import particles, world_of


def cloth(integrator: Any, h: float, pull: float = 0.3) -> World:
    """A net of 4 x 4 cells with a cubic term, held at its top corners, pulled aside by an initial velocity [m/s]."""
    world = world_of(integrator=integrator, frame_time=h)
    world.spawn(Gravity())
    geometry = grid(size=(1.0, 1.0), cells=(4, 4))
    world.spawn(
        geometry, Mass(m=np.full(25, 0.02)),
        MassSpring(stretch=100.0, shear=40.0, stretch_cubic=4000.0, damping_ratio=0.05),
        Velocity(v=np.tile([0, 0, pull], (25, 1))),
        BoundaryConditions.fixed("corner_top_left") + BoundaryConditions.fixed("corner_top_right"), name="cloth",
    )  # fmt: skip
    return world


def residual(before: tuple[np.ndarray, np.ndarray], world: World, h: float) -> float:
    """|M (v1 - v0) - h f(x1, v1)| over |M v0| + |h m g|, free particles, from forces written out here with numpy."""
    x, v = world.get("cloth", Position).x, world.get("cloth", Velocity).v
    s = world.get("cloth", Springs)
    a, b = s.nodes.T
    d = x[b] - x[a]
    length = np.linalg.norm(d, axis=1)
    e = d / length[:, None]
    stretch = length - s.rest
    rate = ((v[b] - v[a]) * e).sum(axis=1)
    kind = s.kind
    tension = s.stiffness[kind] * stretch + s.cubic[kind] * stretch**3 + s.damping[kind] * rate
    f = np.zeros_like(x)
    np.add.at(f, a, tension[:, None] * e)
    np.add.at(f, b, -tension[:, None] * e)
    m = world.get("cloth", Mass).m[:, None]
    f += m * [0, -9.81, 0]
    r = m * (v - before[1]) - h * f
    corners = [4, 24]
    r[corners] = 0.0
    assert x == pytest.approx(before[0] + h * v, abs=1e-14)
    return float(np.linalg.norm(r) / np.linalg.norm(h * m * 9.81))


@pytest.mark.parametrize("h", [1 / 60, 0.1])
def test_newton_solves_the_nonlinear_equations(h: float) -> None:
    """The residual of M (v1 - v0) = h f(x0 + h v1, v1), written out here, is at the tolerance in every step."""
    world = cloth(BackwardEuler(newton=True, tolerance=1e-8, newton_tolerance=1e-10), h)
    for _ in range(10):
        before = world.get("cloth", Position).x.copy(), world.get("cloth", Velocity).v.copy()
        world.step()
        report = world.get("world", SolverReport)
        assert report.unconverged == 0 and report.newton >= 2
        assert report.residual <= 1e-10
        assert residual(before, world, h) < 1e-8


def test_linearised_step_errs_by_the_second_order() -> None:
    """It leaves a residual that falls as h^3 or faster: h f errs by h (h dv)^2 times the curvature, dv of order h."""
    errors = []
    for h in (0.02, 0.01, 0.005):
        world = cloth(BackwardEuler(tolerance=1e-13), h)
        before = world.get("cloth", Position).x.copy(), world.get("cloth", Velocity).v.copy()
        world.step()
        errors.append(residual(before, world, h) * h)
    assert np.all(np.log2(np.divide(errors[:-1], errors[1:])) > 2.7)


def test_line_search_masters_a_start_far_away() -> None:
    """A spring of 1e5 N/m drawn to twice its length and let go in one step of 1 s: plain Newton overshoots.

    The end is the root of the scalar equation m (x1 - x0) / h^2 = -k (x1 - L) along the spring.
    """
    k, m, h = 1e5, 0.1, 1.0
    world = world_of(integrator=BackwardEuler(newton=True, tolerance=1e-12, newton_tolerance=1e-12), frame_time=h)
    world.spawn(
        rope((0, 0, 0), (1, 0, 0), segments=1), Mass(m=[m, m]), MassSpring(stretch=k, stretch_cubic=1e7),
        Position(x=[[0, 0, 0], [2, 0, 0]]), Velocity(v=[[0, 0, 0], [0, 3, 0]]), BoundaryConditions.fixed("start"),
        name="bar",
    )  # fmt: skip
    world.step()
    assert world.get("world", SolverReport).unconverged == 0
    x, v = world.get("bar", Position).x[1], world.get("bar", Velocity).v[1]
    length = float(np.linalg.norm(x))
    force = -(k * (length - 1) + 1e7 * (length - 1) ** 3) * x / length
    assert m * (v - [0, 3, 0]) == pytest.approx(h * force, abs=1e-6)


def test_report_counts_what_was_not_solved() -> None:
    """Two iterations are too few for a net: a warning, a count for every substep, and pins right anyway."""
    world = cloth(BackwardEuler(tolerance=1e-10, max_iterations=2), 0.1)
    with pytest.warns(RuntimeWarning, match="max iterations"):
        world.step()
    report = world.get("world", SolverReport)
    assert report.unconverged == 1 and report.residual > 1e-10 and report.iterations == 2
    assert world.get("cloth", Position).x[4] == pytest.approx([-0.5, 0.5, 0], abs=0)


def test_report_is_of_the_last_frame() -> None:
    world = cloth(BackwardEuler(tolerance=1e-8), 0.02)
    world.step()
    first = world.get("world", SolverReport).iterations
    world.step()
    assert 0 < world.get("world", SolverReport).iterations < 2 * first + 20


def test_free_fall_is_that_of_backward_euler() -> None:
    """Under gravity alone v_n = n h g, x_n = g h^2 n (n + 1) / 2 exactly, at any tolerance."""
    world = world_of(integrator=BackwardEuler(tolerance=1e-2), frame_time=0.1)
    world.spawn(Gravity())
    world.spawn(*particles([[0, 0, 0], [1, 0, 0]], m=[1.0, 3.0]), name="pair")
    world.step(10)
    assert world.get("pair", Velocity).v[:, 1] == pytest.approx([-9.81] * 2, rel=1e-13)
    assert world.get("pair", Position).x[:, 1] == pytest.approx([-9.81 * 0.01 * 55] * 2, rel=1e-13)
