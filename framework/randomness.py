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
        if not isinstance(name, str):
            raise FieldError(f"world.random: a stream's name must be a text, got {name!r}")
        if name not in self._streams:
            self._streams[name] = np.random.Generator(self._fresh(name))
        return self._streams[name]

    def _fresh(self, name: str) -> np.random.PCG64:
        digest = hashlib.blake2b(f"{self.seed}/{name}".encode(), digest_size=16).digest()
        return np.random.PCG64(int.from_bytes(digest, "little"))

    def state(self) -> dict[str, Any]:
        """Seed, and the state of every stream that something was drawn from: to ask for one changes nothing."""
        states = {name: stream.bit_generator.state for name, stream in sorted(self._streams.items())}
        return {"seed": self.seed, "streams": {n: s for n, s in states.items() if s != self._fresh(n).state}}

    def restore(self, state: dict[str, Any]) -> None:
        """Put all streams back, in place: a generator that somebody holds stays the stream's."""
        self.seed = state["seed"]
        for name in {**self._streams, **state["streams"]}:
            self[name].bit_generator.state = state["streams"].get(name) or self._fresh(name).state
