"""Write docs/components.md from the declarations in the code: `python docs/make_reference.py`."""

from __future__ import annotations

import dataclasses
import inspect
from pathlib import Path
from typing import Any

import components
from components import prefabs
from framework.component import ComponentInfo
from framework.fields import FieldInfo
from framework.stepping import Stepping

PAGE = Path(__file__).with_name("components.md")
HEAD = """# Components, prefabs and integrators

Made from the code by `docs/make_reference.py`. A field without a default must be given, unless it is *derived*: then it
follows from the other components. n: particles, s: springs, t: triangles, k: tetrahedra, e: edges.
"""


def text() -> str:
    """The whole page."""
    classes = [getattr(components, name) for name in components.__all__]
    parts = [HEAD, "## Prefabs\n", *(signature(getattr(prefabs, name)) for name in prefabs.__all__)]
    parts += ["\n## Integrators\n", *(signature(c) for c in classes if c.__module__ == "components.integrators")]
    parts.append("\n## Components")
    for cls in [Stepping, *sorted((c for c in classes if hasattr(c, "__component__")), key=lambda c: c.__name__)]:
        parts.append(component_text(cls))
    return "\n".join(parts) + "\n"


def component_text(cls: Any) -> str:
    about: ComponentInfo = cls.__component__
    note = " Feedback: read it, each frame writes it." if about.feedback else ""
    lines = [f"\n### {cls.__name__}\n", f"{inspect.cleandoc(cls.__doc__ or '')}{note}"]
    makers = [n for n, m in vars(cls).items() if isinstance(m, classmethod) and not n.startswith("_")]
    lines += ["", *(signature(getattr(cls, name), f"{cls.__name__}.") for name in makers)] if makers else []
    lines += ["\n| Field | Unit | Shape | Default | Must be | Meaning |", "|---|---|---|---|---|---|"]
    defaults = {f.name: f.default for f in dataclasses.fields(cls)}
    lines += [row(item, defaults[name], about) for name, item in about.fields.items()]
    return "\n".join(lines)


def row(item: FieldInfo, default: Any, about: ComponentInfo) -> str:
    shape = "(" + ", ".join(map(str, item.shape)) + ")" if item.shape else ""
    shown = f"{default:.6g}" if type(default) is float else str(default)
    given = "" if default in (dataclasses.MISSING, "") else f"`{shown}`"
    if default is None:
        given = "derived" if about.derive is not None else "none"
    rule = item.rule.text if item.rule is not None else ", ".join(item.choices)
    unit = item.unit if item.dtype == "float64" else ""
    return f"| `{item.name}` | {unit} | {shape} | {given} | {rule} | {item.doc} |"


def signature(function: Any, owner: str = "") -> str:
    taken = inspect.signature(function).parameters.values()
    shown = ", ".join(p.name if p.default is p.empty else f"{p.name}={p.default!r}" for p in taken)
    return f"- `{owner}{function.__name__}({shown})`: {first_line(function)}"


def first_line(thing: Any) -> str:
    return inspect.cleandoc(thing.__doc__ or "").partition("\n\n")[0].replace("\n", " ")


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
