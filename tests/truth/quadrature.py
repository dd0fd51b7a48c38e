"""Numerical integration behind the problems that have no closed form."""

from __future__ import annotations

import numpy as np

from tests.truth.laws import N_BLOCK_CELLS, GaussianLaw

N_STEPS_PER_SCALE = 80
N_SCALES_OF_MARGIN = 8.0


def unit_nodes(n_nodes: int) -> tuple[np.ndarray, np.ndarray]:
    """Gauss-Legendre nodes and weights on [0, 1]; the weights sum to one.

    Examples
    --------
    >>> nodes, weights = unit_nodes(3)
    >>> round(float(weights @ nodes**4), 12)  # the integral of u^4
    0.2
    """
    nodes, weights = np.polynomial.legendre.leggauss(n_nodes)
    return (nodes + 1.0) / 2.0, weights / weights.sum()


def plane_bayes_error(law: GaussianLaw, n_steps: int = N_STEPS_PER_SCALE) -> float:
    """Bayes error of a Gaussian mixture of one common scale whose means lie in a plane.

    The posterior depends on the projection on that plane only, so the Bayes error is the
    planar integral of min(p(x, +1), p(x, -1)). It is summed on a square grid with
    ``n_steps`` points per standard deviation, which is exact to rounding where the
    integrand is smooth. The kink where both are equal would cost about 1e-6 if it ran along
    a row of the grid, as it does in symmetric problems; the grid is tilted, so that errors
    along the kink cancel, and less than 1e-7 remains. On a grid each isotropic density is
    an outer product, so the sum is a matrix product.
    """
    scale = float(law.scales[0])
    centered = law.means - law.means.mean(axis=0)
    axes = _tilted(np.linalg.svd(centered, full_matrices=False)[2][:2])
    means = centered @ axes.T / scale
    step = 1.0 / n_steps
    grids = [
        np.arange(low - N_SCALES_OF_MARGIN, high + N_SCALES_OF_MARGIN, step)
        for low, high in zip(means.min(axis=0), means.max(axis=0), strict=True)
    ]
    rows, columns = (
        np.exp(-0.5 * (grid[:, None] - mean) ** 2)
        for grid, mean in zip(grids, means.T, strict=True)
    )
    total, n_block = 0.0, max(1, N_BLOCK_CELLS // len(columns))
    for start in range(0, len(rows), n_block):
        block = rows[start : start + n_block]
        positive = (block * law.positive_weights) @ columns.T
        negative = (block * law.negative_weights) @ columns.T
        total += float(np.minimum(positive, negative).sum())
    return total * step**2 / (2.0 * np.pi)


def _tilted(axes: np.ndarray) -> np.ndarray:
    """Turn two axes by an angle that no symmetric problem has."""
    cosine, sine = np.cos(0.3), np.sin(0.3)
    return np.array([[cosine, sine], [-sine, cosine]]) @ axes
