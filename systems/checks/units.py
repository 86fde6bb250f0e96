"""Magnitudes that no body on Earth has: most often a length in millimetres or a modulus in megapascals."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from components import Collider, Geometry, Gravity, Material, Position, Transform, Velocity, Wind
from framework import World
from framework.doctor import Finding

SMALLEST, LARGEST = 1e-4, 100.0  # m
LARGEST_MESH = 10.0  # m, of a surface from a file: those are often in centimetres
FIELDS: tuple[tuple[type, str, float, float, str], ...] = (
    (Material, "young_modulus", 1e2, 1.5e12, "from jelly, 1 kPa, to diamond, 1.2e12 Pa"),
    (Material, "shear_modulus", 1e1, 6e11, "from jelly to diamond, 5e11 Pa"),
    (Material, "mass_density", 0.5, 2.3e4, "from air, 1.2 kg/m3, to osmium, 22,600 kg/m3"),
    (Material, "areal_density", 1e-3, 50.0, "silk has 0.05 kg/m2, denim 0.4, a steel plate of 6 mm 47"),
    (Material, "thickness", 1e-7, 10.0, "from foil to a wall"),
    (Collider, "friction", 0.0, 2.0, "dry surfaces have 0.05 to 1.2"),
)
SPEEDS: tuple[tuple[type, str, float, str], ...] = (
    (Gravity, "acceleration", 300.0, "9.81 m/s2 on Earth, 274 m/s2 on the Sun"),
    (Wind, "velocity", 150.0, "the strongest gusts on Earth reach 113 m/s"),
    (Velocity, "v", 2000.0, "a rifle bullet has 1,000 m/s"),
)


def check_units(world: World) -> Iterator[Finding]:
    """Sizes, moduli, densities, speeds and frame times outside of what people simulate."""
    for entity, position, geometry in world.query(Position, optional=(Geometry,)):
        yield from _size(world.name(entity), position.x, geometry)
    for cls, field, low, high, known in FIELDS:
        for entity, part in world.query(cls):
            value = getattr(part, field)
            if value is not None and not low <= value <= high:
                where = f"{world.name(entity)}.{cls.__name__}.{field}"
                yield _unusual(where, f"{value:g}", f"{low:g} to {high:g}", known)
    for cls, field, high, known in SPEEDS:
        for entity, part in world.query(cls):
            largest = float(np.sqrt((np.atleast_2d(getattr(part, field)) ** 2).sum(axis=1)).max(initial=0.0))
            if largest > high:
                where = f"{world.name(entity)}.{cls.__name__}.{field}"
                yield _unusual(where, f"{largest:g}", f"up to {high:g}", known)
    yield from _directions(world)
    time = world.stepping.frame_time
    if time > 0.5:
        yield _unusual("world.frame_time", f"{time:g} s", "up to 0.5 s", "a film has 1/24 to 1/60 s")


def _size(name: str, x: np.ndarray, geometry: Geometry | None) -> Iterator[Finding]:
    size = float(np.ptp(x, axis=0).max())
    file = geometry is not None and geometry.triangles is not None and geometry.grid is None
    file = file and geometry.segments is None and geometry.faces is None
    largest = LARGEST_MESH if file else LARGEST
    if len(x) > 1 and (size > largest or 0 < size < SMALLEST):
        scale = "1000 if it is in kilometres"
        if size > largest:
            scale = "0.01 if it is in centimetres, 0.001 if it is in millimetres"
        yield Finding(
            what=f"the body is {size:.4g} m wide, which is probably not metres",
            where=f"{name}.Position.x",
            why="all units are SI: gravity, stiffness and contact act on it as on a body of that size, so it seems "
            "slow and stiff or fast and soft",
            do=f"scale the geometry, e.g. read_mesh(path, scale=...): {scale}",
        )


def _directions(world: World) -> Iterator[Finding]:
    """Gravity that lifts, and angles in degrees."""
    for entity, gravity in world.query(Gravity):
        if gravity.acceleration[1] > 0:
            yield Finding(
                what=f"gravity points upwards: {gravity.acceleration.tolist()}",
                where=f"{world.name(entity)}.Gravity.acceleration",
                why="up is +y, and the acceleration of free fall on Earth is (0, -9.81, 0)",
                do="change the sign of y",
            )
    for entity, transform in world.query(Transform):
        angle = float(np.linalg.norm(transform.rotation))
        if angle > 2 * np.pi:
            yield Finding(
                what=f"a rotation by {angle:.4g} rad is more than a turn: it is probably in degrees",
                where=f"{world.name(entity)}.Transform.rotation",
                why="rotations are vectors in radians: the axis times the angle",
                do=f"write numpy.radians(...): {angle:.4g} degrees are {np.radians(angle):.4g} rad",
            )


def _unusual(where: str, value: str, usual: str, known: str) -> Finding:
    return Finding(
        what=f"{value} is outside the usual range ({usual})",
        where=where,
        why=f"known values: {known}; a number in another unit gives a run that looks plausible and is wrong",
        do="check the unit: fields are in SI units, named in docs/components.md",
    )


