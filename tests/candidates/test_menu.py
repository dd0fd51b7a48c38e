"""Prices, order, choice and the frame of a menu, against the plainest formulas."""

from __future__ import annotations

import math

import numpy as np
import pytest

from handful.candidates import Code, Counts, Failure, GroupLosses, Menu, certified_risks
from handful.certified import POCKET, READABLE, FormCandidate, Roles
from handful.models import Condition, Constant, Fitted, OrderedRules, Rule
from handful.tables import Column, Columns
from tests.oracles import menu as oracle

COLUMNS = Columns((Column("age"),))
RULE = OrderedRules((Rule((Condition.on(0, ">=", 28.0),), 1),), 0)


FORMS_OF_MENU = ("linear", "one rule", "constant")


def candidate(name, rank, n_errors, n=3, simplicity=0, machine=RULE, losses=None):
    roles = Roles.of(FORMS_OF_MENU[:n])
    groups = None
    if losses is not None:
        groups = GroupLosses(losses, np.zeros(0), n_errors, how="betting")
    return FormCandidate(
        name=name,
        fitted=Fitted(name, COLUMNS, ("well", "ill"), machine),
        code=Code("pool", (roles.term(rank),)),
        counts=Counts(
            n_held=40,
            n_counted=60,
            n_errors=n_errors,
            by_class=((30, n_errors), (30, 0)),
            groups=groups,
        ),
        held_back=np.arange(4),
        rank=rank,
        pool_error=0.1,
        seconds=0.5,
        simplicity=simplicity,
    )


@pytest.fixture
def menu():
    rows = (
        candidate("linear", 1, 6, simplicity=8),
        candidate("rule", 2, 7, simplicity=1),
        candidate("constant", 3, 30, simplicity=0, machine=Constant(0)),
    )
    return Menu(rows, 0.05, (Failure("broken", "ValueError: no"),))


def test_certificates_equal_the_oracle(menu):
    masses = oracle.role_masses(FORMS_OF_MENU)
    expected = [oracle.certificate(k, 60, m, 0.05) for k, m in zip((6, 7, 30), masses, strict=True)]
    np.testing.assert_allclose(menu.risks, expected, rtol=1e-9)
    assert (menu.risks >= np.array(expected) * (1 - 1e-12)).all()
    for row in range(3):
        certificate = menu.certificate(menu[row])
        assert certificate.risk == pytest.approx(menu.risks[menu.order[row]], rel=1e-12)
        assert certificate.nats == pytest.approx(menu[row].nats + math.log(20.0))
        assert certificate.n_compressed == 40


def test_choice_by_simplicity_within_the_tolerance(menu):
    assert [menu[row].name for row in range(3)] == ["linear", "rule", "constant"]
    assert menu[menu.default(0.0)].name == "linear"
    gap = float(menu.risks[1] - menu.risks[0])
    assert menu[menu.default(gap * 1.01)].name == "rule"
    assert menu[menu.default(gap * 0.99)].name == "linear"
    assert menu[menu.default(0.9)].name == "constant"


def test_rows_by_number_and_name(menu):
    assert menu.row_of("rule") == menu.row_of(1) == 1
    with pytest.raises(ValueError, match="'broken' has no certificate: ValueError: no"):
        menu.row_of("broken")
    with pytest.raises(ValueError, match="`choice` must be one of"):
        menu.row_of("tree")
    with pytest.raises(ValueError, match=r"in \[0, 2\], got 3"):
        menu.row_of(3)
    with pytest.raises(TypeError, match="row number or a name"):
        menu.row_of(1.0)


def test_frame_has_a_row_for_every_candidate_and_failure(menu):
    frame = menu.frame()
    assert list(frame.index) == ["linear", "rule", "constant", "broken"]
    assert frame["reason"]["broken"] == "ValueError: no"
    assert frame["uses"]["rule"] == "age"
    assert frame["n_errors"]["rule"] == 7
    assert frame["certificate"]["rule"] == menu.risks[1]


def test_another_confidence(menu):
    at_half, best = certified_risks(menu.candidates, 0.5), menu[0]
    assert (at_half < menu.risks).all()
    assert menu.certificate(best, 0.5).risk == pytest.approx(at_half[0])
    assert menu.certificate(best, n_choices=10).risk > menu.certificate(best).risk


def test_a_certificate_is_computed_once(menu, monkeypatch):
    first = menu.certificate(menu[0])
    monkeypatch.setattr("handful.candidates.menu.certify", None)
    assert menu.certificate(menu[0]) is first
    with pytest.raises(TypeError):
        menu.certificate(menu[0], 0.5)


def test_a_path_marks_the_chosen_candidate(menu):
    path = menu.path(menu[1])
    assert path["name"].tolist() == ["linear", "rule", "constant"]
    assert path["is_chosen"].tolist() == [False, True, False]
    assert path["certificate"].tolist() == menu.risks.tolist()


def test_the_default_among_some_rows(menu):
    assert menu.default(0.0, among=[1, 2]) == 1
    assert menu.default(0.9, among=[0, 1]) == 1


def test_groups_use_the_betting_bound():
    losses = np.full(60, 0.25)
    menu = Menu((candidate("rule", 1, 15, n=1, losses=losses),), 0.05)
    made = menu.certificate(menu[0])
    assert made.bound == "betting"
    assert menu.risks[0] == made.risk < 0.33


ORDERS = [
    ["linear"],
    ["score card"],
    ["linear", "one rule"],
    ["one rule", "linear"],
    ["linear", "additive"],
    ["rule set", "short score card", "linear"],
    ["additive", "linear", "other score card", "rule list", "constant"],
    ["additive"] + ["linear"] * 40,
]


@pytest.mark.parametrize("forms", ORDERS, ids=lambda forms: f"{len(forms)} {forms[0]}")
@pytest.mark.parametrize("is_named", [False, True])
def test_masses_equal_the_oracle_and_sum_to_one(forms, is_named):
    named = len(forms) if is_named else None
    roles = Roles.of(forms, named)
    masses = roles.masses
    np.testing.assert_allclose(masses, oracle.role_masses(forms, named), rtol=1e-13)
    assert masses.sum() <= 1.0 + 1e-12
    for rank, mass in enumerate(masses, start=1):
        assert roles.term(rank).nats == pytest.approx(-math.log(mass), abs=1e-12)


def test_who_plays_which_role():
    roles = Roles.of(["additive", "linear", "score card", "one rule"])
    assert roles.masses[[0, 2]] == pytest.approx([0.6, 0.3])
    assert [roles.term(rank).text for rank in (1, 2, 3, 4)] == [
        "the pool's favourite",
        "rank 2 of 4 in the pool's order",
        "the pool's favourite among pocket forms",
        "rank 4 of 4 in the pool's order",
    ]
    assert Roles.of(["one rule", "score card"]).masses == pytest.approx([0.9, 0.1])
    assert Roles.of(["linear", "one rule"]).masses == pytest.approx([2 / 3, 1 / 3])
    named = Roles.of(["additive", "one rule"], 2)
    assert named.term(2).text == "the favourite that was named beforehand"
    assert set(POCKET) == oracle.POCKET
    assert "constant" not in POCKET
    assert set(POCKET) - {"short score card", "other score card"} <= set(READABLE)
