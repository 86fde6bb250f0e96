"""moderngl on the OpenGL context that pygame has made, whichever way the window system made it."""
from __future__ import annotations

import ctypes
import sys
from typing import Any

import moderngl

DRAW, READ = 0x3059, 0x305A  # EGL's names for the two surfaces of a context


class EglContext:
    """The present context of EGL, which Wayland uses: moderngl by itself finds those of GLX, WGL and CGL only."""

    def __init__(self) -> None:
        self._egl: Any = ctypes.CDLL("libEGL.so.1")
        for name in ("eglGetProcAddress", "eglGetCurrentContext", "eglGetCurrentDisplay", "eglGetCurrentSurface"):
            getattr(self._egl, name).restype = ctypes.c_void_p
        self._egl.eglMakeCurrent.argtypes = [ctypes.c_void_p] * 4
        self._own = self._egl.eglGetCurrentContext()
        if not self._own:
            raise RuntimeError("EGL has no current context")
        self._display = self._egl.eglGetCurrentDisplay()
        self._surfaces = self._egl.eglGetCurrentSurface(DRAW), self._egl.eglGetCurrentSurface(READ)

    def load_opengl_function(self, name: str) -> int:
        return self._egl.eglGetProcAddress(name.encode()) or 0

    load = load_opengl_function

    def __enter__(self) -> EglContext:
        """Pictures have a context of their own, which may have become the current one."""
        if self._egl.eglGetCurrentContext() != self._own:
            self._egl.eglMakeCurrent(self._display, *self._surfaces, self._own)
        return self

    def __exit__(self, *error: object) -> None:
        """The window's context stays current."""

    def release(self) -> None:
        """pygame releases its context with the window."""


def attach() -> moderngl.Context:
    """moderngl's view of the context that is current."""
    found: Any = None
    if sys.platform.startswith("linux"):
        try:
            found = EglContext()
        except (OSError, RuntimeError):
            found = None
    if found is None:
        import glcontext

        try:
            found = glcontext.default_backend()(glversion=330, mode="detect")
        except Exception:  # systems without developer packages have libraries with a version only
            found = glcontext.x11(glversion=330, mode="detect", libgl="libGL.so.1", libx11="libX11.so.6")
    return moderngl.create_context(require=330, context=found)
