"""Equilibrium of boundary-element bodies, once a frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from components import (
    BoundaryElements,
    CentrifugalLoad,
    Deformation,
    ElementConditions,
    Geometry,
    Gravity,
    Material,
    PointLoads,
    Pose,
    Position,
    Relaxation,
)
from framework import Stage, System
from systems.boundary_elements.body import body_of
from systems.boundary_elements.loads import refuse_undetermined_pressure
from systems.boundary_elements.response import state_of
from systems.boundary_elements.viscous import advance

if TYPE_CHECKING:
    from framework import Step, World


class BoundaryElementStatics(System):
    """Displacements and tractions of elastic bodies in equilibrium with the loads at the end of the frame.

    Collocation of linear and quadratic elements; the same equations in every frame, so a frame depends on no other.
    Source: C. A. Brebbia, J. Dominguez, Boundary Elements: An Introductory Course, 1992.
    *Limitations*: small strain and rotation; no inertia: loads that change faster than the body's lowest natural period
    are met as if it had all the time.
    """

    stage = Stage.STATICS
    reads = (
        BoundaryElements, ElementConditions, Geometry, Material, PointLoads, Gravity, CentrifugalLoad, Pose,
    )  # fmt: skip
    writes = (Position, Deformation, Relaxation)
    needs = (BoundaryElements,)

    def process(self, world: World, step: Step) -> None:
        for entity, settings, position, deformation in world.query(BoundaryElements, Position, Deformation):
            body = body_of(world, entity)
            refuse_undetermined_pressure(world.name(entity), body)
            if settings.response == "viscous":
                state = advance(world, entity, body, step.time, step.frame_time)
            else:
                state = state_of(world, entity, body, step.time)
            deformation.displacement[...] = state.u
            deformation.element_traction[...] = state.traction
            deformation.traction[...] = _mean_at_points(state.traction, body.elements, len(body.points))
            position.x[...] = body.points + state.u


def _mean_at_points(values: np.ndarray, elements: np.ndarray, n: int) -> np.ndarray:
    """(n, 3) mean over the elements at each point."""
    used = elements >= 0
    total, count = np.zeros((n, 3)), np.zeros(n)
    np.add.at(total, elements[used], values[used])
    np.add.at(count, elements[used], 1.0)
    return total / np.maximum(count, 1.0)[:, None]
