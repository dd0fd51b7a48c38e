"""The masses of all codes of a machine add up to one at most, whatever it is asked for."""

from __future__ import annotations

import math

import pytest

from handful.bounds import Term
from handful.covering.codes import auto_schemes, fixed_schemes
from handful.covering.cover_settings import read_families
from handful.rules import FAMILIES

RULES = (
    "auto", "stumps", "balls", "half-spaces", "two-point", "linear",
    ["stumps", "balls"], ["linear", "stumps"], ["stumps", "half-spaces", "two-point"],
)  # fmt: skip


def mass(schemes):
    return math.fsum(math.exp(-scheme.nats) for scheme in schemes)


@pytest.mark.parametrize("rules", RULES, ids=str)
@pytest.mark.parametrize("n_samples", [2, 10, 39, 40, 41, 59, 60, 61, 100, 160, 1000, 10**6])
def test_masses_of_the_default_mixture(rules, n_samples):
    family_sets, pool_families = read_families(rules)
    for families in (pool_families, ()):
        for n_features in (1, 1000, 10**6):
            schemes = auto_schemes(n_samples, n_features, family_sets, families)
            assert mass(schemes) <= 1 + 1e-12
            assert all(0 <= s.pool_size <= n_samples for s in schemes)
            assert sum(s.name == "constant" for s in schemes) == 1


@pytest.mark.parametrize("rules", [r for r in RULES if r != "linear"], ids=str)
@pytest.mark.parametrize("pool_size", [None, 2, 50, 10**6])
def test_masses_of_a_fixed_pool(rules, pool_size):
    family_sets, _ = read_families(rules)
    schemes = fixed_schemes(100, family_sets, pool_size)
    assert mass(schemes) == pytest.approx(1.0)
    assert {s.pool_size for s in schemes} == {100 if pool_size is None else min(pool_size, 100)}


def test_each_code_appears_once():
    """Two schemes with the same code would count its mass twice."""
    family_sets, pool_families = read_families("auto")
    for n_samples in (30, 60, 100, 500):
        schemes = auto_schemes(n_samples, 5, family_sets, pool_families)
        keys = [(s.name, s.families, s.pool_size) for s in schemes]
        assert len(keys) == len(set(keys))


def test_a_scheme_itemises_its_price():
    scheme = auto_schemes(100, 5, (("stumps",),), ())[0]
    assert scheme.terms == (Term("code", "which code is used", scheme.nats),)
    assert fixed_schemes(100, (("stumps",),), None)[0].terms == ()


def test_large_tables_are_left_out_by_size_alone():
    schemes = auto_schemes(10**7, 10, (("half-spaces",),), ("stumps",))
    assert [s.pool_size for s in schemes if s.name == "compression"] == [40]
    assert FAMILIES["stumps"].n_directions(40, 7) == 7
    assert FAMILIES["balls"].n_directions(40, 7) == 40
    assert FAMILIES["half-spaces"].n_directions(40, 7) == 21**2
