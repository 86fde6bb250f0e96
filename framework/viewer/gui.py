"""Dear ImGui on our own OpenGL context: its draw lists by moderngl, its input from pygame events.

The backends that come with imgui-bundle need PyOpenGL and a window; this one draws into any framebuffer of a moderngl
context, so panels work, and are tested, without a display too. One Gui at a time is current: `begin` makes it so.
"""
from __future__ import annotations

import ctypes
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import moderngl
import numpy as np

from .errors import ViewerError

try:
    import imgui_bundle
    from imgui_bundle import imgui, implot
except ImportError as error:
    need = "the window's panels need imgui-bundle 1.92 or newer"
    raise ViewerError(f"{need} ({error}): pip install imgui-bundle") from None

Box = tuple[float, float, float, float]

FONT_SIZE = 15.0  # pixels at a scale of 1
_PAPER = (0.11, 0.12, 0.13)
VERTEX = """
#version 330
uniform vec4 place;
in vec2 position;
in vec2 uv;
in vec4 colour;
out vec2 at;
out vec4 tint;
void main() {
    at = uv;
    tint = colour;
    gl_Position = vec4((position - place.xy) * place.zw * 2.0 - 1.0, 0.0, 1.0);
    gl_Position.y = -gl_Position.y;
}
"""
FRAGMENT = """
#version 330
uniform sampler2D image;
in vec2 at;
in vec4 tint;
out vec4 colour;
void main() { colour = tint * texture(image, at); }
"""


class Gui:
    """An imgui context and what draws it. context: of OpenGL 3.3. scale: of texts and sizes, for dense screens."""

    def __init__(self, context: moderngl.Context, scale: float = 1.0) -> None:
        self.gl = context
        self.imgui = imgui.create_context()
        self.plots = implot.create_context()
        self._use()
        io = imgui.get_io()
        io.set_ini_filename("")  # nothing is written to the person's folder
        flags = imgui.BackendFlags_
        io.backend_flags |= flags.renderer_has_textures | flags.renderer_has_vtx_offset
        io.fonts.flags |= imgui.ImFontAtlasFlags_.no_baked_lines  # they would need blurred textures
        limit = int(context.info["GL_MAX_TEXTURE_SIZE"])
        platform = imgui.get_platform_io()
        platform.renderer_texture_max_width = platform.renderer_texture_max_height = limit
        font = Path(imgui_bundle.__file__).parent / "assets" / "fonts" / "DroidSans.ttf"
        if font.is_file():
            io.fonts.add_font_from_file_ttf(str(font), FONT_SIZE)
        self.scale = scale
        _style(scale)
        self.textures: dict[int, moderngl.Texture] = {}
        self.program = context.program(vertex_shader=VERTEX, fragment_shader=FRAGMENT)
        self._vertices = context.buffer(reserve=1 << 18, dynamic=True)
        self._indices = context.buffer(reserve=1 << 17, dynamic=True)
        self._array = self._bound()

    # -- a frame ------------------------------------------------------------------------------------------------------

    @property
    def wants_mouse(self) -> bool:
        """The mouse is over a panel or dragging one of its parts: the scene must not react."""
        self._use()
        return bool(imgui.get_io().want_capture_mouse)

    @property
    def wants_keyboard(self) -> bool:
        """A panel is being typed into."""
        self._use()
        return bool(imgui.get_io().want_text_input)

    def feed(self, event: Any) -> None:
        """Tell imgui of an event of pygame."""
        from . import gui_events

        self._use()
        gui_events.feed(event)

    def use_clipboard(self) -> None:
        """Copy to and from the system's clipboard, of which pygame knows once it has a window."""
        from . import gui_events

        self._use()
        gui_events.use_clipboard()

    def begin(self, size: tuple[float, float], seconds: float, density: float = 1.0) -> None:
        """Start a frame of a window of `size` units with `density` pixels each; `seconds` since the last one."""
        self._use()
        io = imgui.get_io()
        io.display_size = imgui.ImVec2(*size)
        io.display_framebuffer_scale = imgui.ImVec2(density, density)
        io.delta_time = max(seconds, 1e-6)
        imgui.new_frame()

    def end(self, framebuffer: moderngl.Framebuffer, solid: Iterable[Box] = ()) -> None:
        """Draw what was built since `begin` over the framebuffer, which stays in use with its viewport and scissor.

        solid: boxes (left, top, right, bottom), in the window's units, that are first filled with the paper of panels:
        clearing costs a tenth of drawing where the processor draws.
        """
        self._use()
        imgui.render()
        data = imgui.get_draw_data()
        with self.gl.scope(framebuffer, moderngl.BLEND):  # and what was enabled before is so again afterwards
            former = framebuffer.viewport, framebuffer.scissor, self.gl.wireframe
            try:
                self.gl.wireframe = False
                self._draw(data, framebuffer, solid)
            finally:
                framebuffer.viewport, framebuffer.scissor, self.gl.wireframe = former
        framebuffer.use()

    def release(self) -> None:
        """Give everything back."""
        self._use()
        for texture in imgui.get_platform_io().textures:
            if texture.ref_count == 1:
                texture.status = imgui.ImTextureStatus.want_destroy
                self._update(texture)
        owned: list[Any] = [*self.textures.values(), self._array, self._vertices, self._indices, self.program]
        for item in owned:
            item.release()
        self.textures.clear()
        implot.destroy_context(self.plots)
        imgui.destroy_context(self.imgui)

    def _use(self) -> None:
        imgui.set_current_context(self.imgui)
        implot.set_current_context(self.plots)

    # -- drawing ------------------------------------------------------------------------------------------------------

    def _bound(self) -> moderngl.VertexArray:
        return self.gl.vertex_array(
            self.program, [(self._vertices, "2f 2f 4f1", "position", "uv", "colour")], self._indices,
        )

    def _upload(self, vertices: list[np.ndarray], indices: list[np.ndarray]) -> None:
        """All draw lists into the two buffers, which grow by doubling and are orphaned in each frame."""
        sizes = sum(part.nbytes for part in vertices), sum(part.nbytes for part in indices)
        grown = sizes[0] > self._vertices.size or sizes[1] > self._indices.size
        for buffer, size, parts in ((self._vertices, sizes[0], vertices), (self._indices, sizes[1], indices)):
            buffer.orphan(max(buffer.size, 1 << (size - 1).bit_length()))
            buffer.write(np.concatenate(parts))
        if grown:
            self._array.release()
            self._array = self._bound()

    def _draw(self, data: Any, framebuffer: Any, solid: Iterable[Box]) -> None:
        for texture in imgui.get_platform_io().textures:
            if texture.status != imgui.ImTextureStatus.ok:
                self._update(texture)
        scale, (left, top) = data.framebuffer_scale, data.display_pos
        width, height = (int(a * b) for a, b in zip(data.display_size, scale, strict=True))
        if width <= 0 or height <= 0:
            return

        def scissor(x0: float, y0: float, x1: float, y1: float) -> tuple[int, int, int, int]:
            """A box in pixels, from the lower left corner, cut off at the framebuffer."""
            across = (round(max(0.0, min((x - left) * scale.x, width))) for x in (x0, x1))
            down = (round(max(0.0, min((y - top) * scale.y, height))) for y in (y0, y1))
            (a, b), (c, d) = across, down
            return a, height - d, max(b - a, 0), max(d - c, 0)

        framebuffer.viewport = (0, 0, width, height)
        framebuffer.scissor = None
        for box in solid:
            framebuffer.clear(*_PAPER, viewport=scissor(*box))
        lists, calls = _lists(data)
        if not calls:
            return
        self._upload(*lists)
        gl: Any = self.gl
        gl.blend_func = moderngl.SRC_ALPHA, moderngl.ONE_MINUS_SRC_ALPHA, moderngl.ONE, moderngl.ONE_MINUS_SRC_ALPHA
        self.program["place"] = (left, top, 1.0 / data.display_size.x, 1.0 / data.display_size.y)
        for clip, identity, first, count in calls:
            cut, image = scissor(*clip), self.textures.get(identity)
            if cut[2] and cut[3] and image is not None:
                framebuffer.scissor = cut
                image.use(0)
                self._array.render(moderngl.TRIANGLES, vertices=count, first=first)
        gl.blend_func = moderngl.DEFAULT_BLENDING

    def _update(self, texture: Any) -> None:
        """What imgui asks for its textures (it makes glyphs as they are needed)."""
        status = imgui.ImTextureStatus
        if texture.status == status.want_create:
            made = self.gl.texture((texture.width, texture.height), 4, texture.get_pixels_array().tobytes())
            made.filter = moderngl.NEAREST, moderngl.NEAREST  # glyphs stand at whole pixels; it costs less
            made.repeat_x = made.repeat_y = False
            self.textures[made.glo] = made
            texture.set_tex_id(made.glo)
            texture.status = status.ok
        elif texture.status == status.want_updates:
            pixels = texture.get_pixels_array().reshape(texture.height, texture.width, 4)
            for part in texture.updates:
                block = np.ascontiguousarray(pixels[part.y : part.y + part.h, part.x : part.x + part.w])
                self.textures[texture.tex_id].write(block, viewport=(part.x, part.y, part.w, part.h))
            texture.status = status.ok
        elif texture.status == status.want_destroy:
            gone = self.textures.pop(texture.tex_id, None)
            if gone is not None:
                gone.release()
            texture.set_tex_id(0)
            texture.status = status.destroyed


def _lists(data: Any) -> tuple[tuple[list[np.ndarray], list[np.ndarray]], list[Any]]:
    """Vertices and 32-bit indices of all draw lists, and (clip box, texture, first index, count) of what to draw."""
    vertices: list[np.ndarray] = []
    indices: list[np.ndarray] = []
    calls: list[Any] = []
    start = base = 0
    kind = np.uint16 if imgui.INDEX_SIZE == 2 else np.uint32
    for commands in data.cmd_lists:
        points, corners = commands.vtx_buffer, commands.idx_buffer
        if not points.size() or not corners.size():
            continue
        vertices.append(_copied(points.data_address(), points.size() * imgui.VERTEX_SIZE, np.dtype(np.uint8)))
        index = _copied(corners.data_address(), corners.size() * imgui.INDEX_SIZE, np.dtype(kind)).astype(np.uint32)
        for command in commands.cmd_buffer:
            first, count = command.idx_offset, command.elem_count
            if count:
                index[first : first + count] += base + command.vtx_offset
                calls.append((command.clip_rect, command.tex_ref.get_tex_id(), start + first, count))
        indices.append(index)
        start, base = start + corners.size(), base + points.size()
    return (vertices, indices), calls


def _copied(address: int, size: int, kind: np.dtype) -> np.ndarray:
    return np.frombuffer(ctypes.string_at(address, size), kind)


def _style(scale: float) -> None:
    """Quiet and dark, so that the scene stands out."""
    imgui.style_colors_dark()
    style = imgui.get_style()
    style.font_scale_dpi = scale
    style.scale_all_sizes(scale)
    style.window_rounding = style.frame_rounding = style.grab_rounding = 4.0 * scale
    style.window_border_size = 0.0
    style.item_spacing = imgui.ImVec2(6.0 * scale, 4.0 * scale)
    colours = {
        "window_bg": (*_PAPER, 0.94), "frame_bg": (0.20, 0.21, 0.23, 1.0), "header": (0.24, 0.33, 0.42, 0.8),
        "header_hovered": (0.28, 0.40, 0.52, 1.0), "button": (0.24, 0.30, 0.36, 1.0), "text": (0.92, 0.93, 0.94, 1.0),
        "title_bg_active": (0.16, 0.22, 0.28, 1.0), "slider_grab": (0.45, 0.63, 0.80, 1.0),
        "title_bg": (0.08, 0.09, 0.10, 1.0), "title_bg_collapsed": (0.08, 0.09, 0.10, 0.85),
        "plot_histogram": (0.26, 0.42, 0.58, 1.0),
    }  # fmt: skip
    for name, colour in colours.items():
        style.set_color_(getattr(imgui.Col_, name), imgui.ImVec4(*colour))
