"""The command line: `pliant run`, `pliant list`, `pliant new`. Only the runner imports this, and only when needed."""
from __future__ import annotations

import importlib.util
import keyword
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from framework.app import Options, prepare, run_scene
from framework.arguments import parse_show, parse_size
from framework.errors import PliantError
from framework.guard import PACKAGES
from framework.outputs import check_output
from framework.recording.command_line import register
from framework.recording.places import scene_of
from framework.report import guarded
from framework.scene import Scene, demo_summaries, load, reader

if TYPE_CHECKING:
    from framework.world import World

TARGET = "A demo's name, a scene file (.py) or a problem file (.xml)."
Frames = Annotated[int | None, typer.Option(metavar="N", help="Stop after N frames.")]
Until = Annotated[float | None, typer.Option(metavar="T", help="Stop at T seconds of simulated time.")]
FilmFile = Annotated[Path | None, typer.Option(metavar="F.mp4", help="Film the run.")]
PictureFile = Annotated[Path | None, typer.Option(metavar="F.png", help="Draw the last frame.")]
CsvFile = Annotated[Path | None, typer.Option(metavar="F.csv", help="Write the scene's watches, a row a frame.")]
PlotFile = Annotated[Path | None, typer.Option(metavar="F.png", help="Plot the scene's watches over time.")]
RecordFile = Annotated[Path | None, typer.Option("--record", metavar="F.h5", help="Record every frame.")]
Place = Annotated[str | None, typer.Option(
    "--from", metavar="F.h5@FRAME", help="Go on from a frame of a recording, without DEMO.")]
Settings = Annotated[list[str] | None, typer.Option(
    "--set", metavar="PATH=VALUE", help="Set build.ARGUMENT or a path of the world; may be repeated.")]
Seed = Annotated[int | None, typer.Option(metavar="N", help="The seed argument of the scene's build.")]
Size = Annotated[str, typer.Option(metavar="WxH", help="Size of picture, film or window in pixels.")]
Headless = Annotated[bool, typer.Option("--headless", help="Run without a window.")]


Show = Annotated[str, typer.Option(
    metavar="NAMES", help="Draw also: wireframe, nodes, normals, springs, supports, loads, axes; with commas.")]


def main(arguments: Sequence[str] | None = None) -> int:
    """The program `pliant`; returns its exit code."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False,
                      help="Simulate deformable bodies from their physical properties.")
    app.command("run")(_run)
    app.command("list")(_list)
    app.command("new")(_new)
    app.command("doctor")(_doctor)
    app.command("solve")(_solve)
    register(app)
    return _invoke(app, list(sys.argv[1:] if arguments is None else arguments) or ["--help"], "pliant")


def run_script(scene: Scene, arguments: Sequence[str], on_world: Callable[[World], object]) -> int:
    """The options of `pliant run` for a scene that is already loaded (`python FILE.py --frames 10`)."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

    @app.command()
    def script(frames: Frames = None, until: Until = None, film: FilmFile = None, picture: PictureFile = None,
               csv: CsvFile = None, plot: PlotFile = None, record: RecordFile = None, resume: Place = None,
               settings: Settings = None, seed: Seed = None, size: Size = "1280x720", show: Show = "",
               headless: Headless = False) -> int:
        options = _options(frames, until, film, picture, csv, plot, record, resume, settings, seed, size, show,
                           headless)
        return run_scene(scene, options, on_world)

    return _invoke(app, list(arguments), f"python {scene.name}.py")


def _invoke(app: typer.Typer, arguments: list[str], program: str) -> int:
    def action() -> int:
        try:
            return int(app(args=arguments, prog_name=program, standalone_mode=False) or 0)
        except Exception as error:
            if isinstance(error.__cause__, (EOFError, KeyboardInterrupt)):  # typer makes these an Abort of its own
                raise error.__cause__ from None
            # typer carries its own copy of click in newer versions: its usage errors are known by their method.
            if not hasattr(error, "format_message"):
                raise
            raise PliantError(f"{error.format_message()} (see {program} --help)") from None

    return guarded(action)


def _options(frames: int | None, until: float | None, film: Path | None, picture: Path | None, csv: Path | None,
             plot: Path | None, record: Path | None, resume: str | None, settings: list[str] | None,
             seed: int | None, size: str, show: str, headless: bool) -> Options:
    return Options(frames=frames, until=until, film=film, picture=picture, csv=csv, plot=plot, record=record,
                   resume=resume, settings=tuple(settings or ()), seed=seed, size=parse_size(size),
                   show=parse_show(show), headless=headless)


def _run(target: Annotated[str | None, typer.Argument(metavar="DEMO|FILE", show_default=False, help=TARGET)] = None,
         frames: Frames = None, until: Until = None, film: FilmFile = None, picture: PictureFile = None,
         csv: CsvFile = None, plot: PlotFile = None, record: RecordFile = None, resume: Place = None,
         settings: Settings = None, seed: Seed = None, size: Size = "1280x720", show: Show = "",
         headless: Headless = False) -> int:
    """Run a demo or a scene file: in a window, or without one, checking what it must end on.

    Without a window it runs where there is no display, with --headless, and when a file is asked for (--film, ...).
    In a window --frames and --until say where it pauses.

    Exit code: 0, 1 when a check fails, 2 for a mistake in the command or scene, 3 when the run cannot go on.
    """
    options = _options(frames, until, film, picture, csv, plot, record, resume, settings, seed, size, show,
                           headless)
    options.check()
    if target is not None:
        return run_scene(load(target), options)
    if resume is None:
        raise PliantError("Missing argument DEMO|FILE (see pliant run --help)")
    return run_scene(scene_of(resume), options)


def _list() -> None:
    """List the demos."""
    summaries = demo_summaries()
    width = max(map(len, summaries), default=0)
    for name, summary in summaries.items():
        print(f"{name:<{width}}  {summary}")


def _new(name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the scene; writes NAME.py here.")]) -> None:
    """Write a small scene that runs, to start from."""
    from framework.template import TEMPLATE

    path = Path(name if name.endswith(".py") else f"{name}.py")
    if keyword.iskeyword(path.stem):
        raise PliantError(f"{path.stem!r} is a word of Python's own, which no module can have as its name; how about "
                          f"{path.stem}_scene?")
    if not path.stem.isidentifier():
        raise PliantError(f"{path.stem!r} cannot name a Python file to import: use letters, digits and _")
    if not path.parent.is_dir():
        raise PliantError(f"the folder {path.parent} does not exist; make it first")
    if path.exists():
        raise PliantError(f"{path} exists already; it is left as it is")
    if path.stem in PACKAGES or _is_installed(path.stem):
        raise PliantError(f"{path.stem!r} is the name of an installed Python module, which {path} would hide; "
                          f"choose another, such as {path.stem}_scene")
    path.write_text(TEMPLATE.format(title=path.stem.replace("_", " ").capitalize()), encoding="utf-8")
    print(f"{path} written; run it with: pliant run {path} --picture {path.with_suffix('.png')}")


def _doctor(target: Annotated[str, typer.Argument(metavar="DEMO|FILE", help=TARGET)],
            settings: Settings = None, seed: Seed = None) -> int:
    """Say what is probably wrong with a scene, without running it.

    Exit code: 0 when there is nothing or notes only, 1 when there are warnings or errors, 2 for a mistake.
    """
    from framework.doctor import examine, needs_care, report

    scene = load(target)
    findings = examine(prepare(scene, tuple(settings or ()), seed))
    print(report(scene.name, findings))
    return int(needs_care(findings))


def _solve(
    file: Annotated[Path, typer.Argument(metavar="FILE.xml", help="A problem file, in the format bem_defo.")],
    out: Annotated[Path, typer.Option(metavar="F.csv|F.vtu|F.h5", help="Results, for each set of conditions.")],
    log_length: Annotated[float | None, typer.Option(
        metavar="L", help="Unit of length of the logarithm in Kelvin's solution, as in textbooks.")] = None,
    accuracy: Annotated[float, typer.Option(metavar="A", help="Relative accuracy of the integrals.")] = 1e-6,
) -> None:
    """Solve a problem file, and write displacements, stresses and tractions.

    Exit code: 0, 2 for a mistake in the command or the file, 3 when there is no solution.
    """
    check_output("--out", out, (".csv", ".vtu", ".h5", ".hdf5"))
    files = reader(file, "solve").solve(file, out, log_length, accuracy)
    for written in files[:3]:
        print(f"results: {written}")
    if len(files) > 3:
        print(f"and {len(files) - 3} more beside them")


def _is_installed(name: str) -> bool:
    if name in sys.stdlib_module_names or name == "__main__":
        return True
    found: Any = importlib.util.find_spec(name)
    return found is not None and found.origin != str(Path.cwd() / f"{name}.py")


if __name__ == "__main__":
    sys.exit(main())
