"""bem_defo files of solids: which surfaces are taken, and which are refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from framework.errors import ProblemFileError
from systems.readers.bem_defo import BemDefo, read_bem_defo, same, write_problem
from tests.unit.bem_defo_files import CORNERS, FACES, config

Points = list[tuple[float, ...]]
Faces = list[tuple[int, ...]]


def box(low: float = 0.0, high: float = 1.0, inward: bool = False, first: int = 1) -> tuple[Points, Faces]:
    """A cube whose points have ids from `first` on."""
    points = [tuple(low + (high - low) * c for c in corner) for corner in CORNERS]
    return points, [tuple(first - 1 + i for i in (face[::-1] if inward else face)) for face in FACES]


def solid(points: Points, faces: Faces, **settings: int) -> str:
    nodes = ["    " + f'<node id="{n}">' + "".join(f'<corner_point id="{i}"/>' for i in face) + "</node>"
             for n, face in enumerate(faces, 1)]
    places = [f'    <point id="{i}" x="{x}" y="{y}" z="{z}"/>' for i, (x, y, z) in enumerate(points, 1)]
    return "\n".join([
        config(3, 3, order=1, **settings)[:-1], f'  <points number="{len(points)}">', *places, "  </points>",
        f'  <nodes number="{len(faces)}">', *nodes, "  </nodes>", "  <bc/>", "</bem_defo>", "",
    ])  # fmt: skip


def read(text: str, folder: Path) -> BemDefo:
    (folder / "solid.xml").write_text(text)
    return read_bem_defo(folder / "solid.xml")


CUBE, SIDES = box()
INNER, HOLLOW = box(0.25, 0.75, True, 9)
TETRAHEDRON = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
WARPED = [*CUBE[:6], (1.0, 1.0, 3.0), CUBE[7]]
TAKEN = {
    "cube": solid(CUBE, SIDES), "cavity": solid(CUBE + INNER, SIDES + HOLLOW),
    "cavity in an infinite region": solid(*box(inward=True), region=2),
    "point inside": solid([*CUBE, (0.5, 0.5, 0.5)], SIDES),
    "half": solid(CUBE, SIDES[:5], symmetry=1), "eighth": solid(CUBE, [SIDES[1], SIDES[3], SIDES[4]], symmetry=3),
    "tetrahedron": solid(TETRAHEDRON, [(1, 3, 2), (1, 2, 4), (2, 3, 4), (1, 4, 3)]),
    "triangles and quadrilaterals": solid(CUBE, [(1, 4, 3), (1, 3, 2), *SIDES[1:]]),
}  # fmt: skip
REFUSED = {
    "open": (solid(CUBE, SIDES[:5]), "23: a side must belong to two elements, got element 1 alone from point 1 to 4"),
    "turned": (solid(TETRAHEDRON, [(1, 3, 2), (1, 2, 4), (2, 3, 4), (1, 3, 4)]), "22: a side must belong to two "
                                                                                 "elements that run along it in "
                                                                                 "opposite ways, got elements 1 and 4 "
                                                                                 "both from point 1 to 3"),
    "inside out": (solid(*box(inward=True)), "23: the surface of a finite region must have its corners anticlockwise "
                                             "seen from outside of the material, got elements 1, 2, 3, 4, 5, 6 the "
                                             "other way round"),
    "cavity inside out": (solid(CUBE + INNER, SIDES + box(0.25, 0.75, False, 9)[1]), "37: a cavity must have its "
                                                                                     "corners anti"),
    "hole inside out": (solid(CUBE, SIDES, region=2), "23: a cavity must have its corners anticlockwise seen from "
                                                      "outside"),
    "two bodies": (solid(CUBE + box(2, 3)[0], SIDES + box(2, 3, False, 9)[1]), "37: a finite region must be one body, "
                                                                               "got 2"),
    "point on it": (solid([*CUBE, (0.5, 0.5, 1.0)], SIDES), "21: point 9 must belong to an element, or lie inside"),
    "point outside": (solid([*CUBE, (0.5, 0.5, 2.0)], SIDES), "21: point 9 must belong to an element, or lie inside"),
    "warped": (solid(WARPED, SIDES), "must have four corners nearly in a plane"),
    "in the plane": (solid(CUBE, SIDES, symmetry=2), "element 6 must not lie in the plane of symmetry x = 0"),
    "wing": (solid(CUBE, [*SIDES, (1, 4, 7)]), "a side must belong to two elements that run along it in opposite ways"),
}  # fmt: skip


@pytest.mark.parametrize("name", TAKEN)
def test_surfaces_that_are_taken_read_back(name: str, tmp_path: Path) -> None:
    found = read(TAKEN[name], tmp_path)
    write_problem(found, tmp_path / "again.xml")
    assert same(found, read_bem_defo(tmp_path / "again.xml"))
    counts = np.array([line.count("corner_point") for line in TAKEN[name].splitlines() if "<node " in line])
    assert np.array_equal((found.elements >= 0).sum(axis=1), counts)


@pytest.mark.parametrize("name", REFUSED)
def test_surfaces_that_are_refused(name: str, tmp_path: Path) -> None:
    text, message = REFUSED[name]
    with pytest.raises(ProblemFileError) as caught:
        read(text, tmp_path)
    found = str(caught.value).removeprefix(f"{tmp_path / 'solid.xml'}:")
    assert message in found and found.split(":")[0].isdecimal()
