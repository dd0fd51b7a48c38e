"""Integer points: against all assignments, against plain rounding, and as a card."""

import numpy as np
import pytest

from handful.scoring import (
    card_of,
    integer_points,
    make_items,
    make_task,
    round_support,
    support_path,
)
from tests.oracles import scoring as oracle


def toy(rng, n=60, d=3):
    X = rng.integers(0, 2, size=(n, d)).astype(float)
    logit = 2.0 * X[:, 0] - 1.0 * X[:, 1] - 0.3
    return X, (rng.random(n) < 1 / (1 + np.exp(-logit))).astype(float)


@pytest.mark.thorough
def test_as_good_as_all_assignments_of_points(rng):
    for _ in range(3):
        X, y = toy(rng)
        task = make_task(make_items(X), y, max_points=2)
        *_, support = support_path(task, 3)
        found = integer_points(task, support)
        best = oracle.best_points(task.items.is_met, y, np.ones(len(y)), 2)
        assert found.loss <= best * 1.01 + 1e-3


def test_moves_improve_on_rounding(rng):
    n, falls = 150, []
    for _ in range(5):
        X = rng.normal(size=(n, 6))
        y = (X[:, 0] + 0.7 * X[:, 1] - 0.4 * X[:, 2] + rng.logistic(size=n) > 0).astype(float)
        task = make_task(make_items(X), y)
        *_, support = support_path(task, 8)
        rounded, moved = round_support(task, support), integer_points(task, support)
        falls.append(rounded.loss - moved.loss)
        assert max(abs(p) for p in moved.points) <= 5
        assert len(moved.points) <= 8
    assert min(falls) >= 0.0
    assert sum(falls) > 1.0


def test_path_grows_by_one_and_falls(rng):
    X, y = toy(rng, n=200, d=5)
    task = make_task(make_items(X), y)
    path = list(support_path(task, 4))
    assert [len(s.items) for s in path] == list(range(len(path)))
    losses = [s.loss for s in path]
    assert losses == sorted(losses, reverse=True)
    assert path[1].items == (0,)


def test_banned_items_and_directions_are_honoured(rng):
    X, y = toy(rng, n=300)
    items = make_items(X)
    task = make_task(items, y)
    assert all(0 not in s.items for s in support_path(task, 3, banned=[0]))
    task = make_task(items, y, direction=np.array([-1, 0, 0]))
    *_, support = support_path(task, 3)
    found = integer_points(task, support)
    assert all(p < 0 for i, p in zip(found.support, found.points, strict=True) if i == 0)


def test_the_card_says_what_the_points_say(rng):
    X, y = toy(rng, n=200)
    task = make_task(make_items(X), y)
    *_, support = support_path(task, 3)
    found = integer_points(task, support)
    card = card_of(task.items, found, X)
    moved = sum(p for p in found.points if p < 0)  # totals start at 0
    np.testing.assert_array_equal(card.points(X), found.totals(task.items) - moved)
    np.testing.assert_array_equal(card.labels(X), found.labels(task.items))
    half = found.risk.of(card.threshold - np.array([1, 0]) - card.points_offset)
    assert half[0] < 0.5 <= half[1] + 1e-9


def test_no_useful_item_gives_a_constant():
    X, y = np.ones((10, 2)), np.array([0.0] * 3 + [1.0] * 7)
    task = make_task(make_items(X), y)
    *_, support = support_path(task, 3)
    found = integer_points(task, support)
    assert found.points == ()
    assert card_of(task.items, found, X).labels(X).tolist() == [1] * 10
    assert found.offset == pytest.approx(np.log(7 / 3), rel=1e-3)
