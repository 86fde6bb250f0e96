"""Components: what bodies, fields and conditions are made of. They hold data only."""
from components.appearance import Appearance, Camera, Light
from components.boundary_elements import BoundaryElements, Deformation, Relaxation, Stress, SupportForces
from components.collider import Collider, unit_normal
from components.condition_sequence import ConditionSequence
from components.conditions import (
    BoundaryConditions,
    Displacement,
    ElementValues,
    Fixed,
    Foundation,
    PointLoad,
    Traction,
    VelocityHistory,
)
from components.element_conditions import ElementConditions
from components.enclosed_volume import EnclosedVolume
from components.feedback import Energy, Momentum, SolverReport, StartPower, Stillness, Work
from components.forces import Attraction, CentrifugalLoad, Drag, Gravity, Wind
from components.geometry import Geometry
from components.grab import Grab
from components.integrators import RK4, BackwardEuler, SymplecticEuler, VelocityVerlet
from components.mass_spring import MassSpring, SpringDamage, Springs
from components.material import ElasticConstants, Material, elastic_constants
from components.motion import Force, Mass, Position, Velocity
from components.reaction import Reaction
from components.strain import Strain
from components.supports import Driven, PointLoads, Supports, driven_state
from components.transform import Pose, Transform

__all__ = [
    "RK4",
    "Appearance",
    "Attraction",
    "BackwardEuler",
    "BoundaryConditions",
    "BoundaryElements",
    "Camera",
    "CentrifugalLoad",
    "Collider",
    "ConditionSequence",
    "Deformation",
    "Displacement",
    "Drag",
    "Driven",
    "ElasticConstants",
    "ElementConditions",
    "ElementValues",
    "EnclosedVolume",
    "Energy",
    "Fixed",
    "Force",
    "Foundation",
    "Geometry",
    "Grab",
    "Gravity",
    "Light",
    "Mass",
    "MassSpring",
    "Material",
    "Momentum",
    "PointLoad",
    "PointLoads",
    "Pose",
    "Position",
    "Reaction",
    "Relaxation",
    "SolverReport",
    "SpringDamage",
    "Springs",
    "StartPower",
    "Stillness",
    "Strain",
    "Stress",
    "SupportForces",
    "Supports",
    "SymplecticEuler",
    "Traction",
    "Transform",
    "Velocity",
    "VelocityHistory",
    "VelocityVerlet",
    "Wind",
    "Work",
    "driven_state",
    "elastic_constants",
    "unit_normal",
]
