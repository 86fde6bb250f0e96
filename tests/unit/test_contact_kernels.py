"""Contact of particles with spheres and planes: inclines, restitution, moving colliders, no penetration."""
import math

import numpy as np
import pytest

from systems.kernels.contact import contact_resolve
from systems.kernels.stepping import symplectic_step

G = 9.81


def table(kind="plane", point=(0, 0, 0), normal=(0, 1, 0), radius=0.0, velocity=(0, 0, 0), friction=0.0,
          restitution=0.0, thickness=0.0, bounce=0.0):
    row = np.zeros((1, 16))
    row[0, 0] = kind == "plane"
    row[0, 1:4], row[0, 4:7], row[0, 7], row[0, 8:11] = point, normal, radius, velocity
    row[0, 11:15] = friction, restitution, thickness, bounce
    return row


def particles(*positions):
    x = np.array(positions, float)
    return x, np.zeros_like(x), np.ones(len(x))


def verlet(x, v, acceleration, inverse_mass, h, colliders):
    """One velocity Verlet step in a uniform field, then contact."""
    start = x.copy()
    x += h * v + 0.5 * h * h * acceleration
    v += h * acceleration
    return contact_resolve(start, x, v, inverse_mass, h, colliders)


def incline(degrees, friction=0.5):
    """Plane of the given slope that rises along +x; returns (colliders, unit vector down the slope)."""
    t = math.radians(degrees)
    return table(normal=(-math.sin(t), math.cos(t), 0), friction=friction), np.array([-math.cos(t), -math.sin(t), 0])


@pytest.mark.parametrize("degrees, expected", [(26, 0.0), (27, 0.08325980130100907), (40, 2.548298457526363)])
def test_incline_slides_exactly_or_sticks_exactly(degrees, expected):
    colliders, down = incline(degrees)
    x, v, w = particles((0, 0, 0), (0, 0, 0.3))
    gravity, h = np.array([0, -G, 0]), 0.01
    for _ in range(100):
        assert verlet(x, v, gravity, w, h, colliders) == 2
    assert v @ down == pytest.approx(np.full(2, expected), rel=1e-12, abs=0.0)
    assert (x - [[0, 0, 0], [0, 0, 0.3]]) @ down == pytest.approx(np.full(2, expected / 2), rel=1e-11, abs=0.0)
    if expected == 0.0:
        assert not x[:, :2].any() and not v.any()


@pytest.mark.parametrize("offset, sticks", [(-1e-6, True), (1e-6, False)])
def test_friction_angle_is_sharp(offset, sticks):
    colliders, _ = incline(26.56505117707799 + offset)
    x, v, w = particles((0, 0, 0))
    for _ in range(1000):
        verlet(x, v, np.array([0, -G, 0]), w, 0.001, colliders)
    assert (not x.any()) == sticks


def test_symplectic_step_sticks_and_slides_on_an_incline():
    for degrees, expected in ((26, 0.0), (40, 2.548298457526363)):
        colliders, down = incline(degrees)
        x, v, w = particles((0, 0, 0))
        for _ in range(100):
            symplectic_step(x, v, np.array([[0, -G, 0.0]]), w, 0.01, colliders)
        assert v[0] @ down == pytest.approx(expected, rel=1e-12, abs=0.0)


def test_stopping_distance_up_an_incline():
    t = math.radians(20)
    colliders, down = incline(20)
    deceleration = G * (math.sin(t) + 0.5 * math.cos(t))
    h = 2.0 / deceleration / 1000  # it stops at the end of a step
    x, v, w = particles((0, 0, 0))
    v[0] = -2.0 * down
    for _ in range(1000):
        verlet(x, v, np.array([0, -G, 0]), w, h, colliders)
    assert -x[0] @ down == pytest.approx(0.25111716026102715, rel=1e-10)
    for _ in range(2):  # the last rounding of the velocity is gone after another step
        verlet(x, v, np.array([0, -G, 0]), w, h, colliders)
    rest = x.copy()
    for _ in range(1000):
        verlet(x, v, np.array([0, -G, 0]), w, h, colliders)
    assert not v.any() and (x == rest).all()


@pytest.mark.parametrize("restitution", [0.3, 0.8, 1.0])
@pytest.mark.parametrize("kind", ["plane", "sphere"])
def test_bounce_height(restitution, kind):
    shape = {"point": (0, -5, 0), "radius": 5.0} if kind == "sphere" else {}
    colliders = table(kind, restitution=restitution, bounce=0.1, **shape)
    x, v, w = particles((0, 1, 0))
    h, heights = 1e-4, []
    fall = math.sqrt(2 / G)
    for _ in range(int((fall * (1 + restitution)) / h)):
        verlet(x, v, np.array([0, -G, 0]), w, h, colliders)
        heights.append(x[0, 1])
        assert x[0, 1] >= -1e-14
    assert x[0, 1] == pytest.approx(restitution**2, rel=2e-3)


def test_time_of_impact_is_inside_the_step():
    """Without gravity an elastic bounce is exact: the particle turns round at the surface, anywhere in the step."""
    colliders = table(restitution=1.0)
    x, v, w = particles((0, 0.25, 0))
    v[0] = 1.0, -1.0, 0.0
    symplectic_step(x, v, np.zeros_like(x), w, 1.0, colliders)
    assert x[0] == pytest.approx([1.0, 0.75, 0.0], abs=1e-15)
    assert v[0] == pytest.approx([1.0, 1.0, 0.0], abs=1e-15)


def test_slow_approach_comes_to_rest_despite_restitution():
    colliders = table(restitution=0.9, bounce=0.5)
    x, v, w = particles((0, 0, 0))
    for _ in range(100):
        verlet(x, v, np.array([0, -G, 0]), w, 0.01, colliders)
    assert not x.any() and not v.any()


def test_coulomb_impulse_of_an_impact():
    """Falling at 3 m/s and moving at 2 m/s along: the impact takes mu (1 + e) 3 m/s off the tangential speed."""
    colliders = table(friction=0.2, restitution=0.5)
    x, v, w = particles((0, 0.001, 0))
    v[0] = 2.0, -3.0, 0.0
    symplectic_step(x, v, np.zeros_like(x), w, 0.01, colliders)
    assert v[0] == pytest.approx([2.0 - 0.2 * 1.5 * 3.0, 1.5, 0.0], rel=1e-14)


@pytest.mark.parametrize("kind", ["plane", "sphere"])
def test_never_ends_inside_and_counts(kind):
    rng = np.random.default_rng(1)
    colliders = table(kind, point=(0.1, 0.2, -0.1), normal=(0.6, 0.8, 0), radius=1.0 if kind == "sphere" else 0.0,
                      friction=0.3, restitution=0.4, thickness=0.05, velocity=(0.5, -0.2, 0.1), bounce=0.2)
    x = rng.normal(size=(1000, 3))
    x[0] = colliders[0, 1:4]
    v = 3 * rng.normal(size=x.shape)
    h = 0.01
    free = x + h * v
    point = colliders[0, 1:4] + h * colliders[0, 8:11]

    def gap(y):
        offset = y - point
        return np.linalg.norm(offset, axis=1) - 1.05 if kind == "sphere" else offset @ colliders[0, 4:7] - 0.05

    count = symplectic_step(x, v, np.zeros_like(x), np.ones(len(x)), h, colliders)
    assert count == (gap(free) < 0).sum() > 100
    assert gap(x).min() > -1e-14
    outside = gap(free) > 0
    np.testing.assert_allclose(x[outside], free[outside], rtol=1e-14)


def test_galilean_invariance_with_a_moving_collider():
    rng = np.random.default_rng(2)
    drift = np.array([1.5, -0.5, 2.0])
    x, v = rng.normal(size=(300, 3)), rng.normal(size=(300, 3))
    still = table("sphere", radius=1.0, friction=0.4, restitution=0.5, bounce=0.1)
    moving = table("sphere", radius=1.0, friction=0.4, restitution=0.5, bounce=0.1, velocity=drift)
    xm, vm = x.copy(), v + drift
    symplectic_step(x, v, np.zeros_like(x), np.ones(300), 0.05, still)
    symplectic_step(xm, vm, np.zeros_like(x), np.ones(300), 0.05, moving)
    np.testing.assert_allclose(xm, x + 0.05 * drift, atol=1e-13)
    np.testing.assert_allclose(vm, v + drift, atol=1e-13)


def test_particle_rides_a_moving_plane():
    colliders = table(velocity=(0.3, 0.2, 0), friction=1.0)
    x, v, w = particles((0, 0, 0))
    for _ in range(50):
        symplectic_step(x, v, np.array([[0, -G, 0.0]]), w, 0.01, colliders)
        colliders[0, 1:4] += 0.01 * colliders[0, 8:11]
    assert x[0] == pytest.approx([0.15, 0.1, 0], abs=2e-3)  # it slips for the first step or two
    assert v[0] == pytest.approx([0.3, 0.2, 0], rel=1e-12)


def test_rest_on_top_of_a_sphere_is_exact():
    colliders = table("sphere", point=(0, -2, 0), radius=2.0, friction=0.5)
    angle = 0.3
    x, v, w = particles((2 * math.sin(angle), 2 * math.cos(angle) - 2, 0))
    start = x.copy()
    for _ in range(200):
        assert symplectic_step(x, v, np.array([[0, -G, 0.0]]), w, 0.01, colliders) == 1
    assert (x == start).all() and not v.any()


def test_slides_off_a_smooth_sphere_at_the_classic_angle():
    """Without friction a particle leaves a sphere where cos(angle) = 2/3."""
    colliders = table("sphere", radius=1.0)
    x, v, w = particles((math.sin(0.05), math.cos(0.05), 0))
    h = 1e-4
    while np.linalg.norm(x) < 1.0 + 1e-5:
        symplectic_step(x, v, np.array([[0, -G, 0.0]]), w, h, colliders)
    assert x[0, 1] == pytest.approx(2 / 3 * math.cos(0.05), abs=0.03)
    assert v[0] @ v[0] == pytest.approx(2 * G * (math.cos(0.05) - x[0, 1]), rel=1e-3)


def test_held_particles_pass_and_two_colliders_make_a_corner():
    colliders = np.concatenate([table(friction=0.1), table(normal=(1, 0, 0), friction=0.1)])
    x, v, w = particles((0.01, 0.01, 0), (0.01, 0.01, 0))
    w[1] = 0.0
    v[:] = -5.0, -5.0, 0.0
    assert symplectic_step(x, v, np.zeros_like(x), w, 0.01, colliders) == 2
    assert (x[0] >= -1e-15).all() and v[0] == pytest.approx([0, 0, 0], abs=1e-15)
    assert x[1] == pytest.approx([-0.04, -0.04, 0]) and v[1] == pytest.approx([-5, -5, 0])


def test_no_colliders():
    x, v, w = particles((0, 0, 0))
    assert symplectic_step(x, v, np.array([[1.0, 2, 3]]), w, 0.5, np.zeros((0, 16))) == 0
    assert contact_resolve(x, x.copy(), v, w, 0.5, np.zeros((0, 16))) == 0
    assert v[0] == pytest.approx([0.5, 1, 1.5]) and x[0] == pytest.approx([0.25, 0.5, 0.75])
