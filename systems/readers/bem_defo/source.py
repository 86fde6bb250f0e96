"""From a path to the XML tree of a bem_defo file, refusing what is too large, undecodable or no plain XML."""

from __future__ import annotations

import codecs
import os
import re
from pathlib import Path
from typing import Any

from framework.errors import ProblemFileError, suggest
from systems.readers.bem_defo.places import Places, line_of, named, shown

LARGEST_FILE = 32 * 2**20  # bytes
BOMS = (
    (codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF32_LE, ""), (codecs.BOM_UTF32_BE, ""),
    (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"),
)  # fmt: skip
ENCODINGS = re.compile(r"utf-8|utf-16(-[lb]e)?|ascii|iso8859-\d+|cp125\d")  # their Python names
DECLARATION = re.compile(r"""\s*<\?xml\s[^>]*?\sencoding\s*=\s*["']([^"']*)["'][^>]*\?>""")
MOST_ATTRIBUTES = 16  # of an element: more than any has
LONGEST_SAID = 160  # characters of what the parser says
QUOTES = "“”„‟‘’‚«»″"


def load(path: Any, largest: int) -> tuple[Any, Places]:
    """(root element, places) of a file; ProblemFileError when it cannot be read as XML."""
    where = Places(named(path))
    text = decoded(_bytes(path, largest), where)
    for number, line in enumerate(text.split("\n") if "<!DOCTYPE" in text or "<!ENTITY" in text else (), 1):
        if "<!DOCTYPE" in line or "<!ENTITY" in line:
            where.fail(number, "must have no document type, got a <!DOCTYPE or <!ENTITY declaration, which can name "
                               "other files; delete it")
    return parsed(text, where), where


def _bytes(path: Any, largest: int) -> bytes:
    if not isinstance(path, (str, os.PathLike)) or isinstance(path, bytes) or not str(path):
        raise ProblemFileError(f"read_bem_defo: path must be the name of a file, got {path!r}")
    file = Path(path)
    try:
        folder, exists = file.is_dir(), file.is_file()
        near = [] if exists or not file.parent.is_dir() else [str(other) for other in file.parent.glob("*.xml")]
        if folder:
            raise ProblemFileError(f"{named(path)}: must be a bem_defo file, got a folder; name a file in it")
        if not exists:
            raise ProblemFileError(f"{named(path)}: there is no such file{suggest(named(path), near) if near else ''}")
        size = file.stat().st_size
        if size > largest:
            raise ProblemFileError(f"{named(path)}: may have {largest} bytes, got {size}; pass largest_file={size} to "
                                   "read_bem_defo to read it all the same")
        data = file.read_bytes()
    except ValueError as error:  # a name that no file can have
        if isinstance(error, ProblemFileError):
            raise
        raise ProblemFileError(f"{named(path)}: cannot be found: {error}") from None
    except OSError as error:
        raise ProblemFileError(f"{named(path)}: cannot be read: {error.strerror or error}") from None
    if not data.strip():
        raise ProblemFileError(f"{named(path)}: must hold a problem, got an empty file")
    return data


def decoded(data: bytes, where: Places) -> str:
    """The text of the file in the encoding that it declares, UTF-8 without one."""
    mark, name = next(((mark, name) for mark, name in BOMS if data.startswith(mark)), (b"", None))
    body = data[len(mark) :]
    match = DECLARATION.match(body[:400].decode(name or "latin-1", "replace")) if name != "" else None
    declared = match[1] if match else None
    found = "utf-32" if name == "" else declared or name or "utf-8"
    try:
        encoding = codecs.lookup(found).name
    except (LookupError, ValueError):
        encoding = ""
    if not ENCODINGS.fullmatch(encoding):
        where.fail(1, f"must be in UTF-8, UTF-16, ASCII, ISO-8859 or Windows-125x, got encoding {shown(found)}; save "
                      "it as UTF-8")
    if (name and encoding not in (name, name[:6])) or (not name and encoding.startswith("utf-16")):
        where.fail(1, f"must be in the encoding that it declares, got {shown(found)} in a file that "
                      f"{f'begins as {name.upper()}' if name else 'has no mark of UTF-16'}; save it as UTF-8")
    try:
        text = body.decode(name or encoding)
    except UnicodeDecodeError as error:
        line = body.count(b"\n", 0, error.start) + 1
        said = "declares" if declared else "is expected in"
        where.fail(line, f"must be in the encoding that it {said}, {found}, got the byte 0x{body[error.start]:02x}; "
                         "save it as UTF-8, or declare the encoding in its first line")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def parsed(text: str, where: Places) -> Any:
    """The root element, without comments, of a text that is well-formed XML."""
    from lxml import etree

    parser = etree.XMLParser(
        encoding="utf-8", resolve_entities=False, no_network=True, load_dtd=False, dtd_validation=False,
        attribute_defaults=False, huge_tree=False, remove_comments=True, remove_pis=True, recover=False,
    )  # fmt: skip
    try:
        root = etree.fromstring(text.encode("utf-8"), parser)
    except (etree.XMLSyntaxError, ValueError) as error:  # lone surrogates are a ValueError
        _explain(text, error, where)
    for element in root.iter():
        if not isinstance(element.tag, str):
            where.fail(line_of(element), f"must have no entities, got {shown(element.text or '')}; write the value")
        if len(element.attrib) > MOST_ATTRIBUTES:
            where.fail(line_of(element), f"<{shown(element.tag)[1:-1]}> must have {MOST_ATTRIBUTES} attributes at "
                                         f"most, got {len(element.attrib)}; delete what docs/bem-defo.md does not say")
        strange = [name for name in (element.tag, *element.attrib) if "{" in name]
        if strange or element.nsmap:
            where.fail(line_of(element), f"must use no namespaces, got one at <{shown(element.tag)[1:-1]}>; delete "
                                         "xmlns and xsi attributes")
    return root


def _explain(text: str, error: Any, where: Places) -> None:
    """Raise what a person can do about XML that is not well-formed."""
    line = getattr(error, "lineno", None) or None
    said = " ".join(str(getattr(error, "msg", None) or error).split())
    quoted = _typographic(text)
    if quoted is not None:
        number, quote = quoted
        where.fail(number, f'uses typographic quotes, got {quote}, where XML needs straight ones; write "..." around '
                   "the values of attributes")
    said = re.sub(r", line \d+, column \d+$", "", said)[:LONGEST_SAID]
    if "depth" in said.lower():
        do = "elements may be nested 256 deep at most"
    elif "limit" in said:
        do = "shorten it"
    elif "mismatch" in said or "Premature end" in said:
        do = "each <name> needs its </name>, or ends in />; close what is open there"
    elif "AttValue" in said or "attributes construct" in said or "Specification mandates value" in said:
        do = 'write attributes as name="value", with a space between two'
    elif "redefined" in said:
        do = "write each attribute of an element once"
    elif "Extra content" in said or "Start tag expected" in said or "Document is empty" in said:
        do = "one <bem_defo> holds all, with nothing before and after it"
    elif "Entity" in said or "StartTag" in said or "invalid element name" in said or "EntityRef" in said:
        do = "write &amp; and &lt; where & and < are no markup"
    else:
        do = "correct it there"
    where.fail(line, f"must be well-formed XML, got: {said}; {do}")


def _typographic(text: str) -> tuple[int, str] | None:
    """(line, quote) of the first typographic quote that stands inside a tag where a value begins or ends."""
    for tag in re.finditer(r"<[A-Za-z][^<>]*>|<\?[^<>]*\?>", text):
        found = re.search(rf"=\s*([{QUOTES}])", tag[0])
        if found:
            return text.count("\n", 0, tag.start() + found.start(1)) + 1, found[1]
    return None
