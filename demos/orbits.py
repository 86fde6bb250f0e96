"""Planets, a comet and a belt of asteroids around a star, by attraction between bodies, for a year of one planet."""
import numpy as np

from components import Appearance, Attraction, Camera, Geometry, Mass, Position, Velocity, VelocityVerlet
from framework import Check, World, run
from systems import standard

FRAMES = 360
STAR, PLANET, ASTEROID = 1.0, 1e-6, 1e-12  # masses; with G = 1 the year of an orbit of size 1 is 2 pi
ORBITS = {"inner": (0.6, 0.0, "tan"), "planet": (1.0, 0.2, "steelblue"), "comet": (1.5, 0.75, "#5ec2b7"),
          "outer": (2.1, 0.05, "orange")}  # half of the long axis, eccentricity, colour


def kepler(a: float, e: float, angle: np.ndarray, mass: float) -> tuple[np.ndarray, np.ndarray]:
    """Positions and velocities (n, 3) at eccentric anomalies `angle` (n,) of the orbit a, e in the plane y = 0."""
    b, zero = a * np.sqrt(1 - e * e), 0 * angle
    speed = np.sqrt(mass / a) / (1 - e * np.cos(angle))
    x = np.column_stack([a * (np.cos(angle) - e), zero, -b * np.sin(angle)])
    return x, speed[:, None] * np.column_stack([-np.sin(angle), zero, -b / a * np.cos(angle)])


def build(asteroids: int = 300, substeps: int = 20, seed: int = 0) -> World:
    world = World(systems=standard(), frame_time=2 * np.pi / FRAMES, substeps=substeps, integrator=VelocityVerlet(),
                  seed=seed)
    world.spawn(Camera(eye=(-0.7, 2.3, 4.3), target=(-0.3, -0.1, 0), field_of_view=36), name="camera")
    world.spawn(Attraction(strength=1.0, within=False), name="gravitation")
    world.spawn(Position(x=[[0, 0, 0]]), Mass(m=STAR), Appearance(colour="gold", size=9), name="star")
    turn = np.linspace(0, 2 * np.pi, 129)
    for name, (a, e, colour) in ORBITS.items():
        x, v = kepler(a, e, np.array([np.pi if name == "comet" else 0.0]), STAR + PLANET)
        world.spawn(Position(x=x), Velocity(v=v), Mass(m=PLANET), Appearance(colour=colour, size=5), name=name)
        path = Geometry(points=kepler(a, e, turn, STAR)[0], edges=np.column_stack([np.arange(128), np.arange(1, 129)]))
        world.spawn(path, Position(), Appearance(colour=colour, draw="lines", size=1), name=f"path_{name}")
    random = world.random("asteroids")
    rows = [kepler(a, 0.0, angle, STAR) for a, angle in zip(
        random.normal(1.45, 0.06, asteroids), random.uniform(0, 2 * np.pi, (asteroids, 1)), strict=True)]
    x, v = (np.vstack(column) for column in zip(*rows, strict=True))
    world.spawn(Position(x=x), Velocity(v=v), Mass(m=ASTEROID), Appearance(colour="grey", size=1), name="belt")
    for name in ("star", *ORBITS, "belt"):
        for kind in ("energy.kinetic", "energy.potential", "momentum.angular.y"):
            world.watch(f"{name} {kind}", f"{name}.{kind}")
    return world


def expect(world: World) -> list[Check]:
    total = {kind: sum(world.series(f"{name} {kind}")[1] for name in ("star", *ORBITS, "belt"))
             for kind in ("energy.kinetic", "energy.potential", "momentum.angular.y")}
    energy, spin = total["energy.kinetic"] + total["energy.potential"], total["momentum.angular.y"]
    start = ORBITS["planet"][0] * (1 - ORBITS["planet"][1])
    missed = np.linalg.norm(world.value("planet.position.first") - world.value("star.position.first") - (start, 0, 0))
    # Verlet's energy swings by about (w h)^2 / 8 with w^2 = 1 / 0.375^3 at the comet's nearest point, h = 2 pi / 7200:
    # 1.8e-6. In a year the other planets' pull, 1e-6 of the star's and some times that when near, adds up to 3e-5.
    return [Check("energy, largest change", abs(energy / energy[0] - 1).max(), below=1e-5),
            Check("planet after a year, off its start by", missed, below=1e-4),
            Check("angular momentum, largest change", abs(spin / spin[0] - 1).max(), below=1e-12)]


if __name__ == "__main__":
    run(build, expect, frames=FRAMES)
