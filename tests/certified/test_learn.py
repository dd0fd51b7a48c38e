"""Learning, ranking and counting: failures are rows, ranks are the oracle's."""

from __future__ import annotations

import math

import numpy as np
import pytest

from handful import CertifiedClassifier
from handful.certified import FORMS, NamedForm, Proposal
from handful.certified.forms import BELIEF, simplicity_of
from handful.certified.learning import learn_all, ranked, standard_error
from handful.models import Condition, Constant, OrderedRules, Rule
from tests.certified.cases import linear_pool, make_pool
from tests.oracles import menu as oracle


def cut_at(value, name=0):
    """The second class from this value of the first column on."""
    return OrderedRules((Rule((Condition.on(name, ">=", float(value)),), 1),), 0)


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
        made.append(Proposal(form, cut_at(np.quantile(pool.X[:, 0], len(made) / 6)), guess))
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
    assert len(outside) == 100
    masses = oracle.role_masses(machine.order_)
    for row, candidate in enumerate(machine.candidates_):
        guess = candidate.fitted.labels(X[outside])
        n_errors = int(np.sum(guess != y[outside]))
        assert candidate.counts.n_errors == n_errors
        expected = oracle.certificate(n_errors, 100, masses[candidate.rank - 1], 0.05)
        assert machine.menu_risks_[row] == pytest.approx(expected, rel=1e-9)


def equals(pool, errors, favourite=None):
    """Ranked proposals: three forms that are one machine, and one of its own."""
    forms = ["additive", "score card", "rule list", "linear"]
    machines = [cut_at(0.0)] * 3 + [cut_at(1.0)]
    made = []
    for form, machine, n_wrong in zip(forms, machines, errors, strict=True):
        guess = pool.y.copy()
        guess[:n_wrong] = 1 - guess[:n_wrong]
        made.append(Proposal(form, machine, guess, wanted=form))
    return ranked(pool, made, ("a", "b"), np.arange(100), favourite)


def test_forms_with_equal_labels_are_one_row(rng):
    pool = linear_pool(rng, n=100)
    rows = equals(pool, [10, 11, 12, 30])
    assert [row.name for row in rows] == ["rule list", "linear"]  # the simplest, at the best rank
    assert [row.rank for row in rows] == [1, 2]
    assert rows[0].nats == pytest.approx(-math.log(0.9))
    assert rows[0].also == ("additive", "score card")
    assert rows[0].equals_in_words() == "additive, score card: give the same labels as rule list."
    assert rows[1].equals_in_words() == ""


def test_forms_that_agree_on_the_pool_alone_stay_apart():
    """Two rules on columns that are one in the pool: its cells in other rows tell them apart."""
    X = np.repeat(np.arange(40.0)[:, None], 2, axis=1)
    pool = make_pool(X, (X[:, 0] > 20).astype(int))
    made = [
        Proposal("one rule", cut_at(20.5, 0), pool.y),
        Proposal("rule set", cut_at(20.5, 1), pool.y),
        Proposal("rule list", cut_at(20.4, 0), pool.y),
    ]
    rows = ranked(pool, made, ("a", "b"), np.arange(40))
    assert [(row.name, row.also) for row in rows] == [
        ("one rule", ("rule list",)),
        ("rule set", ()),
    ]


def test_a_favourite_named_beforehand_stands_for_its_equals(rng):
    pool = linear_pool(rng, n=100)
    rows = equals(pool, [10, 30, 12, 30], favourite="score card")
    assert [row.name for row in rows] == ["score card", "linear"]
    assert rows[0].code.terms[0].text == "the favourite that was named beforehand"
    rows = equals(pool, [10, 11, 12, 30], favourite="linear")
    assert [row.nats for row in rows] == pytest.approx([-math.log(0.1), -math.log(0.9)])
    rows = equals(pool, [10, 11, 12, 30], favourite="balls")  # it failed on the pool
    assert rows[0].code.terms[0].text == "the pool's favourite"


def test_the_favourite_must_be_a_candidate():
    X, y = np.arange(40.0)[:, None], np.arange(40) % 2
    with pytest.raises(ValueError, match="`favourite` must be one of the candidates, one rule, li"):
        CertifiedClassifier(["one rule", "linear"], favourite="score card").fit(X, y)


def test_a_favourite_pays_little_and_the_pool_does_not_change(rng):
    X = rng.normal(size=(300, 3))
    y = (X[:, 0] + X[:, 1] + rng.normal(size=300) > 0).astype(int)
    forms = ["constant", "one rule", "score card", "linear"]
    usual = CertifiedClassifier(forms).fit(X, y)
    named = CertifiedClassifier(forms, favourite="score card").fit(X, y)
    assert named.order_ == usual.order_
    best = next(name for name in named.order_ if "score card" in name)
    row = next(c for c in named.candidates_ if c.fitted.form == best)
    assert row.nats == pytest.approx(-math.log(0.9))
    masses = oracle.role_masses(named.order_, named.order_.index(best) + 1)
    for candidate in named.candidates_:
        assert math.exp(-candidate.nats) == pytest.approx(masses[candidate.rank - 1])
    said = "the forms and the favourite were named before any certificate was seen"
    assert said in named.explain()
