"""Training examples that a pursuit may read: the first of the blind order."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.checks import check_count
from handful.pursuit.kernel_columns import Indices

N_SMALLEST_POOL = 10  # fewer cannot hold centres of two classes


@dataclass(frozen=True)
class CandidatePool:
    """Examples that a pursuit reads, and those that may become centres.

    Attributes
    ----------
    rows : ndarray of int
        Indices of the training examples the fit reads: the pool, or all of them.
    candidates : ndarray of int or None
        Positions among ``rows`` that may become centres; None for all.
    n_named : int
        Number of examples a compression set is named from.
    """

    rows: Indices
    candidates: Indices | None
    n_named: int

    def split(self, fraction: float) -> tuple[CandidatePool, Indices]:
        """A smaller pool, and the rows held out of it: the last ones."""
        n_held = math.ceil(fraction * len(self.rows))
        rest = np.arange(len(self.rows) - n_held)
        if not len(rest):
            raise ValueError(
                f"`validation_fraction` must leave examples to fit, got {fraction!r} of "
                f"{len(self.rows)} examples."
            )
        candidates = self.candidates
        if candidates is not None:
            # Rows that are held out may not become centres.
            candidates = candidates[candidates < len(rest)]
        if candidates is not None and not len(candidates):
            candidates = None
        return CandidatePool(self.rows[rest], candidates, self.n_named), self.rows[len(rest) :]


def pool_size(n_samples: int, fraction: float) -> int:
    """A share of the examples, at least 10 (or half) of them.

    Examples
    --------
    >>> pool_size(100, 0.4), pool_size(12, 0.1)
    (40, 6)
    """
    smallest = min(N_SMALLEST_POOL, math.ceil(n_samples / 2))
    return max(math.ceil(fraction * n_samples), smallest)


def first_candidates(candidates: Any, n_rows: int) -> Indices | None:
    """Rows that may be chosen: None for all, the first for a number, or the rows given."""
    if candidates is None:
        return None
    if np.ndim(candidates) == 0:
        wanted = check_count("candidates", candidates, low=1)
        return np.arange(wanted) if wanted < n_rows else None
    rows = np.unique(np.asarray(candidates))
    if rows.dtype.kind not in "iu" or not len(rows) or rows[0] < 0 or rows[-1] >= n_rows:
        raise ValueError(
            f"`candidates` must be row numbers in [0, {n_rows}), got {candidates!r}. "
            "Pass an int to draw that many."
        )
    return rows.astype(np.intp)


def is_outside(n_samples: int, indices: Indices) -> NDArray[np.bool_]:
    """Mask of the examples that are not among the indices."""
    mask = np.ones(n_samples, dtype=bool)
    mask[indices] = False
    return mask
