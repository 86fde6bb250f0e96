"""The panels of the window: entities and inspector left, colours, systems and plots right, the timeline below.

A panel reads the session and gives it commands; it holds no state of the simulation. What goes wrong in one is shown in
it, and leaves the others alone.
"""
from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from imgui_bundle import imgui

from . import colouring, entities, inspector, messages, plots, systems, timeline

if TYPE_CHECKING:
    from framework.viewer.session import Session

LEFT, RIGHT, BOTTOM = 290.0, 270.0, 66.0  # at a scale of 1
WIDEST = 0.3  # of the window that a column may take
MOST_KEPT = 5000  # results that are remembered
FIXED = imgui.WindowFlags_.no_move | imgui.WindowFlags_.no_resize
Panel = Callable[["Session", "Panels"], None]
Box = tuple[float, float, float, float]
T = TypeVar("T")


@dataclass
class Panels:
    """What the panels remember between frames, none of it of the simulation.

    keys: (key, what it does) for the help. visible, help: what is shown. scale: of sizes, for dense screens.
    solid: the boxes (left, top, right, bottom) that the last frame's panels fill; filled: whether `Gui.end` is given
    them, so that the panels need no paper of their own. free: the box between them, where the scene can be seen.
    """

    keys: Sequence[tuple[str, str]] = ()
    scale: float = 1.0
    visible: bool = True
    help: bool = False
    filter: str = ""
    folded: set[int] = field(default_factory=set)  # entities whose children are hidden
    scrolled_to: tuple[int, int | None] | None = None  # the selection that was last brought into view
    refused: dict[str, str] = field(default_factory=dict)  # path -> why an edit was refused
    typed: dict[str, Any] = field(default_factory=dict)  # path -> what is being typed into its field
    watched: list[str] = field(default_factory=list)  # paths that a person chose to plot
    hidden: set[str] = field(default_factory=set)  # series that are not plotted
    failures: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    counted: tuple[int, dict[str, float]] = (-1, {})
    filled: bool = False
    solid: list[Box] = field(default_factory=list)
    free: Box = (0.0, 0.0, 0.0, 0.0)
    _open: dict[str, bool] = field(default_factory=dict)
    _kept: dict[Any, tuple[Any, Any]] = field(default_factory=dict)
    _world: Any = None

    def draw(self, session: Session, size: tuple[float, float]) -> None:
        """All panels over a window of `size` units, between Gui.begin and Gui.end."""
        if self._world is not session.world:
            self._start_with(session.world)
        self.solid, self.free = [], (0.0, 0.0, *size)
        if self.visible:
            left, right = min(LEFT * self.scale, WIDEST * size[0]), min(RIGHT * self.scale, WIDEST * size[0])
            bottom = min(BOTTOM * self.scale, 0.4 * size[1])
            height = size[1] - bottom
            title = imgui.get_frame_height()
            upper = 0.38 * height if self._open.get("Entities", True) else title
            if not self._open.get("Inspector", True):
                upper = max(upper, height - title) if self._open.get("Entities", True) else upper
            self._window("Entities", (0, 0), (left, upper), session, entities.draw)
            self._window("Inspector", (0, upper), (left, height - upper), session, inspector.draw)
            self._window("View", (size[0] - right, 0), (right, height), session, None)
            self._window("Timeline", (0, height), (size[0], bottom), session, timeline.draw, False)
            self.free = (
                left if self._open["Entities"] or self._open["Inspector"] else 0.0, 0.0,
                size[0] - right if self._open["View"] else size[0], height,
            )  # fmt: skip
            messages.draw_message(session, self, (self.free[0], height), self.free[2] - self.free[0])
        if self.help:
            messages.draw_help(self, size)

    def once(self, key: Any, stamp: Any, make: Callable[[], T]) -> T:
        """`make()`, remembered until `stamp` differs from the last time."""
        found = self._kept.get(key)
        if found is None or found[0] != stamp:
            if len(self._kept) > MOST_KEPT:
                self._kept.clear()
            found = self._kept[key] = stamp, make()
        result: T = found[1]
        return result

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

    def watch(self, session: Session, path: str) -> None:
        """Plot the value at a path from now on, also after the run is started anew."""
        if path not in session.world.watches.paths:
            session.world.watch(path, path)
        if path not in self.watched:
            self.watched.append(path)
        self.hidden.discard(path)

    def _start_with(self, world: Any) -> None:
        """A world that is shown for the first time: nothing remembered is about it, but what to plot."""
        self._world, self.counted = world, (-1, {})
        self.refused.clear()
        self.typed.clear()
        self._kept.clear()
        for path in list(self.watched):
            if path not in world.watches.paths:
                try:
                    world.watch(path, path)
                except Exception:  # the new world has no such value
                    self.watched.remove(path)

    def _window(
        self, name: str, place: tuple[float, float], size: tuple[float, float], session: Session, panel: Panel | None,
        title: bool = True,
    ) -> None:  # fmt: skip
        imgui.set_next_window_pos(imgui.ImVec2(*place))
        imgui.set_next_window_size(imgui.ImVec2(*size))
        flags = FIXED | (imgui.WindowFlags_.no_background if self.filled else 0)
        self._open[name] = bool(imgui.begin(name, None, flags | (0 if title else imgui.WindowFlags_.no_title_bar))[0])
        if self._open[name]:
            self.solid.append((place[0], place[1], place[0] + size[0], place[1] + size[1]))
            if panel is None:
                self._tabs(session)
            else:
                self.guarded(name, session, panel)
        imgui.end()

    def _tabs(self, session: Session) -> None:
        if imgui.begin_tab_bar("tabs"):
            for name, panel in (("Colours", colouring.draw), ("Systems", systems.draw), ("Plots", plots.draw)):
                if imgui.begin_tab_item(name)[0]:
                    self.guarded(name, session, panel)
                    imgui.end_tab_item()
            imgui.end_tab_bar()
