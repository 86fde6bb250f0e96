"""Surfaces, spheres, lines, points and marks of a scene, uploaded and drawn by OpenGL."""
from __future__ import annotations

from typing import Any

import moderngl
import numpy as np

from . import camera as cameras
from . import meshes
from .buffers import Elements, Pool, Slot
from .normals import vertex_normals
from .scene import Ball, Lines, Marks, Points, Surface

FINE = 4000  # triangles from which a smooth surface is lit at its vertices
SURFACE = "3f 3f 3f 3f", "position", "normal", "front", "back"
BALL = "3f 1f 3f /i", "middle", "radius", "colour"
LINE = "3f 3f 3f 3f /i", "start", "start_colour", "end", "end_colour"
FLAT = "3f 3f 3f", "position", "offset", "colour"
MARK = "3f 3f 3f 3f 3f 3f /i", "start", "start_offset", "start_colour", "end", "end_offset", "end_colour"
POINT = "3f 3f", "position", "colour"


class Bodies:
    """Uploads bodies relative to the camera's target, `origin` (3,) [m], and draws them with the view that is set."""

    def __init__(self, context: moderngl.Context, programs: dict[str, moderngl.Program], pool: Pool):
        self._context, self._programs, self._pool = context, programs, pool
        self._sphere: dict[int, tuple[Slot, Elements]] = {}

    def surface(self, surface: Surface, origin: np.ndarray) -> tuple[Surface, Slot | None, Any]:
        triangles = meshes.drawable(surface.vertices, surface.triangles)
        if not len(triangles):
            return surface, None, None
        elements = self._pool.elements(triangles)
        data = np.empty((len(surface.vertices), 12), dtype=np.float32)
        points = np.ascontiguousarray(surface.vertices - origin, dtype=np.float32)
        data[:, 0:3] = points
        if surface.smooth:
            normals = np.empty_like(points)
            vertex_normals(points, elements.rows, normals)
            data[:, 3:6] = normals
        else:
            data[:, 3:6] = 0.0
        data[:, 6:9] = surface.front
        data[:, 9:12] = surface.front if surface.back is None else surface.back
        return surface, self._pool.vertices(data), elements

    def draw_surface(self, surface: Surface, slot: Slot | None, elements: Any) -> None:
        if slot is None:
            return
        fine = surface.smooth and len(elements.rows) >= FINE
        program = self._programs["fine" if fine else "surface"]
        if not fine:
            program["smooth_normals"] = surface.smooth
        if not surface.two_sided:
            self._context.enable(moderngl.CULL_FACE)
        self._pool.array(slot, program, SURFACE, elements).render(moderngl.TRIANGLES)
        self._context.disable(moderngl.CULL_FACE)

    def balls(self, balls: list[Ball], camera: cameras.Camera, height: int) -> tuple:
        """Instances of one sphere, finer the larger the largest is on the screen: (instances, rings, count)."""
        if not balls:
            return None, 0, 0
        data = np.array([[*(ball.centre - camera.target), ball.radius, *ball.colour] for ball in balls], np.float32)
        largest = max(ball.radius for ball in balls) / cameras.pixel_size(camera, height)
        rings = 12 if largest < 20 else 24 if largest < 120 else 32 if largest < 300 else 40
        return self._pool.vertices(data), rings, len(balls)

    def draw_balls(self, drawn: tuple, balls: list[Ball], camera: cameras.Camera) -> None:
        if not balls:
            return
        if all(np.linalg.norm(ball.centre - camera.eye) > ball.radius for ball in balls):
            self._context.enable(moderngl.CULL_FACE)
        self._render_spheres("ball", drawn)
        self._context.disable(moderngl.CULL_FACE)

    def _render_spheres(self, program: str, drawn: tuple, rings: int | None = None) -> None:
        instances, own, count = drawn
        rings = rings or own
        if rings not in self._sphere:
            vertices, triangles = meshes.unit_sphere(rings, 2 * rings)
            data = vertices.astype(np.float32)
            self._sphere[rings] = (Slot(self._context.buffer(data), data.nbytes),
                                  Elements(triangles, self._context.buffer(triangles)))
        slot, elements = self._sphere[rings]
        layout = BALL if program == "ball" else ("3f 1f 12x /i", "middle", "radius")
        array = self._pool.array(slot, self._programs[program], ("3f", "corner"), elements, (instances.buffer, *layout))
        array.render(moderngl.TRIANGLES, instances=count)

    def render_casters(self, faces: list, balls: tuple, lines: list) -> None:
        """What casts shadows, with the program `shadow`."""
        program = self._programs["shadow"]
        for _, slot, elements in faces:
            if slot is not None:
                self._pool.array(slot, program, ("3f 36x", "position"), elements).render(moderngl.TRIANGLES)
        for _, slot, count in lines:
            if slot is not None:
                self._pool.array(slot, program, ("3f 12x", "position")).render(moderngl.LINES, vertices=2 * count)
        if balls[2]:
            self._render_spheres("ball_shadow", balls, 12)

    def lines(self, lines: Lines, origin: np.ndarray) -> tuple[Lines, Slot | None, int]:
        segments = meshes.drawable(lines.points, lines.segments)
        if not len(segments):
            return lines, None, 0
        data = np.empty((len(lines.points), 6), dtype=np.float32)
        data[:, :3], data[:, 3:] = lines.points - origin, lines.colour
        return lines, self._pool.vertices(data[segments.ravel()]), len(segments)

    def draw_lines(self, width: float, slot: Slot | None, count: int) -> None:
        if slot is None:
            return
        program = self._programs["line"]
        program["width"] = width
        self._pool.array(slot, program, LINE).render(moderngl.TRIANGLE_STRIP, vertices=4, instances=count)

    def draw_points(self, points: Points, origin: np.ndarray) -> None:
        kept = meshes.drawable_points(points.points)
        if not kept.any():
            return
        data = np.empty((len(points.points), 6), dtype=np.float32)
        data[:, :3], data[:, 3:] = points.points - origin, points.colour
        data = data if kept.all() else data[kept]
        self._programs["point"]["size"] = points.size
        self._pool.array(self._pool.vertices(data), self._programs["point"], POINT).render(
            moderngl.POINTS, vertices=len(data))

    def draw_marks(self, marks: Marks, origin: np.ndarray) -> None:
        """Marks, after everything that may hide them."""
        if marks.on_top:
            self._context.disable(moderngl.DEPTH_TEST)
        triangles = _corners(marks.triangles, marks.triangle_offsets, marks.triangle_colours, origin)
        if len(triangles):
            array = self._pool.array(self._pool.vertices(triangles), self._programs["flat"], FLAT)
            array.render(moderngl.TRIANGLES, vertices=3 * len(triangles))
        segments = _corners(marks.segments, marks.segment_offsets, marks.segment_colours, origin)
        if len(segments):
            self._programs["mark"]["width"] = marks.width
            array = self._pool.array(self._pool.vertices(segments), self._programs["mark"], MARK)
            array.render(moderngl.TRIANGLE_STRIP, vertices=4, instances=len(segments))
        self._context.enable(moderngl.DEPTH_TEST)


def _corners(places: np.ndarray, offsets: np.ndarray, colours: np.ndarray, origin: np.ndarray) -> np.ndarray:
    """(k, c, 9) float32 of marks with c corners: place, offset and colour of each."""
    kept = meshes.drawable_points(places.reshape(-1, 3)).reshape(places.shape[:2]).all(axis=1)
    data = np.empty((int(kept.sum()), places.shape[1], 9), dtype=np.float32)
    data[:, :, :3] = places[kept] - origin
    data[:, :, 3:6] = offsets[kept]
    data[:, :, 6:] = colours if colours.ndim == 1 else colours[kept, None]
    return data
