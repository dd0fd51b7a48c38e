"""Multiple kernels: the specification's vector, invariances, bad kernels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from handful.boosting import LPBoostMKL, empirical_rademacher
from handful.boosting.collection import vote_value
from handful.boosting.kernel_matrices import KernelBalls
from handful.bounds import NotCertifiableError, multiple_kernel_bound
from handful.kernels import Kernel
from tests.oracles import boosting as oracle

RBF = {"kernel": "rbf", "gamma": 1.0}


def _toy():
    i = np.arange(1, 13)
    X = np.column_stack([np.sin(i), np.cos(2 * i)])
    y = np.sign(np.sin(i) + 0.5 * np.cos(2 * i))
    y[[4, 9]] *= -1
    return X, y


def test_specification_vector():
    X, y = _toy()
    family = KernelBalls([X @ X.T, Kernel("rbf", gamma=1.0)(X)])
    np.testing.assert_allclose(family.edges(y / 12), [0.378686147, 0.398763876], atol=1e-9)
    linear = KernelBalls([X @ X.T]).best(y / 12)[0]
    np.testing.assert_allclose(linear.values[:3], [0.74700915, 0.76844721, 0.3210877], atol=1e-7)
    machine = LPBoostMKL(
        ["linear", RBF], nu=0.5, normalise=False, equal_variance=False, tol=1e-6
    ).fit(X, y)
    assert machine.beta_[0] == pytest.approx(0.15253650, abs=1e-6)
    np.testing.assert_allclose(machine.kernel_weights_, [0.2124, 0.7876], atol=1e-3)


def test_value_matches_a_convex_solver(rng):
    X = rng.normal(size=(14, 2))
    y = np.where(X[:, 0] > 0, 1.0, -1.0)
    kernels = [Kernel("rbf", gamma=0.5)(X), Kernel("rbf", gamma=5.0)(X)]
    machine = LPBoostMKL(
        [{"kernel": "rbf", "gamma": 0.5}, {"kernel": "rbf", "gamma": 5.0}],
        nu=0.5,
        equal_variance=False,
        tol=1e-7,
    ).fit(X, y)
    # min over u of max_t u'YK_tYu, as a smooth problem with a bound variable.
    cap = 1 / 7
    constraints = [{"type": "eq", "fun": lambda v: v[:-1].sum() - 1.0}] + [
        {"type": "ineq", "fun": lambda v, K=K: v[-1] - (v[:-1] * y) @ K @ (v[:-1] * y)}
        for K in kernels
    ]
    start = np.append(np.full(14, 1 / 14), 1.0)
    bounds = [(0, cap)] * 14 + [(0, None)]
    found = minimize(
        lambda v: v[-1], start, bounds=bounds, constraints=constraints, method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )  # fmt: skip
    assert machine.beta_[0] == pytest.approx(np.sqrt(found.fun), abs=1e-5)


def _noisy(rng, m=120, d=4):
    X = rng.normal(size=(m, d))
    y = np.where(X[:, 0] + X[:, 1] ** 2 - 1.0 + 0.7 * rng.normal(size=m) > 0, 1.0, -1.0)
    return X, y


def _matrices(X, gammas):
    return [Kernel("rbf", gamma=g)(X) for g in gammas]


@pytest.mark.sample(1)
@pytest.mark.parametrize("nu", [0.2, 0.5, 0.9])
def test_bounds_enclose_the_optimum_of_the_cutting_planes(rng, nu):
    X, y = _noisy(rng, m=24, d=2)
    matrices = [X @ X.T, *_matrices(X, [0.3, 3.0])]
    caps = np.full(24, 1 / (24 * nu))
    low, high = oracle.kernel_lpboost(matrices, y, caps, 1e-4)
    bank = [lambda X, Z: X @ Z.T, *({"kernel": "rbf", "gamma": g} for g in (0.3, 3.0))]
    machine = LPBoostMKL(bank, nu=nu, normalise=False, equal_variance=False, tol=1e-5).fit(X, y)
    beta, gap = machine.beta_[0], machine.gap_[0]
    assert gap <= 1e-5
    assert beta <= high + 1e-9  # a lower bound
    assert beta + gap >= low - 1e-9  # and an upper one
    history = machine.path_
    assert np.all(history["beta"] <= high + 1e-9)
    assert np.all(history["beta"] + history["gap"] >= low - 1e-9)
    assert np.all(np.diff(history["gap"]) <= 1e-12)


def test_converges_on_hundreds_of_examples(rng):
    X, y = _noisy(rng, m=350, d=12)
    machine = LPBoostMKL(nu=0.2).fit(X, y)  # cutting planes needed more than 1000 rounds
    assert machine.gap_[0] <= 1e-4
    assert machine.n_iter_ < 200


def test_many_kernels_join_when_they_are_needed(rng):
    X, y = _noisy(rng)
    specs = [
        {"kernel": "rbf", "gamma": g, "columns": [j]}
        for g in np.logspace(-1, 1, 15)
        for j in range(4)
    ]
    machine = LPBoostMKL(specs, nu=0.4).fit(X, y)
    assert machine.gap_[0] <= 1e-4
    taking_part = machine.path_["n_columns"]
    assert taking_part[0] == 16
    # proved again over all sixty: the upper bound at the last u, the lower from the margins
    rng.shuffle(specs)
    again = LPBoostMKL(specs, nu=0.4).fit(X, y)
    assert again.beta_[0] == pytest.approx(machine.beta_[0], abs=2e-4)


def test_narrowest_kernel_does_not_take_it_all(rng):
    X, y = _noisy(rng, m=200)
    assert LPBoostMKL().fit(X, y).kernel_weights_[-1] < 0.95


def test_equal_variance_makes_scales_irrelevant(rng):
    X, y = _noisy(rng)
    small = [lambda X, Z: 1e-3 * X @ Z.T, RBF]
    large = [lambda X, Z: 1e3 * X @ Z.T, RBF]
    fits = [LPBoostMKL(k, nu=0.5, normalise=False, tol=1e-6).fit(X, y) for k in (small, large)]
    assert fits[0].beta_[0] == pytest.approx(fits[1].beta_[0], abs=2e-6)
    plain = LPBoostMKL(small, nu=0.5, normalise=False, equal_variance=False).fit(X, y)
    assert plain.kernel_weights_[0] < 0.01 < fits[0].kernel_weights_[0]


@pytest.mark.parametrize("equal_variance", [False, True])
def test_centred_machine_is_the_one_of_centred_matrices(rng, equal_variance):
    X, y = _noisy(rng, m=30, d=2)
    weights = rng.integers(1, 3, size=30)
    machine = LPBoostMKL([RBF], nu=0.5, centre=True, equal_variance=equal_variance, tol=1e-7)
    machine.fit(X, y, sample_weight=weights)
    K = oracle.centred(Kernel("rbf", gamma=1.0)(X), weights)
    scale = (weights @ np.diagonal(K)) / weights.sum() if equal_variance else 1.0
    caps = weights / (0.5 * weights.sum())
    low, high = oracle.kernel_lpboost([K / scale], y, caps, 1e-4)
    assert low - 1e-6 <= machine.beta_[0] <= high + 1e-6
    f = machine.decision_function(X)
    assert weights @ f == pytest.approx(0.0, abs=1e-9)  # centred functions
    value = vote_value(y * f, caps)
    assert value == pytest.approx(machine.beta_[0], abs=1e-9)
    # the function over the sum of its norms lies in the hull of the unit balls
    vote = machine.machines_[0]
    assert vote.constant != 0.0
    assert np.abs(f / vote.total).max() <= 1.0 + 1e-12
    norm = np.sqrt(np.linalg.lstsq(K, f, rcond=1e-12)[0] @ f)
    assert vote.total == pytest.approx(norm + abs(vote.constant), rel=1e-4)


def test_constant_of_centred_kernels_is_one_more_kernel(rng):
    X, y = _noisy(rng, m=60)
    machine = LPBoostMKL([RBF], nu=0.5, centre=True).fit(X, y)
    slack = np.maximum(0.0, 0.5 - machine.margins_).sum()
    expected = multiple_kernel_bound(60, 2, 0.5, 60.0, slack)
    assert machine.margin_certificate(margin=0.5).terms == expected.terms
    with pytest.raises(NotCertifiableError, match="centred kernels add a constant"):
        machine.margin_certificate(
            rademacher=empirical_rademacher([RBF], X, n_draws=5, random_state=0)
        )


def test_bank_computes_again_what_it_cannot_keep(rng, monkeypatch):
    X, y = _noisy(rng, m=40)
    kept = LPBoostMKL(nu=0.5).fit(X, y)
    monkeypatch.setattr("handful.boosting.kernel_matrices._BYTES", 2 * 8 * 40 * 40)
    again = LPBoostMKL(nu=0.5).fit(X, y)
    np.testing.assert_array_equal(again.decision_function(X), kept.decision_function(X))


@pytest.mark.thorough
@settings(max_examples=10)
@given(st.integers(0, 10_000))
def test_weights_do_not_depend_on_order_or_repetition(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 2))
    y = np.where(X[:, 0] + (X[:, 1] > 0.5) + 0.3 * rng.normal(size=30) > 0, 1, -1)
    y[:2] = 1, -1
    specs = ["linear", RBF, {"kernel": "poly", "degree": 2, "coef0": 1.0}]
    fit = lambda kernels: LPBoostMKL(kernels, nu=0.5, tol=1e-6).fit(X, y)  # noqa: E731
    base = fit(specs)
    moved = fit([specs[2], specs[0], specs[1]])
    np.testing.assert_allclose(moved.kernel_weights_, base.kernel_weights_[[2, 0, 1]], atol=2e-2)
    np.testing.assert_allclose(moved.decision_function(X), base.decision_function(X), atol=5e-3)
    twice = fit([*specs, RBF])
    w = twice.kernel_weights_
    np.testing.assert_allclose([w[0], w[1] + w[3], w[2]], base.kernel_weights_, atol=1e-9)
    assert w[1] == w[3]


@pytest.mark.filterwarnings("ignore::handful.tables.FittedScalingWarning")  # on purpose
def test_pipeline_classes_and_views():
    X, y = load_iris(return_X_y=True)
    kernels = ["linear", {"kernel": "rbf", "gamma": 0.5, "columns": [2, 3]}]
    machine = make_pipeline(StandardScaler(), LPBoostMKL(kernels, nu=0.1)).fit(X, y)
    assert machine.score(X, y) > 0.95
    weights = machine[-1].kernel_weights_
    assert weights.shape == (3, 2)
    np.testing.assert_allclose(weights.sum(axis=1), 1.0)
    rules = machine[-1].get_rules()
    assert rules["condition"].tolist()[:2] == ["linear", "rbf(gamma=0.5) on columns [2, 3]"]


def test_kernel_without_signal_is_a_constant_with_a_warning():
    X, y = _toy()
    zero = [lambda X, Z: np.zeros((len(X), len(Z)))]
    with pytest.warns(UserWarning, match="LPBoostMKL is constant"):
        machine = LPBoostMKL(zero, normalise=False).fit(X, y)
    assert len(set(machine.predict(X))) == 1
    np.testing.assert_array_equal(machine.kernel_weights_, [0.0])
    with pytest.raises(NotCertifiableError, match="Fit with normalise=True"):
        machine.certify()
    with pytest.warns(UserWarning, match="LPBoostMKL is constant"):
        machine = LPBoostMKL(zero).fit(X, y)
    with pytest.raises(NotCertifiableError, match="the machine is a constant"):
        machine.certify()


@pytest.mark.filterwarnings("ignore::handful.tables.FittedScalingWarning")  # on purpose
def test_certificates(rng):
    X, y = load_breast_cancer(return_X_y=True)
    X, X_new, y, y_new = train_test_split(X, y, random_state=0)
    scale = StandardScaler().fit(X)
    X, X_new = scale.transform(X), scale.transform(X_new)
    kernels = ["linear", {"kernel": "rbf", "gamma": 0.01}]
    machine = LPBoostMKL(kernels, nu=0.2).fit(X, y)
    wide = machine.margin_certificate(margin=0.5)
    slack = np.maximum(0.0, 0.5 - machine.margins_).sum()
    expected = multiple_kernel_bound(len(y), 2, 0.5, float(len(y)), slack)
    assert wide.terms == expected.terms
    assert wide.is_vacuous
    assert machine.certify().is_vacuous
    complexity = empirical_rademacher(kernels, X, n_draws=50, random_state=0)
    sharper = machine.margin_certificate(rademacher=complexity)
    assert sharper.bound == "rademacher-margin"
    sums = [sum(t.nats for t in found.terms) for found in (sharper, machine.certify())]
    assert sums[0] < sums[1]
    held = machine.certify(X=X_new, y=y_new)
    assert held.bound == "held-out"
    assert held.risk < 0.15
    with pytest.raises(NotCertifiableError, match="margin_certificate\\(rademacher=empirical"):
        machine.certify(bound="rademacher-margin")
