"""Kernel forms: few prototypes, and support vector machines over a grid chosen by span."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist

from handful.arrays import Floats, Ints
from handful.certified.training_pool import Pool, Proposal, labels_of, need_folds, select
from handful.kernels import Kernel
from handful.models import Form, kernel_expansion

SIZES = (2, 4, 8, 16)  # each twice the last: few candidates over the range that can be read
# Gamma times the number of (scaled) columns; about threefold each.
PROTOTYPE_WIDTHS = (0.1, 0.3, 1.0, 3.0)
SVC_WIDTHS = (0.03, 0.1, 0.3, 1.0, 3.0)  # as above, with one wider
SVC_COSTS = (0.3, 1.0, 3.0, 10.0)  # about threefold each, around the usual 1
_N_PROTOTYPES_TRIED = 300  # the first of the blind order: distances stay small
_RIDGE = 1e-3  # keeps the solve regular if two prototypes are nearly one


def prototypes(pool: Pool) -> list[Proposal]:
    """Weighted similarities to at most sixteen rows, chosen greedily by least squares."""
    need_folds(pool)
    squares, gammas = _squares(pool), _gammas(pool, PROTOTYPE_WIDTHS)
    members = np.arange(min(len(pool), _N_PROTOTYPES_TRIED))
    settings = [(size, g) for size in SIZES for g in gammas]
    guesses = np.zeros((len(settings), len(pool)), dtype=np.int64)
    losses = np.zeros(guesses.shape)  # squared, as the weights minimise them
    first = np.zeros(guesses.shape)
    for g in gammas:
        K = np.exp(-g * squares)
        for train, test in pool.folds:
            inside = np.flatnonzero(np.isin(members, train))
            path = pursue_in_pool(pool, K[:, inside], train, SIZES)
            for size, (chosen, beta) in zip(SIZES, path, strict=True):
                scores = K[np.ix_(test, inside[chosen])] @ beta[:-1] + beta[-1]
                row = settings.index((size, g))
                guesses[row, test] = labels_of(scores)
                losses[row, test] = ((scores - _targets(pool)[test]) ** 2).sum(axis=1)
                first[row, test] = scores[:, 0]
    found = select(guesses, pool, losses, first)
    size, g = settings[found.best]
    K = np.exp(-g * squares)
    chosen, beta = pursue_in_pool(pool, K, np.arange(len(pool)), (size,))[0]
    machine = _expansion(pool, members[chosen], beta[:-1], beta[-1], g)
    setting = (found.best,)
    return [Proposal("prototypes", machine, found.guesses, scores=found.scores, setting=setting)]


def _squares(pool: Pool) -> Floats:
    return np.asarray(cdist(pool.scaled, pool.scaled[:_N_PROTOTYPES_TRIED], "sqeuclidean"))


def _gammas(pool: Pool, widths: tuple[float, ...]) -> list[float]:
    return [w / max(1, pool.scaled.shape[1]) for w in widths]


def _targets(pool: Pool) -> Floats:
    """±1 for two classes, one column a class for more."""
    if pool.n_classes == 2:
        return np.where(pool.y == 1, 1.0, -1.0)[:, None]
    return np.where(np.eye(pool.n_classes)[pool.y] > 0, 1.0, -1.0)


def pursue_in_pool(
    pool: Pool, K: Floats, rows: Ints, sizes: tuple[int, ...]
) -> list[tuple[Ints, Floats]]:
    """Orthogonal matching pursuit with an intercept; (columns, weights) for each size."""
    root = np.sqrt(pool.weight[rows])[:, None]
    Y, A = _targets(pool)[rows] * root, K[rows] * root
    unit = root / np.linalg.norm(root)
    W, R = A - unit @ (unit.T @ A), Y - unit @ (unit.T @ Y)
    norms = np.einsum("ij,ij->j", W, W)
    floor = 1e-8 * np.maximum(norms, 1e-300)
    chosen: list[int] = []
    for _ in range(min(max(sizes), K.shape[1])):
        gains = ((W.T @ R) ** 2).sum(axis=1) / np.maximum(norms, floor)
        gains[norms <= floor] = -1.0
        gains[chosen] = -1.0
        j = int(np.argmax(gains))
        if gains[j] <= 0.0:
            break
        chosen.append(j)
        u = W[:, j] / np.linalg.norm(W[:, j])
        R -= np.outer(u, u @ R)
        shares = u @ W
        W -= np.outer(u, shares)
        norms -= shares**2
    out = []
    for size in sizes:
        some = np.array(chosen[:size], dtype=np.int64)
        B = np.column_stack([A[:, some], root])
        H = B.T @ B
        H[np.arange(len(some)), np.arange(len(some))] += _RIDGE * len(rows) / 100.0
        out.append((some, np.linalg.solve(H, B.T @ Y)))
    return out


def _expansion(
    pool: Pool, centers: Ints, coefficients: Floats, intercepts: Floats, gamma: float
) -> Form:
    kernel = Kernel("rbf", gamma=float(gamma))
    points, weights = pool.filled[centers], np.atleast_2d(coefficients)
    return kernel_expansion(kernel, points, weights, intercepts, scale=pool.scale, fill=pool.fill)


def support_vectors(pool: Pool) -> list[Proposal]:
    """A support vector machine; width and cost by the span estimate, guesses from folds."""
    need_folds(pool)
    targets, gammas = _targets(pool), _gammas(pool, SVC_WIDTHS)
    best = _best_by_span(pool, targets, gammas) if pool.setting is None else pool.setting[0]
    width, price = divmod(best, len(SVC_COSTS))
    gamma, cost = gammas[width], SVC_COSTS[price]
    guesses, first = np.zeros(len(pool), dtype=np.int64), np.zeros(len(pool))
    for train, test in pool.folds:
        coef, bias = _machines(pool, train, targets, gamma, cost)
        K = np.exp(-gamma * cdist(pool.scaled[test], pool.scaled[train], "sqeuclidean"))
        scores = K @ coef + bias
        guesses[test], first[test] = labels_of(scores), scores[:, 0]
    coef, bias = _machines(pool, np.arange(len(pool)), targets, gamma, cost)
    used = np.flatnonzero(np.any(coef != 0.0, axis=1))
    machine = _expansion(pool, used, coef[used], bias, gamma)
    held_out = first if pool.n_classes == 2 else None
    return [Proposal("support vectors", machine, guesses, scores=held_out, setting=(best,))]


def _best_by_span(pool: Pool, targets: Floats, gammas: list[float]) -> int:
    """Place of the width and the cost with the smallest span estimate, costs counted first."""
    from handful.svm import fit_svm_grid, span_errors

    errors = np.zeros((len(gammas), len(SVC_COSTS)))
    for k in range(targets.shape[1]):
        grid = fit_svm_grid(pool.scaled, targets[:, k], gammas=gammas, Cs=SVC_COSTS, tol=1e-3)
        for i in range(len(gammas)):
            K = grid.kernel_matrix(i)
            for c in range(len(SVC_COSTS)):
                errors[i, c] += len(span_errors(grid[i * len(SVC_COSTS) + c], K))
    return int(np.argmin(errors))


def _machines(
    pool: Pool, rows: Ints, targets: Floats, gamma: float, cost: float
) -> tuple[Floats, Floats]:
    """Coefficients (n_rows, n_scores) and biases, one machine a score."""
    from sklearn.svm import SVC

    coef = np.zeros((len(rows), targets.shape[1]))
    bias = np.zeros(targets.shape[1])
    for k in range(targets.shape[1]):
        svc = SVC(C=cost, gamma=gamma).fit(pool.scaled[rows], targets[rows, k], pool.weight[rows])
        coef[svc.support_, k], bias[k] = svc.dual_coef_[0], svc.intercept_[0]
    return coef, bias
