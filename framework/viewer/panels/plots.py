"""The watches over time, with the playhead."""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from imgui_bundle import imgui, implot

from .messages import QUIET

if TYPE_CHECKING:
    from framework.viewer.panels import Panels
    from framework.viewer.session import Session

MOST_POINTS = 2000  # of a curve: more would not be seen
MOST_CURVES = 6  # of one watch
HEIGHT = 150.0
NONE = """Nothing is watched: write world.watch("name", "entity.field.reduction") in the scene, or click the range of a
field in the inspector.""".replace("\n", " ")


def draw(session: Session, panels: Panels) -> None:
    world = session.world
    if not world.watches.paths:
        imgui.text_wrapped(NONE)
    for name in list(world.watches.paths):
        times, values = world.series(name)
        unit = world.watches.units.get(name, "")
        imgui.text(name if not unit or unit == "1" else f"{name} [{unit}]")
        if imgui.is_item_hovered():
            imgui.set_tooltip(world.watches.paths[name])
        flags = implot.Flags_.no_title | implot.Flags_.no_mouse_text | implot.Flags_.no_menus
        size = imgui.ImVec2(-1, HEIGHT * panels.scale)
        if implot.begin_plot(f"##{name}", size, flags | implot.Flags_.no_legend):
            implot.setup_axes("time [s]", "", implot.AxisFlags_.auto_fit, implot.AxisFlags_.auto_fit)
            every = max(1, -(-len(times) // MOST_POINTS))
            x = np.ascontiguousarray(times[::every], dtype=float)
            rows = np.asarray(values, dtype=float)[::every].reshape(len(x), -1)
            for k in range(min(rows.shape[1], MOST_CURVES)):
                implot.plot_line(f"{k}", x, np.ascontiguousarray(rows[:, k]))
            implot.plot_inf_lines("##now", np.array([world.time]))
            implot.end_plot()
        if np.ndim(values) > 1 and np.prod(np.shape(values)[1:]) > MOST_CURVES:
            imgui.text_colored(QUIET, f"the first {MOST_CURVES} of {int(np.prod(np.shape(values)[1:]))} values")
