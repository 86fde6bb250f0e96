"""The watches over time, with the playhead."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from imgui_bundle import imgui, implot

from .messages import QUIET

if TYPE_CHECKING:
    from framework.viewer.panels import Panels
    from framework.viewer.session import Session

MOST_POINTS = 250  # of a curve: more would not be seen
MOST_CURVES = 6  # of one watch
HEIGHT = 150.0
LARGEST = 1e30  # implot scales by differences of values


def draw(session: Session, panels: Panels) -> None:
    watches = session.world.watches
    shown = [name for name in watches.paths if name not in panels.hidden]
    if not shown:
        imgui.text_wrapped('Nothing is plotted: world.watch("name", "entity.field.reduction") in the scene, or the ~ '
                           "beside a field in the inspector.")  # fmt: skip
    for name in shown:
        imgui.push_id(name)
        if imgui.small_button("x"):
            panels.hidden.add(name)
        if imgui.is_item_hovered():
            imgui.set_tooltip("hide this plot")
        imgui.same_line()
        unit = watches.units.get(name, "")
        imgui.text(name if not unit or unit == "1" else f"{name} [{unit}]")
        if imgui.is_item_hovered():
            imgui.set_tooltip(watches.paths[name])
        _plot(session, panels, name)
        imgui.pop_id()
    if panels.hidden & set(watches.paths) and imgui.small_button("show all"):
        panels.hidden.clear()


def _plot(session: Session, panels: Panels, name: str) -> None:
    size = imgui.ImVec2(imgui.get_content_region_avail().x, HEIGHT * panels.scale)
    if not imgui.is_rect_visible(size):
        imgui.dummy(size)
        return
    world = session.world
    x, rows = panels.once(("series", name), (world.frame, session.last), lambda: _curves(world, name))
    flags = implot.Flags_.no_title | implot.Flags_.no_mouse_text | implot.Flags_.no_menus | implot.Flags_.no_legend
    if implot.begin_plot("##plot", size, flags):
        axis = implot.AxisFlags_
        implot.setup_axes("time [s]", "", axis.auto_fit, axis.auto_fit)
        for k in range(min(len(rows), MOST_CURVES)):
            implot.plot_line(f"{k}", x, rows[k])
        implot.plot_inf_lines("##now", np.array([world.time]))
        implot.end_plot()
    if len(rows) == 3:
        imgui.text_colored(QUIET, "x, y, z in this order: blue, orange, green")
    elif len(rows) > MOST_CURVES:
        imgui.text_colored(QUIET, f"the first {MOST_CURVES} of {len(rows)} values")


def _curves(world: Any, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Times (k,) and curves (m, k), with what comes after the frame that is shown. Huge values stop at what fits."""
    times, values = world.watches.sample(name, MOST_POINTS)
    rows = np.ascontiguousarray(np.asarray(values, dtype=float).reshape(len(times), -1).T)
    return np.ascontiguousarray(times, dtype=float), np.clip(rows, -LARGEST, LARGEST)
