"""Components: declarations, elastic constants, masses, placement, boundary conditions, and the errors of bad values."""

from __future__ import annotations

import inspect
import warnings
from itertools import combinations

import numpy as np
import pytest

import components
from components import (
    Appearance,
    Attraction,
    BackwardEuler,
    BoundaryConditions,
    Camera,
    Collider,
    Drag,
    Driven,
    Geometry,
    Mass,
    MassSpring,
    Material,
    PointLoads,
    Pose,
    Position,
    SpringDamage,
    Strain,
    Supports,
    Transform,
    Wind,
    driven_state,
    elastic_constants,
)
from components.collider import unit_normal
from components.prefabs import box, grid, rope, sphere_shell
from components.supports import derive_point_loads, derive_supports
from components.transform import rotation_matrix
from framework.build import build_components
from framework.component import Parts, info
from framework.errors import FieldError

ALL = [item for item in vars(components).values() if inspect.isclass(item) and hasattr(item, "__component__")]


def build(*parts, others=None):
    """The components of one entity, named body."""
    return build_components(parts, "body", lambda name: (others or {})[name])[0]


@pytest.mark.parametrize("cls", ALL, ids=lambda cls: cls.__name__)
def test_every_field_is_declared_in_full(cls):
    assert cls.__doc__ and "(" not in cls.__doc__[:1]
    for name, item in info(cls).fields.items():
        assert item.doc, name
        assert item.unit, name
        assert item.dtype in ("float64", "int32", "int", "bool", "str", "object"), name


@pytest.mark.parametrize("cls", ALL, ids=lambda cls: cls.__name__)
def test_required_and_source_classes_are_components(cls):
    about = info(cls)
    assert all(info(other) for other in (*about.requires, *about.sources))


# E = 1000: lambda, mu, K and the plane-stress lambda for each nu; closed form
LAME = {
    0.0: (0.0, 500.0, 333.3333333333333, 0.0),
    0.25: (400.0, 400.0, 666.6666666666666, 266.6666666666667),
    0.3: (576.9230769230769, 384.6153846153846, 833.3333333333333, 329.67032967032964),
    0.49: (16442.953020134213, 335.5704697986577, 16666.66666666665, 644.8216870640873),
}
NAMES = ("young_modulus", "poisson_ratio", "shear_modulus", "bulk_modulus", "lame_lambda")


@pytest.mark.parametrize("nu", LAME)
@pytest.mark.parametrize("pair", list(combinations(NAMES, 2)), ids="-".join)
def test_elastic_constants_from_any_two(nu, pair):
    lam, mu, bulk, plane = LAME[nu]
    values = dict(zip(NAMES, (1000.0, nu, mu, bulk, lam), strict=True))
    material = Material(**{name: values[name] for name in pair})
    if nu == 0 and pair == ("poisson_ratio", "lame_lambda"):
        with pytest.raises(FieldError, match="determine the material"):
            elastic_constants(material)
        return
    found = elastic_constants(material)
    for name in NAMES:
        assert getattr(found, name) == pytest.approx(values[name], rel=1e-13, abs=1e-12 if nu == 0 else 0)
    assert found.lame_lambda_plane_stress == pytest.approx(plane, rel=1e-13, abs=1e-12)


@pytest.mark.parametrize("given", [{"poisson_ratio": 0.5}, {"shear_modulus": 0.1}])
def test_incompressible_material_has_infinite_lambda_without_a_warning(given):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = elastic_constants(Material(young_modulus=0.3, **given))
    assert found.lame_lambda == np.inf and found.bulk_modulus == np.inf
    assert found.poisson_ratio == 0.5
    e = found.young_modulus
    assert found.shear_modulus == pytest.approx(e / 3)
    assert found.lame_lambda_plane_stress == pytest.approx(e * 0.5 / 0.75)


def test_nearly_incompressible_constants_keep_their_digits():
    # G = 1 and K = 1e9: lambda = K - 2 G / 3 although nu itself is 1/2 - 5e-10
    found = elastic_constants(Material(shear_modulus=1.0, bulk_modulus=1e9))
    assert found.lame_lambda == pytest.approx(1e9 - 2 / 3, rel=1e-14)
    back = elastic_constants(Material(young_modulus=found.young_modulus, lame_lambda=found.lame_lambda))
    assert back.shear_modulus == pytest.approx(1.0, rel=1e-14)
    assert back.bulk_modulus == pytest.approx(1e9, rel=1e-13)


# body, material, total mass [kg]
MASSES = [
    (grid(size=(1.5, 1.0), cells=(7, 4)), Material(areal_density=0.15), 0.225),
    (grid(size=(1.5, 1.0), cells=(7, 4)), Material(mass_density=500.0, thickness=2e-4), 0.15),
    (box(size=(0.3, 0.2, 0.1), cells=(3, 4, 5)), Material(mass_density=1200.0), 7.2),
    (rope(end=(2.0, 0.0, 0.0), segments=9), Material(linear_density=0.05), 0.1),
    (rope(end=(1.0, 0.0, 0.0), segments=9, length=2.0), Material(linear_density=0.05), 0.1),
    (sphere_shell(subdivisions=2), Material(total_mass=3.0), 3.0),
    (Geometry(points=np.eye(3)), Material(total_mass=3.0), 3.0),
    (Geometry(points=grid(cells=3).points, grid=(4, 4)), Material(areal_density=2.0), 2.0),
]


@pytest.mark.parametrize(("geometry", "material", "total"), MASSES)
def test_masses_add_up_to_the_bodys(geometry, material, total):
    mass = build(geometry, material, Mass())[Mass].m
    assert mass.shape == (len(geometry.points),) and mass.min() > 0
    assert mass.sum() == pytest.approx(total, rel=1e-14)


def test_masses_follow_the_scale_of_the_transform():
    mass = build(box(), Material(mass_density=1.0), Transform(scale=(2, 3, 4), rotation=(1, 2, 3)), Mass())[Mass].m
    assert mass.sum() == pytest.approx(24.0, rel=1e-14)


def test_mass_shares_of_a_cell():
    lattice = build(box(cells=(2, 2, 2)), Material(total_mass=64.0), Mass())[Mass].m.reshape(3, 3, 3)
    assert lattice[0, 0, 0] == pytest.approx(1) and lattice[1, 0, 0] == pytest.approx(2)
    assert lattice[1, 1, 0] == pytest.approx(4) and lattice[1, 1, 1] == pytest.approx(8)
    quads = Geometry(points=grid(cells=2).points, grid=(3, 3))
    assert build(quads, Material(total_mass=16.0), Mass())[Mass].m.tolist() == pytest.approx(
        [1, 2, 1, 2, 4, 2, 1, 2, 1]
    )
    thirds = build(grid(cells=1), Material(total_mass=6.0), Mass())[Mass].m
    assert thirds.tolist() == pytest.approx([2, 1, 1, 2])


def test_mass_without_geometry_is_shared_equally():
    assert build(Position(x=np.zeros((4, 3))), Material(total_mass=2.0), Mass())[Mass].m.tolist() == [0.5] * 4


def test_rotation_vector():
    turn = rotation_matrix((0, 0, np.pi / 2))
    assert turn @ [1, 0, 0] == pytest.approx([0, 1, 0], abs=1e-15)
    small = rotation_matrix((1e-9, 0, 0))
    assert small[2, 1] == 1e-9
    any_turn = rotation_matrix((0.3, -2.0, 5.0))
    assert any_turn @ any_turn.T == pytest.approx(np.eye(3), abs=1e-14)


def test_nested_transforms_multiply():
    parent = build(Transform(translation=(1, 0, 0), rotation=(0, 0, np.pi / 2), scale=(2, 2, 2)))
    child = build(
        Geometry(points=[[1, 0, 0]]), Position(), Transform(translation=(0, 1, 0), parent="arm"), others={"arm": parent}
    )
    # (1, 0, 0) -> (1, 1, 0) on the arm -> turned (-1, 1, 0), doubled and moved
    assert child[Position].x == pytest.approx(np.array([[-1, 2, 0]]), abs=1e-15)
    assert child[Pose].matrix[:3, :3] @ [1, 0, 0] == pytest.approx([0, 2, 0], abs=1e-15)
    with pytest.raises(FieldError, match=r"Transform\.parent must be another entity"):
        build(Transform(parent="body"))
    with pytest.raises(FieldError, match="must name an entity with a Transform, got 'wind'"):
        build(Transform(parent="wind"), others={"wind": build(Wind(velocity=(1, 0, 0)))})


FIXED = BoundaryConditions.fixed


def supported(conditions, geometry=None):
    return build(geometry or rope(segments=4), Material(total_mass=1.0), conditions, Mass())


def test_supports_by_group_index_and_predicate_and_axis():
    conditions = (
        BoundaryConditions.fixed("start")
        + BoundaryConditions.fixed([2], axes="z")
        + BoundaryConditions.fixed(lambda x: x[:, 0] > 0.9, axes="xy")
    )
    built = supported(conditions)
    expected = np.zeros((5, 3), bool)
    expected[0], expected[2, 2], expected[4, :2] = True, True, True
    assert (built[Supports].fixed == expected).all()
    assert built[Supports].driven == ()
    assert PointLoads not in built


def test_loads_add_up_per_particle():
    conditions = BoundaryConditions.load("ends", (0, -1, 0)) + BoundaryConditions.load("end", (2, 0, 0))
    load = supported(conditions)[PointLoads].load
    assert load[[0, 4]].tolist() == [[0, -1, 0], [2, -1, 0]] and not load[1:4].any()


def test_loads_that_are_taken_away_become_zero():
    built = supported(BoundaryConditions.load("end", (2, 0, 0)))
    again = derive_point_loads(Parts("body", built | {BoundaryConditions: FIXED("start")}))
    assert again.load.shape == (5, 3) and not again.load.any()


def test_driven_particles_start_where_they_are_and_count_as_fixed():
    conditions = BoundaryConditions.displacement("end", [(0, 0, 0), (0, 1, 0)], times=(0, 2), axes="y")
    built = supported(conditions)
    (driven,) = built[Supports].driven
    assert driven.kind == "displacement" and driven.nodes.tolist() == [4] and driven.nodes.dtype == np.int32
    assert driven.axes.tolist() == [False, True, False]
    assert driven.start.tolist() == [[1, 0, 0]]
    assert built[Supports].fixed[4].tolist() == [False, True, False]


def test_a_motion_under_way_goes_on_when_conditions_are_added():
    motion = BoundaryConditions.displacement("end", [(0, 0, 0), (0, 1, 0)], times=(0, 2))
    built = supported(motion)
    built[Position].x[4] = (1, 0.5, 0)
    for conditions, start in (
        (motion + FIXED("start"), [1, 0, 0]),
        (BoundaryConditions.displacement("end", (0, 1, 0)), [1, 0.5, 0]),
    ):
        again = derive_supports(Parts("body", built | {BoundaryConditions: conditions}))
        assert again.driven[0].start.tolist() == [start]


def driven(kind, times, values):
    return Driven(
        np.array([0], np.int32),
        np.ones(3, bool),
        kind,
        np.array(times, float),
        np.array([[v, 0.0, 0.0] for v in values]),
        np.array([[10.0, 0.0, 0.0]]),
    )


@pytest.mark.parametrize(("t", "moved", "speed"), [(0, 1, 0), (1, 1, 2), (1.5, 2, 2), (2, 3, -1), (5, 0, 0), (9, 0, 0)])
def test_displacement_is_held_outside_and_has_its_right_hand_velocity(t, moved, speed):
    x, v = driven_state(driven("displacement", (1, 2, 5), (1, 3, 0)), t)
    assert x[0, 0] == pytest.approx(10 + moved) and v[0, 0] == pytest.approx(speed)


@pytest.mark.parametrize(
    ("t", "moved", "speed"), [(0, 0, 0), (1, 0, 1), (1.5, 0.75, 2), (2, 2, 3), (3, 4.5, 2), (5, 6.5, 0), (6, 6.5, 0)]
)
def test_velocity_has_its_exact_integral(t, moved, speed):
    x, v = driven_state(driven("velocity", (1, 2, 5), (1, 3, 0)), t)
    assert x[0, 0] == pytest.approx(10 + moved) and v[0, 0] == pytest.approx(speed)


def test_constant_velocity():
    conditions = BoundaryConditions.velocity("end", (0, 0, 3))
    x, v = driven_state(supported(conditions)[Supports].driven[0], 2.0)
    assert x.tolist() == [[1, 0, 6]] and v.tolist() == [[0, 0, 3]]


def test_mass_spring_brings_what_it_needs():
    built = build(rope(segments=4), Material(total_mass=1.0), MassSpring(stretch=10.0, bend=1.0, yield_strain=0.1))
    assert built[SpringDamage].plastic.shape == (7,) and not built[SpringDamage].broken.any()
    assert built[Strain].node.shape == (5,) and built[Strain].spring.shape == (7,)
    assert SpringDamage not in build(rope(), Material(total_mass=1.0), MassSpring(stretch=10.0))


def test_prefab_results_and_instances_are_not_shared():
    indices = np.array([0, 1], np.int32)
    geometry = Geometry(points=np.eye(3), groups={"a": indices})
    built = build(geometry)[Geometry]
    indices[0] = 2
    geometry.points[0] = 7
    assert built.groups["a"].tolist() == [0, 1] and built.points[0].tolist() == [1, 0, 0]


def test_collider_normals():
    plane = build(Collider.plane(normal=(0, 3, 4), point=(0, 1, 0)))[Collider]
    assert plane.normal == pytest.approx([0, 0.6, 0.8]) and plane.centre.tolist() == [0, 1, 0]
    plane.normal[...] = (0, 0, 5)
    assert unit_normal(plane).tolist() == [0, 0, 1]
    assert build(Collider.sphere(radius=2))[Collider].radius == 2.0


def spring_body(**material):
    return build(rope(), Material(**material), MassSpring(stretch=1.0))


def grid_with(**parts):
    return build(Geometry(**({"points": np.eye(3)} | parts)))


# what is done, and a part of the message
BAD = [
    (lambda: build(Material(young_modulus=-1.0)), r"body: Material.young_modulus must be positive, got -1.0"),
    (lambda: build(Material(poisson_ratio=2.0)), r"Material.poisson_ratio must be in \(-1, 0.5\], got 2.0"),
    (lambda: build(Material(poisson_ratio=-1.0)), r"must be in \(-1, 0.5\]"),
    (lambda: build(Material(young_modulus=np.nan)), "must be finite, got nan"),
    (lambda: build(Material(young_modulus=1, poisson_ratio=0, shear_modulus=1)), "left out where two elastic"),
    (lambda: build(Material(young_modulus=4, shear_modulus=1)), "Poisson ratio in .*nu = 1"),
    (lambda: build(Material(poisson_ratio=0.5, bulk_modulus=1)), "positive shear modulus"),
    (lambda: build(Material(poisson_ratio=0, lame_lambda=1)), "determine the material"),
    (lambda: build(Material(areal_density=1, total_mass=1)), "Material.total_mass must be left out"),
    (lambda: build(Material(areal_density=1, thickness=1)), "thickness must come together with mass_density"),
    (lambda: elastic_constants(Material(young_modulus=1)), "must give two of .* got only young_modulus"),
    (lambda: spring_body(), "Material must give one of mass_density.* got none"),
    (lambda: spring_body(areal_density=1.0), r"Material.areal_density needs a surface .* measured by length"),
    (lambda: spring_body(mass_density=1.0), "mass_density needs a volume"),
    (lambda: build(rope(), Mass()), r"Mass.m must be given, or a Material"),
    (lambda: build(rope(), Mass(m=np.zeros(21))), r"Mass.m must be positive, got 0.0 at \[0\]"),
    (lambda: build(rope(), Mass(m=np.ones(3))), r"Mass.m must have shape \(n,\) with n = 21"),
    (
        lambda: build(Geometry(points=np.zeros((4, 3)), triangles=[[0, 1, 2]]), Material(total_mass=1), Mass()),
        "some area",
    ),
    (lambda: build(box(), Material(mass_density=1, thickness=1), Mass()), "thickness must be left out"),
    (lambda: build(Position()), r"body: needs Position\(x=\.\.\.\), or a Geometry \(a prefab"),
    (lambda: grid_with(points=np.zeros((3, 2))), r"Geometry.points must have shape \(n, 3\), got \(3, 2\)"),
    (lambda: grid_with(triangles=[[0, 1, 3]]), "must be indices from 0 to 2, got 3"),
    (lambda: grid_with(triangles=[[0, 1, 1]]), r"three different corners each, got \[0, 1, 1\] at \[0\]"),
    (lambda: grid_with(edges=[[2, 2]]), "join two different points"),
    (lambda: grid_with(grid=(2, 2)), r"Geometry.grid must multiply to the number of points, 3, got \[2, 2\]"),
    (lambda: grid_with(grid=(3,)), "2 or 3 entries"),
    (lambda: grid_with(groups={"max": [0]}), "not use the names mean.*got 'max'"),
    (lambda: grid_with(groups={"a.b": [0]}), "texts without spaces, dots and brackets"),
    (lambda: grid_with(groups={"a": [3]}), r"groups\['a'\] must hold indices from 0 to 2, got 3"),
    (lambda: grid_with(groups={"a": [0.5]}), "be a list of point indices"),
    (lambda: build(Transform(scale=(1, 0, 1))), r"Transform.scale must be positive, got 0.0 at \[1\]"),
    (lambda: build(MassSpring(stretch=0.0), rope(), Material(total_mass=1)), "MassSpring.stretch must be positive"),
    (
        lambda: build(MassSpring(stretch=1, yield_strain=0), rope(), Material(total_mass=1)),
        "yield_strain must be positive",
    ),
    (lambda: build(MassSpring(stretch=1, bend_cubic=1), rope()), "bend_cubic must be 0 where bend is 0"),
    (lambda: build(MassSpring(stretch=1)), "needs a Geometry: a prefab such as grid"),
    (lambda: supported(FIXED("strat")), "got 'strat'; did you mean 'start'?"),
    (lambda: supported(FIXED([5])), "indices from 0 to 4, got 5"),
    (lambda: supported(FIXED(lambda x: x[:, 0] > 9)), "at least one particle"),
    (lambda: supported(FIXED(lambda x: x[:, 0])), "values of True and False, got float64"),
    (lambda: FIXED([]), "Fixed.where must select at least one particle"),
    (lambda: FIXED([0.5]), "Fixed.where must be an array of whole numbers"),
    (lambda: FIXED("start", axes="xw"), "Fixed.axes must be letters of 'xyz'"),
    (lambda: supported(FIXED("end") + BoundaryConditions.velocity("end", (1, 0, 0), axes="x")), "particle 4 along x"),
    (lambda: BoundaryConditions.displacement("end", [(0, 0, 0)] * 2), "times must be given"),
    (lambda: BoundaryConditions.displacement("end", [(0, 0, 0)] * 2, times=(1, 1)), "times must increase"),
    (lambda: BoundaryConditions.velocity("end", [(0, 0, 0)] * 2, times=(1,)), "one time for each row"),
    (lambda: BoundaryConditions.load("end", (0, 1)), r"PointLoad.force must have shape \(3,\)"),
    (lambda: supported(BoundaryConditions(conditions=("left",))), "conditions must be of Fixed, Displacement"),
    (lambda: build(Wind(velocity=(1, 0, 0), coefficient=-1)), "Wind.coefficient must be zero or positive"),
    (lambda: build(Drag(coefficient=np.inf)), "Drag.coefficient must be finite"),
    (lambda: build(Attraction(repulsion=1.0)), "repulsion_range must be positive"),
    (lambda: build(Attraction(within=False, between=False)), "within must be True"),
    (lambda: build(Collider.sphere(radius=0)), "Collider.radius must be positive"),
    (lambda: build(Collider(shape="cube")), "shape must be one of sphere, plane, box, capsule, mesh, got 'cube'"),
    (lambda: Collider.plane(normal=(0, 0, 0)), "normal must be a vector of non-zero length"),
    (lambda: build(Collider.sphere(restitution=1.5)), r"restitution must be in \[0, 1\], got 1.5"),
    (lambda: build(Appearance(colour=(0, 2, 0))), "colour must be a known name"),
    (lambda: build(Appearance(low=2, high=1)), "low must be below high"),
    (lambda: build(Camera(eye=(0, 0, 0))), "eye must differ from target"),
    (lambda: build(Camera(field_of_view=180)), r"field_of_view must be in \(0, 180\)"),
    (lambda: BackwardEuler(tolerance=0.0), "BackwardEuler.tolerance must be positive"),
    (lambda: BackwardEuler(tolerance=1.0), "must be below 1"),
    (lambda: BackwardEuler(newton="yes"), "newton must be True or False"),
    (lambda: BackwardEuler(max_iterations=2.5), "max_iterations must be a whole number"),
]


@pytest.mark.parametrize(("action", "message"), BAD, ids=[str(i) for i in range(len(BAD))])
def test_bad_values_say_what_is_wrong(action, message):
    with pytest.raises(Exception, match=message) as caught:
        action()
    assert type(caught.value).__module__ == "framework.errors"


def test_a_component_is_shown_in_a_line() -> None:
    text = repr(grid(cells=(40, 40)))
    assert text.startswith("Geometry(points=<1681 x 3 float64, -0.5 to 0.5>") and len(text) < 800
    assert repr(Material(areal_density=0.2)).startswith("Material(mass_density=None, areal_density=0.2")
