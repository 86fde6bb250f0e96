"""The panels in a window: imgui's frame around them, the events they get, and the area they leave to the scene."""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .gui import Gui
from .gui_events import feed
from .panels import BOTTOM, LEFT, RIGHT, Panels

if TYPE_CHECKING:
    from .screen import Screen
    from .session import Session

Box = tuple[int, int, int, int]


class Interface:
    """Gui and panels of one window. ViewerError where imgui-bundle is missing."""

    def __init__(self, screen: Screen, keys: Sequence[tuple[str, str]]) -> None:
        self.screen = screen
        self.gui = Gui(screen.context)
        self.panels = Panels(keys=keys)

    @property
    def wants_mouse(self) -> bool:
        return self.gui.wants_mouse

    @property
    def wants_keyboard(self) -> bool:
        return self.gui.wants_keyboard

    def handle(self, event: Any) -> None:
        """Pass an event of pygame on to the panels."""
        self.gui._use()
        feed(event)

    def draw(self, session: Session, seconds: float) -> None:
        """The panels, over what the screen shows."""
        self.gui.begin(self.screen.size, seconds, self.screen.ratio)
        self.panels.draw(session, self.screen.size)
        self.gui.end(self.screen.target)

    def free(self) -> Box:
        """(left, top, width, height) of the part of the window that panels leave to the scene, in its units."""
        width, height = self.screen.size
        if not self.panels.visible:
            return 0, 0, width, height
        scale = self.panels.scale
        left, right = round(min(LEFT * scale, 0.3 * width)), round(min(RIGHT * scale, 0.3 * width))
        return left, 0, width - left - right, height - round(min(BOTTOM * scale, 0.4 * height))

    def close(self) -> None:
        self.gui.release()
