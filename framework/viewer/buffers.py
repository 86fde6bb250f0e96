"""Vertex buffers that are kept from frame to frame and written in place: nothing is created while sizes stay."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import moderngl
import numpy as np

SPARE = 8  # buffers that are kept for a frame that needs more than the last
UNUSED = 120  # frames after which what nobody draws any more is released


@dataclass(slots=True)
class Slot:
    """One buffer of vertices or instances, and what was made with it: vertex arrays by program and indices."""

    buffer: moderngl.Buffer
    size: int
    arrays: dict[Any, tuple[moderngl.VertexArray, tuple]] = field(default_factory=dict)


@dataclass(slots=True)
class Elements:
    """The indices of a mesh as they were uploaded last, (e, k) int32, and for a surface its edges when asked for."""

    rows: np.ndarray
    buffer: moderngl.Buffer
    last: int = 0


class Pool:
    """The buffers of a frame, in the order in which they are asked for; `begin` starts the next frame."""

    def __init__(self, context: moderngl.Context):
        self._context = context
        self._slots: list[Slot] = []
        self._elements: dict[tuple, Elements] = {}
        self._used = self._frame = 0

    def begin(self) -> None:
        del self._slots[self._used + SPARE:]
        self._used = 0
        self._frame += 1
        if self._frame % UNUSED == 0:
            self._elements = {key: kept for key, kept in self._elements.items() if self._frame - kept.last < UNUSED}

    def vertices(self, data: np.ndarray) -> Slot:
        """A buffer that holds `data`, float32."""
        size = data.nbytes
        if self._used == len(self._slots):
            self._slots.append(Slot(self._context.buffer(reserve=size, dynamic=True), size))
        slot = self._slots[self._used]
        if slot.size < size or slot.size > 4 * size + 4096:
            slot = self._slots[self._used] = Slot(self._context.buffer(reserve=size, dynamic=True), size)
        else:
            slot.buffer.orphan()
        slot.buffer.write(data)
        self._used += 1
        return slot

    def elements(self, rows: np.ndarray) -> Elements:
        """A buffer of the indices `rows` (e, k) int32; the same one as long as they stay the same."""
        key = rows.shape, hash(rows.tobytes())
        kept = self._elements.get(key)
        if kept is None or not np.array_equal(kept.rows, rows):
            own = np.array(rows, dtype=np.int32, order="C")
            kept = self._elements[key] = Elements(own, self._context.buffer(own))
        kept.last = self._frame
        return kept

    def array(self, slot: Slot, program: moderngl.Program, layout: tuple, elements: Elements | None = None,
              also: tuple = ()) -> moderngl.VertexArray:
        """The vertex array of a buffer with a `layout` (format, name, ...); `also`: (buffer, format, name, ...)."""
        index = None if elements is None else elements.buffer
        key = program.glo, layout[0], 0 if index is None else index.glo, also[0].glo if also else 0
        others = index, also[0] if also else None
        made = slot.arrays.get(key)
        if made is None or made[1] != others:  # OpenGL gives a released buffer's number to another
            if len(slot.arrays) > 8:  # meshes that change all the time
                slot.arrays.clear()
            content = [(slot.buffer, *layout)] + ([also] if also else [])
            made = slot.arrays[key] = self._context.vertex_array(program, content, index), others
        return made[0]
