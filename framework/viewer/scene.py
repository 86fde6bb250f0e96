"""A picture's content as plain data: arrays in world coordinates (metres, +y is up), colours sRGB in 0..1.

A `Scene` knows nothing of entities or physics; both renderers draw from it alone. Each class checks its shapes when
made. A vertex that is not finite hides the triangles, segments or points that use it.
"""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .colours import BODIES, stops_of
from .errors import SceneError

Array = Any  # anything numpy makes an array of; it is one once the object is made
MAX_LIGHTS = 8
SHOW = ("wireframe", "nodes", "normals", "springs", "supports", "loads", "axes")
"""What a picture can show besides surfaces. loads: forces on particles as arrows, gravity and wind in a corner."""


@dataclass(slots=True)
class Surface:
    """Triangles that share vertices; the front of a triangle is where its corners run anticlockwise.

    vertices (n, 3) [m]; triangles (t, 3) int32; front, back: colour (n, 3) or (3,), back None means as the front.
    wireframe: draw the edges in the front colour, and no faces. two_sided: draw back faces too.
    smooth: shade with normals averaged at the vertices; False shows the facets (boxes, solids with sharp edges).
    """

    vertices: Array
    triangles: Array
    front: Array = tuple(BODIES[0])
    back: Array = None
    wireframe: bool = False
    two_sided: bool = True
    smooth: bool = True

    def __post_init__(self) -> None:
        self.vertices = _rows(self.vertices, 3, "Surface.vertices", np.float64)
        self.triangles = _indices(self.triangles, 3, len(self.vertices), "Surface.triangles")
        self.front = _colours(self.front, len(self.vertices), "Surface.front")
        if self.back is not None:
            self.back = _colours(self.back, len(self.vertices), "Surface.back")


@dataclass(slots=True)
class Lines:
    """Segments between points, drawn as tubes `width` pixels wide.

    points (n, 3) [m]; segments (s, 2) int32; colour (n, 3) or (3,).
    """

    points: Array
    segments: Array
    colour: Array = (0.25, 0.27, 0.32)
    width: float = 2.0

    def __post_init__(self) -> None:
        self.points = _rows(self.points, 3, "Lines.points", np.float64)
        self.segments = _indices(self.segments, 2, len(self.points), "Lines.segments")
        self.colour = _colours(self.colour, len(self.points), "Lines.colour")
        _positive(self.width, "Lines.width")


@dataclass(slots=True)
class Points:
    """Points drawn as shaded discs `size` pixels across: points (n, 3) [m]; colour (n, 3) or (3,)."""

    points: Array
    colour: Array = (0.85, 0.35, 0.25)
    size: float = 8.0

    def __post_init__(self) -> None:
        self.points = _rows(self.points, 3, "Points.points", np.float64)
        self.colour = _colours(self.colour, len(self.points), "Points.colour")
        _positive(self.size, "Points.size")


@dataclass(slots=True)
class Marks:
    """Symbols over a picture, unlit: segments (s, 2, 3) and triangles (t, 3, 3) [m], each with colours (k, 3) or (3,).

    segment_offsets, triangle_offsets: of their corners, along the world's axes but in pixels, so that what they span
    looks as large in every view. width: of segments, in pixels. on_top: drawn over all that is nearer.
    """

    segments: Array = ()
    segment_colours: Array = (0.1, 0.1, 0.1)
    triangles: Array = ()
    triangle_colours: Array = (0.1, 0.1, 0.1)
    width: float = 1.6
    on_top: bool = False
    segment_offsets: Array = None
    triangle_offsets: Array = None

    def __post_init__(self) -> None:
        for name, corners in (("segment", 2), ("triangle", 3)):
            rows = np.asarray(getattr(self, f"{name}s"), dtype=np.float64)
            rows = rows if rows.size else np.zeros((0, corners, 3))
            if rows.ndim != 3 or rows.shape[1:] != (corners, 3):
                raise SceneError(f"Marks.{name}s must have shape (k, {corners}, 3), got {rows.shape}")
            setattr(self, f"{name}s", rows)
            offsets = getattr(self, f"{name}_offsets")
            offsets = np.zeros_like(rows) if offsets is None else np.asarray(offsets, dtype=np.float64)
            if offsets.shape != rows.shape:
                raise SceneError(f"Marks.{name}_offsets must have shape {rows.shape}, got {offsets.shape}")
            setattr(self, f"{name}_offsets", offsets)
            colours = f"{name}_colours"
            setattr(self, colours, _colours(getattr(self, colours), len(rows), f"Marks.{colours}"))
        _positive(self.width, "Marks.width")


@dataclass(slots=True)
class Ball:
    """A sphere: centre (3,) [m], radius [m], colour (3,)."""

    centre: Array
    radius: float
    colour: Array = (0.72, 0.70, 0.67)

    def __post_init__(self) -> None:
        self.centre = _vector(self.centre, "Ball.centre")
        self.colour = _vector(self.colour, "Ball.colour")
        _positive(self.radius, "Ball.radius")


@dataclass(slots=True)
class Ground:
    """A plane through point (3,) [m] with normal (3,), shown as a checkered disc that fades into the background.

    The disc lies below the camera's target and is as large as the view; bodies above it cast a soft shadow on it.
    """

    point: Array = (0.0, 0.0, 0.0)
    normal: Array = (0.0, 1.0, 0.0)
    colour: Array = (0.64, 0.67, 0.70)

    def __post_init__(self) -> None:
        self.point = _vector(self.point, "Ground.point")
        self.colour = _vector(self.colour, "Ground.colour")
        normal = _vector(self.normal, "Ground.normal")
        length = float(np.linalg.norm(normal))
        if not length > 0.0:
            raise SceneError(f"Ground.normal must have a length, got {normal}")
        self.normal = normal / length


@dataclass(slots=True)
class Legend:
    """A colour bar: what is shown, its unit ("" or "1": none), the values at both ends, stops (k, 3) or a map's name.

    back: the stops of the other side, where it has its own; the legend then shows both.
    """

    label: str
    unit: str
    low: float
    high: float
    stops: str | Array = "viridis"
    back: str | Array | None = None

    def __post_init__(self) -> None:
        self.stops = stops_of(self.stops)
        if self.back is not None:
            self.back = stops_of(self.back)
        if not (np.isfinite(self.low) and np.isfinite(self.high)):
            raise SceneError(f"Legend '{self.label}': low and high must be finite, got {self.low} and {self.high}")


@dataclass(slots=True)
class Indicator:
    """Arrows in a corner of the picture: (direction (3,), colour (3,), text) each, and a label below, of some lines.

    A direction's length counts: 1 is as long as there is room for.
    """

    arrows: Sequence[tuple[Array, Array, str]]
    label: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Camera:
    """A view: eye, target, up (3,) [m]; field_of_view: the vertical opening in degrees.

    orthographic: None for perspective, or the height of what is seen [m]: parallel lines stay parallel, sizes compare.
    """

    eye: Array
    target: Array
    up: Array = (0.0, 1.0, 0.0)
    field_of_view: float = 40.0
    orthographic: float | None = None

    def __post_init__(self) -> None:
        for name in ("eye", "target", "up"):
            object.__setattr__(self, name, _vector(getattr(self, name), f"Camera.{name}"))
        if self.orthographic is not None:
            _positive(self.orthographic, "Camera.orthographic")
        if not np.linalg.norm(self.eye - self.target) > 0.0:
            raise SceneError(f"Camera.eye and Camera.target must differ, both are {self.eye}")
        if not 0.0 < self.field_of_view < 180.0:
            raise SceneError(f"Camera.field_of_view must be in (0, 180) degrees, got {self.field_of_view}")


@dataclass(slots=True)
class Light:
    """A light: position (3,) or (4,) [m], where a fourth coordinate 0 means a direction; Phong coefficients.

    The parts of all lights add up, and what would be brighter than white is compressed without changing its hue.
    """

    position: Array
    ambient: float = 0.2
    diffuse: float = 0.7
    specular: float = 0.5
    shininess: float = 5.0

    def __post_init__(self) -> None:
        position = np.asarray(self.position, dtype=np.float64)
        if position.shape not in ((3,), (4,)):
            raise SceneError(f"Light.position must have shape (3,) or (4,), got {position.shape}")
        self.position = position if len(position) == 4 else np.append(position, 1.0)


@dataclass(slots=True)
class Scene:
    """Everything in one picture. camera None: `camera.fit`; lights None: `lighting.default_lights`.
    plane: all bodies are in the plane z = 0, and `camera.fit` looks straight at them.

    background: one colour (3,), or two (2, 3) for a gradient from top to bottom.

    For whoever fills it, what a person asks for: colour_by, a field for all bodies, "" for none, None for each body's
    own, or a difference of two branches; limits (low, high) of its range; and ranges, those of earlier pictures by what
    is shown, with how many of them used little of it. show: names of SHOW. highlight: (id of an entity, number of a
    particle or None for all).
    """

    surfaces: list[Surface] = field(default_factory=list)
    lines: list[Lines] = field(default_factory=list)
    points: list[Points] = field(default_factory=list)
    marks: list[Marks] = field(default_factory=list)
    balls: list[Ball] = field(default_factory=list)
    grounds: list[Ground] = field(default_factory=list)
    legends: list[Legend] = field(default_factory=list)
    indicators: list[Indicator] = field(default_factory=list)
    camera: Camera | None = None
    plane: bool = False
    lights: Sequence[Light] | None = None
    title: str = ""
    caption: str = ""
    background: Array = ((0.79, 0.84, 0.90), (0.965, 0.97, 0.975))

    colour_by: Any = None
    limits: tuple[float, float] | None = None
    ranges: dict[tuple, tuple[tuple[float, float], int]] = field(default_factory=dict)
    show: Iterable[str] = ()
    highlight: tuple[int, int | None] | None = None

    def __post_init__(self) -> None:
        background = np.asarray(self.background, dtype=np.float64)
        if background.shape not in ((3,), (2, 3)):
            raise SceneError(f"Scene.background must have shape (3,) or (2, 3), got {background.shape}")
        self.background = np.broadcast_to(background, (2, 3))
        self.show = frozenset(self.show)
        for name in self.show.difference(SHOW):
            raise SceneError(f"a picture cannot show {name!r}; known: {', '.join(SHOW)}")
        if self.lights is not None and len(self.lights) > MAX_LIGHTS:
            raise SceneError(f"Scene.lights: at most {MAX_LIGHTS} lights, got {len(self.lights)}")


def _rows(value: object, columns: int, name: str, dtype: type) -> np.ndarray:
    array: np.ndarray = np.asarray(value, dtype=dtype)
    if array.size == 0:
        return np.zeros((0, columns), dtype=dtype)
    if array.ndim != 2 or array.shape[1] != columns:
        raise SceneError(f"{name} must have shape (n, {columns}), got {array.shape}")
    return array


def _indices(value: object, columns: int, count: int, name: str) -> np.ndarray:
    array = _rows(value, columns, name, np.int32)
    if array.size and (array.min() < 0 or array.max() >= count):
        raise SceneError(f"{name} must be in 0 .. {count - 1}, found {array.min()} .. {array.max()}")
    return array


def _colours(value: object, count: int, name: str) -> np.ndarray:
    array = np.asarray(value, dtype=np.float64)
    if array.shape not in ((3,), (count, 3)):
        raise SceneError(f"{name} must have shape (3,) or ({count}, 3), got {array.shape}")
    return array


def _vector(value: object, name: str) -> np.ndarray:
    array = np.asarray(value, dtype=np.float64)
    if array.shape != (3,) or not np.isfinite(array).all():
        raise SceneError(f"{name} must be three finite numbers, got {value}")
    return array


def _positive(value: float, name: str) -> None:
    if not (value > 0.0 and np.isfinite(value)):
        raise SceneError(f"{name} must be positive, got {value}")
