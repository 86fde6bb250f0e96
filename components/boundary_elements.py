"""BoundaryElements: the model of an elastic body by its surface, and what it finds."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from components.boundary_checks import boundary_problems
from components.boundary_mesh import boundary_elements
from components.feedback import Energy
from components.geometry import Geometry
from components.motion import Mass, Position
from components.reaction import Reaction
from framework.component import component
from framework.fields import between, field

ANALYSES = ("plane strain", "plane stress", "three-dimensional")


def _required() -> tuple[type, ...]:
    from components.element_conditions import ElementConditions

    return Position, ElementConditions, Deformation, Relaxation, Stress, Reaction, SupportForces, Energy


@component(requires=_required)
class BoundaryElements:
    """Elastic equilibrium of a homogeneous, isotropic body, by collocation of boundary elements (linear elasticity).

    The boundary is Geometry.segments in the plane, with the material on the left; Geometry.faces, or triangles, of a
    solid, anticlockwise seen from outside. An infinite region has it the other way round: the boundary is that of the
    hole. Points that no element uses are inside, and move with the body. Material gives two elastic constants.
    *Limitations*: small strain and rotation; one material a body; displacements of a region in the plane that loads
    leave out of balance grow with the logarithm of the distance, so that such loads are refused.
    """

    analysis: str = field(
        dtype="str", default="", choices=("", *ANALYSES),
        doc="plane strain (segments: the default), plane stress (as thick as Material.thickness), or three-dimensional",
    )
    infinite: bool = field(dtype="bool", default=False, doc="the material is outside the boundary, without end")
    symmetry: str = field(
        dtype="str", default="", choices=("", "x", "y", "z", "xy", "xz", "yz", "xyz"),
        doc="planes of symmetry: x for the plane x = 0, and so on; the boundary is open there",
    )
    far_stress: np.ndarray = field(
        unit="Pa", shape=(3, 3), default=((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
        doc="stress far away, of an infinite region",
    )
    response: str = field(
        dtype="str", default="static", choices=("static", "viscous"),
        doc="static: equilibrium at once; viscous: displacements lag behind the loads, by a resistance of "
        "Material.rayleigh_beta times the stiffness (Kelvin-Voigt)",
    )
    free: str = field(
        dtype="str", default="refuse", choices=("refuse", "inertia relief"),
        doc="what to do with loads that nothing holds: refuse, or balance them by uniform acceleration of the body",
    )
    log_length: float = field(
        unit="m", optional=True, default=None,
        doc="unit of length of the logarithm in Kelvin's solution in the plane, as in textbooks; without it the result "
        "depends on no such unit",
    )
    accuracy: float = field(
        default=1e-6, rule=between(1e-13, 1e-3), doc="relative accuracy of the integrals over each element"
    )

    def problems(self) -> Iterator[tuple[str, str, Any]]:
        if not np.array_equal(self.far_stress, self.far_stress.T):
            yield "far_stress", "be symmetric", self.far_stress.tolist()
        if self.far_stress.any() and not self.infinite:
            yield "far_stress", "be zero in a finite body", self.far_stress.tolist()
        if self.log_length is not None and self.log_length <= 0:
            yield "log_length", "be positive", self.log_length

    def misfits(self, parts: dict[type, Any]) -> Iterator[tuple[str, str, Any]]:
        from components.material import ELASTIC, Material

        material, geometry = parts.get(Material), parts.get(Geometry)
        given = [] if material is None else [name for name in ELASTIC if getattr(material, name) is not None]
        if self.response == "viscous" and material is not None and not material.rayleigh_beta > 0:
            yield "Material.rayleigh_beta", "be positive beside a viscous response", material.rayleigh_beta
        if len(given) != 2:
            found = ", ".join(given) or "none"
            yield "Material", f"give two of {', '.join(ELASTIC)} beside BoundaryElements", found
        if Mass in parts:
            yield "Mass", "be left out beside BoundaryElements, which is without inertia", "one"
        if geometry is None:
            return
        dimension, elements = boundary_elements(geometry)
        plane = self.analysis.startswith("plane")
        if self.analysis and plane != (dimension == 2):
            kind = "segments (of the plane)" if dimension == 2 else "faces (of a solid)"
            yield "BoundaryElements.analysis", f"fit a geometry of {kind}", repr(self.analysis)
        if dimension == 2:
            if "z" in self.symmetry:
                yield "BoundaryElements.symmetry", "be x, y or xy in the plane", repr(self.symmetry)
            if geometry.points[:, 2].any():
                yield "Geometry.points", "have z = 0 where there are segments", np.abs(geometry.points[:, 2]).max()
        yield from boundary_problems(dimension, elements, geometry.points, self)


def _points(parts: Any) -> tuple[int, tuple[int, ...]]:
    return len(parts[Position].x), boundary_elements(parts[Geometry], parts.entity)[1].shape


def derive_deformation(parts: Any) -> Deformation:
    n, shape = _points(parts)
    return Deformation(
        displacement=np.zeros((n, 3)), traction=np.zeros((n, 3)), element_traction=np.zeros((*shape, 3))
    )


@component(derive=derive_deformation, derived="state", sources=(Position, Geometry))
class Deformation:
    """Displacements of an elastic body, and the forces on its surface."""

    displacement: np.ndarray = field(
        unit="m", shape=("n", 3), principal=True, optional=True, default=None, doc="displacement of each point"
    )
    traction: np.ndarray = field(
        unit="Pa", shape=("n", 3), optional=True, default=None,
        doc="force per area at each point of the surface, the mean of the elements there",
    )
    element_traction: np.ndarray = field(
        unit="Pa", shape=("q", "k", 3), optional=True, default=None,
        doc="force per area at each point of each boundary element",
    )


def derive_relaxation(parts: Any) -> Relaxation:
    n, shape = _points(parts)
    return Relaxation(
        followed=np.zeros((n, 3)), elastic_traction=np.zeros((*shape, 3)), elastic_stress=np.zeros((n, 3, 3))
    )


@component(derive=derive_relaxation, derived="state", sources=(Position, Geometry))
class Relaxation:
    """How far a body with a viscous response has followed its loads: the elastic part of their effect."""

    followed: np.ndarray = field(
        unit="m", shape=("n", 3), principal=True, optional=True, default=None, doc="displacement by the loads"
    )
    elastic_traction: np.ndarray = field(
        unit="Pa", shape=("q", "k", 3), optional=True, default=None, doc="elastic traction by the loads"
    )
    elastic_stress: np.ndarray = field(
        unit="Pa", shape=("n", 3, 3), optional=True, default=None, doc="elastic stress by the loads, at points inside"
    )


def derive_stress(parts: Any) -> Stress:
    n = len(parts[Position].x)
    return Stress(
        von_mises=np.zeros(n), tensor=np.zeros((n, 3, 3)), strain_tensor=np.zeros((n, 3, 3)),
        principal=np.zeros((n, 3)), exceeded=np.zeros(n, np.int32),
    )


@component(derive=derive_stress, sources=(Position,), feedback=True)
class Stress:
    """Stress in an elastic body, at its points; at corners of the surface the mean of the sides that meet there."""

    von_mises: np.ndarray = field(
        unit="Pa", shape=("n",), principal=True, optional=True, default=None, doc="von Mises' equivalent stress"
    )
    tensor: np.ndarray = field(unit="Pa", shape=("n", 3, 3), optional=True, default=None, doc="Cauchy stress")
    strain_tensor: np.ndarray = field(shape=("n", 3, 3), optional=True, default=None, doc="strain")
    principal: np.ndarray = field(
        unit="Pa", shape=("n", 3), optional=True, default=None, doc="principal stresses, the largest first"
    )
    exceeded: np.ndarray = field(
        shape=("n",), dtype="int32", optional=True, default=None,
        doc="1 where Material.yield_stress is exceeded, 2 where rupture_stress is",
    )
    yielded: int = field(dtype="int", default=0, doc="number of points beyond yield_stress")
    ruptured: int = field(dtype="int", default=0, doc="number of points beyond rupture_stress")


def derive_support_forces(parts: Any) -> SupportForces:
    from components.conditions import BoundaryConditions
    from components.element_conditions import holding

    conditions = parts[BoundaryConditions].conditions if BoundaryConditions in parts else ()
    count = sum(1 for condition in conditions if holding(condition))
    return SupportForces(force=np.zeros((count, 3)), moment=np.zeros((count, 3)))


def _conditions() -> tuple[type, ...]:
    from components.conditions import BoundaryConditions

    return (BoundaryConditions,)


@component(derive=derive_support_forces, derived="parameter", sources=_conditions, feedback=True)
class SupportForces:
    """Force and moment of each support on an elastic body, in the order of the conditions that hold or drive it."""

    force: np.ndarray = field(
        unit="N", shape=("h", 3), principal=True, optional=True, default=None, doc="force of each support on the body"
    )
    moment: np.ndarray = field(
        unit="N m", shape=("h", 3), optional=True, default=None, doc="its moment about the origin"
    )
    residual: float = field(
        default=0.0, doc="what loads and supports are out of balance by, over their size: the error of discretisation"
    )
