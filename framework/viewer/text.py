"""Text as arrays, by pygame's font module and its own font: no display, and the same letters on each machine."""
from __future__ import annotations

import os
import re
from functools import lru_cache
from types import ModuleType

import numpy as np

from .errors import ViewerError

RAISED, LOWERED = "⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "₊₋₀₁₂₃₄₅₆₇₈₉"
SMALL = RAISED + LOWERED
PLAIN = str.maketrans(SMALL, "+−0123456789" * 2)
RUNS = re.compile(f"[{RAISED}]+|[{LOWERED}]+|[^{SMALL}]+")


def load_pygame(purpose: str) -> ModuleType:
    """The pygame module with fonts ready; its greeting stays silent, and no display is opened."""
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    try:
        import pygame
        import pygame.font
    except ImportError as error:
        raise ViewerError(f"{purpose} needs pygame: pip install pygame-ce ({error})") from error
    if not pygame.font.get_init():
        pygame.font.init()
    return pygame


@lru_cache(maxsize=512)
def coverage(text: str, pixels: int) -> np.ndarray:
    """How much of each pixel the letters cover, (height, width) float32 in 0..1, for a font `pixels` high.

    The font lacks most raised and lowered digits: they are smaller, moved ordinary ones.
    """
    runs = [_letters(run.translate(PLAIN), pixels if run[0] not in SMALL else round(0.72 * pixels))
            for run in RUNS.findall(text)]
    if not runs:
        return np.zeros((1, 1), dtype=np.float32)
    height = max(run.shape[0] for run in runs)
    placed = []
    for run, letters in zip(RUNS.findall(text), runs, strict=True):
        free = height - letters.shape[0]
        above = 0 if run[0] in RAISED else free
        placed.append(np.pad(letters, ((above, free - above), (0, 0))))
    cover = np.hstack(placed)
    cover.flags.writeable = False
    return cover


def _letters(text: str, pixels: int) -> np.ndarray:
    pygame = load_pygame("text in a picture")
    # Drawn at twice the size and averaged: small letters get softer, more even strokes.
    letters = pygame.font.Font(None, 2 * pixels).render(text, True, (255, 255, 255))
    alpha = pygame.surfarray.array_alpha(letters).T.astype(np.float32) / 255.0
    alpha = np.pad(alpha, ((0, alpha.shape[0] % 2), (0, alpha.shape[1] % 2)))
    return 0.25 * (alpha[::2, ::2] + alpha[1::2, ::2] + alpha[::2, 1::2] + alpha[1::2, 1::2])


def blend(image: np.ndarray, cover: np.ndarray, colour: np.ndarray | tuple[float, ...], left: int, top: int) -> None:
    """Mix `colour` (3,) or (h, w, 3) into `image` (H, W, 3) uint8 by `cover` (h, w), clipped at the borders."""
    height, width = cover.shape
    y0, y1 = max(top, 0), min(top + height, image.shape[0])
    x0, x1 = max(left, 0), min(left + width, image.shape[1])
    if y0 >= y1 or x0 >= x1:
        return
    part = slice(y0 - top, y1 - top), slice(x0 - left, x1 - left)
    weight = cover[part][..., None]
    paint = 255.0 * np.asarray(colour, dtype=np.float32)
    paint = paint[part] if paint.ndim == 3 else paint
    place = image[y0:y1, x0:x1]
    place[...] = (place * (1.0 - weight) + paint * weight + 0.5).astype(np.uint8)
