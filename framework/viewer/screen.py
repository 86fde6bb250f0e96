"""What a window draws on: its OpenGL context, or a plain surface where there is none. Both have the same methods."""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np

from . import legend, offscreen, painter
from .errors import ViewerError
from .scene import Scene
from .text import load_pygame

Box = tuple[int, int, int, int]
Texts = Mapping[str, tuple[Sequence[str], int]]  # where ("top left" ...) -> lines, columns
SMALLEST = 64
BEHIND = 0.10, 0.11, 0.12, 1.0  # colour
PAINTER_SIZE = (960, 540)  # the painter takes its time for each pixel


class Screen:
    """A window with OpenGL 3.3. size: in the units of mouse events; pixels: of its framebuffer (high-DPI: more)."""

    def __init__(self, size: tuple[int, int], title: str) -> None:
        from .attach import attach
        from .opengl import Renderer
        from .overlay import Overlay, box_of

        self._box_of = box_of

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
        self.context = attach()
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

    def draw(self, scene: Scene, texts: Texts, box: Box, panels: Callable[[], None] | None = None,
             smooth: bool = True) -> None:
        """The scene into a part (left, top, width, height) of the window, texts over it, and panels; `flip` shows it.

        smooth: with smooth edges, which takes twice as long where the processor draws.
        """
        with self.context:
            self._draw(scene, texts, box, panels, smooth)

    def _draw(self, scene: Scene, texts: Texts, box: Box, panels: Callable[[], None] | None, smooth: bool) -> None:
        left, top, width, height = (round(self.ratio * side) for side in box)
        width, height = max(width, SMALLEST), max(height, SMALLEST)
        picture = self.renderer.texture(scene, width, height, smooth, texts=True)
        self.target.use()
        self.target.viewport = self.target.scissor = (0, 0, *self.pixels)
        self.target.clear(*BEHIND)  # below panels, which are translucent
        area = left, top, width, height
        self.overlay.copy(picture, area, self.pixels)
        scale = max(height / 720.0, 0.7)
        if panels is not None:
            panels()
            self.target.use()
        for place, (lines, columns) in texts.items():
            make = partial(self._box_of, lines, scale, columns)
            self.overlay.draw(place, (tuple(lines), scale), make, area, place, round(16 * scale), self.pixels)

    def picture(self) -> np.ndarray:
        """What the window shows, (h, w, 3) uint8."""
        width, height = self.pixels
        with self.context:
            data = self.target.read(viewport=(0, 0, width, height), components=3, alignment=1)
        return np.ascontiguousarray(np.frombuffer(data, dtype=np.uint8).reshape(height, width, 3)[::-1])

    def still(self, scene: Scene, size: tuple[int, int]) -> np.ndarray:
        """A picture of the scene as `world.picture` makes them."""
        return self.renderer.draw(scene, *size, texts=True)

    def full_screen(self) -> None:
        self.pygame.display.toggle_fullscreen()

    def flip(self) -> None:
        self.pygame.display.flip()

    def close(self) -> None:
        offscreen.close()  # where windows have EGL, closing one would take the context of pictures with it
        with suppress(Exception), self.context:  # a driver that fails now has nothing more to lose
            self.overlay.release()
            self.renderer.close()  # and all that lives in its context
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

    def draw(self, scene: Scene, texts: Texts, box: Box, panels: Callable[[], None] | None = None,
             smooth: bool = True) -> None:
        from .overlay_text import painted

        self.image = self.still(scene, self.pixels)
        for place, (lines, _) in texts.items():
            painted(self.image, lines, self.pixels[1] / 720.0 + 0.2, "top" in place or place == "middle")
        picture = self.pygame.image.frombuffer(self.image.tobytes(), self.image.shape[1::-1], "RGB")
        self.surface.blit(picture, (0, 0))

    def picture(self) -> np.ndarray:
        return self.image

    def still(self, scene: Scene, size: tuple[int, int]) -> np.ndarray:
        image = painter.draw(scene, *size)
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


def _sensible(ratio: float) -> float:
    return ratio if 1.0 < ratio <= 4.0 else 1.0
