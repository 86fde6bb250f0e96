"""pliant's engine: worlds of entities, components and systems in time. It knows no physics."""

import sys

from framework.app import run
from framework.check import Check
from framework.component import Parts, component
from framework.errors import (
    CommandError,
    FieldError,
    OutputError,
    PathError,
    PliantError,
    RecordingError,
    ScheduleError,
    SimulationError,
)
from framework.fields import between, field, non_negative, positive, unit_interval
from framework.guard import check_hidden
from framework.history import Snapshot
from framework.kernel import kernel
from framework.stepping import Stepping
from framework.system import EsperProcessor, ForceSystem, Stage, Step, System
from framework.world import World

if sys.path and sys.path[0]:  # the folder of the script that runs: one of its own could hide ours
    check_hidden(sys.path[0], ("components", "systems", "demos"))

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
    "RecordingError",
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
