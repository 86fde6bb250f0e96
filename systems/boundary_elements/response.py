"""How a body answers to each of its loads by itself: elasticity is linear, so a frame is a sum of these.

A load here is one axis of one condition's history, of gravity, or of the far stress; forces at points and rotation are
one each. The equations are assembled and factored once for all of them, and again only when supports, the places of
loads, the geometry or the material change.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.linalg

from components import ElementConditions, PointLoads
from framework import SimulationError
from framework.encoding import encode
from framework.memory import available_bytes
from framework.threads import one_thread
from systems.boundary_elements.body import SOURCES, Body
from systems.boundary_elements.loads import balanced, particular, point_tractions, refuse_net_force
from systems.boundary_elements.problem import free_field, inside, problem_of, six, zero_load
from systems.kernels.bem.particular import Particular
from systems.kernels.bem.system import Load, free_motions, responses

if TYPE_CHECKING:
    from framework import World

OWNER = "boundary elements"
FULL = 0.9  # of the memory that is left, which the equations may take
KEPT = 2  # responses of a body: of supports now and before
UPPER = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))  # components of a symmetric tensor
Part = tuple[str, int, int]  # kind of a load, number of its condition's term, axis


@dataclass(frozen=True)
class Response:
    """What each of q parts of the load does. u (q, n, 3) [m], traction (q, m, k, 3) [Pa], stress (q, i, 3, 3) [Pa].

    known (q, m, k, 3): the part of the tractions that is given. stress: at the points inside. free (r, 6): motions that
    nothing prevents, as translation and rotation about the centre of the body forces.
    """

    parts: list[Part]
    u: np.ndarray
    traction: np.ndarray
    known: np.ndarray
    stress: np.ndarray
    free: np.ndarray


@dataclass(frozen=True)
class State:
    """A body at one time: displacement (n, 3), traction (m, k, 3), stress at points inside (i, 3, 3), body forces."""

    u: np.ndarray
    traction: np.ndarray
    stress: np.ndarray
    field: Particular


def state_of(world: World, entity: int, body: Body, t: float, only: str = "") -> State:
    """Equilibrium at time t [s], of all loads, or only of "loads" or "supports"; SimulationError when there is none."""
    name = world.name(entity)
    field = particular(world, entity, body)
    response = _response(world, entity, body, field)
    weights = np.array([_weight(part, body, field, t) for part in response.parts])
    known = _sum(weights, response.known)
    if body.settings.infinite:
        refuse_net_force(name, body, known)
    if len(response.free):
        field = balanced(name, body, field, known, response.free)
        weights = np.array([_weight(part, body, field, t) for part in response.parts])
    if only:
        weights = weights * [_is_support(part, body) == (only == "supports") for part in response.parts]
    return State(
        _sum(weights, response.u), _sum(weights, response.traction), _sum(weights, response.stress), field
    )


def _sum(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Weighted sum over the first axis, in a fixed order."""
    total = np.zeros(values.shape[1:])
    for weight, value in zip(weights, values, strict=True):
        if weight != 0.0:
            total += weight * value
    return total


def _is_support(part: Part, body: Body) -> bool:
    """Whether a load is a prescribed displacement."""
    return part[0] == "term" and part[1] >= 0 and body.conditions.terms[part[1]].kind != "traction"


def _weight(part: Part, body: Body, field: Particular, t: float) -> float:
    kind, number, axis = part
    if kind == "term":
        return float(body.history(number, t)[axis])
    if kind == "weight":
        return float(field.weight[axis])
    if kind == "angular":
        return float(field.angular[axis])
    if kind == "far":
        return float(field.far_stress[UPPER[axis]])
    return 1.0


def _response(world: World, entity: int, body: Body, field: Particular) -> Response:
    """The response to the kinds of loads that there are, kept while they act at the same places."""
    forces = world.store.components(entity).get(PointLoads)
    load = None if forces is None or forces.load is None or not forces.load.any() else forces.load
    relief = body.settings.free == "inertia relief"
    active = [("weight", 0, axis) for axis in range(body.dimension) if field.weight[axis] or relief]
    active += [("angular", 0, axis) for axis in ((2,) if body.dimension == 2 else range(3)) if relief]
    active += [("far", 0, axis) for axis, place in enumerate(UPPER) if field.far_stress[place]]
    if field.centrifugal.any():
        active.append(("rotation", 0, 0))
    reads = [(entity, ElementConditions, name) for name in ElementConditions.__component__.fields]
    digest = world.cached(OWNER, ("digest", entity), reads, lambda: _digest(body))
    key = (digest, tuple(active), field.centrifugal.tobytes(), field.axis.tobytes(),
           None if load is None else load.tobytes())
    fixed = [(entity, cls, name) for cls in SOURCES[:-1] for name in cls.__component__.fields]
    kept: dict[Any, Response] = world.cached(OWNER, ("responses", entity), fixed, dict)
    if key not in kept:
        while len(kept) >= KEPT:
            del kept[next(iter(kept))]
        kept[key] = _built(world, entity, body, field, active)
    return kept[key]


def _digest(body: Body) -> bytes:
    """Of where supports and loads act, and how they are spread there; not of how large they are."""
    conditions, sink = body.conditions, hashlib.blake2b(digest_size=16)
    spread = [
        (term.kind, term.elements, term.basis, term.kind != "traction" or term.values.any(axis=0))
        for term in conditions.terms
    ]
    encode([conditions.fixed, conditions.foundation, conditions.frames, spread], sink.update)
    return sink.digest()


def _built(world: World, entity: int, body: Body, field: Particular, active: list[Part]) -> Response:
    name = world.name(entity)
    nothing = zero_load(body)
    free = free_motions(problem_of(body), body.size)
    parts, loads, fields = [], [], []
    for number, term in enumerate(body.conditions.terms):
        for axis in range(3):
            if (term.kind != "traction" or term.values[:, axis].any()) and term.basis[..., axis].any():
                u_value, t_value = nothing.u_value.copy(), nothing.t_value.copy()
                (t_value if term.kind == "traction" else u_value)[term.elements] = term.basis[..., axis]
                parts.append(("term", number, axis))
                loads.append(nothing._replace(u_value=u_value, t_value=np.where(body.conditions.fixed, 0.0, t_value)))
                fields.append(None)
    forces = point_tractions(world, entity, body)
    if forces is not None:
        local = np.einsum("mkab,mka->mkb", body.conditions.frames[body.elements], forces)
        parts.append(("points", 0, 0))
        loads.append(nothing._replace(t_value=np.where(body.conditions.fixed, 0.0, local)))
        fields.append(None)
    for part in active:
        own = field.only(part[0], UPPER[part[2]] if part[0] == "far" else part[2])
        u_free, t_free = free_field(body, own)
        parts.append(part)
        loads.append(nothing._replace(u_free=u_free, t_free=t_free))
        fields.append(own)
    if not parts:
        parts, loads, fields = [("term", -1, 0)], [nothing], [None]
    _refuse_too_large(name, body, len(loads))
    try:
        with one_thread():
            solutions = responses(problem_of(body), [_cut(body, load) for load in loads])
    except scipy.linalg.LinAlgError as error:
        raise SimulationError(f"{name}: the boundary-element equations have no unique solution ({error})") from None
    shape = (len(parts), *body.points.shape)
    u, traction = np.zeros(shape), np.zeros((len(parts), *body.normals.shape))
    stress = np.zeros((len(parts), len(body.inside), 3, 3))
    d = body.dimension
    for q, solution in enumerate(solutions):
        u[q, body.on, :d], traction[q, ..., :d] = solution.u, solution.t
        if len(body.inside):
            u[q, body.inside], stress[q] = inside(body, fields[q], u[q], traction[q])
    frames = body.conditions.frames[body.elements]
    known = np.stack([np.einsum("mkab,mkb->mka", frames, load.t_value) for load in loads])
    return Response(parts, u, traction, known, stress, six(free, body, field.centre))


def _refuse_too_large(name: str, body: Body, loads: int) -> None:
    """The matrix must fit into memory, with its right-hand sides and what the loads leave."""
    held = int(body.conditions.fixed[..., : body.dimension].sum())  # more than one unknown traction at corners
    unknowns = body.dimension * len(body.on) + held // 2
    need = 8.0 * (unknowns**2 + loads * (unknowns + 2 * body.points.size + 3 * body.normals.size))
    there = available_bytes()
    if need > FULL * there:
        raise SimulationError(
            f"{name}: the equations of {len(body.on)} points of boundary elements take {need / 1e9:.3g} GB, of "
            f"{there / 1e9:.3g} GB that are left; use fewer elements, or planes of symmetry (BoundaryElements.symmetry)"
        )


def _cut(body: Body, load: Load) -> Load:
    """The load in as many axes as the problem has."""
    d = body.dimension
    return Load(*(np.ascontiguousarray(value[..., :d]) for value in load))
