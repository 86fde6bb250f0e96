"""Contact with colliders inside an implicit step: an active set of touching particles that stick or slide.

A touching particle has its end on the surface, n.v = (what brings the gap to 0 at the end of the step). It sticks
(v = velocity of the collider) while the impulse that needs lies in the Coulomb cone; otherwise it slides under a
friction impulse of mu times the normal impulse N against its sliding velocity w. That impulse enters the linear system
as a drag, -c w with c = mu N / |w| from the round before: each round lowers the energy of the problem with N held, so
that a guess of N that is far too large cannot throw a particle back. A particle whose normal impulse would pull is
released. The set, the directions and the drags are iterated with the linear solve until nothing changes.

A particle whose path goes through a collider touches it where the path came in (kernels/shape_gaps.py).

*Limitations*: one collider a particle (the deepest); the iteration converges slowly where a particle is about to stop,
and what had not settled is reported; bounces start at the surface at the end of the step.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from systems.dynamics.colliders import Colliders
from systems.dynamics.problem import Problem
from systems.kernels.shape_gaps import shape_gaps
from systems.kernels.shapes import BOUNCE, EXTENT, FRICTION, RESTITUTION

Gaps = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]

STICK, SLIDE = 1, 2
SETTLED = 1e-7  # relative change of friction, and gap over reach, below which the set counts as settled
LIGHT = 1e-3  # of the largest friction: particles with less than that are not waited for
LEAST = 1e-8  # [m], the size that a body is given at least, so that one particle has a length to compare with
NEARLY_STILL = 0.1  # of the speed that friction can stop in the step: then sticking is tried; each time at less
LEFT_INSIDE = 1e-5  # gap over size below which a particle is taken out at the end of the step
AHEAD = 2.0  # steps at its speed within which a particle may bounce in this one: forces may speed it up
MOVABLE = 0.05  # share of a normal along free axes below which contact cannot move a particle


class ActiveContacts:
    """The touching particles of one substep.

    Per particle: state, collider (n,), normal (n, 3), velocity of the collider there, moves (n, 3), drag (n,) [kg]; how
    often sticking was tried (tries) and contact began (entries). Of a particle that is held along some axes, normal is
    the part along the others, of length 1, and aim (n,) its speed along that; target (n,) is the speed along the
    collider's own normal.
    """

    def __init__(self, problem: Problem, x0: np.ndarray, v0: np.ndarray, held: np.ndarray) -> None:
        self.colliders, self.h, self.x0, self.held = problem.colliders, problem.h, x0, held
        table = problem.colliders.shapes
        self.mu, self.slow = table[:, FRICTION], table[:, BOUNCE]
        self.free = problem.supports.inverse_mass > 0
        self.axes = 1.0 - problem.supports.fixed
        n = len(x0)
        self.state = np.zeros(n, np.int8)
        self.collider = np.zeros(n, np.int64)
        self.normal, self.drag = np.zeros((n, 3)), np.zeros(n)
        self.moves = np.zeros((n, 3))
        self.tries, self.entries = np.zeros(n, np.int64), np.zeros(n, np.int64)
        self.v0 = v0
        self.bounce = self._bounce(v0)
        self.target, self.aim = np.zeros(n), np.zeros(n)
        extent = np.ptp(x0, axis=0).max() if n else 0.0
        self.length = float(extent + problem.h * np.abs(v0).max(initial=0.0) + LEAST)
        self.size = table[:, EXTENT] + self.length  # what gaps are compared with: bodies and collider
        self.tolerance = 1e-12 * (self.length + float(np.abs(x0).max(initial=0.0)))

    @property
    def any(self) -> bool:
        return len(self.colliders) > 0

    @property
    def nodes(self) -> np.ndarray:
        return np.flatnonzero(self.state)

    def begin(self, x1: np.ndarray) -> None:
        """Guess the touching particles from where they would be at the end of the step."""
        gap, collider, normal, moves = self._gaps(x1)
        self._touch(self._movable(normal) & (gap < 0), collider, normal, moves, x1)

    def _movable(self, normal: np.ndarray) -> np.ndarray:
        """(n,): whether contact along a normal (n, 3) moves a particle: not if its axes are held against it."""
        return self.free & (np.sqrt(((normal * self.axes) ** 2).sum(axis=1)) > MOVABLE)

    def wanted(self, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(projections (c, 3, 3) onto the free directions, velocities (c, 3) [m/s]) of touching particles."""
        normal = self.normal[nodes]
        moves = self.moves[nodes]
        velocity = moves + (self.aim[nodes] - (moves * normal).sum(axis=1))[:, None] * normal
        slide = (self.state[nodes] == SLIDE)[:, None, None]
        return np.where(slide, np.eye(3) - normal[:, :, None] * normal[:, None, :], 0.0), velocity

    def friction(self, v: np.ndarray) -> np.ndarray:
        """Friction impulses (n, 3) [N s] of the sliding particles at velocities v (n, 3)."""
        found = np.zeros_like(v)
        nodes = np.flatnonzero(self.state == SLIDE)
        found[nodes] = -self.drag[nodes, None] * self._sliding(nodes, v)
        return found

    def brake(self, diagonal: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Add the drags to the diagonal blocks (n, 3, 3); returns what `diagonal[nodes] = blocks` puts back."""
        nodes = np.flatnonzero(self.state == SLIDE)
        kept = diagonal[nodes]
        normal = self.normal[nodes]
        diagonal[nodes] += self.drag[nodes, None, None] * (np.eye(3) - normal[:, :, None] * normal[:, None, :])
        return nodes, kept

    def update(self, x1: np.ndarray, v1: np.ndarray, impulse: np.ndarray, diagonal: np.ndarray) -> float:
        """Revise the set after a solve with ends x1, v1 and contact impulses (n, 3) [N s], which leave out the drags.

        diagonal (n, 3, 3) [kg]: blocks of the matrix without drags. Returns the relative change of what had been
        assumed, 1 or more where the set has changed.
        """
        change = self._revise(self.nodes, v1, impulse, diagonal)
        gap, collider, normal, moves = self._gaps(x1)
        # a particle that comes and goes without end may stay a little inside: the next step takes it out
        grace = np.where(self.entries > 0, SETTLED * 10.0 ** np.minimum(self.entries, 4) * self.size[collider], 0.0)
        entering = self._movable(normal) & (self.state == 0) & (gap < -self.tolerance - grace)
        touching = self.state > 0
        bounced = self._bounces(touching)
        error = np.abs(self._aim(touching, x1)) / self.size[self.collider[touching]] * ~bounced
        self._touch(entering, collider, normal, moves, x1)
        return max(change, float(error.max(initial=0.0)), float(entering.any()))

    def secure(self, x1: np.ndarray, v1: np.ndarray) -> None:
        """Treat what has still entered a collider, where the set did not settle, as after an explicit step."""
        gap, collider, _, _ = self._gaps(x1)
        nodes = np.flatnonzero(self.free & (gap < -LEFT_INSIDE * self.size[collider]))
        if len(nodes):
            x, v = x1[nodes], v1[nodes]
            self.colliders.resolve(self.x0[nodes], x, v, np.ones(len(nodes)), self.h)
            x1[nodes], v1[nodes] = x, v

    def _sliding(self, nodes: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Velocities (k, 3) along the surface of the collider."""
        relative = (v[nodes] - self.moves[nodes]) * self.axes[nodes]
        return relative - (relative * self.normal[nodes]).sum(axis=1)[:, None] * self.normal[nodes]

    def _revise(self, nodes: np.ndarray, v1: np.ndarray, impulse: np.ndarray, diagonal: np.ndarray) -> float:
        if len(nodes) == 0:
            return 0.0
        normal, push, sticks = self.normal[nodes], impulse[nodes] * self.axes[nodes], self.state[nodes] == STICK
        along = (push * normal).sum(axis=1)
        across = np.sqrt(((push - along[:, None] * normal) ** 2).sum(axis=1))
        limit = self.mu[self.collider[nodes]] * along
        speed = np.sqrt((self._sliding(nodes, v1) ** 2).sum(axis=1))
        inertia = diagonal[nodes].trace(axis1=1, axis2=2) / 3
        # what pulls a sticking particle may be its friction: it has to slide before it is released
        released = ~sticks & (along < 0)
        slips = sticks & ((along < 0) | (across > limit * (1 + SETTLED)))
        slow = NEARLY_STILL * 0.01 ** self.tries[nodes] * limit / inertia
        stops = ~sticks & ~released & (speed <= slow)
        slides = slips | ~(sticks | released | stops)
        # a particle that begins to slip would, alone, get the speed that its surplus impulse gives it
        # and one that slides would come nearer to the speed at which its drag is the friction it should be
        nearer = np.maximum(speed + (self.drag[nodes] * speed - limit) / inertia, 0.3 * speed)
        guess = np.where(slips, (across - limit) / inertia, nearer)
        with np.errstate(invalid="ignore", divide="ignore"):
            drag = np.where(slides & (limit > 0), limit / guess, 0.0)
        wrong = np.abs(self.drag[nodes] * speed - limit)[slides & ~slips]
        change = wrong / (limit[slides & ~slips] + LIGHT * float(limit.max(initial=0.0)) + 1e-300)
        self.tries[nodes] += stops
        self.drag[nodes] = drag
        self.state[nodes] = np.where(released, 0, np.where(slides, SLIDE, STICK))
        return max(float((released | slips | stops).any()), float(change.max(initial=0.0)))

    def _touch(
        self, which: np.ndarray, collider: np.ndarray, normal: np.ndarray, moves: np.ndarray, x1: np.ndarray
    ) -> None:
        nodes = np.flatnonzero(which)
        self.entries[nodes] += 1
        self.collider[nodes], self.normal[nodes], self.moves[nodes] = collider[nodes], normal[nodes], moves[nodes]
        self.drag[nodes] = 0.0
        speed = np.sqrt((self._sliding(nodes, self.v0) ** 2).sum(axis=1))
        self.state[nodes] = np.where(speed > self.slow[self.collider[nodes]], SLIDE, STICK)
        self._aim(which, x1)

    def _aim(self, which: np.ndarray, x1: np.ndarray) -> np.ndarray:
        """Normal and end speed of touching particles, linearised about their ends x1; returns their gaps (k,) [m]."""
        nodes = np.flatnonzero(which)
        if len(nodes) == 0:
            return np.zeros(0)
        gap, _, normal, self.moves[nodes] = self._gaps(x1, nodes)
        ending = ((x1[nodes] - self.x0[nodes]) * normal).sum(axis=1) - gap
        self.target[nodes] = np.maximum(ending / self.h, self.bounce[self.collider[nodes], nodes])
        part = normal * self.axes[nodes]
        length = np.maximum(np.sqrt((part * part).sum(axis=1)), MOVABLE)
        self.normal[nodes] = part / length[:, None]
        driven = (normal * (1.0 - self.axes[nodes]) * self.held[nodes]).sum(axis=1)
        self.aim[nodes] = (self.target[nodes] - driven) / length
        return gap

    def _bounces(self, which: np.ndarray) -> np.ndarray:
        return self.target[which] <= self.bounce[self.collider[which], np.flatnonzero(which)]

    def _gaps(self, x1: np.ndarray, nodes: np.ndarray | None = None) -> Gaps:
        """Of all particles to the deepest collider, or of some to the one that they touch."""
        if nodes is None:
            return _gaps(self.colliders, self.x0, x1, self.h, None)
        return _gaps(self.colliders, self.x0[nodes], x1[nodes], self.h, self.collider[nodes])

    def _bounce(self, v0: np.ndarray) -> np.ndarray:
        """(k, n) normal speed after a bounce off each collider, -inf where a particle would not bounce."""
        speeds = np.full((len(self.colliders), len(v0)), -np.inf)
        for k, row in enumerate(self.colliders.shapes):
            if row[RESTITUTION] > 0:
                one = replace(self.colliders, shapes=row[None])
                _, _, normal, moves = _gaps(one, self.x0, self.x0 + AHEAD * self.h * v0, self.h, None)
                approach = ((v0 - moves) * normal).sum(axis=1)
                fast = -approach > row[BOUNCE]
                speeds[k, fast] = -row[RESTITUTION] * approach[fast] + (normal[fast] * moves[fast]).sum(axis=1)
        return speeds


def push_out(x0: np.ndarray, colliders: Colliders, fixed: np.ndarray) -> None:
    """Move particles that start inside a collider to its surface: positions only, so that they gain no speed by it.

    Axes that are fixed (n, 3) stay.
    """
    for row in colliders.standing():
        gap, normal = standing_gaps(x0, row, colliders)
        part = normal * ~fixed
        square = (part * part).sum(axis=1)
        inside = (square > MOVABLE**2) & (gap < 0)
        x0[inside] -= (gap[inside] / square[inside])[:, None] * part[inside]


def standing_gaps(x: np.ndarray, row: np.ndarray, colliders: Colliders) -> tuple[np.ndarray, np.ndarray]:
    """(gap (n,) [m], normal (n, 3)) of particles x (n, 3) to the collider of a row of `colliders.standing()`."""
    gap, _, normal, _ = _gaps(replace(colliders, shapes=row[None]), x, x, 1.0, None)
    return gap, normal


def _gaps(colliders: Colliders, x0: np.ndarray, x1: np.ndarray, h: float, only: np.ndarray | None) -> Gaps:
    """Gap (n,) [m], collider (n,), normal (n, 3) and velocity (n, 3) [m/s] of the surface; `only` as in shape_gaps."""
    which = np.full(len(x1), -1, np.int64) if only is None else only
    return shape_gaps(x0, x1, h, which, colliders.shapes, colliders.meshes)
