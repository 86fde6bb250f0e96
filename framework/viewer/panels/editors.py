"""Widgets for the value of one field. Each returns what a person has entered, or UNCHANGED.

What is typed becomes a value when the field is left or enter is pressed, not with every key.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from imgui_bundle import imgui

from framework.fields import FieldInfo, short
from framework.viewer import colours

from .messages import QUIET

if TYPE_CHECKING:
    from framework.viewer.panels import Panels

UNCHANGED: Any = object()
NARROWEST = 30.0
LONGEST_VECTOR = 4


def edited(panels: Panels, path: str, field: FieldInfo, value: Any) -> Any:
    """A widget for a value that is no array of many rows. None is a value too, of an optional field."""
    unit = "" if field.unit == "1" else field.unit
    room = imgui.get_content_region_avail().x
    if isinstance(value, bool):
        changed, found = imgui.checkbox("##value", value)
        return found if changed else UNCHANGED
    if field.choices:
        return _choice(field, value)
    if field.dtype == "object":
        return _object(panels, path, field, value, room)
    room -= imgui.calc_text_size(unit).x + 4.0 if unit else 0.0
    if isinstance(value, np.ndarray):
        found = _row(panels, path, value, room)
    elif field.shape and value is None:
        imgui.text_colored(QUIET, "not given")
        found = UNCHANGED
    else:
        found = _typed(panels, path, text_of(value), room, field.optional)
        if found is not UNCHANGED:
            found = _parsed(found, field)
    if unit:
        imgui.same_line(0.0, 4.0)
        imgui.text_colored(QUIET, unit)
    return found


def text_of(value: Any) -> str:
    """A value as it stands in a field to type into."""
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def whole_text(value: Any, field: FieldInfo) -> str:
    """A value in full, with its unit."""
    if value is None:
        return "not given"
    text = repr(float(value)) if isinstance(value, (float, np.floating)) else None
    if text is None:
        text = short(value.tolist() if isinstance(value, np.ndarray) else value)
    return text if field.unit == "1" else f"{text} {field.unit}"


def is_editable(value: Any, field: FieldInfo) -> bool:
    """Whether `edited` has a widget for it."""
    if isinstance(value, np.ndarray):
        return value.ndim == 1 and 0 < len(value) <= LONGEST_VECTOR and value.dtype.kind in "fb"
    return value is None or isinstance(value, (bool, int, float, str, tuple, list))


def _parsed(text: str, field: FieldInfo) -> Any:
    """The number or text that was typed; ValueError says what is wrong with it."""
    if field.dtype == "str":
        return text
    if not text.strip() and field.optional:
        return None
    whole = field.dtype in ("int", "int32")
    try:
        return int(text) if whole else float(text)
    except ValueError:
        raise ValueError(f"must be a {'whole ' if whole else ''}number, got {text!r}") from None


def _typed(panels: Panels, key: str, text: str, width: float, optional: bool = False) -> Any:
    """A field to type into; the text when it is left with another one."""
    imgui.set_next_item_width(max(width, NARROWEST))
    changed, found = imgui.input_text_with_hint("##value", "not given" if optional else "", text)
    if changed:
        panels.typed[key] = found
    if imgui.is_item_deactivated():
        found = panels.typed.pop(key, text)
        if found != text and not imgui.is_key_pressed(imgui.Key.escape):
            return found
    return UNCHANGED


def _row(panels: Panels, path: str, value: np.ndarray, room: float) -> Any:
    """Three numbers, or switches, side by side."""
    new = value.tolist()
    found = UNCHANGED
    for axis, number in enumerate(new):
        if axis:
            imgui.same_line(0.0, 3.0)
        imgui.push_id(axis)
        if isinstance(number, bool):
            changed, part = imgui.checkbox("##value", number)
            part = part if changed else UNCHANGED
        else:
            part = _typed(panels, f"{path}.{axis}", f"{number:.4g}", (room - 3.0 * (len(new) - 1)) / len(new))
        imgui.pop_id()
        if part is not UNCHANGED:
            try:
                new[axis] = part if isinstance(part, bool) else float(part)
            except ValueError:
                raise ValueError(f"must be a number, got {part!r}") from None
            found = tuple(new)
    return found


def _choice(field: FieldInfo, value: Any) -> Any:
    imgui.set_next_item_width(-1)
    now = field.choices.index(value) if value in field.choices else 0
    changed, index = imgui.combo("##value", now, list(field.choices))
    return field.choices[index] if changed and field.choices[index] != value else UNCHANGED


def _object(panels: Panels, path: str, field: FieldInfo, value: Any, room: float) -> Any:
    """A text or a colour; other objects can only be read."""
    takes_text = field.type is str or (isinstance(field.type, tuple) and str in field.type)
    if not takes_text or not (value is None or isinstance(value, (str, tuple))):
        imgui.text_colored(QUIET, "not given" if value is None else short(value))
        return UNCHANGED
    if "colour" in field.name or field.name == "back":
        found = _swatch(panels, path, value)
        if found is not UNCHANGED:
            return found
    if value is None or isinstance(value, str):
        found = _typed(panels, path, value or "", imgui.get_content_region_avail().x, field.optional)
        return found or (None if field.optional else found)
    imgui.text_colored(QUIET, short(value))
    return UNCHANGED


def _swatch(panels: Panels, path: str, value: Any) -> Any:
    """A colour to click on; the new one when the mouse lets go of it."""
    try:
        shown = [float(part) for part in colours.rgb(value)]
    except Exception:  # a colour map, or None
        return UNCHANGED
    if len(shown) != 3:
        return UNCHANGED
    key = f"{path}.swatch"
    changed, found = imgui.color_edit3(
        "##swatch", panels.typed.get(key, shown), imgui.ColorEditFlags_.no_inputs | imgui.ColorEditFlags_.no_label
    )
    imgui.same_line(0.0, 4.0)
    if changed:
        panels.typed[key] = list(found)
    if key in panels.typed and not imgui.is_mouse_down(0):
        return tuple(min(max(round(part, 4), 0.0), 1.0) for part in panels.typed.pop(key))
    return UNCHANGED
