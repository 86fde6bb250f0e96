"""Explicit integrators. They know no model: `problem.evaluate(t)` gives the forces at the present x, v and time t.

Contact is applied as impulses after each step (kernels/contact.py and shape_contact.py); supports are enforced at every
stage.
"""

from __future__ import annotations

import numpy as np

from systems.dynamics.problem import Problem
from systems.kernels.stepping import drift, kick, runge_kutta_end, runge_kutta_stage, symplectic_step

NO_COLLIDERS = np.zeros((0, 16))


def symplectic_euler(problem: Problem) -> None:
    """v1 = v0 + h f(x0, v0, t) / m, x1 = x0 + h v1.

    First order; conserves momentum exactly and energy on average (Hairer, Lubich and Wanner, Acta Numerica 12, 2003,
    doi:10.1017/S0962492902000144). Limitations: stable for h < 2 / omega only.
    """
    bodies, h = problem.packed, problem.h
    problem.evaluate(problem.time)
    colliders, w = problem.colliders, problem.supports.inverse_mass
    if colliders.plain is not None:
        symplectic_step(bodies.x, bodies.v, bodies.f, w, h, colliders.plain)
    else:
        x0 = bodies.x.copy()
        symplectic_step(bodies.x, bodies.v, bodies.f, w, h, NO_COLLIDERS)
        colliders.resolve(x0, bodies.x, bodies.v, w, h)
    problem.supports.enforce(bodies.x, bodies.v, problem.time + h)


def velocity_verlet(problem: Problem) -> None:
    """Velocity Verlet with a predicted end velocity for velocity-dependent forces.

        v' = v0 + h/2 a(x0, v0, t),  x1 = x0 + h v',  v1 = v' + h/2 a(x1, v0 + h a(x0, v0, t), t + h)

    Swope et al. 1982 (doi:10.1063/1.442716); the predicted velocity is that of Groot and Warren 1997
    (doi:10.1063/1.474784) with lambda = 1. Second order, with velocity-dependent and time-dependent forces too.
    Limitations: stable for h < 2 / omega only; two evaluations a step.
    """
    bodies, h = problem.packed, problem.h
    x, v, f, w = bodies.x, bodies.v, bodies.f, problem.supports.inverse_mass
    x0 = x.copy()
    problem.evaluate(problem.time)
    kick(v, f, w, 0.5 * h)
    half = v.copy()
    drift(x, v, h)
    kick(v, f, w, 0.5 * h)  # the predicted end velocity
    free = x.copy() if len(problem.colliders) else None
    if free is not None:  # a resting particle must not seem to fall while the forces at the end are evaluated
        problem.colliders.resolve(x0, x, v, w, h)
    problem.supports.enforce(x, v, problem.time + h)
    problem.evaluate(problem.time + h)
    v[...] = half
    kick(v, f, w, 0.5 * h)
    if free is not None:
        x[...] = free
    problem.colliders.resolve(x0, x, v, w, h)
    problem.supports.enforce(x, v, problem.time + h)


def runge_kutta_4(problem: Problem) -> None:
    """The classical Runge-Kutta method of order 4 (Kutta 1901); forces are evaluated at each of its four stages.

    Limitations: stable for h < 2.8 / omega; loses energy slowly; contact is resolved once, after the step.
    """
    bodies, h, t = problem.packed, problem.h, problem.time
    x, v, f, w = bodies.x, bodies.v, bodies.f, problem.supports.inverse_mass
    x0, v0 = x.copy(), v.copy()
    sum_x, sum_v = np.zeros_like(x), np.zeros_like(v)
    for at, weight, ahead in ((0.0, h / 6, h / 2), (h / 2, h / 3, h / 2), (h / 2, h / 3, h), (h, h / 6, 0.0)):
        problem.evaluate(t + at)
        runge_kutta_stage(x0, v0, f, w, weight, ahead, x, v, sum_x, sum_v)
        if ahead:
            problem.supports.enforce(x, v, t + ahead)
    runge_kutta_end(x0, v0, sum_x, sum_v, x, v)
    problem.supports.enforce(x, v, t + h)
    problem.colliders.resolve(x0, x, v, w, h)
    problem.supports.enforce(x, v, t + h)
