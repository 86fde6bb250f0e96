"""The OpenGL 3.3 renderer: draws a Scene into its own framebuffer, and reads it back or shows it in a window.

The order of drawing: shadows into their own textures; background and grounds, which are kept while the view stays;
shadows on them; surfaces and balls; lines, points and marks; grounds seen from below, blended; texts.
"""
from __future__ import annotations

from typing import Any

import moderngl
import numpy as np

from . import camera as cameras
from . import indicators, legend, meshes, shaders
from .bodies_opengl import Bodies
from .buffers import Pool
from .ground import Disc, disc
from .ground_opengl import Grounds
from .lighting import light_arrays, lights_of
from .patches import Patch
from .scene import MAX_LIGHTS, Lines, Scene
from .targets import Target

SAMPLES = 4
ALPHA_TO_COVERAGE = 0x809E  # GL_SAMPLE_ALPHA_TO_COVERAGE: smooth rims of lines and points without sorting
WIRE_WIDTH = 1.3



class Renderer:
    """Owns what it keeps in one OpenGL context between pictures: programs, buffers, framebuffers of the last size.

    In a window, with the window's own context, once:

        renderer = Renderer(moderngl.create_context())

    and in each frame, before the panels:

        renderer.show(world.scene(), width, height, context.screen)
    """

    def __init__(self, context: moderngl.Context):
        self.context = context
        context.gc_mode = "auto"
        self.name = f"{context.info['GL_RENDERER']}, {context.info['GL_VERSION']}"
        self.samples = SAMPLES if context.max_samples >= SAMPLES else 0
        self.programs = {name: context.program(vertex_shader=vertex, fragment_shader=fragment)
                         for name, (vertex, fragment) in shaders.PROGRAMS.items()}
        self.pool = Pool(context)
        self.bodies = Bodies(context, self.programs, self.pool)
        self.grounds = Grounds(context, self.programs)
        self.empty = {name: context.vertex_array(self.programs[name], []) for name in ("background", "patch")}
        self.targets: dict[bool, Target] = {}
        self.patches: dict[int, tuple[np.ndarray, moderngl.Texture]] = {}

    def close(self) -> None:
        """Release everything and the context itself."""
        context = self.context
        self.__dict__.clear()  # whatever lives in the context goes before it
        context.release()

    def draw(self, scene: Scene, width: int, height: int, texts: bool = False) -> np.ndarray:
        """The picture, with its texts and legends if asked for: (height, width, 3) uint8, first row on top."""
        with self.context:  # a window may have its own context in this process: theirs is put back afterwards
            target = self._drawn(scene, width, height, True, texts)
            pixels = np.frombuffer(target.finished.read(components=3, alignment=1), dtype=np.uint8)
        return np.ascontiguousarray(pixels.reshape(height, width, 3)[::-1])  # OpenGL's first row is the lowest

    def show(self, scene: Scene, width: int, height: int, framebuffer: moderngl.Framebuffer,
             smooth: bool = False, texts: bool = False) -> None:
        """Draw into the lower left `width` x `height` pixels of a framebuffer of this context, such as its `screen`.

        smooth: four samples a pixel, about twice as slow where the processor draws; False: one, for what moves.
        texts: with title, caption and legends. Nothing is read back. Leaves `framebuffer` in use, its depth as it was,
        depth test and blending off. `texture` is the same without a framebuffer.
        """
        target = self._drawn(scene, width, height, smooth, texts)
        self.context.copy_framebuffer(framebuffer, target.finished)  # of colour only: `finished` has no depth
        framebuffer.use()

    def texture(self, scene: Scene, width: int, height: int, smooth: bool = False,
                texts: bool = False) -> moderngl.Texture:
        """Draw, and return the texture that holds the picture until the next one is drawn, its first row the lowest."""
        return self._drawn(scene, width, height, smooth, texts).texture

    @np.errstate(over="ignore", invalid="ignore")  # vertices that are not drawn may overflow
    def _drawn(self, scene: Scene, width: int, height: int, smooth: bool, texts: bool) -> Target:
        context = self.context
        context.depth_func = "<="  # of two things in one place the later is seen, as with the painter
        context.disable(moderngl.DEPTH_TEST | moderngl.BLEND | moderngl.CULL_FACE)
        target = self._target((width, height), smooth)
        camera = scene.camera or cameras.fit(scene, width / height)
        near, far = cameras.depth_range(camera, scene)
        origin = camera.target
        self._set_view(scene, camera, width, height, near, far)
        self.pool.begin()
        bodies = self.bodies
        faces = [bodies.surface(surface, origin) for surface in scene.surfaces if not surface.wireframe]
        wires = [Lines(surface.vertices, meshes.edges_of(surface.triangles), surface.front, WIRE_WIDTH)
                 for surface in scene.surfaces if surface.wireframe]
        lines = [bodies.lines(item, origin) for item in [*scene.lines, *wires]]
        balls = bodies.balls(scene.balls, camera, height)
        discs = [disc(ground, camera) for ground in scene.grounds]
        for place in discs:
            place.centre = place.centre - origin
        low, high = (corner - origin for corner in cameras.bounds(scene))
        self.grounds.cast(discs, low, high, lambda: bodies.render_casters(faces, balls, lines))

        self._draw_behind(scene, target, discs, (width, height, near, far, camera.eye, origin, camera.up,
                                                 camera.field_of_view, camera.orthographic))
        context.enable(moderngl.DEPTH_TEST | moderngl.PROGRAM_POINT_SIZE)
        self.grounds.draw_shadows(discs, target.drawn)
        for surface, slot, elements in faces:
            bodies.draw_surface(surface, slot, elements)
        bodies.draw_balls(balls, scene.balls, camera)
        rims = ALPHA_TO_COVERAGE if target.samples else moderngl.BLEND
        context.blend_func = moderngl.SRC_ALPHA, moderngl.ONE_MINUS_SRC_ALPHA
        context.enable_direct(rims) if target.samples else context.enable(rims)
        for item, buffer, count in lines:
            bodies.draw_lines(item.width, buffer, count)
        for points in scene.points:
            bodies.draw_points(points, origin)
        for marks in scene.marks:
            bodies.draw_marks(marks, origin)
        context.disable_direct(rims) if target.samples else context.disable(rims)
        self.grounds.draw_from_below(discs, [ground.colour for ground in scene.grounds])
        context.disable(moderngl.DEPTH_TEST)
        written = legend.patches(scene, width, height) if texts else []
        self._draw_patches([*written, *indicators.patches(scene, width, height)], width, height)
        if target.samples:
            context.copy_framebuffer(target.finished, target.drawn)
        return target

    def _target(self, size: tuple[int, int], smooth: bool) -> Target:
        target = self.targets.get(smooth)
        if target is None or target.size != size:
            self.targets.pop(smooth, None)
            target = self.targets[smooth] = Target(self.context, size, self.samples if smooth else 0)
        return target

    def _set_view(self, scene: Scene, camera: cameras.Camera, width: int, height: int, near: float, far: float) -> None:
        origin = camera.target
        view = cameras.view_matrix(camera)
        view[:3, 3] += view[:3, :3] @ origin  # positions are relative to the target
        positions, terms = light_arrays(lights_of(scene, camera))
        positions[:, :3] -= origin * positions[:, 3:]
        projection = cameras.projection_matrix(camera, width / height, near, far)
        lift = 2e-3 * cameras.view_distance(camera)
        common = {
            "view": view.T, "projection": projection.T,
            "eye": cameras.eye_of(camera) - origin, "viewport": (width, height), "near": near,
            "lift": lift, "recede": cameras.depth_step(projection, cameras.view_distance(camera), lift),
            "light_position": _padded(positions),
            "light_terms": _padded(terms), "top": scene.background[0], "bottom": scene.background[1],
        }
        for program in self.programs.values():
            set_uniforms(program, common)
            if "light_count" in program:
                program["light_count"] = len(terms)

    def _draw_behind(self, scene: Scene, target: Target, discs: list[Disc], view: tuple) -> None:
        """Background and grounds, drawn anew only when the view, or one of them, has changed."""
        key = [scene.background.tobytes(), *(np.asarray(item, dtype=float).tobytes() for item in view),
               *(np.concatenate([ground.point, ground.normal, ground.colour]).tobytes() for ground in scene.grounds)]
        if target.behind_key != key:
            target.behind_key = key
            if target.plain_key != key[0]:
                target.plain_key = key[0]
                target.plain.use()
                target.plain.clear(depth=1.0)
                self.empty["background"].render(moderngl.TRIANGLES, vertices=3)
            self.context.copy_framebuffer(target.behind, target.plain)
            target.behind.use()
            self.grounds.draw_from_above(discs, [ground.colour for ground in scene.grounds])
        self.context.copy_framebuffer(target.drawn, target.behind)
        target.drawn.use()

    def _draw_patches(self, patches: list[Patch], width: int, height: int) -> None:
        context, used = self.context, {}
        context.enable(moderngl.BLEND)
        context.blend_func = moderngl.ONE, moderngl.ONE_MINUS_SRC_ALPHA
        for patch in patches:
            rows, columns = patch.pixels.shape[:2]
            kept = self.patches.get(id(patch.pixels))
            if kept is None or kept[0] is not patch.pixels:
                texture = context.texture((columns, rows), 4, np.ascontiguousarray(patch.pixels))
                texture.filter = (moderngl.NEAREST, moderngl.NEAREST)
                kept = patch.pixels, texture
            used[id(patch.pixels)] = kept
            kept[1].use(0)
            self.programs["patch"]["place"] = (patch.left, height - patch.top - rows, columns, rows)
            self.empty["patch"].render(moderngl.TRIANGLE_STRIP, vertices=4)
        self.patches = used
        context.disable(moderngl.BLEND)


def _padded(rows: np.ndarray) -> np.ndarray:
    return np.vstack([rows, np.zeros((MAX_LIGHTS - len(rows), 4))])


def set_uniforms(program: moderngl.Program, values: dict) -> None:
    """Write those uniforms that the program has (compilers drop unused ones)."""
    for name, value in values.items():
        if name in program:
            uniform: Any = program[name]
            uniform.write(np.ascontiguousarray(value, dtype=np.float32).tobytes())
