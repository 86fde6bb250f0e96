"""Texts and legends over the picture in a window: small textures, kept while what they show stays the same."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import moderngl
import numpy as np

from .shaders import HEAD
from .text import coverage

VERTEX = HEAD + """
uniform vec4 box;   // left, top, right, bottom in clip coordinates
out vec2 at;
void main() {
    at = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    gl_Position = vec4(mix(box.xy, box.zw, at), 0.0, 1.0);
}
"""
FRAGMENT = HEAD + """
uniform sampler2D picture;
in vec2 at;
out vec4 pixel;
void main() { pixel = texture(picture, at); }
"""
Box = tuple[int, int, int, int]
PAPER, INK = np.array([0.10, 0.12, 0.16]), np.array([0.95, 0.96, 0.98])


class Overlay:
    """Draws RGBA images (h, w, 4) uint8, premultiplied, at pixels of a framebuffer. One texture a name is kept."""

    def __init__(self, context: moderngl.Context) -> None:
        self.context = context
        self.program = context.program(vertex_shader=VERTEX, fragment_shader=FRAGMENT)
        self.quad = context.vertex_array(self.program, [])
        self.textures: dict[str, tuple[Any, moderngl.Texture]] = {}

    def draw(self, name: str, key: Any, make: Any, area: Box, place: str, edge: int, size: tuple[int, int]) -> None:
        """Draw what `make()` returns, made anew only when `key` differs from the last time.

        place: "top left" ..., "middle" of an area (left, top, width, height) of a framebuffer of `size` pixels.
        """
        known = self.textures.get(name)
        if known is None or known[0] != key:
            image = np.ascontiguousarray(make())
            if known is not None:
                known[1].release()
            texture = self.context.texture((image.shape[1], image.shape[0]), 4, image.tobytes())
            texture.filter = (moderngl.NEAREST, moderngl.NEAREST)
            known = self.textures[name] = key, texture
        texture = known[1]
        x, y, width, height = area
        left = x + edge if "left" in place else x + width - edge - texture.width
        top = y + edge if "top" in place else y + height - edge - texture.height
        if place == "middle":
            left, top = x + (width - texture.width) // 2, y + (height - texture.height) // 2
        self.context.enable(moderngl.BLEND)
        self.context.blend_func = moderngl.ONE, moderngl.ONE_MINUS_SRC_ALPHA
        self._quad(texture, (left, top, texture.width, texture.height), size)
        self.context.disable(moderngl.BLEND)

    def copy(self, texture: moderngl.Texture, area: Box, size: tuple[int, int]) -> None:
        """Draw a framebuffer's texture, whose first row is the lowest."""
        left, top, width, height = area
        self.context.disable(moderngl.BLEND)
        self._quad(texture, (left, top + height, width, -height), size)

    def _quad(self, texture: moderngl.Texture, area: Box, size: tuple[int, int]) -> None:
        left, top, width, height = area
        across, down = 2.0 / size[0], 2.0 / size[1]
        right, bottom = left + width, top + height
        self.program["box"] = across * left - 1, 1 - down * top, across * right - 1, 1 - down * bottom
        self.context.disable(moderngl.DEPTH_TEST | moderngl.CULL_FACE)
        texture.use(0)
        self.quad.render(moderngl.TRIANGLE_STRIP, vertices=4)

    def release(self) -> None:
        for _, texture in self.textures.values():
            texture.release()
        self.textures.clear()
        self.quad.release()
        self.program.release()


def box_of(lines: Sequence[str], scale: float, columns: int = 1) -> np.ndarray:
    """Light text on a dark, translucent box; a tab in a line starts its second column."""
    size, pad = round(20 * scale), round(10 * scale)
    cells = [[coverage(cell, size) for cell in line.split("\t")] for line in lines]
    first = max((row[0].shape[1] for row in cells), default=0) + (round(18 * scale) if columns > 1 else 0)
    second = max((row[1].shape[1] for row in cells if len(row) > 1), default=0)
    step = round(1.35 * size)
    cover = np.zeros((step * len(cells) + 2 * pad, first + second + 2 * pad), dtype=np.float32)
    for k, row in enumerate(cells):
        for left, cell in zip((0, first), row, strict=False):
            part = cover[pad + k * step : pad + k * step + cell.shape[0], pad + left : pad + left + cell.shape[1]]
            part[...] = cell[: part.shape[0], : part.shape[1]]
    alpha = np.maximum(0.82, cover)[..., None]
    colour = PAPER * (alpha - cover[..., None]) + INK * cover[..., None]
    return (255.0 * np.concatenate([colour, alpha], axis=-1) + 0.5).astype(np.uint8)
