"""Certificates: the stable scheme by its definition, validity by simulation, refusals."""

import itertools
import math
import warnings

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

from handful.boosting import AdaBoost, LPBoost, LPBoostMKL, empirical_rademacher
from handful.boosting.margin_certificates import stump_complexity
from handful.bounds import (
    NotCertifiableError,
    finite_class_rademacher,
    margin_distribution_bound,
    rademacher_margin_bound,
    stable_bound,
)

LEVELS = 6
GRID = np.arange(LEVELS - 1) + 0.5
CELLS = np.array(list(itertools.product(range(LEVELS), repeat=2)), dtype=float)


def _chance_of_one(cells):
    """P(y = 1 | x): a slanted concept with five per cent of noise."""
    return np.where(cells @ [1.0, 2.0] > 7.4, 0.95, 0.05)


def _draw(rng, m):
    cells = CELLS[rng.integers(0, len(CELLS), size=m)]
    return cells, np.where(rng.random(m) < _chance_of_one(cells), 1, -1)


def _true_risk(machine):
    says_one = machine.predict(CELLS) == 1
    chance = _chance_of_one(CELLS)
    return float(np.mean(np.where(says_one, 1.0 - chance, chance)))


def _misses(rng, certify, n_draws, m):
    """How often the true risk exceeds the certificate, and the mean certificate.

    A draw that the machine refuses to certify counts as the trivial certificate.
    """
    n_missed, risks = 0, []
    for _ in range(n_draws):
        X, y = _draw(rng, m)
        if abs(y.sum()) == m:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            try:
                machine, certificate = certify(X, y)
            except NotCertifiableError:
                risks.append(1.0)
                continue
        risks.append(certificate.risk)
        n_missed += _true_risk(machine) > certificate.risk
    return n_missed, float(np.mean(risks))


def _stable(X, y, cap=0.03, delta=0.2):
    machine = LPBoost(cap=cap, thresholds=GRID).fit(X, y)
    return machine, machine.certify(delta=delta)


def _assert_valid(rng, certify, n_draws, m, delta):
    n_missed, mean_risk = _misses(rng, certify, n_draws, m)
    print(f"missed {n_missed} of {n_draws}, mean {mean_risk:.3f}")
    assert n_missed <= binom.ppf(0.999, n_draws, delta)
    return mean_risk


def _complexity(certificate):
    (term,) = [term for term in certificate.terms if term.kind == "complexity"]
    return term.nats


@pytest.mark.thorough
def test_stable_certificate_is_valid(rng):
    assert _assert_valid(rng, _stable, 150, 100, 0.2) < 0.9


@pytest.mark.slow
def test_stable_certificate_is_valid_often(rng):
    assert _assert_valid(rng, _stable, 2000, 100, 0.2) < 0.9


@pytest.mark.slow
def test_stable_certificate_is_valid_on_columns(rng):
    """Continuous columns: every example below the margin counts, and few tie with it."""
    direction = np.array([1.0, -0.5, 0.25])
    n_missed, risks = 0, []
    for _ in range(2000):
        H = rng.uniform(-1, 1, size=(120, 3))
        y = np.where(H @ direction > 0, 1, -1)
        machine = LPBoost(cap=0.05, weak_learner="precomputed").fit(H, y)
        certificate = machine.certify(delta=0.2)
        fresh = rng.uniform(-1, 1, size=(5000, 3))
        risk = np.mean(machine.predict(fresh) != np.where(fresh @ direction > 0, 1, -1))
        n_missed += risk > certificate.risk
        risks.append(certificate.risk)
    assert n_missed <= binom.ppf(0.999, 2000, 0.2)
    assert np.mean(risks) < 0.35


def test_stable_certificate_is_that_of_bounds(rng):
    X, y = _draw(rng, 120)
    machine = LPBoost(cap=0.03, thresholds=GRID).fit(X, y)
    certificate = machine.certify(delta=0.1)
    assert certificate.bound == "stable"
    assert certificate.risk == stable_bound(120, certificate.n_compressed, delta=0.1).risk
    assert certificate.n_compressed >= 1 / 0.03
    assert any("fixed before the data" in str(a) for a in certificate.assumptions)


def test_stable_certificate_of_three_classes_adds_up():
    X, y = load_iris(return_X_y=True)
    grid = [np.linspace(0, 8, 33)] * 4
    machine = LPBoost(cap=0.1, thresholds=grid).fit(X, y)
    certificate = machine.certify(delta=0.06)
    sizes = [proof.n_compressed for proof in machine._proofs]
    expected = sum(stable_bound(150, k, delta=0.02).risk for k in sizes)
    assert certificate.risk == pytest.approx(min(1.0, expected))
    assert certificate.delta == 0.06
    assert certificate.n_compressed == sum(sizes)


@pytest.mark.parametrize(
    ("options", "weights", "message"),
    [
        ({"nu": 0.3}, None, "needs a fixed cap: with cap = 1 / .nu n_samples."),
        ({"cap": 0.05}, None, "needs features fixed before the data.*Fit with `thresholds=`"),
        (
            {"cap": 0.02, "weak_learner": DecisionTreeClassifier(max_depth=3)},
            None,
            "needs features fixed before the data",
        ),
        ({"cap": 0.02, "thresholds": GRID}, "random", "needs examples of weight 1"),
        ({"cap": 0.02, "thresholds": GRID}, "double", "needs examples of weight 1"),
    ],
)
def test_stable_refusals(rng, options, weights, message):
    X, y = _draw(rng, 100)
    weights = {"random": rng.integers(1, 3, size=100), "double": np.full(100, 2.0)}.get(weights)
    machine = LPBoost(**options, tol=1e-3).fit(X, y, sample_weight=weights)
    with pytest.raises(NotCertifiableError, match=message):
        machine.certify(bound="stable")


def test_margin_of_zero_is_not_certified(rng):
    X = rng.integers(0, LEVELS, size=(60, 2)).astype(float)
    y = np.where(rng.random(60) < 0.5, 1, -1)
    with pytest.warns(UserWarning, match="no vote has a positive margin"):
        machine = LPBoost(cap=0.5, thresholds=GRID).fit(X, y)
    with pytest.raises(NotCertifiableError, match="no vote has a positive margin"):
        machine.certify()


def _hull(bound, n_rounds):
    def certify(X, y):
        machine = AdaBoost(n_rounds=n_rounds).fit(X, y)
        return machine, machine.certify(delta=0.2, bound=bound)

    return certify


@pytest.mark.sample(1)
@pytest.mark.parametrize("bound", ["rademacher-margin", "margin-distribution"])
def test_margin_certificates_are_valid(rng, bound):
    mean_risk = _assert_valid(rng, _hull(bound, 1), 60, 4000, 0.2)
    assert mean_risk < 0.9


@pytest.mark.slow
@pytest.mark.parametrize("bound", ["rademacher-margin", "margin-distribution"])
@pytest.mark.parametrize("n_rounds", [1, 5])
def test_margin_certificates_are_valid_often(rng, bound, n_rounds):
    _assert_valid(rng, _hull(bound, n_rounds), 2000, 1000, 0.2)


@pytest.mark.slow
def test_estimated_complexity_is_valid_with_its_price(rng):
    kernels = [{"kernel": "rbf", "gamma": 0.05}]

    def certify(X, y):
        machine = LPBoostMKL(kernels, nu=0.5, tol=1e-2).fit(X, y)
        seed = int(rng.integers(2**31))
        complexity = empirical_rademacher(kernels, X, n_draws=5, random_state=seed)
        return machine, machine.margin_certificate(delta=0.2, rademacher=complexity)

    _assert_valid(rng, certify, 2000, 100, 0.2)


@pytest.mark.thorough
def test_held_out_certificate_is_valid(rng):
    def certify(X, y):
        machine = LPBoost(0.5, tol=1e-4).fit(X[:60], y[:60])
        return machine, machine.certify(delta=0.2, X=X[60:], y=y[60:])

    assert _assert_valid(rng, certify, 300, 120, 0.2) < 0.4


def test_margin_certificate_is_that_of_bounds(rng):
    X, y = _draw(rng, 500)
    machine = AdaBoost(n_rounds=3).fit(X, y)
    complexity = finite_class_rademacher(2 * (2 * 500 + 1), 500)
    assert stump_complexity(500, 2).value == complexity
    slack = np.clip(1 - machine.margins_ / 0.5, 0, 1).mean()
    expected = rademacher_margin_bound(500, slack, complexity, scale=2.0)
    found = machine.margin_certificate(margin=0.5).terms
    assert [term.text for term in found] == [term.text for term in expected.terms]
    values = [term.nats for term in expected.terms]
    assert [term.nats for term in found] == pytest.approx(values, abs=2**-35)
    assert found[0].nats >= values[0]  # rounded up
    share = np.mean(machine.margins_ < 0.5)
    expected = margin_distribution_bound(500, share, 0.5, complexity)
    given = machine.margin_certificate(bound="margin-distribution", margin=0.5)
    assert given.risk == pytest.approx(expected.risk)
    free = machine.certify()
    for j in range(6):
        slack = np.clip(1 - 2.0**j * machine.margins_, 0, 1).mean()
        one = rademacher_margin_bound(500, slack, complexity, scale=2.0**j, scale_is_fixed=False)
        least = math.fsum(term.nats for term in one.terms)
        # the slack is rounded up
        assert math.fsum(term.nats for term in free.terms) <= least + 2**-35


def test_small_samples_are_marked_vacuous(rng):
    X, y = _draw(rng, 50)
    for machine in (AdaBoost(n_rounds=5), LPBoost(0.5)):
        certificate = machine.fit(X, y).certify()
        assert certificate.is_vacuous
        assert "says nothing" in certificate.explain()


def test_fixed_classes_have_smaller_complexity(rng):
    X, y = _draw(rng, 300)
    moving = LPBoost(0.5).fit(X, y).margin_certificate(margin=0.5)
    fixed = LPBoost(0.5, thresholds=[2.5]).fit(X, y).margin_certificate(margin=0.5)
    expected = 2.0 * finite_class_rademacher(2 * 2 + 2, 300)
    assert _complexity(fixed) == pytest.approx(expected)
    assert _complexity(fixed) < _complexity(moving)


def test_columns_must_be_bounded(rng):
    H = 3.0 * rng.normal(size=(50, 3))
    y = np.where(H[:, 0] > 0, 1, -1)
    machine = LPBoost(0.5, weak_learner="precomputed").fit(H, y)
    with pytest.raises(NotCertifiableError, match=r"need weak learners in \[-1, 1\]"):
        machine.certify()
    bounded = LPBoost(0.5, weak_learner="precomputed").fit(H / 20, y)
    assert bounded.margin_certificate(margin=0.1).bound == "rademacher-margin"


def test_estimates_that_may_be_too_small_are_refused(rng):
    X, y = _draw(rng, 60)
    machine = AdaBoost(n_rounds=3).fit(X, y)
    tree = DecisionTreeClassifier(max_depth=1)
    guess = empirical_rademacher(tree, X, n_draws=3, random_state=0)
    with pytest.raises(NotCertifiableError, match="merely good"):
        machine.margin_certificate(rademacher=guess)
    other = empirical_rademacher("stumps", X[:50], n_draws=3, random_state=0)
    with pytest.raises(ValueError, match="must be estimated on the 60 training examples, got 50"):
        machine.margin_certificate(rademacher=other)
    exact = empirical_rademacher("stumps", X, n_draws=200, random_state=0)
    paid = machine.margin_certificate(margin=1.0, rademacher=exact)
    assert _complexity(paid) == pytest.approx(exact.upper(0.005))
    assert paid.delta == 0.05
