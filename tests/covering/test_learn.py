"""The choice by certificate, and what may not move it."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from handful.covering.codes import compression_candidates, make_table, pool_candidates, recount
from handful.covering.cover_settings import read_families
from handful.covering.learn import Settings, learn
from handful.kernels import Kernel
from handful.models import RuleList, RuleSet
from handful.rules import (
    FAMILIES,
    Geometry,
    SweepOptions,
    as_list,
    collapse_rows,
    make_projections,
    signs_of,
)
from tests.rules.cases import KINDS, messy

LINEAR = Geometry()


def settings(rules="auto", **changes):
    family_sets, pool_families = read_families(rules)
    values = {
        "family_sets": family_sets, "pool_families": pool_families, "kinds": KINDS,
        "penalties": None, "max_rules": None, "geometries": (LINEAR,), "candidates": "auto",
        "delta": 0.05,
    }  # fmt: skip
    return Settings(**{**values, **changes})


def learnt(X, y, **options):
    return learn(collapse_rows(X, y), settings(**options))[0]


def price_of(found, **wanted):
    """Prices ("which code is used") of the candidates with the given attributes."""
    return {
        {term.kind: term.nats for term in c.terms}.get("code")
        for c in found.menu.candidates
        if all(getattr(c, k) == v for k, v in wanted.items())
    }


@pytest.mark.parametrize("candidates", ["auto", None, 20])
@pytest.mark.parametrize("rules", ["auto", "stumps", ["stumps", "balls"], "two-point"], ids=str)
def test_the_chosen_machine_is_the_counted_one(rules, candidates, rng):
    X, y = messy(rng, "smooth", m=70)
    found = learnt(X, y, rules=rules, candidates=candidates)
    wrong = signs_of(found.machine, X) != y
    outside = np.setdiff1d(np.arange(70), found.chosen.kept)
    assert found.chosen.counts.n_errors_all == wrong.sum()
    assert found.chosen.n_errors == wrong[outside].sum()
    assert (
        found.menu.risks.min() == found.menu.risks[list(found.menu.candidates).index(found.chosen)]
    )


def test_the_machine_counts_where_the_search_was_wrong(monkeypatch, rng):
    """The certificate is about the rebuilt machine, whatever the search thought of it."""
    from handful.covering import learn as _learn

    def flattering(*arguments, **options):
        for candidate in compression_candidates(*arguments, **options):
            by_class = tuple((n, 0) for n, _ in candidate.counts.by_class)
            counts = replace(candidate.counts, n_errors=0, by_class=by_class)
            yield replace(candidate, counts=counts)

    X, y = messy(rng, "smooth", m=40)
    honest = learnt(X, y, rules="stumps", candidates=20)
    monkeypatch.setattr(_learn, "compression_candidates", flattering)
    found = learnt(X, y, rules="stumps", candidates=20)
    assert found.chosen.counts == honest.chosen.counts
    np.testing.assert_array_equal(found.menu.risks.min(), honest.menu.risks.min())


def test_missing_values_move_no_mass(rng):
    """Whether an example has a hole is seen in the data, so no price may depend on it."""
    X, y = messy(rng, "smooth", m=80, n=3)
    holes = X.copy()
    holes[rng.permutation(80)[:1], 1] = math.nan
    for candidates in ("auto", None):
        full = learnt(X, y, candidates=candidates)
        part = learnt(holes, y, candidates=candidates)
        for wanted in ({"family": "stumps", "scheme": "compression"}, {"scheme": "constant"}):
            assert price_of(full, **wanted) == price_of(part, **wanted)
        assert {c.family for c in part.menu.candidates if c.scheme == "compression"} == {"stumps"}
    assert {c.family for c in full.menu.candidates} >= {"stumps", "balls", "half-spaces"}


def test_huge_values_move_no_mass(rng):
    X, y = messy(rng, "smooth", m=80, n=3)
    huge = X.copy()
    huge[3, 0] = 1e200
    full, part = learnt(X, y), learnt(huge, y)
    wanted = {"family": "stumps", "scheme": "compression"}
    assert price_of(full, **wanted) == price_of(part, **wanted)
    assert np.isfinite(part.menu.risks).all()


def test_fixed_pools_pay_for_kinds_kernels_and_families(rng):
    X, y = messy(rng, "smooth", m=30)
    grid = tuple(Geometry(kernel=Kernel("rbf", gamma=g)) for g in (0.1, 1.0, 10.0))
    found = learnt(X, y, candidates=15, geometries=grid)
    for c in found.menu.candidates:
        terms = {term.kind: term.nats for term in c.terms}
        assert terms["code"] == pytest.approx(math.log(4))
        assert terms["logic"] == pytest.approx(math.log(2))
        assert terms["kernel"] == pytest.approx(math.log(3))
    alone = learnt(X, y, candidates=15, rules="stumps", kinds=("conjunction",))
    paid = {term.kind for c in alone.menu.candidates for term in c.terms}
    assert not {"code", "logic", "kernel"} & paid


@pytest.mark.parametrize("kinds", [KINDS, ("list",)])
@pytest.mark.parametrize(
    "rules", ["stumps", "balls", "half-spaces", "two-point", ["stumps", "balls"]], ids=str
)
def test_no_rule_has_the_mass_that_its_code_leaves(rules, kinds, rng):
    X, y = messy(rng, "smooth", m=20)
    found = learnt(X, y, rules=rules, kinds=kinds, candidates=10)
    empty = [c for c in found.menu.candidates if c.n_rules == 0]
    zero_rules = {
        "stumps": 6 / math.pi**2,  # P(r = 0)
        "balls": 3 / (2 * math.pi**2),  # 1 rule, no centre and no border of the kept class
        "half-spaces": 3 / (8 * math.pi**2),  # 2 rules on one pair
        "two-point": 3 / (8 * math.pi**2),
    }
    is_listed = kinds == ("list",) or not isinstance(rules, str)
    mass = 6 / math.pi**2 if is_listed else zero_rules[rules]  # P(d = 0) where rules are listed
    assert {c.kind for c in empty} == set(KINDS)
    assert math.fsum(math.exp(-c.nats) for c in empty) == pytest.approx(mass)


def test_a_fixed_number_of_rules_keeps_whole_paths(rng):
    X, y = messy(rng, "smooth", m=60)
    found = learnt(
        X,
        y,
        rules="stumps",
        candidates=None,
        max_rules=3,
        penalties=(3.0,),
        stop_on_nonpositive=False,
    )
    assert [(c.kind, c.n_rules) for c in found.menu.candidates] == [(kind, 3) for kind in KINDS]


def test_a_list_is_always_a_list(rng):
    X, y = messy(rng, "smooth", m=80)
    found = learnt(X, y, rules="stumps", kinds=("list",))
    assert isinstance(found.machine, RuleList)
    assert isinstance(learnt(X, y, rules="stumps").machine, RuleSet)


def test_small_samples_pay_for_both_constants():
    X, y = np.arange(6.0)[:, None], np.array([1, 1, 1, 1, -1, 1])
    found = learnt(X, y, rules="stumps")
    constants = [c for c in found.menu.candidates if c.scheme == "constant"]
    assert math.fsum(math.exp(-c.nats) for c in constants) == pytest.approx(0.25)
    assert all(c.kept == () for c in constants)


def test_a_constant_is_named_by_examples_that_are_not_counted(rng):
    X = rng.normal(size=(100, 2))
    y = np.where(rng.random(100) < 0.9, 1, -1)
    found = learnt(X, y)
    (constant,) = [c for c in found.menu.candidates if c.scheme == "constant"]
    assert constant.kept == tuple(range(9))
    outside = np.setdiff1d(np.arange(100), constant.kept)
    assert constant.n_errors == (y[outside] < 0).sum()


def test_all_masses_of_a_fit_weigh_at_most_one(rng):
    """Distinct codes among the candidates, certified at once: a lower limit of Kraft's sum."""
    X, y = messy(rng, "smooth", m=90)
    for candidates in ("auto", None, 25):
        found = learnt(X, y, candidates=candidates)
        codes = {
            (c.terms, c.kept, c.kind, c.family, c.counts): c.nats for c in found.menu.candidates
        }
        assert math.fsum(math.exp(-v) for v in codes.values()) <= 1


@pytest.mark.parametrize("kind", ["conjunction", "disjunction", "list"])
def test_the_search_counts_missing_values_as_the_machine_does(kind, rng):
    X = rng.integers(0, 5, size=(120, 3)).astype(float)
    y = np.where((X[:, 0] >= 2) & (X[:, 1] <= 3), 1, -1)
    X[rng.random(X.shape) < 0.08] = math.nan
    rows, pool = collapse_rows(X, y), np.arange(40)
    kinds = ("conjunction", "disjunction") if kind == "list" else (kind,)
    projections = make_projections(rows, pool, ("stumps",))
    found = list(
        pool_candidates(
            rows,
            projections,
            kinds=kinds,
            penalties=(0.7, 1.0),
            max_rules=3,
            is_list=kind == "list",
        )
    )
    if kind != "list":
        table = make_table(FAMILIES["stumps"], rows, pool, LINEAR)
        options = SweepOptions(max_rules=3)
        found += compression_candidates(
            rows, table, pool_size=40, kinds=kinds, penalties=(1.0, 2.0), options=options
        )
    assert len(found) > 1
    for candidate in found:
        machine = candidate.build()
        if kind == "list":
            machine = as_list(machine, candidate.kind)
        assert recount(candidate, machine, rows).counts == candidate.counts


def test_balls_measure_distances_by_what_tells_the_classes_apart(rng):
    """One column of twelve decides: a ball that counts all alike hardly sees it."""
    X = rng.normal(size=(300, 12))
    y = np.where(X[:, 3] + 0.3 * rng.normal(size=300) > 0, 1, -1)
    found = learnt(X, y, rules="balls")
    (ball,) = found.machine.conditions
    weights = X.std(axis=0) / np.array(ball.value.scale)
    assert found.chosen.scheme == "pool"
    assert np.argmax(weights) == 3
    assert np.delete(weights, 3).max() < 0.5 * weights[3]
    assert found.menu.risks.min() < 0.2  # .40 in units of the spread alone
