"""The viewer: both renderers draw the same scene, films and pictures are whole or absent, and errors say what to do."""
from __future__ import annotations

import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest

from framework import viewer
from framework.viewer import (
    Ball,
    Camera,
    Film,
    Ground,
    Legend,
    Light,
    Lines,
    Points,
    Scene,
    Surface,
    ViewerError,
    colours,
    legend,
    offscreen,
    opengl_reason,
)
from framework.viewer.following import Following

SIZE = (320, 180)
WITHOUT_OPENGL = opengl_reason()
opengl = pytest.param("opengl", marks=pytest.mark.skipif(bool(WITHOUT_OPENGL), reason=f"no OpenGL: {WITHOUT_OPENGL}"))
both = pytest.mark.parametrize("renderer", [opengl, "painter"])
WHITE = (1.0, 1.0, 1.0)
SCATTERED = np.random.default_rng(1).normal(size=(8, 3))
FROM_ABOVE = Camera(eye=(0, 3, 0), target=(0, 0, 0), up=(0, 0, -1))
FROM_BELOW = Camera(eye=(0, -3, 0), target=(0, 0, 0), up=(0, 0, -1))


def sheet(n: int = 12) -> tuple[np.ndarray, np.ndarray]:
    """A wavy square sheet; its front faces up."""
    i, j = (k.ravel() for k in np.meshgrid(np.arange(n), np.arange(n), indexing="ij"))
    x, z = i / (n - 1) - 0.5, j / (n - 1) - 0.5
    vertices = np.stack([x, 0.05 * np.sin(6 * x), z], axis=1)
    first = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)).ravel()
    triangles = np.concatenate([np.stack([first, first + 1, first + n], 1),
                                np.stack([first + 1, first + n + 1, first + n], 1)])
    return vertices, triangles


def drawn(image: np.ndarray) -> np.ndarray:
    """Mask of the pixels that differ from a white background."""
    return (image < 250).any(axis=2)


def overlap(one: np.ndarray, two: np.ndarray) -> float:
    return (one & two).sum() / (one | two).sum()


def full_scene() -> Scene:
    vertices, triangles = sheet()
    rope = np.array([[-0.7, 0.6, 0], [0.0, 0.4, 0], [0.7, 0.6, 0]])
    return Scene(
        surfaces=[Surface(vertices, triangles, colours.apply(vertices[:, 0], -0.5, 0.5), back=(0.9, 0.5, 0.2))],
        lines=[Lines(rope, [[0, 1], [1, 2]], width=4)], points=[Points(rope, size=10)], balls=[Ball((0, -0.4, 0), 0.3)],
        grounds=[Ground((0, -0.7, 0))], legends=[Legend("height", "m", -0.5, 0.5)], title="All", caption="frame 0")


@both
@pytest.mark.parametrize("scene", [
    Scene(surfaces=[Surface(*sheet())], background=WHITE),
    Scene(surfaces=[Surface(*sheet(80))], background=WHITE),
    Scene(balls=[Ball((0, 0, 0), 1.0), Ball((1.5, 0.5, -1.0), 0.6)], background=WHITE),
    Scene(lines=[Lines(SCATTERED, np.stack([np.arange(7), np.arange(1, 8)], 1), width=6)],
          points=[Points(SCATTERED[::-1, [1, 2, 0]], size=12)], background=WHITE),
], ids=["sheet", "fine sheet", "balls", "lines and points"])
def test_silhouette_is_the_projection(scene: Scene, renderer: str) -> None:
    """Both renderers against one reference: the painter's silhouette at twice the size."""
    image = viewer.render(scene, SIZE, renderer)
    assert image.shape == (SIZE[1], SIZE[0], 3) and image.dtype == np.uint8
    if not scene.lines:  # their widths are in pixels, hence not twice as large
        fine = drawn(viewer.render(scene, (2 * SIZE[0], 2 * SIZE[1]), "painter"))
        fine = fine.reshape(SIZE[1], 2, SIZE[0], 2).mean(axis=(1, 3)) >= 0.5
        assert overlap(drawn(image), fine) > 0.95
    assert overlap(drawn(image), drawn(viewer.render(scene, SIZE, "painter"))) > 0.85


@pytest.mark.parametrize("renderer", [opengl])
def test_renderers_agree_on_colour(renderer: str) -> None:
    scene = full_scene()
    one, two = (viewer.render(scene, SIZE, name).astype(float) for name in (renderer, "painter"))
    assert np.abs(one - two).mean() < 6.0


@both
def test_front_and_back_have_their_colours(renderer: str) -> None:
    surface = Surface(*sheet(), front=(0.9, 0.1, 0.1), back=(0.1, 0.1, 0.9))
    above = viewer.render(Scene(surfaces=[surface], camera=FROM_ABOVE), SIZE, renderer)[90, 160].astype(int)
    below = viewer.render(Scene(surfaces=[surface], camera=FROM_BELOW), SIZE, renderer)[90, 160].astype(int)
    assert above[0] > above[2] + 80 and below[2] > below[0] + 80


@both
@pytest.mark.parametrize("cells", [12, 80])
def test_lit_from_above_and_below(renderer: str, cells: int) -> None:
    """Both sides are lit by their own light, and neither is washed out to white nor left dark."""
    surface = Surface(*sheet(cells), front=(0.5, 0.5, 0.5))
    for lights in (None, [Light((0, 250, 0)), Light((0, -250, 0))]):
        for camera in (FROM_ABOVE, FROM_BELOW):
            image = viewer.render(Scene(surfaces=[surface], camera=camera, lights=lights), SIZE, renderer)
            assert 70 < image[80:100, 150:170].mean() < 235


@both
def test_a_one_sided_surface_hides_its_back(renderer: str) -> None:
    scene = Scene(surfaces=[Surface(*sheet(), two_sided=False)], background=WHITE, camera=FROM_BELOW)
    assert not drawn(viewer.render(scene, SIZE, renderer)).any()


@both
def test_wireframe_draws_edges_only(renderer: str) -> None:
    scene = Scene(surfaces=[Surface(*sheet(8), wireframe=True)], background=WHITE, camera=FROM_ABOVE)
    share = drawn(viewer.render(scene, (640, 360), renderer))[100:260, 240:400].mean()
    assert 0.02 < share < 0.6


@both
def test_nearer_things_hide_farther_ones(renderer: str) -> None:
    balls = [Ball((0, 1, 0), 0.2, (0.9, 0.1, 0.1)), Ball((0, 0, 0), 0.2, (0.1, 0.1, 0.9))]
    for order in (balls, balls[::-1]):
        red, _, blue = viewer.render(Scene(balls=order, camera=FROM_ABOVE), SIZE, renderer)[90, 160].astype(int)
        assert red > blue + 60


@both
def test_empty_scene_is_the_background(renderer: str) -> None:
    image = viewer.render(Scene(background=((1, 0, 0), (0, 0, 1))), SIZE, renderer).astype(int)
    assert image[0, 0, 0] > 250 > 5 > image[0, 0, 2] and image[-1, 0, 2] > 250
    viewer.render(Scene(grounds=[Ground()]), SIZE, renderer)
    nothing = Scene(surfaces=[Surface([], [])], lines=[Lines([], [])], points=[Points([])], background=WHITE)
    assert not drawn(viewer.render(nothing, SIZE, renderer)).any()


@both
def test_vertices_that_are_not_finite_hide_their_triangles(renderer: str) -> None:
    vertices, triangles = sheet()
    scene = Scene(surfaces=[Surface(vertices, triangles)], background=WHITE, camera=FROM_ABOVE)
    whole = viewer.render(scene, SIZE, renderer)
    vertices[5], vertices[70], vertices[90] = np.nan, np.inf, 1e300
    scene = Scene(surfaces=[Surface(vertices, triangles)], lines=[Lines(vertices, [[4, 5], [0, 1]])],
                  points=[Points(vertices[:8])], background=WHITE, camera=FROM_ABOVE)
    holed = viewer.render(scene, SIZE, renderer)
    assert 0.8 * drawn(whole).sum() < drawn(holed).sum() < drawn(whole).sum()
    scene.camera = None
    assert drawn(viewer.render(scene, SIZE, renderer)).mean() > 0.05
    viewer.render(Scene(surfaces=[Surface(np.full((3, 3), np.nan), [[0, 1, 2]])]), SIZE, renderer)


@both
def test_things_around_and_behind_the_eye(renderer: str) -> None:
    camera = Camera(eye=(0, 0.02, 0), target=(0, 0, -1))
    scene = full_scene()
    scene.camera = camera
    assert viewer.render(scene, SIZE, renderer).std() > 1.0


@both
def test_the_same_picture_each_time(renderer: str) -> None:
    scene = full_scene()
    first = viewer.render(scene, SIZE, renderer)
    viewer.render(Scene(balls=[Ball((0, 0, 0), 1)]), (200, 100), renderer)
    assert np.array_equal(first, viewer.render(scene, SIZE, renderer))


@both
@pytest.mark.parametrize("size", [(1, 1), (33, 17), (200, 300)])
def test_any_size(renderer: str, size: tuple[int, int]) -> None:
    assert viewer.render(full_scene(), size, renderer).shape == (size[1], size[0], 3)


@pytest.mark.parametrize("renderer", [opengl])
def test_a_quarter_of_a_million_vertices(renderer: str) -> None:
    vertices, triangles = sheet(500)
    assert viewer.render(Scene(surfaces=[Surface(vertices, triangles)], grounds=[Ground()]), SIZE, renderer).std() > 5.0


@both
def test_far_from_the_origin(renderer: str) -> None:
    """A body a thousand kilometres away looks as it does at the origin: positions are taken relative to the target."""
    vertices, triangles = sheet()
    pictures = [viewer.render(Scene(surfaces=[Surface(vertices + shift, triangles)]), SIZE, renderer).astype(int)
                for shift in (0.0, 1e6)]
    assert np.abs(pictures[0] - pictures[1]).mean() < 1.0


@both
def test_legend_is_drawn(renderer: str) -> None:
    vertices, triangles = sheet()
    camera = Camera((0, 9, 0), (0, 0, 0), (0, 0, -1))
    scene = Scene(surfaces=[Surface(vertices, triangles)], background=WHITE, camera=camera)
    plain = viewer.render(scene, (640, 360), renderer)
    scene.legends, scene.title = [Legend("speed", "m/s", 0.0, 2.0, [(1, 0, 0), (0, 0, 1)])], "Title"
    image = viewer.render(scene, (640, 360), renderer)
    changed = (plain != image).any(axis=2)
    assert changed[:60, :200].any() and not changed[60:, :400].any()
    corner = image[:, 500:].astype(int)
    red = (corner[..., 0] > 200) & (corner[..., 2] < 60)
    blue = (corner[..., 2] > 200) & (corner[..., 0] < 60)
    assert red.any() and blue.any()
    assert np.argwhere(blue)[:, 0].mean() < np.argwhere(red)[:, 0].mean()  # the highest value is on top


def test_ticks_are_round_and_inside() -> None:
    values, texts, power = legend.ticks(0.0, 1.0)
    assert texts == ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"] and power == 0
    values, texts, power = legend.ticks(-2.3e6, 7.1e6)
    assert texts == ["−2", "0", "2", "4", "6"] and power == 6
    assert legend.ticks(3.0, 3.0) == ([3.0], ["3"], 0)
    assert legend.ticks(0.0, 0.0) == ([0.0], ["0"], 0)
    rng = np.random.default_rng(0)
    for low, width in zip(rng.normal(size=200), 10.0 ** rng.uniform(-7, 7, 200), strict=True):
        values, texts, _ = legend.ticks(low, low + width)
        assert 2 <= len(values) <= 6 and len(set(texts)) == len(texts)
        assert low - 1e-6 * width <= values[0] and values[-1] <= low + 1.000001 * width
    assert legend.heading("stress", "Pa", 6) == "stress [10⁶ Pa]"
    assert [legend.heading("strain", unit, 0) for unit in ("", "1")] == ["strain", "strain"]


def test_colour_maps() -> None:
    two = colours.apply([0.0, 0.5, 1.0, 9.0, np.nan], 0.0, 1.0, [(1, 0, 0), (0, 0, 1)])
    assert np.allclose(two, [[1, 0, 0], [0.5, 0, 0.5], [0, 0, 1], [0, 0, 1], colours.MISSING])
    assert np.allclose(colours.apply([2.0, np.nan], 2.0, 2.0, "heat"), [colours.MAPS["heat"][0], colours.MISSING])
    for name in colours.MAPS:
        assert colours.apply(np.linspace(-1, 2, 50), 0, 1, name).shape == (50, 3)
    with pytest.raises(ValueError, match="unknown colour map 'virids'; known: viridis"):
        colours.stops_of("virids")


def test_fit_holds_the_bodies_and_tames_large_balls() -> None:
    vertices, triangles = sheet()
    scene = Scene(surfaces=[Surface(vertices * 3 + 5, triangles)])
    for aspect in (16 / 9, 1.0, 0.5):
        camera = viewer.camera.fit(scene, aspect)
        matrix = viewer.camera.projection_matrix(camera, aspect, 0.1, 100) @ viewer.camera.view_matrix(camera)
        clip = np.c_[scene.surfaces[0].vertices, np.ones(len(vertices))] @ matrix.T
        place = np.abs(clip[:, :2] / clip[:, 3:])
        assert 0.6 < place.max() < 0.95
    near = viewer.camera.fit(scene)
    scene.balls = [Ball((5, -995, 5), 1000.0)]
    scene.grounds = [Ground((0, -1000, 0))]
    far = viewer.camera.fit(scene)
    assert np.linalg.norm(far.eye - far.target) < 2.5 * np.linalg.norm(near.eye - near.target)


def test_a_film_holds_bodies_that_move_and_does_not_jump() -> None:
    """A sheet that swings out of the first view: always in the picture, by steps that are small beside the view."""
    vertices, triangles = sheet()
    following, before = Following(16 / 9), None
    for k in range(120):
        moved = vertices + np.array([0.0, 0.0, 0.02 * k])
        scene = Scene(surfaces=[Surface(moved, triangles)])
        camera = following.camera(scene)
        matrix = viewer.camera.projection_matrix(camera, 16 / 9, 0.1, 100) @ viewer.camera.view_matrix(camera)
        clip = np.c_[moved, np.ones(len(moved))] @ matrix.T
        assert np.abs(clip[:, :2] / clip[:, 3:]).max() < 1.0
        if before is not None:
            distance = np.linalg.norm(camera.eye - camera.target)
            assert np.linalg.norm(camera.eye - before) < 0.1 * distance
        before = camera.eye


def test_a_film_lets_go_of_what_falls_for_ever() -> None:
    vertices, triangles = sheet()
    following = Following(16 / 9)
    for k in range(200):
        moved = vertices - np.array([0.0, float(k) ** 2, 0.0])
        camera = following.camera(Scene(surfaces=[Surface(moved, triangles)]))
    first = viewer.camera.fit(Scene(surfaces=[Surface(vertices, triangles)]))
    assert np.linalg.norm(camera.eye - camera.target) <= 8 * np.linalg.norm(first.eye - first.target)


def test_film_mp4(tmp_path: Path) -> None:
    imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg")
    path = tmp_path / "film.mp4"
    with Film(path, fps=30) as film:
        for k in range(7):
            film.add(np.full((91, 121, 3), (200, 20 * k, 40), dtype=np.uint8))
        assert not path.exists()
    assert [file.name for file in tmp_path.iterdir()] == ["film.mp4"]
    frames = imageio_ffmpeg.read_frames(str(path))
    about = next(frames)
    pixels = [np.frombuffer(frame, np.uint8).reshape(92, 122, 3) for frame in frames]
    assert about["size"] == (122, 92) and about["fps"] == 30
    assert "h264" in about["codec"] and "yuv420p" in about["pix_fmt"]
    assert len(pixels) == 7
    assert np.abs(pixels[3].mean(axis=(0, 1)) - (200, 60, 40)).max() < 6


def test_film_gif(tmp_path: Path) -> None:
    imageio = pytest.importorskip("imageio.v3")
    path = tmp_path / "film.gif"
    with Film(path, fps=20) as film:
        for k in range(5):
            film.add(np.full((20, 30, 3), 50 * k, dtype=np.uint8))
    assert imageio.imread(path).shape[:3] == (5, 20, 30)
    with Film(path, fps=60) as film:  # every second frame, for a GIF cannot be that fast
        for k in range(6):
            film.add(np.full((20, 30, 3), 40 * k, dtype=np.uint8))
    assert len(imageio.imread(path)) == 3 and (film.kept, film.rate) == (3, 30.0)


@pytest.mark.parametrize(("fps", "pictures"), [(60.0, 120), (50.0, 50), (1 / 0.03, 40), (29.97, 30), (7.0, 9), (5, 1)])
def test_a_gif_keeps_time(tmp_path: Path, fps: float, pictures: int) -> None:
    image = pytest.importorskip("PIL.Image")
    with Film(tmp_path / "film.gif", fps) as film:
        for k in range(pictures):
            film.add(np.full((4, 4, 3), 2 * k, dtype=np.uint8))
    with image.open(tmp_path / "film.gif") as read:
        delays = []
        for k in range(read.n_frames):
            read.seek(k)
            delays.append(read.info["duration"])
    shown = np.concatenate([[0.0], np.cumsum(delays)]) / 1000.0
    assert np.abs(shown - np.arange(len(shown)) / film.rate).max() <= 0.0051
    assert film.kept == len(delays) and film.rate * np.ceil(fps / 50) == pytest.approx(fps)


@pytest.mark.parametrize("name", ["film.mp4", "film.gif"])
def test_interrupted_film_leaves_the_old_one(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"older")
    with pytest.raises(KeyboardInterrupt), Film(path) as film:
        film.add(np.zeros((20, 30, 3), dtype=np.uint8))
        raise KeyboardInterrupt
    assert [file.name for file in tmp_path.iterdir()] == [name] and path.read_bytes() == b"older"


def test_film_errors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    image = np.zeros((20, 30, 3), dtype=np.uint8)
    with pytest.raises(ViewerError, match=r"unknown format '.avi'; use .mp4 or .gif"):
        Film(tmp_path / "film.avi")
    with pytest.raises(ViewerError, match="there is no folder"):
        Film(tmp_path / "missing" / "film.mp4")
    with pytest.raises(ViewerError, match="fps must be positive"):
        Film(tmp_path / "film.mp4", fps=0)
    film = Film(tmp_path / "film.mp4")
    film.add(image)
    with pytest.raises(ViewerError, match="frames must be 30 x 20, got 20 x 20"):
        film.add(image[:, :20])
    film.close()
    with pytest.raises(ViewerError, match="is closed"):
        film.add(image)
    with pytest.raises(ViewerError, match="has no frames"):
        Film(tmp_path / "none.mp4").close()
    with pytest.raises(ViewerError, match=r"must be a \(h, w, 3\) array of uint8"):
        viewer.png_bytes(np.zeros((20, 30)))
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(ViewerError, match="pip install imageio-ffmpeg"):
        Film(tmp_path / "film.mp4")


def test_film_without_the_program_ffmpeg(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg")

    def missing() -> str:
        raise RuntimeError("No ffmpeg exe could be found")

    monkeypatch.setattr(imageio_ffmpeg, "get_ffmpeg_exe", missing)
    with pytest.raises(ViewerError, match="apt install ffmpeg"):
        Film(tmp_path / "film.mp4")


def test_png(tmp_path: Path) -> None:
    image = np.random.default_rng(0).integers(0, 256, (13, 17, 3), dtype=np.uint8)
    viewer.write_png(tmp_path / "picture.png", image)
    data = (tmp_path / "picture.png").read_bytes()
    assert data == viewer.png_bytes(image) and len(list(tmp_path.iterdir())) == 1
    start = data.index(b"IDAT")
    length = int.from_bytes(data[start - 4:start], "big")
    rows = np.frombuffer(zlib.decompress(data[start + 4:start + 4 + length]), np.uint8).reshape(13, 1 + 17 * 3)
    assert (rows[:, 0] == 1).all()
    assert np.array_equal(np.cumsum(rows[:, 1:].reshape(13, 17, 3), axis=1, dtype=np.uint8), image)
    with pytest.raises(ViewerError, match="there is no folder"):
        viewer.write_png(tmp_path / "missing" / "picture.png", image)
    with pytest.raises(ViewerError, match=r"use \.png"):
        viewer.write_png(tmp_path / "picture.jpg", image)


def test_without_egl_the_painter_draws_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    viewer.close()

    def missing(names: tuple[str, ...]) -> str:
        raise ViewerError(f"{names[0]} not found ({offscreen.EGL_HELP})")

    monkeypatch.setattr(offscreen, "_library", missing)
    monkeypatch.setattr(sys, "platform", "linux")
    try:
        name = viewer.renderer_name()
        assert name.startswith("painter: no OpenGL: libEGL.so.1 not found (Debian: apt install libegl1")
        assert np.array_equal(viewer.render(full_scene(), SIZE), viewer.render(full_scene(), SIZE, "painter"))
        with pytest.raises(ViewerError, match=r"no OpenGL: libEGL.so.1 not found"):
            viewer.render(full_scene(), SIZE, "opengl")
    finally:
        viewer.close()


def test_without_moderngl_and_pygame_there_is_one_clear_error() -> None:
    code = """
import sys
sys.modules["moderngl"] = sys.modules["pygame"] = None
from framework import viewer
print(viewer.renderer_name())
try:
    viewer.render(viewer.Scene(), (32, 18))
except viewer.ViewerError as error:
    print(error)
"""
    lines = run_python(code).splitlines()
    assert lines[0].startswith("painter: no OpenGL:") and "pip install moderngl" in lines[0]
    assert "needs pygame: pip install pygame-ce" in lines[1] and len(lines) == 2


def test_imports_are_lazy_and_silent() -> None:
    code = """
import sys
import framework.viewer.scene, framework.viewer
heavy = {"pygame", "moderngl", "imageio", "imageio_ffmpeg", "matplotlib", "PIL"} & set(sys.modules)
if heavy:
    print("imported:", heavy)
framework.viewer.render(framework.viewer.Scene(title="t"), (64, 36))
if "pygame.display" in sys.modules and sys.modules["pygame"].display.get_init():
    print("display opened")
"""
    assert run_python(code) == ""


@pytest.mark.parametrize(("make", "text"), [
    (lambda: Surface(np.zeros((4, 2)), [[0, 1, 2]]), r"Surface.vertices must have shape \(n, 3\), got \(4, 2\)"),
    (lambda: Surface(np.zeros((3, 3)), [[0, 1, 3]]), r"Surface.triangles must be in 0 .. 2, found 0 .. 3"),
    (lambda: Surface(np.zeros((3, 3)), [[0, 1, 2]], front=np.zeros((2, 3))), r"Surface.front must have shape"),
    (lambda: Lines(np.zeros((2, 3)), [[0, 1]], width=0), "Lines.width must be positive, got 0"),
    (lambda: Ball((0, 0, np.nan), 1), "Ball.centre must be three finite numbers"),
    (lambda: Ball((0, 0, 0), -1), "Ball.radius must be positive"),
    (lambda: Ground(normal=(0, 0, 0)), "Ground.normal must have a length"),
    (lambda: Camera((0, 0, 0), (0, 0, 0)), "must differ"),
    (lambda: Camera((1, 0, 0), (0, 0, 0), field_of_view=180), r"must be in \(0, 180\) degrees"),
    (lambda: Legend("x", "m", 0, np.inf), "low and high must be finite"),
    (lambda: Scene(lights=[Light((0, 1, 0))] * 9), "at most 8 lights"),
    (lambda: viewer.render(Scene(), (0, 10)), "size must be two numbers of pixels"),
    (lambda: viewer.render(Scene(), SIZE, "vulkan"), "unknown renderer 'vulkan'"),
])
def test_bad_input(make, text: str) -> None:
    with pytest.raises((ValueError, ViewerError), match=text):
        make()


def run_python(code: str) -> str:
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False,
                            cwd=Path(__file__).parents[2])
    assert result.returncode == 0, result.stderr
    return result.stdout
