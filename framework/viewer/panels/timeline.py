"""Play, step, go back; the frames that were run, with marks for commands."""
from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from imgui_bundle import imgui

from .messages import QUIET

if TYPE_CHECKING:
    from framework.viewer.panels import Panels
    from framework.viewer.session import Session

MARK, MARK_DUE = (0.95, 0.75, 0.30, 1.0), (0.55, 0.70, 0.95, 1.0)
NEAR = 5.0  # units within which the mouse shows a mark's text
MOST_TEXTS = 12


def draw(session: Session, panels: Panels) -> None:
    _buttons(session, panels)
    imgui.set_next_item_width(-1)
    last = max(session.last, 1)
    changed, frame = imgui.slider_int("##frames", session.playhead, 0, last, "")
    if changed:
        session.pause()
        session.scrub(frame)
    _marks(session, panels, imgui.get_item_rect_min(), imgui.get_item_rect_max(), last)


def _buttons(session: Session, panels: Panels) -> None:
    if imgui.button("reset"):
        session.reset()
    imgui.same_line()
    if imgui.button("<"):
        session.pause()
        session.scrub(session.playhead - 1)
    _hint("one frame back")
    imgui.same_line()
    if imgui.button("pause" if session.playing else "play "):
        session.toggle()
    _hint("space")
    imgui.same_line()
    if imgui.button(">"):
        session.pause()
        session.step()
    _hint("one frame on")
    imgui.same_line()
    imgui.set_next_item_width(110 * panels.scale)
    changed, speed = imgui.slider_float(
        "##speed", session.speed, 0.01, 10.0, "speed %.2f", imgui.SliderFlags_.logarithmic
    )
    if changed:
        session.speed = speed
    _hint("simulated seconds in a second; the steps stay the same")
    imgui.same_line()
    imgui.text(f"frame {session.playhead} of {session.last}, t = {session.world.time:.3f} s")
    if session.playhead < session.last:
        imgui.same_line()
        if imgui.button("continue from here"):
            session.continue_from()
        _hint("go on from this frame; the newer ones stay as a branch")
    _branches(session)
    imgui.same_line()
    if imgui.button("picture"):
        session.request_screenshot(_unused("png"))
    imgui.same_line()
    if imgui.button("film" if session.film is None else "stop film"):
        if session.film is None:
            session.start_film(_unused("mp4"))
        else:
            session.stop_film()
    if session.film is not None:
        imgui.same_line()
        imgui.text_colored(QUIET, f"filming to {session.film}")


def _branches(session: Session) -> None:
    """A list to choose from, once there is more than one branch."""
    branches = session.world.branches() if session.world.history.lines else ()
    if not branches:
        return
    imgui.same_line()
    imgui.set_next_item_width(110)
    present = next(branch.name for branch in branches if branch.present)
    if imgui.begin_combo("##branches", present):
        for branch in branches:
            text = f"{branch.name}: to frame {branch.newest}"
            text += f", from {branch.began} by {branch.command}" if branch.command else ""
            if imgui.selectable(f"{text}##{branch.name}", branch.present)[0] and not branch.present:
                session.switch(branch.name)
        imgui.end_combo()
    _hint("branches: runs that began with an edit at a past frame")


def _marks(session: Session, panels: Panels, low: imgui.ImVec2, high: imgui.ImVec2, last: int) -> None:
    """A stroke on the bar for each command; its text where the mouse is near."""
    edits, pending = session.edits, session.world.timeline.pending
    stamp = len(edits), id(edits[-1]) if edits else 0, len(pending), id(pending[-1]) if pending else 0
    marks = panels.once("marks", stamp, lambda: session.marks)
    drawing, mouse = imgui.get_window_draw_list(), imgui.get_mouse_pos()
    end = last * session.world.stepping.frame_time
    texts, former = [], -1
    for time, text in marks:
        if not 0.0 <= time <= end:
            continue
        x = low.x + (high.x - low.x) * time / end
        if int(x) != former:  # of many in one place one stroke is seen
            former = int(x)
            colour = MARK if time <= session.world.time else MARK_DUE
            ink = imgui.get_color_u32(imgui.ImVec4(*colour))
            drawing.add_line(imgui.ImVec2(x, low.y), imgui.ImVec2(x, high.y), ink, 2.0)
        if abs(mouse.x - x) < NEAR and low.y <= mouse.y <= high.y:
            texts.append(f"{time:.3f} s: {text}")
    if texts:
        more = f"\nand {len(texts) - MOST_TEXTS} more" if len(texts) > MOST_TEXTS else ""
        imgui.set_tooltip("\n".join(texts[:MOST_TEXTS]) + more)


def _hint(text: str) -> None:
    if imgui.is_item_hovered():
        imgui.set_tooltip(text)


def _unused(suffix: str) -> Path:
    """A file in this folder that does not exist yet."""
    return next(path for path in (Path(f"pliant-{k:03d}.{suffix}") for k in range(1, 10_000)) if not path.exists())
