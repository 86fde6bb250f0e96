"""numba's disk cache of one kernel, for which a damaged or unwritable file is a miss: the kernel is compiled instead.

numba writes a kernel's index before the compiled code, and several processes may write both. So each piece of code
carries the key it belongs to and a checksum, and is only used where both are right.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import warnings
from typing import Any

from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile, UserProvidedCacheLocator
from numba.core.serialize import dumps

_noted: set[str] = set()


def note(folder: object, problem: str) -> None:
    """Warn once in a process that kernels are compiled without a cache, or in place of a damaged one."""
    if not _noted:
        _noted.add(problem)
        warnings.warn(f"the kernel cache {folder} {problem}; kernels are compiled instead, which takes some seconds. "
                      "PLIANT_CACHE_DIR names another folder", RuntimeWarning, stacklevel=2)


class KernelCache(FunctionCache):
    """The cache of one kernel in the folder that numba's CACHE_DIR names while this is made. It never raises."""

    class _Kept(CompileResultCacheImpl):
        class _Folder(UserProvidedCacheLocator):
            """That folder, also where it can only be read; numba would take one beside the source instead."""

            @classmethod
            def from_function(cls, function: Any, file: str) -> Any:
                return cls(function, file)

        _locator_classes = [_Folder]

    _impl_class = _Kept

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        locator = self._impl.locator
        self._cache_file = _Files(locator.get_cache_path(), self._impl.filename_base, locator.get_source_stamp())

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception as error:  # unpickling what another process or version left may raise anything
            note(self._cache_path, f"holds a kernel that cannot be loaded ({_reason(error)})")
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError as error:
            note(self._cache_path, f"cannot be written ({_reason(error)})")


class _Files(IndexDataCacheFile):
    def save(self, key: Any, data: Any) -> None:
        content = dumps(data)
        super().save(key, (key, _checksum(content), content))

    def load(self, key: Any) -> Any:
        try:
            found = super().load(key)
            if found is None or found[0] != key:  # another process took the same number for another signature
                return None
            sound = found[1] == _checksum(found[2])
        except Exception:  # half a pickle, or none of ours: unpickling may raise anything
            sound = False
        if not sound:
            note(self._cache_path, "is damaged")
            return None
        return pickle.loads(found[2])

    def _load_index(self) -> dict[Any, str]:
        try:
            return dict(super()._load_index())
        except OSError as error:
            note(self._cache_path, f"cannot be read ({_reason(error)})")
        except Exception:  # as above
            note(self._cache_path, "is damaged")
            with contextlib.suppress(OSError):
                os.unlink(self._index_path)
        return {}


def _checksum(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=16).digest()


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
