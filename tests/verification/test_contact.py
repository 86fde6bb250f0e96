"""Contact with planes and spheres: the block on an incline, stopping distance, bounces, sliding off a sphere.

A block slides where tan(angle) > mu, with a = g (sin - mu cos); otherwise it does not move at all.
"""
from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
import pytest

from components import (
    BackwardEuler,
    BoundaryConditions,
    Collider,
    Gravity,
    Mass,
    MassSpring,
    Material,
    Position,
    SymplecticEuler,
    Velocity,
)
from components.prefabs import box, grid
from framework import World
from systems import standard
from tests.verification.scenes import EXPLICIT, IMPLICIT, label, particles, world_of

G, MU = 9.81, 0.5
SLIDING = [(27, 0.08325980130100907), (40, 2.548298457526363)]
EVERY = EXPLICIT + IMPLICIT
FIRST_ORDER = ("SymplecticEuler", "BackwardEuler")


def directions(degrees: float) -> tuple[np.ndarray, np.ndarray]:
    """(normal, unit vector down the slope) of a plane that rises along +x."""
    t = math.radians(degrees)
    return np.array([-math.sin(t), math.cos(t), 0]), np.array([-math.cos(t), -math.sin(t), 0])


def incline(degrees: float, integrator: Any, frame_time: float, substeps: int = 1, friction: float = MU) -> World:
    world = world_of(integrator=integrator, frame_time=frame_time, substeps=substeps)
    world.spawn(Gravity(acceleration=(0, -G, 0)))
    world.spawn(Collider.plane(normal=directions(degrees)[0], friction=friction))
    return world


def block(world: World, degrees: float, speed: float = 0.0) -> np.ndarray:
    """Eight particles of 0.1 kg joined by stiff springs on the slope, moving down it at `speed` [m/s]; its start."""
    normal, down = directions(degrees)
    geometry = box(size=(0.2, 0.1, 0.2), cells=(1, 1, 1))
    local = geometry.points - [0, geometry.points[:, 1].min(), 0]
    x = local[:, :1] * -down + local[:, 1:2] * normal + local[:, 2:] * [0, 0, 1]
    # the weight of four particles compresses the springs by about m g / k = 5e-4 m
    world.spawn(
        type(geometry)(points=x, grid=geometry.grid, triangles=geometry.triangles), Mass(m=np.full(8, 0.1)),
        MassSpring(stretch=2e3, shear=2e3, damping_ratio=0.3), Velocity(v=np.tile(speed * down, (8, 1))), name="block",
    )  # fmt: skip
    return x


@pytest.mark.parametrize("integrator", EVERY, ids=label)
def test_particle_sticks_below_the_friction_angle(integrator: Any) -> None:
    """26 degrees < atan 0.5 = 26.565 degrees: no creep, not a bit of it, in 60 s."""
    world = incline(26, integrator, frame_time=0.1)
    world.spawn(*particles([[0, 0, 0], [0, 0, 0.3]]), name="grains")
    world.step(600)
    x, v = world.get("grains", Position).x, world.get("grains", Velocity).v
    assert np.abs(x - [[0, 0, 0], [0, 0, 0.3]]).max() <= 1e-12
    assert np.abs(v).max() <= 1e-12


@pytest.mark.parametrize("degrees, acceleration", SLIDING)
@pytest.mark.parametrize("integrator", EVERY, ids=label)
def test_particle_slides_above_it(integrator: Any, degrees: float, acceleration: float) -> None:
    """v = a t in every integrator; s = a t^2 / 2, and a t h / 2 more for those of first order, by the sum of their v.

    Explicit ones are exact; the implicit friction is iterated to 1e-7 of itself.
    """
    h, t = 0.01, 1.0
    rel = 1e-6 if integrator in IMPLICIT else 1e-10
    world = incline(degrees, integrator, frame_time=h)
    world.spawn(*particles([[0, 0, 0]]), name="grain")
    world.step(round(t / h))
    normal, down = directions(degrees)
    x, v = world.get("grain", Position).x[0], world.get("grain", Velocity).v[0]
    assert v @ down == pytest.approx(acceleration * t, rel=rel)
    late = h / 2 if type(integrator).__name__ in FIRST_ORDER else 0.0
    assert x @ down == pytest.approx(acceleration * t * (t / 2 + late), rel=rel)
    assert x @ normal == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("integrator", EVERY, ids=label)
def test_particle_thrown_up_the_slope_stops_and_stays(integrator: Any) -> None:
    """2 m/s up 20 degrees: s = v^2 / (2 g (sin + mu cos)) = 0.2511 m, then it sticks (20 < 26.565 degrees).

    First-order integrators stop short by v h / 2 or less, plus as much for the step in which it stops.
    """
    h = 1e-3
    world = incline(20, integrator, frame_time=h)
    _, down = directions(20)
    world.spawn(*particles([[0, 0, 0]], [-2 * down]), name="grain")
    world.step(400)
    assert np.abs(world.get("grain", Velocity).v).max() <= 1e-12
    x = world.get("grain", Position).x[0].copy()
    tolerance = 2 * h if type(integrator).__name__ in FIRST_ORDER else 10 * h**2
    assert -x @ down == pytest.approx(0.25111716026102715, abs=tolerance)
    world.step(100)
    assert np.abs(world.get("grain", Position).x[0] - x).max() <= 1e-12


# on its way to rest the block comes within 2 % of the edge of the friction cone, where the iteration is slow
@pytest.mark.filterwarnings("ignore:backward Euler")
@pytest.mark.parametrize("integrator", EVERY, ids=label)
def test_block_sticks(integrator: Any) -> None:
    """Its springs give, less than 1e-3 m; after that nothing moves: 60 s (implicit), 6 s (explicit).

    RK4 evaluates its stages before contact acts on them: the springs see touching particles fall, and the others keep
    a speed of some hundredths of g h, without going anywhere.
    """
    implicit = integrator in IMPLICIT
    world = incline(26, integrator, frame_time=0.05, substeps=1 if implicit else 50)
    start = block(world, 26)
    world.step(300 if implicit else 40)
    settled = world.get("block", Position).x.copy()
    assert np.abs(settled - start).max() < 1e-3
    if implicit:
        world.set("world.frame_time", 0.2)
    world.step(300 if implicit else 120)
    assert np.abs(world.get("block", Position).x - settled).max() < 1e-10
    assert np.abs(world.get("block", Velocity).v).max() < (0.03 * G * 1e-3 if label(integrator) == "RK4" else 1e-9)


@pytest.mark.parametrize("degrees, acceleration", SLIDING)
@pytest.mark.parametrize("integrator", EVERY, ids=label)
def test_block_slides(integrator: Any, degrees: float, acceleration: float) -> None:
    """Started at 1 m/s: the mean speed grows by a t, whatever its springs do inside.

    Friction is mu times the normal impulse as long as every touching particle slides, and the normal impulses add up
    to the weight and the change of the block's momentum along the normal, which its springs bring to rest. What is
    left is the velocity along the normal, times mu, at the time of the first contact.
    """
    t = 0.5
    world = incline(degrees, integrator, frame_time=t / 10, substeps=5 if integrator in IMPLICIT else 50)
    block(world, degrees, speed=1.0)
    world.step(10)
    _, down = directions(degrees)
    v = world.get("block", Velocity).v.mean(axis=0)
    assert v @ down - 1.0 == pytest.approx(acceleration * t, abs=1e-4)


@pytest.mark.parametrize("restitution", [0.5, 0.8])
@pytest.mark.parametrize("integrator", EVERY, ids=label)
def test_bounce_heights(integrator: Any, restitution: float) -> None:
    """Dropped from 1 m it rises to e^2, then e^4: to a few steps' worth of the speed at impact, h sqrt(2 g)."""
    h = 1e-3
    world = world_of(integrator=integrator, frame_time=0.01, substeps=10)
    world.spawn(Gravity(acceleration=(0, -G, 0)))
    world.spawn(Collider.plane(restitution=restitution, friction=0.0))
    world.spawn(*particles([[0, 1, 0]]), name="ball")
    fall = math.sqrt(2 / G)
    end = fall * (1 + 2 * restitution + 1.9 * restitution**2)
    heights: list[float] = []
    world.run(until=end, on_frame=lambda w: heights.append(w.get("ball", Position).x[0, 1]))
    heights = np.array(heights)
    times = 0.01 * np.arange(1, len(heights) + 1)
    peaks = [heights[(times > fall) & (times < fall * (1 + 2 * restitution))].max(),
             heights[times > fall * (1 + 2.2 * restitution)].max()]  # fmt: skip
    frame = G * 0.005**2 / 2  # between two frames the top is missed by this at most
    impact = math.sqrt(2 * G) * h
    assert peaks[0] == pytest.approx(restitution**2, abs=2 * impact + frame)
    assert peaks[1] == pytest.approx(restitution**4, abs=4 * impact + frame)


@pytest.mark.parametrize("shape", [Collider.plane, partial(Collider.sphere, centre=(0, -1, 0))], ids=["plane", "ball"])
@pytest.mark.parametrize("integrator, drift", list(zip(EXPLICIT, (6e-3, 1e-13, 1e-13), strict=True)), ids=label)
def test_elastic_bounces_keep_the_energy(integrator: Any, drift: float, shape: Any) -> None:
    """Restitution 1: in 10 s (11 bounces) from 1 m the height of return stays.

    Verlet and Runge-Kutta: to rounding. Symplectic Euler: within g h v of its own energy, which oscillates.
    """
    world = world_of(integrator=integrator, frame_time=1 / 60, substeps=10)
    world.spawn(Gravity(acceleration=(0, -G, 0)))
    world.spawn(shape(restitution=1.0, friction=0.0))
    world.spawn(*particles([[0, 1, 0]]), name="ball")
    energies: list[float] = []
    world.run(600, on_frame=lambda w: energies.append(
        G * w.get("ball", Position).x[0, 1] + 0.5 * float((w.get("ball", Velocity).v ** 2).sum())))
    assert np.abs(np.array(energies) / G - 1).max() < drift


@pytest.mark.parametrize("offset", [0.0, 0.15, 0.25])
@pytest.mark.parametrize("integrator", EXPLICIT, ids=label)
def test_a_fast_particle_does_not_cross_a_sphere(integrator: Any, offset: float) -> None:
    """50 m/s and one step of 1/60 s, 0.83 m: it meets a sphere of 0.3 m on its way and loses its normal velocity."""
    for substeps in (1, 10):
        world = world_of(integrator=integrator, frame_time=1 / 60, substeps=substeps)
        world.spawn(Collider.sphere(radius=0.3, friction=0.0))
        world.spawn(*particles([[0.4, offset, 0]], [[-50, 0, 0]]), name="ball")
        world.step()
        if substeps == 1:
            normal = np.array([math.sqrt(1 - (offset / 0.3) ** 2), offset / 0.3, 0])
            left = -50 * np.array([1, 0, 0]) + 50 * normal[0] * normal
            assert world.get("ball", Velocity).v[0] == pytest.approx(left, abs=1e-9)
        assert np.linalg.norm(world.get("ball", Position).x[0]) > 0.3 - 1e-9
        assert world.get("ball", Velocity).v[0, 0] > -49.0 * (offset > 0) - 1e-9


@pytest.mark.parametrize("integrator", EVERY, ids=label)
def test_particle_leaves_a_smooth_sphere_where_gravity_no_longer_holds_it(integrator: Any) -> None:
    """From rest at theta0 on a sphere without friction it leaves at cos = 2/3 cos(theta0), with v^2 = g R cos.

    From then on its horizontal speed sqrt(g R cos^3) stays: an error of the order v h / R = 3e-3 in the speed.
    """
    radius, theta = 1.0, 0.2
    world = world_of(integrator=integrator, frame_time=0.02, substeps=20)
    world.spawn(Gravity(acceleration=(0, -G, 0)))
    world.spawn(Collider.sphere(radius=radius, friction=0.0))
    world.spawn(*particles([[radius * math.sin(theta), radius * math.cos(theta), 0]]), name="grain")
    world.run(until=2.0, on_frame=lambda w: w.get("grain", Position).x[0, 1] > 0)
    leaving = 2 / 3 * math.cos(theta)
    assert world.get("grain", Position).x[0, 1] <= 0
    assert world.get("grain", Velocity).v[0, 0] == pytest.approx(math.sqrt(G * radius * leaving**3), rel=6e-3)


@pytest.mark.parametrize("integrator", EVERY, ids=label)
def test_particle_sticks_on_a_rough_sphere(integrator: Any) -> None:
    """At 20 degrees from the top tan = 0.364 < mu = 0.5: it stays; at 35 degrees (0.700) it slides off.

    An implicit step takes the gap to 1e-7 of the radius in its first step; after that there is no creep.
    """
    for degrees, sticks in ((20, True), (35, False)):
        world = world_of(integrator=integrator, frame_time=0.01)
        world.spawn(Gravity(acceleration=(0, -G, 0)))
        world.spawn(Collider.sphere(radius=2.0, friction=MU))
        angle = math.radians(degrees)
        start = 2 * np.array([[math.sin(angle), math.cos(angle), 0]])
        world.spawn(*particles(start), name="grain")
        world.step(2)
        settled = world.get("grain", Position).x.copy()
        world.step(100)
        x = world.get("grain", Position).x
        if sticks:
            assert np.abs(settled - start).max() < 2e-7
            assert np.abs(x - settled).max() < 1e-12
        else:
            assert np.linalg.norm(x - start) > 0.5


def test_contact_does_not_depend_on_where_the_plane_is() -> None:
    """The same slide 1 km away differs by rounding at that distance only."""
    world = incline(40, SymplecticEuler(), frame_time=0.01)
    far = world_of(integrator=SymplecticEuler(), frame_time=0.01)
    offset = np.array([1000.0, 500.0, -200.0])
    far.spawn(Gravity(acceleration=(0, -G, 0)))
    far.spawn(Collider.plane(normal=directions(40)[0], point=offset, friction=MU))
    world.spawn(*particles([[0, 0, 0]]), name="grain")
    far.spawn(*particles([offset]), name="grain")
    world.step(100)
    far.step(100)
    assert far.get("grain", Position).x - offset == pytest.approx(world.get("grain", Position).x, abs=1e-8)


@pytest.mark.filterwarnings("ignore:backward Euler")  # folds may touch and leave without settling for a step
def test_implicit_drape_is_that_of_small_explicit_steps() -> None:
    """A cloth falls on a rough sphere: after 0.5 s backward Euler at 1/60 s has it where symplectic Euler has it.

    No particle is inside; the particle on top stays there; the rim hangs equally low, but for numerical damping of the
    swinging rim and first-order friction: within 15 % of its 0.5 m of height.
    """
    found = {}
    for integrator, substeps in ((SymplecticEuler(), 40), (IMPLICIT[0], 1)):
        world = world_of(integrator=integrator, frame_time=1 / 60, substeps=substeps)
        world.spawn(Gravity(acceleration=(0, -G, 0)))
        world.spawn(Collider.sphere(radius=0.3, friction=0.3))
        world.spawn(
            grid(size=(1, 1), cells=(20, 20), plane="xz", centre=(0, 0.32, 0)), Mass(m=np.full(441, 0.2 / 441)),
            MassSpring(stretch=200.0, shear=80.0, bend=2.0, damping_ratio=0.05), name="cloth",
        )  # fmt: skip
        world.step(30)
        x = world.value("cloth.position")
        assert np.linalg.norm(x, axis=1).min() > 0.3 * (1 - 1e-3)
        assert x[220] == pytest.approx([0, 0.3, 0], abs=1e-3)
        assert np.abs(x.mean(axis=0)[[0, 2]]).max() < 5e-3
        found[label(integrator)] = x[:, 1].min(), x[:, 1].mean()
    for explicit, implicit in zip(*found.values(), strict=True):
        assert implicit == pytest.approx(explicit, abs=0.15 * 0.5)


@pytest.mark.parametrize("newton", [False, True])
@pytest.mark.parametrize("substeps", [1, 20])
def test_a_rising_plane_lifts_without_throwing(newton: bool, substeps: int) -> None:
    """Being pushed out of a collider moves a particle and gives it no speed, whatever the substep."""
    world = World(systems=standard(), substeps=substeps, integrator=BackwardEuler(newton=newton))
    world.spawn(Gravity(), name="gravity")
    world.spawn(Collider.plane(), name="floor")
    world.spawn(Position(x=[[0, -0.01, 0]]), Mass(m=1.0), name="stone")
    world.at(0.1).set("floor.collider.centre", (0, 0.5, 0), ramp=0.5)
    highest = []
    world.run(60, on_frame=lambda w: highest.append(w.value("stone.position.y.max")))
    assert max(highest) <= 0.5 + 1e-9
    assert highest[-1] == pytest.approx(0.5, abs=1e-9)


@pytest.mark.parametrize("integrator", [BackwardEuler(), BackwardEuler(newton=True)], ids=["linear", "newton"])
@pytest.mark.parametrize("friction", [0.0, 0.5])
def test_a_flat_body_held_in_its_plane_lands_on_a_floor(integrator: BackwardEuler, friction: float) -> None:
    """Contact acts along the axes that are free: a sheet held in z neither sinks in nor flies off."""
    world = World(systems=standard(), substeps=4, integrator=integrator)
    world.spawn(Gravity())
    world.spawn(Collider.plane(friction=friction))
    world.spawn(
        grid(size=(1, 1), cells=(3, 3), plane="xy", centre=(0, 0.6, 0)), Material(areal_density=1.0),
        MassSpring(stretch=300.0, shear=150.0, damping_ratio=0.2), BoundaryConditions.fixed(range(16), axes="z"),
        name="sheet",
    )  # fmt: skip
    low, high = [], []
    world.run(60, on_frame=lambda w: low.append(w.value("sheet.position.y.min")))
    world.run(60, on_frame=lambda w: high.append(w.value("sheet.position.y.max")))
    assert min(low) > -1e-6
    assert max(high) < 1.1
    assert np.all(world.value("sheet.position")[:, 2] == 0)


def test_a_particle_held_against_a_slope_stops_at_it() -> None:
    """Held in y, it meets a plane at 45 degrees and can only lose its speed along x."""
    world = World(systems=standard(), substeps=4, integrator=BackwardEuler())
    world.spawn(Collider.plane(normal=(1, 1, 0), friction=0.0))
    world.spawn(
        Position(x=[[1, 0, 0]]), Velocity(v=[[-2, 0, 0]]), Mass(m=1.0), BoundaryConditions.fixed([0], axes="y"),
        name="stone",
    )  # fmt: skip
    world.step(60)
    assert world.value("stone.position") == pytest.approx(np.zeros((1, 3)), abs=1e-9)
    assert world.value("stone.velocity") == pytest.approx(np.zeros((1, 3)), abs=1e-9)


@pytest.mark.parametrize("newton", [False, True])
def test_implicit_contact_is_as_exact_for_small_bodies_as_for_large_ones(newton: bool) -> None:
    """The same drop on a sphere, lengths and times scaled alike: the same positions relative to the size."""

    def end(scale: float) -> np.ndarray:
        world = world_of(integrator=BackwardEuler(newton=newton), substeps=4, frame_time=math.sqrt(scale) / 60)
        world.spawn(Gravity())
        world.spawn(Collider.sphere(radius=0.3 * scale, centre=(0, -0.3 * scale, 0), friction=0.3))
        world.spawn(
            grid(size=(scale, scale), cells=(6, 6), plane="xz", centre=(0, 0.1 * scale, 0)), Mass(m=1.0),
            MassSpring(stretch=300.0 / scale, shear=150.0 / scale, damping_ratio=0.2), name="cloth",
        )  # fmt: skip
        world.step(20)
        return world.value("cloth.position") / scale

    reference = end(1.0)
    for scale in (1e-6, 1e3):
        assert end(scale) == pytest.approx(reference, abs=1e-6)
