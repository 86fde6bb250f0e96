"""What is in a recording's HDF5 file, checked as it is read: texts and arrays."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from framework.encoding import encode
from framework.recording import format as form
from framework.recording.source import ReadOnly

ARRAYS = 128 * 2**20  # bytes of arrays that stay in memory


class Contents:
    """Texts and arrays by name. Anything may be raised for a damaged file; ValueError for a checksum that differs."""

    def __init__(self, source: ReadOnly) -> None:
        self._size = source.size
        self._file = form.h5py().File(source, "r")
        self._arrays: dict[tuple[int, str], np.ndarray] = {}
        form.limit_cache(self._file)

    def frames(self) -> list[int]:
        """The numbers of all frames, in order."""
        return sorted(int(name) for block in self._file["frames"].values() for name in block)

    def text(self, name: str) -> Any:
        """What a checked text says."""
        return form.text_value(self._read(name).tobytes())

    def kept_array(self, frame: int, dataset: str, checksum: str) -> np.ndarray:
        """An array of an earlier frame than the one that is read; later ones will want it too."""
        key = frame, dataset
        if key not in self._arrays:
            if sum(array.nbytes for array in self._arrays.values()) > ARRAYS:
                self._arrays.clear()
            self._arrays[key] = self.array(frame, dataset, checksum)
        return self._arrays[key]

    def array(self, frame: int, dataset: str, checksum: str) -> np.ndarray:
        """An array of the state, read-only."""
        value = self._read(f"{form.group_name(frame)}/{dataset}")
        found = hashlib.blake2b(digest_size=16)
        encode(value, found.update)
        if found.hexdigest() != checksum:
            raise ValueError("its checksum differs")
        value.flags.writeable = False
        return value

    def _read(self, name: str) -> np.ndarray:
        """A dataset. Sizes are compared before anything is allocated."""
        data = self._file[name]
        if data.dtype.kind not in "biufcSU" or data.chunks is not None or data.nbytes > self._size:
            raise ValueError("it is no array of this file")
        if data.nbytes and data.id.get_storage_size() != data.nbytes:
            raise ValueError("its size differs")
        array: np.ndarray = data[()]
        return array

    def close(self) -> None:
        self._file.close()
