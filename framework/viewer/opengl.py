"""The OpenGL 3.3 renderer: draws a Scene into a multisampled framebuffer and reads it back.

The order of drawing: shadows into their own textures, background, surfaces and balls, lines, points, and the grounds
last, since they are blended with what lies behind them.
"""
from __future__ import annotations

from typing import Any

import moderngl
import numpy as np

from . import camera as cameras
from . import meshes, shaders
from .ground import Disc, disc
from .lighting import light_arrays, lights_of
from .scene import MAX_LIGHTS, Ball, Lines, Points, Scene, Surface

SAMPLES = 4
SHADOW_SIZE = 128
FINE = 4000  # triangles from which a smooth surface is lit at its vertices
ALPHA_TO_COVERAGE = 0x809E  # GL_SAMPLE_ALPHA_TO_COVERAGE: smooth rims of lines and points without sorting
WIRE_WIDTH = 1.3


class Renderer:
    """Owns one OpenGL context and what is kept between pictures: programs and the framebuffers of the last size."""

    def __init__(self, context: moderngl.Context):
        self.context = context
        context.gc_mode = "auto"
        context.depth_func = "<="  # of two things in one place the later is seen, as with the painter
        self.name = f"{context.info['GL_RENDERER']}, {context.info['GL_VERSION']}"
        self.samples = min(SAMPLES, context.max_samples)
        sources = {name: (f"{name}_VERTEX", f"{name}_FRAGMENT")
                   for name in ("BACKGROUND", "SURFACE", "FINE", "LINE", "POINT", "GROUND", "SHADOW")}
        sources["BLUR"] = ("BACKGROUND_VERTEX", "BLUR_FRAGMENT")
        self.programs = {name.lower(): context.program(vertex_shader=getattr(shaders, vertex),
                                                       fragment_shader=getattr(shaders, fragment))
                         for name, (vertex, fragment) in sources.items()}
        self.empty = {name: context.vertex_array(self.programs[name], []) for name in ("background", "ground", "blur")}
        self.sharp = self._texture(2 * SHADOW_SIZE)
        self.shadows: list[moderngl.Texture] = []
        self.size = (0, 0)
        self.target: moderngl.Framebuffer
        self.resolved: moderngl.Framebuffer

    def close(self) -> None:
        context = self.context
        self.__dict__.clear()  # whatever lives in the context goes before it
        context.release()

    def draw(self, scene: Scene, width: int, height: int) -> np.ndarray:
        """The picture without text: (height, width, 3) uint8."""
        with self.context:  # a window may have its own context in this process: theirs is put back afterwards
            self._draw(scene, width, height)
            return self._read(width, height)

    def show(self, scene: Scene, width: int, height: int, screen: moderngl.Framebuffer) -> None:
        """Draw without text onto a framebuffer of this context, such as a window's."""
        self._draw(scene, width, height)
        self.context.copy_framebuffer(self.resolved, self.target)  # not at once: a screen may have another format
        self.context.copy_framebuffer(screen, self.resolved)
        screen.use()

    @np.errstate(over="ignore", invalid="ignore")  # vertices that are not drawn may overflow
    def _draw(self, scene: Scene, width: int, height: int) -> None:
        context = self.context
        self._resize(width, height)
        camera = scene.camera or cameras.fit(scene, width / height)
        near, far = cameras.depth_range(camera, scene)
        origin = camera.target
        view = cameras.view_matrix(camera)
        view[:3, 3] += view[:3, :3] @ origin  # positions are relative to the target
        positions, terms = light_arrays(lights_of(scene, camera))
        positions[:, :3] -= origin * positions[:, 3:]
        lift = 2e-3 * float(np.linalg.norm(camera.eye - origin))
        common = {
            "view": view.T, "projection": cameras.projection_matrix(camera, width / height, near, far).T,
            "eye": camera.eye - origin, "viewport": (width, height), "near": near, "lift": lift,
            "light_position": _padded(positions), "light_terms": _padded(terms),
        }
        for program in self.programs.values():
            _set(program, common)
        self.programs["surface"]["light_count"] = self.programs["fine"]["light_count"] = len(terms)

        faces = [self._surface(surface, origin) for surface in scene.surfaces if not surface.wireframe]
        if scene.balls:
            faces.append(self._balls(scene.balls, origin))
        wires = [Lines(surface.vertices, meshes.edges(surface.triangles), surface.front, WIRE_WIDTH)
                 for surface in scene.surfaces if surface.wireframe]
        lines = [self._lines(item, origin) for item in [*scene.lines, *wires]]
        discs = [disc(ground, camera) for ground in scene.grounds]
        for place, texture in zip(discs, self._shadow_textures(len(discs)), strict=True):
            place.centre = place.centre - origin
            self._draw_shadow(place, texture, faces, lines)

        self.target.use()
        self.target.clear(depth=1.0)
        context.disable(moderngl.DEPTH_TEST | moderngl.BLEND | moderngl.CULL_FACE)
        _set(self.programs["background"], {"top": scene.background[0], "bottom": scene.background[1]})
        self.empty["background"].render(moderngl.TRIANGLES, vertices=3)
        context.enable(moderngl.DEPTH_TEST | moderngl.PROGRAM_POINT_SIZE)
        for surface, buffer, indices in faces:
            self._draw_surface(surface, buffer, indices)
        context.enable_direct(ALPHA_TO_COVERAGE)
        for item, buffer, count in lines:
            self._draw_lines(item, buffer, count)
        for points in scene.points:
            self._draw_points(points, origin, lift)
        context.disable_direct(ALPHA_TO_COVERAGE)
        for ground, place, texture in zip(scene.grounds, discs, self.shadows, strict=False):
            self._draw_ground(place, texture, ground.colour, 1.5 * lift)

    def _resize(self, width: int, height: int) -> None:
        if self.size == (width, height):
            return
        context = self.context
        size = self.size = (width, height)
        samples = self.samples if self.samples > 1 else 0
        self.target = context.framebuffer([context.renderbuffer(size, 4, samples=samples)],
                                          context.depth_renderbuffer(size, samples=samples))
        self.resolved = context.framebuffer([context.renderbuffer(size, 4)])

    def _read(self, width: int, height: int) -> np.ndarray:
        self.context.copy_framebuffer(self.resolved, self.target)
        pixels = np.frombuffer(self.resolved.read(components=3, alignment=1), dtype=np.uint8)
        return np.ascontiguousarray(pixels.reshape(height, width, 3)[::-1])  # OpenGL's first row is the lowest

    def _surface(self, surface: Surface, origin: np.ndarray, normals: np.ndarray | None = None,
                 bias: np.ndarray | float = 0.0) -> tuple:
        triangles = meshes.drawable(surface.vertices, surface.triangles)
        if not len(triangles):
            return surface, None, None
        data = np.empty((len(surface.vertices), 13), dtype=np.float32)
        data[:, 0:3] = surface.vertices - origin
        if normals is None:
            normals = meshes.vertex_normals(surface.vertices, triangles) if surface.smooth else np.zeros(3)
        data[:, 3:6] = normals
        data[:, 6:9] = surface.front
        data[:, 9:12] = surface.front if surface.back is None else surface.back
        data[:, 12] = bias
        return surface, self.context.buffer(data), self.context.buffer(np.ascontiguousarray(triangles, dtype=np.int32))

    def _balls(self, balls: list[Ball], origin: np.ndarray) -> tuple:
        """All balls as one surface with exact normals; the more there are, the coarser each."""
        rings = 40 if len(balls) <= 8 else 24 if len(balls) <= 200 else 12
        vertices, triangles = meshes.unit_sphere(rings, 2 * rings)
        count = len(vertices)
        centres = np.array([ball.centre for ball in balls])
        radii = np.array([ball.radius for ball in balls])
        colours = np.array([ball.colour for ball in balls])
        shifted = triangles[None] + (np.arange(len(balls), dtype=np.int32) * count)[:, None, None]
        surface = Surface((centres[:, None] + radii[:, None, None] * vertices).reshape(-1, 3), shifted.reshape(-1, 3),
                          np.repeat(colours, count, axis=0))
        return self._surface(surface, origin, np.tile(vertices, (len(balls), 1)), np.repeat(0.012 * radii, count))

    def _lines(self, lines: Lines, origin: np.ndarray) -> tuple:
        segments = meshes.drawable(lines.points, lines.segments)
        if not len(segments):
            return lines, None, 0
        data = np.empty((len(lines.points), 6), dtype=np.float32)
        data[:, :3], data[:, 3:] = lines.points - origin, lines.colour
        return lines, self.context.buffer(data[segments.ravel()]), len(segments)

    def _draw_surface(self, surface: Surface, buffer: moderngl.Buffer | None, indices: moderngl.Buffer | None) -> None:
        if buffer is None:
            return
        (self.context.disable if surface.two_sided else self.context.enable)(moderngl.CULL_FACE)
        fine = surface.smooth and len(surface.triangles) >= FINE
        program = self.programs["fine" if fine else "surface"]
        if not fine:
            program["smooth_normals"] = surface.smooth
        content = [(buffer, "3f 3f 3f 3f 1f", "position", "normal", "front", "back", "bias")]
        self.context.vertex_array(program, content, indices).render(moderngl.TRIANGLES)
        self.context.disable(moderngl.CULL_FACE)

    def _draw_lines(self, lines: Lines, buffer: moderngl.Buffer | None, count: int) -> None:
        if buffer is None:
            return
        program = self.programs["line"]
        program["width"] = lines.width
        content = [(buffer, "3f 3f 3f 3f /i", "start", "start_colour", "end", "end_colour")]
        self.context.vertex_array(program, content).render(moderngl.TRIANGLE_STRIP, vertices=4, instances=count)

    def _draw_points(self, points: Points, origin: np.ndarray, lift: float) -> None:
        kept = meshes.drawable_points(points.points)
        if not kept.any():
            return
        data = np.empty((len(points.points), 6), dtype=np.float32)
        data[:, :3], data[:, 3:] = points.points - origin, points.colour
        program = self.programs["point"]
        program["size"], program["lift"] = points.size, 5.0 * lift
        content = [(self.context.buffer(data[kept]), "3f 3f", "position", "colour")]
        self.context.vertex_array(program, content).render(moderngl.POINTS)

    def _shadow_textures(self, count: int) -> list[moderngl.Texture]:
        """One texture a ground: all shadows are drawn before the picture, as changing targets in between is slow."""
        while len(self.shadows) < count:
            self.shadows.append(self._texture(SHADOW_SIZE))
        return self.shadows[:count]

    def _texture(self, size: int) -> moderngl.Texture:
        texture = self.context.texture((size, size), 1)
        texture.filter = (moderngl.LINEAR, moderngl.LINEAR)
        texture.repeat_x = texture.repeat_y = False
        return texture

    def _draw_shadow(self, place: Disc, texture: moderngl.Texture, faces: list[tuple], lines: list[tuple]) -> None:
        """What lies above the ground, seen along its normal, blurred, into its texture."""
        context, program = self.context, self.programs["shadow"]
        _set(program, {"centre": place.centre, "first": place.first, "second": place.second,
                       "upwards": place.upwards, "reach": place.reach})
        target = context.framebuffer([self.sharp])
        target.use()
        target.clear()
        context.disable(moderngl.DEPTH_TEST)
        context.enable(moderngl.BLEND)
        context.blend_equation = moderngl.MAX  # type: ignore[assignment]
        for _, buffer, indices in faces:
            if buffer is not None:
                context.vertex_array(program, [(buffer, "3f 40x", "position")], indices).render(moderngl.TRIANGLES)
        for _, buffer, count in lines:
            if buffer is not None:
                ends = context.vertex_array(program, [(buffer, "3f 12x", "position")])
                ends.render(moderngl.LINES, vertices=2 * count)
        context.blend_equation = moderngl.FUNC_ADD  # type: ignore[assignment]
        context.disable(moderngl.BLEND)
        context.framebuffer([texture]).use()
        self.sharp.use(0)
        self.empty["blur"].render(moderngl.TRIANGLES, vertices=3)

    def _draw_ground(self, place: Disc, texture: moderngl.Texture, colour: np.ndarray, bias: float) -> None:
        _set(self.programs["ground"], {
            "centre": place.centre, "first": place.first, "second": place.second, "radius": place.radius,
            "offset": place.offset, "cell": place.cell, "reach": place.reach, "strength": place.strength,
            "colour": colour, "bias": bias})
        context = self.context
        texture.use(0)
        context.enable(moderngl.BLEND | moderngl.DEPTH_TEST)
        context.blend_func = moderngl.SRC_ALPHA, moderngl.ONE_MINUS_SRC_ALPHA
        self.empty["ground"].render(moderngl.TRIANGLE_STRIP, vertices=4)
        context.disable(moderngl.BLEND)


def _padded(rows: np.ndarray) -> np.ndarray:
    return np.vstack([rows, np.zeros((MAX_LIGHTS - len(rows), 4))])


def _set(program: moderngl.Program, values: dict) -> None:
    """Write those uniforms that the program has (compilers drop unused ones)."""
    for name, value in values.items():
        if name in program:
            uniform: Any = program[name]
            uniform.write(np.ascontiguousarray(value, dtype=np.float32).tobytes())
