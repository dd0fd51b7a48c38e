"""Displays hold the data they draw."""

import numpy as np
import pytest

from handful import BoundPathDisplay, CertificateDisplay
from handful.bounds import compression_bound


def test_path(fitted):
    machine, _, _ = fitted("stumps")
    display = BoundPathDisplay.from_estimator(machine).plot()
    frame = display.frame()
    assert frame["certificate"].min() == machine.certificate_.risk
    assert frame["is_chosen"].sum() == 1
    assert frame["n_rules"].is_monotonic_increasing
    assert display.ax_.get_xlabel() == "number of rules"
    assert list(display.frame().columns) == list(frame.columns)  # plotting adds no column


def test_path_of_one_class_of_several(fitted):
    machine, _, _ = fitted("three")
    for label in machine.classes_:
        frame = BoundPathDisplay.from_estimator(machine, label=label).frame()
        path = machine.path_[machine.path_["machine"] == label]
        assert frame["certificate"].min() == path["certificate"].min()
        assert frame["is_chosen"].sum() == 1
        best = path.groupby("n_rules")["certificate"].min()
        np.testing.assert_array_equal(frame["certificate"], best)


def test_certificate():
    certificate = compression_bound(615, 3, 15)
    display = CertificateDisplay(certificate).plot()
    assert display.frame()["nats"].sum() == pytest.approx(certificate.nats)
    assert len(display.ax_.patches) == len(certificate.terms)
