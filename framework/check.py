"""`Check`: a number a run must end on, and whether it did."""
from __future__ import annotations

import math
from collections.abc import Sequence
from typing import SupportsFloat

from framework.errors import FieldError


class Check:
    """A named value with its bounds: `below`, `above`, `near` within an absolute `tolerance`; all given ones must hold.

    The bounds are strict (`below=0.1` fails at 0.1), `near` is not; a value that is not a number fails.
    """

    __slots__ = ("above", "below", "label", "near", "tolerance", "value")

    def __init__(self, label: str, value: SupportsFloat, *, below: float | None = None, above: float | None = None,
                 near: float | None = None, tolerance: float | None = None) -> None:
        if below is None and above is None and near is None:
            raise FieldError(f"Check {label!r} needs a bound: below=, above=, or near= with tolerance=")
        for word, bound in (("below", below), ("above", above), ("near", near), ("tolerance", tolerance)):
            if bound is not None and not _is_number(bound) and word != "tolerance":
                raise FieldError(f"Check {label!r}: {word}= must be a number, got {bound!r}")
        if below is not None and above is not None and below <= above:
            raise FieldError(f"Check {label!r}: no value is above {above} and below {below}")
        if (near is None) != (tolerance is None):
            raise FieldError(f"Check {label!r}: near= and tolerance= go together; "
                             f"got near={near}, tolerance={tolerance}")
        if tolerance is not None and not (_is_number(tolerance) and tolerance >= 0.0):
            raise FieldError(f"Check {label!r}: tolerance must not be negative, got {tolerance!r}")
        try:
            self.value = float(value)
        except (TypeError, ValueError, OverflowError):
            raise FieldError(f"Check {label!r} needs one number, got {value!r}") from None
        self.label, self.below, self.above, self.near, self.tolerance = label, below, above, near, tolerance

    @property
    def passed(self) -> bool:
        """Whether the value keeps every bound."""
        if math.isnan(self.value):
            return False
        if self.below is not None and not self.value < self.below:
            return False
        if self.above is not None and not self.value > self.above:
            return False
        if self.near is not None and self.tolerance is not None:
            return abs(self.value - self.near) <= self.tolerance
        return True

    @property
    def bound(self) -> str:
        """The bounds in words: '> 0.1 and < 0.2', '= 3 +- 0.01'."""
        parts = []
        if self.above is not None:
            parts.append(f"> {self.above:.6g}")
        if self.below is not None:
            parts.append(f"< {self.below:.6g}")
        if self.near is not None:
            parts.append(f"= {self.near:.6g} +- {self.tolerance:.3g}")
        return " and ".join(parts)

    def __repr__(self) -> str:
        return f"<Check {self.label!r}: {self.value:.6g} {self.bound}: {'pass' if self.passed else 'FAIL'}>"


def _is_number(value: object) -> bool:
    try:
        return not math.isnan(float(value))  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return False


def table(checks: Sequence[Check]) -> list[str]:
    """One aligned line a check: verdict, label, value, bound."""
    labels = max((len(check.label) for check in checks), default=0)
    values = max((len(f"{check.value:.6g}") for check in checks), default=0)
    return [f"{'pass' if check.passed else 'FAIL'}  {check.label:<{labels}}  {check.value:>{values}.6g}  {check.bound}"
            for check in checks]
