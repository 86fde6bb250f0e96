"""Chains at rest under gravity: elastic links exactly, rigid links as the limit of stiff ones, and the catenary.

A fixed point of backward Euler is an equilibrium at any step; long steps damp the way there.
"""
from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from components import BackwardEuler, BoundaryConditions, Gravity, Mass, MassSpring, Position, SolverReport, Springs
from components.prefabs import rope
from tests.verification.scenes import orders, world_of

NEWTON = BackwardEuler(newton=True, tolerance=1e-13, newton_tolerance=1e-12, newton_iterations=50)


def at_rest(links: int, length: float, k: float, frames: int = 60) -> tuple[np.ndarray, float]:
    """(points (links + 1, 3) [m], horizontal force [N]) of a chain of total mass 1 between (0, 0) and (1, 0).

    It starts from an arc with short steps. The lowest mode has omega > 3 / s: each step of 1 s divides the way to go by
    more than 3.
    """
    world = world_of(integrator=NEWTON, frame_time=0.05)
    world.spawn(Gravity())
    world.spawn(
        rope((0, 0, 0), (1, 0, 0), segments=links, length=length), Mass(m=np.full(links + 1, 1 / links)),
        MassSpring(stretch=k), BoundaryConditions.fixed("ends"), name="chain",
    )  # fmt: skip
    world.step(100)
    world.set("world.frame_time", 1.0)
    world.step(frames)
    assert world.get("world", SolverReport).unconverged == 0
    x = world.get("chain", Position).x
    first = x[1] - x[0]
    size = np.linalg.norm(first)
    return x, float(k * (size - world.get("chain", Springs).rest[0]) * first[0] / size)


# positions of links 0 to 5; the other half is the mirror image
SLACK = [
    (0.0, 0.0), (0.06114520824750249, -0.16245832509368208), (0.13479118920722796, -0.3146476269877394),
    (0.2272306374279135, -0.4510947498007807), (0.347830414868717, -0.5579029986194389), (0.5, -0.602825599241738),
]  # fmt: skip
TAUT = [
    (0.0, 0.0), (0.08123792751428253, -0.09954863144832783), (0.17163877995359827, -0.18570839822803054),
    (0.2723141527759084, -0.2542457311084498), (0.38290167466604863, -0.29941690011071975),
    (0.5, -0.31536043561133853),
]  # fmt: skip


@pytest.mark.parametrize("length, half, horizontal", [(1.5, SLACK, 1.6615062456968357), (1.0, TAUT, 3.602508902374512)],
                         ids=["slack", "taut"])  # fmt: skip
def test_elastic_chain(length: float, half: list[tuple[float, float]], horizontal: float) -> None:
    """Ten springs of k = 200 N/m: reference from two-parameter shooting to 1e-13."""
    x, pull = at_rest(10, length, 200.0)
    half_x = np.array(half)
    mirrored = np.column_stack([1 - half_x[-2::-1, 0], half_x[-2::-1, 1]])
    assert x[:, :2] == pytest.approx(np.vstack([half_x, mirrored]), abs=1e-9)
    assert pull == pytest.approx(horizontal, abs=200 * 1e-9)
    assert not x[:, 2].any()


RIGID = {  # links: horizontal force, lowest point, second point
    10: (2.012081045037246, -0.5059459315710845, (0.06221109051911369, -0.13649095287389065)),
    11: (2.012729310316175, -0.49770517080213694, (0.05610106696330973, -0.12428882334261714)),
    20: (2.0149146440682175, -0.5034466343401925, (0.02976693758407838, -0.06883988253088162)),
    40: (2.0156282786864286, -0.5028357728653532, (0.01456439157666645, -0.034556164399445824)),
}


@cache
def measured(links: int, k: float) -> np.ndarray:
    """(horizontal force, lowest point, x and y of the second point)."""
    x, pull = at_rest(links, 1.5, k)
    return np.array([pull, x[:, 1].min(), x[1, 0], x[1, 1]])


@pytest.mark.filterwarnings("ignore:backward Euler")  # a falling chain of stiff links may cost Newton all iterations
@pytest.mark.parametrize("links", RIGID)
def test_rigid_links_are_the_limit_of_stiff_ones(links: int) -> None:
    """Links of k N/m stretch by T / k, so that every result is that of rigid links plus c / k + d / k^2 + ...

    Two stiffnesses show order 1; extrapolated to 1 / k = 0, what is left is of the order (c / k)^2.
    """
    horizontal, lowest, second = RIGID[links]
    expected = np.array([horizontal, lowest, *second])
    soft, stiff = (measured(links, k * links / 10) for k in (2e5, 4e5))
    assert orders([np.abs(soft - expected).max(), np.abs(stiff - expected).max()]) == pytest.approx([1], abs=0.02)
    correction = stiff - soft
    assert np.abs(correction).max() < 3e-4
    assert stiff + correction == pytest.approx(expected, abs=10 * float(np.abs(correction).max()) ** 2 + 1e-9)


def test_catenary() -> None:
    """The sag of the catenary of span 1 and length 1.5 is 0.5026332616483151; N links differ from it by O(1 / N^2)."""
    sags = [-(2 * measured(n, 4e4 * n) - measured(n, 2e4 * n))[1] for n in (10, 20)]
    sag = 0.5026332616483151
    assert orders([sags[0] - sag, sags[1] - sag]) == pytest.approx([2], abs=0.05)


@pytest.mark.parametrize("newton", [False, True], ids=["linearised", "newton"])
def test_vertical_chain(newton: bool) -> None:
    """Spring i of 10 (k = 200, L = 0.1) carries 11 - i masses of 0.1 kg: bottom at -(1 + 55 * 0.1 g / k) = -1.269775.

    The lowest mode has omega = 6.7 / s: each step of 1 s divides the way to go by more than 6.
    """
    world = world_of(
        integrator=BackwardEuler(newton=newton, tolerance=1e-13), frame_time=1.0 if newton else 0.1
    )
    world.spawn(Gravity())
    world.spawn(
        rope((0, 0, 0), (0, -1, 0), segments=10), Mass(m=np.full(11, 0.1)), MassSpring(stretch=200.0),
        BoundaryConditions.fixed("start"), name="chain",
    )  # fmt: skip
    world.step(30 if newton else 200)
    assert world.get("chain", Position).x[-1, 1] == pytest.approx(-1.269775, abs=1e-9)
