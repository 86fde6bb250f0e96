"""Check: bounds, what passes, what is refused."""
from __future__ import annotations

import math

import numpy as np
import pytest

from framework.check import Check, table
from framework.errors import FieldError


@pytest.mark.parametrize(("check", "passed"), [
    (Check("a", 1.0, below=2.0), True),
    (Check("a", 2.0, below=2.0), False),
    (Check("a", 1.0, above=0.5, below=2.0), True),
    (Check("a", 0.5, above=0.5, below=2.0), False),
    (Check("a", 1.01, near=1.0, tolerance=0.011), True),
    (Check("a", 1.02, near=1.0, tolerance=0.011), False),
    (Check("a", 3, near=3, tolerance=0), True),
    (Check("a", math.nan, below=2.0), False),
    (Check("a", math.nan, near=0.0, tolerance=math.inf), False),
    (Check("a", np.float64(1.0), below=2.0), True),
])
def test_passes(check: Check, passed: bool) -> None:
    assert check.passed is passed


@pytest.mark.parametrize(("value", "bounds", "text"), [
    (1.0, {}, "needs a bound"),
    (1.0, {"near": 1.0}, "tolerance"),
    (1.0, {"below": 1.0, "tolerance": 0.1}, "go together"),
    (1.0, {"near": 1.0, "tolerance": -0.1}, "must not be negative"),
    (1.0, {"near": 1.0, "tolerance": math.nan}, "must not be negative"),
    (None, {"below": 1.0}, "one number, got None"),
    (np.zeros(3), {"below": 1.0}, "one number"),
])
def test_refused(value: object, bounds: dict[str, float], text: str) -> None:
    with pytest.raises(FieldError, match=text):
        Check("height", value, **bounds)  # type: ignore[arg-type]


def test_table_is_aligned() -> None:
    lines = table([Check("largest strain", 0.05, below=0.1), Check("tip", 2.0, near=1.0, tolerance=0.5)])
    assert lines == ["pass  largest strain  0.05  < 0.1", "FAIL  tip                2  = 1 +- 0.5"]
