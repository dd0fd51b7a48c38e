"""C="auto": the price of least errors over folds, refitted; the certificate pays for the grid."""

import warnings

import numpy as np
import pytest

from handful import LinearProgrammingMachine, MinimalComplexityMachine
from handful.programs import TrivialSolutionWarning
from handful.programs.price_choice import N_FOLDS, PRICES, choose_price
from handful.tables import spread_folds

MACHINES = [
    LinearProgrammingMachine(),
    LinearProgrammingMachine("rbf", gamma=0.5),
    MinimalComplexityMachine(),
    MinimalComplexityMachine("rbf", gamma=0.5),
    LinearProgrammingMachine(class_weight={1: 3.0}),
]


def _rows(rng, m=60, n_classes=2):
    X = rng.normal(size=(m, 3))
    return X, np.digitize(X[:, 0] + 0.7 * rng.normal(size=m), [0.0, 1.0][: n_classes - 1])


def _refitted(machine, X, y, weights):
    """Errors of every price over the folds by whole fits."""
    losses = np.zeros(len(PRICES))

    def scores(train, test):
        found = []
        for k, C in enumerate(PRICES):
            made = machine.set_params(C=C).fit(X[train], y[train])
            losses[k] += weights[test] @ (made.predict(X[test]) != y[test])
            found.append(made.decision_function(X[test]))
        return found

    choose_price(X, y, weights, scores)
    return losses


@pytest.mark.parametrize("machine", MACHINES, ids=lambda m: repr(m)[:60])
def test_the_price_is_that_of_refitting(rng, machine):
    X, y = _rows(rng)
    weights = np.where(y == 1, (machine.class_weight or {1: 1.0})[1], 1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = machine.set_params(C="auto").fit(X, y).C_
        losses = _refitted(machine, X, y, weights)
    machine.set_params(C="auto")
    padded = np.concatenate([losses[:1], losses, losses[-1:]])
    smooth = np.convolve(padded, [1, 2, 1], mode="valid")
    # rough solutions may differ on an example at the boundary
    assert smooth[PRICES.index(found)] <= smooth.min() + 4.0


def test_the_choice_takes_the_least_and_the_smallest_of_equals(rng):
    X, y = _rows(rng)
    right, wrong = np.where(y > 0, 1.0, -1.0), np.where(y > 0, -1.0, 1.0)

    def scores(best):
        return lambda train, test: [
            (right if k in best else wrong)[test] for k in range(len(PRICES))
        ]

    assert choose_price(X, y, None, scores({7, 8, 9})) == PRICES[8]
    assert choose_price(X, y, None, scores(set())) == PRICES[0]
    unsolved = lambda train, test: [None] * 12 + [right[test]]  # noqa: E731
    assert choose_price(X, y, None, unsolved) == PRICES[12]


def test_the_certificate_pays_for_the_grid(rng):
    X, y = _rows(rng, m=150)
    chosen = LinearProgrammingMachine(C="auto").fit(X, y)
    fixed = LinearProgrammingMachine(C=chosen.C_).fit(X, y)
    assert np.array_equal(chosen.coef_, fixed.coef_)
    assert chosen.certify().risk == fixed.certify(n_choices=len(PRICES)).risk
    assert chosen.certify(n_choices=2).risk == fixed.certify(n_choices=2 * len(PRICES)).risk
    assert chosen.certify().risk > fixed.certify().risk


def test_the_order_of_the_rows_does_not_matter(rng):
    X, y = _rows(rng, n_classes=3)
    order = rng.permutation(len(y))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrivialSolutionWarning)
        one = LinearProgrammingMachine(C="auto").fit(X, y)
        other = LinearProgrammingMachine(C="auto").fit(X[order], y[order])
    assert one.C_ == other.C_


def test_a_hard_margin_has_no_price():
    X, y = np.arange(8.0)[:, None], np.repeat([0, 1], 4)
    machine = MinimalComplexityMachine(C="auto", hard=True).fit(X, y)
    assert machine.score(X, y) == 1.0


def test_other_words_are_refused(rng):
    with pytest.raises(TypeError, match="`C` must be"):
        LinearProgrammingMachine(C="best").fit(*_rows(rng))


def test_folds_are_stratified():
    folds = spread_folds(np.repeat([0, 1, 2], 10), N_FOLDS, 1)
    assert all(np.array_equal(np.bincount(folds[k : k + 10]), [2] * 5) for k in (0, 10, 20))
