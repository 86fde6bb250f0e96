"""The colliders of a world as tables for the contact kernels, which document them: contact.py and shapes.py.

Spheres and planes that do not turn go into one table for a fast kernel; any other collider takes all to the other one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from components import Collider, Gravity, Pose, unit_normal
from components.collider import uneven
from framework import FieldError
from systems.dynamics.mesh_tree import joined, mesh_tree
from systems.dynamics.placement import Course, Rigid, course
from systems.kernels import shapes
from systems.kernels.closest import CLOSED, CONTAINER, Meshes
from systems.kernels.contact import contact_resolve
from systems.kernels.shape_contact import resolve_shapes

if TYPE_CHECKING:
    from framework import Step, World

BOUNCE_STEPS = 4  # particles slower than what gravity adds in this many substeps come to rest instead of bouncing
KINDS = {"sphere": shapes.SPHERE, "plane": shapes.PLANE, "box": shapes.BOX, "capsule": shapes.CAPSULE,
         "mesh": shapes.MESH}  # fmt: skip


@dataclass(frozen=True)
class Colliders:
    """All colliders in one substep.

    plain (k, 16): the table of contact.py, None when it cannot hold them all. shapes (k, COLUMNS): that of shapes.py.
    """

    plain: np.ndarray | None
    shapes: np.ndarray
    meshes: Meshes

    def __len__(self) -> int:
        return len(self.shapes)

    def resolve(self, x0: np.ndarray, x: np.ndarray, v: np.ndarray, inverse_mass: np.ndarray, h: float) -> int:
        """Correct the ends x, v (n, 3) of an explicit step of h [s] from x0 (n, 3); returns how many touch."""
        if self.plain is not None:
            return contact_resolve(x0, x, v, inverse_mass, h, self.plain)
        return resolve_shapes(x0, x, v, inverse_mass, h, self.shapes, self.meshes)

    def standing(self, end: bool = False) -> np.ndarray:
        """(k, COLUMNS): `shapes` at rest where they are at the start or end of the step."""
        found = self.shapes.copy()
        start, stop = slice(shapes.START, shapes.TURN + 9), slice(shapes.END, shapes.END_TURN + 9)
        found[:, start if end else stop] = found[:, stop if end else start]
        return found


class FrameColliders:
    """All colliders over one frame, in the order of their ids: `at(substep)` gives the tables of a substep."""

    def __init__(self, world: World, owner: Any, step: Step) -> None:
        rows = world.query(Collider, optional=(Pose,))
        self.h, self.substeps = step.h, max(round(step.frame_time / step.h), 1)
        self.table = np.zeros((len(rows), shapes.COLUMNS))
        self.courses: list[tuple[Course, np.ndarray]] = []
        self.plain = True
        pull = sum(float(np.linalg.norm(gravity.acceleration)) for _, gravity in world.query(Gravity))
        trees = []
        for row, (entity, collider, pose) in zip(self.table, rows, strict=True):
            start, end = (np.eye(4), np.eye(4)) if pose is None else (pose.start, pose.matrix)
            motion, stretch = course(start, end, step.frame_time)
            middle = stretch @ collider.centre
            if collider.shape == "mesh":
                row[shapes.MESH_ROW] = len(trees)
                tree, middle, half = _tree(world, owner, entity, collider, stretch)
                trees.append(tree)
                row[shapes.SIZE : shapes.SIZE + 3] = half
            row[shapes.KIND] = KINDS[collider.shape]
            _fill_shape(row, world, entity, collider, stretch)
            row[shapes.RADIUS] += collider.thickness
            endless = collider.shape == "plane" or (collider.shape == "mesh" and trees[-1].rows[0, CLOSED] == CONTAINER)
            row[shapes.BOUND : shapes.BOUND + 3] = np.inf if endless else _bound(row, collider.shape)
            row[shapes.FRICTION], row[shapes.RESTITUTION] = collider.friction, collider.restitution
            row[shapes.BOUNCE] = BOUNCE_STEPS * pull * step.h
            row[shapes.EXTENT] += row[shapes.RADIUS]
            row[shapes.BELT : shapes.BELT + 3] = collider.surface_velocity
            row[shapes.SPIN : shapes.SPIN + 3] = motion.spin
            self.courses.append((motion, middle))
            plain = collider.shape in ("sphere", "plane") and not motion.turns
            self.plain = self.plain and plain and not collider.surface_velocity.any()
        self.meshes = joined(trees)
        self.still = not any(motion.moves for motion, _ in self.courses)
        self.first = self._at(0)

    def at(self, substep: int) -> Colliders:
        return self.first if self.still else self._at(substep)

    def _at(self, substep: int) -> Colliders:
        table = self.table if self.still else self.table.copy()
        for row, (motion, middle) in zip(table, self.courses, strict=True):
            ends = (motion.at(substep / self.substeps), motion.at((substep + 1) / self.substeps))
            _put(row, shapes.START, shapes.TURN, ends[0], middle)
            _put(row, shapes.END, shapes.END_TURN, ends[1], middle)
            row[shapes.SPEED : shapes.SPEED + 3] = motion.velocity(ends[1].rotation @ middle)
        return Colliders(self._plain(table) if self.plain else None, table, self.meshes)

    def _plain(self, table: np.ndarray) -> np.ndarray:
        found = np.zeros((len(table), 16))
        found[:, 0], found[:, 1:4] = table[:, shapes.KIND], table[:, shapes.START : shapes.START + 3]
        found[:, 8:11] = (table[:, shapes.END : shapes.END + 3] - found[:, 1:4]) / self.h
        for row, own in zip(found, table, strict=True):
            if own[shapes.KIND] == shapes.PLANE:
                row[4:7] = own[shapes.TURN : shapes.TURN + 9].reshape(3, 3) @ own[shapes.SIZE : shapes.SIZE + 3]
        found[:, 11], found[:, 12] = table[:, shapes.FRICTION], table[:, shapes.RESTITUTION]
        found[:, 13], found[:, 14] = table[:, shapes.RADIUS], table[:, shapes.BOUNCE]
        return found


def _put(row: np.ndarray, at: int, turn: int, rigid: Rigid, middle: np.ndarray) -> None:
    row[at : at + 3] = rigid.moves(middle)
    row[turn : turn + 9] = rigid.rotation.ravel()


def _fill_shape(row: np.ndarray, world: World, entity: int, collider: Collider, stretch: np.ndarray) -> None:
    sizes = stretch.diagonal()
    sheared = np.any(stretch != np.diag(sizes))
    round_shape = collider.shape in ("sphere", "capsule")
    if (sheared and (round_shape or collider.shape == "box")) or (round_shape and uneven(sizes)):
        raise FieldError(
            f"{world.name(entity)}: Transform.scale, with those of its parents, must keep a {collider.shape} one, "
            f"got the stretch {np.round(stretch, 6).tolist()}"
        )
    size = row[shapes.SIZE : shapes.SIZE + 3]
    if collider.shape == "plane":
        size[:] = np.linalg.solve(stretch, unit_normal(collider))
        size /= np.sqrt(size @ size)
    elif collider.shape == "box":
        size[:] = 0.5 * sizes * collider.size
    elif collider.shape != "mesh":
        row[shapes.RADIUS] = sizes[0] * collider.radius
        size[0] = 0.5 * sizes[0] * collider.length if collider.shape == "capsule" else 0.0
    if collider.shape != "plane":
        row[shapes.EXTENT] += float(np.abs(size).sum())


def _bound(row: np.ndarray, shape: str) -> np.ndarray:
    """Half sizes (3,) [m] of a box that holds the shape."""
    half = row[shapes.SIZE : shapes.SIZE + 3]
    return (half[[1, 0, 2]] if shape == "capsule" else half) + row[shapes.RADIUS]


def _tree(
    world: World, owner: Any, entity: int, collider: Collider, stretch: np.ndarray
) -> tuple[Meshes, np.ndarray, np.ndarray]:
    """(tree, its middle (3,), half of its size (3,)) of a mesh, made anew when its vertices or scale change."""
    reads = tuple((entity, Collider, name) for name in ("vertices", "triangles", "centre"))
    kept: dict[bytes, Any] = world.cached(owner, ("mesh", entity), reads, dict)
    key = stretch.tobytes()
    if key not in kept:
        kept.clear()
        vertices = (collider.vertices + collider.centre) @ stretch.T
        low, high = vertices.min(axis=0), vertices.max(axis=0)
        middle = 0.5 * (low + high)
        kept[key] = mesh_tree(vertices - middle, collider.triangles), middle, 0.5 * (high - low)
    return kept[key]
