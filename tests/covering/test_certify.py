"""Certificates of candidates: every bound, every delta, rates by class."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from handful.bounds import Assumption
from handful.covering._certify import BOUND_NAMES, certify_candidate, class_counts
from handful.rules import collapse_rows
from tests.covering.codes.test_candidate import BASE

Y = np.where(np.arange(100) % 3 == 0, 1, -1)
ROWS = collapse_rows(np.arange(100.0)[:, None], Y)
COUNTS = class_counts(BASE, ROWS)


@pytest.mark.parametrize("delta", [1e-6, 0.05, 0.5, 0.99])
def test_relaxations_are_never_below_the_default(delta):
    values = {
        bound: certify_candidate(BASE, COUNTS, delta=delta, bound=bound).risk
        for bound in ("auto", *BOUND_NAMES)
    }
    assert values["auto"] == values["compression"]
    assert values["compression-kl"] >= values["compression"]
    assert values["compression-closed-form"] >= values["compression"]


def test_the_terms_are_those_of_the_candidate():
    certificate = certify_candidate(BASE, COUNTS, delta=0.05)
    assert certificate.terms[:-1] == BASE.terms
    assert certificate.terms[-1].nats == pytest.approx(math.log(20))
    assert certificate.n_compressed == 2
    assert certificate.n_errors == 10
    names = {name for name, _ in certificate.rates}
    assert {"false_positive", "false_negative_given_positive"} <= names


def test_costs_change_the_bound():
    certificate = certify_candidate(BASE, COUNTS, delta=0.05, costs=(1.0, 10.0))
    assert certificate.bound == "cost"
    plain = certify_candidate(BASE, COUNTS, delta=0.05, bound="compression", costs=(1.0, 10.0))
    assert plain.bound == "compression"
    even = certify_candidate(BASE, COUNTS, delta=0.05, bound="cost")
    assert even.risk >= plain.risk


def test_counts_by_class():
    counts = class_counts(replace(BASE, kept=(0, 1, 3)), ROWS)
    assert (counts.n_positives, counts.n_negatives) == (34, 66)
    assert (counts.n_compressed_positives, counts.n_compressed_negatives) == (2, 1)
    assert class_counts(replace(BASE, kept=()), ROWS).n_compressed_positives == 0


def test_pools_say_so():
    certificate = certify_candidate(replace(BASE, scheme="pool"), COUNTS, delta=0.05)
    assert any("without looking at labels" in note for note in certificate.notes)


def test_a_pool_is_an_assumption():
    whole = certify_candidate(BASE, COUNTS, delta=0.05)
    pooled = certify_candidate(replace(BASE, pool_size=40), COUNTS, delta=0.05)
    assert set(pooled.assumptions) - set(whole.assumptions) == {Assumption("blind-pool")}


def test_unknown_bounds_are_refused():
    with pytest.raises(ValueError, match=r"`bound` must be one of 'auto', .* got 'best'"):
        certify_candidate(BASE, COUNTS, delta=0.05, bound="best")
