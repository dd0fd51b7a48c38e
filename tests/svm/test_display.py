"""The display of criteria."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

from handful.svm import CriteriaDisplay, KernelGeometry, MachineGeometry, code_3, fit_svm_grid
from handful.svm.criteria import criteria_table
from tests.oracles import svm as oracle

mpl.use("Agg")


@pytest.fixture(scope="module")
def grid():
    X, y = oracle.paper_data()
    options = {"fit_intercept": False, "center": True}
    return fit_svm_grid(X, y, gammas=[0.5, 2.0], Cs=[1.0, 10.0, 100.0], **options)


def test_along_each_axis(grid):
    table = criteria_table(grid, names=["c2"])
    widths = CriteriaDisplay.from_grid(grid, along="gamma", at=1, names=["c2"])
    assert widths.frame()["gamma"].tolist() == [0.5, 2.0]
    assert widths.curves["c2"].tolist() == table["c2"].iloc[[1, 4]].tolist()
    penalties = CriteriaDisplay.from_grid(grid, along="C", at=1, names=["c2"])
    assert penalties.curves["c2"].tolist() == table["c2"].iloc[3:].tolist()


def test_test_error(grid):
    X, y = oracle.paper_data()
    display = CriteriaDisplay.from_grid(grid, along="C", names=["span"], X_test=X, y_test=y)
    expected = [np.mean(model.margins <= 0) for model in grid.models[:3]]
    assert display.curves["test error"].tolist() == pytest.approx(expected)


def test_parts_add_up(grid):
    display = CriteriaDisplay.from_parts(grid, code="c3", at=1)
    points = KernelGeometry(grid.kernel_matrix(1))
    totals = [code_3(MachineGeometry(model, points)).total / 20 for model in grid.models[3:]]
    np.testing.assert_allclose(sum(display.curves.values()), totals)


def test_plot(grid):
    display = CriteriaDisplay.from_grid(grid, along="C", names=["c2", "sparse-margin"])
    display.curves["sparse-margin"] = np.array([np.inf, 1.0, 2.0])
    ax = display.plot(normalise=True).ax_
    assert [line.get_label() for line in ax.lines] == ["c2", "sparse-margin"]
    assert ax.lines[0].get_ydata().max() == 1.0
    assert np.isnan(ax.lines[1].get_ydata()[0])
    assert display.plot(ax).ax_ is ax


def test_from_frame():
    display = CriteriaDisplay.from_frame(pd.DataFrame({"C": [1.0, 2.0], "a": [3.0, 4.0]}))
    assert display.x_label == "C"
    assert display.frame()["a"].tolist() == [3.0, 4.0]


def test_bad_arguments(grid):
    with pytest.raises(ValueError, match="`along` must be 'gamma' or 'C'"):
        CriteriaDisplay.from_grid(grid, along="sigma")
    with pytest.raises(ValueError, match="`at` must be an index"):
        CriteriaDisplay.from_grid(grid, along="C", at=2)
    with pytest.raises(ValueError, match="`code` must be one of"):
        CriteriaDisplay.from_parts(grid, code="c6")
    with pytest.raises(ValueError, match="must have 2 values each, got 1 for 'a'"):
        CriteriaDisplay([1, 2], {"a": [1]})
