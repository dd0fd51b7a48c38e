"""Weighted sums of weak learners against the sums themselves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

from handful.boosting import WeakStump
from handful.boosting.votes import ColumnVote, LearnerVote, StumpVote


@given(st.integers(0, 10_000))
def test_vote_is_the_sum_of_its_stumps(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, size=(8, 3)).astype(float)
    X[rng.random(X.shape) < 0.2] = np.nan
    stumps = [
        WeakStump(int(rng.integers(-1, 3)), float(rng.integers(0, 3)), int(rng.choice([-1, 1])))
        for _ in range(6)
    ]
    stumps = [WeakStump(-1, 0.0, s.sign) if s.feature < 0 else s for s in stumps]
    weights = rng.normal(size=6)
    expected = sum(w * s(X) for w, s in zip(weights, stumps, strict=True))
    vote = StumpVote(zip(stumps, weights, strict=True))
    np.testing.assert_allclose(vote(X), expected, atol=1e-12)
    assert vote.total <= np.abs(weights).sum() + 1e-12


def test_revisited_stump_adds_its_weight():
    stump, opposite = WeakStump(0, 1.5, 1), WeakStump(0, 1.5, -1)
    vote = StumpVote([(stump, 0.5), (stump, 0.25), (opposite, 0.125)])
    assert vote.weights == {stump: 0.625}


def test_rules_read_in_feature_names():
    vote = StumpVote([(WeakStump(1, 2.5, -1), 0.5), (WeakStump(-1, 0.0, 1), 0.25)])
    assert vote.rules(["age", "size"]) == [("size > 2.5", 0.5), ("", 0.25)]


def test_columns_add_up_with_their_signs(rng):
    X = rng.normal(size=(5, 3))
    vote = ColumnVote([((2, 1), 0.5), ((0, -1), 0.25), ((2, -1), 0.125)], 3)
    np.testing.assert_allclose(vote(X), -0.25 * X[:, 0] + 0.375 * X[:, 2])
    assert vote.total == 0.625
    assert vote.rules(["a", "b", "c"]) == [("c", 0.375), ("-a", 0.25)]


def test_learners_add_up(rng):
    X = rng.normal(size=(30, 2))
    trees = [DecisionTreeClassifier(max_depth=1).fit(X[:, :], np.sign(X[:, j])) for j in (0, 1)]
    vote = LearnerVote(trees, [0.75, 0.25], "labels")
    np.testing.assert_allclose(vote(X), 0.75 * np.sign(X[:, 0]) + 0.25 * np.sign(X[:, 1]))
    assert vote.total == pytest.approx(1.0)
    assert [weight for _, weight in vote.rules([])] == [0.75, 0.25]
