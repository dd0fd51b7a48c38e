"""Certificates: what is in the set, that they hold, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.svm import SVC

from handful.bounds import NotCertifiableError, compression_bound, stable_bound
from handful.svm import SupportVectorMachine, certify_svm, fit_svm_grid, stable_set


def draw(rng, m, noise=0.1):
    """Two classes on a line in the plane, labels flipped with the given probability."""
    X = rng.uniform(-1, 1, size=(m, 2))
    y = np.where(X[:, 0] + 0.5 * np.sin(3 * X[:, 1]) > 0, 1.0, -1.0)
    return X, np.where(rng.uniform(size=m) < noise, -y, y)


def test_the_set_is_the_points_with_margin_at_most_one(rng):
    X, y = draw(rng, 150)
    for model in fit_svm_grid(X, y, gammas=[0.5, 5.0], Cs=[0.1, 1.0, 50.0]):
        found = stable_set(model, X)
        exact = SVC(C=model.C, gamma=model.kernel.gamma, tol=1e-10).fit(X, y)
        margins = y * exact.decision_function(X)
        expected = np.flatnonzero(margins <= 1 + 1e-5)
        assert np.isin(expected, found.members).all()
        assert found.members.size <= expected.size + 1


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("weight", [None, 0.2, 5.0])
def test_removing_a_point_outside_the_set_changes_nothing(rng, bias, weight):
    X, y = draw(rng, 60)
    weights = np.ones(60) if weight is None else np.where(y > 0, weight, 1.0)
    options = {"gammas": [1.0], "Cs": [1.0], "fit_intercept": bias, "tol": 1e-9}
    model = fit_svm_grid(X, y, row_weights=weights, **options)[0]
    members = stable_set(model, X).members
    outside = np.setdiff1d(np.arange(60), members)
    assert outside.size
    for p in outside[:8]:
        rest = np.delete(np.arange(60), p)
        again = fit_svm_grid(X[rest], y[rest], row_weights=weights[rest], **options)[0]
        np.testing.assert_allclose(again.f, model.f[rest], atol=1e-4)
        np.testing.assert_array_equal(rest[stable_set(again, X[rest]).members], members)


def test_a_bias_that_is_not_unique_keeps_both_ends(rng):
    """A tiny C, as many positives as negatives: an interval of biases is optimal."""
    X = np.arange(8.0)[:, None]
    y = np.array([-1.0, -1, -1, -1, 1, 1, 1, 1])
    model = fit_svm_grid(X, y, gammas=[0.1], Cs=[1e-3])[0]
    assert stable_set(model, X).members.size == 8


def test_certificate_of_the_machine(rng):
    X, y = draw(rng, 120)
    machine = SupportVectorMachine(gamma=1.0).fit(X, y)
    size = stable_set(machine.models_[0], X).members.size
    certificate = machine.certify(n_choices=6)
    assert certificate.risk == stable_bound(120, size, n_choices=6).risk
    assert certificate.n_compressed == size
    text = certificate.explain()
    assert "not their mean" in text
    assert "no preprocessing outside the machine" in text
    assert "choice among 6 models" in text
    classical = machine.certify(bound="compression")
    assert classical.risk == compression_bound(120, size, 0).risk
    assert classical.risk > certificate.risk


def test_linear_machines_say_how_far_new_cases_may_lie(rng):
    X, y = draw(rng, 100)
    assert "k(x, x) at most" in SupportVectorMachine("linear").fit(X, y).certify().explain()


def test_several_classes_use_the_union(rng):
    X, _ = draw(rng, 150)
    y = (X[:, 0] > -0.3).astype(int) + (X[:, 0] > 0.3)
    machine = SupportVectorMachine(gamma=1.0, C=10.0).fit(X, y)
    sets = [stable_set(model, X).members for model in machine.models_]
    union = np.unique(np.concatenate(sets)).size
    assert union < sum(map(len, sets))
    assert machine.certify().risk == stable_bound(150, union).risk


def test_svc_gets_the_certificate_of_its_exact_twin(rng):
    X, y = draw(rng, 120)
    ours = SupportVectorMachine(gamma=1.0).fit(X, y).certify()
    assert certify_svm(SVC(gamma=1.0).fit(X, y), X, y) == ours


def test_svc_with_fixed_class_weights(rng):
    X, y = draw(rng, 120)
    weights = {-1.0: 3.0}
    svc = SVC(C=2.0, gamma=1.0, tol=1e-8, class_weight=weights).fit(X, y)
    ours = SupportVectorMachine(C=2.0, gamma=1.0, class_weight=weights).fit(X, y)
    assert certify_svm(svc, X, y).risk == ours.certify().risk
    plain = SupportVectorMachine(C=2.0, gamma=1.0).fit(X, y)
    assert plain.certify().n_compressed != ours.certify().n_compressed


def test_held_out(rng):
    X, y = draw(rng, 120)
    machine = SupportVectorMachine(gamma=1.0).fit(X[:80], y[:80])
    certificate = machine.certify(bound="held-out", X=X[80:], y=y[80:])
    assert certificate.n_samples == 40
    assert certificate.n_errors == int((machine.predict(X[80:]) != y[80:]).sum())
    svc = SVC(gamma=1.0).fit(X[:80], y[:80])
    assert certify_svm(svc, X[80:], y[80:], bound="held-out").n_samples == 40


def test_refusals(rng):
    X, y = draw(rng, 60)
    centred = SupportVectorMachine(center=True, fit_intercept=False).fit(X, y)
    with pytest.raises(NotCertifiableError, match="moves with every example"):
        centred.certify()
    with pytest.raises(NotCertifiableError, match="`gamma='scale'` reads the variance"):
        certify_svm(SVC().fit(X, y), X, y)
    with pytest.raises(NotCertifiableError, match="class_weight='balanced' moves with every"):
        SupportVectorMachine(class_weight="balanced").fit(X, y).certify()
    with pytest.raises(NotCertifiableError, match="class_weight='balanced' moves with every"):
        certify_svm(SVC(gamma=1.0, class_weight="balanced").fit(X, y), X, y)
    with pytest.raises(ValueError, match=r"`bound` must be one of 'auto', .* got 'vc'"):
        centred.certify(bound="vc")
    with pytest.raises(ValueError, match="`X` and `y` must be given for bound='held-out'"):
        centred.certify(bound="held-out")
    sloppy = SVC(C=1e3, gamma=1.0, max_iter=1)
    with pytest.warns(UserWarning, match="max_iter"):
        sloppy.fit(X, y)
    with pytest.raises(NotCertifiableError, match="too far from optimal"):
        certify_svm(sloppy, X, y)


def miss_rate(rng, n_runs, delta, choose):
    """How often the chosen machine's certificate is below its risk on a large sample."""
    X_new, y_new = draw(rng, 4000)
    misses, risks, values = 0, [], []
    for _ in range(n_runs):
        X, y = draw(rng, 60)
        grid = fit_svm_grid(X, y, gammas=[0.3, 3.0], Cs=[0.1, 1.0, 10.0])
        model, prediction = choose(grid, X, X_new)
        size = stable_set(model, X).members.size
        certified = stable_bound(60, size, delta=delta, n_choices=len(grid)).risk
        risk = float(np.mean(np.sign(prediction) != y_new))
        misses += risk > certified
        risks.append(risk)
        values.append(certified)
    return misses, np.array(risks), np.array(values)


def smallest_set(grid, X, X_new):
    """Selection by the certificate itself, the case that needs the division of delta."""
    sizes = [stable_set(model, X).members.size for model in grid]
    best = int(np.argmin(sizes))
    return grid[best], grid.decision_function(X_new)[best]


@pytest.mark.thorough
@pytest.mark.parametrize("n_runs", [60, pytest.param(1000, marks=pytest.mark.slow)])
def test_the_certificate_holds_after_selection(rng, n_runs):
    delta = 0.2
    misses, risks, values = miss_rate(rng, n_runs, delta, smallest_set)
    print(f"missed {misses} of {n_runs}: certified {values.mean():.3f}, true {risks.mean():.3f}")
    assert misses <= binom.isf(1e-3, n_runs, delta)
    assert values.mean() < 0.9
    assert risks.mean() < values.mean()


@pytest.mark.sample(1)
@pytest.mark.parametrize(("delta", "weight"), [(0.2, 1.0), (0.5, 1.0), (0.5, 4.0)])
def test_the_probability_of_small_margins_is_what_is_bounded(rng, delta, weight):
    """P(y f <= 1), of which errors are a part, stays below at the stated rate."""
    n_runs, misses = 80, 0
    X_new, y_new = draw(rng, 3000, noise=0.0)
    for _ in range(n_runs):
        X, y = draw(rng, 50, noise=0.0)
        weights = np.where(y > 0, weight, 1.0)
        grid = fit_svm_grid(X, y, gammas=[1.0], Cs=[10.0], row_weights=weights)
        certified = stable_bound(50, stable_set(grid[0], X).members.size, delta=delta).risk
        misses += np.mean(y_new * grid.decision_function(X_new)[0] <= 1.0) > certified
    assert misses <= binom.isf(1e-3, n_runs, delta)
