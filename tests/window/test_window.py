"""The window, driven by events, on pygame's driver without a display: what is drawn, and that nothing sticks."""
from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
pygame = pytest.importorskip("pygame")

from components import Appearance, BoundaryConditions, Gravity, MassSpring, Material, Wind  # noqa: E402
from components.prefabs import grid  # noqa: E402
from framework import World  # noqa: E402
from framework.viewer import picking  # noqa: E402
from framework.viewer.screen import PlainScreen, Screen  # noqa: E402
from framework.viewer.session import Session  # noqa: E402
from framework.viewer.window import Window  # noqa: E402
from systems import standard  # noqa: E402

SIZE = (640, 360)
TURN = 1 / 60


def build() -> World:
    world = World(systems=standard(), substeps=10)
    world.spawn(Gravity(), name="gravity")
    world.spawn(Wind(velocity=(0.0, 0.0, 2.0), coefficient=1e-3), name="wind")
    world.spawn(grid(size=(1.0, 1.0), cells=(8, 8), plane="xy"), Material(areal_density=0.2),
                MassSpring(stretch=40.0, shear=20.0, bend=0.5), BoundaryConditions.fixed("top"),
                Appearance(colour_by="strain"), name="cloth")
    return world


@pytest.fixture
def window(monkeypatch: pytest.MonkeyPatch) -> Iterator[Window]:
    monkeypatch.setenv("SDL_VIDEODRIVER", "offscreen")
    pygame.display.quit()
    opened = Window(Session(build(), build), SIZE, panels=False)
    if isinstance(opened.screen, PlainScreen):
        opened.close()
        pytest.skip(f"no OpenGL for windows: {opened.screen.name}")
    opened.turn([], 0.0)
    yield opened
    opened.close()


def event(kind: int, **values: Any) -> Any:
    return pygame.event.Event(kind, **values)


def key(name: str, mod: int = 0, up: bool = False) -> Any:
    code = pygame.key.key_code(name)
    return event(pygame.KEYUP if up else pygame.KEYDOWN, key=code, mod=mod, unicode="", scancode=0)


def tap(window: Window, *names: str) -> None:
    for name in names:
        window.turn([key(name), key(name, up=True)], 0.0)


def drag(window: Window, start: Any, end: Any, button: int = 1, steps: int = 5, hold: bool = False) -> None:
    start, end = np.array(start, dtype=float), np.array(end, dtype=float)
    window.turn([event(pygame.MOUSEBUTTONDOWN, button=button, pos=tuple(start))], TURN)
    for k in range(steps):
        place, by = start + (end - start) * (k + 1) / steps, (end - start) / steps
        window.turn([event(pygame.MOUSEMOTION, pos=tuple(place), rel=tuple(by), buttons=(1, 0, 0))], TURN)
    if not hold:
        window.turn([event(pygame.MOUSEBUTTONUP, button=button, pos=tuple(end))], TURN)


def pixel(window: Window, particle: int) -> np.ndarray:
    """Beside a particle, towards the middle of the cloth."""
    x = window.session.world.value("cloth.position")
    point = x[particle] + 0.02 * (x.mean(axis=0) - x[particle])
    return picking.project(window.controls.camera, point[None], window.controls.size)[0][0]


def test_the_window_shows_the_scene(window: Window) -> None:
    picture = window.picture()
    assert picture.shape == (360, 640, 3)
    centre = pixel(window, 40).astype(int)
    blue = picture[centre[1], centre[0]].astype(int)
    corner = picture[200, 5].astype(int)
    assert np.abs(blue - corner).max() > 40  # a cloth before the background
    before = picture
    window.session.play()
    for _ in range(5):
        window.turn([], TURN)
    assert window.session.playhead == 5
    assert (window.picture() != before).any()


def test_keys_play_step_and_go_back(window: Window) -> None:
    tap(window, "space")
    window.turn([], 2.1 * TURN)
    assert window.session.playhead == 2
    tap(window, "space")
    window.turn([], 2.1 * TURN)
    assert window.session.playhead == 2
    tap(window, "right", "right", ".")
    assert window.session.playhead == 5
    tap(window, "left")
    assert (window.session.playhead, window.session.last) == (4, 5)
    tap(window, "c")
    assert window.session.last == 4 and window.session.playing
    tap(window, "r")
    assert window.session.playhead == 0 and not window.session.playing
    tap(window, "[")
    assert window.session.speed == 0.5
    tap(window, "escape")
    assert window.session.quit


def test_dragging_beside_a_body_turns_the_view(window: Window) -> None:
    eye, target = window.controls.camera.eye, window.controls.camera.target
    drag(window, (10, 10), (90, 40))
    assert np.linalg.norm(window.controls.camera.eye - eye) > 0.1
    np.testing.assert_allclose(window.controls.camera.target, target)
    drag(window, (10, 10), (60, 10), button=3)
    assert np.linalg.norm(window.controls.camera.target - target) > 0.01
    assert window.controls.dragging == ""


def test_wheel_zooms_and_f_shows_everything(window: Window) -> None:
    before = np.linalg.norm(window.controls.camera.eye - window.controls.camera.target)
    window.turn([event(pygame.MOUSEWHEEL, x=0, y=5, precise_x=0.0, precise_y=5.0, flipped=False)], 0.0)
    camera = window.controls.camera
    assert np.linalg.norm(camera.eye - camera.target) < 0.6 * before
    tap(window, "z", "home")
    x = window.session.world.value("cloth.position")
    place, _ = picking.project(window.controls.camera, x, SIZE)
    assert (place > 0).all() and (place < SIZE).all()


def test_flight_needs_the_right_button_and_ends_with_it(window: Window) -> None:
    eye = window.controls.camera.eye
    window.turn([event(pygame.MOUSEBUTTONDOWN, button=3, pos=(5, 5)), key("w")], 0.0)
    for _ in range(5):
        window.turn([], TURN)
    flown = window.controls.camera.eye
    assert np.linalg.norm(flown - eye) > 0.01
    assert "wireframe" not in window.session.show
    window.turn([event(pygame.MOUSEBUTTONUP, button=3, pos=(5, 5))], TURN)
    window.turn([], TURN)
    np.testing.assert_allclose(window.controls.camera.eye, flown)


def test_nothing_stays_pressed_when_the_focus_goes(window: Window) -> None:
    window.turn([event(pygame.MOUSEBUTTONDOWN, button=3, pos=(5, 5)), key("w")], 0.0)
    window.turn([event(pygame.WINDOWFOCUSLOST)], TURN)
    assert window.controls.keys == set() and window.controls.dragging == ""
    eye = window.controls.camera.eye
    window.turn([], TURN)
    np.testing.assert_allclose(window.controls.camera.eye, eye)


def test_a_click_selects_and_a_click_beside_deselects(window: Window) -> None:
    place = tuple(pixel(window, 40))
    window.turn([event(pygame.MOUSEBUTTONDOWN, button=1, pos=place),
                 event(pygame.MOUSEBUTTONUP, button=1, pos=place)], 0.0)
    assert window.session.selection == (window.session.world.id("cloth"), 40)
    assert window.session.edits == []
    window.turn([event(pygame.MOUSEBUTTONDOWN, button=1, pos=(3, 3)),
                 event(pygame.MOUSEBUTTONUP, button=1, pos=(3, 3))], 0.0)
    assert window.session.selection is None


def test_resizing(window: Window) -> None:
    pygame.display.set_mode((900, 500), pygame.OPENGL | pygame.DOUBLEBUF | pygame.RESIZABLE)
    window.turn([event(pygame.WINDOWSIZECHANGED, x=900, y=500)], 0.0)
    assert window.picture().shape == (500, 900, 3)
    assert window.controls.size == (900, 500)


def test_a_minimised_window_draws_nothing_and_comes_back(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[int] = []
    monkeypatch.setattr(window.screen, "draw", lambda *given, **named: drawn.append(1))
    window.session.play()
    window.turn([event(pygame.WINDOWMINIMIZED)], TURN)
    assert drawn == [] and window.session.playhead == 0
    window.turn([event(pygame.WINDOWRESTORED)], TURN)
    assert drawn == [1] and window.session.playhead == 1


@pytest.mark.parametrize("kind", ["QUIT", "WINDOWCLOSE"])
def test_the_close_button_closes(window: Window, kind: str) -> None:
    pygame.event.post(event(getattr(pygame, kind)))
    window.run()
    assert window.session.quit and not pygame.display.get_init()


def test_a_stopped_run_closes(window: Window) -> None:
    window.run(lambda: True)
    assert not pygame.display.get_init()


def test_screenshot_and_film(window: Window, tmp_path: Path) -> None:
    window.session.request_screenshot(tmp_path / "shot.png")
    window.turn([], 0.0)
    assert (tmp_path / "shot.png").stat().st_size > 1000
    window.session.request_screenshot(tmp_path / "none" / "shot.png")
    window.turn([], 0.0)
    assert "none" in window.session.message
    window.session.start_film(tmp_path / "film.gif")
    window.turn([], 0.0)
    window.session.play()
    for _ in range(4):
        window.turn([], TURN)
    window.session.stop_film()
    window.turn([], 0.0)
    assert (tmp_path / "film.gif").stat().st_size > 1000 and "film.gif" in window.session.message
    window.session.start_film(tmp_path / "film.avi")
    window.turn([], 0.0)
    assert window.session.film is None and "avi" in window.session.message


def test_a_failure_pauses_and_the_window_lives_on(window: Window) -> None:
    window.session.edit("cloth.mass_spring.stretch", 1e9)
    window.session.play()
    for _ in range(30):
        window.turn([], 4 * TURN)
    assert not window.session.playing and "last good frame" in window.session.message
    window.session.edit("cloth.appearance.colour_by", "nonsense")
    window.turn([], TURN)
    assert "nonsense" in window.session.message


def test_the_help_lists_the_keys(window: Window) -> None:
    before = window.picture()
    tap(window, "h")
    window.turn([], TURN)  # imgui lays out a window before it shows it
    assert (window.picture() != before).mean() > 0.05
    tap(window, "h")
    assert (window.picture() == before).all()


@pytest.mark.parametrize("name", ["w", "n", "u", "l"])
def test_marks_show_and_go(window: Window, name: str) -> None:
    before = window.picture()
    tap(window, name)
    assert (window.picture() != before).any()
    tap(window, name)
    assert (window.picture() == before).all()


def test_colours_follow_the_session(window: Window) -> None:
    before = window.picture()
    window.session.colour_by, window.session.range_lock = "position", (0.0, 2.0)
    window.turn([], 0.0)
    assert (window.picture() != before).mean() > 0.02
    before_hash = window.session.world.state_hash()
    window.session.colour_by = "nonsense"
    window.turn([], 0.0)
    assert window.session.world.state_hash() == before_hash
    window.session.selection = (window.session.world.id("cloth"), 40)
    window.session.colour_by = None
    window.turn([], 0.0)
    assert (window.picture() != before).any()


def test_seen_and_unseen_runs_are_the_same_bits(window: Window) -> None:
    window.session.play()
    rng = np.random.default_rng(1)
    window.session.stop_at = 12
    while window.session.playing:
        window.turn([], float(rng.uniform(0.0, 0.05)))
    plain = build()
    plain.run(frames=12)
    assert window.session.world.state_hash() == plain.state_hash()


KEYS = ["space", "right", "left", "home", "tab", "r", *"c[]fpgxyz1375wnulhadqe"]


def chance(rng: np.random.Generator, down: set[str]) -> Any:
    """One random event of a person who plays with mouse and keys."""
    place = tuple(rng.integers(0, SIZE).tolist())
    kind = rng.integers(10)
    if kind < 4:
        return event(pygame.MOUSEMOTION, pos=place, rel=tuple(rng.integers(-30, 30, 2).tolist()), buttons=(0, 0, 0))
    if kind < 6:
        up = rng.random() < 0.5
        return event(pygame.MOUSEBUTTONUP if up else pygame.MOUSEBUTTONDOWN, button=int(rng.integers(1, 4)), pos=place)
    if kind == 6:
        return event(pygame.MOUSEWHEEL, x=0, y=int(rng.integers(-3, 4)), precise_x=0.0, precise_y=0.0, flipped=False)
    if kind == 7 and rng.random() < 0.1:
        return event((pygame.WINDOWFOCUSLOST, pygame.WINDOWMINIMIZED, pygame.WINDOWRESTORED)[rng.integers(3)])
    name = str(rng.choice(KEYS))
    up = name in down
    (down.discard if up else down.add)(name)
    return key(name, up=up)


@pytest.mark.parametrize("events", [600, pytest.param(20_000, marks=pytest.mark.slow)])
def test_random_input_breaks_nothing(window: Window, events: int) -> None:
    rng, down, counts = np.random.default_rng(7), set[str](), []
    for turn in range(events // 20):
        window.turn([chance(rng, down) for _ in range(20)], TURN if turn % 3 == 0 else 0.0)
        assert np.isfinite(window.controls.camera.eye).all()
        if turn % 10 == 9:
            window.turn([event(pygame.WINDOWFOCUSLOST), event(pygame.WINDOWRESTORED)], 0.0)
            down.clear()
            assert window.controls.keys == set() and window.session.held is None
        if turn % max(events // 200, 1) == 0:
            gc.collect()
            counts.append(sum(str(type(item).__module__).startswith("moderngl") for item in gc.get_objects()))
    assert max(counts[len(counts) // 2 :]) <= 1.2 * max(counts[: len(counts) // 2]) + 30  # nothing piles up
    assert np.isfinite(window.session.world.value("cloth.position")).all()
    tap(window, "home", "space")


def test_without_opengl_the_painter_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    pygame.display.quit()
    monkeypatch.setattr(Screen, "__init__", lambda *given: (_ for _ in ()).throw(RuntimeError("no driver")))
    window = Window(Session(build(), build), (320, 180))
    try:
        assert "no driver" in window.session.message and "painter" in window.session.message
        window.session.play()
        for _ in range(3):
            window.turn([], TURN)
        tap(window, "h")
        assert window.session.playhead == 3
        assert window.picture().std() > 10
    finally:
        window.close()


def test_windows_open_one_after_another_and_beside_pictures(window: Window) -> None:
    window.close()
    picture = build().picture(size=(160, 90))
    for _ in range(2):
        again = Window(Session(build(), build), SIZE)
        assert isinstance(again.screen, Screen)
        again.turn([], TURN)
        assert again.picture().std() > 10
        np.testing.assert_array_equal(build().picture(size=(160, 90)), picture)  # beside the open window
        again.turn([], TURN)
        again.close()


def test_panels_leave_no_trace_of_former_pictures(window: Window) -> None:
    tap(window, "tab")
    for _ in range(3):
        window.turn([], TURN)
    before = window.picture()
    left, _, width, _ = window.box
    assert (left, width) != (0, SIZE[0])
    for _ in range(3):
        window.turn([], TURN)
    assert (window.picture() == before).all()  # translucent panels would add up over what was there
    place = tuple(pixel(window, 40) + np.array([left, 0]))
    window.turn([event(pygame.MOUSEBUTTONDOWN, button=1, pos=place),
                 event(pygame.MOUSEBUTTONUP, button=1, pos=place)], 0.0)
    assert window.session.selection == (window.session.world.id("cloth"), 40)
    window.turn([event(pygame.MOUSEMOTION, pos=(20, 20), rel=(0, 0), buttons=(0, 0, 0))], 0.0)
    window.turn([event(pygame.MOUSEBUTTONDOWN, button=1, pos=(20, 20))], 0.0)
    assert window.controls.dragging == ""  # the panels take it
