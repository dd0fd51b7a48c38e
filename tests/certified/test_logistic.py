import numpy as np
import pytest
from scipy.special import softmax
from sklearn.metrics import log_loss

from handful.certified.linear_forms import log_losses, logistic_path
from tests.oracles import menu as oracle


@pytest.mark.parametrize("shape", [(60, 3), (20, 50)])
def test_each_penalty_is_solved(shape, rng):
    Z, weight = rng.normal(size=shape), rng.integers(1, 3, size=shape[0]).astype(float)
    y = (Z[:, 0] + rng.normal(size=shape[0]) > 0).astype(int)
    penalties = [30.0, 3.0, 0.3]
    for penalty, beta in zip(penalties, logistic_path(Z, y, weight, penalties, 1), strict=True):
        b = beta[:, 0]
        assert b.shape == (shape[1] + 1,)
        value = oracle.logistic_loss(Z, b, y, weight, penalty)
        for _ in range(10):
            other = b + 0.03 * rng.normal(size=len(b))
            assert oracle.logistic_loss(Z, other, y, weight, penalty) > value - 1e-6


def test_a_warm_path_ends_where_a_cold_start_does(rng):
    Z = rng.normal(size=(50, 4))
    y = (Z @ [1.0, -1.0, 0.0, 0.5] + rng.normal(size=50) > 0).astype(int)
    warm = logistic_path(Z, y, np.ones(50), [100.0, 10.0, 1.0], 1)[-1]
    cold = logistic_path(Z, y, np.ones(50), [1.0], 1)[0]
    np.testing.assert_allclose(warm, cold, atol=1e-3)


def test_three_classes_have_no_slope_left(rng):
    Z, y = rng.normal(size=(90, 2)), rng.integers(0, 3, size=90)
    beta = logistic_path(Z, y, np.ones(90), [2.0], 3)[0]
    A = np.column_stack([Z, np.ones(90)])
    slope = A.T @ (softmax(A @ beta, axis=1) - np.eye(3)[y])
    slope[:-1] += 2.0 * beta[:-1]
    assert np.abs(slope).max() < 0.05


def test_separable_data_stay_finite():
    Z, y = np.array([[-1.0], [1.0]]), np.array([0, 1])
    assert np.isfinite(logistic_path(Z, y, np.ones(2), [0.1], 1)[0]).all()


@pytest.mark.parametrize("n_classes", [2, 4])
def test_log_losses_are_those_of_scikit_learn(n_classes, rng):
    scores = 3.0 * rng.normal(size=(50, 1 if n_classes == 2 else n_classes))
    y = rng.integers(n_classes, size=50)
    full = np.column_stack([np.zeros(50), scores]) if n_classes == 2 else scores
    expected = log_loss(y, softmax(full, axis=1), labels=np.arange(n_classes))
    assert log_losses(scores, y).mean() == pytest.approx(expected)
