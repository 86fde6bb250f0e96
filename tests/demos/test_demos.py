"""Every demo: builds as it stands, ends on the numbers it promises, and continues from any frame bit for bit.

The fast tests run the first frames of each demo, the slow ones all of them.
"""
import importlib
from types import ModuleType

import numpy as np
import pytest

from framework import World
from framework.scene import demo_names, demo_summaries

DEMOS = demo_names()
SHORT = {"flag": 130, "rope": 190, "lattice": 66}  # frames of a fast run, past their commands; else 30


def module_of(name: str) -> ModuleType:
    return importlib.import_module(f"demos.{name}")


def hashes(world: World, frames: int, drop: frozenset[int] = frozenset()) -> dict[int, str]:
    """Frame -> state hash; before the frames in `drop` everything that can be recomputed is forgotten."""
    found = {}
    for _ in range(frames):
        if world.frame in drop:
            world.drop_caches()
        world.step()
        found[world.frame] = world.state_hash()
    return found


def check_continues(name: str, frames: int) -> None:
    """A run, the same run without caches at random frames, and what follows a restored snapshot agree in every bit."""
    middle = frames // 2
    world = module_of(name).build()
    first = hashes(world, middle)
    snapshot = world.snapshot()
    straight = first | hashes(world, frames - middle)

    world.restore(snapshot)
    assert world.frame == middle and world.state_hash() == first[middle]
    assert hashes(world, frames - middle) == {frame: straight[frame] for frame in range(middle + 1, frames + 1)}

    drop = frozenset(np.random.default_rng(5).choice(frames, size=max(3, frames // 10), replace=False).tolist())
    assert hashes(module_of(name).build(), frames, drop) == straight

    fresh = module_of(name).build()
    fresh.restore(snapshot)
    assert hashes(fresh, frames - middle)[frames] == straight[frames]


@pytest.mark.parametrize("name", DEMOS)
def test_a_demo_says_what_it_is(name: str) -> None:
    summary = demo_summaries()[name]
    assert summary.endswith(".") and 20 < len(summary) <= 120
    module = module_of(name)
    assert isinstance(module.FRAMES, int) and callable(module.expect)


@pytest.mark.parametrize("name", DEMOS)
def test_a_demo_starts_and_continues(name: str) -> None:
    check_continues(name, SHORT.get(name, 30))


@pytest.mark.slow
@pytest.mark.parametrize("name", DEMOS)
def test_a_demo_ends_on_its_numbers(name: str) -> None:
    module = module_of(name)
    world = module.build()
    world.run(frames=module.FRAMES)
    failed = [repr(check) for check in module.expect(world) if not check.passed]
    assert not failed
    if "seed" in module.build.__code__.co_varnames[: module.build.__code__.co_argcount]:
        other = module.build(seed=1)
        other.run(frames=module.FRAMES)
        assert all(check.passed for check in module.expect(other)), module.expect(other)


@pytest.mark.slow
@pytest.mark.parametrize("name", DEMOS)
def test_a_whole_demo_continues(name: str) -> None:
    check_continues(name, module_of(name).FRAMES)
