import numpy as np
import pytest

from handful.programs import LinearProgrammingMachine, TrivialSolutionWarning
from tests.oracles.programs import one_norm_svm, toy


def test_the_specification():
    X, y = toy()
    machine = LinearProgrammingMachine(C=10.0).fit(X, y)
    assert machine.objective_[0] == pytest.approx(48.59230746, abs=1e-8)
    np.testing.assert_allclose(machine.coef_[0], [2.77556231, 0.0], atol=1e-7)
    assert machine.coef_[0, 1] == 0.0
    assert machine.intercept_[0] == pytest.approx(1.77553512, abs=1e-7)


@pytest.mark.parametrize("C", [0.1, 1.0])
def test_zero_coefficients_are_announced(C):
    X, y = toy()
    with pytest.warns(TrivialSolutionWarning, match="no feature is used"):
        machine = LinearProgrammingMachine(C=C).fit(X, y)
    assert (machine.coef_ == 0.0).all()
    assert machine.intercept_[0] == pytest.approx(1.0)
    assert machine.objective_[0] == pytest.approx(6 * C)


def test_against_linprog_and_for_feature_order(rng):
    X = rng.normal(size=(70, 6))
    y = np.where(X[:, 1] - X[:, 4] + rng.normal(size=70) > 0, 1.0, -1.0)
    machine = LinearProgrammingMachine(C=0.3).fit(X, y)
    fun, w, b = one_norm_svm(X, y, 0.3)
    assert machine.objective_[0] == pytest.approx(fun, rel=1e-8)
    np.testing.assert_allclose(machine.coef_[0], w, atol=1e-6)
    assert machine.intercept_[0] == pytest.approx(b, abs=1e-6)
    order = rng.permutation(6)
    moved = LinearProgrammingMachine(C=0.3).fit(X[:, order], y)
    np.testing.assert_allclose(moved.coef_[0], machine.coef_[0][order], atol=1e-9)


def test_kernel_columns_need_not_be_positive(rng):
    X = rng.normal(size=(40, 2))
    y = np.where(X[:, 0] * X[:, 1] > 0, 1.0, -1.0)

    def distance(A, B):
        return np.linalg.norm(A[:, None] - B[None], axis=2)

    machine = LinearProgrammingMachine(distance, C=10.0).fit(X, y)
    assert machine.objective_[0] == pytest.approx(one_norm_svm(distance(X, X), y, 10.0)[0])
    assert len(machine.support_) < 40
