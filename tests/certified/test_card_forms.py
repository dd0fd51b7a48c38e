import numpy as np

from handful import CertifiedClassifier
from handful.certified.card_forms import score_card
from tests.certified.cases import error, make_pool
from tests.oracles import menu as oracle


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
        weight[item.condition.features[0]] += abs(item.points)
    main = set(np.argsort(-weight)[:3].tolist()) & set(first.features)
    assert main - set(proposals["other score card"].machine.features)


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


def test_a_beam_of_near_equal_cards(rng):
    """Three copies of two signals: many cards are as good as the first, by other features."""
    n = 400
    a, c = rng.normal(size=n), rng.normal(size=n)
    copies = [a, a, a, c, c, c]
    X = np.column_stack([copy + 0.05 * rng.normal(size=n) for copy in copies])
    pool = make_pool(X, (a + c + 0.3 * rng.normal(size=n) > 0).astype(int))
    proposals = score_card(pool)
    names = [p.name or p.form for p in proposals]
    assert len(set(names)) == len(names)
    others = [p for p in proposals if p.form == "other score card"]
    assert [p.name for p in others] == ["", "other score card 2", "other score card 3"]
    cards = [p for p in proposals if p.form != "short score card"]
    assert len({frozenset(p.machine.features) for p in cards}) == len(cards)
    first, *rest = (float(np.mean(p.guesses != pool.y)) for p in cards)
    limit = first + 1.1 * np.sqrt(first * (1 - first) / n) + 1 / n
    assert all(one <= limit for one in rest[1:])


def test_no_beam_where_a_feature_is_needed(rng):
    """Without its only good feature a card is far worse: it is offered once."""
    X = rng.normal(size=(300, 4))
    y = (X[:, 0] + 0.2 * rng.normal(size=300) > 0).astype(int)
    others = [p for p in score_card(make_pool(X, y)) if p.form == "other score card"]
    assert len(others) <= 3
    assert all(0 in p.machine.features for p in others[1:])


def test_all_cards_of_a_beam_are_rows_of_the_menu(rng):
    a = rng.normal(size=400)
    X = np.column_stack([a + 0.05 * rng.normal(size=400) for _ in range(5)])
    y = (a + 0.3 * rng.normal(size=400) > 0).astype(int)
    machine = CertifiedClassifier(["score card"]).fit(X, y)
    frame = machine.menu_
    assert {"score card", "other score card", "other score card 2"} <= set(frame.index)
    assert frame["is_readable"].all()
    prices = [c.nats for c in sorted(machine.candidates_, key=lambda c: c.rank)]
    masses = oracle.role_masses(machine.order_)
    assert np.allclose(np.exp(-np.array(prices)), masses)
    assert machine.choose("other score card 2").chosen_ == "other score card 2"
