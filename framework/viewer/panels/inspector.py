"""The fields of the selected entity, with unit, rule and documentation. An edit is a command of the session."""
from __future__ import annotations

import inspect
import math
from typing import TYPE_CHECKING, Any

import numpy as np
from imgui_bundle import imgui

from framework.component import ComponentInfo, info
from framework.fields import FieldInfo
from framework.paths import AXES

from . import editors
from .messages import BAD, QUIET

if TYPE_CHECKING:
    from framework.viewer.panels import Panels
    from framework.viewer.session import Session

INDENT, LABEL = 26.0, 126.0  # where names and values begin
BUSY = ("Appearance", "Geometry")  # components that say much and change little: closed at first


def draw(session: Session, panels: Panels) -> None:
    world = session.world
    if session.selection is None or session.selection[0] not in world.store.names:
        imgui.text_wrapped("Click a body or an entity to see its fields; edits are commands at the present frame.")
        return
    entity, particle = session.selection
    name = world.store.names[entity]
    imgui.text(name if particle is None else f"{name}, particle {particle}")
    if particle is not None:
        _support(session, entity, particle)
    order = panels.once(("components", entity), world.store.edits, lambda: _components(world, entity))
    for cls, opened_at_first, refused in order:
        part = world.store.components(entity).get(cls)
        if part is None:  # an edit a moment ago took it away
            continue
        about = info(cls)
        flags = imgui.TreeNodeFlags_.default_open if opened_at_first else 0
        opened = imgui.collapsing_header(f"{cls.__name__}##{entity}", flags)
        if imgui.is_item_hovered():
            imgui.set_tooltip(_about_component(cls, about, refused))
        for field in about.fields.values() if opened else ():
            path = path_of(name, about, field)
            imgui.push_id(path)
            _field(session, panels, path, field, getattr(part, field.name), (entity, cls, particle, refused))
            imgui.pop_id()


def path_of(name: str, about: ComponentInfo, field: FieldInfo) -> str:
    """The path of a field. position.x would be a coordinate: there the component stands for its field."""
    if field.name == about.principal and field.name in AXES:
        return f"{name}.{about.name}"
    return f"{name}.{about.name}.{field.name}"


def _components(world: Any, entity: int) -> list[tuple[type, bool, str]]:
    """(class, whether it is open at first, why it cannot be set) of an entity, what the person gave first."""
    found = []
    for cls in world.store.components(entity):
        about = info(cls)
        if about.scratch or not about.fields:
            continue
        given = entity == 0 or world.explicit(entity, cls)
        reason = getattr(cls, "refuses_set", lambda components: "")(world.store.components(entity))
        refused = "computed in every frame" if about.feedback else str(reason)
        plain = all(
            field.dtype != "object" and (not field.shape or field.uniform or field.shape == (3,))
            for field in about.fields.values()
        )
        found.append((cls, given and plain and cls.__name__ not in BUSY, refused, not given))
    found.sort(key=lambda item: (not item[1], item[3], item[0].__name__))
    return [item[:3] for item in found]


def _about_component(cls: type, about: ComponentInfo, refused: str) -> str:
    text = inspect.getdoc(cls) or cls.__name__
    if refused:
        return f"{text}\n({refused})"
    if about.derive is not None and about.derived == "parameter":
        return f"{text}\n(follows {', '.join(source.__name__ for source in about.sources)} until it is set)"
    return text


def _support(session: Session, entity: int, particle: int) -> None:
    if not any(hasattr(system, "hand") for system in session.world.engine.schedule):
        return
    pinned = session.is_pinned(entity, particle)
    if imgui.button("unpin" if pinned else "pin"):
        (session.unpin if pinned else session.pin)(entity, particle)
    force = session.reaction
    if np.any(force):
        imgui.same_line()
        imgui.text(f"reaction {math.sqrt(float(force @ force)):.4g} N")
        if imgui.is_item_hovered():
            imgui.set_tooltip(f"({force[0]:.4g}, {force[1]:.4g}, {force[2]:.4g}) N, of the support on the body")


def _field(session: Session, panels: Panels, path: str, field: FieldInfo, value: Any, place: Any) -> None:
    """A line for a field: a button that plots it, its name, its value; below it why an edit was refused."""
    particle, refused = place[2:]
    many = isinstance(value, np.ndarray) and any(isinstance(size, str) for size in field.shape)
    if _plottable(value):
        narrow = imgui.ImVec2(3.0 * panels.scale, imgui.get_style().frame_padding.y)
        imgui.push_style_var(imgui.StyleVar_.frame_padding, narrow)
        clicked = imgui.button("~")
        imgui.pop_style_var()
        if clicked:
            _watch(session, panels, path, value, particle if many and field.shape[0] == "n" else None)
        if imgui.is_item_hovered():
            imgui.set_tooltip("plot over time")
        imgui.same_line()
    imgui.set_cursor_pos_x(INDENT * panels.scale)
    imgui.align_text_to_frame_padding()
    imgui.text(field.name)
    if imgui.is_item_hovered():
        imgui.set_tooltip(_about(path, field, value, refused))
    imgui.same_line(LABEL * panels.scale)
    if many:
        _array(session, panels, path, field, value, place)
    elif refused or not editors.is_editable(value, field):
        imgui.text_colored(QUIET, editors.whole_text(value, field))
    else:
        _edit(session, panels, path, path, field, value)
    if path in panels.refused:
        imgui.push_text_wrap_pos(0.0)
        imgui.text_colored(BAD, panels.refused[path])
        imgui.pop_text_wrap_pos()


def _about(path: str, field: FieldInfo, value: Any, refused: str) -> str:
    rule = f"must be {field.rule.text}" if field.rule is not None else ""
    choices = f"one of {', '.join(field.choices)}" if field.choices else ""
    now = f"now {editors.whole_text(value, field)}" if value is not None and not isinstance(value, np.ndarray) else ""
    unit = f"[{field.unit}]" if field.unit != "1" else ""
    lines = (" ".join((field.doc, unit)).strip(), rule, choices, now, f"({refused})" if refused else "", path)
    return "\n".join(line for line in lines if line)


def _array(session: Session, panels: Panels, path: str, field: FieldInfo, value: np.ndarray, place: Any) -> None:
    """Shape, range and mean, and the row of the selected particle."""
    entity, cls, particle, refused = place
    unit = "" if field.unit == "1" else f"  {field.unit}"
    imgui.text_colored(QUIET, " × ".join(map(str, value.shape)) + unit)
    stamp = session.world.frame, session.world.store.version(entity, cls, field.name), value.shape
    if imgui.is_item_visible() and value.size and value.dtype.kind in "fiu":
        text, bad = panels.once(("summary", path), stamp, lambda: summary(value))
    else:
        text, bad = "", 0
    imgui.set_cursor_pos_x(INDENT * panels.scale)
    imgui.text_colored(QUIET, text)
    if bad:
        imgui.set_cursor_pos_x(INDENT * panels.scale)
        imgui.text_colored(BAD, f"{bad} not finite")
    if particle is None or field.shape[0] != "n" or not 0 <= particle < len(value):
        return
    row = value[particle] if value.ndim > 1 else value[particle].item()
    imgui.set_cursor_pos_x(INDENT * panels.scale)
    imgui.align_text_to_frame_padding()
    imgui.text_colored(QUIET, f"[{particle}]")
    imgui.same_line(0.0, 6.0)
    if refused or not editors.is_editable(row, field):
        imgui.text_colored(QUIET, editors.whole_text(row, field))
    else:
        _edit(session, panels, f"{path}[{particle}]", path, field, row)


def summary(value: np.ndarray) -> tuple[str, int]:
    """Least, mean and greatest of an array, of vectors their length; and how many numbers are not finite."""
    vectors = value.ndim == 2 and value.dtype.kind == "f" and value.shape[1] == 3
    with np.errstate(all="ignore"):
        size = np.sqrt((value * value).sum(axis=1)) if vectors else value
        good = np.isfinite(size)
        bad = int(value.size - np.isfinite(value).sum())
        size = size if good.all() else size[good]
        if not size.size:
            return "", bad
        low, mean, high = float(size.min()), float(size.mean()), float(size.max())
    return f"{'length ' if vectors else ''}{low:.3g} .. {high:.3g}, mean {mean:.3g}", bad


def _edit(session: Session, panels: Panels, path: str, base: str, field: FieldInfo, value: Any) -> None:
    """A widget; what is entered becomes a command, and why it is refused stands at the field, not in the message."""
    try:
        found = editors.edited(panels, path, field, value)
    except ValueError as error:
        panels.refused[base] = str(error)
        return
    if found is editors.UNCHANGED:
        return
    panels.refused.pop(base, None)
    former, bad = session.message, session.failed
    if not session.edit(path, found):
        panels.refused[base] = session.message
        (session.fail if bad else session.tell)(former)


def _plottable(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.dtype.kind == "f" and 0 < value.ndim < 3 and value.size > 0
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _watch(session: Session, panels: Panels, path: str, value: Any, particle: int | None) -> None:
    """Plot a number or vector itself, of an array the row of the particle or the mean (of vectors of their length)."""
    if isinstance(value, np.ndarray) and value.shape != (3,):
        if particle is not None and 0 <= particle < len(value):
            path = f"{path}[{particle}].first"
        else:
            path = f"{path}.norm.mean" if value.shape[-1] == 3 and value.ndim == 2 else f"{path}.mean"
    try:
        panels.watch(session, path)
    except Exception as error:
        session.fail(str(error))
