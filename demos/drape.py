"""A cloth held at one edge falls over a sphere: the lecture slides' algorithm, with their colours and view.

F = sum over 8 neighbours of K d (|d| - rest) - 0.05 sum of their velocities - m g, and then V += dt F / (2 m): gravity
acts by half. The last row is not accelerated. A particle within R + 1 of the sphere's centre stays where it is, but its
velocity goes on. The run ends after contact, when the velocities of those that move add up to 100 or less.
"""
import numpy as np

from components import Appearance, Camera, Collider, Light, Position, Velocity
from components.prefabs import grid
from framework import Check, Stage, Step, System, World, component, field, kernel, run
from systems.drawing import Drawing

FRAMES = 622
ROWS, REACH, CENTRE = 70, 10.0 + 1.0, (35.0, 140.0, 35.0)  # the slides' z is our y


@component(requires=(Position, Velocity))
class Net:
    """What the algorithm remembers of a cloth."""

    force: np.ndarray = field(unit="N", shape=("n", 3), default=0.0, principal=True, doc="force on each particle")
    sum_of_velocities: float = field(unit="m/s", default=0.0, doc="length of the sum over the particles that move")
    contact: int = field(dtype="int", default=0, doc="step of the first contact, 0 before it")
    end: int = field(dtype="int", default=0, doc="step at which the run ended, 0 before it")


class Drape(System):
    """The slides' step. Limitations: the cloth passes through itself; the forces depend on the number of particles."""

    stage, reads, writes = Stage.SOLVE, (), (Position, Velocity, Net)

    def process(self, world: World, step: Step) -> None:
        for _, position, velocity, net in world.query(Position, Velocity, Net):
            if not net.end:
                held, net.sum_of_velocities = drape(position.x, velocity.v, ROWS, step.h, np.array(CENTRE), net.force)
                net.contact = net.contact or (step.frame + 1 if held else 0)
                net.end = step.frame + 1 if net.contact and net.sum_of_velocities <= 100 else 0


@kernel
def drape(x, v, rows, dt, centre, f, m=0.3, stiffness=100.0, friction=0.05, g=10.0):
    """One step of x, v (rows * rows, 3) with the forces f (rows * rows, 3); number held, |sum v| of the others."""
    f[:] = 0.0
    for p in range(rows * rows):
        i, j = p // rows, p % rows
        for k in range(max(i - 1, 0), min(i + 2, rows)):
            for n in range(max(j - 1, 0), min(j + 2, rows)):
                q = k * rows + n
                if q != p:
                    length = distance(x[q], x[p])
                    for c in range(3):
                        pull = stiffness * (x[q, c] - x[p, c]) * (length - np.sqrt((k - i) ** 2 + (n - j) ** 2))
                        f[p, c] += pull - friction * v[q, c]
        f[p, 1] -= g * m
    v[: (rows - 1) * rows] += dt * (f[: (rows - 1) * rows] / 2 / m)
    held, total = 0, np.zeros(3)
    for p in range(rows * rows):
        if distance(x[p], centre) > REACH:
            x[p] += dt * v[p]
            total += v[p]
        else:
            held += 1
    return held, distance(total, np.zeros(3))


@kernel
def distance(a, b):
    return np.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2)


def build() -> World:
    world = World(systems=[Drape(), Drawing()], frame_time=0.03, substeps=1)
    look = Appearance(colour_by="force", low=0, high=30,
                      colours=((0, 0.5, 1), (0.5, 0, 1)), back_colours=((1, 0, 0.5), (1, 0.5, 0)))
    world.spawn(grid(size=(69, 69), cells=(69, 69), plane="xz", centre=(34.5, 200, 34.5)), Net(), look, name="cloth")
    world.spawn(Collider.sphere(radius=10, centre=CENTRE), name="sphere")
    world.spawn(Collider.plane(point=(0, 110, 0)), name="floor")  # to look at: nothing reaches it
    world.spawn(Camera(eye=(185, 250, 135), target=(35, 140, 35), field_of_view=45), name="camera")
    for name, height in (("light_above", 250), ("light_below", -250)):
        world.spawn(Light(position=(35, height, 35), ambient=0.2, diffuse=0.7, specular=0.5, shininess=5), name=name)
    return world


def expect(world: World) -> list[Check]:
    return [Check("height of the held edge", world.value("cloth.position[right].y.min"), near=200, tolerance=0),
            Check("first contact, step", world.value("cloth.contact"), near=283, tolerance=0),
            Check("end, step", world.value("cloth.end"), near=FRAMES, tolerance=0),
            Check("|sum of velocities|", world.value("cloth.sum_of_velocities"), near=83.87, tolerance=0.1)]


if __name__ == "__main__":
    run(build, expect, frames=FRAMES)
