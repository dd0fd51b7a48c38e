import matplotlib as mpl
import numpy as np
import pytest

from handful import AdditiveDisplay, CertifiedClassifier, MenuDisplay, load_dataset

mpl.use("Agg")


def test_certificates_stand_above_estimates_by_simplicity():
    data = load_dataset("haberman-294")
    machine = CertifiedClassifier(["linear", "constant", "one rule", "adaboost"])
    machine.fit(data.X, data.y)
    display = MenuDisplay.from_estimator(machine)
    frame = display.frame()
    assert frame["name"].tolist() == ["constant", "one rule", "linear", "adaboost"]
    assert frame["is_readable"].tolist() == [True, True, True, False]
    assert frame["is_chosen"].sum() == 1
    np.testing.assert_allclose(
        frame["certificate"], machine.menu_["certificate"].loc[frame["name"]].astype(float)
    )
    display.plot()
    assert [t.get_text() for t in display.ax_.get_xticklabels()] == frame["name"].tolist()
    labels = [t.get_text() for t in display.ax_.get_legend().get_texts()]
    assert "estimate from the pool" in labels


def _additive(y, columns=None):
    X, _ = load_dataset("haberman-294").named()
    if columns is not None:
        X = X.assign(**columns)
    return X, CertifiedClassifier(["constant", "additive"]).fit(X, y).choose("additive")


def test_curves_are_drawn_as_they_are_evaluated():
    _, y = load_dataset("haberman-294").named()
    X, machine = _additive(y, {"ward": np.where(np.arange(294) % 3 == 0, "north", "south")})
    display = AdditiveDisplay.from_estimator(machine)
    frame = display.frame()
    assert set(frame["label"]) == {str(machine.classes_[1])}
    rows = X.iloc[:40]
    score = np.full(len(rows), machine.fitted_.machine.intercepts[0])
    for name, steps in frame.groupby("feature"):
        column, _, word = name.partition(" = ")
        values = (rows[column] == word).astype(float) if word else rows[column]
        for step in steps.to_dict("records"):
            score += step["points"] * ((values >= step["from"]) & (values < step["below"]))
    np.testing.assert_array_equal(score, machine.decision_function(rows))
    display.plot()
    assert len(display.axes_) == frame["feature"].nunique()
    heights = [step.get_data().values for step in display.axes_[0].patches]
    first = frame[frame["feature"] == frame["feature"].iloc[0]]
    np.testing.assert_array_equal(heights[0], first["points"])


def test_several_classes_have_a_curve_each():
    _, y = load_dataset("haberman-294").named()
    _X, machine = _additive(np.where(np.arange(294) % 2, y, "other"))
    display = AdditiveDisplay.from_estimator(machine).plot()
    assert set(display.frame()["label"]) == set(machine.classes_)
    assert all(len(ax.patches) == 3 for ax in display.axes_)


def test_only_additive_rows_have_curves():
    with pytest.raises(TypeError, match=r"Call choose\('additive'\) first"):
        AdditiveDisplay.from_estimator(
            _additive(load_dataset("haberman-294").y)[1].choose("constant")
        )
