"""The kernel matrix that a program is solved for."""

from __future__ import annotations

import numpy as np

from handful._types import Floats
from handful.kernels import Kernel


def training_matrix(kernel: Kernel, X: Floats) -> Floats:
    """Kernel matrix of the training examples: square, finite, symmetric."""
    K = kernel(X)
    if K.shape != (len(X), len(X)):
        raise ValueError(
            f"`kernel` must give a square matrix on the training examples, got {K.shape} "
            f"for {len(X)} examples. Pass K(train, train) to fit."
        )
    if not np.all(np.isfinite(K)):
        raise ValueError("`kernel` must be finite, got NaN or infinity. Check its scale.")
    if np.abs(K - K.T).max() > 1e-8 * np.abs(K).max():
        raise ValueError("`kernel` must be symmetric, got a matrix that is not.")
    return np.ascontiguousarray(K)
