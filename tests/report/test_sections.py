"""What the page says agrees with the machine and its certificate."""

import math
from dataclasses import replace

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.metrics import confusion_matrix

from handful import BoundSearch, SetCoveringMachine
from handful.bounds import compression_bound, held_out_bound
from handful.report._sections import read_sections
from tests.report.conftest import CASES


@pytest.fixture(params=sorted(CASES))
def case(request, fitted):
    machine, X, y = fitted(request.param)
    return machine, X, np.asarray(y), read_sections(machine, X, y)


def test_confusion_is_scikit_learns(case):
    machine, X, y, sections = case
    counts = [[cell["n"] for cell in row["cells"]] for row in sections["confusion"]["rows"]]
    np.testing.assert_array_equal(counts, confusion_matrix(y, machine.predict(X)))


def test_counted_examples_are_those_outside_the_compression_set(case):
    machine, X, y, sections = case
    outside = np.ones(len(y), dtype=bool)
    outside[getattr(machine, "compression_set_", [])] = False
    counts = [[cell["counted"] for cell in row["cells"]] for row in sections["confusion"]["rows"]]
    expected = confusion_matrix(y[outside], machine.predict(X)[outside], labels=machine.classes_)
    np.testing.assert_array_equal(counts, expected)


def test_sentence_and_price_are_the_certificates(case):
    machine, _, _, sections = case
    certificate = getattr(machine, "certificate_", None) or machine.certify()
    assert sections["headline"]["sentence"] == certificate.explain().splitlines()[0]
    rows = sections["price"]["rows"]
    assert [row["name"] for row in rows] == [name for name, _ in certificate.terms]
    assert max(float(row["width"]) for row in rows) == 100.0
    if certificate.unit == "nats":
        assert float(sections["price"]["total"]) == pytest.approx(certificate.nats, abs=1e-4)


def test_tail_of_the_re_check_is_the_price(case):
    tail = case[3]["recheck"]["tail"]
    if tail is None:
        assert case[0].certify().bound != "compression" or case[0].certify().is_vacuous
        return
    n, k, risk = tail["n"], tail["k"], float(tail["risk"])
    total = math.fsum(math.comb(n, i) * risk**i * (1 - risk) ** (n - i) for i in range(k + 1))
    assert -math.log(total) == pytest.approx(float(tail["nats"]), rel=1e-9)


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


def test_scale_is_in_order(fitted):
    machine, X, y = fitted("stumps")
    marks = {
        mark["kind"]: float(mark["left"]) for mark in read_sections(machine, X, y)["scale"]["marks"]
    }
    assert marks["seen"] <= marks["risk"]
    assert all(0.0 <= left <= 100.0 for left in marks.values())


def test_no_line_of_the_rule_ends_at_a_comparison(fitted):
    machine, X, y = fitted("stumps")
    lines = read_sections(machine, X, y)["rule"]
    words = [word for line in lines for word in line["words"]]
    assert not {"<", ">", "≤", "≥"} & set(words)
    text = machine.explain().split("\n\n")[0]
    assert " ".join(words) == " ".join(text.split())
    assert lines[1]["indent"] > 0


def test_path_marks_the_chosen_candidate(fitted):
    machine, X, y = fitted("pool")
    rows = read_sections(machine, X, y)["path"]["rows"]
    chosen = [row for row in rows if row["is_chosen"]]
    assert len(chosen) == 1
    assert float(chosen[0]["certificate"]) == pytest.approx(machine.certificate_.risk, abs=1e-4)


@pytest.mark.parametrize("name", ["stumps", "list", "costs", "pool", "three"])
def test_the_chosen_candidate_has_the_smallest_value(fitted, name):
    """What the page says of the path."""
    path = fitted(name)[0].path_
    chosen = path[path["is_chosen"]].groupby("machine")["certificate"].min()
    assert (chosen == path.groupby("machine")["certificate"].min()).all()


def test_numbers_are_never_rounded_down(fitted):
    machine, X, y = fitted("stumps")
    path = read_sections(machine, X, y)["path"]
    exact = sorted(machine.path_.groupby("n_rules")["certificate"].min())
    shown = sorted(float(row["certificate"]) for row in path["rows"])
    assert shown[0] >= exact[0] - 1e-12
    assert f"at most {shown[0]:.4f}" in path["pictures"][0]["title"]


def test_other_machines_leave_out_what_does_not_apply(fitted):
    sections = read_sections(*fitted("svm"))
    assert sections["rule"] is None
    assert sections["path"] is None
    assert sections["plane"] is not None
    assert not sections["recheck"]["has_file"]


def test_other_families_show_their_own_displays(fitted):
    assert "Margins" in read_sections(*fitted("boosting"))["pictures"][0]["title"]
    assert "path" in read_sections(*fitted("pursuit"))["pictures"][0]["title"]
    for name in ("svm", "stumps"):
        assert read_sections(*fitted(name))["pictures"] == []


def test_rules_of_a_vote_are_listed_by_weight(fitted):
    machine, X, y = fitted("boosting")
    rules = read_sections(machine, X, y)["rules"]
    weights = [abs(float(row[-1]["number"])) for row in rules["rows"]]
    assert len(weights) == len(machine.get_rules())
    assert weights == sorted(weights, reverse=True)


def test_errors_are_called_counted_only_where_they_are(fitted):
    for name, is_counted in (("stumps", True), ("svm", False), ("boosting", False)):
        sections = read_sections(*fitted(name))
        assert sections["confusion"]["has_counted"] is is_counted
        kinds = [mark["kind"] for mark in (sections["scale"] or {"marks": []})["marks"]]
        assert ("seen" in kinds) is is_counted
    machine, X, y = fitted("svm")
    marks = read_sections(machine, X, y, certificate=held_out_bound(50, 5))["scale"]["marks"]
    assert marks[0]["text"] == "5 of 50 counted"


def test_only_error_rates_are_read_as_errors(fitted):
    """A certificate of something else is not turned into "wrong in 1000"."""
    machine, X, y = fitted("svm")
    certificate = replace(held_out_bound(50, 5), quantity="the expected distance of a new case")
    sections = read_sections(machine, X, y, certificate=certificate)
    assert len(sections["headline"]["meaning"]) == 1
    assert sections["scale"] is None


def test_an_unfitted_machine_is_refused(fitted):
    _, X, y = fitted("stumps")
    with pytest.raises(NotFittedError):
        read_sections(SetCoveringMachine(), X, y)


def test_wide_data_stay_cheap(rng):
    X = rng.normal(size=(40, 20_000))
    y = X[:, 777] > 0
    machine = SetCoveringMachine(rules="stumps", candidates=None, max_rules=1).fit(X, y)
    sections = read_sections(machine, X, y)
    assert "x[777]" in sections["plane"]["names"]
    assert sections["examples"]["n_hidden_columns"] == 20_000 - 12


def test_a_constant_has_no_picture(rng):
    X, y = rng.normal(size=(40, 2)), rng.permutation(np.repeat([0, 1], [36, 4]))
    machine = SetCoveringMachine(rules="stumps", random_state=0).fit(X, y)
    assert machine.rules_ == ()
    sections = read_sections(machine, X, y)
    assert sections["plane"] is None
    assert "Always predict" in " ".join(sections["rule"][0]["words"])


def test_a_search_shows_its_best_machine_and_the_certificate_that_pays_for_it(fitted):
    _, X, y = fitted("stumps")
    search = BoundSearch(
        SetCoveringMachine(candidates=20, random_state=0), {"rules": ["stumps", "balls"]}
    ).fit(X, y)
    sections = read_sections(search, X, y)
    assert sections["headline"]["sentence"] == search.best_certificate_.explain().splitlines()[0]
    assert sections["rule"] is not None


def test_a_given_certificate_is_shown(fitted):
    machine, X, y = fitted("svm")
    certificate = compression_bound(150, 3, 2)
    assert read_sections(machine, X, y, certificate=certificate)["recheck"]["tail"]["k"] == 2


def test_a_vacuous_certificate_says_so(fitted):
    machine, X, y = fitted("svm")
    headline = read_sections(machine, X, y, certificate=compression_bound(9, 8, 1))["headline"]
    assert headline["is_vacuous"]
    assert "says nothing" in headline["sentence"]
    assert not any("1000" in sentence for sentence in headline["meaning"])


@pytest.mark.parametrize(
    ("delta", "words"), [(0.05, "once in 20 times"), (0.03, "in 3 % of the runs")]
)
def test_confidence_in_words(fitted, delta, words):
    machine, X, y = fitted("stumps")
    sections = read_sections(machine, X, y, certificate=machine.certify(delta))
    assert words in sections["headline"]["meaning"][0]


def test_other_data_are_refused(fitted):
    machine, X, y = fitted("stumps")
    with pytest.raises(ValueError, match="must be the 150 examples"):
        read_sections(machine, X[:-1], y[:-1])
    with pytest.raises(ValueError, match=r"it made .* errors on them, and makes"):
        read_sections(machine, X, y[::-1])
