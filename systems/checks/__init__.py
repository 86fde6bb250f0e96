"""General checks of a scene for the doctor: each a function world -> findings, which changes nothing."""

from systems.checks.elements import check_elements
from systems.checks.masses import check_masses
from systems.checks.support import check_support
from systems.checks.units import check_units
from systems.checks.unused import check_unused

CHECKS = (check_units, check_support, check_elements, check_masses, check_unused)

__all__ = ["CHECKS"]
