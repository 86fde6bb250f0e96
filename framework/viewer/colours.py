"""Colour maps as short tables of stops, and the function that applies them.

Values between two stops are interpolated linearly in sRGB; a table of two stops is therefore a plain linear ramp.
All colours of the viewer are sRGB in 0..1.
"""
from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .errors import SceneError

Colour = Sequence[float] | np.ndarray

MISSING = (0.62, 0.62, 0.64)  # where a value is not a number

MAPS: dict[str, np.ndarray] = {
    name: np.array([[int(code[i:i + 2], 16) / 255.0 for i in (0, 2, 4)] for code in table.split()])
    for name, table in {
        # Dark violet to yellow, evenly rising in lightness: the default for any magnitude.
        "viridis": "45186a 443a83 31688e 22888c 27a884 63c860 b4da34 fbe639",
        # Blue to red through light grey: for signed quantities around zero.
        "coolwarm": "3350b8 5f83e3 95b6fb d9dde2 f4b196 dd6b54 ad1a2c",
        "heat": "2a0a14 7b1420 c93a1e f2811d fbc54a fff6cf",
        "ocean": "0b2545 14507e 1f86ad 4fb9c8 a4dfd5 eefaf2",
        "ember": "2b1a5a 6d2381 b03583 e5566a fb8e55 fbd679",
        "grey": "1f2226 f2f3f4",
        "blue_white": "1f5fae f4f7fb",
    }.items()
}

# Bodies that nobody coloured get these in turn: calm, and distinct for colour-blind readers too.
BODIES = np.array([[0.27, 0.49, 0.78], [0.90, 0.56, 0.24], [0.30, 0.64, 0.50],
                   [0.80, 0.38, 0.44], [0.56, 0.46, 0.74], [0.62, 0.60, 0.36]])


def stops_of(colours: str | Colour) -> np.ndarray:
    """The stops (k, 3) of a map's name, or of a table of at least two colours."""
    if isinstance(colours, str):
        if colours not in MAPS:
            raise SceneError(f"unknown colour map '{colours}'; known: {', '.join(MAPS)}")
        return MAPS[colours]
    stops = np.asarray(colours, dtype=np.float64)
    if stops.ndim != 2 or stops.shape[1] != 3 or len(stops) < 2:
        raise SceneError(f"colour stops must have shape (k, 3) with k >= 2, got {stops.shape}")
    return stops


def apply(values: np.ndarray, low: float, high: float, stops: str | Colour = "viridis") -> np.ndarray:
    """The colours (n, 3) of `values` (n,): `low` is the first stop, `high` the last, beyond them clamped.

    Where `low` equals `high` every value has the first colour; values that are not a number are grey.
    """
    table = stops_of(stops)
    values = np.asarray(values, dtype=np.float64).ravel()
    width = high - low
    place = (values - low) / width if width else np.where(np.isnan(values), np.nan, 0.0)
    place = np.clip(place, 0.0, 1.0) * (len(table) - 1)
    missing = np.isnan(place)
    place = np.where(missing, 0.0, place)
    first = np.minimum(place.astype(np.int32), len(table) - 2)
    part = (place - first)[:, None]
    colour = table[first] * (1.0 - part) + table[first + 1] * part
    colour[missing] = MISSING
    return colour


def body_colour(index: int) -> np.ndarray:
    """The default colour (3,) of the body with this number."""
    return BODIES[index % len(BODIES)]


NAMED: dict[str, str] = {
    "black": "000000", "white": "ffffff", "grey": "808080", "lightgrey": "d3d3d3", "darkgrey": "505457",
    "red": "d0312d", "crimson": "b5173a", "orange": "ef8733", "gold": "e5b020", "yellow": "f2d43d",
    "green": "3f9b4f", "olive": "7c8a3a", "teal": "2a8c8c", "cyan": "35b6c9", "blue": "2f62c4",
    "steelblue": "4682b4", "skyblue": "7db8e0", "navy": "1f3566", "purple": "7b4fa3", "violet": "a37fd0",
    "pink": "e08aa5", "brown": "8a5a3b", "tan": "c9ab83", "salmon": "e9806e",
}  # fmt: skip


def rgb(colour: str | Colour) -> np.ndarray:
    """(3,) of a colour's name, of '#rrggbb', or of three numbers from 0 to 1."""
    if not isinstance(colour, str):
        return np.asarray(colour, dtype=np.float64)
    code = colour[1:] if colour.startswith("#") else NAMED.get(colour, "")
    if len(code) != 6:
        raise SceneError(f"unknown colour '{colour}'; known: {', '.join(NAMED)}, or '#rrggbb'")
    return np.array([int(code[i:i + 2], 16) / 255.0 for i in (0, 2, 4)])
