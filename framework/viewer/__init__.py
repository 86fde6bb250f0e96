"""Pictures and films of a neutral `Scene`; knows nothing of worlds, and loads graphics libraries only when it draws."""
from . import camera, colours
from .errors import SceneError, ViewerError
from .film import Film, png_bytes, write_png
from .offscreen import close, opengl_reason, render, renderer_name
from .scene import Ball, Camera, Ground, Indicator, Legend, Light, Lines, Marks, Points, Scene, Surface

__all__ = ["Ball", "Camera", "Film", "Ground", "Indicator", "Legend", "Light", "Lines", "Marks", "Points", "Scene",
           "SceneError", "Surface", "ViewerError", "camera", "close", "colours", "opengl_reason", "png_bytes", "render",
           "renderer_name", "write_png"]
