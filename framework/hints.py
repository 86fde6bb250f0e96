"""What a person may have meant by a name that a World does not have: the words that other programs use."""

from __future__ import annotations

import inspect
from typing import Any

from framework.errors import CommandError, suggest

STEP = "frame_time=, the seconds of a frame, and substeps=, the solver steps in it"
ARGUMENTS = {
    "dt": STEP, "timestep": STEP, "time_step": STEP, "step": STEP, "h": STEP, "substep": STEP, "steps": STEP,
    "fps": "frame_time=1 / 60 for 60 frames a second", "gravity": "world.spawn(Gravity(acceleration=(0, -9.81, 0)))",
    "wind": "world.spawn(Wind(velocity=...))", "solver": "integrator=, such as BackwardEuler()",
    "forces": "systems=[*standard(), MyForce()]", "force": "systems=[*standard(), MyForce()]",
}  # fmt: skip
ATTRIBUTES = {
    "dt": "world.stepping.frame_time and world.stepping.substeps; set them with world.set('world.frame_time', ...)",
    "gravity": "world.spawn(Gravity(acceleration=(0, -9.81, 0)))",
    "keyframes": "world.at(t).keyframes(path, times, values)", "ramp": "world.at(t).set(path, value, ramp=seconds)",
    "remove": "world.despawn(name)", "delete": "world.despawn(name)", "kill": "world.despawn(name)",
    "add": "world.spawn(components, name=...)", "create": "world.spawn(components, name=...)",
    "add_entity": "world.spawn(components, name=...)", "create_entity": "world.spawn(components, name=...)",
    "add_force": "a ForceSystem of your own in World(systems=[*standard(), MyForce()])",
    "add_system": "World(systems=[*standard(), MySystem()])", "simulate": "world.run(frames=...)",
    "update": "world.step()", "advance": "world.step(frames)", "entities": "world.names()",
    "reset": "world.restore(0)", "undo": "world.restore(frame)", "rewind": "world.restore(frame)",
    "render": "world.picture(path) and world.film(path, frames)", "show": "pliant run FILE, which opens a window",
    "plot": "world.watch(name, path) and pliant run FILE --plot out.png", "positions": "world.value('name.position')",
    "get_component": "world.get(name, Component)", "set_value": "world.set(path, value)",
}  # fmt: skip


class Hinting:
    """Errors for arguments and attributes that do not exist say what to write instead."""

    def __new__(cls, *args: Any, **named: Any) -> Any:
        parameters = inspect.signature(cls.__init__).parameters
        takes_any = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
        for word in () if takes_any else named:
            if word not in parameters:
                instead = f": write {ARGUMENTS[word]}" if word in ARGUMENTS else suggest(word, list(parameters)[1:])
                raise CommandError(f"{cls.__name__} takes no argument {word!r}{instead}")
        return super().__new__(cls)

    def __getattr__(self, word: str) -> Any:
        if word.startswith("_"):
            raise AttributeError(word)
        instead = f": write {ATTRIBUTES[word]}" if word in ATTRIBUTES else suggest(word, public(type(self)))
        raise AttributeError(f"a {type(self).__name__} has no {word!r}{instead}")

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise CommandError("a world cannot be copied or pickled: take world.snapshot() and restore it in a new world")


def public(cls: type) -> list[str]:
    return [name for name in dir(cls) if not name.startswith("_")]
