"""The card as it is used: points to add, short cuts, columns in order; no label changes."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from handful.models import Card, Condition, Item, Vocabulary
from handful.scoring import Points, card_of, integer_points, make_items, make_task, support_path


def learned(X, y, n_items=5, **how):
    items = make_items(X, **how)
    *_, support = support_path(make_task(items, y.astype(float)), n_items)
    return items, integer_points(make_task(items, y.astype(float)), support)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.booleans())
def test_the_card_gives_the_labels_of_the_search(seed, has_missing):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(50, 20, size=(120, 3)), rng.integers(0, 3))
    y = X[:, 0] - X[:, 1] + rng.normal(0, 10, 120) > 0
    if has_missing:
        X[rng.random(X.shape) < 0.1] = np.nan
    items, found = learned(X, y)
    card = card_of(items, found, X)
    np.testing.assert_array_equal(card.labels(X), found.labels(items))
    whole = ~np.isnan(X).any(axis=0)
    assert all(i.points > 0 for i in card.items if whole[i.condition.features[0]])
    if whole.all():
        assert card.totals[0] == 0
    places = [(i.condition.features[0], i.condition.cut) for i in card.items]
    assert places == sorted(places)
    if found.risk is not None and 0 < card.threshold <= card.totals[-1]:
        below, at = found.risk.of([-0.5, 0.5])  # a point below the threshold, and at it
        assert below < 0.5 <= at + 1e-9


def test_negative_points_stay_if_cells_are_missing():
    X = np.array([[88.0], [90.0], [94.0], [97.0], [np.nan]])
    found = Points((0,), (-3,), scale=1.0, offset=1.5, loss=0.0)
    card = card_of(make_items(X, n_cuts=1), found, X)
    assert [(i.condition.op, i.points) for i in card.items] == [(">=", -3)]
    assert card.labels(X).tolist() == [1, 1, 0, 0, 1]


def test_cuts_lose_digits_only_if_no_label_changes():
    X = np.array([[1.23], [1.31], [1.42], [1.67]])
    found = Points((1,), (2,), scale=1.0, offset=-1.0, loss=0.0)
    items = make_items(X)
    assert items.conditions[1].cut == 1.4
    card = card_of(items, found, X)
    assert card.items[0].condition.cut == 1.4  # 1 would be below its neighbour
    given_cuts = make_items(X, cut_points={0: [1.405]})
    card = card_of(given_cuts, Points((0,), (2,), scale=1.0, offset=-1.0, loss=0.0), X)
    assert card.items[0].condition.cut == 1.405  # the user's own


def test_two_cuts_of_a_column_are_one_line():
    items = (
        Item(Condition.on(0, "<", 30.0), 2),
        Item(Condition.on(0, ">=", 50.0), 1),
        Item(Condition.on(0, ">=", 60.0), 2),
        Item(Condition.on(1, ">=", 4.0), 1),
    )
    card = Card(items, threshold=2)
    words = Vocabulary(("age", "stage"), ("well", "ill"))
    assert card.lines(words) == [
        ("age", "below 30: +2, 50 to below 60: +1, 60 or more: +3"),
        ("stage ≥ 4", "+1"),
    ]
    ages = np.array([29.0, 30.0, 49.0, 50.0, 59.0, 60.0, np.nan])
    totals = card.points(np.column_stack([ages, np.zeros(7)]))
    assert totals.tolist() == [2, 0, 0, 1, 1, 3, 0]  # as the line says
