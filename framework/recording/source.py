"""The bytes of a recording, for h5py to read."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

from framework.recording.head import HEAD, MAGIC, Head, digest, lay_over, lock, patches, read_at


class ReadOnly(io.RawIOBase):
    """A recording for h5py to read: the committed bytes, under a journal that a killed run left.

    head: None where it is damaged; then the whole file is read as it is.
    """

    def __init__(self, path: Path) -> None:
        self._fd = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        self._position = 0
        self._patches: dict[int, bytes] = {}
        data = read_at(self._fd, HEAD, 0)
        self.ours = data.startswith(MAGIC)
        self.head = Head.of(data) if self.ours else None
        self.size = os.fstat(self._fd).st_size
        self.end = self.size if self.head is None else self.head.end
        self.mended = False
        if self.head is not None and self.head.journal is not None:
            offset, length, checksum = self.head.journal
            body = read_at(self._fd, length, offset) if offset >= 0 and 0 < length <= self.size else b""
            if digest(body) == checksum:
                self._patches, self.mended = patches(body), True

    @property
    def live(self) -> bool:
        """Whether another process is writing the file now."""
        return not lock(self._fd, shared=True)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        self._position = offset + (0, self._position, self.end)[whence]
        return self._position

    def tell(self) -> int:
        return self._position

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer).cast("B")
        view = view[: max(0, self.end - self._position)]
        data = read_at(self._fd, len(view), self._position)
        view[: len(data)] = data
        view[len(data) :] = bytes(len(view) - len(data))  # of a file that is cut short
        lay_over(view, self._position, self._patches)
        self._position += len(view)
        return len(view)

    def close(self) -> None:
        if not self.closed:
            os.close(self._fd)
        super().close()
