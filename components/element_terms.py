"""Histories of displacements, velocities and tractions at the points of boundary elements."""
from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from components.supports import Driven, driven_state


@dataclasses.dataclass(frozen=True, eq=False)
class ElementTerm:
    """A history in time at some elements: value = basis @ history(t), along the axes of the points.

    condition: its number among the conditions. kind: displacement, velocity or traction. elements (e,);
    basis (e, k, 3, 3); times (q,) [s], values (q, 3) [m, m/s, Pa].
    """

    condition: int
    kind: str
    elements: np.ndarray
    basis: np.ndarray
    times: np.ndarray
    values: np.ndarray


def history(term: ElementTerm, t: float) -> np.ndarray:
    """(3,) what the history says at time t [s]: of a velocity, the way since it began."""
    if term.kind == "velocity":
        motion = Driven(np.zeros(1, np.int32), np.ones(3, bool), "velocity", term.times, term.values, np.zeros((1, 3)))
        return driven_state(motion, t)[0][0]
    return np.array([np.interp(t, term.times, term.values[:, axis]) for axis in range(3)])


def values_at(conditions: Any, t: float) -> tuple[np.ndarray, np.ndarray]:
    """Prescribed displacement (m, k, 3) [m] and traction (m, k, 3) [Pa] at time t [s], along the axes of the points."""
    u, traction = np.zeros(conditions.fixed.shape), np.zeros(conditions.fixed.shape)
    for term in conditions.terms:
        value = term.basis @ history(term, t)
        if term.kind == "traction":
            traction[term.elements] += value
        else:
            u[term.elements] += value
    return u, traction
