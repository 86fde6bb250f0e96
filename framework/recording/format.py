"""The form of a recording, version 1: an HDF5 file (default format) with a user block of 512 bytes (see `journal`).

    /meta                             text: who made it, from which scene, with which arguments and systems
    /frames/00012/00012345/record     text: the state at the start of frame 12345 but for large arrays
    /frames/00012/00012345/flag.position.x      an array of the state, that entity's component and field

A text is 32 hexadecimal digits, a line feed and JSON; the digits are its blake2b digest. What did not change since an
earlier frame is not stored again: a record names, for each component and for some other parts, the frame that holds it,
and a component's fields name the frame and dataset of each array with the digest of its content.
"""

from __future__ import annotations

import json
import platform
from importlib import import_module, metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from framework.component import ComponentInfo
from framework.errors import RecordingError
from framework.recording.head import digest

if TYPE_CHECKING:
    from framework.world import World

VERSION = 1
BLOCK = 1000  # frames in a group of groups: HDF5 rewrites the names in a group when one is added
LARGE = 256  # bytes from which on an array is a dataset of its own
SUFFIXES = (".h5", ".hdf5")


def h5py() -> Any:
    """The library for HDF5, imported at first use; RecordingError where it is missing."""
    try:
        return import_module("h5py")
    except ImportError as error:
        raise RecordingError(f"recordings need h5py, which cannot be imported ({error}); pip install h5py") from None


def limit_cache(file: Any) -> None:
    """Keep HDF5's cache of indices at 2 MiB; by default it may grow to 32 MiB."""
    settings = file.id.get_mdc_config()
    settings.max_size = settings.initial_size = 2 * 2**20
    settings.min_size, settings.set_initial_size = 2**20, True
    file.id.set_mdc_config(settings)


def group_name(frame: int) -> str:
    return f"frames/{frame // BLOCK:05d}/{frame:08d}"


def text_bytes(value: Any) -> bytes:
    """A checked text of data in JSON's terms."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()
    return digest(text).encode() + b"\n" + text


def text_value(data: bytes) -> Any:
    """What a checked text says; ValueError when it is damaged."""
    checksum, _, text = data.partition(b"\n")
    if digest(text).encode() != checksum:
        raise ValueError("its checksum differs")
    return json.loads(text)


def schema(about: ComponentInfo, path: str) -> dict[str, Any]:
    """What is said of a component class: its path, and unit, dtype and shape of each field."""
    fields = {name: [item.unit, item.dtype, [str(s) for s in item.shape]] for name, item in about.fields.items()}
    return {"class": path, "principal": about.principal, "fields": fields}


def meta(world: World, name: str) -> dict[str, Any]:
    """What a recording says of its origin."""
    origin = world.origin
    return {
        "id": name,
        "versions": {"pliant": version(), "python": platform.python_version(),
                     **{library: metadata.version(library) for library in ("numpy", "scipy", "numba", "h5py")}},
        "machine": f"{platform.system()} {platform.machine()}",
        "scene": None if origin is None else origin.to_data(),
        "seed": world.streams.seed,
        "systems": {s: {a: d.hex() for a, d in values.items()} for s, values in world.engine.fingerprints.items()},
    }


def version() -> str:
    """pliant's version."""
    try:
        return metadata.version("pliant")
    except metadata.PackageNotFoundError:
        return "unknown"


def same_file(one: Path, other: Path) -> bool:
    """Whether two paths name one existing file."""
    try:
        return one.samefile(other)
    except OSError:
        return False
