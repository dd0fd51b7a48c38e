"""The kernel perceptron: its run, its compression set, its certificates."""

from __future__ import annotations

import pickle
from functools import lru_cache

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import binom
from sklearn.datasets import load_iris, make_moons
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils.estimator_checks import parametrize_with_checks

from handful.bounds import NotCertifiableError, perceptron_bound, stable_risk
from handful.stable import KernelPerceptron
from handful.stable.perceptron import run_perceptron
from handful.tables import canonical_order
from tests.oracles import conformity

cached_risk = lru_cache(maxsize=None)(stable_risk)


@parametrize_with_checks([KernelPerceptron("linear", max_passes=5, margin=0.1)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@given(
    arrays(np.int64, (9, 2), elements=st.integers(-3, 3)),
    arrays(np.int64, 9, elements=st.sampled_from([-1, 1])),
    st.integers(1, 6),
    st.sampled_from([0.0, 0.1, 0.7, 1.0]),
)
def test_run_matches_the_oracle(X, y, max_passes, margin):
    """Integer data: exact ties, zero rows and contradictions are common."""
    K = (X @ X.T).astype(float)
    run = run_perceptron(K, y.astype(float), max_passes, margin=margin)
    want = conformity.perceptron(K.tolist(), y.tolist(), max_passes, margin)
    assert (run.n_updates.tolist(), run.n_passes, run.is_converged) == want


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", lambda X, Z: np.tanh(X @ Z.T) + 1.0])
@pytest.mark.parametrize("noise", [0.05, 0.4])
@pytest.mark.parametrize("margin", [0.0, 0.05, 0.3])
def test_the_compression_set_rebuilds_the_machine(rng, kernel, noise, margin):
    X, y = make_moons(120, noise=noise, random_state=int(rng.integers(1000)))
    settings = {"gamma": 1.0, "max_passes": 20, "margin": margin}
    machine = KernelPerceptron(kernel, **settings).fit(X, y)
    assert machine.is_rebuilt_
    kept = machine.compression_set_
    again = KernelPerceptron(kernel, **settings).fit(X[kept], y[kept])
    assert np.array_equal(again.n_updates_, machine.n_updates_)
    new = rng.normal(size=(200, 2))
    assert again.decision_function(new) == pytest.approx(machine.decision_function(new))


def counted(machine, X, y):
    """Examples that the stable certificate counts: updated, or wrong at the end."""
    is_counted = machine.predict(X) != y
    is_counted[machine.compression_set_] = True
    return is_counted


@settings(max_examples=25)
@given(
    arrays(np.int64, (10, 2), elements=st.integers(-2, 2)),
    arrays(np.int64, 10, elements=st.integers(0, 2)),
    st.integers(1, 4),
    st.sampled_from([0.0, 0.1, 0.4]),
)
def test_the_scheme_is_stable(X, y, max_passes, margin):
    """Leaving out an uncounted example changes nothing; a wrong new one is always counted."""
    if np.unique(y).size < 2:
        return
    X = X.astype(float)
    settings = {"gamma": 0.5, "max_passes": max_passes, "margin": margin}
    whole = KernelPerceptron("rbf", **settings).fit(X, y)
    is_counted = counted(whole, X, y)
    assert is_counted.sum() == whole.compression_set_.size + whole.n_errors_
    want = np.sort(np.column_stack([X, y])[is_counted], axis=0)
    for i in np.flatnonzero(~is_counted):
        keep = np.arange(10) != i
        if np.unique(y[keep]).size < np.unique(y).size:
            continue
        part = KernelPerceptron("rbf", **settings).fit(X[keep], y[keep])
        got = np.column_stack([X, y])[keep][counted(part, X[keep], y[keep])]
        assert np.array_equal(np.sort(got, axis=0), want)


def test_order_of_the_examples_does_not_matter(rng):
    X, y = make_moons(150, noise=0.3, random_state=0)
    machine = KernelPerceptron(max_passes=10).fit(X, y)
    shuffle = rng.permutation(150)
    other = KernelPerceptron(max_passes=10).fit(X[shuffle], y[shuffle])
    assert np.array_equal(np.sort(shuffle[other.compression_set_]), machine.compression_set_)
    assert other.decision_function(X) == pytest.approx(machine.decision_function(X))


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("noise", "max_passes", "margin", "delta"),
    [(0.0, 200, 0.0, 0.1), (0.1, 3, 0.0, 0.1), (0.0, 20, 0.1, 0.5), (0.1, 3, 0.1, 0.5)],
)
def test_certificates_hold(rng, noise, max_passes, margin, delta):
    """x uniform on [-1, 1], y = sign x with noise, linear kernel with bias: risk in closed form."""
    n_draws, n = 2000, 30
    misses = {"stable": 0, "perceptron": 0}
    bound = lru_cache(maxsize=None)(perceptron_bound)
    for _ in range(n_draws):
        x = rng.uniform(-1.0, 1.0, n)
        codes = ((x > 0) ^ (rng.random(n) < noise)).astype(np.intp)
        order = canonical_order(x[:, None], codes)
        x, signs = x[order], 2.0 * codes[order] - 1.0
        run = run_perceptron(np.outer(x, x) + 1.0, signs, max_passes, margin=margin)
        w, b = (run.n_updates * signs) @ x, (run.n_updates * signs).sum()
        cut = np.clip(-b / w, -1.0, 1.0) if w else 1.0
        far = abs(cut) / 2.0 if w > 0 or not w else 1.0 - abs(cut) / 2.0
        if not w:
            far = 0.5
        risk = noise + (1.0 - 2.0 * noise) * far
        is_outside = run.n_updates == 0
        n_errors = int(((signs * (w * x + b) <= 0) & is_outside).sum())
        d = int((~is_outside).sum())
        passes = None if run.is_converged else run.n_passes
        misses["stable"] += cached_risk(d + n_errors, n, np.log(delta)) < risk
        got = bound(n, d, n_errors=n_errors, n_passes=passes, delta=delta).risk
        misses["perceptron"] += got < risk
    assert max(misses.values()) <= binom.isf(1e-6, n_draws, delta)


def same_cell(X, Z):
    """The kernel of cells that have nothing in common."""
    return (X == Z.T).astype(float)


@pytest.mark.thorough
def test_certificates_with_a_margin_hold_where_they_are_needed(rng):
    """Many rare cells: every new one is an error and would have been an update.

    At delta = 1/2 a certificate that counted half of the updated examples fails too often here.
    """
    n_draws, n, n_cells, delta = 300, 40, 160, 0.5
    share = np.r_[0.1, np.full(n_cells, 0.9 / n_cells)]
    cells = np.arange(n_cells + 1.0)[:, None]
    misses, halved, n_added = 0, 0, 0
    for _ in range(n_draws):
        x = rng.choice(n_cells + 1, size=n, p=share)[:, None].astype(float)
        if np.unique(x > 0).size < 2:
            continue
        machine = KernelPerceptron(same_cell, fit_intercept=False, max_passes=2, margin=0.2)
        machine.fit(x, x[:, 0] > 0)
        risk = share @ (machine.predict(cells) != (cells[:, 0] > 0))
        certificate = machine.certify(delta)
        misses += certificate.risk < risk
        halved += cached_risk(certificate.n_compressed // 2, n, np.log(delta)) < risk
        n_added += certificate.n_compressed - np.unique(x).size
    assert n_added > n_draws  # the margin matters: examples of known cells are updated on too
    assert misses <= binom.isf(1e-6, n_draws, delta)
    assert halved > binom.isf(1e-6, n_draws, delta)


def test_a_margin_is_reached_or_said_not_to_be():
    """After a clean pass every example is farther than the margin from the plane."""
    X, y = make_moons(200, noise=0.1, random_state=1)
    for margin, is_reached in ((0.01, True), (0.9, False)):
        machine = KernelPerceptron(gamma=4.0, margin=margin, max_passes=300).fit(X, y)
        assert machine.is_converged_ is is_reached
        kept, coef = X[machine.compression_set_], machine.n_updates_[0]
        u = coef * (2.0 * y[machine.compression_set_] - 1.0)
        norm = np.sqrt(u @ (rbf_kernel(kept, gamma=4.0) + 1.0) @ u)
        distance = (2.0 * y - 1.0) * machine.decision_function(X) / norm
        assert bool(distance.min() > margin) is is_reached


def test_published_size():
    """SPEC D.7: m = 1000, d = 20."""
    assert perceptron_bound(1000, 20).risk == pytest.approx(0.102090000, abs=1e-8)


def test_certificates_of_a_fitted_machine():
    X, y = make_moons(300, noise=0.1, random_state=0)
    clean = KernelPerceptron(gamma=2.0).fit(X, y)
    assert clean.is_converged_
    assert clean.n_errors_ == 0
    assert "message" not in {term.kind for term in clean.certify(bound="perceptron").terms}
    assert clean.certify().n_compressed == clean.compression_set_.size
    assert clean.certify().risk < clean.certify(bound="perceptron").risk
    X, y = make_moons(300, noise=0.5, random_state=0)
    stopped = KernelPerceptron("linear", max_passes=3).fit(X, y)
    assert not stopped.is_converged_
    paid = stopped.certify(bound="perceptron")
    free = perceptron_bound(300, stopped.compression_set_.size)
    extra = np.log(np.pi**2 / 6) + 2 * np.log(3)
    assert paid.nats - free.nats == pytest.approx(extra)
    assert paid.n_errors == stopped.n_errors_
    assert stopped.certify().n_compressed == stopped.compression_set_.size + stopped.n_errors_
    assert paid.assumes("perceptron")


def test_no_certificate_without_rebuilding():
    machine = KernelPerceptron().fit(*make_moons(50, random_state=0))
    machine.is_rebuilt_ = False
    with pytest.raises(NotCertifiableError, match="did not give the same updates again"):
        machine.certify()


def test_many_classes_words_and_frames():
    X, y = load_iris(return_X_y=True, as_frame=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    machine = KernelPerceptron(max_passes=50).fit(X, names)
    assert machine.score(X, names) > 0.95
    assert machine.is_rebuilt_
    assert machine.n_updates_.shape == (3, machine.compression_set_.size)
    assert machine.feature_names_in_.tolist() == X.columns.tolist()
    copy = pickle.loads(pickle.dumps(machine))
    assert np.array_equal(copy.predict(X), machine.predict(X))


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e8])
def test_scale_without_bias_does_not_matter(rng, scale):
    X = rng.normal(size=(60, 2))
    y = (X[:, 0] > 0).astype(int)
    machine = KernelPerceptron("linear", fit_intercept=False).fit(scale * X, y)
    plain = KernelPerceptron("linear", fit_intercept=False).fit(X, y)
    assert machine.is_converged_
    assert plain.is_converged_
    assert machine.score(scale * X, y) == 1.0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"kernel": "precomputed"}, "must be a function of the features"),
        ({"kernel": "cubic"}, "`kernel` must be one of"),
        ({"max_passes": 0}, "`max_passes` must be at least 1, got 0"),
        ({"max_passes": 1.5}, "`max_passes` must be a whole number, got 1.5"),
        ({"gamma": "scale"}, "`gamma` must be a positive number"),
        ({"margin": -0.1}, r"`margin` must be in \[0, inf\], got -0.1. It is a distance"),
        ({"margin": "wide"}, "`margin` must be a number, got 'wide'"),
    ],
)
def test_bad_settings_are_named(settings, message):
    with pytest.raises((TypeError, ValueError), match=message):
        KernelPerceptron(**settings).fit(*make_moons(20, random_state=0))


def test_bad_examples_are_named():
    X = pd.DataFrame({"a": [1.0, 2.0], "b": [0.0, np.inf]})
    with pytest.raises(ValueError, match="infinity"):
        KernelPerceptron().fit(X, [0, 1])
    with pytest.raises(ValueError, match="at least two classes, got one class"):
        KernelPerceptron().fit(X.fillna(0).replace(np.inf, 1), [1, 1])
    with pytest.raises(ValueError, match="`bound` must be one of"):
        KernelPerceptron().fit(*make_moons(20, random_state=0)).certify(bound="margin")
