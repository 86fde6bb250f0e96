"""The entities as a tree: what a Transform's parent names lies below it."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from imgui_bundle import imgui

from framework.component import info

from .messages import QUIET

if TYPE_CHECKING:
    from framework.viewer.panels import Panels
    from framework.viewer.session import Session

Line = tuple[int, int, bool]  # entity, depth, whether others lie below it


def draw(session: Session, panels: Panels) -> None:
    store = session.world.store
    imgui.set_next_item_width(-1)
    panels.filter = imgui.input_text_with_hint("##filter", "find an entity or component", panels.filter)[1]
    stamp = store.edits, panels.filter, frozenset(panels.folded)
    lines = panels.once("entities", stamp, lambda: _lines(store, panels.filter.lower(), panels.folded))
    if not lines:
        imgui.text_colored(QUIET, "none found" if panels.filter else "no entities")
    if imgui.begin_child("entities"):
        chosen = None if session.selection is None else session.selection[0]
        target = None
        if panels.scrolled_to != session.selection:  # chosen in the scene: it may lie out of sight
            panels.scrolled_to = session.selection
            target = next((row for row, line in enumerate(lines) if line[0] == chosen), None)
        clipper = imgui.ListClipper()  # a thousand names cost as much as those that are seen
        clipper.begin(len(lines))
        if target is not None:
            clipper.include_item_by_index(target)
        while clipper.step():
            for row in range(clipper.display_start, clipper.display_end):
                _line(session, panels, lines[row], chosen)
                if row == target and not imgui.is_item_visible():
                    imgui.set_scroll_here_y()
    imgui.end_child()


def _line(session: Session, panels: Panels, line: Line, chosen: int | None) -> None:
    (entity, depth, below), store = line, session.world.store
    kind = imgui.TreeNodeFlags_
    flags = kind.span_avail_width | kind.no_tree_push_on_open | kind.open_on_arrow
    flags |= kind.selected if entity == chosen else 0
    flags |= 0 if below else kind.leaf
    imgui.push_id(entity)
    imgui.indent(12.0 * panels.scale * depth + 0.01)  # an indent of 0 would be the default one
    imgui.set_next_item_open(entity not in panels.folded)
    imgui.tree_node_ex(store.names[entity], flags)
    imgui.unindent(12.0 * panels.scale * depth + 0.01)
    imgui.pop_id()
    if below and imgui.is_item_toggled_open():
        panels.folded ^= {entity}
    elif imgui.is_item_clicked():
        session.selection = panels.scrolled_to = (entity, None)
    if imgui.is_item_hovered():
        imgui.set_tooltip("\n".join(cls.__name__ for cls in store.components(entity)))


def _lines(store: Any, wanted: str, folded: set[int]) -> list[Line]:
    """Entities in the order of the tree; a search shows those that match one below the other."""
    found = [
        entity for entity, parts in sorted(store)
        if not wanted or any(wanted in word.lower() for word in (store.names[entity], *(info(c).name for c in parts)))
    ]  # fmt: skip
    if wanted:
        return [(entity, 0, False) for entity in found]
    children: dict[int | None, list[int]] = {}
    for entity in found:
        children.setdefault(_parent(store, entity), []).append(entity)
    lines, waiting = [], [(entity, 0) for entity in reversed(children.get(None, []))]
    while waiting:
        entity, depth = waiting.pop()
        below = children.get(entity, [])
        lines.append((entity, depth, bool(below)))
        if entity not in folded:
            waiting += [(child, depth + 1) for child in reversed(below)]
    return lines or [(entity, 0, False) for entity in found]  # none: all carry each other


def _parent(store: Any, entity: int) -> int | None:
    for cls, part in store.components(entity).items():
        if "parent" in info(cls).fields:
            parent = store.ids.get(part.parent)
            return parent if parent != entity else None
    return None
