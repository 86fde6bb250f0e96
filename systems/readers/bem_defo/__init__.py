"""The XML format bem_defo of boundary-element problems: read, write, and as a world. See docs/bem-defo.md."""

from __future__ import annotations

from systems.readers.bem_defo.export import problem_of, write_bem_defo
from systems.readers.bem_defo.model import BemDefo, Conditions, same
from systems.readers.bem_defo.parse import read_bem_defo
from systems.readers.bem_defo.scene import world_of
from systems.readers.bem_defo.write import text_of_problem, write_problem

__all__ = [
    "BemDefo",
    "Conditions",
    "problem_of",
    "read_bem_defo",
    "same",
    "text_of_problem",
    "world_of",
    "write_bem_defo",
    "write_problem",
]
