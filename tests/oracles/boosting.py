"""Slow twins of the boosting family: loops and full linear programs, nothing of the package."""

from __future__ import annotations

import itertools
import math

import numpy as np
from scipy.optimize import brentq, linprog


def all_stumps(X, thresholds=None):
    """(feature, threshold, sign) in the order of the package, constants last."""
    stumps = []
    for j in range(X.shape[1]):
        column = [v for v in X[:, j] if not math.isnan(v)]
        if thresholds is None:
            values = sorted(set(column))
            cuts = [(a + b) / 2 for a, b in itertools.pairwise(values)]
            if 0 < len(column) < X.shape[0]:
                cuts.append(values[-1])
        else:
            cuts = sorted(set(thresholds))
        stumps += [(j, t, s) for t in cuts for s in (1, -1)]
    return [*stumps, (-1, 0.0, 1), (-1, 0.0, -1)]


def stump_value(stump, row):
    feature, threshold, sign = stump
    if feature < 0:
        return float(sign)
    value = row[feature]
    if math.isnan(value):
        return 0.0
    return float(sign if value <= threshold else -sign)


def stump_matrix(X, stumps):
    return np.array([[stump_value(s, row) for s in stumps] for row in X])


def best_stump(X, scores, thresholds=None):
    """Largest edge and the first stump that reaches it, among features in order."""
    stumps = all_stumps(X, thresholds)
    edges = [sum(scores[i] * stump_value(s, X[i]) for i in range(len(X))) for s in stumps]
    top = max(edges)
    first = next(i for i, e in enumerate(edges) if e >= top - 1e-12)
    return stumps[first], top


def adaboost(X, y, n_rounds):
    """(stump, error, alpha, Z) of each round, by the textbook."""
    m = len(y)
    D = [1.0 / m] * m
    out = []
    for _ in range(n_rounds):
        stump, _ = best_stump(X, [D[i] * y[i] for i in range(m)])
        h = [stump_value(stump, row) for row in X]
        error = sum(D[i] for i in range(m) if h[i] != y[i])
        if error <= 1e-12 or error >= 0.5 - 1e-12:
            break
        alpha = 0.5 * math.log((1 - error) / error)
        D = [D[i] * math.exp(-alpha * y[i] * h[i]) for i in range(m)]
        Z = sum(D)
        D = [d / Z for d in D]
        out.append((stump, error, alpha, Z))
    return out


def lpboost_primal(H, y, caps, prices=None):
    """max rho - caps.xi - prices.a by linprog; returns value, rho, xi, a.

    Variables (rho, xi, a); H has one column for each weak learner.
    """
    m, n = H.shape
    prices = np.zeros(n) if prices is None else prices
    cost = np.concatenate([[-1.0], caps, prices])
    A = np.hstack([np.ones((m, 1)), -np.eye(m), -(y[:, None] * H)])
    total = np.concatenate([[0.0], np.zeros(m), np.ones(n)])[None, :]
    bounds = [(None, None)] + [(0, None)] * (m + n)
    result = linprog(cost, A, np.zeros(m), total, [1.0], bounds, method="highs")
    assert result.status == 0, result.message
    return -result.fun, result.x[0], result.x[1 : m + 1], result.x[m + 1 :]


def lpboost_dual(H, y, caps):
    """min beta by linprog; returns beta and u."""
    m, n = H.shape
    cost = np.append(np.zeros(m), 1.0)
    A = np.hstack([(y[:, None] * H).T, -np.ones((n, 1))])
    total = np.append(np.ones(m), 0.0)[None, :]
    bounds = [(0, c) for c in caps] + [(None, None)]
    result = linprog(cost, A, np.zeros(n), total, [1.0], bounds, method="highs")
    assert result.status == 0, result.message
    return result.fun, result.x[:-1]


def kernel_lpboost(matrices, y, caps, tol):
    """Lower and upper bound of LPBoost over unit balls of kernels, by cutting planes.

    Each round solves the dual on all columns so far and adds the best function of the best
    kernel: slow, exact, and nothing but linear programs.
    """
    u, beta, columns, upper = caps / sum(caps), 0.0, [], math.inf
    while True:
        norms = [kernel_norm(K, u * y) for K in matrices]
        best = max(range(len(norms)), key=norms.__getitem__)
        upper = min(upper, norms[best])
        if upper - beta <= tol:
            return beta, upper
        columns.append(matrices[best] @ (u * y) / norms[best])
        beta, u = lpboost_dual(np.array(columns).T, y, caps)


def centred(K, weights):
    """K of the functions minus their weighted mean, entry by entry."""
    n = len(K)
    p = [w / sum(weights) for w in weights]
    mean = [sum(p[j] * K[i][j] for j in range(n)) for i in range(n)]
    grand = sum(p[i] * mean[i] for i in range(n))
    return np.array([[K[i][j] - mean[i] - mean[j] + grand for j in range(n)] for i in range(n)])


def stagewise(X, y, n_rounds, loss):
    """(stump, alpha, mean loss) of each round, the weight where the derivative vanishes."""
    values = {
        "exponential": lambda v: np.exp(-v),
        "logistic": lambda v: np.log1p(np.exp(-2 * v)),
        "squared": lambda v: (1 - v) ** 2,
    }[loss]
    pulls = {
        "exponential": lambda v: np.exp(-v),
        "logistic": lambda v: 2 / (1 + np.exp(2 * v)),
        "squared": lambda v: 2 * (1 - v),
    }[loss]
    m, margins, out = len(y), np.zeros(len(y)), []
    for _ in range(n_rounds):
        stump, _ = best_stump(X, pulls(margins) * y / m)
        h = np.array([stump_value(stump, row) for row in X])
        slope = lambda a, h=h, f=margins: (pulls(f + a * y * h) * y * h).sum()  # noqa: E731
        alpha = brentq(slope, 0.0, 10.0, xtol=1e-15)
        margins = margins + alpha * y * h
        out.append((stump, alpha, values(margins).mean()))
    return out


def kernel_norm(K, scores):
    """sqrt(scores' K scores), by two loops."""
    n = len(scores)
    square = sum(scores[i] * K[i][j] * scores[j] for i in range(n) for j in range(n))
    return math.sqrt(max(0.0, square))  # rounding may leave a square of -1e-18


def exact_rademacher(H):
    """E sup_h (2/m) sum sigma h over all 2^m sign vectors; H has one column for each h."""
    m = H.shape[0]
    sups = [max(np.array(s) @ H) for s in itertools.product((-1.0, 1.0), repeat=m)]
    return 2.0 / m * float(np.mean(sups))
