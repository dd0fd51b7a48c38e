"""The loop on its own: bounds on the way, callbacks, and oracles that give nothing."""

import numpy as np
import pytest

from handful.boosting import column_generation
from handful.boosting._columns import Column, PrecomputedColumns, fixed_prices, ranked
from handful.boosting._master import DualMaster
from handful.boosting._rows import merge_rows
from handful.boosting._unique import capped_quantile
from tests.oracles import boosting as oracle


def _problem(rng, m=30, n=12):
    H = rng.uniform(-1, 1, size=(m, n))
    y = np.where(H[:, 0] + 0.3 * rng.normal(size=m) > 0, 1.0, -1.0)
    return H, y, np.full(m, 2.0 / m)


@pytest.mark.parametrize("smoothing", [0.0, 0.5, 0.9])
def test_bounds_enclose_the_optimum_on_the_way(rng, smoothing):
    H, y, caps = _problem(rng)
    optimum = oracle.lpboost_primal(np.hstack([H, -H]), y, caps)[0]
    seen = []
    result = column_generation(
        PrecomputedColumns(H),
        DualMaster(y, caps),
        tol=1e-8,
        max_iter=200,
        smoothing=smoothing,
        on_iteration=seen.append,
    )
    assert seen == result.history
    assert result.is_converged
    for state in seen:
        assert state.beta <= optimum + 1e-8
        assert state.edge >= optimum - 1e-8
    assert result.restricted.beta == pytest.approx(optimum, abs=1e-7)


def test_prices_enter_the_program(rng):
    H, y, caps = _problem(rng)
    family = PrecomputedColumns(H, prices=True)
    result = column_generation(family, DualMaster(y, caps), tol=1e-9, max_iter=200)
    both = np.column_stack([H, -H])[:, [k for j in range(12) for k in (j, j + 12)]]
    optimum = oracle.lpboost_primal(both, y, caps, fixed_prices(24))[0]
    assert result.restricted.beta == pytest.approx(optimum, abs=1e-8)


class _Nothing:
    is_exact = True

    def best(self, scores, n_columns=1):
        return []


class _Useless:
    is_exact = True

    def best(self, scores, n_columns=1):
        return [Column("none", np.zeros(scores.size), 0.0)]


@pytest.mark.parametrize("family", [_Nothing(), _Useless()])
def test_no_positive_edge_gives_no_column(rng, family):
    _, y, caps = _problem(rng)
    result = column_generation(family, DualMaster(y, caps), tol=1e-6, max_iter=5)
    assert result.columns == []
    assert result.restricted is None
    assert result.is_converged


def test_limit_leaves_the_gap(rng):
    H, y, caps = _problem(rng)
    result = column_generation(PrecomputedColumns(H), DualMaster(y, caps), tol=1e-9, max_iter=2)
    assert not result.is_converged
    optimum = oracle.lpboost_primal(np.hstack([H, -H]), y, caps)[0]
    assert result.restricted.beta <= optimum <= result.restricted.beta + result.gap + 1e-9


def test_ties_go_to_the_lowest_index():
    scores = np.array([1.0, -1.0])
    assert ranked(np.array([0.0, 1.0, 1.0 + 1e-13, 0.5]), scores, 1) == [1]
    assert ranked(np.array([0.0, 1.0, 1.0 + 1e-13, 0.5]), scores, 3) == [1, 2, 3]


def test_capped_quantile_is_the_smallest_maximiser(rng):
    for _ in range(20):
        margins = rng.integers(-3, 4, size=9) / 3.0
        caps = np.full(9, 1.0 / rng.integers(1, 9))
        value = lambda rho: rho - caps @ np.maximum(0.0, rho - margins)  # noqa: E731, B023
        values = [value(rho) for rho in np.unique(margins)]
        best = np.unique(margins)[np.flatnonzero(np.isclose(values, max(values)))[0]]
        assert capped_quantile(margins, caps) == best


def test_merged_rows_keep_all_weight(rng):
    X = rng.integers(0, 2, size=(40, 3)).astype(float)
    X[rng.random(X.shape) < 0.2] = np.nan
    y = rng.choice([-1.0, 1.0], size=40)
    w = rng.integers(0, 3, size=40).astype(float)
    rows, signs, merged = merge_rows(X, y, w)
    assert merged.sum() == w.sum()
    keys = {(*np.nan_to_num(r, nan=9.0), s) for r, s in zip(rows, signs, strict=True)}
    assert len(keys) == len(rows)
    order = rng.permutation(40)
    again = merge_rows(X[order], y[order], w[order])
    for one, two in zip((rows, signs, merged), again, strict=True):
        np.testing.assert_array_equal(one, two)
