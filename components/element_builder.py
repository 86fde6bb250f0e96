"""How conditions become values, supports and springs at each point of each boundary element."""
from __future__ import annotations

from typing import Any

import numpy as np

from components.conditions import Displacement, ElementValues, Fixed, Foundation, PointLoad, Traction, VelocityHistory
from components.element_terms import ElementTerm
from framework.errors import FieldError

SAME = np.cos(np.radians(30.0))  # of normals: up to which the sides that meet at a point count as one
STRAIGHT = 1e-9  # deviation up to which two directions are parallel or at right angles


class ElementBuilder:
    """Collects the conditions of one body."""

    def __init__(self, entity: str, dimension: int, elements: np.ndarray, normals: np.ndarray, n: int) -> None:
        shape = (*elements.shape, 3)
        self.entity, self.dimension, self.elements, self.normals = entity, dimension, elements, normals
        self.fixed, self.foundation = np.zeros(shape, bool), np.zeros(shape)
        self.frames = np.tile(np.eye(3), (n, 1, 1))
        self.terms: list[ElementTerm] = []
        self.owner = np.full(shape, -1, np.int32)

    def turn(self, number: int, rows: np.ndarray) -> None:
        """Give the points of a condition along normals axes of their own, unless the normals are along x, y or z."""
        for i in np.unique(self.elements[rows][self.elements[rows] >= 0]):
            e, c = np.nonzero(self.elements[rows] == i)
            for direction in _directions(self.normals[rows[e], c]):
                frame = self.frames[i]
                along = np.abs(frame.T @ direction)
                if along.max() > 1 - STRAIGHT:
                    continue
                if np.any(frame != np.eye(3)):
                    raise FieldError(
                        f"{self.entity}: BoundaryConditions.conditions[{number}] must hold each point along directions "
                        f"at right angles, got two at point {i} that are not"
                    )
                self.frames[i] = _frame(direction, self.dimension)

    def add(self, number: int, condition: Any, rows: np.ndarray) -> None:
        if isinstance(condition, PointLoad):
            return
        if isinstance(condition, ElementValues):
            self._element_values(number, condition)
            return
        local = getattr(condition, "local", False) or not set(getattr(condition, "axes", "x")) <= set("xyz")
        basis = self._basis(rows, local)
        if isinstance(condition, (Traction, Displacement)) and self.dimension == 2 and condition.values[:, 2].any():
            raise FieldError(
                f"{self.entity}: {type(condition).__name__}.values must have no third component on a body in the plane "
                f"z = 0, got {condition.values[np.abs(condition.values[:, 2]).argmax()].tolist()}"
            )
        if isinstance(condition, Traction):
            self.terms.append(ElementTerm(number, "traction", rows, basis, condition.times, condition.values))
            return
        if isinstance(condition, Foundation):
            self._foundation(number, condition, rows, basis)
            return
        axes = np.array([axis in condition.axes for axis in ("nst" if local else "xyz")])
        if self.dimension == 2:
            axes[2] = False
        self._fix(number, rows, basis, axes)
        if isinstance(condition, Fixed):
            return
        kind = "velocity" if isinstance(condition, VelocityHistory) else "displacement"
        self.terms.append(ElementTerm(number, kind, rows, basis * axes, condition.times, condition.values))

    def _basis(self, rows: np.ndarray, local: bool) -> np.ndarray:
        """(e, k, 3, 3) from x, y, z (or normal, along, across) to the axes of the points."""
        frames = self.frames[self.elements[rows]]
        if not local:
            return np.ascontiguousarray(np.swapaxes(frames, 2, 3))
        own = np.zeros_like(frames)
        for e, c in np.ndindex(*own.shape[:2]):
            normal = self.normals[rows[e], c]
            if normal.any():
                own[e, c] = _frame(normal, self.dimension)
        return np.swapaxes(frames, 2, 3) @ own

    def _fix(self, number: int, rows: np.ndarray, basis: np.ndarray, axes: np.ndarray) -> None:
        """Hold along the axes of points that the given ones (columns of the basis) are."""
        size = 2 if self.dimension == 2 else 3
        along = np.abs(basis[..., :size, :][..., axes])  # (e, k, size, a)
        if axes[:size].all():
            hold = np.ones((*along.shape[:2], size), bool)
        else:
            hold = (along > 1e-6).any(axis=3)
            # a held direction must be one axis of the point, or all that it mixes must be held
            mixed = (hold.sum(axis=2) > axes[:size].sum()) & (self.elements[rows] >= 0)
            if mixed.any():
                e, c = np.argwhere(mixed)[0]
                raise FieldError(
                    f"{self.entity}: BoundaryConditions.conditions[{number}] must hold point "
                    f"{self.elements[rows[e], c]} along the axes that it has, got one that is oblique to them"
                )
        used = self.elements[rows] >= 0
        hold &= used[..., None]
        twice = hold & (self.owner[rows][..., :size] >= 0)
        for e, c, axis in np.argwhere(twice)[:1]:
            i = self.elements[rows[e], c]
            raise FieldError(
                f"{self.entity}: BoundaryConditions.conditions must hold an element along an axis once, got "
                f"conditions[{self.owner[rows[e], c, axis]}] and [{number}] for element {rows[e]}, point {i}, "
                f"axis {axis + 1} of {self.dimension}"
            )
        self.fixed[rows, :, :size] |= hold
        owner = self.owner[rows]
        owner[..., :size][hold & (owner[..., :size] < 0)] = number
        self.owner[rows] = owner

    def _foundation(self, number: int, condition: Foundation, rows: np.ndarray, basis: np.ndarray) -> None:
        matrix = np.einsum("ekab,b,ekcb->ekac", basis, condition.stiffness, basis)
        diagonal = np.einsum("ekaa->eka", matrix)
        off = np.abs(matrix - diagonal[..., None] * np.eye(3)).max()
        if off > 1e-6 * condition.stiffness.max():
            raise FieldError(
                f"{self.entity}: Foundation.stiffness must act along axes that the points have (x, y, z, or the "
                f"normals of rollers), got an oblique one (conditions[{number}])"
            )
        self.foundation[rows] += diagonal
        owner = self.owner[rows]
        owner[(diagonal > 0) & (owner < 0)] = number
        self.owner[rows] = owner

    def _element_values(self, number: int, condition: ElementValues) -> None:
        rows = np.arange(len(self.elements))
        frames = self.frames[self.elements]
        for kind, values in (("displacement", condition.displacement), ("traction", condition.traction)):
            given = ~np.isnan(values) & (self.elements >= 0)[..., None]
            if self.dimension == 2:
                given[..., 2] = False
            if not given.any():
                continue
            if kind == "displacement":
                turned = (frames != np.eye(3)).any(axis=(2, 3)) & given.any(axis=2) & ~given.all(axis=2)
                for e, c in np.argwhere(turned)[:1]:
                    raise FieldError(
                        f"{self.entity}: ElementValues.displacement must be given along all axes at a point that a "
                        f"condition along normals holds too, got element {e}, point {self.elements[e, c]}"
                    )
                self.fixed |= given
                self.owner[given & (self.owner < 0)] = number
            basis = np.zeros((*self.elements.shape, 3, 3))
            basis[..., 0] = np.einsum("ekab,eka->ekb", frames, np.where(given, values, 0.0))
            self.terms.append(
                ElementTerm(number, kind, rows, basis, np.zeros(1), np.array([[1.0, 0.0, 0.0]]))
            )


def _directions(normals: np.ndarray) -> list[np.ndarray]:
    """The different unit directions among normals (q, 3): the means of those that are nearly the same."""
    groups: list[list[np.ndarray]] = []
    for normal in normals:
        for group in groups:
            if group[0] @ normal > SAME:
                group.append(normal)
                break
        else:
            groups.append([normal])
    means = [np.mean(group, axis=0) for group in groups]
    return [mean / np.linalg.norm(mean) for mean in means]


def _frame(normal: np.ndarray, dimension: int) -> np.ndarray:
    """(3, 3) columns: normal, along the surface, across. In the plane, along is the way that the boundary runs."""
    if dimension == 2:
        return np.array([[normal[0], -normal[1], 0.0], [normal[1], normal[0], 0.0], [0.0, 0.0, 1.0]])
    least = np.eye(3)[np.argmin(np.abs(normal))]
    first = np.cross(least, normal)
    first /= np.linalg.norm(first)
    return np.stack([normal, first, np.cross(normal, first)], axis=1)
