"""What a certificate of a score machine counts and pays, derived again on small grids.

The stable bound is loose, so that a simulation alone would not see one example too few. The
re-check of model files counts the set and the price by formulas of its own; here to 1e-10.
"""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from handful import (
    KernelMatchingPursuitClassifier,
    KernelPerceptron,
    LinearProgrammingMachine,
    MinimalComplexityMachine,
    PickToLearn,
    SupportVectorMachine,
    save_model,
)
from handful.verify import audit, verify_model
from tests.chance import n_allowed
from tests.oracles.bounds import stable_risk

STABLE = {
    "perceptron": KernelPerceptron(gamma=0.5),
    "perceptron, stopped": KernelPerceptron(gamma=0.2, max_passes=2),
    "perceptron, margin": KernelPerceptron(gamma=0.5, margin=0.1, max_passes=30),
    "svm": SupportVectorMachine(gamma=0.5),
    "svm, linear": SupportVectorMachine(kernel="linear", C=0.5),
    "svm, no bias": SupportVectorMachine(gamma=0.5, fit_intercept=False),
    "lp": LinearProgrammingMachine(C=0.5),
    "mcm": MinimalComplexityMachine(C=1.0),
}
PURSUITS = {
    f"{coefficients}, {n_centers}": KernelMatchingPursuitClassifier(
        n_centers, coefficients=coefficients, gamma=gamma
    )
    for coefficients in ("pool", "chosen", "quantised", "least_squares")
    for n_centers, gamma in ((1, 0.5), (4, [0.3, 1.0]))
    if coefficients != "least_squares" or n_centers == 1
}
MACHINES = {**STABLE, **PURSUITS}


def _grid(n_classes, seed=3):
    """Forty examples on a grid of five by five: ties, equal rows and contradictions."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 5, (40, 2)).astype(float)
    y = np.where(rng.random(40) < 0.2, rng.integers(0, 2, 40), X.sum(axis=1) > 4)
    return X, y + (X[:, 1] == 0) * (n_classes - 2)


@pytest.mark.parametrize(
    ("name", "n_classes"),
    # least squares have no certificate for several classes
    [(name, n) for name in MACHINES for n in (2, 3) if n == 2 or "least" not in name],
)
def test_every_number_is_derived_again(name, n_classes, monkeypatch, tmp_path):
    monkeypatch.setattr(audit, "TOLERANCE", 1e-10)
    X, y = _grid(n_classes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        machine = MACHINES[name].fit(X, y)
        save_model(machine, tmp_path / "model.json", data=(X, y), include_rows=True)
    verdict = verify_model(tmp_path / "model.json", X, y)
    assert verdict.is_consistent, verdict.differences
    assert verdict.is_valid, verdict.unverified


@pytest.mark.parametrize("name", STABLE)
def test_the_stable_bound_is_that_of_the_counted_set(name):
    X, y = _grid(2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        certificate = MACHINES[name].fit(X, y).certify(0.1)
    for delta in (0.1, 0.5):
        risk = MACHINES[name].certify(delta).risk
        want = float(stable_risk(certificate.n_compressed, 40, math.log(delta)))
        assert risk == pytest.approx(want, rel=1e-9)
        if certificate.n_compressed < 39:
            less = float(stable_risk(certificate.n_compressed - 1, 40, math.log(delta)))
            assert less < risk * (1 - 1e-4)  # one example too few would be seen


def same_cell(X, Z):
    """The kernel of cells that have nothing in common."""
    return (X == Z.T).astype(float)


class Memory(ClassifierMixin, BaseEstimator):
    """Says yes where it was told yes."""

    def fit(self, X, y):
        self.classes_, self.told_ = np.unique(y), X[y, 0]
        return self

    def predict(self, X):
        return np.isin(X[:, 0], self.told_)


N_CELLS = 160
SHARE = np.r_[0.1, np.full(N_CELLS, 0.9 / N_CELLS)]
CELLS = np.arange(N_CELLS + 1)
RARE = {
    "perceptron": (KernelPerceptron(same_cell, fit_intercept=False), False),
    "svm": (SupportVectorMachine(same_cell, fit_intercept=False, C=0.9), False),
    "lp": (LinearProgrammingMachine(C=10.0), True),
    "pick-to-learn": (PickToLearn(Memory()), False),
}


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", RARE)
def test_rare_cells(name):
    """Every new cell is an error or touches the machine; half of the set would not be enough."""
    machine, is_coded = RARE[name]
    rng = np.random.default_rng(11)
    n_draws, n, delta, misses, halved = 12, 40, 0.5, 0, 0
    show = (lambda x: np.eye(N_CELLS + 1)[x]) if is_coded else (lambda x: x[:, None].astype(float))
    for _ in range(n_draws):
        x = rng.choice(N_CELLS + 1, size=n, p=SHARE)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            machine.fit(show(x), x > 0)
        is_wrong = machine.predict(show(CELLS)) != (CELLS > 0)
        is_touched = is_wrong if name == "pick-to-learn" else is_wrong | ~np.isin(CELLS, x)
        certificate, truth = machine.certify(delta), float(SHARE @ is_touched)
        misses += certificate.risk < truth
        halved += stable_risk(certificate.n_compressed // 2, n, math.log(delta)) < truth
    assert misses <= n_allowed(n_draws, delta) < halved
