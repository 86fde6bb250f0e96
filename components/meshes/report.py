"""MeshReport: what was read from a mesh file, how large it is, what is wrong with it and what was done about it."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from components.meshes.examine import Findings
from components.meshes.raw import RawMesh

SMALLEST, LARGEST = 1e-3, 50.0  # [m] sizes of bodies that are taken for metres without a word
FACTORS = {0.001: "millimetres", 0.01: "centimetres", 0.0254: "inches"}
SHOWN = 5


@dataclass(frozen=True)
class MeshReport:
    """Faces, vertices and edges are numbered from 1 in the order of the file, as its defects are listed.

    size (3,) [m] after scale and up; closed: without border; volume [m3] inside, where closed; merged and unused:
    numbers of vertices; defects: name -> numbers of faces (edges: pairs of vertices, holes: vertices of each border);
    lines: the sentences that `str` joins.
    """

    file: str
    size: np.ndarray
    scale: float
    points: int
    triangles: int
    tetrahedra: int
    groups: tuple[str, ...]
    closed: bool
    parts: int
    volume: float | None
    merged: int
    unused: np.ndarray
    defects: dict[str, list]
    repaired: tuple[str, ...]
    notes: tuple[str, ...]
    lines: tuple[str, ...] = field(repr=False)

    def __str__(self) -> str:
        return "\n".join(self.lines)

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong; an open border is no fault by itself."""
        return not any(found for name, found in self.defects.items() if name != "holes")


def size_text(size: np.ndarray, scale: float) -> str:
    """'348 x 174 x 360 (units of the file; as metres this is probably too large: pass scale=0.001?)'."""
    text = " x ".join(f"{value:.4g}" for value in size)
    if scale != 1.0:
        return f"{text} m (scale {scale:g})"
    doubt = size_doubt(size)
    return f"{text} (units of the file{'; as metres this is probably ' + doubt if doubt else ', taken as metres'})"


def size_doubt(size: np.ndarray) -> str:
    """'too large: pass scale=0.001?' for sizes (3,) that are hardly metres."""
    largest = float(np.max(size, initial=0.0))
    if 0 < largest < SMALLEST:
        return "too small: pass a scale above 1?"
    if largest <= LARGEST:
        return ""
    return f"too large: pass scale={next((f for f in FACTORS if f * largest <= 10), 0.001):g}?"


def defect_texts(raw: RawMesh, old: np.ndarray, found: Findings) -> tuple[dict[str, list], list[str]]:
    """Findings by name in numbers of the file, and a sentence each. old (n,): vertex number of each point, from 0."""
    defects: dict[str, list] = {}
    texts: list[str] = []

    def add(name: str, what: str, numbers: list, shown: Callable[[int], str]) -> None:
        defects[name] = numbers
        if numbers:
            few = ", ".join(shown(i) for i in range(min(SHOWN, len(numbers))))
            texts.append(f"{what} ({len(numbers)}): {few}{', ...' if len(numbers) > SHOWN else ''}")

    def faces(name: str, what: str, chosen: np.ndarray) -> None:
        _, first = np.unique(raw.faces[chosen], return_index=True)  # a polygon may be several triangles
        single = chosen[np.sort(first)]
        add(name, what, raw.faces[single].tolist(), lambda i: raw.where(single[i]))

    faces("collapsed", "faces with fewer than three different corners", found.collapsed)
    faces("degenerate", "faces without area", found.degenerate)
    faces("duplicates", "faces given twice", found.duplicates)
    edges = (old[found.non_manifold] + 1).tolist()
    add("non_manifold", "edges of more than two faces, between vertices", edges,
        lambda i: f"{edges[i][0]} and {edges[i][1]}")  # fmt: skip
    pinched = (old[found.pinched] + 1).tolist()
    add("pinched", "vertices where parts touch in a point only", pinched, lambda i: str(pinched[i]))
    faces("flipped", "faces turned against their neighbours", found.flipped)
    faces("inside_out", "faces of closed parts that look inwards", found.inside_out)
    faces("one_sided", "faces of parts that have only one side", found.one_sided)
    holes = [(old[border] + 1).tolist() for border in found.borders]
    add("holes", "borders, of holes or of an open surface", holes,
        lambda i: f"{len(holes[i])} vertices from {holes[i][0]}")  # fmt: skip
    return defects, texts
