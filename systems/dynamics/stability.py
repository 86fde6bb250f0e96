"""How long a step may be: an estimate from the fastest mode, made before an explicit run explodes."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from components import RK4, BackwardEuler, VelocityVerlet
from framework.stepping import MOST_SUBSTEPS
from systems.dynamics.problem import Problem

if TYPE_CHECKING:
    from framework import System, World

ITERATIONS = 40
MARGIN = 1.3  # of the substeps that are advised: bodies stiffen as they stretch, and one advice should do
SAFETY = 1.05  # the iteration approaches the largest eigenvalue from below
RECHECK_FRAMES = 60


@dataclass(frozen=True)
class StableStep:
    """Estimate for explicit integrators.

    stiffness [1/s^2] and damping [1/s]: largest eigenvalues of M^-1 K and M^-1 D; limit [s]: longest stable step of the
    integrator, inf when any is; entity: name of the body with the fastest mode.
    """

    stiffness: float
    damping: float
    limit: float
    entity: str
    method: str

    def hint(self, world: World) -> str:
        """What to do, when the present substep is too long; otherwise nothing."""
        h = world.stepping.frame_time / world.stepping.substeps
        if not 0 < self.limit < h:  # forces that are not finite allow no estimate: the limit is nan or 0
            return ""
        need = MARGIN * world.stepping.frame_time / self.limit
        more = f"substeps={math.ceil(need)} or more, or " if need <= MOST_SUBSTEPS else ""
        return (
            f"The substep of {h:.3g} s is longer than the stable step of {self.limit:.3g} s of {self.method} "
            f"(fastest in {self.entity!r}): use {more}integrator=BackwardEuler()."
        )


class StabilityNotes:
    """What was last estimated, and when: a diagnosis, no state."""

    def __init__(self) -> None:
        self.known: StableStep | None = None
        self.frame = self.edits = -1
        self.warned = ""


def warn_when_unstable(system: System, world: World, problem: Problem) -> None:
    """Estimate at the first frame, after structural change, and at times after edits; warn once per finding."""
    if isinstance(problem.settings, BackwardEuler):
        return
    notes: StabilityNotes = world.cached(system, "stability", (), StabilityNotes)
    edited = notes.edits != world.store.edits and world.frame >= notes.frame + RECHECK_FRAMES
    if notes.known is None or edited:
        notes.known = estimate(world, problem)
        notes.frame, notes.edits = world.frame, world.store.edits
    hint = notes.known.hint(world)
    if hint and hint != notes.warned:
        notes.warned = hint
        warnings.warn(hint, RuntimeWarning, stacklevel=2)


def stability_hint(system: Any, world: World) -> str:
    """What to do about a substep that is too long; nothing for backward Euler, which is stable at any."""
    if isinstance(world.stepping.integrator, BackwardEuler):
        return ""
    return stable_step(system, world).hint(world)


def stable_step(system: Any, world: World) -> StableStep:
    """The estimate for the world's present state, made outside a frame."""
    with world.acting(system):
        return estimate(world, system.problem(world, world.engine.step))


def describe_stability(system: Any, world: World) -> str:
    settings = world.stepping.integrator
    name = "SymplecticEuler()" if settings is None else repr(settings)
    with world.acting(system):
        problem = system.problem(world, world.engine.step)
        h = world.stepping.frame_time / world.stepping.substeps
        if problem.packed.m.size == 0:
            return f"{name} has no bodies to step"
        lines = [
            f"{name} steps {len(problem.packed.m)} particles of {len(problem.packed.ids)} bodies, substep {h:.4g} s"
        ]
        if isinstance(settings, BackwardEuler):
            from framework.describe import held_forces

            held = held_forces(world)
            lines.append(
                "stable at any step" + (f"; held over each substep (no Jacobian): {', '.join(held)}" if held else "")
            )
        else:
            known = estimate(world, problem)
            lines.append(f"longest stable step {known.limit:.4g} s (fastest mode in {known.entity!r})")
    for force in world.engine.schedule:
        solver = getattr(force, "solver_text", None)
        if solver is not None:
            with world.acting(force):
                lines += solver(world)
    return "\n".join(lines)


@np.errstate(all="ignore")  # a force that is not finite is told of where it acts, numbers at the end of their range not
def estimate(world: World, problem: Problem) -> StableStep:
    """Power iteration on M^-1 K and M^-1 D, whose products come from differences of forces; the state is put back."""
    bodies = problem.packed
    method = type(problem.settings).__name__ if problem.settings is not None else "SymplecticEuler"
    weight = problem.supports.inverse_mass[:, None] * ~problem.supports.fixed
    if not weight.any():
        return StableStep(0.0, 0.0, math.inf, "", method)
    kept = bodies.x.copy(), bodies.v.copy(), problem.step.time
    try:
        problem.evaluate(problem.time)
        rest = bodies.f.copy()
        small = 1e-7 * max(float(np.ptp(bodies.x, axis=0).max(initial=0.0)), 1e-3)

        def product(q: np.ndarray, array: np.ndarray, original: np.ndarray, size: float) -> np.ndarray:
            length = float(np.sqrt((q * q).sum(axis=1)).max())
            if not 0.0 < length < math.inf:  # masses or stiffness at the end of the range of numbers
                return np.zeros_like(q)
            array += (size / length) * q
            problem.evaluate(problem.time)
            array[...] = original
            return (rest - bodies.f) * (length / size)

        speed = max(float(np.abs(kept[1]).max(initial=0.0)), 1e-2)
        stiff, stiff_mode = _largest(lambda q: product(q, bodies.x, kept[0], small), weight, bodies.m)
        damped, damped_mode = _largest(lambda q: product(q, bodies.v, kept[1], 1e-3 * speed), weight, bodies.m)
        pairs = [
            (stiff, _quotient(product(stiff_mode, bodies.v, kept[1], 1e-3 * speed), stiff_mode, bodies.m)),
            (_quotient(product(damped_mode, bodies.x, kept[0], small), damped_mode, bodies.m), damped),
        ]
    finally:
        bodies.x[...], bodies.v[...], problem.step.time = kept
    limits = [_limit(problem.settings, SAFETY * _rate(k), SAFETY * _rate(d)) for k, d in pairs]
    mode = stiff_mode if limits[0] <= limits[1] else damped_mode
    shares = np.add.reduceat(bodies.m * (mode * mode).sum(axis=1), bodies.starts[:-1]) if len(bodies.ids) else [0.0]
    return StableStep(stiff, damped, min(limits), world.name(bodies.ids[int(np.argmax(shares))]), method)


def _largest(multiply: Any, weight: np.ndarray, m: np.ndarray) -> tuple[float, np.ndarray]:
    """Largest eigenvalue of M^-1 A on the free axes and its vector, for A given by its product with vectors (n, 3)."""
    q = np.random.default_rng(1).standard_normal(weight.shape) * (weight > 0)
    value = 0.0
    for _ in range(ITERATIONS):
        q /= np.sqrt((m[:, None] * q * q).sum())
        image = multiply(q)
        former, value = value, float((q * image).sum())
        z = weight * image
        largest = float(np.abs(z).max())
        if not (np.isfinite(value) and 0.0 < largest < math.inf):
            break
        q = z / largest  # so that no square over- or underflows
        if abs(value - former) <= 2e-3 * abs(value):
            break
    return (value if np.isfinite(value) else math.inf), q


def _quotient(image: np.ndarray, q: np.ndarray, m: np.ndarray) -> float:
    return float((q * image).sum() / (m[:, None] * q * q).sum())


def _rate(value: float) -> float:
    """An eigenvalue as far as it limits the step: 0 for one that is negative, too small to be squared, or nan."""
    return value if value > 1e-100 else 0.0


def _limit(settings: Any, k: float, d: float) -> float:
    """Longest stable step for x'' = -k x - d x'.

    Symplectic Euler: h^2 k + 2 h d < 4 (Schur conditions of its 2 x 2 matrix). Verlet: the same, with room to spare.
    RK4: |h lambda| < 2.78, its limit on the negative real axis, slightly below that on the imaginary one (2.83), for
    the larger root lambda of lambda^2 + d lambda + k.
    """
    if k <= 0 and d <= 0:
        return math.inf
    if isinstance(settings, RK4):
        return 2.78 / (0.5 * d + math.sqrt(0.25 * d * d - k) if d * d > 4.0 * k else math.sqrt(k))
    if k * 1e12 < d * d:
        return 2.0 / d
    limit = (math.sqrt(d * d + 4.0 * k) - d) / k
    return min(limit, 2.0 / math.sqrt(k)) if isinstance(settings, VelocityVerlet) else limit
