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

    keys: (key, what it does) for the help. visible, help: what is shown. tab: of the right column, to open next.
    scale: of sizes, for dense screens.
    solid: the boxes (left, top, right, bottom) that the last frame's panels fill; filled: whether `Gui.end` is given
    them, so that the panels need no paper of their own.
    """

    keys: Sequence[tuple[str, str]] = ()
    scale: float = 1.0
    visible: bool = True
    help: bool = False
    tab: str = ""
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
    _open: dict[str, bool] = field(default_factory=dict)
    _kept: dict[Any, tuple[Any, Any]] = field(default_factory=dict)
    _world: Any = None

    def free(self, size: tuple[float, float]) -> Box:
        """The box between the panels where the scene is seen, in a window of `size` units."""
        left, right, bottom = self._widths(size) if self.visible else (0.0, 0.0, 0.0)
        lies_open = self._open.get
        return (
            left if lies_open("Entities", True) or lies_open("Inspector", True) else 0.0, 0.0,
            size[0] - right if lies_open("View", True) else size[0], size[1] - bottom,
        )  # fmt: skip

    def draw(self, session: Session, size: tuple[float, float]) -> None:
        """All panels over a window of `size` units, between Gui.begin and Gui.end."""
        if self._world is not session.world:
            self._start_with(session.world)
        self.solid = []
        systems.count(session, self)
        if self.visible:
            left, right, bottom = self._widths(size)
            height, title = size[1] - bottom, imgui.get_frame_height()
            above, below = self._open.get("Entities", True), self._open.get("Inspector", True)
            upper = 0.38 * height if above and below else height - title if above else title
            self._window("Entities", (0, 0), (left, upper), session, entities.draw)
            self._window("Inspector", (0, upper), (left, height - upper), session, inspector.draw)
            self._window("View", (size[0] - right, 0), (right, height), session, None)
            self._window("Timeline", (0, height), (size[0], bottom), session, timeline.draw, False)
            free = self.free(size)
            messages.draw_message(session, self, (free[0], 0.0), free[2] - free[0])
        if self.help:
            messages.draw_help(self, size)

    def _widths(self, size: tuple[float, float]) -> tuple[float, float, float]:
        """Of the columns at the left and right, and the height of the timeline."""
        return (
            min(LEFT * self.scale, WIDEST * size[0]), min(RIGHT * self.scale, WIDEST * size[0]),
            min(BOTTOM * self.scale, 0.4 * size[1]),
        )  # fmt: skip

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
                flags = imgui.TabItemFlags_.set_selected if self.tab == name else 0
                if imgui.begin_tab_item(name, None, flags)[0]:
                    self.guarded(name, session, panel)
                    imgui.end_tab_item()
            imgui.end_tab_bar()
            self.tab = ""
