"""Certificates of the whole menu hold as often as they say, whatever row is picked."""

from __future__ import annotations

import numpy as np
import pytest

from handful import CertifiedClassifier
from tests.certified.simulation import group_misses, misses, n_allowed

N_DRAWS = 60


@pytest.mark.parametrize("delta", [0.05, 0.5])
@pytest.mark.parametrize(("kind", "n"), [("noise", 20), ("rule", 60), ("ties", 40)])
def test_the_worst_row_misses_no_more_often_than_it_says(kind, n, delta, rng):
    found, _, _ = misses(rng, kind, n, delta, N_DRAWS)
    assert found.sum() <= n_allowed(N_DRAWS, delta)


def test_the_simulation_has_power(rng):
    """The favourite uses up most of delta, and a menu that did not pay for ranks would fail."""
    _, first, unpaid = misses(rng, "noise", 60, 0.5, N_DRAWS)
    assert first.sum() > 0.15 * N_DRAWS
    assert unpaid.sum() > n_allowed(N_DRAWS, 0.5)


@pytest.mark.parametrize("coin", [1.0, 0.4])
def test_groups_with_one_coin_flip_each(coin, rng):
    """Row by row, 40 patients of ten equal labels are certified near .3; the truth is .5."""
    found, _ = group_misses(rng, 40, 10, 0.05, 40, coin)
    assert found.sum() <= n_allowed(40, 0.05)


def test_without_groups_the_same_table_is_certified_wrongly(rng):
    wrong = 0
    for _ in range(10):
        groups = np.repeat(np.arange(40), 10)
        X = rng.normal(size=(40, 2))[groups] + 0.01 * rng.normal(size=(400, 2))
        y = (rng.random(40) < 0.5)[groups].astype(int)
        machine = CertifiedClassifier(["balls", "prototypes", "additive"]).fit(X, y)
        wrong += machine.certificate_.risk < 0.5
    assert wrong >= 8  # why `groups` exists


@pytest.mark.slow
@pytest.mark.parametrize("delta", [0.05, 0.5])
@pytest.mark.parametrize("n", [20, 100, 400])
@pytest.mark.parametrize("kind", ["noise", "rule", "ties"])
def test_the_worst_row_at_length(kind, n, delta, rng):
    found, _, _ = misses(rng, kind, n, delta, 2000)
    assert found.sum() <= n_allowed(2000, delta)


@pytest.mark.slow
@pytest.mark.parametrize("delta", [0.05, 0.5])
@pytest.mark.parametrize(("coin", "n_groups", "size"), [(1.0, 40, 10), (0.5, 30, 4), (1.0, 60, 1)])
def test_groups_at_length(coin, n_groups, size, delta, rng):
    found, _ = group_misses(rng, n_groups, size, delta, 2000, coin)
    assert found.sum() <= n_allowed(2000, delta)
