"""The entities as a tree: what a Transform's parent names lies below it."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from imgui_bundle import imgui

from framework.component import info

from .messages import QUIET

if TYPE_CHECKING:
    from framework.viewer.panels import Panels
    from framework.viewer.session import Session


def draw(session: Session, panels: Panels) -> None:
    store = session.world.store
    imgui.set_next_item_width(-1)
    panels.filter = imgui.input_text_with_hint("##filter", "find an entity or component", panels.filter)[1]
    wanted = panels.filter.lower()
    children: dict[int | None, list[int]] = {}
    shown = []
    for entity, parts in sorted(store):
        words = [store.names[entity], *(info(cls).name for cls in parts)]
        if not wanted or any(wanted in word.lower() for word in words):
            shown.append(entity)
    for entity in shown:
        children.setdefault(None if wanted else _parent(store, entity, shown), []).append(entity)
    if not shown:
        imgui.text_colored(QUIET, "none found" if wanted else "no entities")
    for entity in children.get(None, []):
        _branch(session, entity, children)


def _branch(session: Session, entity: int, children: dict[int | None, list[int]]) -> None:
    below = children.get(entity, [])
    flags = imgui.TreeNodeFlags_.span_avail_width | imgui.TreeNodeFlags_.default_open
    if not below:
        flags |= imgui.TreeNodeFlags_.leaf | imgui.TreeNodeFlags_.no_tree_push_on_open
    if session.selection is not None and session.selection[0] == entity:
        flags |= imgui.TreeNodeFlags_.selected
    imgui.push_id(entity)
    opened = imgui.tree_node_ex(session.world.store.names[entity], flags)
    imgui.pop_id()
    if imgui.is_item_clicked():
        session.selection = (entity, None)
    if imgui.is_item_hovered():
        imgui.set_tooltip("\n".join(info(cls).name for cls in session.world.store.components(entity)))
    if below and opened:
        for child in below:
            _branch(session, child, children)
        imgui.tree_pop()


def _parent(store: Any, entity: int, shown: list[int]) -> int | None:
    for cls, part in store.components(entity).items():
        if "parent" in info(cls).fields:
            parent = store.ids.get(part.parent)
            return parent if parent in shown and parent != entity else None
    return None
