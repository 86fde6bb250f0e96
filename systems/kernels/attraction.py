"""Pairwise attraction with softening, cutoff and a short-range repulsion: central forces, so momentum is conserved."""
from __future__ import annotations

import math

from framework.kernel import kernel


@kernel
def attraction_forces(x, m, body, strength, softening, cutoff, repulsion, reach, within, between, f):
    """Add to f (n, 3) the attraction of all pairs of particles x (n, 3), m (n,), body (n,) int32 (-1: takes no part).

    Pull strength m M r / (r^2 + softening^2)^(3/2) up to the cutoff; push repulsion (1 - r / reach) below `reach`.
    within, between: whether pairs of one body and of two bodies count. Cost O(n^2).
    """
    for i in range(len(x)):
        if body[i] < 0:
            continue
        fx = fy = fz = 0.0
        for j in range(i + 1, len(x)):
            if body[j] < 0 or not (within if body[i] == body[j] else between):
                continue
            dx, dy, dz = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, 2] - x[i, 2]
            square = dx * dx + dy * dy + dz * dz
            if square == 0.0:
                continue  # no direction
            pull = 0.0
            if square <= cutoff * cutoff:
                soft = square + softening * softening
                pull = strength * m[i] * m[j] / (soft * math.sqrt(soft))
            if square < reach * reach:
                distance = math.sqrt(square)
                pull -= repulsion * (1.0 - distance / reach) / distance
            fx += pull * dx
            fy += pull * dy
            fz += pull * dz
            f[j, 0] -= pull * dx
            f[j, 1] -= pull * dy
            f[j, 2] -= pull * dz
        f[i, 0] += fx
        f[i, 1] += fy
        f[i, 2] += fz


@kernel
def attraction_energy(x, m, body, strength, softening, cutoff, repulsion, reach, within, between, energy):
    """Add to energy (bodies,) each pair's energy, half to each of its two bodies.

    A pair's attraction energy is zero at the cutoff (at infinity without one), its repulsion energy at `reach`.
    """
    edge = 0.0 if math.isinf(cutoff) else 1.0 / math.sqrt(cutoff * cutoff + softening * softening)
    for i in range(len(x)):
        if body[i] < 0:
            continue
        for j in range(i + 1, len(x)):
            if body[j] < 0 or not (within if body[i] == body[j] else between):
                continue
            dx, dy, dz = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, 2] - x[i, 2]
            square = dx * dx + dy * dy + dz * dz
            pair = 0.0
            if 0.0 < square <= cutoff * cutoff:
                pair -= strength * m[i] * m[j] * (1.0 / math.sqrt(square + softening * softening) - edge)
            if square < reach * reach:
                rest = 1.0 - math.sqrt(square) / reach
                pair += 0.5 * repulsion * reach * rest * rest
            energy[body[i]] += 0.5 * pair
            energy[body[j]] += 0.5 * pair
