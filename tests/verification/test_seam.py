"""A second elastic model beside springs: a membrane of one's own, stitched to a rope, in one backward Euler solve."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from components import RK4, BackwardEuler, Force, Geometry, Mass, MassSpring, Momentum, Position, Velocity
from components.prefabs import grid, rope
from framework import ForceSystem, Step, World, component
from framework.fields import field, positive
from tests.verification.scenes import orders, world_of


@component(requires=(Geometry, Mass))
class Membrane:
    """Constant-strain triangles with the St Venant-Kirchhoff energy mu tr(E^2) + lam/2 tr(E)^2 per area."""

    lam: float = field(unit="N/m", rule=positive, principal=True, doc="first Lame constant times thickness")
    mu: float = field(unit="N/m", rule=positive, doc="shear modulus times thickness")


class MembraneForce(ForceSystem):
    """F = sum x_a g_a' with the shape gradients g; E = (F'F - I) / 2; S = 2 mu E + lam tr(E) I; f_a = -A F S g_a."""

    reads, adds = (Position, Geometry, Membrane), (Force,)
    external = False
    pattern_reads = ((Geometry, "triangles"),)

    def process(self, world: World, step: Step) -> None:
        for _, position, geometry, model, force in world.query(Position, Geometry, Membrane, Force):
            area, g, F, S, _ = strained(position.x, geometry, model)
            pull = -area[:, None, None] * np.einsum("tci,tij,taj->tac", F, S, g)
            np.add.at(force.f, geometry.triangles, pull)

    def energy(self, world: World, step: Step) -> dict[int, float]:
        found = {}
        for entity, position, geometry, model in world.query(Position, Geometry, Membrane):
            area, _, _, S, E = strained(position.x, geometry, model)
            found[entity] = float(0.5 * area @ np.einsum("tij,tij->t", S, E))
        return found

    def pattern(self, world: World, step: Step) -> list[np.ndarray]:
        rows = world.query(Geometry, Membrane)
        return [geometry.triangles + np.int32(step.packed.start(entity)) for entity, geometry, _ in rows]

    def linearize(self, world: World, step: Step, matrix: Any) -> None:
        for index, (_, position, geometry, model) in enumerate(world.query(Position, Geometry, Membrane)):
            area, g, F, S, _ = strained(position.x, geometry, model)
            if matrix.project_psd:  # compression would make the stress term negative
                values, vectors = np.linalg.eigh(S)
                S = np.einsum("tik,tk,tjk->tij", vectors, np.maximum(values, 0.0), vectors)
            Fg = np.einsum("tci,tai->tac", F, g)
            K = np.einsum("tai,tij,tbj,cd->tabcd", g, S, g, np.eye(3))
            K += model.lam * np.einsum("tac,tbd->tabcd", Fg, Fg) + model.mu * np.einsum("tbc,tad->tabcd", Fg, Fg)
            K += model.mu * np.einsum("tai,tbi,tcj,tdj->tabcd", g, g, F, F)
            matrix.add_elements(index, area[:, None, None, None, None] * K)


def strained(x: np.ndarray, geometry: Geometry, model: Membrane) -> tuple[np.ndarray, ...]:
    """Areas (t,), gradients g (t, 3, 2), F (t, 3, 2), S and E (t, 2, 2) of triangles at rest in the xy plane."""
    rest = geometry.points[geometry.triangles][:, :, :2]
    Dm = (rest[:, 1:] - rest[:, :1]).transpose(0, 2, 1)
    inner = np.linalg.inv(Dm)
    g = np.concatenate([-inner.sum(axis=1, keepdims=True), inner], axis=1)
    F = np.einsum("tac,tai->tci", x[geometry.triangles], g)
    E = 0.5 * (np.einsum("tci,tcj->tij", F, F) - np.eye(2))
    S = 2 * model.mu * E + model.lam * np.trace(E, axis1=1, axis2=2)[:, None, None] * np.eye(2)
    return 0.5 * np.abs(np.linalg.det(Dm)), g, F, S, E


@component
class Stitch:
    """A spring of zero length between a particle of one entity and a particle of another."""

    stiffness: float = field(unit="N/m", rule=positive, principal=True, doc="stiffness")
    first: int = field(dtype="int", doc="id of the first entity")
    first_node: int = field(dtype="int", doc="its particle")
    second: int = field(dtype="int", doc="id of the second entity")
    second_node: int = field(dtype="int", doc="its particle")


class StitchForce(ForceSystem):
    """f = -k (x_a - x_b) on a, the opposite on b, across entities in the packed arrays."""

    reads, adds = (Stitch, Position), (Force,)
    external = False
    pattern_reads = ((Stitch, "first"), (Stitch, "second"))

    def process(self, world: World, step: Step) -> None:
        for (a, b), k in self.ends(world, step):
            pull = k * (step.packed.x[b] - step.packed.x[a])
            step.packed.f[a] += pull
            step.packed.f[b] -= pull

    def ends(self, world: World, step: Step) -> list[tuple[np.ndarray, float]]:
        start = step.packed.start
        return [
            (np.array([start(s.first) + s.first_node, start(s.second) + s.second_node], np.int32), s.stiffness)
            for _, s in world.query(Stitch)
        ]

    def energy(self, world: World, step: Step) -> dict[int, float]:
        x = {entity: position.x for entity, position in world.query(Position)}
        found = {}
        for _, s in world.query(Stitch):
            gap = x[s.first][s.first_node] - x[s.second][s.second_node]
            found[s.first] = 0.5 * s.stiffness * float(gap @ gap)
        return found

    def pattern(self, world: World, step: Step) -> list[np.ndarray]:
        return [np.sort(nodes)[None] for nodes, _ in self.ends(world, step)]

    def linearize(self, world: World, step: Step, matrix: Any) -> None:
        for index, (nodes, k) in enumerate(self.ends(world, step)):
            matrix.add_pairs(index, np.sort(nodes)[None], k * np.eye(3)[None])


def scene(integrator: Any, substeps: int, frame_time: float = 0.05) -> World:
    """A stretched sheet whose corner is stitched to the end of a rope that moves away from it; nothing is held."""
    world = world_of(
        MembraneForce(), StitchForce(), integrator=integrator, frame_time=frame_time, substeps=substeps
    )
    sheet = grid(size=(1.0, 1.0), cells=(3, 3), centre=(-0.5, 0.5, 0))
    corner = int(sheet.groups["corner_bottom_right"][0])
    first = world.spawn(
        sheet, Mass(m=np.full(16, 0.05)), Membrane(lam=20.0, mu=30.0),
        Position(x=1.1 * (sheet.points - sheet.points[corner]) + sheet.points[corner]),
        Velocity(v=np.tile([0, 0, -0.5], (16, 1))), name="sheet",
    )  # fmt: skip
    second = world.spawn(
        rope((0, 0, 0), (1, 0, 0), segments=4), Mass(m=np.full(5, 0.04)), MassSpring(stretch=60.0),
        Velocity(v=np.tile([0.8, -0.3, 0.2], (5, 1))), name="rope",
    )  # fmt: skip
    world.spawn(Stitch(stiffness=200.0, first=first, first_node=corner, second=second, second_node=0))
    return world


def energy(world: World) -> float:
    return sum(world.value(f"{name}.energy.{kind}") for name in ("sheet", "rope") for kind in ("kinetic", "elastic"))


def state(world: World) -> np.ndarray:
    return np.concatenate([world.get("sheet", Position).x, world.get("rope", Position).x])


LINEAR, NEWTON = BackwardEuler(tolerance=1e-2), BackwardEuler(newton=True, tolerance=1e-8, newton_tolerance=1e-10)
TIGHT = BackwardEuler(tolerance=1e-12)


def test_forces_are_those_of_the_energy() -> None:
    """RK4 keeps the energy to its order: halving the step cuts the error by 2^4 or, where it is dissipative, 2^5."""
    errors = []
    for substeps in (8, 16, 32):
        world = scene(RK4(), substeps)
        before = energy(world)
        world.step(4)
        errors.append(abs(energy(world) / before - 1))
    assert errors[-1] < 1e-6
    assert np.all(orders(errors) > 3.9)


@pytest.mark.parametrize("integrator", [LINEAR, NEWTON], ids=["linearised", "newton"])
def test_momentum_is_exact_and_energy_falls(integrator: Any) -> None:
    world = scene(integrator, substeps=5)
    start = sum(world.get(name, Momentum).linear.copy() for name in ("sheet", "rope"))
    size = 16 * 0.05 * 0.5 + 5 * 0.04 * np.linalg.norm([0.8, -0.3, 0.2])
    energies = [energy(world)]
    for _ in range(20):
        world.step()
        energies.append(energy(world))
        total = sum(world.get(name, Momentum).linear for name in ("sheet", "rope"))
        assert np.abs(total - start).max() < 1e-12 * size
    assert np.all(np.diff(energies) <= 1e-12 * energies[0])
    assert "StitchForce" in world.describe() and "held over" not in world.describe()


@pytest.fixture(scope="module")
def reference() -> tuple[np.ndarray, float, float]:
    """(positions, energy at the end, energy at the start) after 0.1 s by RK4 in steps of 0.25 ms: error below 1e-9."""
    world = scene(RK4(), substeps=200)
    start = energy(world)
    world.step(2)
    assert energy(world) == pytest.approx(start, rel=1e-9)
    return state(world), energy(world), start


@pytest.mark.parametrize("integrator", [TIGHT, NEWTON], ids=["linearised", "newton"])
def test_converges_to_rk4_with_order_1(integrator: Any, reference: tuple[np.ndarray, float, float]) -> None:
    """Positions and the energy lost to numerical damping, both of the order h."""
    expected, kept, _ = reference
    errors, losses = [], []
    for substeps in (20, 40, 80, 160):
        world = scene(integrator, substeps)
        world.step(2)
        errors.append(float(np.abs(state(world) - expected).max()))
        losses.append(kept - energy(world))
    assert min(losses) > 0
    assert orders(errors)[-2:] == pytest.approx([1, 1], abs=0.1)
    assert orders(losses)[-2:] == pytest.approx([1, 1], abs=0.1)
