import pytest
from sklearn.linear_model import LogisticRegression

from handful.certified import FORMS, READABLE
from handful.certified.forms import (
    BELIEF,
    SIMPLICITY,
    belief_in,
    simplicity_of,
    wanted_forms,
)


def names(candidates, n_classes=2):
    return [form.name for form in wanted_forms(candidates, n_classes)[0]]


def test_presets():
    assert names("readable") == list(READABLE)
    assert names("all") == list(FORMS)
    assert names("linear") == ["linear"]
    assert wanted_forms("all", 2)[1]
    assert not wanted_forms("readable", 2)[1]


def test_more_classes_leave_out_forms_for_two():
    assert "score card" not in names("readable", 3)
    assert "rule list" in names("readable", 3)
    assert names(["score card"], 3) == ["score card"]  # asked for by name: a row with the reason


def test_classifiers_beside_names():
    assert names([("mine", LogisticRegression()), "score card"]) == ["mine", "score card"]
    assert names([LogisticRegression()]) == ["logisticregression"]


@pytest.mark.parametrize(
    ("candidates", "error", "message"),
    [
        ("tree", ValueError, "must be 'readable', 'all'"),
        ([], ValueError, "one form or more"),
        (["linear", "linear"], ValueError, "each once"),
        ([3], TypeError, "with fit and predict"),
        ([("linear", LogisticRegression())], ValueError, "is the name of a form"),
    ],
)
def test_what_is_refused(candidates, error, message):
    with pytest.raises(error, match=message):
        wanted_forms(candidates, 2)


def test_every_form_has_its_place():
    assert set(FORMS) <= set(SIMPLICITY)
    assert set(BELIEF) <= set(SIMPLICITY)


def test_fewer_numbers_are_believed_more_with_several_classes():
    smooth = ("linear", "additive", "prototypes")
    assert sorted(smooth, key=lambda form: belief_in(form, 3)) == list(smooth)
    assert belief_in("additive", 2) == belief_in("prototypes", 2) < belief_in("linear", 2) < 0.0
    assert belief_in("mine", 2) == belief_in("mine", 5) == 0.0
    assert simplicity_of("mine") > simplicity_of("vote") > simplicity_of("constant")
