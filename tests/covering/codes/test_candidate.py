"""Counting, pricing and choosing candidates."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from handful.bounds import Term, compression_bound, cost_bound
from handful.covering.codes.candidate import (
    Candidate,
    best_candidate,
    certified_risks,
    count_errors,
    log_choices,
    recount,
)
from handful.models import Condition
from handful.rules import collapse_rows, rule_set

BASE = Candidate(
    scheme="compression", family="stumps", kind="conjunction", penalty=1.0, n_rules=1,
    pool_size=100, kept=(3, 7), n_false_positives=4,
    terms=(Term("kept", "which", 5.0), Term("message", "message", 2.5)), n_false_negatives=6,
    n_training_errors=11, build=lambda: rule_set([], "conjunction"),
)  # fmt: skip


def test_a_candidate_adds_up():
    assert BASE.nats == 7.5
    assert BASE.n_errors == 10
    assert BASE.counts == (4, 6, 11)


def test_risks_are_those_of_the_bounds():
    other = replace(BASE, kept=(), n_false_positives=0, terms=())
    risks = certified_risks([BASE, other], 100, 0.1)
    options = {"size_nats": 0.0, "which_nats": 0.0, "delta": 0.1}
    assert risks[0] == compression_bound(100, 2, 10, message_nats=7.5, **options).risk
    assert risks[1] == compression_bound(100, 0, 6, **options).risk
    cost = cost_bound(
        100, 2, 4, 6, cost_false_positive=1.0, cost_false_negative=3.0, message_nats=7.5, **options
    )
    (paid,) = certified_risks([BASE], 100, 0.1, costs=(1.0, 3.0))
    assert cost.limit == 3.0
    assert paid == pytest.approx(cost.risk, rel=1e-12)


def test_the_smallest_certificate_wins_and_ties_go_to_the_simpler():
    few = replace(BASE, kept=(1,))
    more = replace(BASE, n_rules=2, kept=())
    assert best_candidate([BASE, more, few], np.array([0.3, 0.3, 0.3])) == 2
    assert best_candidate([BASE, more, few], np.array([0.3, 0.2, 0.3])) == 1
    assert best_candidate([BASE, BASE], np.array([0.3, 0.3])) == 0


def test_errors_are_counted_outside_the_kept_examples(rng):
    X = rng.integers(0, 2, (40, 2)).astype(float)
    y = np.where(rng.random(40) < 0.5, 1, -1)
    rows = collapse_rows(X, y)
    assert len(rows.y) <= 8
    for _ in range(20):
        wrong = rng.random(len(rows.y)) < 0.5
        kept = rng.permutation(40)[:7]
        plain = wrong[rows.row_of]
        outside = np.setdiff1d(np.arange(40), kept)
        n_wrong = {label: int((plain & (y == label)).sum()) for label in (-1, 1)}
        predicted = np.where(plain, -y, y)[kept]
        assert count_errors(y[kept], predicted, n_wrong) == (
            (plain & (y < 0))[outside].sum(),
            (plain & (y > 0))[outside].sum(),
            plain.sum(),
        )
    none = np.zeros(0, dtype=int)
    assert count_errors(none, none, {-1: 0, 1: 0}) == (0, 0, 0)


def test_recounting_trusts_the_machine():
    X, y = np.arange(4.0)[:, None], np.array([1, 1, -1, -1])
    rows = collapse_rows(X, y)
    machine = rule_set([Condition.on(0, ">", 0.0)], "conjunction")  # wrong on example 1
    counted = recount(replace(BASE, kept=(0,)), machine, rows)
    assert counted.counts == (0, 1, 1)
    assert recount(replace(BASE, kept=(1,)), machine, rows).counts == (0, 0, 1)


def test_naming_examples():
    assert log_choices(615, 3) == pytest.approx(math.log(math.comb(615, 3)))
    assert log_choices(5, 0) == 0.0
