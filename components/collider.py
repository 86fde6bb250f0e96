"""Collider: a sphere, plane, box, capsule or triangle mesh that bodies cannot enter."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from components.arguments import argument
from components.geometry import Geometry
from components.surface_mesh import border_count, doubled_areas
from components.transform import Transform
from framework.component import component
from framework.errors import FieldError
from framework.fields import field, non_negative, non_zero_vector, positive, unit_interval

SHAPES = ("sphere", "plane", "box", "capsule", "mesh")
OWN_FIELDS = {
    "radius": ("sphere", "capsule"), "normal": ("plane",), "size": ("box",), "length": ("capsule",),
    "vertices": ("mesh",), "triangles": ("mesh",),
}  # fmt: skip
UNEVEN = 1e-9  # relative difference of scales up to which a sphere stays one


@component
class Collider:
    """A shape that particles stay out of, made by `Collider.sphere(...)` and its like; a Transform moves and turns it.

    Its motion by a Transform counts: it pushes, and friction carries along. What is set in the Collider itself moves
    it without a velocity.
    """

    shape: str = field(dtype="str", choices=SHAPES, doc="sphere, plane, box, capsule or mesh")
    radius: float = field(unit="m", default=1.0, rule=positive, doc="radius of a sphere or capsule")
    centre: np.ndarray = field(
        unit="m", shape=(3,), default=(0.0, 0.0, 0.0), principal=True,
        doc="centre of a sphere, box or capsule, a point of a plane, the place of a mesh's origin",
    )  # fmt: skip
    normal: np.ndarray = field(
        shape=(3,), default=(0.0, 1.0, 0.0), rule=non_zero_vector(), doc="direction out of the plane, of any length"
    )
    friction: float = field(default=0.3, rule=non_negative, doc="coefficient of Coulomb friction")
    restitution: float = field(default=0.0, rule=unit_interval, doc="share of the normal velocity that bounces back")
    thickness: float = field(unit="m", default=0.0, rule=non_negative, doc="distance at which contact begins")
    size: np.ndarray = field(unit="m", shape=(3,), default=(1.0, 1.0, 1.0), rule=positive, doc="edges of a box")
    length: float = field(
        unit="m", default=1.0, rule=non_negative, doc="distance of the centres of a capsule's ends, along y"
    )
    surface_velocity: np.ndarray = field(
        unit="m/s", shape=(3,), default=(0.0, 0.0, 0.0),
        doc="velocity of the surface along itself, as of a belt, in the own frame",
    )  # fmt: skip
    vertices: np.ndarray = field(unit="m", shape=("c", 3), optional=True, default=None, doc="corners of a mesh")
    triangles: np.ndarray = field(
        shape=("f", 3), dtype="int32", optional=True, default=None, index_of="c",
        doc="corners of each triangle of a mesh, anticlockwise seen from outside",
    )  # fmt: skip

    @classmethod
    def sphere(
        cls, radius: float = 1.0, centre: Any = (0, 0, 0), friction: float = 0.3, restitution: float = 0.0,
        thickness: float = 0.0,
    ) -> Collider:
        """A solid sphere. radius, centre (3,) and thickness in m."""
        return cls(
            shape="sphere", radius=radius, centre=centre, friction=friction, restitution=restitution,
            thickness=thickness,
        )

    @classmethod
    def plane(
        cls, normal: Any = (0, 1, 0), point: Any = (0, 0, 0), friction: float = 0.3, restitution: float = 0.0,
        thickness: float = 0.0,
    ) -> Collider:
        """The half space behind a plane through a point (3,) [m]; the normal (3,) points out and is normalised."""
        out = argument(normal, "Collider.plane: normal", shape=(3,), rule=non_zero_vector())
        return cls(
            shape="plane", centre=point, normal=_unit(out), friction=friction, restitution=restitution,
            thickness=thickness,
        )

    @classmethod
    def box(
        cls, size: Any = (1, 1, 1), centre: Any = (0, 0, 0), friction: float = 0.3, restitution: float = 0.0,
        thickness: float = 0.0, surface_velocity: Any = (0, 0, 0),
    ) -> Collider:
        """A solid box. size (3,) of its edges, centre (3,) and thickness in m; surface_velocity (3,) of a belt, m/s."""
        return cls(
            shape="box", size=size, centre=centre, friction=friction, restitution=restitution, thickness=thickness,
            surface_velocity=surface_velocity,
        )

    @classmethod
    def capsule(
        cls, radius: float = 0.5, length: float = 1.0, centre: Any = (0, 0, 0), friction: float = 0.3,
        restitution: float = 0.0, thickness: float = 0.0,
    ) -> Collider:
        """All within `radius` of a segment of this length along y about the centre (3,). radius, length in m."""
        return cls(
            shape="capsule", radius=radius, length=length, centre=centre, friction=friction, restitution=restitution,
            thickness=thickness,
        )

    @classmethod
    def mesh(
        cls, surface: Any, triangles: Any = None, centre: Any = (0, 0, 0), friction: float = 0.3,
        restitution: float = 0.0, thickness: float = 0.0,
    ) -> Collider:
        """A rigid surface: a Geometry with triangles, what read_mesh gives, or vertices (c, 3) [m], triangles (f, 3).

        A closed one keeps particles on the side that its triangles face: outside, or inside of a container whose
        corners run the other way round. An open one is two-sided and needs a thickness [m].
        """
        if isinstance(surface, tuple) and len(surface) == 1 and isinstance(surface[0], Geometry):
            surface = surface[0]
        if isinstance(surface, Geometry):
            if triangles is not None or surface.triangles is None:
                found = "both" if triangles is not None else "a Geometry without any"
                raise FieldError(f"Collider.mesh: triangles must come with the Geometry or with vertices, got {found}")
            surface, triangles = surface.points, surface.triangles
        return cls(
            shape="mesh", vertices=surface, triangles=triangles, centre=centre, friction=friction,
            restitution=restitution, thickness=thickness,
        )

    def problems(self) -> Iterator[tuple[str, str, Any]]:
        for name, shapes in OWN_FIELDS.items():
            value, default = getattr(self, name), DEFAULTS[name]
            if self.shape not in shapes and not (value is default or np.array_equal(value, default)):
                yield name, f"be left out for a {self.shape}", np.asarray(value).tolist()
        if self.shape == "mesh":
            yield from self._mesh_problems()

    def _mesh_problems(self) -> Iterator[tuple[str, str, Any]]:
        vertices, triangles = self.vertices, self.triangles
        if vertices is None or triangles is None:
            yield ("vertices" if vertices is None else "triangles"), "be given for a mesh", "none"
            return
        if len(triangles) == 0:
            yield "triangles", "hold at least one triangle", "none"
            return
        a, b, c = triangles.T
        for t in np.flatnonzero((a == b) | (b == c) | (c == a))[:1]:
            yield "triangles", "have three different corners each", f"{triangles[t].tolist()} at [{t}]"
        if not doubled_areas(vertices, triangles).any():
            yield "triangles", "hold one with an area at least", "corners in a line only"
        borders = border_count(vertices, triangles) if self.thickness == 0.0 else 0
        if borders:
            yield "thickness", "be positive for a mesh that is not closed", f"0.0 with {borders} edges of one side only"

    def misfits(self, parts: dict[type, Any]) -> Iterator[tuple[str, str, Any]]:
        """A sphere or capsule that is stretched more one way than another is none any more."""
        transform = parts.get(Transform)
        if transform is not None and self.shape in ("sphere", "capsule") and uneven(transform.scale):
            yield "Transform.scale", f"be the same along all axes for a {self.shape}", transform.scale.tolist()


DEFAULTS: dict[str, Any] = {
    "radius": 1.0, "normal": (0.0, 1.0, 0.0), "size": (1.0, 1.0, 1.0), "length": 1.0, "vertices": None,
    "triangles": None,
}  # fmt: skip


def uneven(scale: np.ndarray) -> bool:
    """Whether factors (3,) differ."""
    return bool(np.ptp(scale) > UNEVEN * np.max(scale))


def unit_normal(collider: Collider) -> np.ndarray:
    """(3,) normal of length 1: a command may have set or ramped the field to any length."""
    return _unit(collider.normal)


def _unit(vector: np.ndarray) -> np.ndarray:
    """(3,) of length 1, also where the squares of its entries would over- or underflow."""
    scaled = vector / np.abs(vector).max()
    return scaled / np.sqrt(scaled @ scaled)
