"""Label sets: by case and by class, split and cross-conformal; what they hold, and what not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_iris, make_moons
from sklearn.naive_bayes import GaussianNB

from handful.conformal import NonconformityClassifier, cross_conformal_level
from handful.conformal.verdicts import Calibration, CaseVerdicts, label_p_values, label_scores
from tests.oracles import conformity

GRID = {"gamma": [0.1, 1.0, 10.0], "C": [1.0, 100.0]}


def calibrated(scores, codes):
    """A calibration from scores of shape (n, n_labels) and true labels."""
    n = codes.size
    verdict = CaseVerdicts(
        label=scores.argmax(axis=1), model=np.zeros(n, int), doubt=np.zeros(n), scores=scores
    )
    return Calibration.from_verdict(verdict, codes, None)


@given(st.integers(0, 10**6), st.integers(1, 4), st.sampled_from(["case", "class"]))
def test_p_values_match_the_oracle(seed, n_folds, by):
    """Few distinct scores, so that ties are common; a class may be absent from a fold."""
    rng = np.random.default_rng(seed)
    folds, news = [], []
    for _ in range(n_folds):
        n = int(rng.integers(1, 9))
        folds.append((rng.integers(-2, 3, (n, 3)).astype(float), rng.integers(0, 3, n)))
        news.append(rng.integers(-3, 4, (5, 3)).astype(float))
    got = label_p_values([calibrated(*fold) for fold in folds], news, by)
    pairs = [[(row[c], c) for row, c in zip(*fold, strict=True)] for fold in folds]
    for i in range(5):
        for label in range(3):
            values = [new[i, label] for new in news]
            want = conformity.label_p_value(pairs, values, label, by)
            assert got[i, label] == pytest.approx(want, abs=1e-12)


@given(st.integers(2, 12), st.integers(12, 400), st.sampled_from([0.7, 0.8, 0.9, 0.93]))
def test_the_published_sets_are_those_at_their_level(n_folds, n, nominal):
    """(C + 1) / (n + 1) > 1 - nominal and 2 (C + K) / (n + K) > 1 - level are one statement."""
    level, epsilon = cross_conformal_level(nominal, n, n_folds), 1.0 - nominal
    counts = np.arange(n + 1)
    is_tied = np.isclose((counts + 1) / (n + 1), epsilon)
    published = (counts + 1) / (n + 1) > epsilon
    ours = np.minimum(2 * (counts + n_folds) / (n + n_folds), 1.0) > 1.0 - level
    assert np.array_equal(published[~is_tied], ours[~is_tied]) or level == 0.0


def test_published_levels():
    """K = 10, n = 1000 at 0.9: 1 - 0.2 - 1.8 * 9 / 1010."""
    assert cross_conformal_level(0.9, 1000, 10) == pytest.approx(0.8 - 16.2 / 1010)
    assert cross_conformal_level(0.5, 1000, 10) == 0.0
    with pytest.raises(ValueError, match="`n_folds` must be at least 2"):
        cross_conformal_level(0.9, 100, 1)
    with pytest.raises(ValueError, match="`n_samples` must be at least 5"):
        cross_conformal_level(0.9, 4, 5)
    with pytest.raises(ValueError, match=r"`level` must be in \(0, 1\)"):
        cross_conformal_level(1.0, 100, 5)


def opposed_folds(rng, share, n_cases=400, n_per_fold=4000):
    """Two folds whose rules find different cases strange; p-values of cases with the true label.

    Each score is uniform. On the event u < share the scores are u and share - u, so that their
    mean is share / 2: the worst that a mean of two p-values can do.
    """

    def second(u):
        return np.where(u < share, share - u, u)

    codes = np.zeros(n_per_fold, dtype=np.intp)
    folds = []
    for score in (lambda u: u, second):
        own = score(rng.random(n_per_fold))
        folds.append(calibrated(np.stack([own, -own], axis=1), codes))
    u = rng.random(n_cases)
    news = [np.stack([s, -s], axis=1) for s in (u, second(u))]
    return label_p_values(folds, news)[:, 0]


def test_twice_the_mean_holds_and_the_mean_would_not(rng):
    """At level 0.9 the worst case comes near 0.1 without exceeding it; p / 2 would miss twice."""
    p = np.concatenate([opposed_folds(rng, 0.09) for _ in range(60)])
    assert 0.07 < (p <= 0.1).mean() <= 0.1 + 0.012
    p = np.concatenate([opposed_folds(rng, 0.18) for _ in range(60)])
    nominal, held = 0.9, cross_conformal_level(0.9, 8000, 2)
    coverage = (p > 1.0 - held).mean()
    assert held - 0.012 <= coverage < nominal - 0.05


def unbalanced(rng, n, share=0.15):
    """One feature, two overlapping classes, the second one rare."""
    y = (rng.random(n) < share).astype(int)
    return (rng.normal(size=n) + 1.5 * y)[:, None], y


def coverages(rng, n_draws, level, *, by, **settings):
    """How often sets hold the label: of each class and of all cases, (n_draws, 3)."""
    out = np.empty((n_draws, 3))
    for i in range(n_draws):
        X, y = unbalanced(rng, 300)
        # One model has scores without ties, so that sets are no larger than they must be.
        machine = NonconformityClassifier([GaussianNB()], random_state=0, **settings)
        Z, t = unbalanced(rng, 1000)
        held = machine.fit(X, y).predict_set(Z, level, by=by)[np.arange(t.size), t]
        out[i] = held[t == 0].mean(), held[t == 1].mean(), held.mean()
    return out


@pytest.mark.thorough
def test_sets_by_class_hold_each_class_and_sets_by_case_do_not(rng):
    level, n_draws = 0.9, 300
    by_class = coverages(rng, n_draws, level, by="class", calibration_size=200)
    slack = 4 * by_class.std(axis=0) / np.sqrt(n_draws)
    # About 30 calibration examples of the rare class: its sets hold 1 / 31 more at most.
    assert (by_class.mean(axis=0) >= level - slack).all()
    assert (by_class.mean(axis=0) <= level + 0.04 + slack).all()
    by_case = coverages(rng, n_draws, level, by="case", calibration_size=200)
    slack = 4 * by_case.std(axis=0) / np.sqrt(n_draws)
    common, rare, all_cases = by_case.mean(axis=0)
    assert all_cases >= level - slack[2]
    assert rare + slack[1] < 0.6 < level < common


@pytest.mark.thorough
@pytest.mark.parametrize("by", ["case", "class"])
def test_cross_conformal_sets_hold_their_level(rng, by):
    """By class for each class; sets at the level of the published ones leave labels out."""
    n_draws = 120
    for level in (0.9, cross_conformal_level(0.9, 300, 5)):
        got = coverages(rng, n_draws, level, by=by, cross_folds=5)
        slack = 4 * got.std(axis=0) / np.sqrt(n_draws)
        which = slice(0, 3) if by == "class" else slice(2, 3)
        assert (got.mean(axis=0) >= level - slack)[which].all()
        assert got.mean() < 0.99


@pytest.fixture(scope="module")
def crossed():
    X, y = make_moons(120, noise=0.3, random_state=0)
    return NonconformityClassifier([GaussianNB()], cross_folds=4, random_state=0).fit(X, y), X, y


def test_folds_part_the_examples_and_no_rule_sees_its_own(crossed):
    machine, X, y = crossed
    folds = [rule.calibration_indices_ for rule in machine.fold_rules_]
    assert np.array_equal(np.sort(np.concatenate(folds)), np.arange(120))
    for rule in machine.fold_rules_:
        used = np.union1d(rule.train_indices_, rule.validation_indices_)
        assert np.array_equal(np.setdiff1d(np.arange(120), used), rule.calibration_indices_)
    # The rule that predicts has all examples; only label sets know of the folds.
    plain = clone(machine).set_params(cross_folds=None).fit(X, y)
    assert plain.fold_rules_ == []
    assert np.array_equal(plain.decision_function(X), machine.decision_function(X))
    assert plain.certify() == machine.certify()


@pytest.mark.parametrize("by", ["case", "class"])
def test_cross_p_values_of_the_estimator_match_the_oracle(crossed, by):
    machine, X, y = crossed
    folds, values = [], []
    for rule in machine.fold_rules_:
        scores = label_scores(rule.models_[0], X, machine.classes_)
        folds.append([(scores[i, y[i]], y[i]) for i in rule.calibration_indices_])
        values.append(scores)
    got = machine.p_values(X[:9], by=by)
    for i in range(9):
        for c in range(2):
            want = conformity.label_p_value(folds, [v[i, c] for v in values], c, by)
            assert got[i, c] == pytest.approx(want, abs=1e-12)
    sets = machine.predict_set(X[:9], 0.8, by=by)
    assert np.array_equal(sets, got > 1.0 - 0.8)


def test_the_order_of_the_rows_does_not_matter(crossed):
    machine, X, y = crossed
    turned = clone(machine).fit(X[::-1], y[::-1])
    assert np.array_equal(machine.p_values(X), turned.p_values(X))
    again = machine.p_values(X)
    assert np.array_equal(machine.fit(X, y).p_values(X), again)


def test_other_rules_are_calibrated_on_the_folds_too():
    X, y = make_moons(120, noise=0.3, random_state=0)
    machine = NonconformityClassifier(param_grid=GRID, cross_folds=3, random_state=0).fit(X, y)
    other = clone(machine).set_params(select="best-validation").fit(X, y)
    copied = machine.with_rule("best-validation")
    assert np.array_equal(copied.p_values(X), other.p_values(X))
    assert not np.array_equal(copied.p_values(X), machine.p_values(X))


def test_rare_classes_and_words():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    machine = NonconformityClassifier([GaussianNB()], calibration_size=30, random_state=0)
    machine.fit(X[:110], names[:110])
    # Fewer than 9 calibration examples of the rare class: at 0.9 it is in every set.
    assert (names[machine.calibration_indices_] == "virginica").sum() < 9
    assert machine.predict_set(X, by="class")[:, 2].all()
    assert not machine.predict_set(X, by="case")[:, 2].all()


def test_bad_arguments_are_named(crossed):
    machine, X, y = crossed
    with pytest.raises(ValueError, match="`by` must be one of"):
        machine.predict_set(X, by="label")
    for bad in (1, 121):
        with pytest.raises(ValueError, match="`cross_folds` must be at "):
            clone(machine).set_params(cross_folds=bad).fit(X, y)
    with pytest.raises(TypeError, match="`cross_folds` must be an integer"):
        clone(machine).set_params(cross_folds="all").fit(X, y)


@pytest.mark.parametrize("measure", ["margin", "nearest-neighbour", "class-mean"])
def test_models_of_a_grid_decide_alone(measure):
    """Their decision functions give the validation errors and the margins of the rule."""
    X, y = make_moons(120, noise=0.3, random_state=0)
    machine = NonconformityClassifier(param_grid=GRID, measure=measure, random_state=0).fit(X, y)
    rows = machine.validation_indices_
    values = np.stack([model.decision_function(X) for model in machine.models_])
    assert values.shape == (len(machine.model_params_), 120)
    errors = ((values[:, rows] > 0) != y[rows]).sum(axis=1)
    assert np.array_equal(errors, machine.validation_errors_)
    largest = machine.with_rule("largest-margin")
    assert np.allclose(
        largest.decision_function(X), 2 * values[largest.chosen_model(X), range(120)]
    )


def test_models_of_three_classes_decide_alone():
    X, y = load_iris(return_X_y=True)
    machine = NonconformityClassifier(param_grid=GRID, select="best-validation", random_state=0)
    machine.fit(X, y)
    values = machine.models_[machine.best_index_].decision_function(X)
    assert values.shape == (150, 3)
    assert np.array_equal(values.argmax(axis=1), machine.predict(X))


def test_cases_whose_models_all_agree_are_told_apart():
    """Most cases tie at 0; with one score for all their errors, sets would hold all labels."""
    X, y = make_moons(500, noise=0.45, random_state=0)
    machine = NonconformityClassifier(param_grid=GRID, calibration_size=100, random_state=0)
    machine.fit(X[:300], y[:300])
    Z, t = X[300:], y[300:]
    is_sure = machine.epsilon_crit(Z) == 0
    assert (machine.predict(Z) != t).mean() > 0.12
    assert is_sure.mean() > 0.5
    assert np.unique(machine.p_values(Z)[is_sure].min(axis=1)).size > 5
    sets = machine.predict_set(Z)
    assert (sets.sum(axis=1) == 1).mean() > 0.4
    # The score still orders cases by epsilon_crit, and the predicted label has the largest one.
    epsilon, size = machine.epsilon_crit(Z), np.abs(machine.decision_function(Z))
    order = np.argsort(epsilon, kind="stable")
    falls = np.diff(epsilon[order]) > 0
    for i in np.flatnonzero(falls):
        assert size[order[: i + 1]].min() > size[order[i + 1 :]].max()
    assert np.array_equal(machine.predict(Z), (machine.decision_function(Z) > 0).astype(int))
