"""The confusion table agrees with scikit-learn, its limits with the certificate."""

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix

from handful.report.sections import read_sections
from tests.report.conftest import CASES


@pytest.fixture(params=sorted(CASES))
def case(request, fitted):
    machine, X, y = fitted(request.param)
    return machine, X, np.asarray(y), read_sections(machine, X, y)


@pytest.mark.sample(4)
def test_confusion_is_scikit_learns(case):
    machine, X, y, sections = case
    counts = [[cell["n"] for cell in row["cells"]] for row in sections["confusion"]["rows"]]
    np.testing.assert_array_equal(counts, confusion_matrix(y, machine.predict(X)))


@pytest.mark.sample(3)
def test_counted_examples_are_those_not_held_back(case):
    machine, X, y, sections = case
    outside = np.ones(len(y), dtype=bool)
    outside[getattr(machine, "held_back_", machine.compression_set_)] = False
    counts = [[cell["counted"] for cell in row["cells"]] for row in sections["confusion"]["rows"]]
    n_classes = len(machine.classes_)
    expected = np.zeros((n_classes, n_classes))  # of votes, which are made of all examples
    if outside.any():
        said = machine.predict(X)[outside]
        expected = confusion_matrix(y[outside], said, labels=machine.classes_)
    np.testing.assert_array_equal(counts, expected)


@pytest.mark.parametrize("name", ["stumps", "costs"])
def test_class_limits_are_certified_rates(fitted, name):
    machine, X, y = fitted(name)
    rates = machine.certify(bound="compression").rates
    confusion = read_sections(machine, X, y)["confusion"]
    shown = [float(row["limit"].removesuffix(" %")) / 100 for row in confusion["rows"]]
    exact = [
        dict(rates)["false_positive_given_negative"],
        dict(rates)["false_negative_given_positive"],
    ]
    for value, truth in zip(shown, exact, strict=True):
        assert truth <= value + 1e-12
        assert value <= truth * 1.01 + 1e-4
    assert len(confusion["joint"]) == 2
    assert str(machine.classes_[0]) in confusion["joint"][0]


def test_classes_in_an_order_of_their_own():
    """The counts of a class stand in its own row, whatever the alphabet says."""
    from handful.report.training_rows import count_pairs

    classes = np.array(["well", "ill"], dtype=object)
    labels = np.array(["well", "well", "ill"], dtype=object)
    predicted = np.array(["well", "ill", "ill"], dtype=object)
    assert count_pairs(classes, labels, predicted).tolist() == [[1, 1], [0, 1]]
