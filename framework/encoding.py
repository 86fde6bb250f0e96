"""A canonical byte form of plain data, for state hashes and for the fingerprints of systems."""

from __future__ import annotations

import dataclasses
import enum
import struct
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType
from typing import Any

import numpy as np

Sink = Callable[[Any], Any]  # takes bytes or a buffer


def encode(value: Any, sink: Sink) -> None:
    """Feed `value` to `sink` in an order and form that depend on its content alone; TypeError for no plain data."""
    if value is None or value is Ellipsis:
        sink(b"N")
    elif isinstance(value, (bool, np.bool_)):
        sink(b"T" if value else b"F")
    elif isinstance(value, enum.Enum):
        sink(f"E{type(value).__qualname__}.{value.name}".encode())
    elif isinstance(value, (int, np.integer)):
        text = str(int(value)).encode()
        sink(b"I%d:" % len(text) + text)
    elif isinstance(value, (float, np.floating)):
        sink(b"D" + struct.pack("<d", float(value)))
    elif isinstance(value, str):
        text = value.encode()
        sink(b"S%d:" % len(text) + text)
    elif isinstance(value, bytes):
        sink(b"B%d:" % len(value) + value)
    elif isinstance(value, np.ndarray) and value.dtype.kind in "biufcUS":
        sink(f"A{value.dtype.str}{value.shape}".encode())
        sink(np.ascontiguousarray(value).data if value.size else b"")
    else:
        _encode_container(value, sink)


def module_of(thing: Any) -> str:
    """The name of the module of a class or function; of a script's own, the name that others import it by."""
    return main_module() if thing.__module__ == "__main__" else str(thing.__module__)


def main_module() -> str:
    """The name by which others would import the script that runs."""
    main = sys.modules["__main__"]
    spec, file = getattr(main, "__spec__", None), getattr(main, "__file__", None)
    return str(spec.name) if spec is not None else Path(file).stem if file else "__main__"


def _encode_container(value: Any, sink: Sink) -> None:
    if isinstance(value, (list, tuple)):
        sink(b"L%d:" % len(value))
        for item in value:
            encode(item, sink)
    elif isinstance(value, dict):
        sink(b"M%d:" % len(value))
        for key in sorted(value, key=lambda k: (type(k).__name__, str(k))):
            encode(key, sink)
            encode(value[key], sink)
    elif isinstance(value, (set, frozenset)):
        encode(sorted(value, key=str), sink)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        sink(f"O{module_of(type(value))}.{type(value).__qualname__}".encode())
        for item in dataclasses.fields(value):
            encode(getattr(value, item.name), sink)
    elif isinstance(value, type):
        sink(f"C{module_of(value)}.{value.__qualname__}".encode())
    elif isinstance(value, (BuiltinFunctionType, np.ufunc)):
        sink(f"F{value.__name__}".encode())
    elif isinstance(value, (FunctionType, partial)) or hasattr(value, "py_func"):
        _encode_function(value, sink)
    else:
        raise TypeError(f"{type(value).__name__} is no plain data")


def _encode_function(value: Any, sink: Sink) -> None:
    if isinstance(value, partial):
        sink(b"P")
        for item in (value.func, value.args, value.keywords):
            encode(item, sink)
        return
    function = getattr(value, "py_func", value)
    sink(f"F{module_of(function)}.{function.__qualname__}".encode())
    _encode_code(function.__code__, sink)
    encode((function.__defaults__, function.__kwdefaults__), sink)
    for cell in function.__closure__ or ():  # a closure may hold state: it counts
        if cell.cell_contents is not function:
            encode(cell.cell_contents, sink)


def _encode_code(code: CodeType, sink: Sink) -> None:
    """What a function does: two lambdas of one scope differ by nothing else."""
    sink(code.co_code)
    encode(code.co_names, sink)
    for constant in code.co_consts:
        _encode_code(constant, sink) if isinstance(constant, CodeType) else encode(constant, sink)
