"""The panels of the window, drawn without one: what they show, that edits reach the world, that nothing stops them."""
from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

moderngl = pytest.importorskip("moderngl")
pygame = pytest.importorskip("pygame")
pytest.importorskip("imgui_bundle")

from imgui_bundle import imgui  # noqa: E402

from components import BoundaryConditions, Gravity, MassSpring, Material  # noqa: E402
from components.prefabs import grid  # noqa: E402
from framework import World, component, field  # noqa: E402
from framework.scene import load  # noqa: E402
from framework.viewer import gui_events, offscreen, opengl_reason  # noqa: E402
from framework.viewer.gui import Gui  # noqa: E402
from framework.viewer.panels import Panels, colouring, inspector, timeline  # noqa: E402
from framework.viewer.session import Session  # noqa: E402
from systems import standard  # noqa: E402

pytestmark = pytest.mark.skipif(bool(opengl_reason()), reason=f"no OpenGL: {opengl_reason()}")
SIZE = (1280, 720)


class Screen:
    """A framebuffer with panels on it, and a mouse and keyboard."""

    def __init__(self) -> None:
        self.gl = offscreen._context()
        self.target = self.gl.framebuffer([self.gl.renderbuffer(SIZE, 4)])
        self.gui, self.panels = Gui(self.gl), Panels(keys=[("space", "play, pause")])

    def frame(self, session: Session) -> np.ndarray:
        self.gui.begin(SIZE, 1 / 60)
        self.panels.draw(session, SIZE)
        self.target.clear(0.3, 0.3, 0.3)
        self.gui.end(self.target)
        pixels = np.frombuffer(self.target.read(components=3, alignment=1), np.uint8)
        return pixels.reshape(SIZE[1], SIZE[0], 3)[::-1]

    def feed(self, kind: int, **values: Any) -> None:
        gui_events.feed(pygame.event.Event(kind, **values))

    def click(self, session: Session, place: tuple[float, float]) -> None:
        self.feed(pygame.MOUSEMOTION, pos=place)
        self.frame(session)
        for kind in (pygame.MOUSEBUTTONDOWN, pygame.MOUSEBUTTONUP):
            self.feed(kind, pos=place, button=1)
            self.frame(session)
        self.frame(session)

    def type(self, session: Session, text: str) -> None:
        """Replace what a field holds, and press enter."""
        for kind in (pygame.KEYDOWN, pygame.KEYUP):
            self.feed(kind, key=pygame.K_a, mod=pygame.KMOD_CTRL)
            self.frame(session)
        self.feed(pygame.KEYUP, key=pygame.K_LCTRL, mod=0)
        self.feed(pygame.TEXTINPUT, text=text)
        self.frame(session)
        for kind in (pygame.KEYDOWN, pygame.KEYUP):
            self.feed(kind, key=pygame.K_RETURN, mod=0)
            self.frame(session)

    def close(self) -> None:
        self.gui.release()
        self.target.release()
        self.gl.release()


@pytest.fixture
def screen() -> Iterator[Screen]:
    made = Screen()
    yield made
    made.close()


def flag() -> World:
    world = World(systems=standard(), substeps=20)
    world.spawn(Gravity(), name="gravity")
    world.spawn(
        grid(size=(1, 1), cells=(4, 4)), Material(areal_density=0.5), MassSpring(stretch=100.0, damping_ratio=0.1),
        BoundaryConditions.fixed("left"), name="flag",
    )  # fmt: skip
    world.watch("tip", "flag.position[right].mean")
    return world


def session() -> Session:
    return Session(flag(), flag)


@pytest.fixture
def places(monkeypatch: pytest.MonkeyPatch) -> dict[str, tuple[float, float]]:
    """Centres of the fields and buttons of the last frame, by path or label."""
    found: dict[str, tuple[float, float]] = {}

    def note(name: str) -> None:
        low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
        found[name] = (0.5 * (low.x + high.x), 0.5 * (low.y + high.y))

    widget, button = inspector._widget, imgui.button

    def noted_widget(panels: Any, path: str, field: Any, value: Any) -> Any:
        result = widget(panels, path, field, value)
        if not isinstance(value, np.ndarray):
            low = imgui.get_item_rect_min()
            found[path] = (low.x - 30 if field.unit != "1" else low.x + 20, low.y + 8)
        return result

    def noted_button(label: str, *rest: Any) -> bool:
        result = button(label, *rest)
        note(label.strip())
        return bool(result)

    monkeypatch.setattr(inspector, "_widget", noted_widget)
    monkeypatch.setattr(timeline.imgui, "button", noted_button)
    return found


def test_every_panel_draws_something(screen: Screen) -> None:
    run = session()
    run.step(3)
    run.selection, run.message = (run.world.id("flag"), 3), "a message"
    screen.panels.help = True
    for _ in range(3):
        image = screen.frame(run)
    assert screen.panels.failures == {}
    for part in (image[:200, :280], image[250:600, :280], image[:600, -260:], image[-60:], image[300:400, 560:720]):
        assert len(np.unique(part.reshape(-1, 3), axis=0)) > 20


def test_hidden_panels_leave_the_scene_alone(screen: Screen) -> None:
    screen.panels.visible = False
    image = screen.frame(session())
    assert len(np.unique(image.reshape(-1, 3), axis=0)) == 1


def test_an_edit_is_a_command(screen: Screen, places: dict[str, tuple[float, float]]) -> None:
    run = session()
    run.selection = (run.world.id("flag"), None)
    for _ in range(2):
        screen.frame(run)
    screen.click(run, places["flag.mass_spring.stretch"])
    assert screen.gui.wants_keyboard
    screen.type(run, "250")
    assert run.world.value("flag.mass_spring.stretch") == 250.0
    assert [edit.text for edit in run.edits if "stretch" in edit.text]


def test_a_refused_edit_says_why(screen: Screen, places: dict[str, tuple[float, float]]) -> None:
    run = session()
    run.selection = (run.world.id("flag"), None)
    for _ in range(2):
        screen.frame(run)
    screen.click(run, places["flag.mass_spring.stretch"])
    screen.type(run, "-1")
    assert run.world.value("flag.mass_spring.stretch") == 100.0
    assert "positive" in screen.panels.refused["flag.mass_spring.stretch"]


def test_the_buttons_of_the_timeline(screen: Screen, places: dict[str, tuple[float, float]]) -> None:
    run = session()
    run.step(5)
    screen.frame(run)
    screen.click(run, places["<"])
    assert (run.playhead, run.last) == (4, 5)
    screen.frame(run)
    screen.click(run, places["continue from here"])
    assert run.last == 4 and run.playing
    screen.click(run, places["pause"])
    assert not run.playing
    screen.click(run, places[">"])
    assert run.playhead == 5
    screen.click(run, places["reset"])
    assert run.playhead == 0


def test_colourable_fields_are_those_with_a_value_per_particle() -> None:
    run = session()
    found = colouring.colourable(run.world)
    assert {"position", "velocity", "mass", "strain"} <= set(found)
    run.colour_by = "position"
    low, high = colouring.present_range(run, found)
    assert 0.0 <= low < high
    run.colour_by = "nothing.like.it"
    assert colouring.present_range(run, found) == (0.0, 1.0)


@component
class Angry:
    """Cannot be looked at."""

    value: float = field(default=1.0, doc="a number")


def test_an_error_in_a_panel_stays_there(
    screen: Screen, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    run = session()
    run.selection = (run.world.id("flag"), None)

    def broken(*_: Any) -> None:
        imgui.begin_child("left open")
        imgui.push_id("and this")
        raise ValueError("no such thing")

    monkeypatch.setattr(inspector, "_field", broken)
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            screen.frame(run)
    assert screen.panels.failures == {"Inspector": "ValueError: no such thing"}
    assert len([record for record in caplog.records if "Inspector" in record.message]) == 1


@pytest.mark.parametrize("entities", [0, 1000])
def test_worlds_of_any_size(screen: Screen, entities: int) -> None:
    world = World(systems=standard())
    for number in range(entities):
        world.spawn(Gravity(acceleration=(0, -1e300, 0)), name=f"gravity{number}")
    run = Session(world)
    run.selection = (entities, None) if entities else (12345, 7)
    for _ in range(2):
        screen.frame(run)
    assert screen.panels.failures == {}


def test_random_hands_break_nothing(screen: Screen) -> None:
    """600 clicks and keys anywhere on the panels; what they hold on the graphics card stays the same."""
    rng = np.random.default_rng(3)
    scene = load("flag")
    run = Session(scene.make({"cells": "6"}), lambda: scene.make({"cells": "6"}))
    run.selection = (run.world.id("flag"), 3)
    keys = [pygame.K_RETURN, pygame.K_TAB, pygame.K_DOWN, pygame.K_BACKSPACE, pygame.K_5, pygame.K_a]
    for step in range(600):
        place = (float(rng.integers(0, 1280)), float(rng.integers(0, 720)))
        what = rng.integers(0, 6)
        if what < 3:
            screen.click(run, place)
        elif what == 3:
            screen.feed(pygame.MOUSEWHEEL, x=0, y=int(rng.integers(-3, 4)))
        elif what == 4:
            screen.feed(pygame.TEXTINPUT, text="-1e5x"[int(rng.integers(0, 5))])
        else:
            for kind in (pygame.KEYDOWN, pygame.KEYUP):
                screen.feed(kind, key=keys[int(rng.integers(0, len(keys)))], mod=0)
        run.film = run.screenshot = None
        if step % 20 == 0:
            screen.feed(pygame.WINDOWFOCUSLOST)
            run.step()
        screen.frame(run)
        assert screen.panels.failures == {}
    assert len(screen.gui.textures) <= 2
