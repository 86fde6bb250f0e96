"""The panels in a window: imgui's frame around them, the events they get, and the area they leave to the scene."""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .gui import Gui
from .panels import Panels

if TYPE_CHECKING:
    from .screen import Screen
    from .session import Session

Box = tuple[int, int, int, int]


class Interface:
    """Gui and panels of one window. ViewerError where imgui-bundle is missing."""

    def __init__(self, screen: Screen, keys: Sequence[tuple[str, str]]) -> None:
        self.screen = screen
        scale = _scale(screen)
        self.gui = Gui(screen.context, scale)
        self.gui.use_clipboard()
        self.panels = Panels(keys=keys, scale=scale, filled=True)

    @property
    def wants_mouse(self) -> bool:
        return self.gui.wants_mouse

    @property
    def wants_keyboard(self) -> bool:
        return self.gui.wants_keyboard

    def handle(self, event: Any) -> None:
        """Pass an event of pygame on to the panels."""
        self.gui.feed(event)

    def draw(self, session: Session, seconds: float) -> None:
        """The panels, over what the screen shows."""
        self.gui.begin(self.screen.size, seconds, self.screen.ratio)
        self.panels.draw(session, self.screen.size)
        self.gui.end(self.screen.target, self.panels.solid)

    def free(self) -> Box:
        """(left, top, width, height) of the part of the window that panels leave to the scene, in its units."""
        left, top, right, bottom = (round(side) for side in self.panels.free(self.screen.size))
        return left, top, right - left, bottom - top

    def close(self) -> None:
        self.gui.release()


def _scale(screen: Screen) -> float:
    """How much larger than usual texts are: on a dense display whose units are its pixels, as its height says."""
    try:
        height = max(size[1] for size in screen.pygame.display.get_desktop_sizes())
    except (screen.pygame.error, ValueError):
        return 1.0
    return min(max(round(height / 1080 * 4) / 4, 1.0), 3.0)
