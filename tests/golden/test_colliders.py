"""Colliders that move: restored runs, runs without caches and runs on other threads give the same bits."""
from __future__ import annotations

import pickle

import pytest

from tests.golden import scenes
from tests.golden.test_processes import hashes

pytestmark = pytest.mark.filterwarnings("ignore:backward Euler:RuntimeWarning", "ignore:The substep:RuntimeWarning")
FRAMES, TAKEN = 14, 6


@pytest.mark.parametrize("name", scenes.INTEGRATORS)
def test_restored_in_mid_motion_and_without_caches(name: str) -> None:
    world = scenes.machinery(name)
    found = []
    for frame in range(FRAMES):
        if frame == TAKEN:
            taken = pickle.dumps(world.snapshot())
        world.step()
        found.append(world.state_hash())
    assert world.value("net.position.y.min") < 0.1
    assert len(set(found)) == FRAMES
    other = scenes.machinery(name)
    other.restore(pickle.loads(taken))
    for frame in range(TAKEN, FRAMES):
        other.drop_caches()
        other.step()
        assert other.state_hash() == found[frame]
    world.restore(3)
    world.step(FRAMES - 3)
    assert world.state_hash() == found[-1]


def test_one_and_two_threads() -> None:
    jobs = ("machinery:euler", "machinery:implicit")
    assert hashes(*jobs, NUMBA_NUM_THREADS="1") == hashes(*jobs)
