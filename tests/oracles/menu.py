"""The menu a second time: ranks, prices, certificates, folds and stumps by the plainest code."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import expit
from scipy.stats import beta


def rank_masses(n, first=0.95):
    """0.95 for the favourite, the rest in proportion to one over the rank."""
    if n == 1:
        return [1.0]
    harmonic = sum(1.0 / i for i in range(2, n + 1))
    return [first] + [(1.0 - first) / (i * harmonic) for i in range(2, n + 1)]


def ranks(errors, simplicity):
    """Rank of each candidate, 1 for the favourite: fewer errors, then simpler, then earlier."""
    out = []
    for i, (error, simple) in enumerate(zip(errors, simplicity, strict=True)):
        before = sum(
            (e, s, j) < (error, simple, i)
            for j, (e, s) in enumerate(zip(errors, simplicity, strict=True))
        )
        out.append(before + 1)
    return out


def certificate(n_errors, n_counted, mass, delta):
    """Clopper-Pearson limit at delta * mass."""
    if n_errors >= n_counted:
        return 1.0
    return float(beta.isf(delta * mass, n_errors + 1, n_counted - n_errors))


def honest_guesses(guesses, y, fold, losses=None):
    """For each row, the guess of the setting with the least loss (or errors) on other folds."""
    paid = [[g[j] != y[j] for j in range(len(y))] for g in guesses] if losses is None else losses
    out = []
    for i in range(len(y)):
        sums = [sum(row[j] for j in range(len(y)) if fold[j] != fold[i]) for row in paid]
        out.append(guesses[sums.index(min(sums))][i])
    return np.array(out)


def boosted_stumps(bins, n_bins, y, weight, n_rounds, shrink, least, ridge, start, signs=None):
    """Stagewise logistic stumps, every sum from the start; two classes; bin 0 has no direction."""
    d, n = bins.shape
    scores = np.full(n, start)
    for _ in range(n_rounds):
        p = expit(scores)
        g, h = weight * ((y == 1) - p), weight * p * (1.0 - p)
        best = (0.0, None)
        for j in range(d):
            for b in range(n_bins[j] - 1):
                left = bins[j] <= b
                hl, hr = h[left].sum(), h[~left].sum()
                if hl < least or hr < least:
                    continue
                gl, gr = g[left].sum(), g[~left].sum()
                gain = gl**2 / (hl + ridge) + gr**2 / (hr + ridge)
                rise = gr / (hr + ridge) - gl / (hl + ridge)
                if signs is not None and b > 0 and rise * signs[j] < 0:
                    continue
                if gain > best[0] * (1.0 + 1e-12):
                    best = (gain, (j, b, gl / (hl + ridge), gr / (hr + ridge)))
        if best[1] is None:
            break
        j, b, left_step, right_step = best[1]
        scores = scores + shrink * np.where(bins[j] <= b, left_step, right_step)
    return scores


def logistic_loss(A, beta, y, weight, penalty):
    """Penalised loss of weights whose last one is the intercept."""
    total = 0.5 * penalty * sum(b * b for b in beta[:-1])
    for row, label, w in zip(A, y, weight, strict=True):
        score = float(np.dot(row, beta[:-1]) + beta[-1])
        z = score if label == 1 else -score
        total += w * (math.log1p(math.exp(-z)) if z > -30 else -z)
    return total
