"""The systems with their time per frame, and what the solver says."""
from __future__ import annotations

from typing import TYPE_CHECKING

from imgui_bundle import imgui

from framework.component import info
from framework.stepping import Stepping
from framework.system import Stage

from .messages import QUIET

if TYPE_CHECKING:
    from framework.viewer.panels import Panels
    from framework.viewer.session import Session

SMOOTHING = 0.2


def draw(session: Session, panels: Panels) -> None:
    world, engine = session.world, session.world.engine
    _count(session, panels)
    total = sum(panels.seconds.get(s.name, 0.0) for s in engine.schedule if s.stage not in (Stage.FORCES, Stage.RENDER))
    stepping = world.stepping
    imgui.text(f"{1e3 * total:.2f} ms a frame of {1e3 * stepping.frame_time:.4g} ms in {stepping.substeps} substeps")
    if session.pace:
        imgui.text_colored(QUIET, f"{session.pace:.3g} x real time when it runs freely")
    if imgui.begin_table("systems", 2, imgui.TableFlags_.row_bg):
        for stage in Stage:
            for system in engine.schedule.stages[stage]:
                seconds = panels.seconds.get(system.name, 0.0)
                imgui.table_next_row()
                imgui.table_next_column()
                imgui.text(system.name)
                if imgui.is_item_hovered():
                    imgui.set_tooltip(f"{stage.name}\n{(type(system).__doc__ or '').strip()}")
                imgui.table_next_column()
                share = min(seconds / total, 1.0) if total > 0 else 0.0
                imgui.progress_bar(share, imgui.ImVec2(-1, 0), f"{1e3 * seconds:.3f} ms")
        imgui.end_table()
    imgui.text_colored(QUIET, "SOLVE calls FORCES; its time includes theirs.")
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


def _count(session: Session, panels: Panels) -> None:
    """Seconds per frame of each system, smoothed over the frames that were run."""
    engine, frame = session.world.engine, session.world.frame
    former, counted = panels.counted
    now = dict(engine.seconds)
    if frame > former >= 0 and all(now.get(name, 0.0) >= seconds for name, seconds in counted.items()):
        for name, seconds in now.items():
            new = (seconds - counted.get(name, 0.0)) / (frame - former)
            old = panels.seconds.get(name, new)
            panels.seconds[name] = old + SMOOTHING * (new - old)
    if frame != former:
        panels.counted = (frame, now)
