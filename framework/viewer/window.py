"""The interactive window: events to panels, view and session; time; the picture; screenshots and films.

Each turn of the loop takes events, lets the session advance by the time that has passed, and draws. The simulation runs
by whole frames, the same with and without a window.
"""
from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from framework.errors import OutputError
from framework.report import told

from .camera import widened
from .controls import SHORTCUTS, Controls
from .errors import ViewerError
from .film import Film, write_png
from .overlay_text import wrapped
from .screen import Box, PlainScreen, Screen, open_screen
from .session import Session

if TYPE_CHECKING:
    from framework.world import World

    from .scene import Scene

RATE = 60  # turns a second, at most
IDLE = 0.5  # s without an event after which a paused window waits for one
LONGEST = 0.1  # s that a turn may count: after a pause (a moved window, a breakpoint) time does not jump


class Window:
    """A window on a session. `run` returns when it is closed; `turn` is one round of its loop."""

    def __init__(self, session: Session, size: tuple[int, int] = (1280, 720), title: str = "pliant",
                 panels: bool = True) -> None:
        self.session = session
        self.screen: Screen | PlainScreen = open_screen(size, title)
        self.pygame = self.screen.pygame
        self.help = self.hidden = False
        self.seconds = 0.0  # that the last turn took
        self.gui: Any = None
        self._scene: Scene | None = None
        self._shown: Any = None
        self._film: Film | None = None
        self._film_size = (0, 0)
        self._closed = False
        self._busy = time.perf_counter()
        try:
            scene = self.scene()
            self.controls = Controls(session, scene.camera, self.screen.size, self.ask)  # type: ignore[arg-type]
            if isinstance(self.screen, PlainScreen):
                session.message = f"drawn by the {self.screen.name}: no panels; H lists the keys"
            else:
                self._open_panels(self.screen, panels)
            # panels leave less width than pictures have
            self.controls.camera = widened(self.controls.camera, self.box[2] / max(self.box[3], 1))
        except BaseException:
            self.close()
            raise

    def _open_panels(self, screen: Screen, visible: bool) -> None:
        try:
            from .interface import Interface

            self.gui = Interface(screen, SHORTCUTS)
            self.gui.panels.visible = visible
        except ViewerError as error:
            self.session.fail(f"no panels: {error}")

    # -- the loop -----------------------------------------------------------------------------------------------------

    def run(self, stopped: Callable[[], bool] = lambda: False) -> None:
        """Until the window is closed, or `stopped()`."""
        clock, last = self.pygame.time.Clock(), time.perf_counter()
        try:
            while not (self.session.quit or stopped()):
                now = time.perf_counter()
                self.turn(self._events(), min(now - last, LONGEST))
                last = now
                clock.tick(RATE)
        finally:
            self.close()

    def _events(self) -> list[Any]:
        """The events since the last turn; a window that shows nothing new waits for one instead of spinning."""
        idle = self.hidden or (not self.session.playing and time.perf_counter() - self._busy > IDLE)
        if not idle:
            return list(self.pygame.event.get())
        first = self.pygame.event.wait(200)
        return ([] if first.type == self.pygame.NOEVENT else [first]) + list(self.pygame.event.get())

    def turn(self, events: Iterable[Any], seconds: float) -> None:
        """Take events, let `seconds` pass, draw."""
        began = time.perf_counter()
        for event in events:
            self.handle(event)
            self._busy = began
        self.controls.size = self.box[2:]
        self.controls.update(seconds)
        if not self.hidden:
            self.session.advance(seconds)
            self._film_frames()
            self.draw(seconds)
        self._screenshot()
        self.seconds = time.perf_counter() - began

    # -- events -------------------------------------------------------------------------------------------------------

    def handle(self, event: Any) -> None:
        """One event of pygame."""
        pygame, controls = self.pygame, self.controls
        kind = event.type
        if kind == pygame.QUIT or kind == pygame.WINDOWCLOSE:
            self.session.quit = True
        elif kind == pygame.WINDOWMINIMIZED or kind == pygame.WINDOWHIDDEN:
            self.hidden = True
            controls.lose()
        elif kind in (pygame.WINDOWRESTORED, pygame.WINDOWSHOWN, pygame.WINDOWEXPOSED, pygame.WINDOWMAXIMIZED):
            self.hidden = False
        elif kind == pygame.WINDOWFOCUSLOST:
            controls.lose()
        elif kind in (pygame.WINDOWSIZECHANGED, pygame.WINDOWRESIZED, pygame.VIDEORESIZE):
            self.screen.resize()
        mouse, keyboard = self._panels_take(event)
        if kind == pygame.MOUSEBUTTONUP:  # whoever took the press: nothing stays pressed
            controls.let_go(event.button, self._place(event.pos))
        elif kind == pygame.KEYUP:
            controls.key_up(pygame.key.name(event.key))
        elif kind == pygame.MOUSEBUTTONDOWN and not mouse and self._shows(event.pos):
            mods = pygame.key.get_mods()
            shift, alt = bool(mods & pygame.KMOD_SHIFT), bool(mods & pygame.KMOD_ALT)
            controls.press(event.button, self._place(event.pos), shift, alt)
        elif kind == pygame.MOUSEMOTION and (controls.dragging or not mouse):
            controls.move(self._place(event.pos), event.rel)
        elif kind == pygame.MOUSEWHEEL and not mouse and self._shows(pygame.mouse.get_pos()):
            controls.wheel(getattr(event, "precise_y", 0.0) or event.y, self._place(pygame.mouse.get_pos()))
        elif kind == pygame.KEYDOWN and not keyboard:
            controls.key(pygame.key.name(event.key), bool(event.mod & pygame.KMOD_CTRL))

    def _panels_take(self, event: Any) -> tuple[bool, bool]:
        """Whether panels want the mouse, and the keyboard, for themselves."""
        if self.gui is None:
            return False, False
        self.gui.handle(event)
        return self.gui.wants_mouse, self.gui.wants_keyboard

    def _place(self, place: tuple[float, float]) -> tuple[float, float]:
        """A place in the window as one in the part that shows the scene."""
        left, top, *_ = self.box
        return place[0] - left, place[1] - top

    def _shows(self, place: tuple[float, float]) -> bool:
        """Whether the scene is shown at a place of the window: imgui knows only a turn later what the mouse is over."""
        x, y = self._place(place)
        return 0 <= x < self.box[2] and 0 <= y < self.box[3]

    def ask(self, what: str) -> None:
        """What keys and panels ask of a window: "help", "panels", "full screen", "screenshot"."""
        if what == "help":
            owner = self if self.gui is None else self.gui.panels  # it has a button that closes it
            owner.help = not owner.help
        elif what == "panels" and self.gui is not None:
            self.gui.panels.visible = not self.gui.panels.visible
        elif what == "full screen":
            with suppress(self.pygame.error):
                self.screen.full_screen()
        elif what == "screenshot":
            self.session.request_screenshot(f"screenshot-{self.session.playhead:05d}.png")

    # -- pictures -----------------------------------------------------------------------------------------------------

    def scene(self) -> Scene:
        """The scene of the frame that is shown; made anew when the world or the way of showing it has changed."""
        session = self.session
        world = session.world
        key = (id(world), world.frame, world.store.edits, session.colour_by, session.range_lock,
               tuple(sorted(session.show)), session.selection, session.playing)
        if self._scene is None or key != self._shown:
            try:
                self._scene = world.scene(show=session.show, highlight=session.selection, limits=session.range_lock,
                                          colour_by=session.colour_by)
            except Exception as error:  # a field to colour by that is not there, a person's own drawing
                if self._scene is None:
                    raise
                session.fail(told(error))
            if not session.playing:
                self._scene.caption += "   paused"
            self._shown = key
        return self._scene

    def draw(self, seconds: float = 0.0) -> None:
        """The picture of this turn, shown."""
        scene = self.scene()
        scene.camera = self.controls.camera
        self.controls.balls = scene.balls
        panels = None if self.gui is None else partial(self.gui.draw, self.session, seconds)
        still = not (self.session.playing or self.controls.dragging)
        self.screen.draw(scene, self._texts(), self.box, panels, smooth=still)
        self.screen.flip()

    @property
    def box(self) -> Box:
        """(left, top, width, height) of the part that shows the scene, in units of the window."""
        return (0, 0, *self.screen.size) if self.gui is None else self.gui.free()

    def _texts(self) -> dict[str, tuple[list[str], int]]:
        """What panels would say, where there are none."""
        session, texts = self.session, dict[str, tuple[list[str], int]]()
        if self.gui is not None and self.gui.panels.visible:
            return texts
        width = self.screen.size[0] // 11
        if self.help and self.gui is None:
            texts["middle"] = [f"{keys}\t{what}" for keys, what in SHORTCUTS], 2
        state = "" if session.playing else "  (paused: space plays, H helps)"
        texts["bottom left"] = [f"t = {session.world.time:.2f} s  frame {session.playhead}{state}"], 1
        if session.notice:
            texts["top left"] = wrapped(session.notice, width), 1
        return texts

    def _screenshot(self) -> None:
        path, self.session.screenshot = self.session.screenshot, None
        if path is not None:
            try:
                write_png(path, self.screen.picture())
                self.session.message = f"screenshot: {path}"
                print(self.session.message, flush=True)
            except (ViewerError, OutputError) as error:
                self.session.fail(told(error))

    def _film_frames(self) -> None:
        """Open, continue or close the film that the session asks for."""
        session, film = self.session, self._film
        try:
            if film is not None and (session.film is None or film.path != session.film):
                self._film = None
                film.close()
                session.message = f"film: {film.path} ({film.frames} pictures)"
                print(session.message, flush=True)
            if session.film is not None and self._film is None:
                width, height = self.screen.pixels
                self._film_size = width - width % 2, height - height % 2
                self._film = Film(session.film, fps=min(1.0 / session.world.stepping.frame_time, 60.0))
                session.on_frame = self._film_frame
        except (ViewerError, OutputError) as error:
            self._lose_film(str(error))

    def _film_frame(self, world: World) -> None:
        if self._film is None:
            self.session.on_frame = None
            return
        scene = self.scene()
        scene.camera = self.controls.camera
        try:
            self._film.add(self.screen.still(scene, self._film_size))
        except (ViewerError, OutputError) as error:
            self._lose_film(str(error))

    def _lose_film(self, why: str) -> None:
        self._film, self.session.film, self.session.on_frame = None, None, None
        self.session.fail(why)

    def picture(self) -> np.ndarray:
        """What the window shows, (h, w, 3) uint8."""
        return self.screen.picture()

    def close(self) -> None:
        """Finish the film and close the window; closing it again does nothing."""
        if self._closed:
            return
        self._closed = True
        self.session.release() if self.session.held else None
        self.session.stop_film()
        if self._film is not None:
            self._film_frames()
        if self.gui is not None:
            with suppress(Exception), self.gui.screen.context:
                self.gui.close()
            self.gui = None
        self.screen.close()

