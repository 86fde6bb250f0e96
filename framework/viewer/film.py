"""Films and pictures on disk."""
from __future__ import annotations

import io
import os
import re
import struct
import subprocess
import zlib
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from framework.errors import OutputError
from framework.outputs import part_beside, write_whole

from .errors import ViewerError

SUFFIXES = (".mp4", ".gif")
GIF_RATE = 50.0  # a GIF counts hundredths of a second, and viewers slow down what is faster


class Film:
    """Frames to an MP4 (H.264) or GIF file.

        with Film("flag.mp4", fps=60) as film:
            film.add(image)         # (h, w, 3) uint8, all of one size

    The frames go to a hidden file beside `path`, renamed when the film is closed: an interrupted film leaves no broken
    file, and an older film of that name stays until then. Sides of odd length gain a repeated row or column in an MP4.
    A GIF of more than 50 frames a second keeps every second, third ... frame. Its delays are whole hundredths of a
    second: they are mixed, so that each picture is shown within 5 ms of its time however long the film is.
    `kept` pictures are in the file, `rate` of them a second.
    """

    def __init__(self, path: str | os.PathLike, fps: float = 60.0, size: tuple[int, int] | None = None):
        self.path = _path(path, "film")
        self.fps = _rate(fps, self.path)
        self.size = None if size is None else (int(size[0]), int(size[1]))  # (width, height)
        self.frames = self.kept = 0
        self._delays: list[int] = []  # of a GIF [ms]
        self._writer: Any = None
        self._drawn = io.BytesIO()  # a GIF: Pillow keeps all its frames until the end in any case
        self._closed = False
        if self.path.suffix.lower() not in SUFFIXES:
            raise ViewerError(f"film {self.path}: unknown format '{self.path.suffix}'; use {' or '.join(SUFFIXES)}")
        self._gif = self.path.suffix.lower() == ".gif"
        self._every = int(np.ceil(self.fps / GIF_RATE)) if self._gif else 1
        self.rate = self.fps / self._every
        self._library = _gif_library() if self._gif else _mp4_library()
        self._part = part_beside(self.path)
        _check_writable(self.path, "film")

    def add(self, image: np.ndarray) -> None:
        """Append a frame: (h, w, 3) uint8."""
        if self._closed:
            raise ViewerError(f"film {self.path} is closed: no frame can be added")
        image = _checked(image)
        size = image.shape[1], image.shape[0]
        if self.size is None:
            self.size = size
        if size != self.size:
            raise ViewerError(f"film {self.path}: frames must be {self.size[0]} x {self.size[1]}, "
                              f"got {size[0]} x {size[1]}")
        try:
            if self._gif:
                self._add_gif(image)
            else:
                self._add_mp4(image)
        except Exception as error:  # a full disk makes the libraries raise this and that
            self.discard()
            raise ViewerError(f"film {self.path} cannot be written: {_reason(error)}") from error
        self.frames += 1

    def close(self) -> None:
        """Finish the film and give it its name."""
        if self._closed:
            return
        self._closed = True
        if self._writer is None:
            raise ViewerError(f"film {self.path} has no frames")
        try:
            self._writer.close()
            if self._gif:
                self._part.write_bytes(self._drawn.getvalue())
            elif self._frames_written() < self.frames:  # it tells no one of a full disk
                raise RuntimeError("ffmpeg did not write all frames; is the disk full?")
            os.replace(self._part, self.path)
        except BaseException as error:
            self.discard()
            if not isinstance(error, Exception):
                raise
            raise ViewerError(f"film {self.path} cannot be written: {_reason(error)}") from error

    def discard(self) -> None:
        """Give the film up; a file of that name from before is untouched."""
        self._closed = True
        if self._writer is not None:
            with suppress(Exception):  # it is thrown away in any case
                self._writer.close()
        with suppress(OSError):
            self._part.unlink(missing_ok=True)

    def __enter__(self) -> Film:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        if kind is None:
            self.close()
        else:
            self.discard()

    def _add_mp4(self, image: np.ndarray) -> None:
        height, width = image.shape[:2]
        if height % 2 or width % 2:  # yuv420p halves the colour's resolution
            image = np.pad(image, ((0, height % 2), (0, width % 2), (0, 0)), mode="edge")
        if self._writer is None:
            even = image.shape[1], image.shape[0]
            self._writer = self._library.write_frames(
                str(self._part), even, fps=self.fps, codec="libx264", pix_fmt_in="rgb24", pix_fmt_out="yuv420p",
                macro_block_size=2, quality=None, ffmpeg_log_level="error",
                output_params=["-crf", "18", "-preset", "veryfast", "-movflags", "+faststart",
                               "-vf", "scale=out_color_matrix=bt709:out_range=tv", "-colorspace", "bt709",
                               "-color_primaries", "bt709", "-color_trc", "bt709"])
            self._writer.send(None)
        self._writer.send(np.ascontiguousarray(image))
        self.kept += 1

    def _frames_written(self) -> int:
        """How many frames the finished MP4 holds, counted without decoding them."""
        command = [self._library.get_ffmpeg_exe(), "-i", str(self._part), "-map", "0:v:0", "-c", "copy", "-f", "null",
                   "-"]
        said = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False).stderr
        return int((re.findall(rb"frame= *(\d+)", said) or [b"0"])[-1])

    def _add_gif(self, image: np.ndarray) -> None:
        if self._writer is None:
            self._writer = self._library.imopen(self._drawn, "w", extension=".gif", plugin="pillow")
        if self.frames % self._every == 0:
            start, end = (round(100.0 * (self.kept + k) / self.rate) for k in (0, 1))
            self._delays.append(10 * (end - start))
            # Pillow writes all pictures at the end, with the delays given last; for a single one it takes no list.
            self._writer.write(image, loop=0, duration=self._delays if self.kept else self._delays[0])
            self.kept += 1


def png_bytes(image: np.ndarray) -> bytes:
    """An image (h, w, 3) uint8 as the bytes of a PNG file."""
    image = _checked(image)
    height, width = image.shape[:2]
    rows = np.empty((height, 1 + 3 * width), dtype=np.uint8)
    rows[:, 0] = 1  # filter "sub": each pixel less the one to its left, which suits skies and even surfaces
    flat = image.reshape(height, -1)
    rows[:, 1:4] = flat[:, :3]
    rows[:, 4:] = flat[:, 3:] - flat[:, :-3]
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"sRGB", b"\0")
            + _chunk(b"IDAT", zlib.compress(rows.tobytes(), 6)) + _chunk(b"IEND", b""))


def write_png(path: str | os.PathLike, image: np.ndarray) -> None:
    """Write an image (h, w, 3) uint8 as PNG; it gets its name only once it is complete."""
    path = _path(path, "picture")
    if path.suffix.lower() != ".png":
        raise ViewerError(f"picture {path}: unknown format '{path.suffix}'; use .png")
    content = png_bytes(image)
    _check_writable(path, "picture")
    try:
        write_whole(path, content, "picture")
    except OutputError as error:
        raise ViewerError(str(error)) from None


def _reason(error: Exception) -> str:
    """The first line: ffmpeg's long command follows it."""
    return str(error).strip().partition("\n")[0] or type(error).__name__


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _checked(image: np.ndarray) -> np.ndarray:
    image = np.ascontiguousarray(image)
    if image.dtype != np.uint8 or image.ndim != 3 or image.shape[2] != 3 or 0 in image.shape:
        raise ViewerError(f"an image must be a (h, w, 3) array of uint8, got {image.shape} of {image.dtype}")
    return image


def _path(path: Any, what: str) -> Path:
    if not isinstance(path, (str, os.PathLike)) or "\0" in str(path):
        suffix = "mp4" if what == "film" else "png"
        raise ViewerError(f"a {what} is written to a path such as '{what}.{suffix}', got {path!r}")
    return Path(path)


def _rate(fps: Any, path: Path) -> float:
    try:
        rate = float(fps)
    except (TypeError, ValueError, OverflowError):
        rate = 0.0
    if not (rate > 0.0 and np.isfinite(rate)):
        raise ViewerError(f"film {path}: fps must be positive, got {fps!r}")
    return rate


def _check_writable(path: Path, what: str) -> None:
    folder = path.parent
    if not os.path.isdir(folder):  # unlike Path.is_dir, no error for names that no file can have
        raise ViewerError(f"{what} {path} cannot be written: there is no folder {folder}")
    if os.path.isdir(path):
        raise ViewerError(f"{what} {path} cannot be written: that is a folder")
    if not os.access(folder, os.W_OK):
        raise ViewerError(f"{what} {path} cannot be written: folder {folder} is read-only for you")


def _mp4_library() -> Any:
    try:
        import imageio_ffmpeg
    except ImportError as error:
        raise ViewerError("an MP4 film needs imageio-ffmpeg: pip install imageio-ffmpeg (or film to .gif)") from error
    try:
        imageio_ffmpeg.get_ffmpeg_exe()
    except RuntimeError as error:
        raise ViewerError("an MP4 film needs the program ffmpeg, which imageio-ffmpeg did not find: install it "
                          "(Debian: apt install ffmpeg) or set IMAGEIO_FFMPEG_EXE (or film to .gif)") from error
    return imageio_ffmpeg


def _gif_library() -> Any:
    try:
        import imageio.v3 as imageio
    except ImportError as error:
        raise ViewerError("a GIF film needs imageio: pip install imageio") from error
    return imageio
