"""Where a world comes from: the scene whose `build` made it, and the arguments, to make it again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from framework.errors import PliantError, RecordingError
from framework.recording.head import digest

if TYPE_CHECKING:
    from framework.scene import Scene
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
    def of(
        cls, build: Callable[..., Any], arguments: Mapping[str, str], seed: int | None, problem: Path | None = None
    ) -> Origin | None:
        """That of a build function, or of a problem file; None where it stands in no file (a notebook)."""
        file = getattr(build, "__globals__", {}).get("__file__") if problem is None else str(problem)
        if not isinstance(file, str) or not Path(file).is_file():
            return None
        from framework.scene import demos_folder

        path = Path(file).resolve()
        demo = path.parent == demos_folder().resolve()
        return cls(path.stem if demo else str(path), digest(path.read_bytes()), dict(arguments), seed)

    @classmethod
    def from_data(cls, data: Any) -> Origin:
        return cls(**{**data, "settings": tuple(data["settings"])})

    def to_data(self) -> dict[str, Any]:
        return {**asdict(self), "settings": list(self.settings)}

    def is_of(self, other: Origin | None) -> bool:
        """Whether this is the same scene: the same file, name of a file, or content."""
        return other is not None and (
            self.target == other.target or Path(self.target).name == Path(other.target).name
            or self.source == other.source
        )

    def scene(self, beside: Path) -> Scene:
        """The scene; a file that has moved is looked for beside the recording and in the current folder."""
        from framework.scene import READERS, load

        places = (Path(self.target), beside.parent / Path(self.target).name, Path(Path(self.target).name))
        kinds = (".py", *READERS)
        found = next((str(place.resolve()) for place in places if place.suffix in kinds and place.is_file()), None)
        try:
            return load(found or self.target)
        except PliantError as error:
            raise RecordingError(f"{beside}: its scene cannot be loaded: {error}") from None

    def build(self, scene: Scene, say: Callable[[str], object]) -> World:
        """The world as it was at frame 0, but for `--set`s. say: is told where the scene is not what it was."""
        world = scene.make(self.arguments, self.seed)
        if world.origin is not None and world.origin.source != self.source:
            say(f"the scene {self.target} has changed since the recording was made; what its build() does now counts "
                "for what follows")
        return world


def with_settings(origin: Origin | None, settings: Sequence[str]) -> Origin | None:
    """The origin of a world that a command line has set further values of."""
    return None if origin is None else Origin(**{**vars(origin), "settings": tuple(settings)})
