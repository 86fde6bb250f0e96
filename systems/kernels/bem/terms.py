"""Which entries of the integrated equations go where in the system of the unknowns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from framework.kernel import kernel

FUSED = {"contract"}


class Terms(NamedTuple):
    """u..., t...: numbers among the d n displacements and d m k tractions (d: dimension, k: points of an element).

    Unknowns: u, t and their columns. known, value: those that are known and not 0, load by load: those of a load are in
    places start[load] ... start[load + 1] - 1. free, free_value: particular solutions, in global axes, likewise.
    frames (n, d, d): columns are the local axes of nodes; turned: nodes whose axes are not the global ones; t_turned
    (q, 2): their tractions (number of the first component) and nodes. spring (q, 2): traction and displacement that a
    support joins, spring_value [traction per displacement]. all_known: for influences.
    """

    u: np.ndarray
    u_column: np.ndarray
    t: np.ndarray
    t_column: np.ndarray
    u_start: np.ndarray
    u_known: np.ndarray
    u_value: np.ndarray
    t_start: np.ndarray
    t_known: np.ndarray
    t_value: np.ndarray
    u_free_start: np.ndarray
    u_free: np.ndarray
    u_free_value: np.ndarray
    t_free_start: np.ndarray
    t_free: np.ndarray
    t_free_value: np.ndarray
    frames: np.ndarray
    turned: np.ndarray
    t_turned: np.ndarray
    spring: np.ndarray
    spring_value: np.ndarray
    u_all_known: np.ndarray
    t_all_known: np.ndarray


@kernel(fastmath=FUSED)
def gather(h, g, terms, row, right, influences):
    """Put an equation h u = g t into its row of the matrix and of the right-hand sides (loads,)."""
    loads = right.shape[0]
    for load in range(loads):
        total = 0.0
        for q in range(terms.u_free_start[load], terms.u_free_start[load + 1]):
            total += h[terms.u_free[q]] * terms.u_free_value[q]
        for q in range(terms.t_free_start[load], terms.t_free_start[load + 1]):
            total -= g[terms.t_free[q]] * terms.t_free_value[q]
        right[load] += total
    d = terms.frames.shape[1]
    for i in terms.turned:
        _local(h, d * i, terms.frames[i])
    for q in range(terms.t_turned.shape[0]):
        _local(g, terms.t_turned[q, 0], terms.frames[terms.t_turned[q, 1]])
    for q in range(terms.spring.shape[0]):  # the support pulls with -spring u
        h[terms.spring[q, 1]] += g[terms.spring[q, 0]] * terms.spring_value[q]
    for q in range(terms.u.shape[0]):
        row[terms.u_column[q]] += h[terms.u[q]]
    for q in range(terms.t.shape[0]):
        row[terms.t_column[q]] -= g[terms.t[q]]
    for load in range(loads):
        total = 0.0
        for q in range(terms.u_start[load], terms.u_start[load + 1]):
            total -= h[terms.u_known[q]] * terms.u_value[q]
        for q in range(terms.t_start[load], terms.t_start[load + 1]):
            total += g[terms.t_known[q]] * terms.t_value[q]
        right[load] += total
    if influences.shape[0] > 0:
        for q in range(terms.u_all_known.shape[0]):
            influences[q] -= h[terms.u_all_known[q]]
        for q in range(terms.t_all_known.shape[0]):
            influences[terms.u_all_known.shape[0] + q] += g[terms.t_all_known[q]]


@kernel(fastmath=FUSED)
def _local(row, i, frame):
    """Columns i ... in the axes of a frame."""
    d = frame.shape[0]
    a, b, c = row[i], row[i + 1], row[i + 2] if d == 3 else 0.0
    for j in range(d):
        row[i + j] = a * frame[0, j] + b * frame[1, j]
        if d == 3:
            row[i + j] += c * frame[2, j]


@kernel
def turn(rows, frame):
    """The d equations of a point in the axes of a frame."""
    d = frame.shape[0]
    for i in range(rows.shape[1]):
        a, b, c = rows[0, i], rows[1, i], rows[2, i] if d == 3 else 0.0
        for j in range(d):
            rows[j, i] = a * frame[0, j] + b * frame[1, j]
            if d == 3:
                rows[j, i] += c * frame[2, j]
