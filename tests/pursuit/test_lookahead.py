"""Guessing ahead saves passes over the kernel matrix and changes nothing."""

import numpy as np
import pytest

from handful.kernels import make_kernel
from handful.pursuit import KernelColumns, orthogonal, orthogonal_pursuit, partial_cholesky


@pytest.fixture
def smooth(rng):
    X = rng.normal(size=(400, 2))
    Y = np.column_stack([np.sin(2 * X[:, 0]), X[:, 0] * X[:, 1]]) + 0.1 * rng.normal(size=(400, 2))
    return X, Y


def _columns(X, memory_bytes):
    return KernelColumns(make_kernel("rbf", gamma=0.5), X, memory_bytes=memory_bytes)


def test_passes_are_saved_and_choices_kept(smooth):
    X, Y = smooth
    stored = orthogonal_pursuit(_columns(X, 1 << 30), Y, 20)
    blocked = orthogonal_pursuit(_columns(X, 0), Y, 20)
    np.testing.assert_array_equal(stored.centers, blocked.centers)
    np.testing.assert_allclose(stored.residual_squares, blocked.residual_squares, rtol=1e-9)
    assert stored.n_passes == 20
    assert blocked.n_passes <= 10


def test_cholesky_passes_are_saved_and_choices_kept(smooth):
    X, _ = smooth
    stored = partial_cholesky(_columns(X, 1 << 30), 20)
    blocked = partial_cholesky(_columns(X, 0), 20)
    np.testing.assert_array_equal(stored.centers, blocked.centers)
    np.testing.assert_allclose(stored.traces, blocked.traces, rtol=1e-9)
    assert blocked.n_passes < stored.n_passes


def test_wrong_guesses_change_no_choice(smooth, monkeypatch):
    """With three landmarks nearly every guess is wrong."""
    X, Y = smooth
    expected = orthogonal_pursuit(_columns(X, 1 << 30), Y, 15).centers
    monkeypatch.setattr("handful.pursuit.kernel_columns.N_LANDMARKS", 3)
    path = orthogonal_pursuit(_columns(X, 0), Y, 15)
    np.testing.assert_array_equal(path.centers, expected)


def test_ties_go_to_the_first():
    assert orthogonal.first_best(np.array([-1.0, 2.0, 2.0 - 1e-14, 1.0])) == 1
    assert orthogonal.first_best(np.array([2.0 - 1e-14, 2.0])) == 0
    assert orthogonal.first_best(np.array([2.0 - 1e-9, 2.0])) == 1
