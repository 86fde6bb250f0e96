"""The renderer for machines without OpenGL: polygons drawn from back to front on a pygame surface.

Same camera, colours, lights and legend as the OpenGL renderer; facets are flat. Drawn at twice the size and averaged.

Limitations: triangles that cut each other are sorted whole; what is below a ground is drawn over it; triangles and
lines that reach behind the eye are left out; wires cast no shadow; time grows with the number of triangles, about
5 microseconds each.
"""
from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from . import camera as cameras
from . import meshes
from .backdrop import backdrop
from .lighting import lights_of, shade
from .scene import Ball, Camera, Light, Marks, Scene, Surface
from .text import load_pygame

SUPERSAMPLE = 2
WIRE_WIDTH = 1.3
BALL_RINGS = 36


@dataclass(slots=True)
class View:
    """A camera and the size of the surface painted on, in (supersampled) pixels."""

    camera: Camera
    lights: list[Light]
    matrix: np.ndarray
    width: int
    height: int
    near: float

    def project(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Pixels (n, 2) and depth along the line of sight (n,) of points (n, 3)."""
        camera, parallel = self.camera, self.camera.orthographic
        scale = self.height / (parallel or 2.0 * np.tan(np.radians(camera.field_of_view) / 2.0))
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            seen = points @ self.matrix[:3, :3].T + self.matrix[:3, 3]
            depth = -seen[:, 2]
            shrink = np.ones((1, 1)) if parallel else depth[:, None]
            place = scale * seen[:, :2] / shrink * (1.0, -1.0) + (0.5 * self.width, 0.5 * self.height)
        return place, depth


@dataclass(slots=True)
class Batch:
    """Things of one kind to paint: depth (k,), pixel corners (k, c, 2), colours (k, 3) in 0..1; a size in pixels."""

    kind: str
    depth: np.ndarray
    corners: np.ndarray
    colours: np.ndarray
    size: float = 0.0


def draw(scene: Scene, width: int, height: int) -> np.ndarray:
    """The picture without text: (height, width, 3) uint8."""
    pygame = load_pygame("a picture without OpenGL")
    camera = scene.camera or cameras.fit(scene, width / height)
    near, _ = cameras.depth_range(camera, scene)
    view = View(camera, lights_of(scene, camera), cameras.view_matrix(camera),
                SUPERSAMPLE * width, SUPERSAMPLE * height, near)
    lift = 2e-3 * cameras.view_distance(camera)

    batches = []
    for surface in scene.surfaces:
        if surface.wireframe:
            edges = meshes.edges(surface.triangles)
            batches.append(_segments(view, surface.vertices, edges, surface.front, WIRE_WIDTH, lift))
        else:
            batches.append(_faces(view, surface))
    batches += [_ball(view, ball, len(scene.balls)) for ball in scene.balls]
    batches += [_segments(view, item.points, item.segments, item.colour, item.width, lift) for item in scene.lines]
    batches += [_discs(view, item.points, item.colour, item.size, 10.0 * lift) for item in scene.points]

    for marks in scene.marks:
        batches += _marks(view, marks, -1e9 if marks.on_top else -20.0 * lift)

    # pygame paints right into the array: frombuffer shares its memory.
    canvas = np.repeat(np.repeat(backdrop(scene, camera, width, height), SUPERSAMPLE, axis=0), SUPERSAMPLE, axis=1)
    surface = pygame.image.frombuffer(canvas, (view.width, view.height), "RGB")
    _paint(pygame, surface, [batch for batch in batches if len(batch.depth)])
    small = pygame.transform.smoothscale(surface, (width, height))
    return np.frombuffer(pygame.image.tobytes(small, "RGB"), dtype=np.uint8).reshape(height, width, 3).copy()


def _faces(view: View, surface: Surface, shift: float = 0.0) -> Batch:
    triangles = meshes.drawable(surface.vertices, surface.triangles)
    place, depth = view.project(surface.vertices)
    corners = place[triangles]
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    with np.errstate(invalid="ignore"):
        area = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])
        inside = ((corners.max(axis=1) > 0.0) & (corners.min(axis=1) < (view.width, view.height))).all(axis=1)
        kept = inside & (depth[triangles] > view.near).all(axis=1) & (area != 0.0)
    if not surface.two_sided:
        kept &= area < 0.0
    triangles, corners, front = triangles[kept], corners[kept], (area < 0.0)[kept]  # rows grow downwards on the screen
    points = surface.vertices[triangles]
    normals = np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    colours = _mean_colour(surface.front, triangles)
    if surface.back is not None:
        colours = np.where(front[:, None], colours, _mean_colour(surface.back, triangles))
    normals = np.where(front[:, None], normals, -normals)
    lit = shade(colours, normals, points.mean(axis=1), cameras.eye_of(view.camera), view.lights)
    return Batch("face", depth[triangles].mean(axis=1) + shift, corners, lit)


def _ball(view: View, ball: Ball, count: int) -> Batch:
    rings = BALL_RINGS if count <= 8 else 12
    vertices, triangles = meshes.unit_sphere(rings, 2 * rings)
    # Moved back in the order of painting, so that what lies on the ball is painted after it.
    surface = Surface(ball.centre + ball.radius * vertices, triangles, ball.colour, two_sided=False)
    return _faces(view, surface, 0.06 * ball.radius)


def _segments(view: View, points: np.ndarray, segments: np.ndarray, colour: np.ndarray, width: float,
              lift: float) -> Batch:
    segments = meshes.drawable(points, segments)
    place, depth = view.project(points)
    segments = segments[(depth[segments] > view.near).all(axis=1)]
    return Batch("line", depth[segments].mean(axis=1) - lift, place[segments], _mean_colour(colour, segments),
                 SUPERSAMPLE * width)


def _marks(view: View, marks: Marks, shift: float) -> list[Batch]:
    """Flat triangles and segments; their offsets are in pixels where they are seen."""
    camera, batches = view.camera, []
    pixel, distance = cameras.pixel_size(camera, view.height // SUPERSAMPLE), cameras.view_distance(camera)
    for kind, places, offsets, colours in (
            ("face", marks.triangles, marks.triangle_offsets, marks.triangle_colours),
            ("line", marks.segments, marks.segment_offsets, marks.segment_colours)):
        flat, shape = places.reshape(-1, 3), places.shape[:2]
        depth = view.project(flat)[1]
        scale = pixel * (np.ones_like(depth) if camera.orthographic else depth / distance)
        seen, depth = view.project(flat + scale[:, None] * offsets.reshape(-1, 3))
        with np.errstate(invalid="ignore"):
            good = (meshes.drawable_points(flat) & (depth > view.near)).reshape(shape).all(axis=1)
        far = depth.reshape(shape).mean(axis=1)[good] + shift
        paints = np.broadcast_to(colours, (len(places), 3))[good]
        batches.append(Batch(kind, far, seen.reshape(*shape, 2)[good], paints, SUPERSAMPLE * marks.width))
    return batches


def _discs(view: View, points: np.ndarray, colour: np.ndarray, size: float, lift: float) -> Batch:
    place, depth = view.project(points)
    kept = meshes.drawable_points(points) & (depth > view.near)
    colours = np.broadcast_to(colour, (len(points), 3))[kept]
    return Batch("disc", depth[kept] - lift, place[kept][:, None], colours, SUPERSAMPLE * size)


def _mean_colour(colour: np.ndarray, elements: np.ndarray) -> np.ndarray:
    if colour.ndim == 1:
        return np.broadcast_to(colour, (len(elements), 3))
    return colour[elements].mean(axis=1)


def _paint(pygame: ModuleType, surface: Any, batches: list[Batch]) -> None:
    """Everything, the farthest first; equal depths keep their order, so that a picture is the same each time."""
    if not batches:
        return
    polygon, line, circle = pygame.draw.polygon, pygame.draw.line, pygame.draw.circle
    limit = 4 * max(surface.get_size())  # pygame walks along edges far outside: keep them short
    order = np.argsort(-np.concatenate([batch.depth for batch in batches]), kind="stable").tolist()
    corners: list = []
    for batch in batches:
        corners += np.clip(batch.corners, -limit, limit).tolist()
    paints = np.clip(np.concatenate([batch.colours for batch in batches]), 0.0, 1.0)
    colours = (255.0 * paints + 0.5).astype(np.int32).tolist()
    kinds = [batch for batch in batches for _ in range(len(batch.depth))]
    for item in order:
        batch, colour = kinds[item], colours[item]
        if batch.kind == "face":
            polygon(surface, colour, corners[item])
        elif batch.kind == "line":
            start, end = corners[item]
            line(surface, colour, start, end, max(round(batch.size), 1))
            if batch.size >= 4.0:  # round joints
                circle(surface, colour, start, 0.5 * batch.size)
                circle(surface, colour, end, 0.5 * batch.size)
        else:
            (x, y), radius = corners[item][0], 0.5 * batch.size
            for grow, part in ((1.0, 0.72), (0.82, 0.86), (0.6, 0.97), (0.32, 1.0)):
                move = 0.25 * radius * (1.0 - grow)
                circle(surface, [int(part * channel) for channel in colour], (x - move, y - 1.6 * move), grow * radius)
