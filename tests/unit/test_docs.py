"""What README and docs show is true: their Python runs, their links lead somewhere, their commands exist.

The Python blocks of a page run in order in one namespace, as a reader would type them. A block that begins with a
docstring is a scene of its own: it is loaded as `pliant run FILE.py` would, and run for two frames. A text block marked
`<!-- output -->` is what the Python block above it prints, with `...` for anything; `<!-- fails -->` marks a Python
block that ends in one of our errors, whose text is then its output. `<!-- fragment -->` marks what is not run.

On the pages of SHELL the commands of pliant run too, in the same folder as the Python blocks. `<!-- NAME.py -->` and
`<!-- NAME.xml -->` mark a scene or a problem that is saved as that file.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import re
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from framework import Check, PliantError
from framework.cli import _run, main
from framework.scene import demo_names, load

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
BLOCK = re.compile(r"(?:<!-- ([\w.]+) -->\n)?^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
SHELL = ("docs/tutorial.md",)
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
LARGEST_IMAGE, LARGEST_OF_GALLERY, LARGEST_GALLERY = 200_000, 60_000, 2_000_000  # bytes


@dataclass(frozen=True)
class Block:
    """A fenced block: its mark, language and text, and the line of the page where its text starts."""

    mark: str
    language: str
    text: str
    line: int


def blocks(page: Path) -> list[Block]:
    source = page.read_text(encoding="utf-8")
    return [
        Block(match[1] or "", match[2], match[3], source.count("\n", 0, match.start(3)) + 1)
        for match in BLOCK.finditer(source)
    ]


def named(page: Path) -> str:
    return str(page.relative_to(ROOT))


def runs(page: Path) -> list[Block]:
    return [block for block in blocks(page) if block.language == "python" and block.mark != "fragment"]


def is_scene(block: Block) -> bool:
    return block.text.startswith('"""')


def printed(block: Block, page: Path, namespace: dict[str, Any]) -> str:
    """Run a block and return what it prints; for one that must fail, the message of its error."""
    code = compile("\n" * (block.line - 1) + block.text, f"<{named(page)}>", "exec", dont_inherit=True)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        if block.mark != "fails":
            exec(code, namespace)
            return out.getvalue()
        with pytest.raises(PliantError) as caught:
            exec(code, namespace)
    return out.getvalue() + f"{type(caught.value).__name__}: {caught.value}\n"


def same(shown: str, found: str) -> bool:
    """Whether a page's output is what was found: word by word, where `...` stands for any words."""
    parts = [" ".join(part.split()) for part in shown.split("...")]  # looked for in turn: a regex could take for ever
    text = " ".join(found.split())
    if len(parts) == 1:
        return text == parts[0]
    if not text.startswith(parts[0]) or not text.endswith(parts[-1]):
        return False
    at = len(parts[0])
    for part in parts[1:-1]:
        place = text.find(part, at)
        if place < 0:
            return False
        at = place + len(part)
    return at <= len(text) - len(parts[-1])


def commanded(block: Block, where: str) -> str:
    """What the commands of a shell block print; in one that must fail, each says so by its exit code."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        for line in block.text.splitlines():
            code = main(shlex.split(line, comments=True)[1:])
            assert (code != 0) == (block.mark == "fails"), f"{where}: {line}: exit code {code}\n{out.getvalue()}"
    return re.sub(r"(?m)^\d+ %: frame .*\n", "", out.getvalue())  # said on a slow machine only


def play(page: Path) -> None:
    """Run a page in the present folder, from top to bottom, as a reader would."""
    namespace: dict[str, Any] = {"__name__": "page"}
    found = ""
    for block in blocks(page):
        where = f"{named(page)}:{block.line}"
        if block.mark == "output":
            assert same(block.text, found), f"{where} shows\n{block.text}\nbut it is\n{found}"
        elif block.mark.endswith((".py", ".xml")):
            file = Path(block.mark)
            assert not file.exists() or file.read_text(encoding="utf-8") == block.text, f"{where}: not what was written"
            file.write_text(block.text, encoding="utf-8")
        elif block.mark == "fragment":
            continue
        elif block.language == "sh" and named(page) in SHELL:
            found = commanded(block, where)
        elif block.language == "python" and not is_scene(block):
            found = printed(block, page, namespace)


@pytest.mark.parametrize("page", [page for page in PAGES if runs(page)], ids=named)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_python_runs_and_prints_what_the_page_shows(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    saved = [block.mark.removesuffix(".py") for block in blocks(page) if block.mark.endswith(".py")]
    try:
        play(page)
    finally:
        for name in saved:  # so that the next test can have a file of this name
            sys.modules.pop(name, None)


SCENES = [(page, block) for page in PAGES for block in runs(page) if is_scene(block)]


@pytest.mark.parametrize("page, block", SCENES, ids=[f"{named(page)}:{block.line}" for page, block in SCENES])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_scenes_build_run_and_check(page: Path, block: Block, tmp_path: Path) -> None:
    file = tmp_path / f"{page.stem.replace('-', '_').lower()}_line_{block.line}.py"
    file.write_text(block.text, encoding="utf-8")
    scene = load(str(file))
    world = scene.make()
    world.step(2)
    assert scene.expect is not None
    assert all(isinstance(check, Check) for check in scene.expect(world))


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives the headings of a page."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    titles = re.findall(r"^#+ (.+)$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_and_images_exist(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    for target in LINK.findall(text):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), f"{named(page)} links to {target}, which does not exist"
        assert not anchor or anchor in anchors(file), f"{named(page)} links to {target}: there is no such heading"


def test_pages_are_found_from_the_readme() -> None:
    linked = set(LINK.findall((ROOT / "README.md").read_text(encoding="utf-8")))
    missing = [named(page) for page in PAGES if page.parent != ROOT and named(page) not in linked]
    assert not missing, f"README.md does not link to {missing}"


def test_images_are_small() -> None:
    sizes = {named(file): file.stat().st_size for file in (ROOT / "docs/images").rglob("*.*")}
    assert not {name: size for name, size in sizes.items() if size > LARGEST_IMAGE}
    gallery = {name: size for name, size in sizes.items() if "/gallery/" in name}
    assert max(gallery.values()) <= LARGEST_OF_GALLERY and sum(gallery.values()) <= LARGEST_GALLERY


def shell_lines() -> list[tuple[str, list[str]]]:
    return [
        (f"{named(page)}: {line}", shlex.split(line.removeprefix(".venv/bin/"), comments=True))
        for page in PAGES
        for block in blocks(page)
        if block.language == "sh"
        for line in block.text.splitlines()
        if line.strip()
    ]


COMMANDS = ("list", "new", "doctor", "solve", "info", "replay", "export")


def test_commands_exist() -> None:
    options = {f"--{name}" for name in inspect.signature(_run).parameters} | {"--set", "--from"} - {
        "--target", "--settings", "--resume"}
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
    for where, words in shell_lines():
        if words[:1] == ["make"]:
            assert not {word for word in words[1:] if "=" not in word} - targets, where
        if words[:2] == ["pliant", "run"]:
            assert words[2] in demo_names() or words[2].endswith((".py", ".xml")) or words[2] == "--from", where
            assert not {word for word in words if word.startswith("--")} - options, where
        elif words[:1] == ["pliant"]:
            assert words[1] in COMMANDS, where


@pytest.mark.parametrize("command", ["run", *COMMANDS])
def test_every_option_of_the_command_line_is_described(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--help"]) == 0
    options = set(re.findall(r"^ +(--[a-z]+)", capsys.readouterr().out, flags=re.MULTILINE)) - {"--help"}
    page = (ROOT / "docs/command-line.md").read_text(encoding="utf-8")
    section = page.partition(f"\n## pliant {command}\n")[2].partition("\n## ")[0]
    assert section and not {option for option in options if option not in section}


def test_pictures_names_all_colour_maps() -> None:
    from framework.viewer.colours import MAPS

    page = (ROOT / "docs" / "pictures.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in page for name in MAPS)
