"""The OpenGL renderer between frames: what it keeps, what it draws into, and how its normals are made."""
from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from framework import viewer
from framework.viewer import Ball, Camera, Ground, Legend, Lines, Marks, Points, Scene, Surface, offscreen
from framework.viewer.normals import vertex_normals

SIZE = (320, 180)
VIEW = Camera((1.5, 1.2, 2.5), (0, 0.2, 0))
opengl = pytest.mark.skipif(bool(viewer.opengl_reason()), reason="no OpenGL")
both = pytest.mark.parametrize("renderer", [pytest.param("opengl", marks=opengl), "painter"])


def scene(height: float = 0.5, **changes) -> Scene:
    corners = np.array([[-0.5, height, -0.5], [-0.5, height, 0.5], [0.5, height, -0.5], [0.5, height, 0.5]])
    return Scene(**{"surfaces": [Surface(corners, [[0, 1, 2], [1, 3, 2]], back=(0.9, 0.5, 0.2))],
                    "balls": [Ball((0, 0.2, 0), 0.2)], "grounds": [Ground()], "legends": [Legend("height", "m", 0, 1)],
                    "lines": [Lines(corners, [[0, 3]], width=3)], "points": [Points(corners, size=9)],
                    "camera": VIEW, "caption": "t = 0", **changes})


def painted(drawn: Scene, smooth: bool) -> np.ndarray:
    renderer = offscreen._opengl()
    assert renderer is not None
    with renderer.context as context:
        framebuffer = context.framebuffer([context.renderbuffer(SIZE, 4)])
        renderer.show(drawn, *SIZE, framebuffer, smooth, texts=True)
        pixels = np.frombuffer(framebuffer.read(components=3, alignment=1), np.uint8)
    return pixels.reshape(SIZE[1], SIZE[0], 3)[::-1]


@opengl
def test_a_window_shows_the_picture() -> None:
    image = viewer.render(scene(), SIZE)
    assert np.array_equal(painted(scene(), smooth=True), image)
    rough = np.abs(painted(scene(), smooth=False).astype(int) - image).max(axis=2)
    assert (rough > 30).mean() < 0.02  # rims only


@opengl
def test_what_is_kept_between_frames_is_never_stale() -> None:
    """After other pictures each comes out as by a new renderer."""
    other = replace(VIEW, eye=np.array([2.0, 0.6, 2.0]))
    scenes = [scene(0.5), scene(0.9), scene(0.5, camera=other), scene(0.5, background=(1, 1, 1)), scene(0.5, balls=[]),
              scene(0.5, grounds=[Ground((0, -0.2, 0))]), scene(0.5, grounds=[Ground(colour=(0.9, 0.4, 0.4))]),
              scene(0.5, surfaces=[Surface([[0, 0, 0], [0, 0, 1], [1, 0, 0]], [[0, 1, 2]])]), scene(0.5, caption="t")]
    after = [viewer.render(each, SIZE) for each in scenes]
    fresh = []
    for each in scenes:
        viewer.close()
        fresh.append(viewer.render(each, SIZE))
    for one, two in zip(after, fresh, strict=True):
        assert np.array_equal(one, two)
    assert len({image.tobytes() for image in fresh}) == len(scenes)


@opengl
def test_a_still_view_creates_no_buffers() -> None:
    viewer.render(scene(), SIZE)
    renderer = offscreen._opengl()
    assert renderer is not None
    before = [slot.buffer for slot in renderer.pool._slots], renderer.targets[True]
    viewer.render(scene(0.7), SIZE)
    assert ([slot.buffer for slot in renderer.pool._slots], renderer.targets[True]) == before


@opengl
def test_shadows_reach_behind_the_eye() -> None:
    """A ground's triangles that reach behind the eye once hid the shadow in front of them."""
    corners = np.array([[-9, 0.6, -9], [-9, 0.6, 9], [9, 0.6, -9], [9, 0.6, 9]])
    sheet = Surface(corners, [[0, 1, 2], [1, 3, 2]])
    low = Camera((0.4, 0.3, 2.0), (0, 0.1, 0))
    lit, dark = (viewer.render(Scene(surfaces=surfaces, grounds=[Ground()], camera=low), SIZE).astype(int)
                 for surfaces in ([], [sheet]))
    assert (lit[150:] - dark[150:] > 10).all()


@both
def test_orthographic_views_keep_lengths(renderer: str) -> None:
    camera = Camera((0, 0, 5), (0, 0, 0), orthographic=2.0)
    bars = [Lines([[-0.5, y, z], [0.5, y, z]], [[0, 1]], (0, 0, 0), 3) for y, z in ((0.5, 2.0), (-0.5, -6.0))]
    dark = viewer.render(Scene(lines=bars, camera=camera, background=(1, 1, 1)), SIZE, renderer).max(axis=2) < 100
    for rows in (dark[:90], dark[90:]):
        assert abs(rows.any(axis=0).sum() - 90) <= 4  # a metre is 90 of 180 rows


@both
def test_orthographic_grounds(renderer: str) -> None:
    camera = Camera((0, 5, 0.01), (0, 0, 0), orthographic=4.0)
    image = viewer.render(Scene(grounds=[Ground()], camera=camera), SIZE, renderer)
    assert np.ptp(image[60:120, 100:220].mean(axis=2)) > 8  # its checks


def test_vertex_normals() -> None:
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [9, 9, 9]], np.float32)
    triangles = np.array([[0, 1, 2], [0, 3, 1]], np.int32)
    for scale in (1.0, 1e-12, 1e9):
        normals = np.full((5, 3), 7.0, np.float32)
        vertex_normals(np.float32(scale) * points, triangles, normals)
        half = np.sqrt(0.5)
        assert np.allclose(normals, [[0, half, half], [0, half, half], [0, 0, 1], [0, 1, 0], [0, 0, 0]], atol=1e-6)


@pytest.mark.parametrize(("what", "text"), [
    ({"segments": np.zeros((2, 3))}, r"Marks.segments must have shape \(k, 2, 3\), got \(2, 3\)"),
    ({"triangles": np.zeros((1, 3, 3)), "triangle_colours": np.zeros((2, 3))}, "Marks.triangle_colours must have"),
    ({"width": -1}, "Marks.width must be positive"),
])
def test_bad_marks(what: dict, text: str) -> None:
    with pytest.raises(viewer.SceneError, match=text):
        Marks(**what)
