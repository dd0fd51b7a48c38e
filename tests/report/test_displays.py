"""Displays hold the data they draw."""

import matplotlib as mpl
import numpy as np
import pytest

from handful import BoundPathDisplay, CertificateDisplay, RulesDisplay, SetCoveringMachine
from handful.bounds import compression_bound
from handful.datasets import make_axis_rules

mpl.use("Agg")


@pytest.fixture(scope="module")
def machine():
    X, y = make_axis_rules(150, random_state=0)
    return SetCoveringMachine(rules="stumps", random_state=0).fit(X, y)


def test_path(machine):
    display = BoundPathDisplay.from_estimator(machine).plot()
    frame = display.frame()
    assert frame["certificate"].min() == machine.certificate_.risk
    assert frame["is_chosen"].sum() == 1
    assert display.ax_.get_xlabel() == "number of rules"


def test_certificate():
    certificate = compression_bound(615, 3, 15)
    display = CertificateDisplay(certificate).plot()
    assert display.frame()["nats"].sum() == pytest.approx(certificate.nats)
    assert len(display.ax_.patches) == len(certificate.terms)


def test_rules(machine):
    display = RulesDisplay.from_estimator(machine).plot()
    assert display.frame()["is_kept"].sum() == len(machine.compression_set_)
    corner = np.tile(np.median(machine._X, axis=0), (1, 1))
    used = {rule.feature for rule in machine.rules_ if hasattr(rule, "feature")}
    assert used <= set(range(corner.shape[1]))
    names = {f"x[{k}]" for k in used}
    assert not names or names & set(display.names)


def test_rules_of_many_classes_are_refused(machine):
    X = machine._X
    many = SetCoveringMachine(rules="stumps", random_state=0).fit(X, np.arange(len(X)) % 3)
    with pytest.raises(ValueError, match="two classes"):
        RulesDisplay.from_estimator(many)
