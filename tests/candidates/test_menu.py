"""Prices, order, choice and the frame of a menu, against the plainest formulas."""

from __future__ import annotations

import math

import numpy as np
import pytest

from handful.bounds import Term
from handful.candidates import Code, Counts, Failure, GroupLosses, Menu, certified_risks
from handful.certified import FormCandidate, rank_masses
from handful.models import Condition, Constant, Fitted, OrderedRules, Rule
from handful.tables import Column, Columns
from tests.oracles import menu as oracle

COLUMNS = Columns((Column("age"),))
RULE = OrderedRules((Rule((Condition.on(0, ">=", 28.0),), 1),), 0)


def candidate(name, rank, n_errors, n=3, simplicity=0, machine=RULE, losses=None):
    mass = float(rank_masses(n)[rank - 1])
    groups = None
    if losses is not None:
        groups = GroupLosses(losses, np.zeros(0), n_errors, how="betting")
    return FormCandidate(
        name=name,
        fitted=Fitted(name, COLUMNS, ("well", "ill"), machine),
        code=Code("pool", (Term("rank", f"rank {rank} of {n}", -math.log(mass)),)),
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
    masses = oracle.rank_masses(3)
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


@pytest.mark.parametrize("n", [1, 2, 3, 12, 40])
def test_masses_equal_the_oracle_and_sum_to_one(n):
    masses = rank_masses(n)
    np.testing.assert_allclose(masses, oracle.rank_masses(n), rtol=1e-13)
    assert masses.sum() <= 1.0 + 1e-12
    assert masses[0] == (0.95 if n > 1 else 1.0)
    assert (np.diff(masses) <= 0).all()
