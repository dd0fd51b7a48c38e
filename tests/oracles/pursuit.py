"""Slow twins of the pursuits: whole matrices, plain loops, textbook formulas."""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg import eigh


def gaussian_kernel(X, Z, gamma):
    """exp(-gamma |x - z|^2), one pair at a time."""
    K = np.empty((len(X), len(Z)))
    for i, x in enumerate(X):
        for j, z in enumerate(Z):
            K[i, j] = math.exp(-gamma * sum((a - b) ** 2 for a, b in zip(x, z, strict=True)))
    return K


def toy(n=12):
    """The small data set of the specification, two labels flipped."""
    i = np.arange(1, n + 1)
    X = np.column_stack([np.sin(i), np.cos(2 * i)])
    y = np.sign(np.sin(i) + 0.5 * np.cos(2 * i))
    y[[4, 9]] *= -1
    return X, y


def exhaustive_least_squares(K, Y, n_centers, intercept=False, columns=None):
    """Try every column each round and refit all coefficients with lstsq."""
    columns = range(K.shape[1]) if columns is None else columns
    base = np.ones((len(K), 1)) if intercept else np.zeros((len(K), 0))
    chosen, squares = [], []
    for _ in range(n_centers):
        best, best_square = None, math.inf
        for j in columns:
            if j in chosen:
                continue
            square = residual_square(np.hstack([base, K[:, [*chosen, j]]]), Y)
            if square < best_square * (1 - 1e-10):
                best, best_square = j, square
        chosen.append(best)
        squares.append(best_square)
    return chosen, squares


def residual_square(G, Y):
    solution = np.linalg.lstsq(G, Y, rcond=None)[0]
    return float(np.sum((Y - G @ solution) ** 2))


def deflated_pursuit(K, y, n_centers, transpose=True):
    """The lectures' loop on the whole matrix; ``transpose`` is the correction K'y."""
    W, chosen = K.copy(), []
    for _ in range(n_centers):
        scores = np.abs((W.T if transpose else W) @ y) / np.sqrt(np.sum(W**2, axis=0) + 1e-300)
        scores[np.sum(W**2, axis=0) <= 1e-20] = -1
        scores[chosen] = -1
        j = int(np.argmax(scores))
        chosen.append(j)
        t = W[:, j].copy()
        W = W - np.outer(t, t @ W) / (t @ t)
    return chosen


def deflated_pca(K, n_centers):
    """Trace-greedy pivots on the whole residual matrix."""
    W, chosen, traces = K.copy(), [], []
    for _ in range(n_centers):
        diagonal = np.diag(W)
        scores = np.where(diagonal > 1e-10, np.sum(W**2, axis=0), -1.0)
        scores = scores / np.where(diagonal > 1e-10, diagonal, 1.0)
        j = int(np.argmax(scores))
        chosen.append(j)
        W = W - np.outer(W[:, j], W[:, j]) / W[j, j]
        traces.append(float(np.trace(W)))
    return chosen, traces, np.diag(W)


def deflated_cca(A, B, n_centers):
    """Largest cosine of the two views' deflated columns."""
    A, B, chosen, scores = A.copy(), B.copy(), [], []
    for _ in range(n_centers):
        norms = np.linalg.norm(A, axis=0) * np.linalg.norm(B, axis=0)
        is_open = norms > 1e-9
        is_open[chosen] = False
        cosines = np.where(is_open, np.abs(np.sum(A * B, axis=0)) / np.where(is_open, norms, 1), -1)
        j = int(np.argmax(cosines))
        chosen.append(j)
        scores.append(float(cosines[j]))
        a, b = A[:, j].copy(), B[:, j].copy()
        A = A - np.outer(a, a @ A) / (a @ a)
        B = B - np.outer(b, b @ B) / (b @ b)
    return chosen, scores


def canonical_correlations(G, H, ridge):
    """Generalised eigenproblem of the two views' covariance blocks."""
    G, H = G - G.mean(axis=0), H - H.mean(axis=0)
    n, p, q = len(G), G.shape[1], H.shape[1]
    A = G.T @ G / n + ridge * np.mean(G**2) * np.eye(p)
    B = H.T @ H / n + ridge * np.mean(H**2) * np.eye(q)
    C = G.T @ H / n
    left = np.block([[np.zeros((p, p)), C], [C.T, np.zeros((q, q))]])
    right = np.block([[A, np.zeros((p, q))], [np.zeros((q, p)), B]])
    return eigh(left, right, eigvals_only=True)[::-1][: min(p, q)]


def rebuilt_decision(kind, content, X_chosen, labels_chosen, gamma, X_new):
    """Classes (0 or 1) said by chosen examples, their labels and a message, nothing else."""
    rows = gaussian_kernel(X_new, X_chosen, gamma) if len(X_chosen) else np.zeros((len(X_new), 0))
    signs = np.where(np.asarray(labels_chosen) == 1, 1.0, -1.0)
    if kind == "quantised":
        weights = np.array(content["coefficients"], dtype=float).reshape(len(X_chosen))
        values = rows @ weights + content["intercepts"][0]
    else:
        K = gaussian_kernel(X_chosen, X_chosen, gamma)
        weights = np.linalg.solve(K + content["ridge"] * np.eye(len(K)), signs)
        unit = np.abs(weights).sum() * np.abs(K).max() if len(K) else 1.0
        values = rows @ weights + content["shift"] * unit
    return (values > 0).astype(int), values
