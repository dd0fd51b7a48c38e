"""What the page says agrees with the machine and its certificate."""

import math
from dataclasses import replace

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from handful import BoundSearch, SetCoveringMachine
from handful.bounds import Quantity, compression_bound, held_out_bound
from handful.report.sections import SectionOptions, read_sections
from tests.report.conftest import CASES


@pytest.fixture(params=sorted(CASES))
def case(request, fitted):
    machine, X, y = fitted(request.param)
    return machine, X, np.asarray(y), read_sections(machine, X, y)


@pytest.mark.sample(4)
def test_sentence_and_price_are_the_certificates(case):
    machine, _, _, sections = case
    certificate = getattr(machine, "certificate_", None) or machine.certify()
    assert sections["headline"]["sentence"].endswith(certificate.explain().splitlines()[0])
    rows = sections["price"]["rows"]
    assert [row["name"] for row in rows] == [term.text for term in certificate.terms]
    assert max(float(row["width"]) for row in rows) == 100.0
    if certificate.unit == "nats":
        assert float(sections["price"]["total"]) == pytest.approx(certificate.nats, abs=1e-4)


@pytest.mark.sample(4)
def test_tail_of_the_re_check_is_the_price(case):
    tail = case[3]["recheck"]["tail"]
    if tail is None:
        assert case[0].certify().bound != "compression" or case[0].certify().is_vacuous
        return
    n, k, risk = tail["n"], tail["k"], float(tail["risk"])
    total = math.fsum(math.comb(n, i) * risk**i * (1 - risk) ** (n - i) for i in range(k + 1))
    assert -math.log(total) == pytest.approx(float(tail["nats"]), rel=1e-9)


def test_scale_is_in_order(fitted):
    machine, X, y = fitted("stumps")
    marks = {
        mark["kind"]: float(mark["left"]) for mark in read_sections(machine, X, y)["scale"]["marks"]
    }
    assert marks["seen"] <= marks["risk"]
    assert all(0.0 <= left <= 100.0 for left in marks.values())


def words_of(lines):
    return " ".join(lines).split()


def test_no_line_of_the_rule_ends_at_a_comparison(fitted):
    machine, X, y = fitted("stumps")
    lines = read_sections(machine, X, y)["rule"]
    words = [word for line in lines for word in line["words"]]
    assert not {"<", ">", "≤", "≥"} & set(words)
    assert words_of(words) == words_of(machine.fitted_.sentences())


def test_other_machines_leave_out_what_does_not_apply(fitted):
    sections = read_sections(*fitted("svm"), SectionOptions(include_rows=True))
    assert sections["rule"] is None
    assert sections["path"] is None
    assert sections["plane"] is not None
    assert not sections["recheck"]["has_file"]


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
    held_out = SectionOptions(certificate=held_out_bound(50, 5))
    marks = read_sections(machine, X, y, held_out)["scale"]["marks"]
    assert marks[0]["text"] == "5 of 50 counted"


def test_only_error_rates_are_read_as_errors(fitted):
    """A certificate of something else is not turned into "wrong in 1000"."""
    machine, X, y = fitted("svm")
    certificate = replace(held_out_bound(50, 5), quantity=Quantity("distance"))
    sections = read_sections(machine, X, y, SectionOptions(certificate=certificate))
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
    sections = read_sections(machine, X, y, SectionOptions(include_rows=True))
    assert "x777" in sections["plane"]["names"]
    assert sections["examples"]["columns"] == ["x777"]


def test_a_search_shows_its_best_machine_and_the_certificate_that_pays_for_it(fitted):
    _, X, y = fitted("stumps")
    search = BoundSearch(
        SetCoveringMachine(candidates=20, random_state=0), param_grid={"rules": ["stumps", "balls"]}
    ).fit(X, y)
    sections = read_sections(search, X, y)
    statement = search.certificate_.explain().splitlines()[0]
    assert sections["headline"]["sentence"].endswith(statement)
    assert sections["rule"] is not None


def test_a_given_certificate_is_shown(fitted):
    machine, X, y = fitted("svm")
    certificate = compression_bound(150, 3, 2)
    sections = read_sections(machine, X, y, SectionOptions(certificate=certificate))
    assert sections["recheck"]["tail"]["k"] == 2


def test_a_vacuous_certificate_says_so(fitted):
    machine, X, y = fitted("svm")
    vacuous = SectionOptions(certificate=compression_bound(9, 8, 1))
    headline = read_sections(machine, X, y, vacuous)["headline"]
    assert headline["is_vacuous"]
    assert "says nothing" in headline["sentence"]
    assert not any("1000" in sentence for sentence in headline["meaning"])


@pytest.mark.parametrize(
    ("delta", "words"), [(0.05, "once in 20 times"), (0.03, "in 3 % of the runs")]
)
def test_confidence_in_words(fitted, delta, words):
    machine, X, y = fitted("stumps")
    sections = read_sections(machine, X, y, SectionOptions(certificate=machine.certify(delta)))
    assert words in sections["headline"]["meaning"][0]


def test_other_data_are_refused(fitted):
    machine, X, y = fitted("stumps")
    with pytest.raises(ValueError, match="must be the 150 examples"):
        read_sections(machine, X[:-1], y[:-1])
    with pytest.raises(ValueError, match=r"it made .* errors on them, and makes"):
        read_sections(machine, X, y[::-1])
