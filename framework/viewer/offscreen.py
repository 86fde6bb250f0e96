"""Pictures without a window: `render` draws with OpenGL through EGL, or with the painter where there is no OpenGL."""
from __future__ import annotations

import atexit
import os
import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from . import indicators, legend, painter
from .errors import ViewerError
from .patches import lay
from .scene import Scene

if TYPE_CHECKING:
    from .opengl import Renderer

RENDERERS = ("auto", "opengl", "painter")
EGL_HELP = "Debian: apt install libegl1 libgl1 libgl1-mesa-dri"

_renderer: Renderer | None = None
_reason = ""  # why there is no OpenGL
_process = 0  # a context does not survive a fork


def render(scene: Scene, size: tuple[int, int] = (1280, 720), renderer: str = "auto") -> np.ndarray:
    """The picture of a scene: (height, width, 3) uint8, sRGB, first row on top. `size` is (width, height) in pixels.

    renderer: "opengl", "painter", or "auto": OpenGL where it works.
    """
    width, height = _checked_size(size)
    if renderer not in RENDERERS:
        raise ViewerError(f"unknown renderer '{renderer}'; known: {', '.join(RENDERERS)}")
    drawing = None if renderer == "painter" else _opengl()
    if drawing is not None:
        return drawing.draw(scene, width, height, texts=True)
    if renderer == "opengl":
        raise ViewerError(f"no OpenGL: {_reason}")
    image = painter.draw(scene, width, height)
    legend.annotate(image, scene)
    for patch in indicators.patches(scene, width, height):
        lay(image, patch)
    return image


def _checked_size(size: Any) -> tuple[int, int]:
    try:
        width, height = (int(number) for number in size)
        good = (width, height) == tuple(size) and 0 < width <= 16384 and 0 < height <= 16384
    except (TypeError, ValueError, OverflowError):
        good = False
    if not good:
        raise ViewerError(f"a picture's size must be two numbers of pixels, whole and in 1 .. 16384, got {size!r}")
    return width, height


def renderer_name() -> str:
    """Which renderer `render` uses, and why if it is not OpenGL."""
    drawing = _opengl()
    return f"OpenGL: {drawing.name}" if drawing is not None else f"painter: no OpenGL: {_reason}"


def opengl_reason() -> str:
    """Why there is no OpenGL here; empty where there is."""
    return "" if _opengl() is not None else _reason


def close() -> None:
    """Release the OpenGL context; the next picture makes a new one."""
    global _renderer, _process, _reason
    if _renderer is not None and _process == os.getpid():
        _renderer.close()
    _renderer, _process, _reason = None, 0, ""


def _opengl() -> Renderer | None:
    global _renderer, _reason, _process
    if _process != os.getpid():
        _renderer, _reason, _process = None, "", os.getpid()
        atexit.unregister(close)
        atexit.register(close)
        try:
            from .opengl import Renderer
            _renderer = Renderer(_context())
        except ImportError as error:
            _reason = f"{error} (pip install moderngl)"
        except Exception as error:  # drivers fail in many ways, and each of them only means: no OpenGL here
            _reason = str(error) or type(error).__name__
    return _renderer


def _context() -> Any:
    import moderngl

    if not sys.platform.startswith("linux"):
        return moderngl.create_context(standalone=True, require=330)
    # The names with a version are what a system without developer packages has.
    egl = _library(("libEGL.so.1",))
    gl = _library(("libGL.so.1", "libOpenGL.so.0"))
    try:
        options: dict[str, Any] = {"backend": "egl", "libegl": egl, "libgl": gl}
        return moderngl.create_context(standalone=True, require=330, **options)
    except Exception as error:
        raise ViewerError(f"EGL gave no context for OpenGL 3.3: {error} ({EGL_HELP})") from error


def _library(names: tuple[str, ...]) -> str:
    import ctypes

    for name in names:
        try:
            ctypes.CDLL(name)
            return name
        except OSError:
            continue
    raise ViewerError(f"{' and '.join(names)} not found ({EGL_HELP})")
