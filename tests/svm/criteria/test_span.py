"""Spans and leave-one-out errors."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from handful.svm import fit_svm_grid, leave_one_out_errors, span_errors
from handful.svm.span import spans
from tests.oracles import svm as oracle


def test_vectors_without_bias():
    X, y = oracle.paper_data()
    grid = fit_svm_grid(
        X, y, gammas=[2.0], Cs=[1.0, 10.0], fit_intercept=False, center=True, tol=1e-12
    )
    K = grid.kernel_matrix(0)
    found = dict(zip(grid[0].support.tolist(), spans(grid[0], K), strict=True))
    expected = {1: 0.46507596, 8: 0.47151109, 11: 0.51916232, 0: 0.21099278}
    for p, value in expected.items():
        assert found[p] == pytest.approx(value, abs=1e-7)
    assert span_errors(grid[0], K).tolist() == [4, 5, 9, 15]
    assert leave_one_out_errors(grid[0], K).tolist() == [4, 5, 9, 15]
    assert span_errors(grid[1], K).tolist() == [4, 9, 15]
    assert leave_one_out_errors(grid[1], K).tolist() == [4, 9]


def test_vectors_with_bias():
    X, y = oracle.paper_data()
    grid = fit_svm_grid(X, y, gammas=[2.0], Cs=[1.0], tol=1e-12)
    K = grid.kernel_matrix(0)
    assert span_errors(grid[0], K).tolist() == [4, 9, 11]
    assert leave_one_out_errors(grid[0], K).tolist() == [4, 9, 10, 11]


@pytest.mark.parametrize("bias", [False, True])
def test_spans_are_distances(rng, bias):
    X = rng.normal(size=(40, 2))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=40) > 0, 1.0, -1.0)
    grid = fit_svm_grid(X, y, gammas=[0.8], Cs=[2.0], fit_intercept=bias, tol=1e-10)
    K = grid.kernel_matrix(0)
    expected = oracle.span_squares(K, grid[0].alpha, 2.0, bias)
    found = dict(zip(grid[0].support.tolist(), spans(grid[0], K), strict=True))
    assert found.keys() == expected.keys()
    for p in found:
        assert found[p] == pytest.approx(expected[p], rel=1e-4, abs=1e-7)


def test_affine_spans_do_not_depend_on_the_origin(rng):
    X = rng.normal(size=(40, 2))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=40) > 0, 1.0, -1.0)
    grid = fit_svm_grid(X, y, gammas=[0.8], Cs=[2.0], tol=1e-10)
    K = grid.kernel_matrix(0)
    shifted = spans(grid[0], oracle.centred(K))
    np.testing.assert_allclose(spans(grid[0], K), shifted, rtol=1e-4, atol=1e-7)


def test_twins_have_no_span(rng):
    """Of two equal support vectors either can go: a pseudo-inverse would say otherwise."""
    X = rng.normal(size=(12, 2))
    y = np.where(X[:, 0] > 0, 1.0, -1.0)
    grid = fit_svm_grid(X, y, gammas=[1.0], Cs=[1e3], fit_intercept=False, tol=1e-10)
    model = grid[0]
    doubled = replace(
        model,
        alpha=np.tile(model.alpha / 2, 2),
        y_signed=np.tile(y, 2),
        f=np.tile(model.f, 2),
    )
    K = np.tile(grid.kernel_matrix(0), (2, 2))
    assert doubled.free.size >= 4
    assert spans(doubled, K).max() < 1e-7
    inverse = np.linalg.pinv(K[np.ix_(doubled.free, doubled.free)], rcond=1e-10)
    assert (1.0 / inverse.diagonal()).min() > 1e-4


def test_wide_kernels_whose_centred_matrix_is_rounding(rng):
    """Where centring leaves little but rounding, the estimate is still a number."""
    X = rng.normal(size=(60, 2))
    y = np.where(X[:, 0] > 0, 1.0, -1.0)
    grid = fit_svm_grid(X, y, gammas=[1e-9], Cs=[1.0, 1e6])
    for model in grid:
        squares = spans(model, oracle.centred(grid.kernel_matrix(0)))
        assert not np.isnan(squares).any()


def test_no_vector_between_the_bounds(rng):
    """A tiny C: with a bias every support vector counts, without one the norms do."""
    X = rng.normal(size=(10, 2))
    y = np.where(np.arange(10) < 5, 1.0, -1.0)
    biased = fit_svm_grid(X, y, gammas=[1.0], Cs=[1e-3])
    assert biased[0].free.size == 0
    assert span_errors(biased[0], biased.kernel_matrix(0)).size == 10
    plain = fit_svm_grid(X, y, gammas=[1.0], Cs=[1e-3], fit_intercept=False)
    assert spans(plain[0], plain.kernel_matrix(0)) == pytest.approx(np.ones(10))


def test_leave_one_out_of_a_lone_class(rng):
    X = rng.normal(size=(6, 2))
    y = np.array([1.0, -1, -1, -1, -1, -1])
    grid = fit_svm_grid(X, y, gammas=[1.0], Cs=[1.0])
    assert 0 in leave_one_out_errors(grid[0], grid.kernel_matrix(0))


@pytest.mark.parametrize("bias", [False, True])
def test_exact_where_no_other_vector_changes_its_kind(rng, bias):
    """Vapnik & Chapelle: the score of a removed vector then falls by alpha S^2."""
    n_checked = 0
    while n_checked < 3:
        n_checked += _n_exact_spans(rng, bias)


def _n_exact_spans(rng, bias):
    """Check the vectors of one draw whose removal changes no other vector's kind."""
    X = rng.normal(size=(60, 2))
    y = np.where(X[:, 0] + 0.3 * rng.normal(size=60) > 0, 1.0, -1.0)
    options = {"gammas": [1.0], "Cs": [1.0], "fit_intercept": bias, "tol": 1e-11}
    grid = fit_svm_grid(X, y, **options)
    model, K = grid[0], grid.kernel_matrix(0)
    n_checked = 0
    for p, square in zip(model.support, spans(model, K), strict=True):
        rest = np.delete(np.arange(60), p)
        without = fit_svm_grid(X[rest], y[rest], **options)
        kinds = [np.setdiff1d(kind, [p]) for kind in (model.free, model.bounded)]
        found = [rest[without[0].free], rest[without[0].bounded]]
        if not all(np.array_equal(a, b) for a, b in zip(kinds, found, strict=True)):
            continue
        score = y[p] * without.decision_function(X[[p]])[0, 0]
        assert score == pytest.approx(model.margins[p] - model.alpha[p] * square, abs=1e-4)
        n_checked += 1
    return n_checked


@pytest.mark.slow
def test_the_span_estimate_is_near_the_exact_count(rng):
    """Mean absolute difference below five per cent over noisy problems."""
    differences = []
    for _ in range(10):
        X = rng.normal(size=(80, 2))
        y = np.where(X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=80) > 0, 1.0, -1.0)
        grid = fit_svm_grid(X, y, gammas=[0.5, 2.0], Cs=[1.0, 10.0], tol=1e-8)
        for k, model in enumerate(grid):
            K = grid.kernel_matrix(k // 2)
            estimate, exact = span_errors(model, K).size, leave_one_out_errors(model, K).size
            differences.append(abs(estimate - exact) / 80)
    assert np.mean(differences) < 0.05
