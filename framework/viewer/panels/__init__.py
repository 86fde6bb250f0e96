"""The panels of the window: entities and inspector left, colours, systems and plots right, the timeline below.

A panel reads the session and gives it commands; it holds no state of the simulation. What goes wrong in one is shown in
it, and leaves the others alone.
"""
from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from imgui_bundle import imgui

from . import colouring, entities, inspector, messages, plots, systems, timeline

if TYPE_CHECKING:
    from framework.viewer.session import Session

LEFT, RIGHT, BOTTOM = 290.0, 270.0, 66.0  # at a scale of 1
FIXED = imgui.WindowFlags_.no_move | imgui.WindowFlags_.no_resize | imgui.WindowFlags_.no_collapse
Panel = Callable[["Session", "Panels"], None]


@dataclass
class Panels:
    """What the panels remember between frames, none of it of the simulation.

    keys: (key, what it does) for the help. visible, help: what is shown. scale: of sizes, for dense screens.
    """

    keys: Sequence[tuple[str, str]] = ()
    scale: float = 1.0
    visible: bool = True
    help: bool = False
    filter: str = ""
    refused: dict[str, str] = field(default_factory=dict)  # path -> why an edit was refused
    summaries: dict[Any, Any] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    counted: tuple[int, dict[str, float]] = (-1, {})

    def draw(self, session: Session, size: tuple[float, float]) -> None:
        """All panels over a window of `size` units, between Gui.begin and Gui.end."""
        if self.visible:
            left, right = min(LEFT * self.scale, 0.3 * size[0]), min(RIGHT * self.scale, 0.3 * size[0])
            bottom = min(BOTTOM * self.scale, 0.4 * size[1])
            height = size[1] - bottom
            self._window("Entities", (0, 0), (left, 0.38 * height), session, entities.draw)
            self._window("Inspector", (0, 0.38 * height), (left, 0.62 * height), session, inspector.draw)
            if _begin("View", (size[0] - right, 0), (right, height)) and imgui.begin_tab_bar("tabs"):
                for name, panel in (("Colours", colouring.draw), ("Systems", systems.draw), ("Plots", plots.draw)):
                    if imgui.begin_tab_item(name)[0]:
                        self.guarded(name, session, panel)
                        imgui.end_tab_item()
                imgui.end_tab_bar()
            imgui.end()
            self._window("Timeline", (0, height), (size[0], bottom), session, timeline.draw, title=False)
            messages.draw_message(session, self, (left, height), size[0] - left - right)
        if self.help:
            messages.draw_help(self, size)

    def guarded(self, name: str, session: Session, panel: Panel) -> None:
        """Draw a panel; an error in it is shown in its place and logged once, and imgui goes on as if it had ended."""
        state = imgui.internal.ErrorRecoveryState()
        imgui.internal.error_recovery_store_state(state)
        try:
            panel(session, self)
        except Exception as error:  # a person's component or system may raise anything when it is looked at
            io = imgui.get_io()
            io.config_error_recovery_enable_assert = io.config_error_recovery_enable_debug_log = False
            imgui.internal.error_recovery_try_to_recover_state(state)
            io.config_error_recovery_enable_assert = io.config_error_recovery_enable_debug_log = True
            text = f"{type(error).__name__}: {error}"
            if self.failures.get(name) != text:
                self.failures[name] = text
                logging.getLogger("pliant").warning("panel %s: %s", name, text, exc_info=error)
            imgui.text_colored(messages.BAD, "this panel failed:")
            imgui.text_wrapped(text)

    def _window(
        self, name: str, place: tuple[float, float], size: tuple[float, float], session: Session, panel: Panel,
        title: bool = True,
    ) -> None:  # fmt: skip
        if _begin(name, place, size, 0 if title else imgui.WindowFlags_.no_title_bar):
            self.guarded(name, session, panel)
        imgui.end()


def _begin(name: str, place: tuple[float, float], size: tuple[float, float], flags: int = 0) -> bool:
    imgui.set_next_window_pos(imgui.ImVec2(*place))
    imgui.set_next_window_size(imgui.ImVec2(*size))
    return bool(imgui.begin(name, None, FIXED | flags)[0])
