"""Nets whose springs follow from E have the energy and the stiffness of the isotropic material with nu = 1/3 or 1/4."""
from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from scipy.spatial import Delaunay

from components import BackwardEuler, BoundaryConditions, Geometry, Mass, MassSpring, Material, Position, Springs
from components.prefabs import box, grid, inner_layer, rope, sphere_shell
from framework import World
from framework.errors import FieldError
from systems import standard
from tests.verification.scenes import world_of

E, THICKNESS = 2e4, 0.01
SURFACE = {"mass_density": 100.0, "thickness": THICKNESS, "young_modulus": E}


def strained(geometry: Geometry, material: Material, tensor: np.ndarray) -> float:
    """Energy [J] of a homogeneous small strain; the mean over both signs leaves no third order."""
    total = 0.0
    for sign in (1, -1):
        world = world_of()
        world.spawn(geometry, Mass(m=np.ones(len(geometry.points))), material, MassSpring(),
                    Position(x=geometry.points @ (np.eye(3) + sign * 1e-4 * tensor)), name="net")
        total += 0.5 * world.value("net.energy.elastic")
    return total / 1e-8


def density(tensor: np.ndarray, nu: float, plane: bool) -> float:
    """Energy per volume over E of an isotropic material, in plane stress or in space."""
    mu = 1 / (2 * (1 + nu))
    lam = nu / (1 - nu**2) if plane else nu / ((1 + nu) * (1 - 2 * nu))
    return 0.5 * lam * np.trace(tensor) ** 2 + mu * float((tensor * tensor).sum())


@pytest.mark.parametrize("size", [(1.0, 1.0), (1.0, 1.5), (1.3, 1.0)])
@pytest.mark.parametrize("entries", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (0.3, -0.5, 0.7)], ids=str)
def test_grids_are_exact(size: Any, entries: Any) -> None:
    exx, eyy, exy = entries
    tensor = np.array([[exx, exy, 0], [exy, eyy, 0], [0, 0, 0]])
    found = strained(grid(size=size, cells=(4, 4), plane="xy"), Material(**SURFACE), tensor)
    assert found / (E * THICKNESS * size[0] * size[1]) == pytest.approx(density(tensor, 1 / 3, True), rel=1e-6)


@pytest.mark.parametrize("size", [(1.0, 1.0, 1.0), (1.0, 1.2, 0.9)])
@pytest.mark.parametrize("seed", range(4))
def test_lattices_are_exact(size: Any, seed: int) -> None:
    tensor = np.random.default_rng(seed).normal(size=(3, 3))
    tensor = tensor + tensor.T
    found = strained(box(size=size, cells=(3, 3, 3)), Material(mass_density=1.0, young_modulus=E), tensor)
    assert found / (E * np.prod(size)) == pytest.approx(density(tensor, 1 / 4, False), rel=1e-6)


def tetrahedra(seed: int) -> tuple[Geometry, float]:
    points = np.random.default_rng(seed).uniform(0, 1, (60, 3))
    mesh = Delaunay(points)
    return Geometry(points=points, tetrahedra=mesh.simplices.astype(np.int32)), 1.0


def test_any_elements_have_the_energy_of_equal_strains_in_all_directions_together() -> None:
    """sum k l^2 = 6 E V, so the mean energy over all directions of a stretch is the material's: of e_ij = n_i n_j it is
    E V (lambda / 2 + mu) = 0.6 E V. The mean of n n n n over directions is (d d + d d + d d) / 15."""
    geometry, _ = tetrahedra(3)
    edges = geometry.points[geometry.tetrahedra]
    volume = np.abs(np.linalg.det(edges[:, 1:] - edges[:, :1])).sum() / 6
    world = world_of()
    world.spawn(geometry, Material(mass_density=1.0, young_modulus=E), MassSpring(), name="net")
    springs = world.get("net", Springs)
    assert (springs.stiffness * springs.rest**2).sum() == pytest.approx(6 * E * volume, rel=1e-9)
    layer = inner_layer(sphere_shell(subdivisions=2), 0.3)
    world.spawn(layer, Material(mass_density=1.0, young_modulus=E), MassSpring(), name="layer")
    springs = world.get("layer", Springs)
    shell = world.get("layer", Mass).m.sum()  # of density 1
    assert (springs.stiffness * springs.rest**2).sum() == pytest.approx(6 * E * shell, rel=1e-9)


def strip(jitter: float) -> Geometry:
    """A strip of 3 m by 1 m of Delaunay triangles, its inner points moved at random. Groups: left, right."""
    h, random = 0.1, np.random.default_rng(7)
    rows = []
    for j in range(13):
        y = j * h * np.sqrt(0.75)
        x = np.arange(0, 3 + 1e-9, h) + (0.5 * h if j % 2 else 0)
        rows.append(np.column_stack([np.clip(x, 0, 3), np.full(len(x), y)]))
    flat = np.unique(np.round(np.vstack(rows), 12), axis=0)
    inside = (flat[:, 0] > h) & (flat[:, 0] < 3 - h) & (flat[:, 1] > 0) & (flat[:, 1] < flat[:, 1].max())
    flat[inside] += random.uniform(-jitter * h, jitter * h, (inside.sum(), 2))
    triangles = Delaunay(flat).simplices
    a, b, c = (flat[triangles[:, i]] for i in range(3))
    area = (b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]
    triangles = triangles[area > 1e-9]
    return Geometry(
        points=np.column_stack([flat, np.zeros(len(flat))]), triangles=triangles.astype(np.int32),
        groups={"left": np.flatnonzero(flat[:, 0] == 0), "right": np.flatnonzero(flat[:, 0] == 3)},
    )  # fmt: skip


@pytest.mark.parametrize(("jitter", "tolerance"), [(0.0, 0.03), (0.25, 0.1)])
def test_a_pulled_strip_of_triangles_has_youngs_modulus(jitter: float, tolerance: float) -> None:
    """Work of a slow pull: W = E t b e^2 L / 2.

    The free edges of 12 rows are softer by some per cent. A net of equal mean stiffness that is not regular yields
    more than the regular one (which strains evenly): to a tenth for points moved by a quarter of a side.
    """
    geometry, pull = strip(jitter), 1e-4
    world = world_of(integrator=BackwardEuler(newton=True, tolerance=1e-12, newton_tolerance=1e-9), frame_time=1e3)
    world.spawn(geometry, Material(**SURFACE), MassSpring(),
                BoundaryConditions.fixed("left", axes="x") + BoundaryConditions.fixed([0], axes="y")
                + BoundaryConditions.fixed(range(len(geometry.points)), axes="z")
                + BoundaryConditions.displacement("right", (3 * pull, 0, 0), axes="x"), name="strip")
    world.run(frames=8)
    width = np.ptp(geometry.points[:, 1])
    found = 2 * world.value("strip.energy.elastic") / (pull**2 * 3 * width * THICKNESS)
    assert found == pytest.approx(E, rel=tolerance)


@pytest.mark.parametrize(("shape", "material", "asked", "has"), [
    (sphere_shell(subdivisions=1), {**SURFACE, "poisson_ratio": 0.45}, "0.45", r"1/3 \(plane stress\)"),
    (box(), {"mass_density": 1.0, "shear_modulus": 1.0, "bulk_modulus": 100.0}, "0.4950", "1/4"),
])
def test_another_poisson_ratio_is_warned_of(shape: Geometry, material: dict[str, float], asked: str, has: str) -> None:
    with pytest.warns(UserWarning, match=f"net: Material asks for a Poisson ratio of {asked[:4]}.* but a net .* {has}"):
        World(systems=standard()).spawn(shape, Material(**material), MassSpring(), name="net")


def test_the_ratio_of_the_net_is_not_warned_of() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        solid = Material(mass_density=1, young_modulus=1, poisson_ratio=0.25)
        World(systems=standard()).spawn(box(), solid, MassSpring())
        World(systems=standard()).spawn(grid(), Material(**SURFACE, poisson_ratio=0.33), MassSpring())


@pytest.mark.parametrize(("shape", "material", "model", "message"), [
    (grid(), {"areal_density": 1.0}, {}, "MassSpring.stretch must be given, or Material.young_modulus"),
    (grid(), {"areal_density": 1.0, "young_modulus": 1.0}, {}, "Material.thickness .* must be given where springs"),
    (rope(), {"linear_density": 1.0, "young_modulus": 1.0}, {}, "must be given for a body of lines"),
    (grid(size=(2, 1), cells=(2, 2)), SURFACE, {}, "less than sqrt"),
    (box(size=(3, 1, 1), cells=(1, 1, 1)), {"mass_density": 1, "young_modulus": 1.0}, {}, "more like cubes"),
    (grid(), SURFACE, {"shear": 1.0}, "MassSpring.shear must be left out where stretch is"),
])
def test_what_gives_no_stiffness(shape: Geometry, material: dict[str, float], model: Any, message: str) -> None:
    with pytest.raises(FieldError, match=message):
        World(systems=standard()).spawn(shape, Material(**material), MassSpring(**model), name="net")


def test_young_modulus_and_bend_can_be_set_later() -> None:
    world = World(systems=standard())
    world.spawn(sphere_shell(subdivisions=1), Material(**SURFACE), MassSpring(bend=3.0), name="net")
    first = world.get("net", Springs).stiffness.copy()
    assert (first == 3.0).sum() == 120
    world.set("net.young_modulus", 2 * E)
    second = world.get("net", Springs).stiffness
    np.testing.assert_allclose(second[first != 3.0], 2 * first[first != 3.0])
    world.run(frames=2)
