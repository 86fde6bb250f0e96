"""Title, caption and colour bars as patches over a picture."""
from __future__ import annotations

from functools import lru_cache

import numpy as np

from .colours import apply
from .patches import Canvas, Patch, lay
from .scene import Scene
from .text import coverage

SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
DARK, LIGHT = (0.13, 0.15, 0.19), (0.93, 0.94, 0.96)


def annotate(image: np.ndarray, scene: Scene) -> None:
    """Write the scene's texts and legends into `image` (h, w, 3) uint8, in place."""
    for patch in patches(scene, image.shape[1], image.shape[0]):
        lay(image, patch)


def patches(scene: Scene, width: int, height: int) -> list[Patch]:
    """The scene's texts and legends for a picture of this size; their own size follows the picture's height.

    The arrays of texts and legends that stay the same are the same objects each time.
    """
    scale = max(height / 720.0, 0.4)
    ink = DARK if float(np.mean(scene.background)) > 0.5 else LIGHT
    edge = round(24 * scale)
    made = []
    if scene.title:
        made.append(Patch(edge, edge, _line(scene.title, round(32 * scale), ink)))
    if scene.caption:
        pixels = _line(scene.caption, round(21 * scale), ink, 0.8)
        made.append(Patch(edge, height - edge - pixels.shape[0], pixels))
    right = width - edge
    paper = tuple(np.minimum(1.04 * np.mean(scene.background, axis=0), 1.0).tolist())
    for legend in scene.legends:
        tables = [None if stops is None else np.asarray(stops).tobytes() for stops in (legend.stops, legend.back)]
        key = legend.label, legend.unit, float(legend.low), float(legend.high), *tables
        pixels = _panel(key, scale, ink, paper, int(0.6 * height))
        made.append(Patch(right - pixels.shape[1], edge, pixels))
        right -= pixels.shape[1] + round(14 * scale)
    return made


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


def heading(label: str, unit: str, power: int) -> str:
    """The line above the bar: "stress [10⁶ Pa]"; a plain number has no unit."""
    unit = "" if unit == "1" else unit
    if power:
        unit = f"10{str(power).translate(SUPERSCRIPTS)} {unit}".strip()
    return f"{label} [{unit}]" if unit else label


def _power(largest: float) -> int:
    """The power of ten, a multiple of three, to take out of numbers that would be long."""
    if largest == 0.0 or 0.01 <= largest < 1e4:
        return 0
    return int(3 * np.floor(np.log10(largest) / 3.0))


@lru_cache(maxsize=64)
def _line(text: str, pixels: int, ink: tuple[float, ...], strength: float = 1.0) -> np.ndarray:
    cover = coverage(text, pixels)
    canvas = Canvas(*cover.shape)
    canvas.over(strength * cover, np.array(ink))
    return canvas.pixels()


@lru_cache(maxsize=32)
def _panel(key: tuple, scale: float, ink: tuple[float, ...], paper: tuple[float, ...], most: int) -> np.ndarray:
    """One legend: heading, bar and ticks on a panel; with colours of the back a second bar, and both named."""
    label, unit, low, high, *tables = key
    bars = [np.frombuffer(table).reshape(-1, 3) for table in tables if table is not None]
    values, texts, power = ticks(low, high)
    head = coverage(heading(label, unit, power), round(21 * scale))
    labels = [coverage(text, round(19 * scale)) for text in texts]
    names = [coverage(name, round(17 * scale)) for name in ("front", "back")] if len(bars) == 2 else []
    pad, tick = round(12 * scale), max(round(5 * scale), 2)
    wide = max([round(16 * scale)] + [name.shape[1] for name in names])
    gap = pad // 2
    tall = min(round(250 * scale), most)
    columns = len(bars) * wide + (len(bars) - 1) * gap
    widest = max((text.shape[1] for text in labels), default=0)
    above = names[0].shape[0] + pad // 3 if names else 0
    canvas = Canvas(tall + head.shape[0] + above + 3 * pad,
                    max(head.shape[1], columns + tick + pad // 2 + widest) + 2 * pad)
    canvas.over(0.62 * _rounded(canvas.height, canvas.width, 8.0 * scale), np.array(paper))
    canvas.over(head, np.array(ink), pad, pad)

    top = 2 * pad + head.shape[0] + above
    places = np.linspace(1.0, 0.0, tall)
    for number, stops in enumerate(bars):
        left = pad + number * (wide + gap)
        # The colour of each row; a bar of a single value shows that value's colour only.
        rows = apply(places if high != low else 0.0 * places, 0.0, 1.0, stops)
        canvas.over(_rounded(tall + 2, wide + 2, 3.5 * scale) * 0.45, np.array(ink), left - 1, top - 1)
        canvas.over(_rounded(tall, wide, 3.0 * scale), np.broadcast_to(rows[:, None], (tall, wide, 3)), left, top)
        if names:
            name = names[number]
            canvas.over(0.8 * name, np.array(ink), left + (wide - name.shape[1]) // 2, top - above)
    span, left = high - low, pad + columns
    for value, text in zip(values, labels, strict=True):
        at = (value - low) / span if span else 0.5
        row = top + round((1.0 - at) * (tall - 1))
        canvas.over(np.full((max(round(scale), 1), tick), 0.7, np.float32), np.array(ink), left, row)
        canvas.over(text, np.array(ink), left + tick + pad // 2, row - text.shape[0] // 2 + 1)
    return canvas.pixels()


def _rounded(height: int, width: int, radius: float) -> np.ndarray:
    """Cover (height, width) of a rectangle with round corners, its rim smooth."""
    y, x = np.arange(height) + 0.5, np.arange(width) + 0.5
    dx = np.maximum(radius - np.minimum(x, width - x), 0.0)[None, :]
    dy = np.maximum(radius - np.minimum(y, height - y), 0.0)[:, None]
    return np.clip(radius - np.hypot(dx, dy) + 0.5, 0.0, 1.0).astype(np.float32)
