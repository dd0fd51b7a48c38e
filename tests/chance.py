"""How many misses chance allows."""

from __future__ import annotations

from scipy.stats import binom


def n_allowed(n_draws: int, delta: float, doubt: float = 1e-3) -> int:
    """Number of misses that a valid certificate exceeds with probability ``doubt`` at most."""
    return int(binom.isf(doubt, n_draws, delta))
