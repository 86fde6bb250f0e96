"""The difference of a value between two branches of a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from framework.errors import CommandError
from framework.fields import short

if TYPE_CHECKING:
    from framework.world import World


@dataclass(frozen=True, eq=False)
class Difference:
    """The value at `path` in branch `b` minus that in branch `a`, at `frame`.

    values: array of the value's shape, such as (n,) or (n, 3), or () for a number. unit: of the value, empty for a
    plain number. max and rms are taken over rows; that of a vector counts by its length.
    """

    a: str
    b: str
    path: str
    frame: int
    unit: str
    values: np.ndarray

    @property
    def sizes(self) -> np.ndarray:
        """How large it is in each row, (n,): the length of a vector, the absolute value of a number."""
        values = np.atleast_1d(self.values)
        flat = values.reshape(len(values), -1) if len(values) else values.reshape(0, 1)
        return np.sqrt((flat * flat).sum(axis=1))

    @property
    def max(self) -> float:
        """The largest size; 0 where there are no rows."""
        return float(self.sizes.max(initial=0.0))

    @property
    def rms(self) -> float:
        """The root of the mean of the squared sizes; 0 where there are no rows."""
        return float(np.sqrt(np.mean(self.sizes**2))) if self.sizes.size else 0.0

    @property
    def entity(self) -> str:
        """The name of the entity that it is about."""
        return self.path.partition(".")[0]

    @property
    def label(self) -> str:
        """What a colour bar of it says."""
        return f"{self.path.partition('.')[2]}: |{self.b} - {self.a}|"

    def check_drawable(self, world: World) -> None:
        """CommandError unless the world shows what was compared, and each particle has a value."""
        here = world.history.line.name
        if world.frame != self.frame or here not in (self.a, self.b):
            raise CommandError(
                f"colour_by: the difference is one of {self.a} and {self.b} at frame {self.frame}, the world is on "
                f"{here} at frame {world.frame}; world.switch({self.b!r}, {self.frame}) goes there"
            )
        particles = world.value(f"{self.entity}.position.count")
        if self.values.shape[:1] != (particles,):
            raise CommandError(
                f"colour_by: the difference of {self.path!r} must have a value for each of {particles} particles, got "
                f"shape {self.values.shape}"
            )

    def __repr__(self) -> str:
        unit = f" {self.unit}" if self.unit else ""
        return (f"<Difference of {self.path} at frame {self.frame}, {self.b} minus {self.a}: max {self.max:.6g}{unit}, "
                f"rms {self.rms:.6g}{unit}>")  # fmt: skip


def between(a: str, b: str, path: str, frame: int, unit: str, values: list[Any]) -> Difference:
    """The difference of the two values, that of `a` first; CommandError where they cannot be subtracted."""
    arrays = [np.asarray(value) for value in values]
    for name, value, array in zip((a, b), values, arrays, strict=True):
        if array.dtype.kind not in "fiub":
            raise CommandError(f"world.compare: {path!r} is no number in {name} but {short(value)}")
    if arrays[0].shape != arrays[1].shape:
        raise CommandError(
            f"world.compare: {path!r} has shape {arrays[0].shape} in {a} and {arrays[1].shape} in {b}, at frame {frame}"
        )
    return Difference(a, b, path, frame, unit, arrays[1].astype(float) - arrays[0].astype(float))
