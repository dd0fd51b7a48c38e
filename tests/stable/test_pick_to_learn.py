"""Pick-to-learn: what is picked, that it is stable, and that its certificates hold."""

from __future__ import annotations

import pickle
from functools import lru_cache

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris, make_moons
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from handful.bounds import NotCertifiableError, compression_bound, stable_risk
from handful.stable import PickToLearn
from handful.stable.pick_to_learn import pick_examples, stopping_rounds, stopping_sizes
from handful.tables import canonical_order
from tests.oracles import conformity

cached_risk = lru_cache(maxsize=None)(stable_risk)
PIPELINE = make_pipeline(StandardScaler(), SVC())


class NearestMean(ClassifierMixin, BaseEstimator):
    """Labels only, no decision function: all mistakes are equally bad."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.means_ = np.stack([X[y == label].mean(axis=0) for label in self.classes_])
        return self

    def predict(self, X):
        squares = ((X[:, None, :] - self.means_) ** 2).sum(axis=2)
        return self.classes_[squares.argmin(axis=1)]


@pytest.mark.sample(8)
@parametrize_with_checks(
    [
        PickToLearn(make_pipeline(StandardScaler(), GaussianNB()), stop="certificate"),
        PickToLearn(DecisionTreeClassifier(), n_initial=3, batch_size=0.5, max_picks=15),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize(("n_initial", "batch"), [(1, 1), (4, 1), (1, 3), (2, 5)])
@pytest.mark.parametrize("inner", [SVC(gamma=1.0), NearestMean(), LogisticRegression()])
def test_picks_match_the_oracle(rng, inner, n_initial, batch):
    X, y = make_moons(70, noise=0.3, random_state=int(rng.integers(1000)))
    machine = PickToLearn(inner, n_initial=n_initial, batch_size=batch).fit(X, y)

    def judge(picks):
        if np.unique(y[picks]).size < 2:
            return {i: 0.0 for i in range(70) if y[i] != y[picks[0]]}
        inner.fit(X[picks], y[picks])
        wrong = np.flatnonzero(inner.predict(X) != y)
        if not hasattr(inner, "decision_function"):
            return dict.fromkeys(wrong.tolist(), 0.0)
        values = inner.decision_function(X)
        return {i: float(np.float32(round(abs(values[i]), 9))) for i in wrong}

    want = conformity.pick_to_learn(judge, canonical_order(X, y).tolist(), n_initial, batch)
    assert machine.picks_.tolist() == want
    assert machine.n_errors_ == 0


def counted(machine, X, y):
    """What the stable certificate counts, as rows: picks, and errors left outside."""
    is_counted = machine.predict(X) != y
    is_counted[machine.picks_] = True
    rows = np.column_stack([X, y])[is_counted]
    return rows[np.lexsort(rows.T)]


@pytest.mark.parametrize("inner", [SVC(gamma=1.0), DecisionTreeClassifier(), NearestMean()])
@pytest.mark.parametrize(
    "settings", [{}, {"batch_size": 3}, {"batch_size": 0.4, "n_initial": 4}, {"max_picks": 6}]
)
def test_the_scheme_is_stable(rng, inner, settings):
    """Leaving out any example that is not counted changes nothing. Grid points make ties."""
    X = rng.integers(-3, 4, (30, 2)).astype(float)
    y = ((X**2).sum(axis=1) + rng.normal(0, 1.5, 30) > 7).astype(int)
    machine = PickToLearn(inner, **settings).fit(X, y)
    want = counted(machine, X, y)
    assert len(want) == machine.picks_.size + machine.n_errors_
    is_counted = machine.predict(X) != y
    is_counted[machine.picks_] = True
    new = rng.integers(-4, 5, (30, 2)).astype(float)
    for i in np.flatnonzero(~is_counted):
        keep = np.arange(30) != i
        part = PickToLearn(inner, **settings).fit(X[keep], y[keep])
        assert np.array_equal(counted(part, X[keep], y[keep]), want)
        assert np.array_equal(part.predict(new), machine.predict(new))


@pytest.mark.parametrize("settings", [{}, {"batch_size": 3}, {"max_picks": 6}])
def test_a_misclassified_new_example_changes_the_set(rng, settings):
    X, y = make_moons(60, noise=0.2, random_state=1)
    machine = PickToLearn(SVC(gamma=1.0), **settings).fit(X, y)
    new, labels = make_moons(40, noise=0.4, random_state=2)
    want = counted(machine, X, y)
    wrong = np.flatnonzero(machine.predict(new) != labels)
    assert wrong.size
    for i in wrong:
        more_X, more_y = np.vstack([X, new[i]]), np.append(y, labels[i])
        more = PickToLearn(SVC(gamma=1.0), **settings).fit(more_X, more_y)
        assert not np.array_equal(counted(more, more_X, more_y), want)


def test_order_of_the_examples_does_not_matter(rng):
    X, y = make_moons(80, noise=0.3, random_state=0)
    for inner in (PIPELINE, DecisionTreeClassifier()):
        machine = PickToLearn(inner).fit(X, y)
        shuffle = rng.permutation(80)
        other = PickToLearn(inner).fit(X[shuffle], y[shuffle])
        assert np.array_equal(shuffle[other.picks_], machine.picks_)


@pytest.mark.parametrize("settings", [{}, {"batch_size": 4}, {"stop": "certificate"}])
def test_the_picks_give_themselves_back(rng, settings):
    """Picking among the picks alone gives them in the same order: a compression scheme."""
    X, y = make_moons(120, noise=0.3, random_state=3)
    machine = PickToLearn(PIPELINE, **settings).fit(X, y)
    kept = rng.permutation(machine.picks_)
    again = PickToLearn(PIPELINE, batch_size=settings.get("batch_size", 1)).fit(X[kept], y[kept])
    assert np.array_equal(kept[again.picks_], machine.picks_)


def nearest_mean_world(rng, n, noise):
    """x uniform on [0, 1], y = [x > 0.6] with noise; nearest class mean; risk in closed form."""
    x = rng.random(n)
    codes = ((x > 0.6) ^ (rng.random(n) < noise)).astype(np.intp)

    def predict(picks):
        low, high = x[picks][codes[picks] == 0], x[picks][codes[picks] == 1]
        if not low.size or not high.size:
            cut = 1.0 if low.size else 0.0
            return np.full(n, not low.size), cut, False
        cut, is_flipped = (low.mean() + high.mean()) / 2, low.mean() > high.mean()
        return (x > cut) ^ is_flipped, cut, is_flipped

    def judge(picks):
        predicted, cut, _ = predict(picks)
        return predicted != codes, np.abs(x - cut)

    def risk(picks):
        _, cut, is_flipped = predict(picks)
        far = abs(cut - 0.6)
        return noise + (1 - 2 * noise) * (1 - far if is_flipped else far)

    return judge, risk, canonical_order(x[:, None], codes)


@pytest.mark.sample(3)
@pytest.mark.parametrize("noise", [0.0, 0.15])
@pytest.mark.parametrize(
    "settings",
    [{}, {"batch_size": 4}, {"batch_size": 0.5, "n_initial": 3}, {"max_picks": 5}],
    ids=["one", "batch", "growing", "capped"],
)
def test_certificates_hold(rng, settings, noise):
    """2000 draws of 40 examples; the certificates of both kinds against the exact risk."""
    n_draws, n, delta = 2000, 40, 0.1
    bound = lru_cache(maxsize=None)(compression_bound)
    n_stable, n_compression = 0, 0
    for _ in range(n_draws):
        judge, risk, order = nearest_mean_world(rng, n, noise)
        path = pick_examples(judge, order, **settings)
        truth, (n_picks, n_errors) = risk(path.picks), path.rounds[-1]
        n_stable += cached_risk(n_picks + n_errors, n, np.log(delta)) < truth
        n_compression += bound(n, n_picks, n_errors, delta=delta).risk < truth
    assert max(n_stable, n_compression) <= binom.isf(1e-6, n_draws, delta)


@pytest.mark.parametrize("noise", [0.0, 0.15])
def test_certificates_of_the_best_stop_hold(rng, noise):
    """The stopping size with the best certificate pays for the number of sizes."""
    n_draws, n, delta = 2000, 40, 0.1
    log_delta = np.log(delta / len(stopping_sizes(n)))
    n_misses = 0
    for _ in range(n_draws):
        judge, risk, order = nearest_mean_world(rng, n, noise)
        path = pick_examples(judge, order)
        n_picks, n_errors = min(stopping_rounds(path.rounds, n), key=sum)
        got = cached_risk(n_picks + n_errors, n, log_delta)
        n_misses += got < risk(path.picks[:n_picks])
    assert n_misses <= binom.isf(1e-6, n_draws, delta)


def test_stopping_rounds():
    rounds = [(1, 9), (3, 8), (4, 7), (7, 6), (9, 5), (10, 0)]
    assert stopping_sizes(20) == [1, 2, 3, 5, 8, 12, 18, 20]
    assert stopping_rounds(rounds, 20) == [(1, 9), (3, 8), (7, 6), (9, 5), (10, 0)]
    assert stopping_rounds(rounds[:3], 20) == [(1, 9), (3, 8)]


def test_stopping_early_misses_nothing(rng):
    """stop="certificate" quits as soon as no later size can win; the choice is the same."""
    X, y = make_moons(40, noise=0.8, random_state=5)
    machine = PickToLearn(SVC(), stop="certificate").fit(X, y)
    whole = PickToLearn(SVC()).fit(X, y)
    rounds = []
    for n_picks in range(1, whole.picks_.size + 1):
        capped = PickToLearn(SVC(), max_picks=n_picks).fit(X, y)
        rounds.append((n_picks, capped.n_errors_))
    best = min(stopping_rounds(rounds, 40), key=sum)
    assert (machine.picks_.size, machine.n_errors_) == best
    assert machine.n_rounds_ < whole.n_rounds_
    certificate = machine.certify()
    assert certificate.n_compressed == sum(best)
    assert certificate.terms[-1].nats == pytest.approx(np.log(len(stopping_sizes(40))))


def test_certificates_of_fitted_machines():
    X, y = make_moons(150, noise=0.2, random_state=0)
    clean = PickToLearn(PIPELINE).fit(X, y)
    assert clean.certify().n_compressed == clean.picks_.size
    assert clean.certify().bound == "stable"
    capped = PickToLearn(PIPELINE, max_picks=4).fit(X, y)
    assert capped.picks_.size == 4
    assert capped.certify().n_compressed == 4 + capped.n_errors_
    other = capped.certify(bound="compression")
    assert (other.n_compressed, other.n_errors) == (4, capped.n_errors_)
    assert other.assumes("picking")
    with pytest.raises(ValueError, match="`bound` must be one of"):
        clean.certify(bound="pool")


class Coin(ClassifierMixin, BaseEstimator):
    """Predicts at random, whatever its seed says."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.random.default_rng().choice(self.classes_, len(X))


def test_chance_is_refused():
    X, y = make_moons(60, noise=0.2, random_state=0)
    tree = DecisionTreeClassifier(max_features=1)
    first, second = PickToLearn(tree).fit(X, y), PickToLearn(tree).fit(X[::-1], y[::-1])
    assert first.certify() == second.certify()  # seeded by the digest of the picks
    assert not first.certify().assumes("seed")
    seeded = PickToLearn(tree, random_state=7).fit(X, y).certify()
    assert str(seeded.assumptions[-1]) == "the seed 7 was fixed before the data were seen"
    for machine in (
        PickToLearn(DecisionTreeClassifier(random_state=np.random.RandomState(0))),
        PickToLearn(Coin()),
    ):
        with pytest.raises(NotCertifiableError, match="draws at random"):
            machine.fit(X, y).certify()


def test_the_seed_reaches_every_step():
    X, y = make_moons(60, noise=0.2, random_state=0)
    pipe = make_pipeline(StandardScaler(), DecisionTreeClassifier(max_features=1))
    machine = PickToLearn(pipe, random_state=7).fit(X, y)
    assert machine.estimator_[-1].random_state == 7
    assert pipe[-1].random_state is None


def test_whole_pipelines_with_words_and_gaps():
    X, y = make_moons(120, noise=0.2, random_state=0)
    frame = pd.DataFrame(X, columns=["a", "b"])
    frame["side"] = np.where(X[:, 0] > 0.5, "right", "left")
    frame.loc[::7, "b"] = np.nan
    pipe = make_pipeline(
        make_column_transformer(
            (OneHotEncoder(handle_unknown="ignore"), ["side"]),
            (make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler()), ["a", "b"]),
        ),
        SVC(),
    )
    labels = np.array(["up", "down"])[y]
    machine = PickToLearn(pipe, n_initial=4).fit(frame, labels)
    outside = np.setdiff1d(np.arange(120), machine.picks_)
    assert (machine.predict(frame)[outside] == labels[outside]).all()
    assert machine.certify().risk < 0.6
    copy = pickle.loads(pickle.dumps(machine))
    assert np.array_equal(copy.predict(frame), machine.predict(frame))


@pytest.mark.thorough
def test_many_classes():
    X, y = load_iris(return_X_y=True)
    machine = PickToLearn(LogisticRegression()).fit(X, y)
    assert machine.n_errors_ == 0
    assert machine.decision_function(X).shape == (150, 3)
    few = PickToLearn(LogisticRegression(), max_picks=2).fit(X, y)
    assert few.decision_function(X).shape == (150, 3)
    assert np.isfinite(few.decision_function(X)).all()


def test_contradictory_labels_end_up_picked():
    X, y = np.zeros((10, 1)), np.array([0] * 7 + [1] * 3)
    machine = PickToLearn(NearestMean()).fit(np.vstack([X, [[1.0]]]), np.append(y, 1))
    assert machine.n_errors_ == 0
    assert machine.picks_.size >= 3


def test_one_class_among_the_picks_is_a_constant():
    X, y = make_moons(20, random_state=0)
    machine = PickToLearn(SVC(), max_picks=1).fit(X, y)
    assert machine.estimator_ is None
    assert np.unique(machine.predict(X)).tolist() == [y[machine.picks_[0]]]
    sign = 2 * y[machine.picks_[0]] - 1
    assert (np.sign(machine.decision_function(X)) == sign).all()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"stop": "never"}, "`stop` must be one of"),
        ({"max_picks": 0}, "`max_picks` must be at least 1, got 0"),
        ({"n_initial": None}, "`n_initial` must be an integer, got None"),
        ({"n_initial": True}, "`n_initial` must be an integer, got True"),
        ({"batch_size": 0}, "`batch_size` must be a count of at least 1 or a fraction"),
        ({"batch_size": 2.5}, "`batch_size` must be a count of at least 1 or a fraction"),
        ({"batch_size": "all"}, "`batch_size` must be a count of at least 1 or a fraction"),
    ],
)
def test_bad_settings_are_named(settings, message):
    with pytest.raises((TypeError, ValueError), match=message):
        PickToLearn(SVC(), **settings).fit(*make_moons(20, random_state=0))


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="at least two classes, got one class"):
        PickToLearn(SVC()).fit(np.eye(3), [1, 1, 1])
