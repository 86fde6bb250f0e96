"""Moving frames: the pose of every Transform, nested ones included."""

from __future__ import annotations

from typing import TYPE_CHECKING

from components import Pose, Position, Transform
from components.transform import local_matrix
from framework import FieldError, PathError, Stage, System

if TYPE_CHECKING:
    from framework import Step, World


class Transforms(System):
    """Pose = the parent's pose times the own transform. A dynamic body is placed once, at spawn, and keeps its pose.

    The pose of the frame before is kept as the one that the frame starts from: what moved in between moves over the
    frame.
    """

    stage = Stage.TRANSFORM
    reads = (Transform, Position)
    writes = (Pose,)
    needs = (Transform,)

    def process(self, world: World, step: Step) -> None:
        rows = {row[0]: row[1:] for row in world.query(Transform, Pose, without=(Position,))}
        done: set[int] = set()

        def place(entity: int) -> None:
            if entity in done or entity not in rows:
                return
            done.add(entity)
            transform, pose = rows[entity]
            local = local_matrix(transform)
            if transform.parent:
                try:
                    parent = world.id(transform.parent)
                except PathError as error:
                    where = f"{world.name(entity)}: Transform.parent"
                    raise FieldError(f"{where} must name an entity, but {error}") from None
                place(parent)
                local = world.store.component(parent, Pose).matrix @ local
            pose.start[...] = pose.matrix
            pose.matrix[...] = local

        for entity in rows:
            place(entity)
