"""The commands on recordings: `pliant info`, `pliant replay`, `pliant export`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from framework.arguments import parse_size
from framework.errors import PliantError
from framework.outputs import check_output
from framework.recording.journal import mend
from framework.recording.places import frame_of, say, split_place
from framework.recording.reader import Recording

File = Annotated[str, typer.Argument(metavar="F.h5", help="A recording.")]
Place = Annotated[str, typer.Argument(metavar="F.h5[@FRAME]", help="A recording, and a frame of it.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the program."""
    app.command("info")(info)
    app.command("replay")(replay)
    app.command("export")(export)


def info(
    place: Place, check: Annotated[bool, typer.Option("--check", help="Read everything; 1 when it is damaged.")] = False
) -> int:
    """Say what a recording holds."""
    from framework.recording.about import damaged, show

    path, frame = split_place(place)
    if mend(path):
        say(f"{path}: its run was killed while it wrote down a frame; that frame has been completed from the journal")
    with Recording(path) as recording:
        show(recording, frame_of(recording, frame) if recording.frames else None)
        wrong = damaged(recording) if check else {}
    for text in list(wrong.values())[:10]:
        print(f"pliant: {text}", file=sys.stderr)
    if check:
        print(f"checked: {len(recording) - len(wrong)} of {len(recording)} frames are good")
    return 1 if wrong or recording.damage else 0


def replay(
    place: Place,
    film: Annotated[Path | None, typer.Option(metavar="F.mp4", help="Film all frames.")] = None,
    picture: Annotated[Path | None, typer.Option(metavar="F.png", help="Draw FRAME, or the last one.")] = None,
    size: Annotated[str, typer.Option(metavar="WxH", help="Size of picture and film in pixels.")] = "1280x720",
) -> None:
    """Show a recording again, in a window or as film and picture, without computing it."""
    from framework.recording.replay import Replay
    from framework.recording.replay import film as write_film
    from framework.recording.replay import picture as draw

    if film is not None:
        check_output("--film", film, (".mp4", ".gif"))
    if picture is not None:
        check_output("--picture", picture, (".png",))
    pixels = parse_size(size)
    path, frame = split_place(place)
    if film is not None and frame is not None and picture is None:
        raise PliantError(f"{place}: a film shows all frames; give a frame with --picture")
    with Recording(path) as recording:
        chosen = frame_of(recording, frame)
        shown = Replay(recording, say)
        if film is None and picture is None:
            from framework.recording.window import show

            show(shown, recording.first if frame is None else chosen, pixels)
        if picture is not None:
            print(draw(shown, chosen, picture, pixels))
        if film is not None:
            print(write_film(shown, film, pixels))


def export(
    file: File,
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where the files go; it is made.")],
    to: Annotated[str, typer.Option("--to", metavar="vtu|ply|obj|csv", help="Kind of file.")],
    every: Annotated[int, typer.Option(metavar="N", help="Take every N-th frame.")] = 1,
) -> None:
    """Write a recording for other programs: ParaView opens the .pvd of --to vtu."""
    from framework.recording.export import check_export
    from framework.recording.export import export as write

    check_export(to, folder, every)
    with Recording(file) as recording:
        files = write(recording, to, folder, every)
    print(f"{len(files)} files in {folder}, such as {files[0]}" if len(files) > 1 else f"csv: {files[0]}")
