"""The loop on its own: bounds on the way, callbacks, and oracles that give nothing."""

import numpy as np
import pytest

from handful.boosting import WeakColumn, column_generation
from handful.boosting.generation import DualMaster
from handful.boosting.weak_learners import PrecomputedColumns, fixed_prices
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
        return [WeakColumn("none", np.zeros(scores.size), 0.0)]


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
