"""What last went wrong, and the help."""
from __future__ import annotations

from typing import TYPE_CHECKING

from imgui_bundle import imgui

if TYPE_CHECKING:
    from framework.viewer.panels import Panels
    from framework.viewer.session import Session

BAD = imgui.ImVec4(1.0, 0.45, 0.40, 1.0)
GOOD = imgui.ImVec4(0.86, 0.88, 0.90, 1.0)
QUIET = imgui.ImVec4(0.62, 0.65, 0.68, 1.0)
LOOSE = (imgui.WindowFlags_.no_title_bar | imgui.WindowFlags_.no_resize | imgui.WindowFlags_.always_auto_resize
         | imgui.WindowFlags_.no_saved_settings)  # fmt: skip
LONGEST = 2000  # characters of a message that are shown


def draw_message(session: Session, panels: Panels, corner: tuple[float, float], width: float) -> None:
    """The session's message below `corner`; what went wrong stays, with buttons to copy it and to take it away."""
    if not session.notice:
        return
    imgui.set_next_window_pos(imgui.ImVec2(corner[0] + 8, corner[1] + 8))
    imgui.set_next_window_size_constraints(imgui.ImVec2(0, 0), imgui.ImVec2(max(width - 16, 100), 400))
    if imgui.begin("message", None, LOOSE)[0]:
        imgui.push_text_wrap_pos(max(width - 40, 80))
        imgui.text_colored(BAD if session.failed else GOOD, session.notice[:LONGEST])
        imgui.pop_text_wrap_pos()
        if session.failed and imgui.small_button("copy"):
            imgui.set_clipboard_text(session.message)
        if session.failed:
            imgui.same_line()
            if imgui.small_button("close"):
                session.message = ""
    imgui.end()


def draw_help(panels: Panels, size: tuple[float, float]) -> None:
    """The keys, in the middle of the window."""
    imgui.set_next_window_pos(imgui.ImVec2(0.5 * size[0], 0.5 * size[1]), pivot=imgui.ImVec2(0.5, 0.5))
    if imgui.begin("help", None, LOOSE)[0]:
        imgui.text("Keys and mouse")
        imgui.separator()
        if imgui.begin_table("keys", 2):
            for key, meaning in panels.keys:
                imgui.table_next_row()
                imgui.table_next_column()
                imgui.text(key)
                imgui.table_next_column()
                imgui.text_unformatted(meaning)
            imgui.end_table()
        if imgui.button("close"):
            panels.help = False
    imgui.end()
