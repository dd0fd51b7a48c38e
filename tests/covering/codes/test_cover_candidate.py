"""Counting, pricing and choosing candidates."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from handful.bounds import Term, compression_bound, cost_bound
from handful.candidates import Counts, Menu, certified_risks
from handful.covering.codes import CoverCandidate, cover_code, recount
from handful.covering.codes.cover_candidate import counts_of
from handful.models import Condition
from handful.rules import collapse_rows, rule_set


def counts(n_held=2, fp=4, fn=6, n_all=11, n_samples=100):
    """Counts of a candidate among a third of positives; half of the held examples are positive."""
    n_positives, held = n_samples // 3, n_held // 2
    return Counts(
        n_held=n_held,
        n_counted=n_samples - n_held,
        n_errors=fp + fn,
        by_class=((n_samples - n_positives - (n_held - held), fp), (n_positives - held, fn)),
        held_by_class=(n_held - held, held),
        n_errors_all=n_all,
    )


BASE = CoverCandidate(
    scheme="compression",
    family="stumps",
    kind="conjunction",
    penalty=1.0,
    n_rules=1,
    pool_size=100,
    kept=(3, 7),
    code=cover_code(Term("kept", "which", 5.0), Term("message", "message", 2.5)),
    counts=counts(),
    build=lambda: rule_set([], "conjunction"),
)


def test_a_candidate_adds_up():
    assert BASE.nats == 7.5
    assert BASE.n_errors == BASE.counts.n_errors == 10
    assert (BASE.n_false_positives, BASE.n_false_negatives) == (4, 6)
    assert BASE.counts.class_sizes == (67, 33)


def test_risks_are_those_of_the_bounds():
    other = replace(BASE, kept=(), counts=counts(0, fp=0), code=cover_code())
    risks = certified_risks([BASE, other], 0.1)
    options = {"size_nats": 0.0, "which_nats": 0.0, "delta": 0.1}
    assert risks[0] == compression_bound(100, 2, 10, message_nats=7.5, **options).risk
    assert risks[1] == compression_bound(100, 0, 6, **options).risk
    cost = cost_bound(
        100, 2, 4, 6, cost_false_positive=1.0, cost_false_negative=3.0, message_nats=7.5, **options
    )
    (paid,) = certified_risks([BASE], 0.1, costs=(1.0, 3.0))
    assert cost.limit == 3.0
    assert paid == pytest.approx(cost.risk, rel=1e-12)


def test_the_smallest_certificate_wins_and_ties_go_to_the_simpler():
    few, more = replace(BASE, kept=(1,)), replace(BASE, n_rules=2, kept=())
    assert Menu((BASE, more, few), 0.05).best == 2
    better = replace(more, counts=counts(fn=5))
    assert Menu((BASE, better, few), 0.05).best == 1
    assert Menu((BASE, BASE), 0.05).best == 0
    menu = Menu((BASE, more, few), 0.05)
    assert menu.replaced(1, better).best == 1
    assert menu.replaced(1, better).risks.tolist() == Menu((BASE, better, few), 0.05).risks.tolist()
    assert menu.alone(2).candidates == (few,)


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
        found = counts_of(y[kept], predicted, n_wrong, rows.totals)
        assert found.by_class == tuple(
            ((y == k)[outside].sum(), (plain & (y == k))[outside].sum()) for k in (-1, 1)
        )
        assert found.held_by_class == tuple((y[kept] == k).sum() for k in (-1, 1))
        assert found.n_errors == plain[outside].sum()
        assert (found.n_held, found.n_counted, found.n_errors_all) == (7, 33, plain.sum())
    none = np.zeros(0, dtype=int)
    found = counts_of(none, none, {-1: 0, 1: 0}, {-1: 3, 1: 4})
    assert (found.n_counted, found.n_errors, found.n_errors_all) == (7, 0, 0)


def test_recounting_trusts_the_machine():
    X, y = np.arange(4.0)[:, None], np.array([1, 1, -1, -1])
    rows = collapse_rows(X, y)
    machine = rule_set([Condition.on(0, ">", 0.0)], "conjunction")  # wrong on example 1
    first, second = (recount(replace(BASE, kept=(i,)), machine, rows).counts for i in (0, 1))
    assert (first.by_class, first.n_errors_all) == (((2, 0), (1, 1)), 1)
    assert (second.by_class, second.n_errors_all) == (((2, 0), (1, 0)), 1)
