"""Where a world comes from: the scene whose `build` made it, and the arguments, to make it again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from framework.errors import PliantError, RecordingError
from framework.recording.head import digest

if TYPE_CHECKING:
    from framework.world import World


@dataclass(frozen=True)
class Origin:
    """A scene by its demo's name or absolute file, the texts of build's arguments, seed, and `--set`s of the run.

    source: digest of the scene's file at that time.
    """

    target: str
    source: str
    arguments: dict[str, str]
    seed: int | None = None
    settings: tuple[str, ...] = ()

    @classmethod
    def of(cls, build: Callable[..., Any], arguments: Mapping[str, str], seed: int | None) -> Origin | None:
        """That of a build function; None where it stands in no file (a notebook)."""
        file = getattr(build, "__globals__", {}).get("__file__")
        if not isinstance(file, str) or not Path(file).is_file():
            return None
        path = Path(file).resolve()
        demo = getattr(build, "__module__", "") == f"demos.{path.stem}"
        return cls(path.stem if demo else str(path), digest(path.read_bytes()), dict(arguments), seed)

    @classmethod
    def from_data(cls, data: Any) -> Origin:
        return cls(**{**data, "settings": tuple(data["settings"])})

    def to_data(self) -> dict[str, Any]:
        return {**asdict(self), "settings": list(self.settings)}

    def build(self, say: Callable[[str], object]) -> World:
        """The world as it was at frame 0, but for `--set`s. say: is told where the scene is not what it was."""
        from framework.scene import load

        try:
            scene = load(self.target)
        except PliantError as error:
            raise RecordingError(f"the scene of the recording cannot be loaded: {error}") from None
        world = scene.make(self.arguments, self.seed)
        if world.origin is not None and world.origin.source != self.source:
            say(f"the scene {self.target} has changed since the recording was made; what its build() does now counts "
                "for what follows")
        return world


def with_settings(origin: Origin | None, settings: Sequence[str]) -> Origin | None:
    """The origin of a world that a command line has set further values of."""
    return None if origin is None else Origin(**{**vars(origin), "settings": tuple(settings)})
