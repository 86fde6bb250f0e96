"""pliant's engine: worlds of entities, components and systems in time. It knows no physics."""

from framework.app import run
from framework.check import Check
from framework.component import Parts, component
from framework.errors import (
    CommandError,
    FieldError,
    OutputError,
    PathError,
    PliantError,
    ScheduleError,
    SimulationError,
)
from framework.fields import between, field, non_negative, positive, unit_interval
from framework.history import Snapshot
from framework.kernel import kernel
from framework.stepping import Stepping
from framework.system import EsperProcessor, ForceSystem, Stage, Step, System
from framework.world import World

__all__ = [
    "Check",
    "CommandError",
    "EsperProcessor",
    "FieldError",
    "ForceSystem",
    "OutputError",
    "Parts",
    "PathError",
    "PliantError",
    "ScheduleError",
    "SimulationError",
    "Snapshot",
    "Stage",
    "Step",
    "Stepping",
    "System",
    "World",
    "between",
    "component",
    "field",
    "kernel",
    "non_negative",
    "positive",
    "run",
    "unit_interval",
]
