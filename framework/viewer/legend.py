"""Title, caption and colour bars, written into a finished picture: the same for every renderer."""
from __future__ import annotations

import numpy as np

from .colours import apply
from .scene import Legend, Scene
from .text import blend, coverage

SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
DARK, LIGHT = np.array([0.13, 0.15, 0.19]), np.array([0.93, 0.94, 0.96])


def annotate(image: np.ndarray, scene: Scene) -> None:
    """Write the scene's texts and legends into `image` (h, w, 3) uint8, in place; sizes follow the picture's height."""
    height = image.shape[0]
    scale = max(height / 720.0, 0.4)
    ink = DARK if float(np.mean(scene.background)) > 0.5 else LIGHT
    edge = round(24 * scale)
    if scene.title:
        blend(image, coverage(scene.title, round(32 * scale)), ink, edge, edge)
    if scene.caption:
        text = coverage(scene.caption, round(21 * scale))
        blend(image, 0.8 * text, ink, edge, height - edge - text.shape[0])
    right = image.shape[1] - edge
    for legend in scene.legends:
        right = _bar(image, legend, right, scale, ink, np.mean(scene.background, axis=0)) - round(14 * scale)


def ticks(low: float, high: float, most: int = 6) -> tuple[list[float], list[str], int]:
    """Round values in [low, high], at most `most`, with their texts, and the power of ten taken out of the texts."""
    largest = max(abs(low), abs(high))
    if high < low:
        low, high = high, low
    if high - low <= 1e-12 * largest or largest == 0.0:
        power = _power(largest)
        return [low], [f"{low / 10.0 ** power:.4g}".replace("-", "−")], power
    power = _power(largest)
    rough = (high - low) / (most - 1)
    base = 10.0 ** np.floor(np.log10(rough))
    step = next(factor * base for factor in (1.0, 2.0, 2.5, 5.0, 10.0) if factor * base >= rough * (1.0 - 1e-9))
    first, last = np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9)
    values = [float(k * step) for k in np.arange(first, last + 1.0)]
    unit = step / 10.0 ** power
    digits = next((d for d in range(10) if abs(round(unit, d) - unit) < 1e-6 * unit), 9)
    texts = [f"{value / 10.0 ** power + 0.0:.{digits}f}".replace("-", "−") for value in values]
    return values, texts, power


def heading(legend: Legend, power: int) -> str:
    """The line above the bar: "stress [10⁶ Pa]"."""
    unit = f"10{str(power).translate(SUPERSCRIPTS)} {legend.unit}".strip() if power else legend.unit
    return f"{legend.label} [{unit}]" if unit else legend.label


def _power(largest: float) -> int:
    """The power of ten, a multiple of three, to take out of numbers that would be long."""
    if largest == 0.0 or 0.01 <= largest < 1e4:
        return 0
    return int(3 * np.floor(np.log10(largest) / 3.0))


def _bar(image: np.ndarray, legend: Legend, right: int, scale: float, ink: np.ndarray, paper: np.ndarray) -> int:
    """Draw one legend whose panel ends at column `right`; returns the panel's first column."""
    values, texts, power = ticks(legend.low, legend.high)
    head = coverage(heading(legend, power), round(21 * scale))
    labels = [coverage(text, round(19 * scale)) for text in texts]
    pad, wide, tick = round(12 * scale), round(16 * scale), max(round(5 * scale), 2)
    tall = min(round(250 * scale), int(0.6 * image.shape[0]))
    widest = max((label.shape[1] for label in labels), default=0)
    panel_width = max(head.shape[1], wide + tick + pad // 2 + widest) + 2 * pad
    panel_height = tall + head.shape[0] + 3 * pad
    left, top = right - panel_width, round(24 * scale)
    blend(image, 0.62 * _rounded(panel_height, panel_width, 8.0 * scale), np.minimum(paper * 1.04, 1.0), left, top)
    blend(image, head, ink, left + pad, top + pad)

    bar_left, bar_top = left + pad, top + 2 * pad + head.shape[0]
    # The colour of each row; a bar of a single value shows that value's colour only.
    places = np.linspace(1.0, 0.0, tall)
    rows = apply(places if legend.high != legend.low else 0.0 * places, 0.0, 1.0, legend.stops)
    cover = _rounded(tall, wide, 3.0 * scale)
    blend(image, _rounded(tall + 2, wide + 2, 3.5 * scale) * 0.45, ink, bar_left - 1, bar_top - 1)
    blend(image, cover, np.broadcast_to(rows[:, None], (tall, wide, 3)), bar_left, bar_top)
    span = legend.high - legend.low
    for value, label in zip(values, labels, strict=True):
        at = (value - legend.low) / span if span else 0.5
        row = bar_top + round((1.0 - at) * (tall - 1))
        blend(image, np.full((max(round(scale), 1), tick), 0.7, np.float32), ink, bar_left + wide, row)
        blend(image, label, ink, bar_left + wide + tick + pad // 2, row - label.shape[0] // 2 + 1)
    return left


def _rounded(height: int, width: int, radius: float) -> np.ndarray:
    """Cover (height, width) of a rectangle with round corners, its rim smooth."""
    y, x = np.arange(height) + 0.5, np.arange(width) + 0.5
    dx = np.maximum(radius - np.minimum(x, width - x), 0.0)[None, :]
    dy = np.maximum(radius - np.minimum(y, height - y), 0.0)[:, None]
    return np.clip(radius - np.hypot(dx, dy) + 0.5, 0.0, 1.0).astype(np.float32)
