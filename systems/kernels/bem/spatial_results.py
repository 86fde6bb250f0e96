"""Stress on a surface, displacement and stress inside: what follows from u and t on the whole boundary.

On the surface, with tangents 1, 2 and the normal n: sigma_n. is the traction; along the surface
sigma_11 = 2 G / (1 - nu) (eps_11 + nu eps_22) + nu / (1 - nu) sigma_nn, sigma_12 = 2 G eps_12, with the strain from the
elements' functions; regular at nu = 1/2. Inside, with u0 the displacement of the nearest boundary point (its rigid
motion gives no stress and no traction, and taking it off leaves less to cancel near the boundary):

    u_i(y) = u0_i + integral U_ij t_j - integral T_ij (u_j - u0_j)
    sigma_ij(y) = integral D_kij t_k - integral S_kij (u_k - u0_k)

*Limitations*: stress at edges is that of each element by itself; inside, accuracy is that of the boundary solution.
"""

from __future__ import annotations

import numpy as np

from systems.kernels.bem.spatial_elements import counts, local_places, shape_table


def boundary_stress(
    points: np.ndarray, nodes: np.ndarray, u: np.ndarray, t: np.ndarray, shear_modulus: float, poisson_ratio: float
) -> np.ndarray:
    """(m, 8, 3, 3) stress [Pa] at element points, 0 in unused places; u (n, 3) [m], t (m, 8, 3) [Pa]."""
    g, nu = shear_modulus, poisson_ratio
    found, count = np.zeros((*nodes.shape, 3, 3)), counts(nodes)
    for k in np.unique(count).tolist():
        rows = np.flatnonzero(count == k)
        _, slopes = shape_table(k, local_places(k))
        table = nodes[rows, :k]
        tangent, stretch = (np.einsum("qcd,eci->eqdi", slopes, values[table]) for values in (points, u))
        e1 = _unit(tangent[:, :, 0])
        n = _unit(np.cross(tangent[:, :, 0], tangent[:, :, 1]))
        frame = np.stack([e1, np.cross(n, e1), n], axis=-1)  # columns
        # derivatives along the tangents: (d x / d local) has the inverse (d local / d x)
        inner = np.einsum("eqdi,eqia->eqda", tangent, frame[..., :2])
        gradient = np.einsum("eqad,eqdi,eqib->eqab", np.linalg.inv(inner), stretch, frame)  # d u_b / d x_a
        pull = np.einsum("eqi,eqia->eqa", t[rows, :k], frame)
        own = np.zeros((len(rows), k, 3, 3))
        for a, b in ((0, 1), (1, 0)):
            own[..., a, a] = 2 * g / (1 - nu) * (gradient[..., a, a] + nu * gradient[..., b, b])
            own[..., a, a] += nu / (1 - nu) * pull[..., 2]
            own[..., a, 2] = own[..., 2, a] = pull[..., a]
            own[..., a, b] = g * (gradient[..., 0, 1] + gradient[..., 1, 0])
        own[..., 2, 2] = pull[..., 2]
        found[rows, :k] = np.einsum("eqia,eqab,eqjb->eqij", frame, own, frame)
    return found


def _unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.sqrt((vectors * vectors).sum(axis=-1, keepdims=True))
