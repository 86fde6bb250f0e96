"""The systems with their time per frame, and what the solver says."""
from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from imgui_bundle import imgui

from framework.component import info
from framework.stepping import Stepping
from framework.system import Stage

from .messages import QUIET

if TYPE_CHECKING:
    from framework.viewer.panels import Panels
    from framework.viewer.session import Session

SMOOTHING = 0.2
BAR = 110.0  # width of the bars


def draw(session: Session, panels: Panels) -> None:
    world, engine = session.world, session.world.engine
    total = sum(panels.seconds.get(s.name, 0.0) for s in engine.schedule if s.stage not in (Stage.FORCES, Stage.RENDER))
    stepping = world.stepping
    imgui.push_text_wrap_pos(0.0)
    imgui.text(f"{1e3 * total:.2f} ms for {1e3 * stepping.frame_time:.4g} ms, substeps: {stepping.substeps}")
    if session.pace:
        imgui.text_colored(QUIET, f"{session.pace:.3g} x real time when it runs freely")
    imgui.pop_text_wrap_pos()
    if imgui.begin_table("systems", 2, imgui.TableFlags_.row_bg):
        imgui.table_setup_column("name", imgui.TableColumnFlags_.width_stretch)
        imgui.table_setup_column("time", imgui.TableColumnFlags_.width_fixed, BAR * panels.scale)
        for stage in Stage:
            for system in engine.schedule.stages[stage]:
                if stage is not Stage.RENDER:
                    _row(panels, system, stage, total, bool(engine.calls[system.name]))
        imgui.end_table()
    if engine.schedule.stages[Stage.FORCES]:
        imgui.push_text_wrap_pos(0.0)
        imgui.text_colored(QUIET, "The dynamics call the forces (indented): the time of those is part of its.")
        imgui.pop_text_wrap_pos()
    for cls, part in world.store.components(0).items():
        if cls is Stepping:
            continue
        imgui.separator_text(cls.__name__)
        for field in info(cls).fields.values():
            value = getattr(part, field.name)
            if isinstance(value, (int, float)):
                imgui.text(f"{field.name}: {value:.4g} {'' if field.unit == '1' else field.unit}")
                if imgui.is_item_hovered():
                    imgui.set_tooltip(field.doc)


def _row(panels: Panels, system: Any, stage: Stage, total: float, has_run: bool) -> None:
    seconds = panels.seconds.get(system.name, 0.0)
    imgui.table_next_row()
    imgui.table_next_column()
    imgui.align_text_to_frame_padding()
    name = f"   {system.name}" if stage is Stage.FORCES else system.name
    imgui.text(name) if has_run else imgui.text_colored(QUIET, name)
    if imgui.is_item_hovered():
        idle = "" if has_run else "\n(no entity needs it)"
        imgui.set_tooltip(f"{system.name}, {stage.name}{idle}\n{inspect.getdoc(type(system)) or ''}")
    imgui.table_next_column()
    if has_run:
        share = min(seconds / total, 1.0) if total > 0 else 0.0
        imgui.progress_bar(share, imgui.ImVec2(-1, 0), f"{1e3 * seconds:.3f} ms")


def count(session: Session, panels: Panels) -> None:
    """Seconds per frame of each system: at first the mean over the run, then smoothed over the frames that are run."""
    engine, frame = session.world.engine, session.world.frame
    former, counted = panels.counted
    if frame == former:
        return
    now = dict(engine.seconds)
    if not counted:
        panels.seconds = {name: seconds / max(frame, 1) for name, seconds in now.items()}
    elif frame > former:
        for name, seconds in now.items():
            new = (seconds - counted[name]) / (frame - former)
            if new > 0.0:  # else the frames came from the history
                panels.seconds[name] += SMOOTHING * (new - panels.seconds[name])
    panels.counted = frame, now
