"""Forces, energy, strain and Jacobians of a general list of damped, mildly nonlinear springs.

A spring between particles 0 and 1 with d = x1 - x0, length l = |d|, direction e = d / l and stretch C = l - rest pulls
with

    T = k C + lambda C^3 + c (v1 - v0) . e,     force on 0 = T e,     force on 1 = -T e,

so that its energy is k C^2 / 2 + lambda C^4 / 4. Parameters lie in short tables (stiffness k [N/m], cubic lambda
[N/m^3], damping c [N s/m]) and each spring names its row of them, its *kind*; a table of one row serves every spring.

Arrays: x, v, f (n, 3); nodes (s, 2) and kind (s,) int32; rest (s,) [m]; stiffness, cubic, damping (p,).

Limitations: a spring of zero length has no direction and exerts no force. Forces on a particle are summed in list
order; sort springs by their first particle: a run of springs with the same one reads and writes it once.
"""
from __future__ import annotations

import math

import numba
import numpy as np
from numba import uint32 as u32
from numba import uint64 as u64  # unsigned indices spare the test for negative ones

from framework.kernel import kernel

# Everything but "no NaN" and "no infinity": a bad position must stay visible in the force.
FAST = {"contract", "reassoc", "arcp", "nsz", "afn"}
EXACT = {"contract", "nsz"}
BLOCK = 128  # springs handled together: their scratch stays in the first-level cache
CHUNKS = 16


@kernel(fastmath=FAST)
def gather(xs, vs, pairs, dx, dy, dz, w):
    """d = x1 - x0 and w = (v1 - v0) . d of the springs `pairs` (flat); a run with one first particle reads it once."""
    i, size = u64(0), u64(len(pairs) // 2)
    while i < size:
        first = pairs[u64(2) * i]
        p = u64(3) * u64(u32(first))
        x0, y0, z0 = xs[p], xs[p + u64(1)], xs[p + u64(2)]
        u0, v0, w0 = vs[p], vs[p + u64(1)], vs[p + u64(2)]
        while True:
            q = u64(3) * u64(u32(pairs[u64(2) * i + u64(1)]))
            ax, ay, az = xs[q] - x0, xs[q + u64(1)] - y0, xs[q + u64(2)] - z0
            dx[i], dy[i], dz[i] = ax, ay, az
            w[i] = (vs[q] - u0) * ax + (vs[q + u64(1)] - v0) * ay + (vs[q + u64(2)] - w0) * az
            i += u64(1)
            if i == size or pairs[u64(2) * i] != first:
                break


@kernel(fastmath=FAST)
def tensions(rest, k, q, c, dx, dy, dz, w):
    """Replace w = (v1 - v0) . d by T / l, the factor of d in the force."""
    for i in range(len(rest)):
        length = math.sqrt(dx[i] * dx[i] + dy[i] * dy[i] + dz[i] * dz[i])
        inverse = 0.0 if length == 0.0 else 1.0 / length
        stretch = length - rest[i]
        w[i] = (stretch * (k[i] + q[i] * stretch * stretch) + c[i] * w[i] * inverse) * inverse


@kernel(fastmath=FAST)
def scatter(pairs, dx, dy, dz, w, fs):
    """Add w d to the force on the first particle of each spring and take it from that on the second."""
    i, size = u64(0), u64(len(pairs) // 2)
    while i < size:
        first = pairs[u64(2) * i]
        p = u64(3) * u64(u32(first))
        fx, fy, fz = fs[p], fs[p + u64(1)], fs[p + u64(2)]
        while True:
            q = u64(3) * u64(u32(pairs[u64(2) * i + u64(1)]))
            gx, gy, gz = w[i] * dx[i], w[i] * dy[i], w[i] * dz[i]
            fx += gx
            fy += gy
            fz += gz
            fs[q] -= gx
            fs[q + u64(1)] -= gy
            fs[q + u64(2)] -= gz
            i += u64(1)
            if i == size or pairs[u64(2) * i] != first:
                break
        fs[p], fs[p + u64(1)], fs[p + u64(2)] = fx, fy, fz


@kernel(fastmath=FAST)
def scatter_between(pairs, dx, dy, dz, w, low, high, fs):
    """`scatter`, to second particles from `low` up to `high` only."""
    i, size = u64(0), u64(len(pairs) // 2)
    while i < size:
        first = pairs[u64(2) * i]
        p = u64(3) * u64(u32(first))
        fx, fy, fz = fs[p], fs[p + u64(1)], fs[p + u64(2)]
        while True:
            second = u64(u32(pairs[u64(2) * i + u64(1)]))
            gx, gy, gz = w[i] * dx[i], w[i] * dy[i], w[i] * dz[i]
            fx += gx
            fy += gy
            fz += gz
            if low <= second < high:
                q = u64(3) * second
                fs[q] -= gx
                fs[q + u64(1)] -= gy
                fs[q + u64(2)] -= gz
            i += u64(1)
            if i == size or pairs[u64(2) * i] != first:
                break
        fs[p], fs[p + u64(1)], fs[p + u64(2)] = fx, fy, fz


@kernel(fastmath=FAST)
def scatter_second(pairs, dx, dy, dz, w, fs):
    """Take w d from the force on the second particle of each spring only."""
    for i in range(u64(len(pairs) // 2)):
        q = u64(3) * u64(u32(pairs[u64(2) * i + u64(1)]))
        fs[q] -= w[i] * dx[i]
        fs[q + u64(1)] -= w[i] * dy[i]
        fs[q + u64(2)] -= w[i] * dz[i]


@kernel(fastmath=FAST)
def look_up(kind, stiffness, cubic, damping, k, q, c):
    """The parameters of some springs."""
    for i in range(len(kind)):
        m = u32(kind[i])
        k[i], q[i], c[i] = stiffness[m], cubic[m], damping[m]


@kernel
def rows(count):
    """`count` scratch rows of BLOCK numbers each."""
    return np.empty((count, BLOCK))


@kernel(fastmath=FAST)
def spring_forces(x, v, nodes, rest, kind, stiffness, cubic, damping, f):
    """Add the force of every spring to f [N]: block by block, gather, evaluate in vector registers, scatter."""
    xs, vs, fs, ends = x.reshape(-1), v.reshape(-1), f.reshape(-1), nodes.reshape(-1)
    b = rows(7)
    dx, dy, dz, w, k, q, c = b[0], b[1], b[2], b[3], b[4], b[5], b[6]
    k[:], q[:], c[:] = stiffness[0], cubic[0], damping[0]
    for start in range(0, len(rest), BLOCK):
        stop = min(start + BLOCK, len(rest))
        pairs = ends[2 * start : 2 * stop]
        if len(stiffness) > 1:
            look_up(kind[start:stop], stiffness, cubic, damping, k, q, c)
        gather(xs, vs, pairs, dx, dy, dz, w)
        tensions(rest[start:stop], k, q, c, dx, dy, dz, w)
        scatter(pairs, dx, dy, dz, w, fs)


def chunk_springs(nodes: np.ndarray, particles: int, chunks: int = CHUNKS) -> tuple[np.ndarray, np.ndarray]:
    """Lists for `spring_forces_chunked`: bounds (chunks + 1, 3) int64 and crossing (c,) int32.

    nodes must be sorted by the first particle. Row i of bounds: the first particle that chunk i owns, the first spring
    that starts there, and where its part of `crossing` begins: springs that end there and start in another chunk.
    """
    edges = np.arange(chunks + 1) * particles // chunks
    start, end = (np.searchsorted(edges, nodes[:, side], side="right").astype(np.int8) - 1 for side in (0, 1))
    crossing = np.flatnonzero(start != end)
    crossing = crossing[np.argsort(end[crossing], kind="stable")]
    parts = np.searchsorted(end[crossing], np.arange(chunks + 1))
    bounds = np.stack([edges, np.searchsorted(nodes[:, 0], edges), parts], axis=1)
    return bounds.astype(np.int64), crossing.astype(np.int32)


@kernel(fastmath=FAST, parallel=True)
def spring_forces_chunked(x, v, bounds, crossing, nodes, rest, kind, stiffness, cubic, damping, f):
    """`spring_forces` on several threads: each chunk adds to its own particles only: any number gives the same bits."""
    xs, vs, fs, ends = x.reshape(-1), v.reshape(-1), f.reshape(-1), nodes.reshape(-1)
    for chunk in numba.prange(len(bounds) - 1):
        b = rows(8)
        dx, dy, dz, w, k, q, c, r = b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]
        pairs, kinds = np.empty(2 * BLOCK, np.int32), np.empty(BLOCK, np.int32)
        low, high = u64(bounds[chunk, 0]), u64(bounds[chunk + 1, 0])
        k[:], q[:], c[:] = stiffness[0], cubic[0], damping[0]
        for start in range(bounds[chunk, 1], bounds[chunk + 1, 1], BLOCK):
            stop = min(start + BLOCK, bounds[chunk + 1, 1])
            own = ends[2 * start : 2 * stop]
            if len(stiffness) > 1:
                look_up(kind[start:stop], stiffness, cubic, damping, k, q, c)
            gather(xs, vs, own, dx, dy, dz, w)
            tensions(rest[start:stop], k, q, c, dx, dy, dz, w)
            scatter_between(own, dx, dy, dz, w, low, high, fs)
        for start in range(bounds[chunk, 2], bounds[chunk + 1, 2], BLOCK):
            size = min(BLOCK, bounds[chunk + 1, 2] - start)
            for i in range(size):
                s = u32(crossing[start + i])
                pairs[2 * i], pairs[2 * i + 1], r[i], kinds[i] = nodes[s, 0], nodes[s, 1], rest[s], kind[s]
            if len(stiffness) > 1:
                look_up(kinds[:size], stiffness, cubic, damping, k, q, c)
            gather(xs, vs, pairs[: 2 * size], dx, dy, dz, w)
            tensions(r[:size], k, q, c, dx, dy, dz, w)
            scatter_second(pairs[: 2 * size], dx, dy, dz, w, fs)


@kernel(fastmath=FAST)
def square_lengths(xs, pairs, square):
    """Squared lengths of the springs `pairs` (flat); a run with one first particle reads it once."""
    i, size = u64(0), u64(len(pairs) // 2)
    while i < size:
        first = pairs[u64(2) * i]
        p = u64(3) * u64(u32(first))
        x0, y0, z0 = xs[p], xs[p + u64(1)], xs[p + u64(2)]
        while True:
            q = u64(3) * u64(u32(pairs[u64(2) * i + u64(1)]))
            dx, dy, dz = xs[q] - x0, xs[q + u64(1)] - y0, xs[q + u64(2)] - z0
            square[i] = dx * dx + dy * dy + dz * dz
            i += u64(1)
            if i == size or pairs[u64(2) * i] != first:
                break


@kernel(fastmath=FAST)
def block_energy(rest, k, q, square):
    """Energy of a block of springs; the order of the sum is that of vector registers."""
    total = 0.0
    for i in range(len(rest)):
        stretch = math.sqrt(square[i]) - rest[i]
        stretch_squared = stretch * stretch
        total += stretch_squared * (0.5 * k[i] + 0.25 * q[i] * stretch_squared)
    return total


@kernel(fastmath=FAST)
def spring_energy(x, nodes, rest, kind, stiffness, cubic):
    """Elastic energy [J], summed block by block in a fixed order."""
    xs, ends = x.reshape(-1), nodes.reshape(-1)
    b = rows(4)
    square, k, q, c = b[0], b[1], b[2], b[3]
    k[:], q[:] = stiffness[0], cubic[0]
    total = 0.0
    for start in range(0, len(rest), BLOCK):
        stop = min(start + BLOCK, len(rest))
        if len(stiffness) > 1:
            look_up(kind[start:stop], stiffness, cubic, cubic, k, q, c)
        square_lengths(xs, ends[2 * start : 2 * stop], square)
        total += block_energy(rest[start:stop], k, q, square)
    return total


@kernel(fastmath=EXACT)
def spring_strain(x, nodes, rest, spring_strain, node_strain):
    """Strain C / rest of each spring (s,) and the largest magnitude at each node (n,); 0 where rest is 0."""
    xs, ends = x.reshape(-1), nodes.reshape(-1)
    node_strain[:] = 0.0
    b = rows(1)
    square = b[0]
    for start in range(0, len(rest), BLOCK):
        stop = min(start + BLOCK, len(rest))
        pairs, r, e = nodes[start:stop], rest[start:stop], spring_strain[start:stop]
        square_lengths(xs, ends[2 * start : 2 * stop], square)
        for i in range(len(r)):
            e[i] = 0.0 if r[i] == 0.0 else math.sqrt(square[i]) / r[i] - 1.0
        for i in range(u64(len(r))):
            p, q = u32(pairs[i, 0]), u32(pairs[i, 1])
            size = abs(e[i])
            node_strain[p] = max(node_strain[p], size)
            node_strain[q] = max(node_strain[q], size)


@kernel(fastmath=EXACT)
def spring_jacobians(x, v, nodes, rest, kind, stiffness, cubic, damping, project_psd, kx, kv):
    """Blocks kx = -df0/dx0 [N/m] and kv = -df0/dv0 [N s/m] (s, 3, 3); df0/dx1 = kx, and force 1 is minus force 0.

    kx = (k + 3 lambda C^2) e e' + T / l (I - e e') + c e (w - (w . e) e)' / l with w = v1 - v0. With project_psd the
    damping is left out of kx and its two elastic parts are kept from going below zero: symmetric, positive
    semi-definite.
    """
    single = len(stiffness) == 1
    for s in range(u64(len(rest))):
        p, q = u32(nodes[s, 0]), u32(nodes[s, 1])
        dx, dy, dz = x[q, 0] - x[p, 0], x[q, 1] - x[p, 1], x[q, 2] - x[p, 2]
        length = math.sqrt(dx * dx + dy * dy + dz * dz)
        m = u32(0) if single else u32(kind[s])
        if length == 0.0:
            kx[s] = 0.0
            kv[s] = 0.0
            continue
        e = (dx / length, dy / length, dz / length)
        w = (v[q, 0] - v[p, 0], v[q, 1] - v[p, 1], v[q, 2] - v[p, 2])
        along = w[0] * e[0] + w[1] * e[1] + w[2] * e[2]
        stretch = length - rest[s]
        axial = stiffness[m] + 3.0 * cubic[m] * stretch * stretch
        across = stretch * (stiffness[m] + cubic[m] * stretch * stretch) / length
        turning = damping[m] / length
        if project_psd:
            axial, across, turning = max(axial, 0.0), max(across, 0.0), 0.0
        across += turning * along
        for i in range(3):
            for j in range(3):
                outer = e[i] * e[j]
                unit = 1.0 if i == j else 0.0
                kx[s, i, j] = axial * outer + across * (unit - outer) + turning * e[i] * (w[j] - along * e[j])
                kv[s, i, j] = damping[m] * outer
