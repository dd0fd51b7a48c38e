"""The rounds of AdaBoost: weights of learners, and the textbook."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from handful.boosting import AdaBoost
from handful.boosting.rounds import adaboost_rounds, best_alpha, capped_alpha
from handful.boosting.weak_learners import StumpColumns
from tests.oracles import boosting as oracle


def test_rounds_match_the_textbook(rng):
    for _ in range(5):
        X = rng.integers(0, 6, size=(30, 3)).astype(float)
        X += np.arange(30)[:, None] * 1e-9  # no two examples are equal
        y = np.where(rng.random(30) < 0.5, 1.0, -1.0)
        expected = oracle.adaboost(X, y, 8)
        machine = AdaBoost(n_rounds=8).fit(X, y)
        for name, position in (("error", 1), ("alpha", 2), ("Z", 3)):
            values = [row[position] for row in expected]
            np.testing.assert_allclose(machine.path_[name], values, rtol=1e-9)


@given(st.integers(0, 10_000))
def test_alpha_minimises_z(seed):
    rng = np.random.default_rng(seed)
    D = rng.random(20)
    D /= D.sum()
    scale = 10.0 ** rng.integers(-4, 5)
    agreement = scale * (rng.normal(size=20) + 0.3)
    agreement[0], agreement[1] = -scale, scale
    if D @ agreement <= 0:
        agreement = -agreement
    alpha = best_alpha(D, agreement) * scale
    found = minimize_scalar(lambda a: D @ np.exp(-a * agreement / scale), bracket=(0, 1), tol=1e-12)
    assert alpha == pytest.approx(found.x, rel=1e-5, abs=1e-7)


def test_alpha_with_abstentions_is_closed_form():
    D = np.full(10, 0.1)
    agreement = np.array([1.0] * 4 + [-1.0] * 2 + [0.0] * 4)
    assert best_alpha(D, agreement) == pytest.approx(0.5 * np.log(2.0))
    never_wrong = np.array([1.0] * 4 + [0.0] * 6)
    assert best_alpha(D, never_wrong) == pytest.approx(0.5 * np.log(19.0))


def test_reasons_to_stop():
    X = np.arange(6.0)[:, None]
    steps = np.where(X[:, 0] < 3, 1.0, -1.0)
    zigzag = np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0])
    assert adaboost_rounds(StumpColumns(X), steps, np.ones(6), 5).stopped == "perfect"
    assert adaboost_rounds(StumpColumns(X), zigzag, np.ones(6), 5).stopped == "rounds"
    flat = StumpColumns(np.zeros((6, 1)))
    assert adaboost_rounds(flat, zigzag, np.ones(6), 5).stopped == "chance"


def test_capped_weight_is_the_promised_probability():
    alpha = capped_alpha(50, 1.0)
    assert 1.0 / (1.0 + np.exp(-2.0 * alpha)) == pytest.approx(1.0 - 1.0 / 100.0)
    assert capped_alpha(50, 0.5) == pytest.approx(2.0 * alpha)
