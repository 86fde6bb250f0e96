"""Named random streams: each depends on the world's seed and its own name alone, and is part of the state."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from framework.errors import FieldError


class RandomStreams:
    """`streams["gusts"]` is a numpy Generator (PCG64); using one stream never changes another."""

    def __init__(self, seed: int) -> None:
        if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
            raise FieldError(f"world: seed must be a whole number, zero or positive, got {seed!r}")
        self.seed = int(seed)
        self._streams: dict[str, np.random.Generator] = {}

    def __getitem__(self, name: str) -> np.random.Generator:
        if name not in self._streams:
            digest = hashlib.blake2b(f"{self.seed}/{name}".encode(), digest_size=16).digest()
            self._streams[name] = np.random.Generator(np.random.PCG64(int.from_bytes(digest, "little")))
        return self._streams[name]

    def state(self) -> dict[str, Any]:
        return {
            "seed": self.seed,
            "streams": {name: g.bit_generator.state for name, g in sorted(self._streams.items())},
        }

    def restore(self, state: dict[str, Any]) -> None:
        self.seed = state["seed"]
        self._streams.clear()
        for name, inner in state["streams"].items():
            self[name].bit_generator.state = inner
