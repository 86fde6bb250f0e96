"""bem_defo files for tests: the beam of 12 quadratic elements, a cube, and their like, written out by hand."""

from __future__ import annotations

POINTS = [
    (0.0, 0.0), (1.0, 0.0), (0.5, 0.0), (2.0, 0.0), (1.5, 0.0), (3.0, 0.0), (2.5, 0.0), (4.0, 0.0), (3.5, 0.0),
    (5.0, 0.0), (4.5, 0.0), (5.0, 1.0), (5.0, 0.5), (4.0, 1.0), (4.5, 1.0), (3.0, 1.0), (3.5, 1.0), (2.0, 1.0),
    (2.5, 1.0), (1.0, 1.0), (1.5, 1.0), (0.0, 1.0), (0.5, 1.0), (0.0, 0.5),
]  # fmt: skip
ELEMENTS = [  # first, last, inner
    (1, 2, 3), (2, 4, 5), (4, 6, 7), (6, 8, 9), (8, 10, 11), (10, 12, 13), (12, 14, 15), (14, 16, 17), (16, 18, 19),
    (18, 20, 21), (20, 22, 23), (22, 1, 24),
]  # fmt: skip


def config(dimension: int = 2, analysis: int = 1, region: int = 1, symmetry: int = 0, order: int = 2,
           modulus: str = "10000", ratio: str = "0.0") -> str:
    """Eleven lines."""
    return f"""<bem_defo>
  <general_config>
    <dimension>{dimension}</dimension>
    <degree_of_freedom>{dimension}</degree_of_freedom>
    <type_of_analysis>{analysis}</type_of_analysis>
    <region_type>{region}</region_type>
    <simetry>{symmetry}</simetry>
    <element_type>{order}</element_type>
    <E>{modulus}</E>
    <v>{ratio}</v>
  </general_config>
"""


def listed(points: list, elements: list) -> str:
    """A line each for points and elements (first, last, inner...), with ids from 1 on."""
    lines = [f'  <points number="{len(points)}">']
    for number, place in enumerate(points, 1):
        values = " ".join(f'{axis}="{value}"' for axis, value in zip("xyz", place, strict=False))
        lines.append(f'    <point id="{number}" {values}/>')
    lines += ["  </points>", f'  <nodes number="{len(elements)}" points_per_node="{len(elements[0])}">']
    for number, (first, last, *inner) in enumerate(elements, 1):
        inside = "".join(f'<inner_point id="{point}"/>' for point in inner)
        lines.append(f'    <node id="{number}" ip="{first}" ep="{last}">{inside}</node>')
    return "\n".join([*lines, "  </nodes>", ""])


def values(kind: str, element: int, value: str, count: int = 3) -> str:
    rows = f'        <{kind}_point {value}/>\n' * count
    return f'      <{kind}_node id="{element}">\n{rows}      </{kind}_node>\n'


def condition(held: str, loaded: str) -> str:
    """One <bc> of nodes that `values` makes."""
    return f"  <bc>\n    <DBC>\n{held}    </DBC>\n    <NBC>\n{loaded}    </NBC>\n  </bc>\n"


def beam(*tractions: str, points: list = POINTS, elements: list = ELEMENTS, **settings: object) -> str:
    """The beam, 5 x 1, held at its left side, with a <bc> for each traction on its right one."""
    cases = [condition(values("dbc", 12, 'x="0.0" y="0.0"'), values("nbc", 6, traction))
             for traction in tractions or ('x="0.0" y="-10.0"',)]
    return config(**settings) + listed(points, elements) + "".join(cases) + "</bem_defo>\n"  # type: ignore[arg-type]


CORNERS = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
FACES = [(1, 4, 3, 2), (5, 6, 7, 8), (1, 2, 6, 5), (2, 3, 7, 6), (3, 4, 8, 7), (4, 1, 5, 8)]


def cube(order: int = 1, region: int = 1, symmetry: int = 0) -> str:
    """A cube of side 1, held below (element 1), pulled at its top (element 2) by 1 Pa."""
    points, middles, nodes = [tuple(map(float, corner)) for corner in CORNERS], {}, []
    for number, face in enumerate(FACES, 1):
        sides = [tuple(sorted((face[j], face[(j + 1) % 4]))) for j in range(4)] if order == 2 else []
        for a, b in sides:
            if (a, b) not in middles:
                points.append(tuple(0.5 * (p + q) for p, q in zip(points[a - 1], points[b - 1], strict=True)))
                middles[a, b] = len(points)
        inside = [f'<corner_point id="{i}"/>' for i in face] + [f'<inner_point id="{middles[s]}"/>' for s in sides]
        nodes.append(f'    <node id="{number}">{"".join(inside)}</node>')
    places = [f'    <point id="{i}" x="{x}" y="{y}" z="{z}"/>' for i, (x, y, z) in enumerate(points, 1)]
    count = 4 * order
    return "\n".join([
        config(3, 3, region, symmetry, order)[:-1], f'  <points number="{len(points)}">', *places, "  </points>",
        '  <nodes number="6">', *nodes, "  </nodes>",
        condition(values("dbc", 1, 'x="0" y="0" z="0"', count), values("nbc", 2, 'z="1"', count)) + "</bem_defo>\n",
    ])  # fmt: skip
