"""Write docs/verification.md, errors of the solvers against known solutions: `python docs/make_verification.py`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from components import BoundaryConditions, BoundaryElements, Geometry, Material, Stress
from components.boundary_mesh import boundary_elements
from components.prefabs import arc, box_surface, ellipsoid_surface, outline, plate, polygon
from framework import World
from systems import standard

PAGE = Path(__file__).with_name("verification.md")
ON = BoundaryConditions
HEAD = """# Verification

Errors of the solvers against closed forms and converged solutions, made by `docs/make_verification.py`. h is the mean
size of the elements over that of the coarsest; rates are powers of h from one row to the next.

"""


def body(geometry: Geometry, conditions: BoundaryConditions, young: float, nu: float, **settings: Any) -> World:
    world = World(systems=standard(), substeps=1)
    material = Material(young_modulus=young, poisson_ratio=nu)
    world.spawn(geometry, material, BoundaryElements(**settings), conditions, name="body")
    world.run(frames=1)
    return world


def at(geometry: Geometry, place: tuple[float, ...]) -> int:
    return int(np.argmin(np.linalg.norm(geometry.points - np.array(place), axis=1)))


def kelvin(x: np.ndarray, dimension: int, nu: float) -> tuple[np.ndarray, np.ndarray]:
    """(u, stress) of a point force outside of the body, with G = 1, in the plane or in space."""
    place, force = ((1.6, 1.2, 0.9), (1.0, -0.5, 0.7)) if dimension == 3 else ((1.6, 1.2, 0.0), (1.0, -0.5, 0.0))
    d, f = x - np.array(place), np.array(force)
    r = np.linalg.norm(d, axis=-1)[..., None]
    q, identity = d / r, np.diag([1.0, 1.0, float(dimension == 3)])
    along, less = (q * f).sum(axis=-1)[..., None], 1 - 2 * nu
    weight, power = (16, 2) if dimension == 3 else (8, 1)
    first = (3 - 4 * nu) * (f / r if dimension == 3 else -np.log(r) * f)
    u = (first + q * along / (r if dimension == 3 else 1.0)) / (weight * np.pi * (1 - nu))
    outer, mixed = q[..., :, None] * q[..., None, :], q[..., :, None] * f + f[:, None] * q[..., None, :]
    along = along[..., None]
    stress = -(less * (mixed - along * identity) + (dimension + 0.0) * outer * along)
    return u, stress / (0.5 * weight * np.pi * (1 - nu) * r[..., None] ** power)


def outside_source(geometry: Geometry, normal: Callable[[np.ndarray], np.ndarray]) -> tuple[float, float, float]:
    """(size, error of displacement, of unknown traction): half the surface held, half loaded by the exact values."""
    dimension, elements = boundary_elements(geometry)
    x, used = geometry.points, elements >= 0
    u, stress = kelvin(x, dimension, 0.3)
    t = np.einsum("nij,nj->ni", stress, normal(x))
    held = (np.append(x[:, 1] >= -1e-9, True))[elements].all(axis=1)[:, None] & used
    given = [np.where((where & used)[..., None], values[elements], np.nan) for where, values in ((held, u), (~held, t))]
    if dimension == 2:
        for values in given:
            values[..., 2] = np.nan
    world = body(geometry, ON.at_elements(*given), 2.6, 0.3)
    found = world.value("body.deformation.element_traction")
    errors = [np.sqrt(((world.value("body.displacement") - u) ** 2).mean()),
              np.sqrt(((found - np.where(used[..., None], t[elements], 0.0))[held] ** 2).mean())]
    return 1.0 / len(elements) ** (1 / (dimension - 1)), *errors


def table(title: str, rows: Iterable[tuple[Any, ...]], head: tuple[str, ...]) -> str:
    lines = [f"## {title}", "", "| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(map(str, row)) + " |" for row in rows)]) + "\n"


def rates(name: str, results: list[tuple[float, float, float]]) -> list[tuple[str, ...]]:
    rows = []
    for number, (h, u, t) in enumerate(results):
        told = ["", ""]
        if number:
            h0, *before = results[number - 1]
            told = [f"{math.log(a / b) / math.log(h0 / h):.2f}" for a, b in zip(before, (u, t), strict=True)]
        rows.append((name, f"{h / results[0][0]:.3f}", f"{u:.2e}", told[0], f"{t:.2e}", told[1]))
    return rows


def sources() -> list[tuple[str, ...]]:
    rows = []
    radii = np.array([1.0, 0.8, 0.6])

    def normal(x: np.ndarray) -> np.ndarray:
        found = x / radii**2
        return found / np.linalg.norm(found, axis=1)[:, None]

    for order, name in ((1, "segments, 2 points"), (2, "segments, 3 points")):
        shapes = [outline([arc((0, 0), (1.0, 0.8), 0, 2 * math.pi, n)], order=order, fill=False) for n in (16, 32, 64)]
        rows += rates(name, [outside_source(shape, normal) for shape in shapes])
    for kind in ("triangle3", "quad4", "triangle6", "quad8"):
        counts = (4, 8) if kind[-1] in "34" else (3, 6)
        rows += rates(kind, [outside_source(ellipsoid_surface(radii, n, kind), normal) for n in counts])
    return rows


def cases() -> list[tuple[str, ...]]:
    rows = []

    def row(what: str, found: float, exact: float, source: str) -> None:
        rows.append((what, f"{found:.6g}", f"{exact:.6g}", f"{100 * abs(found / exact - 1):.3f} %", source))

    for n in (1, 2, 4):
        beam = plate((5, 1), (5 * n, n), fill=False)
        world = body(beam, ON.fixed("left") + ON.traction("right", (0, -10, 0)), 1e4, 0.0)
        tip = world.value("body.displacement")[at(beam, (5, 1, 0)), 1]
        row(f"clamped beam 5 x 1, {12 * n} elements: u_y at a corner", tip, -0.5123826, "hp finite elements")
    for n in (1, 2, 4):
        names = ("bottom", "right", "top", "left")
        sides = polygon([(0, 0), (48, 44), (48, 60), (0, 44)], [16 * n, 8 * n, 16 * n, 12 * n], names=names)
        cook = outline(sides, fill=False)
        world = body(cook, ON.fixed("left") + ON.traction("right", (0, 1 / 16, 0)), 1.0, 1 / 3, analysis="plane stress")
        found = world.value("body.displacement")[at(cook, (48, 52, 0)), 1]
        row(f"Cook's membrane, {52 * n} elements: u_y in the middle of the side", found, 23.96774, "hp finite elements")
    quarter = outline(
        [arc((0, 0), (2, 1), math.pi / 2, 0, 10, name="inner", grading=0.4)],
        [arc((0, 0), (3.25, 2.75), 0, math.pi / 2, 10, name="outer", grading=2.5)], fill=False)
    world = body(quarter, ON.traction("outer", (1e7, 0, 0), local=True), 210e9, 0.3, analysis="plane stress",
                 symmetry="xy")
    found = world.get("body", Stress).tensor[at(quarter, (2, 0, 0)), 1, 1] / 1e6
    row("NAFEMS LE1, 20 elements: stress at D [MPa]", found, 92.658, "NAFEMS (92.7), spectral finite elements")
    for n in (1, 2, 3):
        bar = box_surface((5, 1, 1), (4 * n, n, n), "quad8", centre=(2.5, 0, 0))
        world = body(bar, ON.fixed("left") + ON.traction("right", (0, 0, -1)), 1e4, 0.3)
        found = world.value("body.displacement")[at(bar, (5, 0, 0.5)), 2]
        row(f"cantilever 5 x 1 x 1, {len(bar.faces)} quad8: u_z at (5, 0, .5)", found, -0.0509141, "hp finite elements")
    return rows


def text() -> str:
    return HEAD + "\n".join([
        table("A point force outside", sources(),
              ("elements", "h", "displacement, error", "rate", "unknown traction, error", "rate")),
        "An ellipse and an ellipsoid with points on the true curve, half held and half loaded by the exact values of\n"
        "a point force outside (Kelvin's solution); errors are root mean squares over the points.\n",
        table("Cases", cases(), ("case", "found", "reference", "error", "from")),
        "At clamped corners the stress is singular: it sets the rate there.\n",
    ])  # fmt: skip


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
    print(PAGE.name)
