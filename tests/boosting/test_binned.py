"""Boosting by sums of whole numbers: an oracle, the plain machine, and no dependence on order."""

from __future__ import annotations

import math

import numpy as np
import pytest

from handful import AdaBoost
from handful.boosting.binned import (
    QUANTUM_BITS,
    Weighing,
    binned_rounds,
    pool_encoder,
    weigh_rows,
)
from handful.boosting.rounds import adaboost_rounds
from handful.boosting.weak_learners import StumpColumns
from tests.oracles import boosting as oracle


def problem(rng, n=120, d=3, missing=0.0):
    X = rng.normal(size=(n, d))
    y = np.where(X[:, 0] + X[:, 1] ** 2 + 0.7 * rng.normal(size=n) > 0.5, 1.0, -1.0)
    X[rng.random(X.shape) < missing] = np.nan
    return X, y


def boosted(X, y, encoder, n_rounds=8):
    codes = encoder(X)

    def weigh(ask):
        return weigh_rows(codes, y > 0, np.ones(len(y)), encoder.n_codes, ask)

    return binned_rounds(encoder, weigh, len(y), math.log(len(y)), n_rounds)


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_all_examples_as_candidates_is_plain_adaboost(rng, missing):
    X, y = problem(rng, missing=missing)
    ours = boosted(X, y, pool_encoder(X))
    theirs = adaboost_rounds(StumpColumns(X), y, np.ones(len(y)), 8)
    assert ours.stopped == theirs.stopped
    for a, b in zip(ours.rounds, theirs.rounds, strict=True):
        assert a.key == b.key
        assert (a.alpha, a.error, a.Z) == pytest.approx((b.alpha, b.error, b.Z), abs=1e-12)


def test_quanta_are_the_weights(rng):
    X, y = problem(rng)
    encoder = pool_encoder(X[:20])
    codes = encoder(X)
    levels = rng.normal(size=(3, encoder.n_codes))
    f = 0.3 + sum(levels[j, codes[j]] for j in range(3))
    w = np.exp(-y * f)
    ask = Weighing(levels, 0.3, math.log(w.sum()))
    sums = weigh_rows(codes, y > 0, np.ones(len(y)), encoder.n_codes, ask)
    total = sums[:, 0].sum() / 2.0**QUANTUM_BITS
    assert total == pytest.approx(1.0, abs=1e-12)
    for label, is_label in enumerate((y < 0, y > 0)):
        for j in range(3):
            found = np.bincount(codes[j][is_label], w[is_label] / w.sum(), encoder.n_codes)
            np.testing.assert_allclose(sums[label, j] / 2.0**QUANTUM_BITS, found, atol=1e-15)


def test_order_and_cut_change_nothing(rng):
    X, y = problem(rng)
    encoder = pool_encoder(X[:30])
    first = boosted(X, y, encoder)
    order = rng.permutation(len(y))
    again = boosted(X[order], y[order], encoder)
    assert first == again
    ask = Weighing(rng.normal(size=(3, encoder.n_codes)), 0.0, 5.0)
    codes, ones = encoder(X), np.ones(len(y))
    whole = weigh_rows(codes, y > 0, ones, encoder.n_codes, ask)
    parts = sum(
        weigh_rows(np.ascontiguousarray(codes[:, a:b]), y[a:b] > 0, ones[a:b], encoder.n_codes, ask)
        for a, b in ((0, 7), (7, 90), (90, 120))
    )
    np.testing.assert_array_equal(whole, parts)


def test_the_best_stump_agrees_with_the_oracle(rng):
    for _ in range(20):
        X, y = problem(rng, n=30)
        encoder = pool_encoder(X)
        (found,) = boosted(X, y, encoder, 1).rounds
        weights = np.full(30, 1 / 30)
        edge = float(weights @ (y * found.key(X)))
        _, best = oracle.best_stump(X, weights * y)
        assert edge == pytest.approx(best, abs=1e-12)


def test_thresholds_come_from_the_pool_alone(rng):
    X, y = problem(rng)
    machine = AdaBoost(n_rounds=20, candidates=10, random_state=0).fit(X, y)
    pool = X[machine._pool]
    allowed = [set(cuts.tolist()) for cuts in StumpColumns(pool).cuts()]
    for stump in machine.machines_[0].weights:
        assert stump.feature < 0 or stump.threshold in allowed[stump.feature]


@pytest.mark.parametrize("random_state", [None, 4])
def test_the_order_of_the_rows_does_not_matter(rng, random_state):
    X, y = problem(rng, n=60)
    order = rng.permutation(60)
    here = AdaBoost(n_rounds=8, candidates=10, random_state=random_state).fit(X, y)
    there = AdaBoost(n_rounds=8, candidates=10, random_state=random_state)
    there.fit(X[order], y[order])
    assert here.machines_[0].weights == there.machines_[0].weights


def test_weights_are_repetitions(rng):
    X, y = problem(rng, n=40)
    weights = rng.integers(0, 4, 40)
    machine = AdaBoost(n_rounds=6, candidates=40, random_state=0).fit(X, y, weights)
    plain = AdaBoost(n_rounds=6).fit(X, y, weights)
    for name in ("error", "alpha", "Z"):
        np.testing.assert_allclose(machine.path_[name], plain.path_[name], atol=1e-9)


def test_bad_candidates_are_refused():
    X, y = np.zeros((4, 1)), [0, 1, 0, 1]
    with pytest.raises(ValueError, match="`candidates` must be"):
        AdaBoost(candidates=1).fit(X, y)
    from sklearn.tree import DecisionTreeClassifier

    with pytest.raises(ValueError, match="`candidates` must be None for weak learners other than"):
        AdaBoost(DecisionTreeClassifier(), candidates=5).fit(X, y)
