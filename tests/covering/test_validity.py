"""The certificates hold as often as they say, selection included, where the risk is known.

The fast runs fit coin flips at delta = 1/2 and say what the same fits would claim without paying:
so they can fail. That not a nat is lost is a matter of accounting: ``test_accounting.py``.
"""

from __future__ import annotations

import numpy as np
import pytest

from handful.bounds import binomial_tail_inverse
from handful.tables import blind_order
from tests.chance import n_allowed
from tests.covering import coins
from tests.covering.simulation import PROCEDURES, run


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", coins.PROCEDURES)
def test_coin_flips_are_not_certified(name):
    """Without the price of the codes the same fits miss far too often."""
    n_missed, n_unpaid = coins.misses(name)
    assert n_missed <= n_allowed(coins.PROCEDURES[name].n_draws, coins.DELTA) < n_unpaid


def _pool_misses(n_draws: int, order_of) -> int:
    """How often a hold-out of the rows outside a pool certifies less than the true risk.

    Six points, the first two of them all noise: sixty rows have at most twelve contents. The
    rule says what the pool says most often at each point. Nothing is chosen, so that misses
    are as frequent as delta = 1/2 and the steps of the count allow.
    """
    positive = np.array([0.5, 0.5, 0.1, 0.1, 0.0, 0.0])
    n, size, n_missed = 60, 20, 0
    for draw in range(n_draws):
        rng = np.random.default_rng([3, draw])
        at = np.sort(rng.integers(0, 6, n))  # noisy rows first, as an ill-meant file might
        y = (rng.random(n) < positive[at]).astype(int)
        order = order_of(at[:, None].astype(float), y)
        pool, rest = order[:size], order[size:]
        votes = np.bincount(at[pool], weights=2.0 * y[pool] - 1.0, minlength=6)
        says = votes > 0
        k = int((says[at[rest]] != y[rest]).sum())
        risk = np.where(says, 1.0 - positive, positive).mean()
        n_missed += binomial_tail_inverse(k, n - size, np.log(coins.DELTA)) < risk
    return n_missed


def test_digest_pools_are_fair_among_equal_rows():
    """Misses come near delta, so that any trend of the draw would show."""
    n_missed = _pool_misses(600, lambda X, y: blind_order(X, y).order)
    assert 0.35 * 600 < n_missed <= n_allowed(600, coins.DELTA)


def test_pools_by_position_would_miss():
    assert _pool_misses(100, lambda X, y: np.arange(len(X))) > n_allowed(100, coins.DELTA) + 20


def test_equal_rows_must_be_told_apart(monkeypatch):
    """Were all copies of a row on one side, the count would be far from what it should be."""
    alike = "handful.tables.draw._occurrences"
    monkeypatch.setattr(alike, lambda digests: np.zeros(len(digests), dtype=int))
    n_missed = _pool_misses(600, lambda X, y: blind_order(X, y).order)
    assert not 0.35 * 600 < n_missed <= n_allowed(600, coins.DELTA)


@pytest.mark.slow
@pytest.mark.parametrize("delta", [0.05, 0.5])
def test_the_default_procedure_holds_on_a_thousand_samples(delta):
    found = run("defaults", 1000, delta=delta)
    assert found.n_missed <= n_allowed(1000, delta)
    assert found.n_naive_missed > n_allowed(1000, delta)


@pytest.mark.slow
@pytest.mark.parametrize("delta", [0.05, 0.5])
@pytest.mark.parametrize("name", PROCEDURES)
def test_every_procedure_holds(name, delta):
    found = run(name, 200, delta=delta, seed=2)
    assert found.n_missed <= n_allowed(200, delta)
