"""MassSpring: the model of particles joined by springs, and the springs that follow from it and the geometry."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from components.geometry import Geometry
from components.material import Material
from components.motion import Mass
from components.spring_stiffness import material_stiffness
from components.spring_topology import spring_pairs
from components.transform import Pose, placed_points
from framework.component import component
from framework.errors import FieldError
from framework.fields import field, non_negative, positive

STRETCH, SHEAR, BEND = 0, 1, 2


def _required() -> tuple[type, ...]:
    from components.strain import Strain  # strain.py needs Springs, so it cannot be imported before

    return (Geometry, Mass, Springs, SpringDamage, Strain)


def _parameter(unit: str, doc: str) -> Any:
    return field(unit=unit, default=0.0, rule=non_negative, doc=doc)


@component(requires=_required)
class MassSpring:
    """Particles joined by springs with the force k e + k3 e^3 at extension e, and damping along each spring.

    Structural springs (stretch) join neighbours, shear springs the diagonals of cells, bend springs the particles two
    apart. A kind without stiffness has no springs. Without stretch, structural and shear springs get their stiffness
    from the Young's modulus of the Material, each its own (see spring_stiffness.py for the rule and its limits);
    otherwise elastic constants have no effect. Beyond yield_strain the rest length flows; beyond rupture_strain a
    spring breaks.
    """

    stretch: float = field(
        unit="N/m", rule=positive, principal=True, optional=True, default=None,
        doc="stiffness of structural springs; None: from the Material",
    )
    shear: float = _parameter("N/m", "stiffness of diagonal springs")
    bend: float = _parameter("N/m", "stiffness of springs to the particle after the next")
    stretch_cubic: float = _parameter("N/m3", "cubic stiffness of structural springs")
    shear_cubic: float = _parameter("N/m3", "cubic stiffness of diagonal springs")
    bend_cubic: float = _parameter("N/m3", "cubic stiffness of bend springs")
    damping_ratio: float = _parameter("1", "share of critical damping, of two mean particles on one spring")
    damping: float = _parameter("N s/m", "damping of each spring, added to what the ratio gives")
    yield_strain: float = field(
        default=np.inf, rule=positive, infinite=True, doc="elastic strain beyond which the rest length flows"
    )
    rupture_strain: float = field(
        default=np.inf, rule=positive, infinite=True, doc="strain of the original rest length at which a spring breaks"
    )

    def problems(self) -> Iterator[tuple[str, str, Any]]:
        if self.stretch is None and self.shear > 0:
            yield "shear", "be left out where stretch is: both then follow from the Material", self.shear
        for kind in ("shear", "bend"):
            if kind == "shear" and self.stretch is None:
                continue
            cubic = getattr(self, f"{kind}_cubic")
            if cubic > 0 and getattr(self, kind) == 0:
                yield f"{kind}_cubic", f"be 0 where {kind} is 0 (there are no such springs)", cubic


def derive_springs(parts: Any) -> Springs:
    """Springs of a geometry.

    Damping of a kind with stiffness k: damping + rayleigh_beta k + 2 damping_ratio sqrt(k m / 2), with m the mean mass
    of the body's particles: two of them on one spring vibrate with the reduced mass m / 2.
    """
    model, geometry, material = parts[MassSpring], parts[Geometry], parts.get(Material)
    if model.stretch is None:
        return _from_material(parts)
    stiffness = np.array([model.stretch, model.shear, model.bend])
    nodes, kind = spring_pairs(parts.entity, geometry, shear=model.shear > 0, bend=model.bend > 0)
    for kind_number, kind_name in ((SHEAR, "shear"), (BEND, "bend")):
        if stiffness[kind_number] > 0 and not np.any(kind == kind_number):
            raise FieldError(
                f"{parts.entity}: MassSpring.{kind_name} must be 0 where the geometry has no such springs (too few "
                f"cells, triangles or edges), got {stiffness[kind_number]}"
            )
    return Springs(
        nodes=nodes,
        rest=_rest_lengths(parts, nodes),
        kind=kind,
        stiffness=stiffness,
        cubic=_cubic(model),
        damping=_damping(model, material, stiffness, float(np.mean(parts[Mass].m))),
    )


def _from_material(parts: Any) -> Springs:
    """Springs with a row of parameters each; those that no element has (edges given besides) are left out."""
    model, geometry, material = parts[MassSpring], parts[Geometry], parts.get(Material)
    cells = geometry.grid is not None or geometry.wedges is not None
    nodes, kind = spring_pairs(parts.entity, geometry, shear=cells, bend=model.bend > 0)
    rest = _rest_lengths(parts, nodes)
    stiffness = material_stiffness(parts.entity, geometry, placed_points(parts), material, nodes)
    stiffness = np.where(kind == BEND, model.bend, stiffness)
    kept = stiffness > 0
    nodes, rest, kind, stiffness = nodes[kept], rest[kept], kind[kept], stiffness[kept]
    return Springs(
        nodes=nodes,
        rest=rest,
        kind=np.arange(len(nodes), dtype=np.int32),
        stiffness=stiffness,
        cubic=_cubic(model)[kind],
        damping=_damping(model, material, stiffness, float(np.mean(parts[Mass].m))),
    )


def _cubic(model: MassSpring) -> np.ndarray:
    return np.array([model.stretch_cubic, model.shear_cubic, model.bend_cubic])


def _damping(model: MassSpring, material: Material | None, stiffness: np.ndarray, mass: float) -> np.ndarray:
    beta = 0.0 if material is None else material.rayleigh_beta
    return model.damping + beta * stiffness + 2 * model.damping_ratio * np.sqrt(stiffness * mass / 2)


def _rest_lengths(parts: Any, nodes: np.ndarray) -> np.ndarray:
    points = placed_points(parts)
    rest = np.sqrt(((points[nodes[:, 1]] - points[nodes[:, 0]]) ** 2).sum(axis=1))
    for s in np.flatnonzero(rest == 0)[:1]:
        i, j = nodes[s]
        raise FieldError(
            f"{parts.entity}: Geometry.points must differ where a spring joins them, got equal [{i}] and [{j}]"
        )
    return rest


@component(derive=derive_springs, derived="parameter", sources=(Geometry, Pose, Material, MassSpring, Mass))
class Springs:
    """The springs of a body, sorted by their first and then second particle so that neighbours share cache lines."""

    nodes: np.ndarray = field(
        shape=("s", 2), dtype="int32", optional=True, default=None, index_of="n", doc="two particles, first < second"
    )
    rest: np.ndarray = field(
        unit="m", shape=("s",), principal=True, rule=non_negative, optional=True, default=None, doc="rest lengths"
    )
    kind: np.ndarray = field(
        shape=("s",), dtype="int32", optional=True, default=None, index_of="p",
        doc="row of stiffness, cubic and damping: 0 stretch, 1 shear, 2 bend; its own where the Material gives them",
    )
    stiffness: np.ndarray = field(
        unit="N/m", shape=("p",), rule=non_negative, optional=True, default=None, doc="stiffness by kind or spring"
    )
    cubic: np.ndarray = field(
        unit="N/m3", shape=("p",), rule=non_negative, optional=True, default=None, doc="cubic stiffness likewise"
    )
    damping: np.ndarray = field(
        unit="N s/m", shape=("p",), rule=non_negative, optional=True, default=None, doc="damping by kind or spring"
    )

    def problems(self) -> Iterator[tuple[str, str, Any]]:
        for s in np.flatnonzero(self.nodes[:, 0] >= self.nodes[:, 1])[:1]:
            yield "nodes", "name two different particles, the smaller index first", f"{self.nodes[s].tolist()} at [{s}]"
        for s in np.flatnonzero((self.kind < 0) | (self.kind >= len(self.stiffness)))[:1]:
            yield "kind", f"be from 0 to {len(self.stiffness) - 1}", f"{self.kind[s]} at [{s}]"


def derive_spring_damage(parts: Any) -> SpringDamage | None:
    model, count = parts[MassSpring], len(parts[Springs].nodes)
    if np.isinf(model.yield_strain) and np.isinf(model.rupture_strain):
        return None
    return SpringDamage(plastic=np.zeros(count), broken=np.zeros(count, bool))


@component(derive=derive_spring_damage, derived="state", sources=(MassSpring, Springs))
class SpringDamage:
    """What has happened to the springs for good. Only bodies that can yield or break have it."""

    plastic: np.ndarray = field(
        unit="m", shape=("s",), principal=True, optional=True, default=None, doc="plastic change of the rest length"
    )
    broken: np.ndarray = field(shape=("s",), dtype="bool", optional=True, default=None, doc="whether the spring broke")
