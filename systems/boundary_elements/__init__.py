"""Boundary elements: elastic bodies in equilibrium with their supports and loads, frame by frame."""

from __future__ import annotations

from systems.boundary_elements.results import BoundaryElementResults
from systems.boundary_elements.statics import BoundaryElementStatics

__all__ = ["BoundaryElementResults", "BoundaryElementStatics"]
