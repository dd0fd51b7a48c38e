"""Expansions: decisions, ties, and models of one size from one or several paths."""

import numpy as np

from handful.kernels import make_kernel
from handful.pursuit import KernelColumns, orthogonal_pursuit
from handful.pursuit.expansion_codes import Expansion, center_rows, decide, expansion_of_size


def test_decide_two_classes_calls_a_tie_the_first():
    values = np.array([[1.0], [-1.0], [1e-13], [0.0]])
    assert decide(values, np.full((4, 1), 1e-12)).tolist() == [1, 0, 0, 0]


def test_decide_many_classes_takes_the_lowest_of_a_tie():
    values = np.array([[0.0, 1.0, 1.0 - 1e-14], [3.0, 3.0 + 1e-14, 0.0], [0.0, 1.0, 2.0]])
    assert decide(values, np.full((3, 3), 1e-12)).tolist() == [1, 0, 2]


def test_equidistant_points_tie_whatever_the_batch():
    """k(a, x) - k(b, x) is 0 up to rounding on the bisector; the class must not flicker."""
    kernel = make_kernel("rbf", gamma=0.1)
    centers = np.array([[1.0, 3.0], [3.0, 1.0]])
    model = Expansion(np.arange(2), np.array([[7.0], [-7.0]]), np.zeros(1))
    X = np.array([[t, t] for t in np.linspace(-3.0, 3.0, 31)])
    assert np.all(decide(*model.values(kernel(X, centers))) == 0)
    assert all(decide(*model.values(kernel(x[None], centers)))[0] == 0 for x in X)


def test_one_path_per_output_is_merged(rng):
    X, Y = rng.normal(size=(30, 2)), rng.normal(size=(30, 3))
    kernel = make_kernel("rbf", gamma=0.5)
    columns = KernelColumns(kernel, X)
    paths = [orthogonal_pursuit(columns, Y[:, [i]], 4, intercept=True) for i in range(3)]
    model = expansion_of_size(paths, 3, 0.0)
    assert len(set(model.centers.tolist())) == len(model.centers) <= 9
    values, _ = model.values(center_rows(kernel, X, X[model.centers], model.centers))
    expected = np.hstack([path.fitted(3) for path in paths])
    np.testing.assert_allclose(values, expected, atol=1e-8)


def test_no_centre_gives_the_intercept():
    model = Expansion(np.array([], dtype=int), np.zeros((0, 1)), np.array([0.5]))
    kernel = make_kernel("rbf", gamma=0.5)
    rows = center_rows(kernel, np.ones((3, 2)), np.zeros((0, 2)), model.centers)
    np.testing.assert_array_equal(model.values(rows)[0], np.full((3, 1), 0.5))
