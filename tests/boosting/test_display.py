"""Margin distributions as frames and plots."""

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.datasets import load_iris

from handful.boosting import AdaBoost, LPBoost, MarginDisplay

mpl.use("Agg")


@pytest.fixture
def fitted():
    X, y = load_iris(return_X_y=True)
    return X, y, AdaBoost(n_rounds=5).fit(X, y), LPBoost(0.3).fit(X[50:], y[50:])


def test_frame_is_the_distribution_function(fitted):
    _, _, ada, lp = fitted
    frame = MarginDisplay.from_estimators(ada=ada, lp=lp).frame()
    assert frame.columns.tolist() == ["machine", "margin", "share"]
    part = frame[frame["machine"] == "lp"]
    np.testing.assert_allclose(part["margin"], np.sort(lp.margins_))
    np.testing.assert_allclose(part["share"], np.arange(1, 101) / 100)
    assert len(frame) == 250


def test_new_examples_give_the_same_margins_as_training_ones(fitted):
    X, y, ada, lp = fitted
    for machine, part in ((ada, slice(None)), (lp, slice(50, None))):
        own = MarginDisplay.from_estimator(machine)
        new = MarginDisplay.from_estimator(machine, X[part], y[part])
        name = type(machine).__name__
        np.testing.assert_allclose(own.margins[name], new.margins[name], atol=1e-12)


def test_plot_draws_one_line_for_each_machine(fitted):
    _, _, ada, lp = fitted
    display = MarginDisplay.from_estimators(ada=ada, lp=lp).plot()
    assert [t.get_text() for t in display.ax_.get_legend().get_texts()] == ["ada", "lp"]
    assert display.figure_ is display.ax_.figure
    mpl.pyplot.close(display.figure_)


def test_nothing_to_show():
    with pytest.raises(ValueError, match="`margins` must hold at least one machine"):
        MarginDisplay({})
