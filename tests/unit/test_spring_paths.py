"""The paths of springs agree: lists in chunks, with and without order, explicit and implicit."""

from __future__ import annotations

import numpy as np
import pytest

import systems.springs
from components import BackwardEuler, Geometry, Mass, MassSpring, Springs
from components.prefabs import grid
from components.spring_topology import grid_pairs
from framework import World
from systems import standard


def run(monkeypatch: pytest.MonkeyPatch, integrator: object, shuffled: bool, chunked: bool) -> np.ndarray:
    monkeypatch.setattr(systems.springs, "CHUNKED_FROM", 1 if chunked else 10**9)
    pairs, kinds = grid_pairs([9, 8], shear=True, bend=False)
    order = np.random.default_rng(2).permutation(len(pairs)) if shuffled else np.arange(len(pairs))
    rest = np.where(kinds == 0, 1.0, 1.5)
    springs = Springs(
        nodes=pairs[order], rest=rest[order], kind=kinds[order], stiffness=np.array([50.0, 20.0]),
        cubic=np.array([1.0, 0.0]), damping=np.array([0.1, 0.2]),
    )  # fmt: skip
    world = World(systems=standard(), integrator=integrator)
    shape: Geometry = grid(size=(8, 7), cells=(8, 7))
    world.spawn(shape, MassSpring(stretch=50.0, shear=20.0), Mass(m=0.1), springs, name="net")
    assert f"({'list, 16 chunks' if chunked else 'list'})" in world.describe()
    world.step(5)
    assert world.value("net.energy.elastic") > 0
    return world.value("net.position")


@pytest.mark.parametrize("integrator", [None, BackwardEuler(tolerance=1e-12)])
def test_paths_agree(monkeypatch: pytest.MonkeyPatch, integrator: object) -> None:
    expected = run(monkeypatch, integrator, shuffled=False, chunked=False)
    for shuffled, chunked in ((True, False), (False, True), (True, True)):
        found = run(monkeypatch, integrator, shuffled, chunked)
        np.testing.assert_allclose(found, expected, atol=1e-10)
