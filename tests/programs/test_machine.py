"""What both machines share: scikit-learn's checks, labels, kernels, certificates, bad input."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from handful.bounds import NotCertifiableError, held_out_bound, stable_bound
from handful.kernels import Kernel
from handful.programs import (
    LinearProgrammingMachine,
    MinimalComplexityMachine,
    TrivialSolutionWarning,
)
from tests.oracles.programs import one_norm_svm, published_mcm

MACHINES = [
    MinimalComplexityMachine(),
    MinimalComplexityMachine("rbf"),
    MinimalComplexityMachine("rbf", sparsity="paper"),
    MinimalComplexityMachine("rbf", sparsity="rank"),
    LinearProgrammingMachine(),
    LinearProgrammingMachine("rbf"),
]
BOTH = [MinimalComplexityMachine, LinearProgrammingMachine]


def _interpolating(estimator):
    if getattr(estimator, "sparsity", "") not in ("paper", "rank"):
        return {}
    return {"check_class_weight_classifiers": "without slack it does not matter what slack costs"}


@pytest.mark.sample(12)
@pytest.mark.filterwarnings("ignore::handful.programs.DegenerateMachineWarning")
@parametrize_with_checks(MACHINES, expected_failed_checks=_interpolating)
def test_scikit_learn(estimator, check):
    check(estimator)


def _data(rng, m=80, n=3):
    X = rng.normal(size=(m, n))
    return X, np.where(X[:, 0] + 0.4 * rng.normal(size=m) > 0, "yes", "no")


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("weight", [{"yes": 4.0}, {"yes": 2.0, "no": 0.5}, "balanced"])
def test_class_weights_are_those_of_the_published_programs(rng, kernel, weight):
    """The price of slack by class, against dense programs solved by linprog."""
    X, y = _data(rng, m=40)
    y[:25] = "no"
    own = (
        {"no": 1.0, **weight}
        if weight != "balanced"
        else dict(zip(*np.unique(y, return_counts=True), strict=True))
    )
    prices = np.array([len(y) / (2 * own[v]) if weight == "balanced" else own[v] for v in y])
    F = X if kernel == "linear" else rbf_kernel(X, gamma=0.5)
    sign = np.where(y == "yes", 1.0, -1.0)
    settings = {"C": 7.0, "gamma": 0.5, "class_weight": weight}
    share = 0.2 if kernel == "rbf" else "paper"
    capped = MinimalComplexityMachine(kernel, sparsity=share, **settings).fit(X, y)
    expected = published_mcm(F, sign, 7.0 * prices, 0.2 if kernel == "rbf" else 0.0)[0]
    assert capped.objective_[0] == pytest.approx(expected, rel=1e-6)
    plain = LinearProgrammingMachine(kernel, **settings).fit(X, y)
    assert plain.objective_[0] == pytest.approx(one_norm_svm(F, sign, 7.0 * prices)[0], rel=1e-6)


def test_whole_weights_are_copies(rng):
    """Three times the price is the same as three copies."""
    X, y = _data(rng)
    heavy = LinearProgrammingMachine(C=0.3, class_weight={"yes": 3.0}).fit(X, y)
    copies = np.concatenate([np.arange(80), np.repeat(np.flatnonzero(y == "yes"), 2)])
    copied = LinearProgrammingMachine(C=0.3).fit(X[copies], y[copies])
    np.testing.assert_allclose(heavy.coef_, copied.coef_, atol=1e-6)
    assert heavy.certify().n_compressed < 80


@pytest.mark.parametrize("machine", BOTH)
def test_balanced_weights_are_certified_on_held_out_data_only(rng, machine):
    X, y = _data(rng)
    fitted = machine(class_weight="balanced").fit(X, y)
    with pytest.raises(NotCertifiableError, match="class_weight='balanced' moves with every"):
        fitted.certify()
    X_new, y_new = rng.normal(size=(20, 3)), np.repeat("no", 20)
    n_errors = int((fitted.predict(X_new) != y_new).sum())
    assert fitted.certify(X=X_new, y=y_new).risk == held_out_bound(20, n_errors).risk


@pytest.mark.parametrize("machine", BOTH)
def test_frames_names_clone_and_pickle(rng, machine):
    X, y = _data(rng)
    names = ["age", "height", "weight"]
    fitted = machine(C=2.0).fit(pd.DataFrame(X, columns=names), y)
    assert list(fitted.feature_names_in_) == names
    other = clone(fitted).fit(pl.DataFrame(X, schema=names), y)
    np.testing.assert_array_equal(fitted.coef_, other.coef_)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(
        again.predict(pd.DataFrame(X, columns=names)), fitted.predict(pl.DataFrame(X, schema=names))
    )


@pytest.mark.parametrize("machine", BOTH)
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_more_classes_by_the_largest_output(machine, kernel):
    X, y = load_iris(return_X_y=True)
    fitted = machine(kernel, C=1.0).fit(X, y)
    f = fitted.decision_function(X)
    assert f.shape == (150, 3)
    np.testing.assert_array_equal(fitted.predict(X), np.argmax(f, axis=1))
    assert fitted.score(X, y) > 0.93


@pytest.mark.parametrize("machine", BOTH)
def test_precomputed_callable_and_named_kernels_agree(rng, machine):
    X, y = _data(rng)
    K = rbf_kernel(X, gamma=0.5)
    named = machine("rbf", gamma=0.5).fit(X, y)
    given = machine("precomputed").fit(K, y)
    called = machine(lambda A, B: rbf_kernel(A, B, gamma=0.5)).fit(X, y)
    record = machine(Kernel("rbf", gamma=0.5)).fit(X, y)
    f = named.decision_function(X)
    np.testing.assert_allclose(given.decision_function(K), f, atol=1e-8)
    np.testing.assert_allclose(called.decision_function(X), f, atol=1e-8)
    np.testing.assert_allclose(record.decision_function(X), f, atol=1e-8)
    assert cross_val_score(machine("precomputed"), K, y, cv=3).mean() > 0.7


def test_the_order_of_examples_does_not_matter(rng):
    X, y = _data(rng)
    order = rng.permutation(len(X))
    one, other = (MinimalComplexityMachine().fit(X[i], y[i]) for i in (slice(None), order))
    np.testing.assert_allclose(one.coef_, other.coef_, atol=1e-9)
    np.testing.assert_array_equal(np.sort(order[other.compression_set_]), one.compression_set_)


@pytest.mark.parametrize("machine", BOTH)
def test_the_stable_certificate_counts_what_touches(rng, machine):
    X, y = _data(rng)
    fitted = machine(C=1.0).fit(X, y)
    sign = np.where(y == "yes", 1.0, -1.0)
    g = sign * fitted.decision_function(X)
    within = g <= 1 + 1e-6
    if machine is MinimalComplexityMachine:
        within |= g >= fitted.h_[0] - 1e-6
    np.testing.assert_array_equal(fitted.compression_set_, np.flatnonzero(within))
    certificate = fitted.certify(delta=0.1)
    assert certificate.bound == "stable"
    assert certificate.risk == stable_bound(80, int(within.sum()), delta=0.1).risk
    assert certificate.assumes("settings")
    assert fitted.certify(delta=0.1, n_choices=10).risk > certificate.risk


def test_more_classes_unite_their_compression_sets():
    X, y = load_iris(return_X_y=True)
    fitted = LinearProgrammingMachine(C=1.0).fit(X, y)
    f = fitted.decision_function(X)
    signs = np.where(y[:, None] == np.arange(3), 1.0, -1.0)
    touched = np.any(signs * f <= 1 + 1e-6, axis=1)
    assert set(np.flatnonzero(touched)) <= set(fitted.compression_set_)
    # an example outside has every margin positive, so it is classified rightly
    outside = np.setdiff1d(np.arange(150), fitted.compression_set_)
    assert (fitted.predict(X[outside]) == y[outside]).all()


@pytest.mark.parametrize("machine", BOTH)
def test_kernel_expansions_are_refused_with_the_alternative(rng, machine):
    X, y = _data(rng)
    fitted = machine("rbf").fit(X, y)
    for bound in ("auto", "stable"):
        with pytest.raises(NotCertifiableError, match="columns of a kernel expansion"):
            fitted.certify(bound=bound)
    X_new, y_new = _data(rng)
    certificate = fitted.certify(X=X_new, y=y_new)
    assert certificate.bound == "held-out"
    assert certificate.n_errors == int(np.sum(fitted.predict(X_new) != y_new))
    with pytest.raises(ValueError, match="`X` and `y` must be given"):
        fitted.certify(bound="held-out")
    with pytest.raises(ValueError, match="`bound` must be one of 'auto'"):
        fitted.certify(bound="vc")


@pytest.mark.parametrize("machine", BOTH)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"C": 0.0}, "`C` must be a positive number, got 0.0"),
        ({"C": np.inf}, "`C` must be a positive number"),
        ({"tol": -1}, "`tol` must be a positive number, got -1"),
        ({"time_limit": 0}, "`time_limit` must be a positive number"),
        ({"kernel": "laplace"}, "`kernel` must be one of"),
        ({"kernel": lambda A, B: np.full((len(A), len(B)), np.nan)}, "`kernel` must be finite"),
        ({"kernel": lambda A, B: np.arange(len(A) * len(B)).reshape(len(A), -1)}, "symmetric"),
        ({"kernel": "precomputed"}, "square matrix"),
    ],
)
def test_bad_parameters(rng, machine, change, message):
    X, y = _data(rng)
    with pytest.raises(ValueError, match=message):
        machine(**change).fit(X, y)


@pytest.mark.parametrize("machine", BOTH)
def test_bad_data(rng, machine):
    X, y = _data(rng)
    with pytest.raises(ValueError, match="at least two classes, got one class"):
        machine().fit(X, np.zeros(80))
    with pytest.raises(ValueError, match="NaN"):
        machine().fit(np.where(X > 2, np.nan, X), y)
    with pytest.raises(ValueError, match="infinity"):
        machine().fit(np.where(X > 1, np.inf, X), y)


@pytest.mark.parametrize("machine", BOTH)
def test_contradictory_labels_constant_columns_and_scales(machine):
    X = np.array([[0.0, 5.0]] * 3 + [[1.0, 5.0]] * 3)
    y = [0, 0, 1, 1, 1, 0]
    fitted = machine(C=10.0).fit(X, y)
    assert fitted.coef_[0, 1] == 0.0
    with pytest.warns(TrivialSolutionWarning, match="The constant classifier is optimal"):
        machine(C=10.0).fit(np.ones((5, 2)), [0, 1, 1, 1, 0])
    for scale in (1e-8, 1e8):
        fitted = MinimalComplexityMachine(C=10.0).fit(X * scale, y)
        np.testing.assert_array_equal(fitted.predict(X * scale), [0, 0, 0, 1, 1, 1])
