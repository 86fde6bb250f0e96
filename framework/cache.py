"""What can be recomputed from the state, kept until a version of something that it was made from changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from framework.system import System

if TYPE_CHECKING:
    from framework.store import Store


class Cache:
    """Values by owner and key, each with the stamp of versions that it was built at."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._structure = -1
        self._known: dict[Any, tuple[Any, Any]] = {}

    def get(self, owner: Any, key: Any, stamp: tuple[int | None, ...], build: Callable[[], Any]) -> Any:
        """The value kept at this stamp, or a new one.

        Caches end with the structure they were made for; those of deleted entities would be kept for nothing.
        """
        if self._structure != self._store.structure:
            self._known.clear()
            self._structure = self._store.structure
        name = owner.name if isinstance(owner, System) else owner, key
        known = self._known.get(name)
        if known is None or known[0] != stamp:
            known = self._known[name] = stamp, build()
        return known[1]

    def clear(self) -> None:
        self._known.clear()

    def __len__(self) -> int:
        return len(self._known)
