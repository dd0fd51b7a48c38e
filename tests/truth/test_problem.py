"""Every problem: its sample, its truth, and the risks it reports."""

import pickle
from itertools import pairwise

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from tests.truth import (
    PROBLEMS,
    AbstractProblem,
    AxisRules,
    Balls,
    BoxClassifier,
    LinearClassifier,
    Noise,
    RiskEstimate,
    TwoNorm,
)
from tests.truth.problem import check_matrix

every_problem = pytest.mark.parametrize("name", sorted(PROBLEMS))
N_MONTE_CARLO = 30_000


def counted_risk(problem, predict, rng, n_samples=N_MONTE_CARLO):
    """The plain estimate: errors counted on fresh labels, and its standard error."""
    X, y = problem.sample(n_samples, rng)
    risk = float(np.mean(predict(X) != y))
    return risk, np.sqrt(max(risk * (1 - risk), 1e-9) / n_samples)


@every_problem
def test_samples_have_the_promised_form(name):
    problem = PROBLEMS[name]()
    X, y = problem.sample(200, 0)
    assert isinstance(problem, AbstractProblem)
    assert X.shape == (200, problem.n_features)
    assert X.dtype == np.float64
    assert y.dtype.kind == "i"
    assert set(y.tolist()) == {-1, 1}


@every_problem
def test_the_same_seed_gives_the_same_sample(name):
    problem = PROBLEMS[name]()
    X, y = problem.sample(50, 7)
    again = problem.sample(50, np.random.default_rng(7))
    np.testing.assert_array_equal(X, again[0])
    np.testing.assert_array_equal(y, again[1])
    assert not np.array_equal(X, problem.sample(50, 8)[0])
    rng = np.random.default_rng(7)
    problem.sample(50, rng)
    assert not np.array_equal(X, problem.sample(50, rng)[0])


@every_problem
def test_sampling_leaves_the_global_state_alone(name):
    before = np.random.get_state()[1].copy()
    PROBLEMS[name]().sample(10, 0)
    np.testing.assert_array_equal(np.random.get_state()[1], before)


@every_problem
def test_problems_are_frozen_equal_by_value_and_can_be_pickled(name):
    problem = PROBLEMS[name]()
    assert problem == PROBLEMS[name]()
    assert hash(problem) == hash(PROBLEMS[name]())
    with pytest.raises(AttributeError):
        problem.n_features = 3
    assert pickle.loads(pickle.dumps(problem)).bayes_error == problem.bayes_error


@every_problem
def test_the_rate_of_positives(name, rng):
    problem = PROBLEMS[name]()
    _, y = problem.sample(N_MONTE_CARLO, rng)
    assert np.mean(y == 1) == pytest.approx(
        problem.positive_rate, abs=4.5 * 0.5 / N_MONTE_CARLO**0.5
    )


@every_problem
def test_the_posterior_is_calibrated(name, rng):
    """Among points with posterior near p, a fraction p has label +1."""
    problem = PROBLEMS[name]()
    X, y = problem.sample(N_MONTE_CARLO, rng)
    posterior = problem.posterior(X)
    edges = [0.0, 0.02, 0.2, 0.4, 0.6, 0.8, 0.98, 1.0 + 1e-9]
    for low, high in pairwise(edges):
        is_in = (posterior >= low) & (posterior < high)
        if is_in.sum() > 100:
            expected = posterior[is_in].mean()
            error = np.sqrt(max(expected * (1 - expected), 1e-4) / is_in.sum())
            assert np.mean(y[is_in] == 1) == pytest.approx(expected, abs=5 * error)


@every_problem
def test_the_bayes_error_is_reached_by_the_bayes_classifier(name, rng):
    problem = PROBLEMS[name]()
    risk, error = counted_risk(problem, problem.bayes_classifier, rng)
    assert problem.bayes_error == pytest.approx(risk, abs=4.5 * error)
    X, _ = problem.sample(N_MONTE_CARLO, rng)
    posterior = problem.posterior(X)
    smallest = np.minimum(posterior, 1 - posterior)  # a second estimate, much more precise
    error = max(smallest.std() / np.sqrt(N_MONTE_CARLO), 1e-12)
    assert problem.bayes_error == pytest.approx(smallest.mean(), abs=4.5 * error)


@every_problem
def test_the_bayes_classifier_is_recognised_and_estimated(name):
    problem = PROBLEMS[name]()
    exact = problem.true_risk(problem.bayes_classifier)
    assert exact == RiskEstimate(value=problem.bayes_error, standard_error=0.0, n_samples=0)
    estimate = problem.true_risk(lambda X: problem.bayes_classifier(X), n_samples=500, rng=0)
    assert estimate.value == problem.bayes_error  # no excess anywhere
    assert not estimate.is_exact


@every_problem
@pytest.mark.parametrize("label", [-1, 1])
def test_constants_are_exact(name, label):
    problem = PROBLEMS[name]()
    estimate = problem.true_risk(label)
    assert estimate.is_exact
    assert estimate.standard_error == 0.0
    rate = problem.positive_rate
    assert estimate.value == pytest.approx(1 - rate if label == 1 else rate, abs=1e-15)


@every_problem
def test_fitted_machines_against_counted_errors(name, rng):
    """Linear, tree and forest: exact or simulated, the risk agrees with brute force."""
    problem = PROBLEMS[name]()
    X, y = problem.sample(60, rng)
    for machine in (
        LogisticRegression(),
        DecisionTreeClassifier(max_depth=3, random_state=0),
        make_pipeline(StandardScaler(), LogisticRegression()),
        RandomForestClassifier(4, max_depth=3, random_state=0),
    ):
        machine.fit(X, y)
        estimate = problem.true_risk(machine, n_samples=20_000, rng=rng)
        risk, error = counted_risk(problem, machine.predict, rng)
        assert estimate.value == pytest.approx(
            risk, abs=4.5 * np.hypot(error, estimate.standard_error)
        )
        if not estimate.is_exact:
            # Never worse than counting: at most the binomial error, plus its floor.
            counting = np.sqrt(estimate.value * (1 - estimate.value) / 20_000)
            assert estimate.standard_error <= 1.1 * counting + 1 / 20_000


@pytest.mark.parametrize("name", ["banana", "noise", "ring-norm", "two-norm", "waveform"])
def test_gaussian_problems_are_exact_for_linear_machines_and_trees(name, rng):
    problem = PROBLEMS[name]()
    X, y = problem.sample(60, rng)
    for machine in (LogisticRegression(), DecisionTreeClassifier(random_state=0)):
        assert problem.true_risk(machine.fit(X, y)).is_exact


def test_uniform_problems_are_exact_for_trees_and_stumps(rng):
    problem = AxisRules()
    X, y = problem.sample(60, rng)
    assert problem.true_risk(DecisionTreeClassifier(random_state=0).fit(X, y)).is_exact
    weights = np.zeros(problem.n_features)
    weights[0] = 1.0
    stump = problem.true_risk(LinearClassifier(weights, -0.3))
    # wrong when x0 > 0.3 but x1 <= 0.3, and else only where labels were flipped
    assert stump.is_exact
    assert stump.value == pytest.approx(0.1 + 0.8 * 0.7 * 0.3, abs=1e-14)
    assert not problem.true_risk(LogisticRegression().fit(X, y), n_samples=100, rng=0).is_exact


def test_attributes_that_lie_are_not_believed():
    """An estimator with `coef_` that predicts otherwise is simulated."""

    class Liar:
        classes_ = np.array([-1, 1])
        coef_ = np.array([[1.0, 1.0]])
        intercept_ = np.array([0.0])

        def predict(self, X):
            return np.where(X[:, 0] ** 2 > 1.0, 1, -1)

    assert not TwoNorm(n_features=2).true_risk(Liar(), n_samples=1000, rng=0).is_exact


def test_pure_noise_is_half_wrong_whatever_is_said():
    estimate = Noise(n_features=2).true_risk(lambda X: np.where(X[:, 0] > 0, 1, -1), rng=0)
    assert estimate.value == 0.5
    assert estimate.standard_error == 0.0
    biased = Noise(n_features=2, positive_probability=0.2)
    risk = biased.true_risk(LinearClassifier([1.0, 0.0], 1.0))
    said = 0.8413447460685429  # Phi(1): how often it says +1
    assert risk.value == pytest.approx(0.2 + 0.6 * said, abs=1e-14)


def test_standard_errors_tell_the_truth():
    """Over many repetitions the estimates scatter as much as they claim."""
    problem = Balls()

    def says_ball(X):
        return np.where(np.square(X - [1.4, 0.2]).sum(axis=1) < 1.0, 1, -1)

    runs = [problem.true_risk(says_ball, n_samples=2000, rng=seed) for seed in range(150)]
    values = np.array([run.value for run in runs])
    claimed = np.mean([run.standard_error for run in runs])
    assert 0.8 < values.std() / claimed < 1.2
    truth = problem.true_risk(says_ball, n_samples=200_000, rng=1000)
    assert values.mean() == pytest.approx(truth.value, abs=5 * claimed / np.sqrt(150))


def test_a_rare_disagreement_that_was_not_met_leaves_an_error():
    def almost_bayes(X):
        return np.where(X.sum(axis=1) > 0, 1, -1) * np.where(X[:, 0] > 5.5, -1, 1)

    estimate = TwoNorm(n_features=1).true_risk(almost_bayes, n_samples=300, rng=0)
    assert estimate.value == TwoNorm().bayes_error
    assert estimate.standard_error == pytest.approx(1 / 300, rel=0.01)


def test_target_error_stops_early_and_n_samples_is_the_limit():
    problem = TwoNorm(n_features=4)

    def first(X):
        return np.where(X[:, 0] > 0, 1, -1)

    early = problem.true_risk(first, n_samples=10**7, target_error=2e-3, rng=0)
    assert early.standard_error <= 2e-3
    assert early.n_samples < 10**5
    late = problem.true_risk(first, n_samples=10_000, target_error=1e-9, rng=0)
    assert late.n_samples == 10_000
    assert late.standard_error > 1e-9


def test_simulation_works_in_blocks():
    seen = []

    def remember(X):
        seen.append(X.shape)
        return np.ones(len(X), dtype=int)

    TwoNorm(n_features=1024).true_risk(remember, n_samples=3000, rng=0)
    assert sum(n for n, _ in seen) == 3000
    assert max(n * d for n, d in seen) <= 2**20


def test_wrong_arguments_are_named():
    problem = TwoNorm(n_features=2)
    with pytest.raises(ValueError, match=r"`n_samples` must be at least 1, got 0"):
        problem.sample(0)
    with pytest.raises(ValueError, match=r"`n_samples` must be at least 2, got 1"):
        problem.true_risk(1, n_samples=1)
    with pytest.raises(ValueError, match=r"`target_error` must be in"):
        problem.true_risk(1, target_error=0.0)
    with pytest.raises(ValueError, match=r"`classifier` must predict -1 or \+1, got \[0\]"):
        problem.true_risk(lambda X: np.zeros(len(X), dtype=int))
    with pytest.raises(ValueError, match=r"`classifier` must predict -1 or \+1, got \[0, 1\]"):
        problem.true_risk(LogisticRegression().fit([[0.0, 0.0], [1.0, 1.0]], [0, 1]))
    with pytest.raises(ValueError, match=r"`X` must have shape \(n_samples, 2\)"):
        problem.posterior(np.zeros((3, 4)))


def test_one_row_of_many_features_is_drawn_in_blocks_of_256():
    assert TwoNorm(n_features=5000).true_risk(
        lambda X: np.ones(len(X)), n_samples=300, rng=0
    ).n_samples == 300  # fmt: skip


def test_estimates_print_in_one_line():
    assert str(RiskEstimate(value=0.125, standard_error=0.001, n_samples=9)) == "0.125 ± 0.001"
    assert str(RiskEstimate(value=0.125, standard_error=0.0, n_samples=0)) == "0.125 (exact)"


def test_box_rules_on_gaussians_against_counting(rng):
    problem = TwoNorm(n_features=3)
    rule = BoxClassifier.from_thresholds(
        3, features=[0, 1], thresholds=[-0.2, 0.1], directions=[1, 1], kind="disjunction"
    )
    risk, error = counted_risk(problem, rule.predict, rng)
    assert problem.true_risk(rule).value == pytest.approx(risk, abs=4.5 * error)


def test_matrices():
    assert check_matrix([[1, 2]], 2).dtype == np.float64
    with pytest.raises(ValueError, match=r"`X` must have shape \(n_samples, 3\), got \(1, 2\)"):
        check_matrix([[1, 2]], 3)
    with pytest.raises(ValueError, match=r"`X` must have no missing values"):
        check_matrix([[np.nan]], 1)
