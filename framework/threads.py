"""Linear algebra on one thread: BLAS and LAPACK give other last bits on two, and small matrices are faster on one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any


@lru_cache(maxsize=1)
def _libraries() -> Any:
    import scipy.linalg  # noqa: F401 - its library must be there to be found
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


@contextmanager
def one_thread() -> Iterator[None]:
    """BLAS and LAPACK calls within run on one thread. What feeds the state must run in it."""
    with _libraries().limit(limits=1, user_api="blas"):
        yield
