"""Kelvin-Voigt response: stress = C (strain + beta d strain / dt), without inertia.

Loads then give beta dr/dt + r = s, with s the static displacement. Between the ends of a frame s is taken as linear in
time, and r follows exactly: r1 = s1 - beta s' + (r0 - s0 + beta s') exp(-h / beta). The elastic traction and stress
follow the same law; the whole traction, elastic and viscous, is the static one. Prescribed displacements are met at
once, against a resistance of beta times the rate of their traction.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING

import numpy as np

from components import Material, Relaxation
from systems.boundary_elements.body import Body
from systems.boundary_elements.response import State, state_of

if TYPE_CHECKING:
    from framework import World


def advance(world: World, entity: int, body: Body, t: float, h: float) -> State:
    """The state at time t [s] after a frame of h [s]; what the loads have done is kept in Relaxation."""
    parts = world.store.components(entity)
    beta, kept = parts[Material].rayleigh_beta, parts[Relaxation]
    before, after = (state_of(world, entity, body, time, "loads") for time in (t - h, t))
    inner = kept.elastic_stress[body.inside]
    _follow(kept.followed, before.u, after.u, beta, h)
    _follow(kept.elastic_traction, before.traction, after.traction, beta, h)
    _follow(inner, before.stress, after.stress, beta, h)
    kept.elastic_stress[body.inside] = inner
    held, was = (state_of(world, entity, body, time, "supports") for time in (t, t - h))
    traction = after.traction + held.traction + beta / h * (held.traction - was.traction)
    return State(kept.followed + held.u, traction, inner + held.stress, after.field)


def elastic(world: World, entity: int, body: Body, t: float) -> State:
    """The elastic part of the state at time t [s], from which strain, stress and energy come."""
    kept = world.store.components(entity)[Relaxation]
    held = state_of(world, entity, body, t, "supports")
    return dataclasses.replace(
        held, u=kept.followed + held.u, traction=kept.elastic_traction + held.traction,
        stress=kept.elastic_stress[body.inside] + held.stress,
    )  # fmt: skip


def _follow(r: np.ndarray, before: np.ndarray, after: np.ndarray, beta: float, h: float) -> None:
    lag = beta / h * (after - before)
    r[...] = after - lag + (r - before + lag) * math.exp(-h / beta)
