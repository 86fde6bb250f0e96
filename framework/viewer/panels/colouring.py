"""What colours the bodies: any field with a value per particle, and whether its range is locked."""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from imgui_bundle import imgui

from framework.viewer.colourable import colourable
from framework.viewer.scene import SHOW

from .messages import QUIET

if TYPE_CHECKING:
    from framework.viewer.panels import Panels
    from framework.viewer.session import Session


def draw(session: Session, panels: Panels) -> None:
    world = session.world
    fields = panels.once("colourable", world.store.structure, lambda: colourable(world))
    imgui.text("colour by")
    for label, value in (("as the scene says", None), ("nothing", "")):
        if imgui.radio_button(label, session.colour_by == value):
            session.colour_by, session.range_lock = value, None
    room = imgui.ImVec2(0, 0.45 * imgui.get_content_region_avail().y)
    if imgui.begin_child("fields", room, imgui.ChildFlags_.borders):
        for field, (unit, bodies) in fields.items():
            if imgui.radio_button(field, session.colour_by == field):
                session.colour_by, session.range_lock = field, None
            if imgui.is_item_hovered():
                imgui.set_tooltip(f"[{unit}] of {', '.join(bodies[:8])}{' ...' if len(bodies) > 8 else ''}")
    imgui.end_child()
    if session.colour_by:
        _range(session, panels, fields)
    imgui.separator_text("draw")
    for name in SHOW:
        changed, on = imgui.checkbox(name, name in session.show)
        if changed:
            (session.show.add if on else session.show.discard)(name)


def _range(session: Session, panels: Panels, fields: dict[str, tuple[str, list[str]]]) -> None:
    unit = fields.get(session.colour_by or "", ("1", []))[0]
    locked = session.range_lock is not None
    changed, on = imgui.checkbox("lock the range", locked)
    if changed:
        session.range_lock = present_range(session, fields) if on else None
    if session.range_lock is not None:
        low, high = session.range_lock
        for label, value, place in (("low", low, 0), ("high", high, 1)):
            imgui.set_next_item_width(120 * panels.scale)
            hit, found = imgui.input_double(label, value, format="%.5g", flags=imgui.InputTextFlags_.enter_returns_true)
            if hit and np.isfinite(found):
                new = (found, high) if place == 0 else (low, found)
                if new[0] < new[1]:
                    session.range_lock = new
                else:
                    session.fail(f"the low end must be below the high one, got {new[0]:g} and {new[1]:g}")
        imgui.text_colored(QUIET, "" if unit == "1" else unit)


def present_range(session: Session, fields: dict[str, tuple[str, list[str]]]) -> tuple[float, float]:
    """(low, high) over all bodies with the field now."""
    low, high = np.inf, -np.inf
    for name in fields.get(session.colour_by or "", ("", []))[1]:
        value = np.asarray(session.world.value(f"{name}.{session.colour_by}"), float)
        size = np.sqrt((value * value).sum(axis=1)) if value.ndim == 2 else value
        size = size[np.isfinite(size)]
        low, high = min(low, size.min(initial=np.inf)), max(high, size.max(initial=-np.inf))
    if not low <= high:
        return 0.0, 1.0
    return float(low), float(high) if high > low else float(low) + 1.0
