"""Systems: what moves and measures bodies. `standard()` is the usual set; add your own behind it."""

from __future__ import annotations

from framework import System


def standard() -> list[System]:
    """A fresh list of the usual systems, each imported only now."""
    from systems.attraction import AttractionForce
    from systems.boundary_elements import BoundaryElementResults, BoundaryElementStatics
    from systems.condition_sequences import ConditionSequences
    from systems.damage import SpringFlow
    from systems.drag import DragForce, RayleighMassDamping, WindForce
    from systems.drawing import Drawing
    from systems.dynamics import Dynamics
    from systems.enclosed_volume import EnclosedVolumeForces
    from systems.grab import GrabForce
    from systems.gravity import GravityForce
    from systems.measures import Measures, WorkMeter, WorkStart
    from systems.point_loads import PointLoadForce
    from systems.reactions import SupportReactions
    from systems.springs import SpringForces
    from systems.strain import SpringStrain
    from systems.transforms import Transforms

    return [
        Transforms(),
        WorkStart(),
        Dynamics(),
        GravityForce(),
        SpringForces(),
        EnclosedVolumeForces(),
        PointLoadForce(),
        WindForce(),
        DragForce(),
        RayleighMassDamping(),
        AttractionForce(),
        GrabForce(),
        SpringFlow(),
        WorkMeter(),
        BoundaryElementStatics(),
        SpringStrain(),
        Measures(),
        SupportReactions(),
        BoundaryElementResults(),
        ConditionSequences(),
        Drawing(),
    ]


__all__ = ["standard"]
