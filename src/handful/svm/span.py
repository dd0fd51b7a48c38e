"""Leave-one-out errors: the span estimate, and the exact count."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dpotrf, dpotri, dpotrs

from handful.arrays import Floats
from handful.svm.solver import solve_path
from handful.svm.svm_model import SVMModel

Indices = NDArray[np.intp]

_RIDGE = 1e-10  # first ridge; it grows until the factor exists


@dataclass(frozen=True, eq=False)
class FreeFactor:
    """Cholesky factor of K on the free support vectors, and the diagonal of its inverse."""

    free: Indices
    factor: Floats
    inverse_diagonal: Floats
    inverse_sums: Floats


def factorise_free(K: Floats, free: Indices) -> FreeFactor:
    """Factorise K on the free support vectors; machines with equal free sets share the factor."""
    ridge = _RIDGE
    factor, info = dpotrf(_ridged(K, free, ridge), lower=1)
    while info:
        ridge *= 10.0
        factor, info = dpotrf(_ridged(K, free, ridge), lower=1)
    diagonal = np.diagonal(dpotri(factor, lower=1)[0]).copy()
    return FreeFactor(free, factor, diagonal, dpotrs(factor, np.ones(free.size), lower=1)[0])


def spans(
    model: SVMModel, K: Floats, *, bias: bool | None = None, factor: FreeFactor | None = None
) -> Floats:
    """Squared spans S_p^2 of the support vectors, in the order of ``model.support``.

    S_p is the distance of a support vector from the span (with a bias, the affine span) of the
    other support vectors strictly between their bounds. If the kernel matrix is singular, points
    in the span of the others get (almost) zero, which is their distance.

    ``bias`` asks for the affine span; the default is the machine's own. ``factor`` is the result
    of ``factorise_free(K, model.free)``, if it is known.
    """
    with_bias = model.fit_intercept if bias is None else bias
    free, bounded = model.free, model.bounded
    squares = np.zeros(model.n_samples)
    diagonal = np.diagonal(K)
    if free.size == 0:
        squares[bounded] = np.inf if with_bias else diagonal[bounded]
        return squares[model.support]
    known = factorise_free(K, free) if factor is None else factor
    inverse_diagonal, z = known.inverse_diagonal, known.inverse_sums
    cross = K[np.ix_(free, bounded)]
    quadratic = np.einsum("ij,ij->j", cross, dpotrs(known.factor, cross, lower=1)[0])
    if with_bias:
        # The affine span has the further condition that coefficients add up to one: a rank-one
        # correction of the inverse.
        inverse_diagonal = inverse_diagonal - z**2 / z.sum()
        quadratic -= (cross.T @ z - 1.0) ** 2 / z.sum()
    # The squared distance of a free support vector from the span of the others is the reciprocal of
    # its diagonal entry in the inverse.
    squares[free] = 1.0 / np.maximum(inverse_diagonal, np.finfo(float).tiny)
    squares[bounded] = np.maximum(diagonal[bounded] - quadratic, 0.0)
    return squares[model.support]


def _ridged(K: Floats, members: Indices, ridge: float) -> Floats:
    block = K[np.ix_(members, members)]
    block.flat[:: members.size + 1] += ridge * max(float(np.diagonal(block).mean()), 1e-300)
    return block


def span_errors(
    model: SVMModel, K: Floats, *, bias: bool | None = None, factor: FreeFactor | None = None
) -> Indices:
    """Training points that the span estimate counts as leave-one-out errors."""
    # Exact if the categories of the support vectors stay the same after a removal: without p the
    # margin of p falls by alpha_p S_p^2.
    support = model.support
    squares = spans(model, K, bias=bias, factor=factor)
    return support[model.alpha[support] * squares >= model.margins[support]]


def leave_one_out_errors(model: SVMModel, K: Floats, *, tol: float = 1e-6) -> Indices:
    """Training points that a machine trained on all other points gets wrong; exact and slow.

    Only support vectors are tried: the removal of another point does not change the machine. A
    centred kernel matrix is not centred anew.
    """
    wrong = []
    Cs = np.array([model.C])
    everyone = np.arange(model.n_samples)
    for p in model.support:
        rest = np.delete(everyone, p)
        y = model.y_signed[rest]
        # Without its only example of a class, no machine names that class: counted as an error.
        if np.unique(y).size < 2:
            wrong.append(p)
            continue
        block = np.ascontiguousarray(K[np.ix_(rest, rest)])
        weights = None if model.row_weights is None else model.row_weights[rest]
        solution = solve_path(
            block, y, Cs, fit_intercept=model.fit_intercept, tol=tol, row_weights=weights
        )[0]
        # A value of exactly 0 counts as an error: the estimate is not flattered by ties.
        value = K[p, rest] @ (solution.alpha * y) + solution.bias
        if model.y_signed[p] * value <= 0.0:
            wrong.append(p)
    return np.array(wrong, dtype=np.intp)
