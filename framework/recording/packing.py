"""Plain data as JSON and back, exactly: what state holds besides its large arrays.

JSON's own kinds stand for themselves; all else is an object of one key, which says what it is: a tuple, an array, a
dataclass by the path of its class. Nothing in a file is ever executed: classes and functions are looked up by name
among what is already imported and pliant's own packages, and of classes only dataclasses and enums are made.
"""

from __future__ import annotations

import base64
import dataclasses
import enum
import importlib
import inspect
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from framework.encoding import main_module, module_of
from framework.errors import RecordingError, suggest

OWN = ("framework", "components", "systems", "demos")
Find = Callable[[str], Any]


def pack(value: Any) -> Any:
    """`value` in JSON's terms; TypeError with a reason for what cannot be stored."""
    if value is None or (isinstance(value, (bool, str)) and not isinstance(value, enum.Enum)):
        return value
    if isinstance(value, enum.Enum):
        return {"enum": [path_of(type(value)), value.name]}
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        return float(value)
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, list):
        return [pack(item) for item in value]
    if isinstance(value, tuple):
        return {"tuple": [pack(item) for item in value]}
    if isinstance(value, dict):
        return {"dict": [[pack(key), pack(item)] for key, item in value.items()]}
    if isinstance(value, np.ndarray) and value.dtype.kind in "biufcUS":
        data = base64.b64encode(np.ascontiguousarray(value).tobytes()).decode()
        return {"array": [value.dtype.str, list(value.shape), data]}
    return _pack_rare(value)


def _pack_rare(value: Any) -> Any:
    if isinstance(value, bytes):
        return {"bytes": value.hex()}
    if isinstance(value, (set, frozenset)):
        return {type(value).__name__: [pack(item) for item in sorted(value, key=str)]}
    if value is Ellipsis:
        return {"ellipsis": None}
    if isinstance(value, type):
        return {"class": path_of(value)}
    if dataclasses.is_dataclass(value):
        fields = {item.name: pack(getattr(value, item.name)) for item in dataclasses.fields(value)}
        return {"object": [path_of(type(value)), fields]}
    if isinstance(value, partial):
        return {"partial": [pack(value.func), pack(value.args), pack(value.keywords)]}
    if callable(value) and hasattr(value, "__qualname__"):
        return {"function": path_of(value)}
    raise TypeError(f"{type(value).__name__} is no plain data")


def unpack(value: Any, find: Find) -> Any:
    """What `pack` was given. find: gives the class or function of a path; RecordingError for one that is unknown."""
    if isinstance(value, list):
        return [unpack(item, find) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) != 1:
        raise ValueError("an object of one key was expected")
    ((kind, content),) = value.items()
    if kind == "tuple":
        return tuple([unpack(item, find) for item in content])
    if kind == "dict":
        return {unpack(key, find): unpack(item, find) for key, item in content}
    if kind == "array":
        return unpack_array(content)
    if kind == "bytes":
        return bytes.fromhex(content)
    if kind in ("set", "frozenset"):
        return {"set": set, "frozenset": frozenset}[kind](unpack(item, find) for item in content)
    if kind == "ellipsis":
        return ...
    if kind == "partial":
        function, arguments, named = (unpack(item, find) for item in content)
        return partial(function, *arguments, **named)
    if kind == "enum":
        return _class(content[0], find, enum.Enum)[content[1]]
    if kind == "object":
        return _unpack_object(content, find)
    if kind in ("class", "function"):
        return find(content)
    raise ValueError(f"{kind!r} is no kind of data")


def unpack_array(content: Any) -> np.ndarray:
    """A read-only array from [dtype, shape, base64]."""
    kind, shape, data = content
    if np.dtype(kind).kind not in "biufcUS":
        raise ValueError(f"arrays of {kind} cannot be read")
    return np.frombuffer(base64.b64decode(data), kind).reshape(shape)


def _unpack_object(content: Any, find: Find) -> Any:
    path, values = content
    cls = _class(path, find)
    names = {item.name for item in dataclasses.fields(cls)}
    if names != set(values):
        strange = sorted(names ^ set(values))
        raise RecordingError(f"the fields of {path} are not those of the recording: {', '.join(strange)} differ")
    made = object.__new__(cls)  # as it was: its checks ran when it was made first
    for name, packed in values.items():
        object.__setattr__(made, name, unpack(packed, find))
    return made


def _class(path: str, find: Find, base: type | None = None) -> Any:
    cls = find(path)
    if not isinstance(cls, type) or not (issubclass(cls, base) if base else dataclasses.is_dataclass(cls)):
        raise RecordingError(f"{path} is no {'enum' if base else 'dataclass'}")
    return cls


def path_of(thing: Any) -> str:
    """'module:name' of a class or function; TypeError when it cannot be found again by it (lambdas)."""
    function = getattr(thing, "py_func", thing)
    name = getattr(function, "__qualname__", getattr(function, "__name__", ""))
    if inspect.ismethod(thing) or "<" in name or not name or not getattr(function, "__module__", None):
        kind = "class" if isinstance(thing, type) else "function"
        raise TypeError(f"the {kind} {name or thing!r} has no importable name: define it in a module, by def or class")
    return f"{module_of(function)}:{name}"


def find(path: str) -> Any:
    """The class or function of 'module:name', in a module that is imported already or is pliant's own."""
    module_name, _, name = path.partition(":")
    if module_name in sys.modules:
        module: Any = sys.modules[module_name]
    elif module_name == main_module():
        module = sys.modules["__main__"]
    elif module_name.partition(".")[0] in OWN:
        try:
            module = importlib.import_module(module_name)
        except ImportError:
            raise RecordingError(f"{path} is needed, and this pliant has no module {module_name}") from None
    else:
        raise RecordingError(f"{path} is needed, and nothing has imported the module {module_name}: import it in the "
                             "scene")
    found = module
    for part in name.split("."):
        if not hasattr(found, part):
            raise RecordingError(f"{path} is needed, and {module_name} has no {part!r}{suggest(part, vars(module))}")
        found = getattr(found, part)
    return found
