"""n_rounds="auto": the number of rounds of least errors over folds, by refitting; no price."""

import numpy as np
import pytest

from handful import AdaBoost
from handful.boosting.rounds import MOST_ROUNDS, choose_rounds


def _rows(rng, m=100):
    X = rng.normal(size=(m, 3))
    return X, np.where(X[:, 0] + 0.8 * rng.normal(size=m) > 0, 1, 0)


def test_rounds_are_those_of_refitting(rng):
    X, y = _rows(rng)
    signs, weights = np.where(y > 0, 1.0, -1.0), np.ones(len(y))
    looked = [1, 2, 3, 5, 8, 20, MOST_ROUNDS]
    losses = dict.fromkeys(looked, 0)

    def boost(rows, part, own, n_rounds):
        test = ~(X[:, None] == rows[None]).all(axis=2).any(axis=1)
        for t in looked:
            made = AdaBoost(n_rounds=t).fit(rows, part)
            losses[t] += int((made.predict(X[test]) != signs[test]).sum())
        return AdaBoost()._boosted(rows, part, own, n_rounds)

    chosen = choose_rounds(X, signs, weights, boost, AdaBoost()._vote_of)
    if chosen not in losses:
        looked[:] = [chosen]
        losses[chosen] = 0
        choose_rounds(X, signs, weights, boost, AdaBoost()._vote_of)
    assert losses[chosen] == min(losses.values())
    assert max(losses.values()) > min(losses.values())


def test_auto_is_a_fit_of_the_chosen_number(rng):
    X, y = _rows(rng)
    auto = AdaBoost(n_rounds="auto").fit(X, y)
    fixed = AdaBoost(n_rounds=int(auto.n_iter_)).fit(X, y)
    assert np.array_equal(auto.decision_function(X), fixed.decision_function(X))
    assert auto.certify().risk == fixed.certify().risk
    assert auto.n_iter_ < MOST_ROUNDS


def test_noise_stops_early(rng):
    X = rng.normal(size=(200, 4))
    y = np.where(rng.random(200) < np.where(X[:, 0] > 0, 0.7, 0.3), 1, 0)
    assert AdaBoost(n_rounds="auto").fit(X, y).n_iter_ < 60


@pytest.mark.parametrize("loss", ["logistic", "squared"])
def test_other_losses_and_three_classes(rng, loss):
    X, _ = _rows(rng, m=60)
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    assert AdaBoost(n_rounds="auto", loss=loss).fit(X, y).score(X, y) > 0.9


def test_what_cannot_be_is_refused(rng):
    with pytest.raises(TypeError, match="`n_rounds` must be"):
        AdaBoost(n_rounds="many").fit(*_rows(rng))
    with pytest.raises(ValueError, match="`n_rounds` must be a number if `candidates`"):
        AdaBoost(n_rounds="auto", candidates=20).fit(*_rows(rng))
