"""Learning, ranking and counting: failures are rows, ranks are the oracle's."""

from __future__ import annotations

import math

import numpy as np
import pytest

from handful import CertifiedClassifier
from handful.certified import FORMS, NamedForm, Proposal
from handful.certified.forms import BELIEF, simplicity_of
from handful.certified.learning import learn_all, ranked, standard_error
from handful.models import Constant
from tests.certified.cases import linear_pool, make_pool
from tests.oracles import menu as oracle


def broken(pool):
    raise RuntimeError("out of order")


def test_failures_are_kept_with_their_reason(rng):
    pool = linear_pool(rng, n=60)
    forms = [FORMS["constant"], NamedForm("broken", broken), FORMS["one rule"]]
    for n_jobs in (None, 2):
        made, failures = learn_all(pool, forms, False, n_jobs)
        assert [proposal.form for proposal in made] == ["constant", "one rule"]
        assert [(f.name, f.reason) for f in failures] == [("broken", "RuntimeError: out of order")]


def test_interrupts_are_not_swallowed(rng):
    def interrupted(pool):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        learn_all(linear_pool(rng, n=60), [NamedForm("slow", interrupted)], False, None)


def test_ranks_equal_the_oracle(rng):
    pool = linear_pool(rng, n=100)
    forms = ["linear", "one rule", "constant", "score card", "vote", "additive"]
    made = []
    for form in forms:
        guess = np.where(rng.random(100) < 0.25, 1 - pool.y, pool.y)
        made.append(Proposal(form, Constant(0), guess))
    errors = [float(np.mean(p.guesses != pool.y)) for p in made]
    least = min(errors)
    rate = (least * 100 + 0.5) / 101
    unit = math.sqrt(rate * (1 - rate) / 100)
    keys = [e + BELIEF.get(f, 0.0) * unit for e, f in zip(errors, forms, strict=True)]
    expected = oracle.ranks(keys, [simplicity_of(f) for f in forms])
    found = [c.fitted.form for c in ranked(pool, made, ("a", "b"), np.arange(100))]
    assert [found.index(f) + 1 for f in forms] == expected
    assert standard_error(least, 100) == pytest.approx(unit)
    assert standard_error(0.0, 100) > 0.0


def test_pool_errors_are_means_over_groups():
    groups = np.array([0, 0, 0, 1])
    pool = make_pool(np.arange(4.0)[:, None], np.array([0, 0, 0, 1]), groups=groups)
    made = [Proposal("constant", Constant(0), np.array([0, 0, 0, 0]))]
    (candidate,) = ranked(pool, made, ("a", "b"), np.arange(4))
    assert candidate.pool_error == 0.5


def test_counts_are_those_of_the_rows_outside_the_pool(rng):
    X = rng.normal(size=(200, 3))
    y = (X[:, 0] > 0).astype(int)
    machine = CertifiedClassifier(["constant", "one rule", "linear"]).fit(X, y)
    outside = np.setdiff1d(np.arange(200), machine.held_back_)
    assert len(outside) == 120
    masses = oracle.rank_masses(3)
    for row, candidate in enumerate(machine.candidates_):
        guess = candidate.fitted.labels(X[outside])
        n_errors = int(np.sum(guess != y[outside]))
        assert candidate.counts.n_errors == n_errors
        expected = oracle.certificate(n_errors, 120, masses[candidate.rank - 1], 0.05)
        assert machine.menu_risks_[row] == pytest.approx(expected, rel=1e-9)
