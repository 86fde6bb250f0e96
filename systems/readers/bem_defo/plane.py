"""Chords of an outline in the plane: what winds around points, and which chords cross."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

PIECES = 8  # chords of a curved element
STRAIGHT = 1e-9  # of its length: how far off its chord the middle of a straight element is
CHUNK = 2_000_000  # pairs looked at together


def chords(points: np.ndarray, elements: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(ends (c, 2, 2) [m], numbers of ends (c, 2), element of each (c,)). Straight elements are one chord.

    Ends that are no points of elements have numbers of their own, from len(points) on.
    """
    first, last = elements[:, 0], elements[:, -1]
    a, b = points[first], points[last]
    curved = np.zeros(len(elements), bool)
    if elements.shape[1] == 3:
        bulge = points[elements[:, 1]] - 0.5 * (a + b)
        chord = b - a
        across = np.abs(bulge[:, 0] * chord[:, 1] - bulge[:, 1] * chord[:, 0])
        curved = across > STRAIGHT * (chord * chord).sum(axis=1)
    ends, numbers = [np.stack([a, b], axis=1)[~curved]], [np.stack([first, last], axis=1)[~curved]]
    owner = [np.flatnonzero(~curved)]
    if curved.any():
        x = np.linspace(-1.0, 1.0, PIECES + 1)[:, None, None]
        middle = points[elements[curved, 1]]
        path = 0.5 * x * (x - 1) * a[curved] + (1 - x * x) * middle + 0.5 * x * (x + 1) * b[curved]
        path[0], path[-1] = a[curved], b[curved]
        between = len(points) + np.arange((PIECES - 1) * middle.shape[0]).reshape(PIECES - 1, -1)
        number = np.concatenate([first[curved][None], between, last[curved][None]])
        ends.append(np.stack([path[:-1], path[1:]], axis=2).reshape(-1, 2, 2))
        numbers.append(np.stack([number[:-1], number[1:]], axis=2).reshape(-1, 2))
        owner.append(np.tile(np.flatnonzero(curved), PIECES))
    return np.concatenate(ends), np.concatenate(numbers), np.concatenate(owner)


def winding(ends: np.ndarray, at: np.ndarray) -> np.ndarray:
    """(q,) how often closed chords (c, 2, 2) wind anticlockwise around places (q, 2)."""
    found = np.zeros(len(at), int)
    a, b = ends[:, 0], ends[:, 1]
    step = max(1, CHUNK // max(len(ends), 1))
    for start in range(0, len(at), step):
        p = at[start : start + step, None]
        side = (b[:, 0] - a[:, 0]) * (p[..., 1] - a[:, 1]) - (p[..., 0] - a[:, 0]) * (b[:, 1] - a[:, 1])
        below_a, below_b = a[:, 1] <= p[..., 1], b[:, 1] <= p[..., 1]
        up, down = below_a & ~below_b & (side > 0), ~below_a & below_b & (side < 0)
        found[start : start + step] = up.sum(axis=1) - down.sum(axis=1)
    return found


def nearness(ends: np.ndarray, at: np.ndarray) -> np.ndarray:
    """(q,) distance of places (q, 2) to the nearest chord."""
    found = np.full(len(at), np.inf)
    step = max(1, CHUNK // max(len(ends), 1))
    for start in range(0, len(at), step):
        found[start : start + step] = _distance(at[start : start + step, None], ends[:, 0], ends[:, 1]).min(axis=1)
    return found


def crossing(ends: np.ndarray, numbers: np.ndarray, near: float) -> tuple[int, int] | None:
    """Two chords that cross, touch within `near` [m] or fold back on each other, of those that share no end."""
    for i, j in _candidates(ends, near):
        shared = [(i_end, j_end) for i_end in range(2) for j_end in range(2)]
        joined = np.zeros(len(i), bool)
        folded = np.zeros(len(i), bool)
        for p, q in shared:
            together = numbers[i, p] == numbers[j, q]
            joined |= together
            u, v = ends[i, 1 - p] - ends[i, p], ends[j, 1 - q] - ends[j, q]
            length = np.sqrt((u * u).sum(axis=1) * (v * v).sum(axis=1))
            across = np.abs(u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0])
            folded |= together & (across <= STRAIGHT * length) & ((u * v).sum(axis=1) > 0)
        bad = folded | (~joined & _touch(ends[i], ends[j], near))
        for row in np.flatnonzero(bad)[:1]:
            return int(i[row]), int(j[row])
    return None


def _candidates(ends: np.ndarray, near: float) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Pairs of chords whose boxes overlap, in portions; sorted along the axis in which chords overlap least."""
    low, high = ends.min(axis=1) - near, ends.max(axis=1)
    best = None
    for axis in range(2):
        order = np.argsort(low[:, axis], kind="stable")
        stop = np.searchsorted(low[order, axis], high[order, axis] + near, side="right")
        count = stop - np.arange(len(order)) - 1
        if best is None or count.sum() < best[0]:
            best = int(count.sum()), order, count
    _, order, count = best or (0, np.zeros(0, int), np.zeros(0, int))
    start = 0
    while start < len(order):
        total = np.cumsum(count[start:])
        stop = start + max(1, int(np.searchsorted(total, CHUNK, side="right")))
        part = count[start:stop]
        first = np.repeat(np.arange(start, stop), part)
        within = np.arange(len(first)) - np.repeat(np.cumsum(part) - part, part)
        i, j = order[first], order[first + 1 + within]
        overlap = ((low[i] <= high[j]) & (low[j] <= high[i])).all(axis=1)
        yield i[overlap], j[overlap]
        start = stop


def _distance(p: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    chord = b - a
    along = np.clip(((p - a) * chord).sum(axis=-1) / (chord * chord).sum(axis=-1), 0.0, 1.0)
    gap = p - a - along[..., None] * chord
    return np.sqrt((gap * gap).sum(axis=-1))


def _touch(one: np.ndarray, other: np.ndarray, near: float) -> np.ndarray:
    a, b, c, d = one[:, 0], one[:, 1], other[:, 0], other[:, 1]

    def side(p: np.ndarray, q: np.ndarray, r: np.ndarray) -> np.ndarray:
        return (q[:, 0] - p[:, 0]) * (r[:, 1] - p[:, 1]) - (q[:, 1] - p[:, 1]) * (r[:, 0] - p[:, 0])

    cross = (side(a, b, c) * side(a, b, d) < 0) & (side(c, d, a) * side(c, d, b) < 0)
    gaps = [_distance(a, c, d), _distance(b, c, d), _distance(c, a, b), _distance(d, a, b)]
    return cross | (np.min(gaps, axis=0) <= near)
