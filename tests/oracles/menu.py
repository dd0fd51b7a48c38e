"""The menu a second time: ranks, prices, certificates, folds and stumps by the plainest code."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import expit
from scipy.stats import beta

POCKET = {
    *("one rule", "rule set", "rule list"),
    *("score card", "short score card", "other score card"),
}


def role_masses(forms, named=None):
    """.6 for the first, .3 for the first pocket form, .1 for the rest in proportion to 1 / rank.

    .9 for the first if there is no other pocket form before it, and for a named one; then divided
    by the sum of what somebody holds.
    """
    ranks = range(1, len(forms) + 1)
    carried = [rank for rank in ranks if forms[rank - 1] in POCKET]
    if named is not None:
        held = {named: 0.9}
    elif not carried or carried[0] == 1:
        held = {1: 0.9}
    else:
        held = {1: 0.6, carried[0]: 0.3}
    others = [rank for rank in ranks if rank not in held]
    total = sum(1.0 / rank for rank in others)
    out = [held[rank] if rank in held else 0.1 / rank / total for rank in ranks]
    return [mass / sum(out) for mass in out]


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


def upper_rates(n_errors, n, level):
    """Limits by Clopper and Pearson, for counts of any shape; 1 if all are errors."""
    k = np.asarray(n_errors)
    return np.where(k == n, 1.0, beta.isf(level, k + 1, np.maximum(n - k, 1)))


def limits_for_goal(wrong, n, others, n_other, miss, level):
    """Thresholds tested in order until one may err on more than ``miss`` of its class.

    Errors are given by draw and threshold. Gives the last accepted place (0 if there is none), and
    the limits for the class of the goal and for the other one, each at the level.
    """
    limits = upper_rates(np.arange(n + 1), n, level)[wrong]
    n_accepted = np.cumprod(limits <= miss, axis=1).sum(axis=1)
    place = np.maximum(n_accepted - 1, 0)
    own = np.full(len(limits), float(miss))
    own[n_accepted == 0] = limits[n_accepted == 0, 0]
    is_all = n_accepted == limits.shape[1]
    own[is_all] = limits[is_all].max(axis=1)
    last = np.take_along_axis(np.asarray(others), place[:, None], axis=1)[:, 0]
    return place, own, upper_rates(np.arange(n_other + 1), n_other, level)[last]


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
