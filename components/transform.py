"""Transform and Pose: where a body stands, alone or on a parent."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from components.geometry import Geometry
from framework.component import component, info
from framework.errors import FieldError, PathError
from framework.fields import field, positive


@component(requires=lambda: (Pose,))
class Transform:
    """Placement: first scale, then rotate, then translate, then the parent's placement.

    It places a dynamic body once, when it is spawned; kinematic bodies and colliders follow it all the time.
    """

    translation: np.ndarray = field(unit="m", shape=(3,), default=(0.0, 0.0, 0.0), principal=True, doc="translation")
    rotation: np.ndarray = field(
        unit="rad", shape=(3,), default=(0.0, 0.0, 0.0), doc="rotation vector: axis times angle (right-hand rule)"
    )
    scale: np.ndarray = field(
        shape=(3,), default=(1.0, 1.0, 1.0), rule=positive, spread=True, doc="factors along the own axes"
    )
    parent: str = field(dtype="str", default="", doc="name of the entity that carries this one, or empty")

    @staticmethod
    def refuses_set(components: dict[type, Any]) -> str:
        """Why it cannot be set on an entity: a dynamic body would not follow."""
        dynamic = any(info(cls).name == "position" for cls in components)
        return "places a dynamic body once, when it is spawned; set its position instead" if dynamic else ""


    @staticmethod
    def refuses_value(entity: str, field: str, value: Any, other: Callable[[str], dict[type, Any]]) -> str:
        """What is wrong with a parent, or ''."""
        carriers = [entity]
        while field == "parent" and isinstance(value, str) and value:
            if value in carriers:
                return "not lead back to the entity itself" if value == entity else "not lead in a circle"
            try:
                parts = other(value)
            except PathError as error:
                return f"name an entity, but {error}"
            if Pose not in parts:
                return "name an entity with a Transform"
            carriers.append(value)
            value = parts[Transform].parent if Transform in parts else ""
        return ""


def rotation_matrix(vector: Any) -> np.ndarray:
    """(3, 3) rotation about `vector` by its length in rad (Rodrigues' formula)."""
    x, y, z = np.asarray(vector, dtype=np.float64)
    angle = float(np.sqrt(x * x + y * y + z * z))
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    # sinc keeps full accuracy at small angles; numpy's sinc(t) is sin(pi t) / (pi t)
    first, second = np.sinc(angle / np.pi), 0.5 * np.sinc(angle / (2 * np.pi)) ** 2
    return np.eye(3) + first * cross + second * (cross @ cross)


def local_matrix(transform: Transform) -> np.ndarray:
    """(4, 4) matrix from the own frame to the parent's."""
    matrix = np.eye(4)
    matrix[:3, :3] = rotation_matrix(transform.rotation) * np.asarray(transform.scale)
    matrix[:3, 3] = transform.translation
    return matrix


def apply(matrix: np.ndarray, points: np.ndarray) -> np.ndarray:
    """(n, 3) points [m] moved by a (4, 4) matrix."""
    return np.einsum("ij,nj->ni", matrix[:3, :3], points) + matrix[:3, 3]


def derive_pose(parts: Any) -> Pose:
    transform = parts.get(Transform)
    if transform is None:
        return Pose(matrix=np.eye(4))
    matrix = local_matrix(transform)
    if not transform.parent:
        return Pose(matrix=matrix)
    if transform.parent == parts.entity:
        raise FieldError(f"{parts.entity}: Transform.parent must be another entity, got {transform.parent!r}")
    try:
        parent = parts.other(transform.parent).get(Pose)
    except PathError as error:
        raise FieldError(f"{parts.entity}: Transform.parent must name an entity, but {error}") from None
    if parent is None:
        raise FieldError(
            f"{parts.entity}: Transform.parent must name an entity with a Transform, got {transform.parent!r}"
        )
    return Pose(matrix=parent.matrix @ matrix)


@component(derive=derive_pose, derived="state", sources=(Transform,))
class Pose:
    """Placement in the world: the Transform and those of all parents in one matrix.

    In the course of a frame a collider moves from `start` to `matrix`, where the commands of that frame's start put it.
    """

    matrix: np.ndarray = field(shape=(4, 4), optional=True, default=None, doc="from the own frame to the world's")
    start: np.ndarray = field(shape=(4, 4), optional=True, default=None, doc="the same at the start of the frame")

    def __post_init__(self) -> None:
        if self.start is None and self.matrix is not None:
            self.start = np.array(self.matrix)


def placed_points(parts: Any) -> np.ndarray:
    """(n, 3) points of an entity's Geometry in the world [m], at rest: lengths and areas are measured on them."""
    points, pose = parts[Geometry].points, parts.get(Pose)
    return points.copy() if pose is None else apply(pose.matrix, points)
