"""The range of values that a colour bar spans: it holds all values, ends on round numbers, and ignores noise."""
from __future__ import annotations

import numpy as np

STEPS = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0)
NOISE = 1e-9  # of the largest value; of 1 for plain numbers such as strains
LEAST = 1e-10  # of anything, in its SI unit
SHARE, PATIENCE = 0.3, 45  # pictures
Range = tuple[float, float]


def colour_range(values: np.ndarray, plain: bool = False, former: Range | None = None) -> Range:
    """(low, high) for the finite ones of `values`, and for all that `former` held: a range only ever grows.

    It reaches to zero unless all values lie in a narrow band away from it. Ends are rounded outwards to 1, 1.5, 2, 3, 5
    or 7 times a power of ten, so that in a film it changes in few steps. Where values differ by rounding errors only,
    low equals high. plain: the values have no unit.
    """
    finite = values[np.isfinite(values)]
    ends = [*former] if former is not None else []
    ends += [float(finite.min()), float(finite.max())] if len(finite) else []
    if not ends:
        return 0.0, 0.0
    low, high = min(ends), max(ends)
    largest = max(abs(low), abs(high))
    noise = max(NOISE * max(largest, 1.0 if plain else 0.0), LEAST)
    if high - low <= noise:
        value = 0.0 if largest <= noise else float(f"{0.5 * (low + high):.6g}")
        return value, value
    if low > 0.8 * high > 0.0 or high < 0.8 * low < 0.0:
        step = round_up((high - low) / 4.0)
        return _tidy(np.floor(low / step + 1e-6) * step), _tidy(np.ceil(high / step - 1e-6) * step)
    low = 0.0 if low > -noise else -round_up(-low)
    return low, 0.0 if high < noise else round_up(high)


def settled(values: np.ndarray, plain: bool, former: Range | None, idle: int) -> tuple[Range, int]:
    """(range, pictures in a row that used little of it), after `former` and `idle` of the picture before.

    A range grows at once, and narrows when PATIENCE pictures have used less than a SHARE of it: a short peak does not
    leave all that follows dark.
    """
    now = colour_range(values, plain)
    if former is None or now[1] - now[0] >= SHARE * (former[1] - former[0]) or now[0] == now[1]:
        return colour_range(values, plain, former), 0
    if idle + 1 >= PATIENCE:
        return now, 0
    return colour_range(values, plain, former), idle + 1


def round_up(value: float) -> float:
    """The next of 1, 1.5, 2, 3, 5, 7 times a power of ten."""
    power = 10.0 ** np.floor(np.log10(value))
    return _tidy(power * next(step for step in STEPS if step * power >= value * (1.0 - 1e-9)))


def _tidy(value: float) -> float:
    return float(f"{value:.9g}")
