"""Lines of text for windows: wrapped messages, and lines written right into a picture where there is no OpenGL."""
from __future__ import annotations

import textwrap
from collections.abc import Sequence

import numpy as np

from .legend import DARK
from .text import blend, coverage

MOST_LINES = 8


def wrapped(text: str, width: int) -> list[str]:
    """A message in lines of at most `width` letters, eight at most."""
    lines = [part for line in text.splitlines() for part in textwrap.wrap(line, max(width, 20)) or [""]]
    return lines[:MOST_LINES] + (["..."] if len(lines) > MOST_LINES else [])


def painted(image: np.ndarray, lines: Sequence[str], scale: float, top: bool) -> None:
    """Write lines into a picture (h, w, 3) uint8, at its upper or lower left corner."""
    size = round(20 * scale)
    step, edge = round(1.35 * size), round(12 * scale)
    start = edge if top else image.shape[0] - edge - step * (len(lines) + 1)
    for k, line in enumerate(lines):
        left = edge
        for cell in line.split("\t"):
            blend(image, coverage(cell, size), DARK, left, start + k * step)
            left += round(8.0 * size)
