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
