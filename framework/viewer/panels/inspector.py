"""The fields of the selected entity, with unit, rule and documentation. An edit is a command of the session."""
from __future__ import annotations

import inspect
import math
from typing import TYPE_CHECKING, Any

import numpy as np
from imgui_bundle import imgui

from framework.component import ComponentInfo, info
from framework.fields import FieldInfo, short

from .messages import BAD, QUIET

if TYPE_CHECKING:
    from framework.viewer.panels import Panels
    from framework.viewer.session import Session

ENTER = imgui.InputTextFlags_.enter_returns_true
OPEN = ("Material", "MassSpring", "Wind", "Gravity", "Collider", "Stepping")  # components that are open at first
LABEL = 118.0  # width of names


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
    for cls, part in sorted(world.store.components(entity).items(), key=lambda item: item[0].__name__):
        about = info(cls)
        if about.scratch or not about.fields:
            continue
        flags = imgui.TreeNodeFlags_.default_open if cls.__name__ in OPEN else 0
        opened = imgui.collapsing_header(f"{cls.__name__}##{entity}", flags)
        if imgui.is_item_hovered():
            imgui.set_tooltip(inspect.getdoc(cls) or cls.__name__)
        if opened:
            for field in about.fields.values():
                path = f"{name}.{about.name}.{field.name}"
                imgui.push_id(path)
                _field(session, panels, path, about, field, getattr(part, field.name), (entity, cls, particle))
                imgui.pop_id()


def _support(session: Session, entity: int, particle: int) -> None:
    pinned = session.is_pinned(entity, particle)
    if imgui.button("unpin" if pinned else "pin"):
        (session.unpin if pinned else session.pin)(entity, particle)
    force = session.reaction
    if np.any(force):
        imgui.same_line()
        imgui.text(f"reaction {math.sqrt(float(force @ force)):.4g} N")
        if imgui.is_item_hovered():
            imgui.set_tooltip(f"({force[0]:.4g}, {force[1]:.4g}, {force[2]:.4g}) N, of the support on the body")


def _field(
    session: Session, panels: Panels, path: str, about: ComponentInfo, field: FieldInfo, value: Any, place: Any
) -> None:
    imgui.align_text_to_frame_padding()
    imgui.text(field.name)
    if imgui.is_item_hovered():
        imgui.set_tooltip(_about(field))
    imgui.same_line(LABEL * panels.scale)
    fixed = about.feedback or value is None
    if isinstance(value, np.ndarray) and value.shape != (3,):
        _array(session, panels, path, about, field, value, place)
    elif fixed or not isinstance(value, (bool, int, float, str, np.ndarray)):
        imgui.text_colored(QUIET, "not given" if value is None else _number(value, field))
    else:
        found = _widget(panels, path, field, value)
        if found is not None:
            _give(session, panels, path, found)
    if path in panels.refused:
        imgui.push_text_wrap_pos(0.0)
        imgui.text_colored(BAD, panels.refused[path])
        imgui.pop_text_wrap_pos()


def _about(field: FieldInfo) -> str:
    rule = f"must be {field.rule.text}" if field.rule is not None else ""
    choices = f"one of {', '.join(field.choices)}" if field.choices else ""
    unit = f"[{field.unit}]" if field.unit != "1" else ""
    return "\n".join(line for line in (" ".join((field.doc, unit)).strip(), rule, choices) if line) or field.name


def _widget(panels: Panels, path: str, field: FieldInfo, value: Any) -> Any:
    """The new value when the person has given one."""
    unit = "" if field.unit == "1" else f" {field.unit}"
    width = imgui.get_content_region_avail().x - imgui.calc_text_size(unit).x - 4.0
    if isinstance(value, bool):
        changed, on = imgui.checkbox("##value", value)
        return on if changed else None
    if isinstance(value, str) and field.choices:
        imgui.set_next_item_width(-1)
        now = field.choices.index(value) if value in field.choices else 0
        changed, index = imgui.combo("##value", now, list(field.choices))
        return field.choices[index] if changed and index != now else None
    if isinstance(value, str):
        imgui.set_next_item_width(-1)
        changed, text = imgui.input_text("##value", value, ENTER)
        return text if changed and text != value else None
    if isinstance(value, np.ndarray):
        return _vector(value, unit, width)
    imgui.set_next_item_width(max(width, 40.0))
    found: Any
    if isinstance(value, int):
        changed, found = imgui.input_int("##value", max(min(value, 2**31 - 1), -(2**31)), 0, 0, ENTER)
    else:
        changed, found = imgui.input_double("##value", value, format="%.6g", flags=ENTER)
    _unit(unit)
    return found if changed and found != value else None


def _vector(value: np.ndarray, unit: str, width: float) -> Any:
    new, changed = value.copy(), False
    for axis in range(3):
        imgui.push_id(axis)
        imgui.set_next_item_width(max((width - 8.0) / 3, 24.0))
        hit, found = imgui.input_double("##value", float(value[axis]), format="%.4g", flags=ENTER)
        if hit and found != value[axis]:
            new[axis], changed = found, True
        imgui.pop_id()
        imgui.same_line(0.0, 4.0)
    imgui.text_colored(QUIET, unit.strip())
    return tuple(new.tolist()) if changed else None


def _unit(unit: str) -> None:
    if unit:
        imgui.same_line(0.0, 4.0)
        imgui.text_colored(QUIET, unit.strip())


def _array(
    session: Session, panels: Panels, path: str, about: ComponentInfo, field: FieldInfo, value: np.ndarray, place: Any
) -> None:
    """Shape and range; the row of the selected particle, to edit; a button that plots the mean."""
    entity, cls, particle = place
    imgui.text_colored(QUIET, _summary(session, panels, entity, cls, field, value))
    if value.dtype.kind == "f" and value.size and imgui.is_item_clicked():
        _plot(session, panels, path, value)
    if imgui.is_item_hovered():
        imgui.set_tooltip(f"shape {value.shape}\nclick to plot its mean over time")
    if particle is None or field.shape[:1] != ("n",) or value.ndim == 0 or particle >= len(value):
        return
    row = value[particle]
    imgui.text_colored(QUIET, "  of the particle")
    imgui.same_line(LABEL * panels.scale)
    unit = "" if field.unit == "1" else f" {field.unit}"
    width = imgui.get_content_region_avail().x - imgui.calc_text_size(unit).x - 4.0
    if about.feedback or value.dtype.kind != "f" or row.shape not in ((), (3,)):
        imgui.text_colored(QUIET, _number(row, field))
    elif row.shape == (3,):
        found = _vector(row, unit, width)
        if found is not None:
            _give(session, panels, f"{path}[{particle}]", found)
    else:
        imgui.set_next_item_width(max(width, 40.0))
        changed, number = imgui.input_double("##row", float(row), format="%.6g", flags=ENTER)
        _unit(unit)
        if changed and number != row:
            _give(session, panels, f"{path}[{particle}]", number)


def _summary(session: Session, panels: Panels, entity: int, cls: type, field: FieldInfo, value: np.ndarray) -> str:
    """Range of an array, computed again only when it has changed."""
    world = session.world
    stamp = (id(world), world.frame, world.store.version(entity, cls, field.name))
    kept = panels.summaries.get((entity, cls, field.name))
    if kept is None or kept[0] != stamp:
        if value.dtype.kind in "fiu" and value.size:
            size = np.sqrt((value * value).sum(axis=-1)) if value.ndim == 2 and value.dtype.kind == "f" else value
            sign = "|" if size is not value else ""
            unit = "" if field.unit == "1" else f" {field.unit}"
            text = f"{sign}{float(size.min()):.3g} .. {float(size.max()):.3g}{sign}{unit}"
        else:
            text = f"{value.shape}"
        kept = panels.summaries[entity, cls, field.name] = (stamp, text)
    return str(kept[1])


def _plot(session: Session, panels: Panels, path: str, value: np.ndarray) -> None:
    watched = f"{path}.norm.mean" if value.ndim == 2 and value.shape[1] == 3 else f"{path}.mean"
    try:
        if watched not in session.world.watches.paths:
            session.world.watch(watched, watched)
    except Exception as error:
        panels.refused[path] = str(error)


def _give(session: Session, panels: Panels, path: str, value: Any) -> None:
    base = path.partition("[")[0]
    panels.refused.pop(base, None)
    if not session.edit(path, value):
        panels.refused[base] = session.message


def _number(value: Any, field: FieldInfo) -> str:
    if isinstance(value, (float, np.floating)):
        return f"{value:.6g} {'' if field.unit == '1' else field.unit}".strip()
    return short(value.tolist() if isinstance(value, np.ndarray) else value)
