"""The unique optimum behind the stable certificate: its definition, and when it is refused."""

import numpy as np
import pytest

from handful.boosting import LPBoost
from handful.boosting.collection import capped_quantile
from handful.boosting.solver import solve_lpboost
from handful.boosting.weak_learners import PrecomputedColumns
from tests.oracles import boosting as oracle

LEVELS = 6
GRID = np.arange(LEVELS - 1) + 0.5


def _draw(rng, m):
    X = rng.integers(0, LEVELS, size=(m, 2)).astype(float)
    y = np.where(X @ [1.0, 2.0] > 7.4, 1, -1)
    return X, np.where(rng.random(m) < 0.05, -y, y)


def test_capped_quantile_is_the_smallest_maximiser(rng):
    for _ in range(20):
        margins = rng.integers(-3, 4, size=9) / 3.0
        caps = np.full(9, 1.0 / rng.integers(1, 9))
        value = lambda rho: rho - caps @ np.maximum(0.0, rho - margins)  # noqa: E731, B023
        values = [value(rho) for rho in np.unique(margins)]
        best = np.unique(margins)[np.flatnonzero(np.isclose(values, max(values)))[0]]
        assert capped_quantile(margins, caps) == best


@pytest.mark.parametrize("kind", ["stumps", "precomputed"])
def test_stable_scheme_by_its_definition(rng, kind):
    """Examples outside the set do not matter; a new error would enter it."""
    options = {"cap": 0.03, "weak_learner": kind}
    for _ in range(6):
        if kind == "stumps":
            X, y = _draw(rng, 80)
            options["thresholds"] = GRID
        else:
            X = rng.normal(size=(80, 4))
            y = np.where(X[:, 0] + X[:, 1] + 0.1 * rng.normal(size=80) > 0, 1, -1)
        machine = LPBoost(**options).fit(X, y)
        size = machine.certify().n_compressed
        outside = np.flatnonzero(machine.margins_ > machine.rho_[0] + 1e-7)
        assert size == 80 - outside.size
        for gone in (outside[:1], outside[::2], outside):
            kept = np.setdiff1d(np.arange(80), gone)
            again = LPBoost(**options).fit(X[kept], y[kept])
            np.testing.assert_allclose(
                again.decision_function(X), machine.decision_function(X), atol=1e-9
            )
            assert again.certify().n_compressed == size
        new = X[:1]
        wrong = -machine.predict(new)
        grown = LPBoost(**options).fit(np.vstack([X, new]), np.append(y, wrong))
        enters = grown.margins_[-1] <= grown.rho_[0] + 1e-7
        assert enters


def test_vertex_is_the_optimum_of_the_full_program(rng):
    for _ in range(5):
        H = rng.uniform(-1, 1, size=(40, 6))
        y = np.where(H[:, 0] + H[:, 1] > 0, 1.0, -1.0)
        family, caps = PrecomputedColumns(H, prices=True), np.full(40, 0.1)
        solution = solve_lpboost(family, y, caps, tol=1e-6, max_iter=100, prove=True)
        assert solution.vertex is not None
        both = np.stack([H, -H], axis=2).reshape(40, 12)
        prices = np.array([family.column_at(j, y).price for j in range(12)])
        _, rho, _, a = oracle.lpboost_primal(both, y, caps, prices)
        dense = np.zeros(12)
        for column, weight in zip(solution.columns, solution.weights, strict=True):
            j, sign = column.key
            dense[2 * j + (sign < 0)] = weight
        np.testing.assert_allclose(dense, a, atol=1e-8)
        assert solution.rho == pytest.approx(rho, abs=1e-8)


def test_equal_columns_without_prices_are_refused(rng):
    h = np.where(rng.random(30) < 0.5, 1.0, -1.0)
    y = h * np.where(np.arange(30) < 3, -1.0, 1.0)
    twins = PrecomputedColumns(np.column_stack([h, h]))
    solution = solve_lpboost(twins, y, np.full(30, 0.05), tol=1e-6, max_iter=50, prove=True)
    assert solution.vertex is None
    assert solution.why_not
    priced = PrecomputedColumns(np.column_stack([h, h]), prices=True)
    solution = solve_lpboost(priced, y, np.full(30, 0.05), tol=1e-6, max_iter=50, prove=True)
    assert solution.vertex is not None
    assert len(solution.vertex.columns) == 1


def test_rounds_that_run_out_are_not_proved(rng):
    X = rng.normal(size=(60, 8))
    y = np.where(X.sum(axis=1) > 0, 1.0, -1.0)
    family = PrecomputedColumns(X, prices=True)
    solution = solve_lpboost(family, y, np.full(60, 0.05), tol=1e-6, max_iter=1, prove=True)
    assert solution.why_not == "column generation did not converge"
