"""The filtering curve."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import make_moons

from handful.conformal import FilteringDisplay, NonconformityClassifier
from tests.oracles import conformity

mpl.use("Agg")


@given(st.lists(st.tuples(st.integers(0, 4), st.booleans()), min_size=1, max_size=20))
def test_curve_matches_the_oracle(cases):
    doubt, is_error = zip(*cases, strict=True)
    display = FilteringDisplay.from_predictions(doubt, is_error)
    want = conformity.filtering_curve(doubt, is_error)
    assert list(zip(display.thresholds, display.errors, strict=True)) == want
    assert display.accepted[-1] == 1.0
    assert display.errors[-1] == pytest.approx(np.mean(is_error))


def test_the_curve_may_fall():
    """The paper says it is monotone; it need not be."""
    display = FilteringDisplay.from_predictions([0.0, 0.1], [True, False])
    assert display.errors.tolist() == [1.0, 0.5]


def test_from_estimator_with_and_without_certificates():
    X, y = make_moons(300, noise=0.3, random_state=0)
    grid = {"gamma": [0.1, 1.0], "C": [1.0, 10.0]}
    machine = NonconformityClassifier(param_grid=grid, random_state=0).fit(X[:200], y[:200])
    assert FilteringDisplay.from_estimator(machine, X[200:], y[200:]).certified is None
    machine.set_params(calibration_size=80).fit(X[:200], y[:200])
    display = FilteringDisplay.from_estimator(machine, X[200:], y[200:])
    assert display.certified.shape == display.thresholds.shape
    assert display.frame().columns.tolist() == ["threshold", "error", "accepted", "certified"]
    display.plot()
    assert display.ax_.get_ylabel() == "error among accepted cases"
    again = FilteringDisplay.from_predictions([0.0], [False])
    assert again.plot(display.ax_).ax_ is display.ax_


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="must be vectors of equal length above 0"):
        FilteringDisplay.from_predictions([], [])
    with pytest.raises(ValueError, match="must be vectors of equal length above 0"):
        FilteringDisplay.from_predictions([1.0, 2.0], [True])
