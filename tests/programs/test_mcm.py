"""The specification's numbers, the degeneracies, and every choice of sparsity."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from handful import load_dataset
from handful.programs import (
    InterpolationWarning,
    MinimalComplexityMachine,
    SolverError,
    TrivialSolutionWarning,
)
from tests.oracles.programs import published_mcm, toy


def test_hard_margin_of_the_specification():
    X, y = toy(flipped=False)
    machine = MinimalComplexityMachine(hard=True).fit(X, y)
    assert machine.h_[0] == pytest.approx(5.525549445, abs=1e-8)
    np.testing.assert_allclose(machine.coef_[0], [5.52579830, 1.37963909], atol=1e-7)
    assert machine.intercept_[0] == pytest.approx(1.379779780, abs=1e-8)
    assert machine.score(X, y) == 1.0


@pytest.mark.parametrize(
    ("C", "value", "h"),
    [
        (0.1, 1.54755588, 1.0),
        (0.5, 3.64467170, 1.127088),
        (1.0, 6.14195131, 1.178641),
        (10.0, 48.58346402, 1.556942),
    ],
)
def test_soft_margin_of_the_specification(C, value, h):
    X, y = toy()
    machine = MinimalComplexityMachine(C=C).fit(X, y)
    assert machine.objective_[0] == pytest.approx(value, abs=1e-8)
    assert machine.h_[0] == pytest.approx(h, abs=1e-6)
    assert machine.gap_[0] <= 1e-7


def test_an_infeasible_hard_margin_says_so():
    X, y = toy()
    with pytest.raises(SolverError, match="not separable in these features: use hard=False"):
        MinimalComplexityMachine(hard=True).fit(X, y)


@pytest.mark.parametrize("C", [0.01, 100.0])
def test_a_nonsingular_kernel_interpolates_whatever_the_cost(C):
    X, y = toy()
    with pytest.warns(InterpolationWarning, match="`C` has no effect"):
        machine = MinimalComplexityMachine("rbf", gamma=1.0, C=C, sparsity="paper").fit(X, y)
    assert machine.objective_[0] == pytest.approx(1.0, abs=1e-6)
    assert machine.is_interpolating_.all()
    assert len(machine.support_) >= 11
    assert machine.rank_ == 12


def test_a_flat_kernel_hides_it():
    X, y = toy()
    machine = MinimalComplexityMachine("rbf", gamma=1e-4, C=1.0, sparsity="paper", tol=1e-6)
    machine.fit(X, y)
    assert machine.rank_ < 12
    assert not machine.is_interpolating_.any()


def test_six_points_in_five_dimensions_say_nothing(rng):
    X = rng.normal(size=(6, 5))
    for code in range(1, 63, 7):
        y = (code >> np.arange(6)) & 1
        with pytest.warns(InterpolationWarning, match="h = 1 says nothing"):
            machine = MinimalComplexityMachine().fit(X, y)
        assert machine.h_[0] == pytest.approx(1.0, abs=1e-8)


def test_the_constant_classifier_is_announced(rng):
    X = rng.normal(size=(60, 2))
    y = np.r_[np.ones(6), np.zeros(54)]
    with pytest.warns(TrivialSolutionWarning, match="constant classifier is optimal at C=1"):
        machine = MinimalComplexityMachine().fit(X, y)
    assert machine.is_trivial_.all()
    assert machine.objective_[0] == pytest.approx(1 + 2 * 6, abs=1e-7)
    assert (machine.predict(X) == 0).all()


def test_numbers_price_the_expansion(rng):
    X = rng.normal(size=(60, 2))
    y = np.where(np.sin(2 * X[:, 0]) + 0.2 * rng.normal(size=60) > 0, 1.0, -1.0)
    K = rbf_kernel(X, gamma=1.0)
    counts = []
    for price in (0.01, 0.1, 1.0):
        machine = MinimalComplexityMachine("rbf", gamma=1.0, sparsity=price).fit(X, y)
        assert machine.objective_[0] == pytest.approx(published_mcm(K, y, 1.0, price)[0], rel=1e-7)
        counts.append(len(machine.support_))
    assert counts == sorted(counts, reverse=True)
    assert counts[-1] < 30


def test_rank_keeps_at_most_the_rank(rng):
    X = rng.normal(size=(60, 2))
    y = np.where(np.sin(2 * X[:, 0]) > 0, 1.0, -1.0)
    machine = MinimalComplexityMachine("rbf", gamma=0.3, sparsity="rank", rank_tol=0.1).fit(X, y)
    assert len(machine.support_) <= machine.rank_ < 30
    finer = MinimalComplexityMachine("rbf", gamma=0.3, sparsity="rank", rank_tol=1e-3).fit(X, y)
    assert finer.rank_ > machine.rank_
    assert finer.objective_[0] <= machine.objective_[0] + 1e-7


def test_defaults(rng):
    X = rng.normal(size=(50, 2))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=50) > 0, 1, 0)
    linear = MinimalComplexityMachine().fit(X, y)
    paper = MinimalComplexityMachine(sparsity="paper").fit(X, y)
    np.testing.assert_array_equal(linear.coef_, paper.coef_)
    default = MinimalComplexityMachine("rbf").fit(X, y)
    priced = MinimalComplexityMachine("rbf", sparsity="l1").fit(X, y)
    np.testing.assert_array_equal(default.dual_coef_, priced.dual_coef_)


def test_indefinite_kernels(rng):
    X = rng.normal(size=(30, 2))
    y = np.where(X[:, 0] > 0, 1, 0)

    def sigmoid(A, B):
        return np.tanh(2.0 * A @ B.T - 1.0)

    for sparsity in ("paper", "rank"):
        with pytest.raises(ValueError, match="positive semi-definite"):
            MinimalComplexityMachine(sigmoid, sparsity=sparsity).fit(X, y)
    assert MinimalComplexityMachine(sigmoid, sparsity="l1").fit(X, y).score(X, y) > 0.9


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sparsity": "none"}, "`sparsity` must be 'auto', 'l1', 'paper', 'rank' or a number"),
        ({"sparsity": -0.1}, "`sparsity` must be"),
        ({"sparsity": True}, "`sparsity` must be"),
        ({"sparsity": "rank"}, "must not be 'rank' for kernel='linear'"),
        ({"rank_tol": 1.0}, "`rank_tol` must be in \\(0, 1\\), got 1.0"),
    ],
)
def test_bad_parameters(change, message):
    X, y = toy()
    with pytest.raises(ValueError, match=message):
        MinimalComplexityMachine(**change).fit(X, y)


@pytest.mark.parametrize("seed", [27, 39])
@pytest.mark.filterwarnings("ignore::handful.tables.FittedScalingWarning")  # on purpose
def test_singular_equations_are_left_to_highs(seed):
    """Subsets on which a pivot of the interior point is zero, or negative by rounding."""
    data = load_dataset("haberman-294")
    rows = np.random.default_rng(seed).permutation(len(data.y))[:244]
    X = np.asarray(data.X, dtype=float)[rows]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    machine = MinimalComplexityMachine("rbf", C=0.1, gamma=10 / 3, sparsity="rank")
    machine.fit(X, data.y[rows])
    assert machine.gap_[0] <= 1e-7
