"""Mouse and keys of the window: which event moves the view, holds a body or drives the session."""
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from . import navigation, picking
from .scene import Ball, Camera
from .session import Session

if TYPE_CHECKING:
    from .picking import Picked

SHORTCUTS = (
    ("space", "play, pause"),
    ("right or .", "one frame on"),
    ("left", "one frame back"),
    ("C", "continue from this frame, dropping the newer ones"),
    ("R", "start anew"),
    ("[ and ]", "slower, faster"),
    ("drag a body", "pull at it (G: by a spring or by its place)"),
    ("click", "select; P: pin or unpin the particle"),
    ("drag beside", "turn the view; with shift: move it"),
    ("wheel", "zoom to the cursor"),
    ("right mouse", "look around; with W A S D Q E: fly"),
    ("F, home", "show the selection, everything"),
    ("X Y Z or 1 3 7", "look along an axis, with ctrl from behind; 5: orthographic"),
    ("W N U L", "wireframe, normals, supports, loads"),
    ("S", "screenshot"),
    ("tab, H", "panels, this help"),
    ("F11, escape", "full screen, quit"),
)
CLICK = 4.0  # pixels that the mouse may move during a click
TURN = 0.008  # radians a pixel
FLIGHT = {"w": (1, 0, 0), "s": (-1, 0, 0), "d": (0, 1, 0), "a": (0, -1, 0), "e": (0, 0, 1), "q": (0, 0, -1)}
VIEWS = {"x": "x", "y": "y", "z": "z", "1": "z", "3": "x", "7": "y"}
MARKS = {"w": "wireframe", "n": "normals", "u": "supports", "l": "loads"}


class Controls:
    """Turns events into changes of the camera and of the session. size: of the window in its own units.

    camera: the present view. balls: of the scene that is shown, which hide what lies behind them. ask: does what only
    a window can do: "full screen", "help", "panels", "screenshot".
    """

    def __init__(self, session: Session, camera: Camera, size: tuple[int, int],
                 ask: Callable[[str], None] = lambda what: None) -> None:
        self.session, self.camera, self.size, self.ask = session, camera, size, ask
        self.balls: list[Ball] = []
        self.keys: set[str] = set()
        self.dragging = ""  # orbit, pan, look, press (on a body, not moved yet), grab
        self._button = 0
        self._from = np.zeros(2)
        self._picked: Picked | None = None

    # -- events -------------------------------------------------------------------------------------------------------

    def press(self, button: int, place: tuple[float, float], shift: bool = False, alt: bool = False) -> None:
        """A mouse button goes down at `place`: 1 left, 2 middle, 3 right."""
        if self.dragging or button not in (1, 2, 3):
            return
        self._button, self._from = button, np.array(place, dtype=float)
        if button == 3:
            self.dragging = "look"
        elif shift:
            self.dragging = "pan"
        elif button == 2 or alt:
            self.dragging = "orbit"
        else:
            self._picked = picking.pick(self.session.world, self.camera, place, self.size, self.balls)
            self.dragging = "orbit" if self._picked is None else "press"

    def move(self, place: tuple[float, float], by: tuple[float, float]) -> None:
        """The mouse is at `place` and has moved `by`."""
        if self.dragging == "press" and self._picked is not None and np.linalg.norm(self._from - place) > CLICK:
            grabbed = self.session.grab(self._picked.entity, self._picked.particle)
            self.dragging = "grab" if grabbed else "orbit"
        if self.dragging == "orbit":
            self.camera = navigation.orbit(self.camera, TURN * by[0], TURN * by[1])
        elif self.dragging == "pan":
            self.camera = navigation.pan(self.camera, by[0], -by[1], self.size[1])
        elif self.dragging == "look":
            self.camera = navigation.look(self.camera, 0.4 * TURN * by[0], 0.4 * TURN * by[1])
        elif self.dragging == "grab":
            self._drag(place)

    def let_go(self, button: int, place: tuple[float, float]) -> None:
        """A mouse button goes up."""
        if button != self._button:
            return
        click = np.linalg.norm(self._from - place) <= CLICK
        if self.dragging == "press" and self._picked is not None:
            self.session.selection = self._picked.entity, self._picked.particle
        elif self.dragging == "orbit" and button == 1 and click:
            self.session.selection = None
        self._stop()

    def wheel(self, clicks: float, place: tuple[float, float]) -> None:
        width, height = self.size
        cursor = 2.0 * place[0] / max(width, 1) - 1.0, 1.0 - 2.0 * place[1] / max(height, 1)
        factor = float(1.15 ** np.clip(clicks, -20.0, 20.0))
        self.camera = navigation.zoom(self.camera, factor, cursor, width / max(height, 1))

    def key(self, name: str, ctrl: bool = False) -> None:
        """A key goes down; `name` as pygame.key.name gives it."""
        self.keys.add(name)
        session = self.session
        if self.dragging == "look" and name in FLIGHT:
            return
        if name in MARKS and not ctrl:
            session.show ^= {MARKS[name]}
        elif name in VIEWS:
            self.camera = navigation.along(self.camera, VIEWS[name], ctrl)
        elif name in ACTIONS:
            ACTIONS[name](self)

    def key_up(self, name: str) -> None:
        self.keys.discard(name)

    def lose(self) -> None:
        """The window loses keys and mouse: nothing stays pressed, no body stays held."""
        self.keys.clear()
        self._stop()

    def update(self, seconds: float) -> None:
        """Fly while keys are down, by a tenth of the way to the target in 0.1 s."""
        if self.dragging != "look":
            return
        moves = [FLIGHT[key] for key in sorted(self.keys & FLIGHT.keys())]
        if moves:
            way = min(seconds, 0.1) * 0.6 * navigation.visible_height(self.camera)
            forwards, right, up = way * np.sum(moves, axis=0)
            self.camera = navigation.fly(self.camera, forwards, right, up)

    # -- what they do -------------------------------------------------------------------------------------------------

    def _stop(self) -> None:
        if self.dragging == "grab":
            self.session.release()
        self.dragging, self._button, self._picked = "", 0, None

    def _drag(self, place: tuple[float, float]) -> None:
        """The hand moves in the plane through where the body was met, parallel to the picture."""
        if self._picked is None or self.session.held is None:
            return
        origin, direction = picking.ray(self.camera, place, self.size)
        ahead = self.camera.target - self.camera.eye
        distance = float((self._picked.place - origin) @ ahead) / float(direction @ ahead)
        self.session.drag_to(origin + distance * direction)

    def frame(self, everything: bool = False) -> None:
        """Let the selection, or everything, fill the picture."""
        chosen = None if everything or self.session.selection is None else self.session.selection[0]
        box = picking.extent(self.session.world, chosen)
        if box is not None:
            self.camera = navigation.frame(self.camera, *box, self.size[0] / max(self.size[1], 1))

    def pin(self) -> None:
        """Pin the selected particle, or let it loose."""
        entity, particle = self.session.selection or (0, None)
        if particle is None:
            self.session.message = "click on a particle to select it; P pins it"
        elif self.session.is_pinned(entity, particle):
            self.session.unpin(entity, particle)
        else:
            self.session.pin(entity, particle)

    def step(self, frames: int) -> None:
        """One frame on, or back."""
        self.session.pause()
        if frames > 0:
            self.session.step(frames)
        else:
            self.session.scrub(self.session.playhead + frames)

    def change_grab(self) -> None:
        session = self.session
        session.grab_by = "imposed" if session.grab_by == "spring" else "spring"
        session.message = "bodies are pulled by " + ("a spring" if session.grab_by == "spring" else "imposed motion")


def _speed(factor: float) -> Callable[[Controls], None]:
    def change(controls: Controls) -> None:
        controls.session.speed *= factor
        controls.session.message = f"{controls.session.speed:.3g} times real time"

    return change


def _quit(controls: Controls) -> None:
    controls.session.quit = True


ACTIONS: dict[str, Callable[[Controls], Any]] = {
    "space": lambda c: c.session.toggle(),
    "right": lambda c: c.step(1),
    ".": lambda c: c.step(1),
    "left": lambda c: c.step(-1),
    "c": lambda c: c.session.continue_from(),
    "r": lambda c: c.session.reset(),
    "[": _speed(0.5),
    "]": _speed(2.0),
    "f": lambda c: c.frame(),
    "home": lambda c: c.frame(everything=True),
    "p": lambda c: c.pin(),
    "g": lambda c: c.change_grab(),
    "5": lambda c: setattr(c, "camera", navigation.orthographic(c.camera, c.camera.orthographic is None)),
    "s": lambda c: c.ask("screenshot"),
    "h": lambda c: c.ask("help"),
    "tab": lambda c: c.ask("panels"),
    "f11": lambda c: c.ask("full screen"),
    "escape": _quit,
}
