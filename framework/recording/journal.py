"""The file under a recording: HDF5 writes into memory, and a frame reaches the disk as a whole or not at all.

HDF5 rewrites its indices in place. A process killed in the middle of that can leave a file in which finished frames
cannot be read. Measured with plain h5py and one flush a frame: 200 frames are 3497 writes, and a kill after 1024 of
them loses finished frames; 40 real kills met none, since the writes of a flush take some 0.1 ms. `libver="latest"`
lost all frames in 40 of 40 kills, SWMR allows no new groups, and a file for each frame is no recording to hand on.

So HDF5 works on this file object. It keeps in memory what HDF5 writes between two commits: what lies beyond the
committed end (the frame's arrays), and what replaces committed bytes (indices, some kB). `commit` writes, in order,

1. the new bytes beyond the committed end, which no index names yet;
2. behind them the journal: all replacements, with a digest;
3. the head of the file (512 bytes, HDF5's user block, one write): the new end, and where the journal is;
4. the replacements in place;
5. the head again, without a journal.

Killed before 3, the file is that of the last commit; killed after 3, the journal holds what is missing, and readers lay
it over the file. The file is plain HDF5 in between and at the end, for any reader. A disk that is full stops at 1 or 2.

*Limitations.* This is about the death of the process: what it has written, the system keeps. Against a loss of power,
`sync=True` waits for the disk at 3 and 5 (milliseconds a frame).
"""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

from framework.errors import RecordingError
from framework.recording.head import HEAD, MAGIC, PATCH, Head, digest, lay_over, lock, patches, read_at, write_all


class Journaled(io.RawIOBase):
    """A new file for h5py to write to; on the disk it changes by `commit` alone."""

    def __init__(self, path: Path, version: int, name: str, *, sync: bool = False) -> None:
        self.path, self._sync = path, sync
        self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o644)
        lock(self._fd)
        self._head = Head(version, name, 0)
        self._waiting, self.released = False, False  # waiting: the journal on the disk is not carried out yet
        self._own = os.fstat(self._fd)
        self._position = 0
        self._tail, self._used = bytearray(), 0  # what lies beyond the committed end, and how much of it counts
        self._patches: dict[int, bytes] = {}  # what replaces committed bytes, in the order it was written
        try:
            write_all(self._fd, self._head.to_bytes(), 0)
        except OSError:
            self.finish(closed=False)
            path.unlink(missing_ok=True)
            raise

    # -- what h5py calls ----------------------------------------------------------------------------------------------

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        size = self._head.end + self._used
        self._position = offset + (0, self._position, size)[whence]
        return self._position

    def tell(self) -> int:
        return self._position

    def write(self, data: Any) -> int:
        view, start, end = memoryview(data), self._position, self._head.end
        self._position += len(view)
        inside = max(0, min(len(view), end - start))
        if inside:
            self._patches.pop(start, None)  # the newest stands last
            self._patches[start] = bytes(view[:inside])
        if inside < len(view):
            first, last = start + inside - end, start + len(view) - end
            self._grow(first, last)
            self._tail[first:last] = view[inside:]
        return len(view)

    def readinto(self, buffer: Any) -> int:
        view, start, end = memoryview(buffer).cast("B"), self._position, self._head.end
        inside = max(0, min(len(view), end - start))
        if inside:
            view[:inside] = read_at(self._fd, inside, start)
            lay_over(view[:inside], start, self._patches)
        if inside < len(view):
            first = start + inside - end
            rest = self._tail[first : min(first + len(view) - inside, self._used)]
            view[inside : inside + len(rest)] = rest
            inside += len(rest)
        self._position += inside
        return inside

    def truncate(self, size: int | None = None) -> int:
        size = self._position if size is None else size
        used = max(0, size - self._head.end)  # a file longer than HDF5 needs is fine
        self._grow(used, used)
        self._used = used
        return size

    def _grow(self, first: int, used: int) -> None:
        """Let `used` bytes of the tail count; what lies before `first` and was never written is zero."""
        if used > len(self._tail):
            self._tail += bytes(max(used, 2 * len(self._tail)) - len(self._tail))
        if first > self._used:
            self._tail[self._used : first] = bytes(first - self._used)
        self._used = max(self._used, used)

    # -- what the recording calls -------------------------------------------------------------------------------------

    def commit(self) -> None:
        """Bring what was written since the last commit to the disk, all of it or (OSError) nothing."""
        self._check_still_there()
        old, end = self._head, self._head.end + self._used
        journal = b"".join(PATCH.pack(at, len(data)) + data for at, data in self._patches.items())
        own = HEAD if old.end == 0 else 0  # HDF5 leaves its user block empty: the head is ours
        write_all(self._fd, memoryview(self._tail)[own : self._used], old.end + own)
        write_all(self._fd, journal, end)
        done = Head(old.version, old.id, end)
        if journal:
            self._waiting = True
            self._put(Head(old.version, old.id, end, (end, len(journal), digest(journal))))
            for at, data in self._patches.items():
                write_all(self._fd, data, at)
        self._put(done)
        self._head, self._waiting, self._used = done, False, 0
        self._patches.clear()

    def finish(self, *, closed: bool) -> None:
        """Cut off what does not count and release the file. closed: the recording is whole."""
        head, self.released = self._head, True
        try:
            if closed:
                self._put(Head(head.version, head.id, head.end, None, True))
            if not self._waiting:
                os.ftruncate(self._fd, head.end)
        finally:
            os.close(self._fd)

    def close(self) -> None:
        if not self.released and not self.closed:
            self.finish(closed=False)
        super().close()

    def _put(self, head: Head) -> None:
        if self._sync:
            os.fsync(self._fd)
        write_all(self._fd, head.to_bytes(), 0)
        if self._sync:
            os.fsync(self._fd)

    def _check_still_there(self) -> None:
        try:
            now = os.stat(self.path)
        except OSError:
            now = None
        if now is None or (now.st_dev, now.st_ino) != (self._own.st_dev, self._own.st_ino):
            raise RecordingError(f"{self.path}: the file was {'deleted' if now is None else 'replaced'} by another "
                                 "program while it was being written")


def mend(path: Path) -> bool:
    """Carry out the journal that a killed run left in its file; False where there is none or it cannot be written."""
    try:
        fd = os.open(path, os.O_RDWR | getattr(os, "O_BINARY", 0))
    except OSError:
        return False
    try:
        if not lock(fd):
            return False
        data = read_at(fd, HEAD, 0)
        head = Head.of(data) if data.startswith(MAGIC) else None
        if head is None or head.journal is None:
            return False
        offset, length, checksum = head.journal
        body = read_at(fd, length, offset) if 0 < length <= os.fstat(fd).st_size else b""
        if digest(body) != checksum:
            return False
        for at, data in patches(body).items():
            write_all(fd, data, at)
        write_all(fd, Head(head.version, head.id, head.end).to_bytes(), 0)
        return True
    except OSError:
        return False
    finally:
        os.close(fd)
