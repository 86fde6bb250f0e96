"""Dear ImGui on our own OpenGL context: its draw lists by moderngl, its input from pygame events.

The backends that come with imgui-bundle need PyOpenGL and a window; this one draws into any framebuffer of a moderngl
context, so panels work, and are tested, without a display too. One Gui at a time is current: `begin` makes it so.
"""
from __future__ import annotations

import ctypes
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

FONT_SIZE = 15.0  # pixels at a scale of 1
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
    """An imgui context and what draws it. size: of the window, in the units of its mouse events."""

    def __init__(self, context: moderngl.Context, scale: float = 1.0) -> None:
        self.gl = context
        self.imgui = imgui.create_context()
        self.plots = implot.create_context()
        self._use()
        io = imgui.get_io()
        io.set_ini_filename("")  # nothing is written to the person's folder
        io.backend_flags |= imgui.BackendFlags_.renderer_has_textures
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
        self._vertices = context.buffer(reserve=1 << 16, dynamic=True)
        self._indices = context.buffer(reserve=1 << 15, dynamic=True)
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

    def begin(self, size: tuple[float, float], seconds: float, density: float = 1.0) -> None:
        """Start a frame of a window of `size` units with `density` pixels each; `seconds` since the last one."""
        self._use()
        io = imgui.get_io()
        io.display_size = imgui.ImVec2(*size)
        io.display_framebuffer_scale = imgui.ImVec2(density, density)
        io.delta_time = max(seconds, 1e-6)
        imgui.new_frame()

    def end(self, framebuffer: moderngl.Framebuffer) -> None:
        """Draw what was built since `begin` over the framebuffer."""
        self._use()
        imgui.render()
        self._draw(imgui.get_draw_data(), framebuffer)

    def release(self) -> None:
        """Give everything back."""
        self._use()
        for texture in imgui.get_platform_io().textures:
            if texture.ref_count == 1:
                texture.status = imgui.ImTextureStatus.want_destroy
                self._update(texture)
        owned: tuple[Any, ...] = (*self.textures.values(), self._array, self._vertices, self._indices, self.program)
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
            index_element_size=imgui.INDEX_SIZE,
        )

    def _room(self, vertices: int, indices: int) -> None:
        """Buffers large enough; they grow by doubling and are orphaned in each frame, never made anew."""
        if vertices > self._vertices.size or indices > self._indices.size:
            self._array.release()
            self._vertices.orphan(max(self._vertices.size, 1 << (vertices - 1).bit_length()))
            self._indices.orphan(max(self._indices.size, 1 << (indices - 1).bit_length()))
            self._array = self._bound()

    def _draw(self, data: Any, framebuffer: moderngl.Framebuffer) -> None:
        for texture in imgui.get_platform_io().textures:
            if texture.status != imgui.ImTextureStatus.ok:
                self._update(texture)
        width, height = (int(a * b) for a, b in zip(data.display_size, data.framebuffer_scale, strict=True))
        if width <= 0 or height <= 0 or not data.cmd_lists:
            return
        gl, (left, top) = self.gl, data.display_pos
        framebuffer.use()
        framebuffer.viewport = (0, 0, width, height)
        gl.enable_only(moderngl.BLEND)
        gl.blend_func = moderngl.SRC_ALPHA, moderngl.ONE_MINUS_SRC_ALPHA
        gl.wireframe = False
        self.program["place"] = (left, top, 1.0 / data.display_size.x, 1.0 / data.display_size.y)
        scale = data.framebuffer_scale
        for commands in data.cmd_lists:
            vertices = _bytes(commands.vtx_buffer, imgui.VERTEX_SIZE)
            indices = _bytes(commands.idx_buffer, imgui.INDEX_SIZE)
            if not vertices or not indices:
                continue
            self._room(len(vertices), len(indices))
            self._vertices.orphan()
            self._indices.orphan()
            self._vertices.write(vertices)
            self._indices.write(indices)
            for command in commands.cmd_buffer:
                x0, y0, x1, y1 = command.clip_rect
                x0, x1 = (int(max(0.0, min((x - left) * scale.x, width))) for x in (x0, x1))
                y0, y1 = (int(max(0.0, min((y - top) * scale.y, height))) for y in (y0, y1))
                image = self.textures.get(command.tex_ref.get_tex_id())
                if x1 <= x0 or y1 <= y0 or command.elem_count == 0 or image is None:
                    continue
                framebuffer.scissor = (x0, height - y1, x1 - x0, y1 - y0)
                image.use(0)
                self._array.render(moderngl.TRIANGLES, vertices=command.elem_count, first=command.idx_offset)
        framebuffer.scissor = (0, 0, width, height)
        gl.disable(moderngl.BLEND)

    def _update(self, texture: Any) -> None:
        """What imgui asks for its textures (it makes glyphs as they are needed)."""
        status = imgui.ImTextureStatus
        if texture.status == status.want_create:
            made = self.gl.texture((texture.width, texture.height), 4, texture.get_pixels_array().tobytes())
            made.filter = moderngl.LINEAR, moderngl.LINEAR
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


def _bytes(buffer: Any, item: int) -> bytes:
    return ctypes.string_at(buffer.data_address(), buffer.size() * item) if buffer.size() else b""


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
        "window_bg": (0.11, 0.12, 0.13, 0.94), "frame_bg": (0.20, 0.21, 0.23, 1.0), "header": (0.24, 0.33, 0.42, 0.8),
        "header_hovered": (0.28, 0.40, 0.52, 1.0), "button": (0.24, 0.30, 0.36, 1.0), "text": (0.92, 0.93, 0.94, 1.0),
        "title_bg_active": (0.16, 0.22, 0.28, 1.0), "slider_grab": (0.45, 0.63, 0.80, 1.0),
    }  # fmt: skip
    for name, colour in colours.items():
        style.set_color_(getattr(imgui.Col_, name), imgui.ImVec4(*colour))
