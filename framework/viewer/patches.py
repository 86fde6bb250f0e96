"""Small images laid over a picture: text, legends and symbols in its corners, the same for every renderer."""
from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


@dataclass(slots=True)
class Patch:
    """An image laid over a picture: its first column and row, and pixels (h, w, 4) uint8, premultiplied by alpha."""

    left: int
    top: int
    pixels: np.ndarray


@dataclass(slots=True)
class Canvas:
    """Where a patch is composed: premultiplied colour and alpha, (h, w, 4) float32 in 0..1."""

    height: int
    width: int
    values: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.values = np.zeros((max(self.height, 1), max(self.width, 1), 4), dtype=np.float32)

    def over(self, cover: np.ndarray, colour: np.ndarray, left: int = 0, top: int = 0) -> None:
        """Lay `colour` (3,) or (h, w, 3) over what is there by `cover` (h, w) in 0..1, clipped at the borders."""
        height, width = cover.shape
        y0, y1 = max(top, 0), min(top + height, self.values.shape[0])
        x0, x1 = max(left, 0), min(left + width, self.values.shape[1])
        if y0 >= y1 or x0 >= x1:
            return
        part = slice(y0 - top, y1 - top), slice(x0 - left, x1 - left)
        weight = cover[part][..., None]
        paint = np.asarray(colour, dtype=np.float32)
        place = self.values[y0:y1, x0:x1]
        place *= 1.0 - weight
        place[..., :3] += weight * (paint[part] if paint.ndim == 3 else paint)
        place[..., 3:] += weight

    def pixels(self) -> np.ndarray:
        """What was composed: (h, w, 4) uint8, read-only, for it is kept and shared."""
        result = np.clip(255.0 * self.values + 0.5, 0.0, 255.0).astype(np.uint8)
        result.flags.writeable = False
        return result


def lay(image: np.ndarray, patch: Patch) -> None:
    """Lay a patch over `image` (H, W, 3) uint8, in place, clipped at the borders."""
    height, width = patch.pixels.shape[:2]
    y0, y1 = max(patch.top, 0), min(patch.top + height, image.shape[0])
    x0, x1 = max(patch.left, 0), min(patch.left + width, image.shape[1])
    if y0 >= y1 or x0 >= x1:
        return
    pixels = patch.pixels[y0 - patch.top:y1 - patch.top, x0 - patch.left:x1 - patch.left].astype(np.uint16)
    place = image[y0:y1, x0:x1]
    place[...] = (place * (255 - pixels[..., 3:]) + 127) // 255 + pixels[..., :3]
