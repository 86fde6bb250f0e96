"""What a window draws on: its OpenGL context, or a plain surface where there is none. Both have the same methods."""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from . import legend, painter
from .errors import ViewerError
from .scene import Scene
from .text import load_pygame

if TYPE_CHECKING:
    import moderngl

Texts = Mapping[str, tuple[Sequence[str], int]]  # where ("top left" ...) -> lines, columns
SMALLEST = 64
PAINTER_SIZE = (960, 540)  # the painter takes its time for each pixel


class Screen:
    """A window with OpenGL 3.3. size: in the units of mouse events; pixels: of its framebuffer (high-DPI: more)."""

    def __init__(self, size: tuple[int, int], title: str) -> None:
        from .opengl import Renderer
        from .overlay import Overlay

        self.pygame = pygame = _display(title)
        attributes = {"GL_CONTEXT_MAJOR_VERSION": 3, "GL_CONTEXT_MINOR_VERSION": 3, "GL_DOUBLEBUFFER": 1,
                      "GL_CONTEXT_PROFILE_MASK": pygame.GL_CONTEXT_PROFILE_CORE, "GL_MULTISAMPLEBUFFERS": 0,
                      "GL_CONTEXT_FLAGS": pygame.GL_CONTEXT_FORWARD_COMPATIBLE_FLAG}
        for name, value in attributes.items():
            pygame.display.gl_set_attribute(getattr(pygame, name), value)
        flags = pygame.OPENGL | pygame.DOUBLEBUF | pygame.RESIZABLE
        try:
            pygame.display.set_mode(size, flags, vsync=1)
        except pygame.error:
            pygame.display.set_mode(size, flags)
        self.context = _context()
        self.renderer = Renderer(self.context)
        self.overlay = Overlay(self.context)
        self.ratio = _sensible(self.context.screen.width / max(pygame.display.get_window_size()[0], 1))
        self.name = self.renderer.name
        self.resize()

    @property
    def size(self) -> tuple[int, int]:
        width, height = self.pygame.display.get_window_size()
        return max(width, SMALLEST), max(height, SMALLEST)

    @property
    def pixels(self) -> tuple[int, int]:
        width, height = self.size
        return round(self.ratio * width), round(self.ratio * height)

    def resize(self) -> None:
        """Follow the window's size."""
        target: Any = self.context.detect_framebuffer(0)
        target.viewport = target.scissor = (0, 0, *self.pixels)
        self.target = target

    def draw(self, scene: Scene, texts: Texts, panels: Callable[[], None] | None = None) -> None:
        """Scene, panels and texts onto the window; `flip` shows it."""
        self.renderer.show(scene, *self.pixels, self.target)
        self.target.viewport = (0, 0, *self.pixels)
        scale = max(self.pixels[1] / 720.0, 0.7)
        from .overlay import box, legends

        if scene.legends:
            key = [(item.label, item.unit, f"{item.low:.3g}", f"{item.high:.3g}", np.asarray(item.stops).tobytes())
                   for item in scene.legends]
            self._put("legends", (key, self.pixels), lambda: legends(scene, self.pixels), -1, 24 * scale)
        if panels is not None:
            panels()
            self.target.use()
        for place, (lines, columns) in texts.items():
            x = 16 * scale if "left" in place else -16 * scale
            y = 16 * scale if "top" in place else -16 * scale
            if place == "middle":
                x = y = 60 * scale
            self._put(place, (tuple(lines), scale), partial(box, lines, scale, columns), x, y)

    def _put(self, name: str, key: Any, make: Callable[[], np.ndarray], x: float, y: float) -> None:
        self.overlay.draw(name, key, make, round(x), round(y), self.pixels)

    def picture(self) -> np.ndarray:
        """What the window shows, (h, w, 3) uint8."""
        width, height = self.pixels
        data = self.target.read(viewport=(0, 0, width, height), components=3, alignment=1)
        return np.ascontiguousarray(np.frombuffer(data, dtype=np.uint8).reshape(height, width, 3)[::-1])

    def still(self, scene: Scene) -> np.ndarray:
        """A picture of the scene as `world.picture` makes them, as large as the window."""
        width, height = self.pixels
        image = self.renderer.draw(scene, width - width % 2, height - height % 2)
        legend.annotate(image, scene)
        return image

    def full_screen(self) -> None:
        self.pygame.display.toggle_fullscreen()

    def flip(self) -> None:
        self.pygame.display.flip()

    def close(self) -> None:
        with suppress(Exception):  # a driver that fails now has nothing more to lose
            self.overlay.release()
            self.renderer.close()
        self.pygame.display.quit()


class PlainScreen:
    """A window without OpenGL: pictures of the painter, and texts; no panels."""

    def __init__(self, size: tuple[int, int], title: str, reason: str) -> None:
        self.pygame = pygame = _display(title)
        size = min(size[0], PAINTER_SIZE[0]), min(size[1], PAINTER_SIZE[1])
        self.surface = pygame.display.set_mode(size, pygame.RESIZABLE)
        self.name = f"painter, without OpenGL ({reason})"
        self.image = np.zeros((*self.pixels[::-1], 3), dtype=np.uint8)

    @property
    def size(self) -> tuple[int, int]:
        width, height = self.pygame.display.get_window_size()
        return max(width, SMALLEST), max(height, SMALLEST)

    pixels = size

    def resize(self) -> None:
        self.surface = self.pygame.display.get_surface()

    def draw(self, scene: Scene, texts: Texts, panels: Callable[[], None] | None = None) -> None:
        from .overlay_text import painted

        self.image = self.still(scene)
        for place, (lines, _) in texts.items():
            painted(self.image, lines, self.pixels[1] / 720.0 + 0.2, "top" in place or place == "middle")
        picture = self.pygame.image.frombuffer(self.image.tobytes(), self.image.shape[1::-1], "RGB")
        self.surface.blit(picture, (0, 0))

    def picture(self) -> np.ndarray:
        return self.image

    def still(self, scene: Scene) -> np.ndarray:
        width, height = self.pixels
        image = painter.draw(scene, width - width % 2, height - height % 2)
        legend.annotate(image, scene)
        return image

    def full_screen(self) -> None:
        self.pygame.display.toggle_fullscreen()

    def flip(self) -> None:
        self.pygame.display.flip()

    def close(self) -> None:
        self.pygame.display.quit()


def open_screen(size: tuple[int, int], title: str) -> Screen | PlainScreen:
    """A window with OpenGL, or with the painter where there is none. ViewerError where no window can be opened."""
    try:
        return Screen(size, title)
    except ImportError as error:
        reason = f"{error}; pip install moderngl"
    except ViewerError:
        raise
    except Exception as error:  # drivers fail in many ways, and each of them only means: no OpenGL here
        reason = str(error) or type(error).__name__
    load_pygame("a window").display.quit()
    return PlainScreen(size, title, reason)


def _display(title: str) -> ModuleType:
    pygame = load_pygame("a window")
    try:
        pygame.display.init()
    except pygame.error as error:
        raise ViewerError(f"no window can be opened: {error}; --headless runs without one") from None
    pygame.display.set_caption(title)
    return pygame


def _context() -> moderngl.Context:
    """The context that pygame has made. Systems without developer packages have libraries with a version only."""
    import moderngl

    try:
        return moderngl.create_context(require=330)
    except Exception:
        options: dict[str, Any] = {"libgl": "libGL.so.1", "libx11": "libX11.so.6"}
        return moderngl.create_context(require=330, **options)


def _sensible(ratio: float) -> float:
    return ratio if 1.0 < ratio <= 4.0 else 1.0
