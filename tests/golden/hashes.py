"""Prints state hashes as JSON, for tests that run it in processes of different settings.

python -m tests.golden.hashes JOB...   jobs: an integrator's name, `large`, `boundary`, `machinery:INTEGRATOR`
or `restore:FILE` (a pickled snapshot)
"""
from __future__ import annotations

import json
import pickle
import sys
import warnings
from pathlib import Path

from tests.golden import scenes


def hashes(job: str) -> list[str]:
    """Hashes of a job at its frames."""
    if job == "large":
        world = scenes.large()
        world.step(2)
        return [world.state_hash()]
    if job == "boundary":
        world = scenes.boundary()
        world.step(8)
        return [world.state_hash()]
    if job.startswith("machinery:"):  # more particles than one thread takes alone
        world = scenes.machinery(job.removeprefix("machinery:"), cells=34)
        world.step(3)
        return [world.state_hash()]
    if job.startswith("restore:"):
        integrator, snapshot, until = pickle.loads(Path(job.removeprefix("restore:")).read_bytes())
        # a world of other values: all of them must come from the snapshot
        world = scenes.everything(integrator, seed=5, stretch=33.0)
        world.step(snapshot.frame)
        world.restore(snapshot)
    else:
        world, until = scenes.everything(job), 16
    found = [world.state_hash()]
    for frame in range(world.frame + 1, until + 1):
        scenes.run_with_edits(world, frame)
        if frame % 4 == 0:
            found.append(world.state_hash())
    return found


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(json.dumps({job: hashes(job) for job in sys.argv[1:]}))
