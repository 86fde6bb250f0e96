"""Grounds and the shadows on them, drawn by OpenGL."""
from __future__ import annotations

from collections.abc import Callable

import moderngl
import numpy as np

from .ground import Disc

SHADOW_SIZE = 128
SEGMENTS = 64  # of a disc's rim
MARGIN = 6.0 / SHADOW_SIZE  # how far the blur spreads a shadow, in parts of its square's half side


class Grounds:
    """The programs and textures of grounds; a disc's `centre` is relative to the camera's target."""

    def __init__(self, context: moderngl.Context, programs: dict[str, moderngl.Program]):
        self._context, self._programs = context, programs
        self._empty = {name: context.vertex_array(programs[name], []) for name in ("ground", "blur", "cast")}
        self._sharp = self._texture(2 * SHADOW_SIZE)
        self._target = context.framebuffer([self._sharp])
        self._shadows: list[tuple[moderngl.Texture, moderngl.Framebuffer]] = []
        self._bounds: list[np.ndarray | None] = []

    def _texture(self, size: int) -> moderngl.Texture:
        texture = self._context.texture((size, size), 1)
        texture.filter = (moderngl.LINEAR, moderngl.LINEAR)
        texture.repeat_x = texture.repeat_y = False
        return texture

    def cast(self, discs: list[Disc], low: np.ndarray, high: np.ndarray, render: Callable[[], None]) -> None:
        """The shadow on each ground seen from above, of what lies between the corners `low` and `high` of a box.

        All are drawn before the picture, as changing targets in between is slow. `render` draws what casts them.
        """
        context = self._context
        corners = np.array([[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])
        self._bounds = [self._square(place, corners) for place in discs]
        for number, place in enumerate(discs):
            if number == len(self._shadows):
                texture = self._texture(SHADOW_SIZE)
                self._shadows.append((texture, context.framebuffer([texture])))
            if self._bounds[number] is None:
                continue
            for name in ("shadow", "ball_shadow"):
                set_disc(self._programs[name], place)
            self._target.use()
            self._target.clear()
            context.enable(moderngl.BLEND)
            context.blend_equation = moderngl.MAX  # type: ignore[assignment]
            render()
            context.blend_equation = moderngl.FUNC_ADD  # type: ignore[assignment]
            context.disable(moderngl.BLEND)
            self._shadows[number][1].use()
            self._sharp.use(0)
            self._empty["blur"].render(moderngl.TRIANGLES, vertices=3)

    def _square(self, place: Disc, corners: np.ndarray) -> np.ndarray | None:
        """The rectangle (4,) [m] of the ground, in its own coordinates, that shadows of the box may reach."""
        from_centre = corners - place.centre
        if not place.above or (from_centre @ place.upwards).max() < 0.0:
            return None
        flat = np.stack([from_centre @ place.first, from_centre @ place.second], axis=1)
        spread = MARGIN * place.reach
        low = np.maximum(flat.min(axis=0) - spread, -place.reach)
        high = np.minimum(flat.max(axis=0) + spread, place.reach)
        return np.concatenate([low, high]) if (low < high).all() else None

    def draw_from_above(self, discs: list[Disc], colours: list[np.ndarray]) -> None:
        for place, colour in zip(discs, colours, strict=True):
            if place.above:
                self._draw(place, colour)

    def draw_from_below(self, discs: list[Disc], colours: list[np.ndarray]) -> None:
        """Through those that the eye is below one sees what is above them."""
        for place, colour in zip(discs, colours, strict=True):
            if not place.above:
                self._draw(place, colour)

    def _draw(self, place: Disc, colour: np.ndarray) -> None:
        context, program = self._context, self._programs["ground"]
        set_disc(program, place)
        program["colour"] = tuple(colour)
        context.enable(moderngl.BLEND | moderngl.DEPTH_TEST)
        context.blend_func = moderngl.SRC_ALPHA, moderngl.ONE_MINUS_SRC_ALPHA
        self._empty["ground"].render(moderngl.TRIANGLE_FAN, vertices=SEGMENTS + 2)
        context.disable(moderngl.BLEND | moderngl.DEPTH_TEST)

    def draw_shadows(self, discs: list[Disc], target: moderngl.Framebuffer) -> None:
        """Darken the grounds drawn before where something is above them."""
        context, program = self._context, self._programs["cast"]
        context.enable(moderngl.BLEND | moderngl.DEPTH_TEST)
        context.blend_func = moderngl.SRC_ALPHA, moderngl.ONE_MINUS_SRC_ALPHA
        target.depth_mask = False
        for place, bounds, (texture, _) in zip(discs, self._bounds, self._shadows, strict=False):
            if bounds is not None:
                set_disc(program, place)
                program["bounds"] = tuple(bounds)
                texture.use(0)
                self._empty["cast"].render(moderngl.TRIANGLE_STRIP, vertices=4)
        target.depth_mask = True
        context.disable(moderngl.BLEND)


def set_disc(program: moderngl.Program, place: Disc) -> None:
    """Write those fields of a disc that the program has as uniforms."""
    for name in ("centre", "first", "second", "upwards", "offset"):
        if name in program:
            program[name] = tuple(getattr(place, name).tolist())
    for name in ("radius", "cell", "reach", "strength"):
        if name in program:
            program[name] = float(getattr(place, name))
