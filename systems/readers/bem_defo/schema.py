"""bem_defo.xsd: which elements and attributes a file has, and what their values look like."""

from __future__ import annotations

import functools
import re
from importlib import resources
from itertools import islice
from typing import Any

from framework.errors import suggest
from systems.readers.bem_defo.places import Places, line_of, shown

NUMBER, WHOLE = "a number such as 0.5 or -1e-3", "a whole number from 0 to 2147483647"
RULES = {
    "dimension": "2 or 3", "degree_of_freedom": "2 or 3, as the dimension",
    "type_of_analysis": "1 (plane strain), 2 (plane stress) or 3 (three-dimensional)",
    "region_type": "1 (finite) or 2 (infinite)", "element_type": "1 (linear) or 2 (quadratic)",
    "simetry": "0 (none), 1 (plane x = 0), 2 (also y = 0) or 3 (also z = 0)", "E": NUMBER, "v": NUMBER, "x": NUMBER,
    "y": NUMBER, "z": NUMBER, "id": WHOLE, "ip": WHOLE, "ep": WHOLE, "number": WHOLE, "points_per_node": WHOLE,
}  # fmt: skip
SPACES = " \t\r\n"  # of XML
PORTION = 500  # children of a list that are validated together
NAMES = (*RULES, "DBC", "NBC", "bc", "dbc_node", "dbc_point", "general_config", "inner_point", "nbc_node", "nbc_point",
         "node", "nodes", "point", "points")


@functools.cache
def schema() -> Any:
    """The compiled schema, from the file that is shipped with this package."""
    from lxml import etree

    file = resources.files("systems.readers.bem_defo") / "bem_defo.xsd"
    return etree.XMLSchema(etree.fromstring(file.read_bytes()))


def validate(root: Any, where: Places) -> None:
    """ProblemFileError for the first thing that the schema does not allow.

    In portions: libxml2 looks for all errors, and takes time for each that grows with its place in a list.
    """
    if root.tag != "bem_defo":
        where.fail(line_of(root), f"must be a bem_defo file, got <{shown(root.tag)[1:-1]}> as its outermost element; "
                                  "<bem_defo> holds all")
    _strip(root)
    children = list(root)
    _check(root, children[:PORTION], where)
    for child in children[PORTION:]:
        if child.tag != "bc" or (child.tail or "").strip():
            found = f"<{shown(child.tag)[1:-1]}>" if child.tag != "bc" else shown(child.tail.strip())
            where.fail(line_of(child), f"{described(root)} must hold <bc> there, got {found}; delete it")
        _check(child, list(child), where)
    for long in root.iter("points", "nodes", "DBC", "NBC"):
        children = list(long) if len(long) > PORTION else []
        for start in range(PORTION, len(children), PORTION):
            _check(long, children[start : start + PORTION], where)


def _strip(root: Any) -> None:
    """Take off the spaces around numbers in attributes: libxml2 collapses them as it should, but not every time."""
    from lxml import etree

    for element in root.iter(etree.Element):
        for name, value in element.attrib.items():
            if value[:1].isspace() or value[-1:].isspace():
                element.set(name, value.strip(SPACES))


def _check(element: Any, children: list[Any], where: Places) -> None:
    """Validate an element with some of its children, and the first portions of what they hold."""
    found = schema()
    if found.validate(_portion(element, children)):
        return
    error = found.error_log[0]
    at = _at(element, children, error.path or "")
    where.fail(line_of(at), _translated(at, error.message))


def _portion(element: Any, children: list[Any]) -> Any:
    """A copy of the element with these children."""
    copy = element.makeelement(element.tag, dict(element.attrib))
    copy.text, copy.tail = element.text, element.tail
    copy.extend([_portion(child, list(islice(child, PORTION))) for child in children])
    return copy


def _at(element: Any, children: list[Any], path: str) -> Any:
    """The element at '/points/point[3]', as libxml2 writes it of a portion; XPath refuses some names that XML has."""
    for step in path.split("/")[2:]:
        name, _, number = step.rstrip("]").partition("[")
        element = [child for child in children if child.tag == name][int(number or 1) - 1]
        children = list(islice(element, PORTION))
    return element


def _translated(element: Any, message: str) -> str:
    name, known = described(element), re.search(r"Expected is (?:one of )?\( (.*?) \)", message)
    expected = known[1].split(", ") if known else []
    attribute = re.search(r"attribute '([^']*)'", message)
    key = attribute[1] if attribute else ""
    if "Missing child" in message:
        return f"{name} must hold <{expected[0]}>, got none; add it"
    if "is not expected" in message:
        inside, found = described(element.getparent()), f"<{shown(element.tag)[1:-1]}>"
        if any(other.tag == element.tag for other in element.itersiblings(preceding=True)):
            return f"{inside} may hold {found} once, got another one; delete one of them"
        alike = [item for item in NAMES if item.lower() == element.tag.lower() and item != element.tag]
        if alike:
            return f"{inside} must hold names as the format writes them, got {found}; write <{alike[0]}>"
        if not expected:
            return f"{inside} may hold nothing more there, got {found}; delete it"
        hint = suggest(element.tag, expected)
        then = hint if "did you mean" in hint else "; the order is that in docs/bem-defo.md"
        return f"{inside} must hold {' or '.join(f'<{item}>' for item in expected)} there, got {found}{then}"
    if "is required but missing" in message:
        return f"{name} must have the attribute {key}, got none; write {key}=\"...\""
    if "is not allowed." in message and key:
        return f"{name} has no attribute {shown(key)}{suggest(key, _attributes(element))}"
    if "ontent" in message and "not allowed" in message:
        text = "".join([element.text or "", *(child.tail or "" for child in element)]).strip()
        inner = f"<{shown(element[0].tag)[1:-1]}>" if message.find("Element content") >= 0 else shown(text)
        return f"{name} must hold no {'elements' if inner[0] == '<' else 'text'}, got {inner}; delete it"
    value = element.get(key, "") if key else "".join(element.itertext())
    rule = RULES.get(key or element.tag, "as the schema says")
    what = f"{key} of {name}" if key else name
    do = "write a decimal point" if re.fullmatch(r"[+-]?\d*,\d+", value.strip()) else "correct it"
    return f"{what} must be {rule}, got {shown(value)}; {do}"


def _attributes(element: Any) -> list[str]:
    return {
        "point": ["id", "x", "y", "z"], "node": ["id", "ip", "ep"], "points": ["number"],
        "nodes": ["number", "points_per_node"], "dbc_point": ["x", "y", "z"], "nbc_point": ["x", "y", "z"],
        "inner_point": ["id"], "corner_point": ["id"], "dbc_node": ["id"], "nbc_node": ["id"],
    }.get(element.tag, [])  # fmt: skip


def described(element: Any) -> str:
    """'<point id="3">' for messages."""
    number = element.get("id")
    return f"<{element.tag}>" if number is None else f'<{element.tag} id="{shown(number)[1:-1]}">'
