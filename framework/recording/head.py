"""The head of a recording and its journal, as bytes on the disk."""

from __future__ import annotations

import hashlib
import json
import os
import struct
from dataclasses import dataclass

Buffer = bytes | bytearray | memoryview

HEAD = 512
MAGIC = b"pliant recording\n"
PATCH = struct.Struct("<QQ")  # a replacement in a journal: where it goes and how long it is; the bytes follow


@dataclass(frozen=True)
class Head:
    """The first 512 bytes: whose file it is, how far it is good, and whether a journal waits.

    version: of the format. end: bytes that count. journal: (offset, length, digest) or None. closed: ended on purpose.
    """

    version: int
    id: str
    end: int
    journal: tuple[int, int, str] | None = None
    closed: bool = False

    def to_bytes(self) -> bytes:
        text = json.dumps([self.version, self.id, self.end, self.journal, self.closed]).encode()
        data = MAGIC + digest(text).encode() + b"\n" + text + b"\n"
        return data.ljust(HEAD, b"\n")

    @classmethod
    def of(cls, data: bytes) -> Head | None:
        """The head that `data` holds, None when it is damaged."""
        try:
            checksum, text = data[len(MAGIC) : HEAD].split(b"\n")[:2]
            if digest(text).encode() != checksum:
                return None
            version, name, end, journal, closed = json.loads(text)
            return cls(version, name, end, None if journal is None else tuple(journal), closed)
        except (ValueError, TypeError):
            return None


def digest(data: Buffer) -> str:
    """The checksum of a recording's texts."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def patches(body: bytes) -> dict[int, bytes]:
    """The replacements that a journal holds, offset -> bytes, in order."""
    found: dict[int, bytes] = {}
    at = 0
    while at + PATCH.size <= len(body):
        offset, length = PATCH.unpack_from(body, at)
        at += PATCH.size
        found[offset] = body[at : at + length]
        at += length
    return found


def lay_over(view: memoryview, start: int, replaced: dict[int, bytes]) -> None:
    """Put the replacements into a piece of the file that begins at `start`."""
    for at, data in replaced.items():
        first, last = max(at, start), min(at + len(data), start + len(view))
        if first < last:
            view[first - start : last - start] = data[first - at : last - at]


def read_at(fd: int, length: int, at: int) -> bytes:
    """Up to `length` bytes from a place in a file."""
    if hasattr(os, "pread"):
        return os.pread(fd, length, at)
    os.lseek(fd, at, os.SEEK_SET)  # Windows
    return os.read(fd, length)


def write_all(fd: int, data: Buffer, at: int) -> None:
    """Write all of `data` to a place in a file; OSError when the disk has no room."""
    view = memoryview(data)
    while len(view):
        if hasattr(os, "pwrite"):
            done = os.pwrite(fd, view, at)
        else:  # Windows
            os.lseek(fd, at, os.SEEK_SET)
            done = os.write(fd, view)
        view, at = view[done:], at + done


def lock(fd: int, *, shared: bool = False) -> bool:
    """Lock a file until it is closed, without waiting; False where another process has it. No lock on Windows."""
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(fd, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
