"""The panels of the window, drawn without one: what they show, that edits reach the world, that nothing stops them."""
from __future__ import annotations

import gc
import importlib
import logging
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

moderngl = pytest.importorskip("moderngl")
pygame = pytest.importorskip("pygame")
pytest.importorskip("imgui_bundle")

from imgui_bundle import imgui  # noqa: E402

from components import BoundaryConditions, Gravity, MassSpring, Material, Transform  # noqa: E402
from components.prefabs import grid  # noqa: E402
from framework import World, component, field  # noqa: E402
from framework.viewer import ViewerError, gui_events, offscreen, opengl_reason  # noqa: E402
from framework.viewer.colourable import colourable  # noqa: E402
from framework.viewer.gui import Gui  # noqa: E402
from framework.viewer.panels import BOTTOM, LEFT, RIGHT, Panels, colouring, editors, entities, inspector, timeline  # noqa: E402
from framework.viewer.session import Session  # noqa: E402
from systems import standard  # noqa: E402

pytestmark = pytest.mark.skipif(bool(opengl_reason()), reason=f"no OpenGL: {opengl_reason()}")
SIZE = (1280, 720)


class Screen:
    """A framebuffer with panels on it, and a mouse and keyboard."""

    def __init__(self) -> None:
        self.gl = offscreen._context()
        self.target = self.gl.framebuffer([self.gl.renderbuffer(SIZE, 4)])
        self.gui, self.panels = Gui(self.gl), Panels(keys=[("space", "play, pause")], filled=True)

    def frame(self, session: Session) -> np.ndarray:
        self.gui.begin(SIZE, 1 / 60)
        self.panels.draw(session, SIZE)
        self.target.clear(0.3, 0.3, 0.3)
        self.gui.end(self.target, self.panels.solid)
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
        for key in (pygame.K_RETURN,) if text else (pygame.K_BACKSPACE, pygame.K_RETURN):
            for kind in (pygame.KEYDOWN, pygame.KEYUP):
                self.feed(kind, key=key, mod=0)
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

    typed, button = editors._typed, imgui.button

    def noted_typed(panels: Any, key: str, *rest: Any) -> Any:
        result = typed(panels, key, *rest)
        note(key)
        return result

    def noted_button(label: str, *rest: Any) -> bool:
        result = button(label, *rest)
        if label != "~":
            note(label.strip())
        return bool(result)

    monkeypatch.setattr(editors, "_typed", noted_typed)
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


def test_branches_are_chosen_from_a_list(
    screen: Screen, places: dict[str, tuple[float, float]], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = session()
    run.step(6)
    run.scrub(2)
    screen.frame(run)
    assert run.edit("gravity.acceleration", (0.0, -1.0, 0.0))
    run.step(1)
    run.scrub(2)
    combo, selectable = imgui.begin_combo, imgui.selectable

    def note(name: str) -> None:
        low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
        places[name] = (0.5 * (low.x + high.x), 0.5 * (low.y + high.y))

    def noted_combo(label: str, *rest: Any) -> bool:
        result = combo(label, *rest)
        if not result:
            note(label)
        return bool(result)

    def noted_selectable(label: str, *rest: Any) -> Any:
        result = selectable(label, *rest)
        note(label.partition("##")[2])
        return result

    monkeypatch.setattr(timeline.imgui, "begin_combo", noted_combo)
    monkeypatch.setattr(timeline.imgui, "selectable", noted_selectable)
    for _ in range(2):
        screen.frame(run)
    assert all(0 < x < SIZE[0] for x in (places["film"][0], places["##branches"][0]))
    screen.click(run, places["##branches"])
    screen.click(run, places["run"])
    assert (run.world.history.line.name, run.playhead, run.edits) == ("run", 6, [])
    assert screen.panels.failures == {}


def test_a_refused_edit_says_why(screen: Screen, places: dict[str, tuple[float, float]]) -> None:
    run = session()
    run.selection = (run.world.id("flag"), None)
    for _ in range(2):
        screen.frame(run)
    screen.click(run, places["flag.mass_spring.stretch"])
    screen.type(run, "-1")
    assert run.world.value("flag.mass_spring.stretch") == 100.0
    assert "positive" in screen.panels.refused["flag.mass_spring.stretch"] and run.message == ""
    screen.click(run, places["flag.mass_spring.stretch"])
    screen.type(run, "many")
    assert screen.panels.refused["flag.mass_spring.stretch"] == "must be a number, got 'many'"
    screen.click(run, places["flag.mass_spring.stretch"])
    screen.type(run, "7")
    assert run.world.value("flag.mass_spring.stretch") == 7.0 and not screen.panels.refused


def test_a_field_that_is_left_takes_what_was_typed_and_escape_takes_nothing(
    screen: Screen, places: dict[str, tuple[float, float]]
) -> None:
    run = session()
    run.selection = (run.world.id("gravity"), None)
    for _ in range(2):
        screen.frame(run)
    for key, wanted in ((pygame.K_TAB, 4.0), (pygame.K_ESCAPE, 0.0)):
        run.edit("gravity.acceleration", (0.0, -9.123456789, 0.0))
        screen.click(run, places["gravity.gravity.acceleration.0"])
        screen.feed(pygame.KEYDOWN, key=pygame.K_a, mod=pygame.KMOD_CTRL)
        screen.frame(run)
        screen.feed(pygame.KEYUP, key=pygame.K_a, mod=0)
        screen.feed(pygame.TEXTINPUT, text="4")
        screen.frame(run)
        screen.feed(pygame.KEYDOWN, key=key, mod=0)
        screen.feed(pygame.KEYUP, key=key, mod=0)
        for _ in range(3):
            screen.frame(run)
        screen.click(run, (640, 300))
        found = run.world.value("gravity.acceleration")
        assert found[0] == wanted and found[1] == -9.123456789  # what is shown shorter is not cut off
    assert screen.panels.typed == {}


@component
class Perhaps:
    """A number, or none."""

    high: float = field(optional=True, default=None, doc="a number")


def test_an_optional_field_can_be_given_and_taken_away(screen: Screen, places: dict[str, tuple[float, float]]) -> None:
    world = flag()
    world.spawn(Perhaps(high=1.0), name="look")
    run = Session(world)
    run.selection = (world.id("look"), None)
    for text, value in (("2.5", 2.5), ("", None)):
        for _ in range(2):
            screen.frame(run)
        screen.click(run, places["look.perhaps.high"])
        screen.type(run, text)
        assert world.value("look.perhaps.high") == value


def test_a_click_on_a_name_selects_and_a_fold_hides_what_it_carries(screen: Screen) -> None:
    world = World(systems=standard())
    world.spawn(Transform(), name="arm")
    world.spawn(Transform(parent="arm"), name="hand")
    run = Session(world)
    for _ in range(2):
        screen.frame(run)
    lines = entities._lines(world.store, "", set())
    assert [line[1:] for line in lines] == [(0, False), (0, True), (1, False)]
    screen.click(run, (60, 99))
    assert run.selection == (world.id("hand"), None)
    screen.click(run, (16, 80))
    assert screen.panels.folded == {world.id("arm")} and len(entities._lines(world.store, "", {1})) == 2
    assert [line[0] for line in entities._lines(world.store, "hand", {1})] == [world.id("hand")]


def test_what_is_plotted_outlives_a_new_start(screen: Screen) -> None:
    run = session()
    run.step(3)
    screen.frame(run)
    inspector._watch(run, screen.panels, "flag.position", run.world.value("flag.position"), None)
    inspector._watch(run, screen.panels, "flag.velocity", run.world.value("flag.velocity"), 3)
    assert {"flag.position.norm.mean", "flag.velocity[3].first"} <= set(run.world.watches.paths)
    run.reset()
    screen.frame(run)
    assert "flag.velocity[3].first" in run.world.watches.paths
    run.rebuild = lambda: World(systems=standard())
    run.reset()
    screen.frame(run)
    assert run.world.watches.paths == {} and screen.panels.watched == [] and screen.panels.failures == {}


@pytest.mark.parametrize(
    ("values", "text", "bad"),
    [
        (np.array([1.0, 2.0, 6.0]), "1 .. 6, mean 3", 0),
        (np.array([[3.0, 4.0, 0.0], [0.0, 0.0, 0.0]]), "length 0 .. 5, mean 2.5", 0),
        (np.array([1.0, np.nan, np.inf]), "1 .. 1, mean 1", 2),
        (np.array([np.nan]), "", 1),
        (np.array([[1e300, 0.0, 0.0]]), "", 0),
        (np.array([3, 5], dtype=np.int32), "3 .. 5, mean 4", 0),
    ],
)
def test_summaries(values: np.ndarray, text: str, bad: int) -> None:
    assert inspector.summary(values) == (text, bad)


def test_the_graphics_state_is_as_it_was(screen: Screen) -> None:
    run, gl = session(), screen.gl
    screen.frame(run)
    gl.enable_only(moderngl.DEPTH_TEST | moderngl.CULL_FACE)
    screen.target.viewport = (3, 4, 50, 60)
    screen.gui.begin(SIZE, 1 / 60)
    screen.panels.draw(run, SIZE)
    screen.gui.end(screen.target, screen.panels.solid)
    assert screen.target.viewport == (3, 4, 50, 60) and screen.target.scissor == (0, 0, *SIZE)
    program = gl.program(
        vertex_shader="#version 330\nvoid main() { gl_Position = vec4(gl_VertexID - 1, gl_VertexID % 2, 0, 1); }",
        fragment_shader="#version 330\nout vec4 c; void main() { c = vec4(1, 1, 1, 0.5); }",
    )
    screen.target.viewport = (0, 0, *SIZE)
    screen.target.clear()
    gl.vertex_array(program, []).render(moderngl.TRIANGLES, vertices=3)  # clockwise: culled, as before
    assert not np.frombuffer(screen.target.read(), np.uint8).any()


def test_a_folded_column_leaves_its_place_to_the_scene(screen: Screen) -> None:
    run = session()
    for _ in range(2):
        screen.frame(run)
    assert screen.panels.free(SIZE) == (LEFT, 0.0, SIZE[0] - RIGHT, SIZE[1] - BOTTOM)
    for place in ((1020, 10), (10, 258), (10, 10)):  # the arrows of View, Inspector and Entities
        screen.click(run, place)
    assert screen.panels.free(SIZE) == (0.0, 0.0, SIZE[0], SIZE[1] - BOTTOM)
    screen.panels.visible = False
    assert screen.panels.free(SIZE) == (0.0, 0.0, *SIZE)


@pytest.mark.parametrize("tab", ["Colours", "Systems", "Plots"])
def test_dense_and_small_windows(screen: Screen, tab: str) -> None:
    run = session()
    run.step(2)
    for size, density in (((64, 64), 1.0), ((640, 360), 2.0), ((320, 500), 1.5)):
        screen.panels.tab = tab
        for _ in range(2):
            screen.gui.begin(size, 1 / 60, density)
            screen.panels.draw(run, size)
            screen.gui.end(screen.target, screen.panels.solid)
        left, top, right, bottom = screen.panels.free(size)
        assert 0 <= left < right <= size[0] and 0 <= top < bottom <= size[1]
    assert screen.panels.failures == {}


def test_texts_are_copied(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    board: dict[str, str] = {}
    monkeypatch.setattr(pygame.scrap, "put_text", lambda text: board.update(text=text))
    monkeypatch.setattr(pygame.scrap, "get_text", lambda: board.get("text", ""))
    screen.gui.use_clipboard()
    run = session()
    run.fail("it failed: ü")
    for _ in range(2):
        screen.frame(run)
    screen.click(run, (LEFT + 25, 42))
    assert board == {"text": "it failed: ü"} and imgui.get_clipboard_text() == "it failed: ü"
    monkeypatch.setattr(pygame.scrap, "get_text", lambda: "")  # the system's has lost it
    assert imgui.get_clipboard_text() == "it failed: ü"


def test_without_imgui_bundle_one_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "imgui_bundle", None)
    monkeypatch.delitem(sys.modules, "framework.viewer.gui")
    with pytest.raises(ViewerError, match="pip install imgui-bundle"):
        importlib.import_module("framework.viewer.gui")


def test_guis_come_and_go_without_a_trace() -> None:
    before = None
    for number in range(12):
        made = Screen()
        run = session()
        for _ in range(3):
            made.frame(run)
        made.close()
        now = len([thing for thing in gc.get_objects() if isinstance(thing, (moderngl.Buffer, moderngl.Texture, Gui))])
        before = now if number == 3 else before
    assert now <= before


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
    found = colourable(run.world)
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


def resident() -> int:
    """Memory of this process [MiB]; 0 where Linux's way of asking does not exist."""
    gc.collect()
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 // 2**20
    except OSError:
        return 0


@component
class Odd:
    """Values that nobody expects: 100 %s %d."""

    text: str = field(dtype="str", default="ünï \u202e%s%n 😀 ##id", doc="100 % odd")
    huge: float = field(default=1e308, doc="a number")
    whole: int = field(dtype="int", default=2**60, doc="a number")
    missing: float = field(default=0.0, doc="becomes NaN")
    maybe: float = field(optional=True, default=None, doc="a number or none")
    none: np.ndarray = field(shape=("k",), default=(), doc="no number at all")
    matrices: np.ndarray = field(shape=("q", 3, 3), default=0.0, doc="matrices")


@pytest.mark.parametrize("steps", [300, pytest.param(2000, marks=pytest.mark.slow)])
def test_random_hands_break_nothing(screen: Screen, steps: int) -> None:
    """Clicks and keys anywhere on the panels, of a world with odd values; memory and textures stay as they are."""

    def build() -> World:
        world = flag()
        world.spawn(Odd(none=np.zeros(0), matrices=np.zeros((2, 3, 3))), name="odd")
        world.at(2.0).set("gravity.acceleration", (0, -5, 0))
        return world

    rng = np.random.default_rng(steps)
    run = Session(build(), build)
    keys = [pygame.K_RETURN, pygame.K_TAB, pygame.K_ESCAPE, pygame.K_DOWN, pygame.K_BACKSPACE, pygame.K_5, pygame.K_a]
    texts = ["-1", "3e5", "nan", "1e999", "x", "ü😀", "%s", "."]
    before = edits = 0
    for step in range(steps):
        if step % 50 == 0:
            run.selection = int(rng.integers(0, 6)), (None, 0, 3, 10**6, -1)[int(rng.integers(0, 5))]
            run.world.store.component("odd", Odd).missing = np.nan if run.world.has_entity("odd") else 0.0
            screen.feed(pygame.WINDOWFOCUSLOST)
            screen.gl.finish()
            before = resident() if step == steps // 3 // 50 * 50 else before
        place = (float(rng.integers(0, 1280)), float(rng.integers(0, 720)))
        if rng.random() < 0.5:  # the values in the inspector
            place = (float(rng.integers(125, 270)), float(rng.integers(270, 640)))
        what = rng.integers(0, 6)
        if what < 3:
            screen.click(run, place)
            screen.feed(pygame.TEXTINPUT, text=texts[int(rng.integers(0, len(texts)))])
        elif what == 3:
            screen.feed(pygame.MOUSEWHEEL, x=0, y=int(rng.integers(-3, 4)))
        elif what == 4:
            run.advance(1 / 60)
        key = keys[int(rng.integers(0, len(keys)))]
        for kind in (pygame.KEYDOWN, pygame.KEYUP):
            screen.feed(kind, key=key, mod=pygame.KMOD_CTRL if key == pygame.K_a else 0)
        run.film = run.screenshot = None
        screen.frame(run)
        edits = max(edits, len(run.edits))
        assert screen.panels.failures == {}
    assert len(screen.gui.textures) <= 2 and (edits > 0 or steps < 1000)
    assert resident() <= before + 40 or not before
