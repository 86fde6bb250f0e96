"""Appearance, Camera and Light: how a world is drawn. Nothing here acts on the physics."""
from __future__ import annotations

from collections.abc import Iterator
from string import hexdigits
from typing import Any

import numpy as np

from framework.component import component
from framework.errors import suggest
from framework.fields import between, field, non_negative, non_zero_vector, positive
from framework.viewer.colours import MAPS, NAMED

Colour = str | tuple[float, float, float]
_colour_types = (str, tuple, list, np.ndarray)


@component
class Appearance:
    """How a body is drawn. A colour is a name, a text '#rrggbb', or red, green and blue from 0 to 1."""

    colour: Colour = field(
        dtype="object", type=_colour_types, default="steelblue", principal=True, doc="colour of the front"
    )
    back: Colour = field(
        dtype="object", type=_colour_types, optional=True, default=None, doc="colour of the back; None for the front's"
    )
    colour_by: str = field(dtype="str", default="", doc="field that gives the colour, such as 'strain'; empty for none")
    low: float = field(optional=True, default=None, doc="value at the low end; None to follow the data")
    high: float = field(optional=True, default=None, doc="value at the high end; None to follow the data")
    colours: str | tuple[Colour, ...] = field(
        dtype="object", type=(str, tuple), default="viridis", doc="name of a colour map, or its stops from low to high"
    )
    back_colours: str | tuple[Colour, ...] = field(
        dtype="object", type=(str, tuple), optional=True, default=None, doc="colours of the back; None for the front's"
    )
    wireframe: bool = field(dtype="bool", default=False, doc="draw the edges over the surface")
    draw: str = field(dtype="str", choices=("auto", "surface", "lines", "points"), default="auto", doc="what is drawn")
    size: float = field(unit="pixel", default=3.0, rule=positive, doc="width of lines and points")

    def problems(self) -> Iterator[tuple[str, str, Any]]:
        for name in ("colour", "back"):
            value = getattr(self, name)
            if value is not None and not _is_colour(value):
                yield name, f"be a known name, '#rrggbb' or three numbers from 0 to 1{_close(value)}", repr(value)
        for name in ("colours", "back_colours"):
            value = getattr(self, name)
            if isinstance(value, tuple) and not (len(value) >= 2 and all(map(_is_colour_at_all, value))):
                yield name, "be the name of a map or at least two colours", repr(value)
            if isinstance(value, str) and value not in MAPS:
                yield name, f"be the name of a map{suggest(value, MAPS)}", repr(value)
        if self.low is not None and self.high is not None and self.low >= self.high:
            yield "low", "be below high", f"{self.low} and {self.high}"


def _close(value: Any) -> str:
    return f" ({suggest(value, NAMED)[2:]})" if isinstance(value, str) else ""


def _is_colour_at_all(value: Any) -> bool:
    return isinstance(value, _colour_types) and _is_colour(value)


def _is_colour(value: Any) -> bool:
    if isinstance(value, str):
        digits = value[1:]
        return value in NAMED or (value[:1] == "#" and len(digits) == 6 and set(digits.lower()) <= set(hexdigits))
    items: list[Any] = list(value) if np.iterable(value) else []  # np.shape would refuse rows of unequal length
    return len(items) == 3 and all(isinstance(item, (int, float, np.floating)) and 0 <= item <= 1 for item in items)


@component
class Camera:
    """Where a picture is taken from."""

    eye: np.ndarray = field(unit="m", shape=(3,), default=(2.0, 1.5, 3.0), principal=True, doc="position of the eye")
    target: np.ndarray = field(unit="m", shape=(3,), default=(0.0, 0.0, 0.0), doc="point in the middle of the picture")
    up: np.ndarray = field(shape=(3,), default=(0.0, 1.0, 0.0), rule=non_zero_vector(), doc="direction that is up")
    field_of_view: float = field(
        unit="deg", default=45.0, rule=between(0, 180, low_open=True, high_open=True), doc="vertical angle of view"
    )
    orthographic: float = field(
        unit="m", optional=True, default=None, rule=positive,
        doc="height of what is seen in a view without perspective; None for perspective",
    )

    def problems(self) -> Iterator[tuple[str, str, Any]]:
        view = np.subtract(self.target, self.eye)
        if not view.any():
            yield "eye", "differ from target", np.asarray(self.eye).tolist()
        elif not np.cross(view, self.up).any():
            yield "up", "not be along the view", np.asarray(self.up).tolist()


@component
class Light:
    """A lamp at a point, white; several add up."""

    position: np.ndarray = field(unit="m", shape=(3,), default=(0.0, 250.0, 0.0), principal=True, doc="position")
    ambient: float = field(default=0.2, rule=non_negative, doc="light from everywhere")
    diffuse: float = field(default=0.7, rule=non_negative, doc="light that a dull surface scatters")
    specular: float = field(default=0.5, rule=non_negative, doc="light that a glossy surface reflects")
    shininess: float = field(default=5.0, rule=positive, doc="sharpness of the reflection")
