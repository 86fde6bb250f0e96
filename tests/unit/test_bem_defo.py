"""bem_defo files: what is read, 100 things that are refused with line, rule and what to do, and what is written."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from framework.errors import OutputError, PliantError, ProblemFileError
from systems.readers.bem_defo import BemDefo, read_bem_defo, same, text_of_problem, write_problem
from tests.property.test_fuzz_meshes import no_longer_than
from tests.unit.bem_defo_files import CORNERS, ELEMENTS, FACES, POINTS, beam, condition, config, cube, listed, values


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def read(text: str | bytes, **limits: Any) -> BemDefo:
    Path("beam.xml").write_bytes(text.encode() if isinstance(text, str) else text)
    return read_bem_defo("beam.xml", **limits)


def refused(text: str | bytes, **limits: Any) -> str:
    """The message, without the name of the file; a refusal is one line, and without warnings."""
    with pytest.raises(ProblemFileError) as caught, warnings.catch_warnings():
        warnings.simplefilter("error")
        read(text, **limits)
    message = str(caught.value)
    assert message.startswith("beam.xml:") and message.isprintable()
    return message.removeprefix("beam.xml:").strip()


# -- refused --------------------------------------------------------------------------------------------------------

BEAM = [  # (what stands in it, what does instead, the error)
    ('<E>10000</E>', '<E>-1</E>',
     "9: <E> must be positive, in Pa, got -1.0; write Young's modulus of the material"),
    ('<E>10000</E>', '<E>0</E>',
     "9: <E> must be positive, in Pa, got 0.0; write Young's modulus of the material"),
    ('<E>10000</E>', '<E>1e999</E>',
     "9: <E> must be finite, got '1e999'; correct it"),
    ('<E>10000</E>', '<E>NaN</E>',
     "9: <E> must be a number such as 0.5 or -1e-3, got 'NaN'; correct it"),
    ('<E>10000</E>', '',
     '2: <general_config> must hold <E>, got none; add it'),
    ('<E>10000</E>', '<E>1</E><E>2</E>',
     '9: <general_config> may hold <E> once, got another one; delete one of them'),
    ('<v>0.0', '<v>0.6',
     "10: <v> must be above -1 and at most 0.5, got 0.6; write Poisson's ratio of the material"),
    ('<v>0.0', '<v>0,3',
     "10: <v> must be a number such as 0.5 or -1e-3, got '0,3'; write a decimal point"),
    ('<dimension>2', '<dimension>4',
     "3: <dimension> must be 2 or 3, got '4'; correct it"),
    ('<dimension>2', '<dimension>3',
     '4: <degree_of_freedom> must be 3 where <dimension> is 3, got 2; correct one of them'),
    ('<degree_of_freedom>2', '<degree_of_freedom>3',
     '4: <degree_of_freedom> must be 2 where <dimension> is 2, got 3; correct one of them'),
    ('type_of_analysis>1', 'type_of_analysis>3',
     '5: <type_of_analysis> must be 1 (plane strain) or 2 (plane stress) where <dimension> is 2, got 3; correct '
     'one of them'),
    ('<simetry>0', '<simetry>3',
     '7: <simetry> must be 0, 1 or 2 where <dimension> is 2, got 3; there is no plane z = 0'),
    ('<simetry>0</simetry>', '<symmetry>0</symmetry>',
     "7: <general_config> must hold <simetry> or <element_type> or <E> or <v> there, got <symmetry>; did you mean "
     "'simetry'?"),
    ('<element_type>2', '<element_type>1',
     '39: <node id="1"> must have no <inner_point> (element_type 1), got 1; correct one of them'),
    ('<element_type>2', '<element_type>3',
     "8: <element_type> must be 1 (linear) or 2 (quadratic), got '3'; correct it"),
    ('<region_type>1', '<region_type>2',
     '39: a hole must run clockwise, with the material on the left, got elements 1, 2, 3, 4, 5, 6 and 6 more the '
     'other way round; swap ip and ep of each, and the order of its values, or write region_type 1'),
    ('<region_type>1', '<region_type>x',
     "6: <region_type> must be 1 (finite) or 2 (infinite), got 'x'; correct it"),
    ('points number="24"', 'points number="25"',
     '12: number of <points> must be that of its points, 24, got 25; correct it, or add what is missing'),
    ('nodes number="12"', 'nodes number="11"',
     '38: number of <nodes> must be that of its elements (<node>), 12, got 11; correct it, or add what is missing'),
    ('points_per_node="3"', 'points_per_node="2"',
     '38: points_per_node of <nodes> must be that of its elements, got 2 and 3 points in <node id="1">; correct it'),
    ('points number="24"', 'points number="many"',
     "12: number of <points> must be a whole number from 0 to 2147483647, got 'many'; correct it"),
    ('<point id="3" x="0.5" y="0.0"/>', '',
     '12: number of <points> must be that of its points, 23, got 24; correct it, or add what is missing'),
    ('<point id="3" ', '<point id="2" ',
     '15: <point id="2"> must have an id of its own, got one that line 14 has too; give it another id'),
    ('x="0.5" y="0.0"', 'x="0.5"',
     '15: <point id="3"> must have the attribute y, got none; write y="..."'),
    ('x="0.5" y="0.0"', 'x="NaN" y="0.0"',
     '15: x of <point id="3"> must be a number such as 0.5 or -1e-3, got \'NaN\'; correct it'),
    ('x="0.5" y="0.0"', 'x="INF" y="0.0"',
     '15: x of <point id="3"> must be a number such as 0.5 or -1e-3, got \'INF\'; correct it'),
    ('x="0.5" y="0.0"', 'x="1e999" y="0.0"',
     '15: x of <point id="3"> must be finite, got \'1e999\'; correct it'),
    ('x="0.5" y="0.0"', 'x="half" y="0.0"',
     '15: x of <point id="3"> must be a number such as 0.5 or -1e-3, got \'half\'; correct it'),
    ('x="0.5" y="0.0"', 'x="0.5" y="0.0" z="0"',
     '15: <point id="3"> must have no z where <dimension> is 2, got \'0\'; delete it'),
    ('x="0.5" y="0.0"', 'x="0.5" Y="0.0"',
     '15: <point id="3"> has no attribute \'Y\'; known: id, x, y, z'),
    ('x="0.5" y="0.0"', 'x=“0.5” y=“0.0”',
     '15: uses typographic quotes, got “, where XML needs straight ones; write "..." around the values of attributes'),
    ('x="0.5" y="0.0"', 'x=0.5 y=0.0',
     '15: must be well-formed XML, got: AttValue: " or \' expected; write attributes as name="value", with a '
     'space between two'),
    ('x="0.5" y="0.0"', 'x="0.5" x="0.0"',
     '15: must be well-formed XML, got: Attribute x redefined; write each attribute of an element once'),
    ('x="0.5" y="0.0"', 'x="0.5" y="<"',
     "15: must be well-formed XML, got: Unescaped '<' not allowed in attributes values; correct it there"),
    ('x="0.5" y="0.0"', 'x="1.0" y="0.0"',
     '15: points 2 and 3 must be at different places, got (1.0, 0.0) for both; use one of them in all elements, '
     'and delete the other'),
    ('x="0.5" y="0.0"', 'x="0.9" y="0.0"',
     '39: inner point 3 of element 1 must be 0.3 to 0.7 of the way from point 1 to 2 and at most 0.3 of it '
     'aside, got 0.9 and 0; move it, or use more elements'),
    ('x="0.5" y="0.0"', 'x="0.5" y="-3.0"',
     '39: inner point 3 of element 1 must be 0.3 to 0.7 of the way from point 1 to 2 and at most 0.3 of it '
     'aside, got 0.5 and 3; move it, or use more elements'),
    ('x="0.5" y="0.0"', 'x="0.5" y="1e15"',
     '15: points must be 1e-12 m to 1e+12 m apart, got a body of 1e+15 m that is 1e+15 m from the origin; write '
     'metres'),
    ('ip="2" ep="4"', 'ip="2"',
     '40: <node id="2"> must have the attribute ep, got none; write the id of its last point'),
    ('ip="2" ep="4"', 'ip="4" ep="2"',
     '40: one element must end and one begin at point 2, got elements 1, 2 that both end there; swap ip and ep of '
     'one of them, and the order of its values'),
    ('ip="2" ep="4"', 'ip="2" ep="99"',
     '40: <node id="2"> must refer to points that there are, got 99; the ids are 1 to 24'),
    ('ip="2" ep="4"', 'ip="2" ep="2"',
     '40: <node id="2"> must have different points, got 2, 5, 2; correct the one that is there twice'),
    ('ip="2" ep="4"', 'ip="2" ep="6"',
     '41: the outline must be closed at point 4, got element 3 alone there; add the element that goes on, or '
     'correct the id'),
    ('<inner_point id="5"/>', '',
     '40: <node id="2"> must have one <inner_point> (element_type 2), got 0; correct one of them'),
    ('<inner_point id="5"/>', '<inner_point id="3"/>',
     '40: point 3 must be the end of two elements or the inner point of one, got elements 1, 2; correct their ids'),
    ('<inner_point id="5"/>', '<corner_point id="5"/>',
     '40: <node id="2"> must have ip, ep and <inner_point> in two dimensions, got <corner_point>; that is for '
     'three dimensions'),
    ('<node id="2"', '<node id="1"',
     '40: <node id="1"> must have an id of its own, got one that line 39 has too; give it another id'),
    ('dbc_node id="12"', 'dbc_node id="13"',
     '54: <dbc_node id="13"> must name an element (<node>), got 13; there is no such id'),
    ('<dbc_point x="0.0" y="0.0"/>\n      </dbc_node>', '</dbc_node>',
     '54: <dbc_node id="12"> must have one <dbc_point> for each point of the element, 3, got 2; correct it'),
    ('<dbc_point x="0.0" y="0.0"/>\n      </dbc_node>', '<dbc_point x="0.0" y="0.0"/><dbc_point/>\n      </dbc_node>',
     '54: <dbc_node id="12"> must have one <dbc_point> for each point of the element, 3, got 4; correct it'),
    ('DBC', 'dbc',
     '53: <bc> must hold names as the format writes them, got <dbc>; write <DBC>'),
    ('dbc_point', 'point',
     '55: <dbc_node id="12"> must hold <dbc_point> there, got <point>; did you mean \'dbc_point\'?'),
    ('bc>', 'BC>',
     '52: <bem_defo> must hold names as the format writes them, got <BC>; write <bc>'),
    ('</bem_defo>', '',
     '69: must be well-formed XML, got: Premature end of data in tag bem_defo line 1; each <name> needs its '
     '</name>, or ends in />; close what is open there'),
    ('</points>', '</point>',
     '37: must be well-formed XML, got: Opening and ending tag mismatch: points line 12 and point; each <name> '
     'needs its </name>, or ends in />; close what is open there'),
    ('<bem_defo>', '<bem_defo xmlns="http://x">',
     '1: must use no namespaces, got one at <{http://x}bem_defo>; delete xmlns and xsi attributes'),
    ('<bem_defo>',
     '<bem_defo xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation="http://evil/x.xsd">',
     '1: must use no namespaces, got one at <bem_defo>; delete xmlns and xsi attributes'),
    ('bem_defo', 'bem',
     '1: must be a bem_defo file, got <bem> as its outermost element; <bem_defo> holds all'),
    ('</bem_defo>', '</bem_defo>x',
     '68: must be well-formed XML, got: Extra content at the end of the document; one <bem_defo> holds all, with '
     'nothing before and after it'),
    ('</general_config>', 'hello</general_config>',
     "2: <general_config> must hold no text, got 'hello'; delete it"),
    ('<E>10000</E>', '<E>&amp;</E>',
     "9: <E> must be a number such as 0.5 or -1e-3, got '&'; correct it"),
    ('<E>10000</E>', '<E>&big;</E>',
     "9: must be well-formed XML, got: Entity 'big' not defined; write &amp; and &lt; where & and < are no markup"),
    ('<E>10000</E>', '<E>1<b/></E>',
     '9: <E> must hold no elements, got <b>; delete it'),
    ('<bem_defo>', '<!DOCTYPE bem_defo [<!ENTITY a "1">]>\n<bem_defo>',
     '1: must have no document type, got a <!DOCTYPE or <!ENTITY declaration, which can name other files; delete it'),
    ('<bem_defo>', '<?xml version="1.0" encoding="klingon"?>\n<bem_defo>',
     "1: must be in UTF-8, UTF-16, ASCII, ISO-8859 or Windows-125x, got encoding 'klingon'; save it as UTF-8"),
    ('<bem_defo>', '<?xml version="1.0" encoding="utf-16"?>\n<bem_defo>',
     "1: must be in the encoding that it declares, got 'utf-16' in a file that has no mark of UTF-16; save it as "
     "UTF-8"),
    ('<point id="14" x="4.0" y="1.0"/>', '<point id="14" x="4.0" y="-1.0"/>',
     '45: inner point 15 of element 7 must be 0.3 to 0.7 of the way from point 12 to 14 and at most 0.3 of it '
     'aside, got 0.1 and 0.2; move it, or use more elements'),
]  # fmt: skip

CUBE_2 = [  # (what stands in it, what does instead, the error)
    ('<corner_point id="4"/>', '',
     '35: <node id="1"> must have 3 <inner_point> (element_type 2), got 4; correct one of them'),
    ('<corner_point id="4"/>', '<corner_point id="4"/><corner_point id="7"/>',
     '35: <node id="1"> must have 3 or 4 <corner_point>, got 5; divide it into triangles and quadrilaterals'),
    (' z="0.0"', '',
     '13: <point id="1"> must have a z where <dimension> is 3, got none; add it'),
    ('    <node id="2">', '    <node id="2" ip="3">',
     '36: <node id="2"> must have <corner_point> and <inner_point> in three dimensions, got ip; that is for two '
     'dimensions'),
    ('<simetry>0', '<simetry>1',
     '40: element 6 must not lie in the plane of symmetry x = 0, where the body goes on, got all its points '
     'there; delete it'),
    ('<region_type>1', '<region_type>2',
     '35: a cavity must have its corners anticlockwise seen from outside of the material, got elements 1, 2, 3, '
     '4, 5, 6 the other way round; turn the order of their points and values, or write region_type 1'),
    ('<element_type>2', '<element_type>1',
     '35: <node id="1"> must have no <inner_point> (element_type 1), got 4; correct one of them'),
    ('x="0.0" y="0.0" z="0.5"', 'x="0.0" y="0.0" z="0.9"',
     '40: inner point 18 of element 6 must be 0.3 to 0.7 of the way from point 1 to 5 and at most 0.3 of it '
     'aside, got 0.9 and 0; move it, or use more elements'),
]  # fmt: skip

CUBE_1 = [  # (what stands in it, what does instead, the error)
    ('<node id="2"><corner_point id="5"/><corner_point id="6"/>',
     '<node id="2"><corner_point id="6"/><corner_point id="5"/>',
     '24: element 2 must have an area, got none; correct the order or the coordinates of its points'),
]  # fmt: skip

KINDS = {"beam": (beam(), BEAM), "quadratic cube": (cube(2), CUBE_2), "linear cube": (cube(1), CUBE_1)}
CASES = [(text, *case) for text, cases in KINDS.values() for case in cases]


@pytest.mark.parametrize("text, old, new, message", CASES, ids=[f"{new or 'no ' + old}" for _, old, new, _ in CASES])
def test_what_is_wrong_is_told_with_its_line(text: str, old: str, new: str, message: str) -> None:
    assert old in text
    assert without_parser(refused(text.replace(old, new))) == without_parser(message)


def without_parser(message: str) -> str:
    """The message without what libxml2 says in its own words, which differ between its versions."""
    return re.sub(r"got: .*;", "got: ...;", message)


TURNED = [(last, first, inner) for first, last, inner in ELEMENTS]
SHAPES = {
    "clockwise": (beam(elements=TURNED), "39: the outline of a finite region must run anticlockwise"),
    "open": (beam(elements=ELEMENTS[:-1]).replace('id="12">', 'id="11">', 1), "39: the outline must be closed at "
                                                                              "point 1"),
    "inside, on an element": (beam(points=[*POINTS, (2.2, 0.0)]), "37: point 25 must belong to an element"),
    "outside": (beam(points=[*POINTS, (2.2, 9.0)]), "37: point 25 must belong to an element"),
    "twice": (beam(points=[*POINTS, (2.0, 0.0)]), "37: points 4 and 25 must be at different places"),
}


@pytest.mark.parametrize("name", SHAPES)
def test_outlines_that_cannot_be(name: str) -> None:
    text, message = SHAPES[name]
    assert refused(text).startswith(message)


def polygon(*loops: list[tuple[float, float]], **settings: Any) -> str:
    """Linear elements around loops of corners, free, without loads."""
    points = [corner for loop in loops for corner in loop]
    elements, start = [], 1
    for loop in loops:
        elements += [(start + j, start + (j + 1) % len(loop)) for j in range(len(loop))]
        start += len(loop)
    return config(order=1, **settings) + listed(points, elements) + condition("", "") + "</bem_defo>\n"


SQUARE = [(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)]
HOLE = [(1.0, 1.0), (1.0, 2.0), (2.0, 2.0), (2.0, 1.0)]
POLYGONS = {
    "bow tie": (polygon([(0, 0), (1, 1), (1, 0), (0, 1)]), "elements 1 and 3 must not cross"),
    "spike": (polygon([(0, 0), (4, 0), (2, 0), (2, 3)]), "elements 1 and 2 must not cross, touch or lie on each other"),
    "corner on a side": (polygon([(0, 0), (4, 0), (4, 4), (2, 0), (0, 4)]), "must not cross, touch"),
    "hole that cuts the side": (polygon(SQUARE, [(x + 2.5, y) for x, y in HOLE]), "must not cross"),
    "hole with the wrong way round": (polygon(SQUARE, HOLE[::-1]), "a hole must run clockwise"),
    "two bodies": (polygon(SQUARE, [(x + 9, y) for x, y in SQUARE]), "a finite region must be one body, got 2"),
    "body in a hole": (polygon(SQUARE, HOLE, [(1.2, 1.2), (1.4, 1.2), (1.4, 1.4)]), "must not lie in a hole"),
    "hole in a hole": (polygon(SQUARE[::-1], HOLE, region=2), "must not lie in a hole"),
    "on both sides of a plane": (polygon([(x - 1, y) for x, y in SQUARE], symmetry=1), "on one side of the plane"),
    "in the plane": (polygon(SQUARE, symmetry=1), "element 4 must not lie in the plane of symmetry x = 0"),
    "beside the plane": (polygon([(x + 1, y) for x, y in SQUARE], symmetry=1), "must be one body, got 2"),
    "touches the plane": (polygon([(0, 1), (4, 0), (4, 4)], symmetry=1), "point 1 on a plane of symmetry must belong"),
}  # fmt: skip


@pytest.mark.parametrize("name", POLYGONS)
def test_polygons_that_cannot_be(name: str) -> None:
    text, message = POLYGONS[name]
    found = refused(text)
    assert message in found and re.match(r"\d+: ", found)


@pytest.mark.parametrize("loops, settings", [
    ([SQUARE], {}), ([SQUARE, HOLE], {}), ([HOLE], {"region": 2}),
    ([HOLE, [(x + 3, y) for x, y in HOLE]], {"region": 2}),
])  # fmt: skip
def test_polygons_that_can_be(loops: list, settings: dict) -> None:
    assert len(read(polygon(*loops, **settings)).elements) == 4 * len(loops)


def test_half_and_quarter_bodies() -> None:
    """A half and a quarter of a square; the outline is open on the planes."""
    half = config(order=1, symmetry=1) + listed([(0, 0), (2, 0), (2, 4), (0, 4)], [(1, 2), (2, 3), (3, 4)])
    assert read(half + condition("", "") + "</bem_defo>").symmetry == 1
    quarter = config(order=1, symmetry=2) + listed([(2, 0), (2, 2), (0, 2)], [(1, 2), (2, 3)])
    assert read(quarter + condition("", "") + "</bem_defo>").symmetry == 2
    off = quarter.replace('x="0" y="2"', 'x="0.5" y="2"') + condition("", "") + "</bem_defo>"
    assert refused(off).startswith("19: the outline must be closed at point 3, got element 2 alone there")


def test_conditions_that_cannot_be() -> None:
    held, pulled = values("dbc", 12, 'x="0.0"'), values("nbc", 6, 'y="-10"')

    def with_conditions(text: str) -> str:
        return config() + listed(POINTS, ELEMENTS) + text + "</bem_defo>\n"

    assert refused(with_conditions(condition("", pulled))).startswith(
        "52: a <bc> must hold the body, or have tractions in balance, got no displacement at all and a resultant "
        "force of "
        "(0, -10)")
    assert "must prescribe the same x at point 22, got 0.0 and 1.0" in refused(
        with_conditions(condition(held + values("dbc", 11, 'x="1"'), pulled)))
    assert "must be there once in a <NBC>" in refused(with_conditions(condition(held, pulled + pulled)))
    assert refused(with_conditions(condition(held, "") + condition("", pulled))).startswith("63: a <bc> must hold")
    half = config(symmetry=1) + listed(POINTS[:-1], ELEMENTS[:-1])
    assert "must not move across the plane of symmetry x = 0" in refused(
        half + condition(values("dbc", 1, 'x="0.1"'), "") + "</bem_defo>")


def test_where_displacement_and_traction_meet_the_displacement_counts() -> None:
    text = beam().replace("</nbc_node>\n", "</nbc_node>\n" + values("nbc", 12, 'y="3"'))
    with pytest.warns(UserWarning, match=r"^beam.xml:52: element 12: y has a displacement and a traction, the displa"):
        assert read(text).conditions[0].traction[11, 0, 1] == 3
    with warnings.catch_warnings():  # rollers: each component has one of them
        warnings.simplefilter("error")
        read(text.replace('dbc_point x="0.0" y="0.0"', 'dbc_point x="0.0"'))


@pytest.mark.parametrize("place, said", [("0.5009", "READ"), ("0.52", "0.02"), ("0.7", "0.2"), ("0.71", "got 0.71")])
def test_inner_points_off_the_middle(place: str, said: str) -> None:
    text = beam().replace('id="3" x="0.5"', f'id="3" x="{place}"')
    if said.startswith("got"):
        assert said in refused(text)
    elif said == "READ":
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            read(text)
    else:
        with pytest.warns(UserWarning, match=f"beam.xml:39: inner points of elements 1 are up to {said} of the side "
                                             "off"):
            read(text)


# -- files that are not meant ---------------------------------------------------------------------------------------

BILLION = "<!DOCTYPE bem_defo [" + '<!ENTITY a0 "ha">' + "".join(
    f'<!ENTITY a{j} "{f"&a{j - 1};" * 10}">' for j in range(1, 10)) + "]>\n"


@pytest.mark.parametrize("prolog", [
    BILLION, '<!DOCTYPE bem_defo SYSTEM "http://localhost/x.dtd">\n',
    '<!DOCTYPE bem_defo [<!ENTITY E SYSTEM "beam.txt">]>',
    '<!DOCTYPE bem_defo [<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;]>', "<!DOCTYPE bem_defo [<!ATTLIST E a CDATA "
                                                                           "'1'>]>",
])  # fmt: skip
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_bombs_and_other_files_are_refused_unread(prolog: str, encoding: str) -> None:
    Path("beam.txt").write_text("10000")
    text = prolog + beam().replace(">10000<", ">&E;<").replace(">0.0</v>", ">&a9;</v>")
    assert refused(text.encode(encoding)) == (
        "1: must have no document type, got a <!DOCTYPE or <!ENTITY declaration, which can name other files; delete it")


@pytest.mark.parametrize("part, attributes", [
    ("schema", 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation="other.xsd"'),
    ("namespace", 'xmlns="http://localhost/other"'),
])  # fmt: skip
def test_other_schemas_and_namespaces_are_refused(part: str, attributes: str) -> None:
    assert "1: must use no namespaces" in refused(beam().replace("<bem_defo>", f"<bem_defo {attributes}>"))
    include = '<bem_defo xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="beam.txt"/>'
    assert "1: must use no namespaces" in refused(beam().replace("<bem_defo>", include))


def test_a_huge_file_is_refused_by_its_size() -> None:
    with Path("huge.xml").open("wb") as file:
        file.truncate(100 * 2**20)  # takes no room on disk
    with pytest.raises(ProblemFileError) as caught:
        read_bem_defo("huge.xml")
    assert str(caught.value) == ("huge.xml: may have 33554432 bytes, got 104857600; pass largest_file=104857600 to "
                                 "read_bem_defo to read it all the same")


def test_many_elements_points_and_conditions_are_refused() -> None:
    assert refused(beam(), most_elements=11).startswith("38: may hold 11 elements, got 12")
    many = beam().replace("  <bc>", "<bc/>" * 300_000 + "  <bc>")
    assert refused(many).startswith("52: may hold 20000000 values of all <bc> together")
    more = "".join(f'<point id="{i}" x="{1 + i * 1e-6!r}" y="0.5"/>\n' for i in range(25, 20030))
    assert "may have 20000 points that no element uses" in refused(
        beam().replace("  </points>", more + "</points>").replace('points number="24"', 'points number="20029"'))


def test_deep_and_long_texts() -> None:
    assert "nested 256 deep at most" in refused("<a>" * 5000)
    assert "must be a number" in refused(beam().replace("<E>10000", "<E>" + "9" * 100_000 + "x"))
    assert "must be finite" in refused(beam().replace("<E>10000", "<E>" + "9" * 100_000))


def many(part: str, bad: str, good: int, count: int) -> str:
    """The beam with `good` sound items and `count` bad ones before the first item of a list, one a line."""
    sound = {"point": '<point id="{}" x="0.001" y="0.5"/>', "node": '<node id="{}" ip="1" ep="2"/>',
             "dbc_node": '<dbc_node id="{}"><dbc_point/></dbc_node>'}[part]
    rows = [*(sound.format(1000 + i) for i in range(good)), *(bad for _ in range(count))]
    return beam().replace(f"<{part} id", "\n".join([*rows, f"<{part} id"]), 1)


@pytest.mark.parametrize("part, first", [("point", 13), ("node", 39), ("dbc_node", 54)])
@pytest.mark.parametrize("good", [0, 499, 500, 1234])
@pytest.mark.parametrize("bad, said", [('id="a"', "must be a whole number"), ("", "must have the attribute id"),
                                       ('id="7" wrong="1"', "has no attribute 'wrong'")])  # fmt: skip
def test_the_first_of_many_errors_is_found_soon(part: str, first: int, good: int, bad: str, said: str) -> None:
    inside = "<dbc_point/></dbc_node>" if part == "dbc_node" else f"</{part}>"
    more = ' x="1" y="1"' if part == "point" else ""
    with no_longer_than(20):
        found = refused(many(part, f"<{part} {bad}{more}>{inside}", good, 30_000))
    assert found.startswith(f"{first + good}: ") and said in found


def test_faults_far_down_a_list_of_conditions() -> None:
    text = beam().replace("  <bc>", "<bc/>\n" * 1200 + "<points/>\n  <bc>", 1)
    assert refused(text) == "1252: <bem_defo> must hold <bc> there, got <points>; delete it"
    text = beam().replace("  <bc>", "<bc/>\n" * 1200 + "<bc>7</bc>\n  <bc>", 1)
    assert refused(text) == "1252: <bc> must hold no text, got '7'; delete it"
    text = beam().replace("  <bc>", "<bc/>\n" * 1200 + "7<bc/>\n  <bc>", 1)
    assert refused(text) == "1251: <bem_defo> must hold <bc> there, got '7'; delete it"


def test_elements_with_many_attributes() -> None:
    text = beam().replace('<point id="1"', "<point " + " ".join(f'a{i}="1"' for i in range(50_000)) + ' id="1"')
    assert refused(text).startswith("13: <point> must have 16 attributes at most, got 50003")


ENCODED = {
    "mark of UTF-8": beam().encode("utf-8-sig"), "UTF-16": beam().encode("utf-16"),
    "UTF-16 as declared": ('<?xml version="1.0" encoding="UTF-16"?>' + beam()).encode("utf-16"),
    "Latin-1": ('<?xml version="1.0" encoding="ISO-8859-1"?><!-- \xe9 -->' + beam()).encode("latin-1"),
    "Windows": ('<?xml version="1.0" encoding="windows-1252"?><!-- \u201c -->' + beam()).encode("cp1252"),
    "Windows line ends": beam().replace("\n", "\r\n").encode(), "Mac line ends": beam().replace("\n", "\r").encode(),
}  # fmt: skip


@pytest.mark.parametrize("name", ENCODED)
def test_encodings(name: str) -> None:
    assert same(read(ENCODED[name]), read(beam()))


UNDECODABLE = {
    "unknown": ('<?xml version="1.0" encoding="klingon"?>' + beam()).encode(),
    "UTF-32": beam().encode("utf-32"), "no mark": beam().encode("utf-16-le"),
    "Latin-1 undeclared": ("<!-- \xe9 -->" + beam()).encode("latin-1"),
    "EBCDIC": ('<?xml version="1.0" encoding="cp500"?>' + beam()).encode("cp500"),
    "UTF-7": ('<?xml version="1.0" encoding="utf-7"?>' + beam()).encode("utf-7"),
    "declared otherwise": ('<?xml version="1.0" encoding="utf-16"?>' + beam()).encode(),
    "marked otherwise": ('<?xml version="1.0" encoding="utf-8"?>' + beam()).encode("utf-16"),
    "a codec that is no encoding": ('<?xml version="1.0" encoding="rot13"?>' + beam()).encode(),
    "zeros": bytes(100), "no XML": b"hello", "space": b"  \n",
}  # fmt: skip


@pytest.mark.parametrize("name", UNDECODABLE)
def test_encodings_that_are_refused(name: str) -> None:
    found = refused(UNDECODABLE[name])
    assert re.search(r"^1: must be |^must hold a problem", found)


def test_names_that_are_no_files() -> None:
    Path("beam.xml").write_text(beam())
    path = "read_bem_defo: path must be the name of a file, got "
    cases = {
        "beam.xm": "beam.xm: there is no such file; did you mean 'beam.xml'?",
        ".": ".: must be a bem_defo file, got a folder", "a\nb": "'a\\nb': there is no such file",
        "a\0b": "'a\\x00b': ", "": path + "''", 3: path + "3", b"a": path + "b'a'",
        "/dev/zero": "/dev/zero: there is no",
    }  # fmt: skip
    for name, message in cases.items():
        with pytest.raises(ProblemFileError) as caught:
            read_bem_defo(name)  # type: ignore[arg-type]
        assert str(caught.value).startswith(message) and str(caught.value).isprintable()


def test_lines_beyond_those_that_are_counted() -> None:
    found = refused("\n" * 70_000 + beam().replace("<E>10000", "<E>-1"))
    assert found.removeprefix("70009: ").startswith("<E> must be positive")


# -- read -----------------------------------------------------------------------------------------------------------


def test_the_beam_is_read_as_it_is_written() -> None:
    found = read(beam('x="0.0" y="-10.0"', 'x="3.5"'))
    settings = found.dimension, found.analysis, found.infinite, found.symmetry, found.order
    assert settings == (2, "plane strain", False, 0, 2)
    assert (found.young_modulus, found.poisson_ratio) == (10000.0, 0.0)
    assert found.points.tolist() == [list(place) for place in POINTS] and found.point_ids.tolist() == list(range(1, 25))
    assert (found.elements + 1).tolist() == [[first, inner, last] for first, last, inner in ELEMENTS]
    first, second = found.conditions
    assert np.array_equal(first.displacement[11], np.zeros((3, 2))) and np.isnan(first.displacement[:11]).all()
    assert np.array_equal(first.traction[5], [[0, -10]] * 3)
    assert np.array_equal(second.traction[5], [[3.5, np.nan]] * 3, equal_nan=True)
    assert not any(array.flags.writeable for array in (found.points, found.elements, first.traction, found.point_ids))


def test_values_are_along_the_element() -> None:
    rows = "".join(f'        <nbc_point x="{value}"/>\n' for value in ("1", "2", "3"))
    text = beam().replace('        <nbc_point x="0.0" y="-10.0"/>\n' * 3, rows)
    found = read(text)
    assert found.conditions[0].traction[5, :, 0].tolist() == [1, 2, 3]
    assert found.point_ids[found.elements[5]].tolist() == [10, 13, 12]


@pytest.mark.parametrize("order", [1, 2])
def test_a_cube(order: int) -> None:
    found = read(cube(order))
    assert (found.dimension, found.analysis) == (3, "three-dimensional")
    assert (found.elements[:, :4] + 1).tolist() == [list(face) for face in FACES]
    assert found.points[:8].tolist() == [list(map(float, corner)) for corner in CORNERS]
    used = (found.elements >= 0).sum(axis=1)
    assert used.tolist() == [4 * order] * 6
    if order == 2:
        at = found.points[found.elements]
        assert np.array_equal(at[:, 4:], 0.5 * (at[:, :4] + np.roll(at[:, :4], -1, axis=1)))
    assert np.nansum(found.conditions[0].traction[1, :, 2]) == 4 * order


def test_ids_and_elements_come_in_any_order() -> None:
    lines = beam().splitlines(keepends=True)
    points, nodes = lines[12:36], lines[38:50]
    shuffled = "".join([*lines[:12], *points[::-1], *lines[36:38], *nodes[5:], *nodes[:5], *lines[50:]])
    far = re.sub(r'((?:point|node)[^>]* id|ip|ep)="(\d+)"', lambda m: f'{m[1]}="{int(m[2]) + 1000}"', shuffled)
    found, plain = read(far), read(beam())
    assert sorted(found.point_ids.tolist()) == list(range(1001, 1025))
    for e, number in enumerate(found.element_ids):
        row = plain.elements[number - 1001]
        assert np.array_equal(found.points[found.elements[e]], plain.points[row])
        assert np.array_equal(
            found.conditions[0].traction[e], plain.conditions[0].traction[number - 1001], equal_nan=True)


def test_comments_instructions_and_characters_by_number_change_nothing() -> None:
    text = beam().replace("<E>10000", "<E> 1<!-- 7 -->0<?x y?>0<![CDATA[0]]>&#48; ").replace('ip="2"', 'ip=" &#50; "')
    assert same(read(text), read(beam()))


# -- written --------------------------------------------------------------------------------------------------------

FIGURES = beam(modulus="0.1e-7", ratio="0.3333333333333333").replace('id="3" x="0.5"', 'id="3" x="0.50000000000000011"')
BACK = {
    "beam": beam(), "sequence": beam('x="-30.0" y="0.0"', 'x="0.1"', "", 'y="-1e-300"'), "cube": cube(1),
    "cube 2": cube(2), "holes": polygon(HOLE, region=2), "figures": FIGURES,
    "ids": beam().replace('point id="24"', 'point id="7000"'), "inside": beam(points=[*POINTS, (2.0, 0.5)]),
    "minus zero": beam().replace('id="24" x="0.0"', 'id="24" x="-0.0"'),
}  # fmt: skip


@pytest.mark.parametrize("name", BACK)
def test_what_is_written_reads_back_bit_for_bit(name: str) -> None:
    found = read(BACK[name])
    write_problem(found, "again.xml")
    again = read_bem_defo("again.xml")
    assert same(found, again) and text_of_problem(again) == Path("again.xml").read_text()


def test_every_difference_is_one() -> None:
    plain = read(beam())
    for old, new in [("<E>10000", "<E>10001"), ('id="3" x="0.5"', 'id="3" x="0.5000000001"'), ("-10.0", "-10.1"),
                     ('y="-10.0"', ""), ("analysis>1", "analysis>2"), ('id="24" x="0.0"', 'id="24" x="-0.0"')]:
        assert not same(plain, read(beam().replace(old, new)))
    assert not same(plain, read(beam("", "")))


def test_what_cannot_be_written_is_refused() -> None:
    found = read(beam())
    with pytest.raises(OutputError, match=r"nowhere/beam\.xml: cannot be written"):
        write_problem(found, "nowhere/beam.xml")
    object.__setattr__(found, "elements", found.elements[:, ::-1])
    with pytest.raises(PliantError, match=r"again.xml: the outline of a finite region must run anticlockwise"):
        write_problem(found, "again.xml")
    assert not Path("again.xml").exists()
