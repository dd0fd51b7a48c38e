"""Displays hold data; plotting is a method."""

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from handful import (
    KernelMatchingPursuitClassifier,
    KernelMatchingPursuitRegressor,
    PursuitCentersDisplay,
    PursuitPathDisplay,
    SparseKernelPCA,
)

mpl.use("Agg")


@pytest.fixture
def data(rng):
    X = rng.normal(size=(60, 3))
    return X, np.where(X[:, 0] > 0, "b", "a")


def test_path_of_a_classifier(data):
    machine = KernelMatchingPursuitClassifier(6).fit(*data)
    display = PursuitPathDisplay.from_estimator(machine)
    frame = display.frame()
    assert frame["size"].tolist() == list(range(7))
    assert frame["residual"].iloc[0] == 1.0
    assert frame["residual"].is_monotonic_decreasing
    chosen = frame[frame["is_chosen"]]
    assert chosen["certificate"].item() == pytest.approx(frame["certificate"].min())
    assert chosen["certificate"].item() == pytest.approx(machine.certify().risk)
    axes = display.plot().ax_
    assert [line.get_label() for line in axes.lines][:2] == [
        "residual, share of its start",
        "certificate, 95 % confidence",
    ]
    mpl.pyplot.close(axes.figure)


def test_path_of_a_vacuous_bound_is_cut_at_one(data):
    machine = KernelMatchingPursuitClassifier(4, coefficients="least_squares").fit(*data)
    assert PursuitPathDisplay.from_estimator(machine).frame()["certificate"].max() == 1.0


def test_paths_without_certificates(data):
    X, _ = data
    for machine in (KernelMatchingPursuitRegressor(4).fit(X, X[:, 0]), SparseKernelPCA(4).fit(X)):
        frame = PursuitPathDisplay.from_estimator(machine).frame()
        assert "certificate" not in frame
        assert frame["is_chosen"].tolist() == [False] * 4 + [True]
        mpl.pyplot.close(PursuitPathDisplay.from_estimator(machine).plot().figure_)


def test_path_needs_a_pursuit(data):
    X, y = data
    with pytest.raises(TypeError, match="must have a pursuit path, got LogisticRegression"):
        PursuitPathDisplay.from_estimator(LogisticRegression().fit(X, y))


def test_centres_in_the_plane(data):
    X, y = data
    machine = KernelMatchingPursuitClassifier(5, stop="size").fit(X, y)
    display = PursuitCentersDisplay.from_estimator(machine, X, y)
    frame = display.frame()
    order = frame["order"].dropna().sort_values().index
    np.testing.assert_array_equal(order, machine.centers_idx_)
    mean, scale = machine.scaling_
    Z = (X - mean) / scale
    assert np.var(frame["first"]) == pytest.approx(np.linalg.eigvalsh(np.cov(Z.T, ddof=0))[-1])
    axes = display.plot().ax_
    assert len(axes.texts) == 5
    mpl.pyplot.close(axes.figure)


def test_centres_of_one_column_and_wrong_data(data):
    X, _ = data
    pca = SparseKernelPCA(4).fit(X[:, :1])
    display = PursuitCentersDisplay.from_estimator(pca, X[:, :1])
    assert np.all(display.points[:, 1] == 0)
    mpl.pyplot.close(display.plot().figure_)
    with pytest.raises(ValueError, match="`X` must be the data the estimator was fitted on"):
        PursuitCentersDisplay.from_estimator(pca, X[:2, :1])
