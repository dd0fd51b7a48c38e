"""Findings: exact, close, guarded."""

import pytest

from handful.verify.audit import Audit, is_close, is_number


def test_equal_minds_types_and_says_both_values():
    audit = Audit()
    assert audit.equal("n", 3, 3)
    assert not audit.equal("n", 3.0, 3)
    assert not audit.equal("flag", True, 1)
    assert audit.verdict().differences == (
        "n: the file says 3.0, it is 3",
        "flag: the file says True, it is 1",
    )
    assert not audit.verdict().is_valid


def test_nothing_looked_at_is_not_valid():
    assert not Audit().verdict().is_valid


@pytest.mark.parametrize(
    ("value", "is_one"),
    [(1, True), (0.5, True), (True, False), ("1", False), (10**400, False), (1e308, False)],
)
def test_numbers(value, is_one):
    assert is_number(value) == is_one


def test_close_is_relative():
    assert is_close(1e6, 1e6 + 1e-3)
    assert not is_close(1.0, 1.0 + 1e-7)
    assert not Audit().close("x", "1.0", 1.0)


def test_broken_files_become_findings_and_bugs_do_not_hide():
    audit = Audit()
    with audit.guard("there"):
        {}["a"]
    assert "there: the file cannot be read there (KeyError" in audit.verdict().differences[0]
    with pytest.raises(AssertionError), audit.guard("there"):
        raise AssertionError
    audit.trust("this")
    audit.trust("this")
    assert audit.verdict().to_dict()["trusted"] == ["this"]


def test_three_verdicts():
    audit = Audit()
    audit.check("a", True)
    assert audit.verdict().status == "VALID"
    audit.leave("a program was not solved again")
    assert audit.verdict().status == "CONSISTENT, NOT VERIFIED"
    assert audit.verdict().is_consistent
    assert not audit.verdict().is_valid
    audit.check("b", False)
    assert audit.verdict().status == "NOT VALID"


@pytest.mark.parametrize(("value", "is_one"), [(0, True), (9, True), (10, False), (1.0, False)])
def test_counts(value, is_one):
    assert Audit().count("n", value, 0, 9) == is_one
