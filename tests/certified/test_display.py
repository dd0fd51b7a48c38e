import matplotlib as mpl
import numpy as np

from handful import CertifiedClassifier, MenuDisplay, load_dataset

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
