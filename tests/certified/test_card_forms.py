import numpy as np

from handful.certified._card_forms import score_card
from tests.certified.cases import error, make_pool


def test_cards_of_different_lengths_and_features(rng):
    n = 250
    X = rng.normal(size=(n, 5))
    X[:, 1] = X[:, 0] + 0.3 * rng.normal(size=n)  # nearly as good as the first
    y = (X[:, 0] + 0.5 * X[:, 2] + 0.5 * rng.normal(size=n) > 0).astype(int)
    pool = make_pool(X, y)
    proposals = {p.form: p for p in score_card(pool)}
    assert {"score card", "other score card"} <= set(proposals)
    assert error(proposals["score card"], pool) < 0.25
    assert all(p.machine.size <= 8 for p in proposals.values())
    if "short score card" in proposals:
        assert proposals["short score card"].machine.size <= 4
    first = proposals["score card"].machine
    weight = np.zeros(5)
    for item in first.items:
        weight[item.condition.feature] += abs(item.points)
    assert int(np.argmax(weight)) not in proposals["other score card"].machine.features


def test_the_other_card_does_without_the_feature_that_costs_least(rng):
    """Two copies of a signal: without one of them nothing is lost; without the third, much."""
    n = 300
    a, c = rng.normal(size=n), rng.normal(size=n)
    X = np.column_stack([a, a + 0.02 * rng.normal(size=n), 3.0 * c])
    pool = make_pool(X, (a + 2.0 * c + 0.3 * rng.normal(size=n) > 0).astype(int))
    cards = {p.form: p for p in score_card(pool)}
    first, other = cards["score card"].machine, cards["other score card"].machine
    assert 2 in first.features
    assert 2 in other.features  # the heaviest one stays: doing without it would cost most
    assert set(first.features) - set(other.features)
    assert error(cards["other score card"], pool) < error(cards["score card"], pool) + 0.05
