"""The unit balls of several kernels as one family of columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handful._types import Floats
from handful.boosting._columns import Column, ranked


@dataclass(frozen=True, eq=False)
class KernelMember:
    """f(x) = sum_i coefficients_i k(x_i, x) over the examples ``indices``, of norm one."""

    kernel: int
    indices: NDArray[np.int64]
    coefficients: Floats


class KernelColumns:
    """Functions of norm at most one in the space of one of several kernels.

    The best member of kernel t for given scores is sum_i scores_i k_t(x_i, .) / N_t with
    N_t = sqrt(scores' K_t scores), and its edge is N_t.

    Parameters
    ----------
    matrices : sequence of ndarray of shape (n_samples, n_samples)
        Kernel matrices; positive semi-definite.
    """

    is_exact = True

    def __init__(self, matrices: Sequence[Floats]) -> None:
        self._matrices = list(matrices)

    def edges(self, scores: Floats) -> Floats:
        """N_t of every kernel."""
        return np.array([self._image(t, scores)[1] for t in range(len(self._matrices))])

    def _image(self, t: int, scores: Floats) -> tuple[Floats, float]:
        used = np.flatnonzero(scores)
        K = self._matrices[t]
        image = K @ scores if 2 * used.size > scores.size else K[used].T @ scores[used]
        return image, float(np.sqrt(max(0.0, float(scores @ image))))

    def best(self, scores: Floats, n_columns: int = 1) -> list[Column]:
        """The best members of the kernels with the largest N_t; a kernel with N_t = 0 has none."""
        images = [self._image(t, scores) for t in range(len(self._matrices))]
        norms = np.array([norm for _, norm in images])
        used = np.flatnonzero(scores)
        return [
            Column(
                KernelMember(t, used, scores[used] / norms[t]),
                images[t][0] / norms[t],
                float(norms[t]),
            )
            for t in ranked(norms, scores, n_columns)
            if norms[t] > 0.0
        ]
