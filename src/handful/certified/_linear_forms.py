"""Linear forms: all features, and few."""

from __future__ import annotations

import numpy as np

from handful._types import Floats, Ints
from handful.certified._logistic import logistic_path
from handful.certified._pool import Pool
from handful.certified._proposals import (
    Proposal,
    need_folds,
    need_two_classes,
    select,
)
from handful.fitted import LinearScore

# Strongest first: each fit starts from the last.
PENALTIES = (300.0, 100.0, 30.0, 10.0, 3.0, 1.0, 0.1)
MAX_SPARSE = 5  # a formula of more terms is no longer sparse to a reader
_SPARSE_PENALTY = 1.0  # one example's worth: keeps separable data finite


def linear(pool: Pool) -> list[Proposal]:
    """Logistic regression on all features; the penalty by cross-validation."""
    need_folds(pool)
    guesses = np.zeros((len(PENALTIES), len(pool)), dtype=np.int64)
    for train, test in pool.folds:
        path = _path(pool, train)
        for row, beta in zip(guesses, path, strict=True):
            row[test] = _labels(pool.scaled[test], beta)
    best, guess = select(guesses, pool)
    beta = logistic_path(pool.scaled, pool.y, pool.weight, PENALTIES[: best + 1], pool.n_scores)[-1]
    return [Proposal("linear", _score(pool, beta), guess)]


def _path(pool: Pool, rows: Ints) -> list[Floats]:
    return logistic_path(
        pool.scaled[rows], pool.y[rows], pool.weight[rows], PENALTIES, pool.n_scores
    )


def _labels(Z: Floats, beta: Floats) -> Ints:
    scores = Z @ beta[:-1] + beta[-1]
    if scores.shape[1] == 1:
        return (scores[:, 0] > 0.0).astype(np.int64)
    return np.asarray(np.argmax(scores, axis=1), dtype=np.int64)


def _score(pool: Pool, beta: Floats) -> LinearScore:
    """Weights in the features' own units."""
    weights = beta[:-1].T / pool.scale
    intercepts = beta[-1] - weights @ pool.center
    return LinearScore(
        tuple(tuple(float(w) for w in row) for row in weights),
        tuple(float(b) for b in intercepts),
        tuple(float(f) for f in pool.fill),
    )


def sparse_linear(pool: Pool) -> list[Proposal]:
    """Logistic regression on few features, chosen greedily; their number by cross-validation."""
    need_two_classes(pool)
    need_folds(pool)
    n_sizes = min(MAX_SPARSE, pool.X.shape[1])
    guesses = np.zeros((n_sizes, len(pool)), dtype=np.int64)
    for train, test in pool.folds:
        for row, beta in zip(guesses, _greedy(pool, train, n_sizes), strict=True):
            row[test] = _labels(pool.scaled[test], beta)
    best, guess = select(guesses, pool)
    beta = _greedy(pool, np.arange(len(pool)), best + 1)[-1]
    return [Proposal("sparse linear", _score(pool, beta), guess)]


def _greedy(pool: Pool, rows: Ints, n_sizes: int) -> list[Floats]:
    """Weights of 1, 2, ... features, each step taking the one with the steepest loss."""
    Z, y, weight = pool.scaled[rows], pool.y[rows], pool.weight[rows]
    target = (y == 1).astype(np.float64)
    chosen: list[int] = []
    out: list[Floats] = []
    eta = np.zeros(len(rows))
    for _ in range(n_sizes):
        p = 1.0 / (1.0 + np.exp(-eta))
        bend = np.maximum(weight * p * (1.0 - p), 1e-10)
        share = bend @ Z / bend.sum()
        slope = (weight * (target - p)) @ Z - (weight * (target - p)).sum() * share
        spread = bend @ Z**2 - bend.sum() * share**2 + _SPARSE_PENALTY
        gain = slope**2 / spread
        gain[chosen] = -1.0
        chosen.append(int(np.argmax(gain)))
        small = logistic_path(Z[:, chosen], y, weight, [_SPARSE_PENALTY], 1)[0]
        beta = np.zeros((Z.shape[1] + 1, 1))
        beta[chosen], beta[-1] = small[:-1], small[-1]
        eta = np.clip(Z[:, chosen] @ small[:-1, 0] + small[-1, 0], -30.0, 30.0)
        out.append(beta)
    return out
