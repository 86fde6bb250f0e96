"""`pliant run` with a window: when one is opened, and what is said when it is closed."""
from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from framework.app import Options
    from framework.viewer.window import Window
    from framework.world import World

NO_WINDOW = "PLIANT_HEADLESS"  # an environment variable, for tests and servers


def headless_reason(options: Options) -> str | None:
    """Why a run opens no window, "" where that needs no words; None where it opens one.

    Options that ask for files run without a window: they promise a whole run, at full speed.
    """
    asked = (options.film, options.picture, options.csv, options.plot, options.record)
    if options.headless or os.environ.get(NO_WINDOW) or any(path is not None for path in asked):
        return ""
    if "SDL_VIDEODRIVER" in os.environ or not sys.platform.startswith("linux"):
        return None
    if os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        return None
    return "there is no display (DISPLAY and WAYLAND_DISPLAY are not set)"


def open_window(name: str, world: World, rebuild: Callable[[], World], options: Options) -> Window:
    """A window on the run of a scene, playing. Raises ViewerError where none can be opened."""
    from framework.viewer.session import Session
    from framework.viewer.window import Window

    session = Session(world, rebuild, stop_at=_stop_at(world, options))
    session.show.update(options.show)
    session.show |= set(options.show)
    window = Window(session, options.size, f"pliant: {name}")
    print(f"{name}: window open ({window.screen.name}); space pauses, H lists the keys, escape closes", flush=True)
    session.play()
    return window


def run_window(name: str, window: Window, stop: Sequence[int]) -> World:
    """Show the run until the window is closed, or a signal asks to `stop`; the world that was shown last."""
    session = window.session
    window.run(lambda: bool(stop))
    print(f"{name}: window closed at frame {session.playhead} of {session.last}, t = {session.world.time:.6g} s")
    return session.world


def _stop_at(world: World, options: Options) -> int | None:
    if options.frames is not None:
        return world.frame + options.frames
    if options.until is None:
        return None
    return world.frame + max(math.ceil((options.until - world.time) / world.stepping.frame_time - 1e-6), 0)
