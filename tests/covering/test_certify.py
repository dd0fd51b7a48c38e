"""Certificates of covers: every bound, every delta, rates by class, what they assume."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from handful import SetCoveringMachine, load_dataset
from handful.bounds import Assumption
from handful.candidates import certify
from handful.covering.cover_fit import BOUND_NAMES
from tests.covering.codes.test_cover_candidate import BASE


def certified(delta=0.05, **options):
    return certify(BASE.code, BASE.counts, delta, **options)


@pytest.fixture(scope="module")
def fit():
    data = load_dataset("haberman-294")
    return SetCoveringMachine("stumps", candidates=None).fit(data.X, data.y).cover_


def _as_if(fit, **changes):
    """The fit, as if its candidates were others."""
    (part,) = fit.parts
    menu = part.menu.changed(lambda candidate: replace(candidate, **changes))
    return replace(fit, parts=(replace(part, menu=menu),))


@pytest.mark.parametrize("delta", [1e-6, 0.05, 0.5, 0.99])
def test_relaxations_are_never_below_the_default(delta):
    values = {bound: certified(delta, bound=bound).risk for bound in BOUND_NAMES}
    assert certified(delta).risk == values["compression"]
    assert values["compression-kl"] >= values["compression"]
    assert values["compression-closed-form"] >= values["compression"]


def test_the_terms_are_those_of_the_candidate():
    certificate = certified()
    assert certificate.terms[:-1] == BASE.terms
    assert certificate.terms[-1].nats == pytest.approx(math.log(20))
    assert certificate.n_compressed == 2
    assert certificate.n_errors == 10
    names = {name for name, _ in certificate.rates}
    assert {"false_positive", "false_negative_given_positive"} <= names


def test_costs_change_the_bound(fit):
    dear = replace(fit, settings=replace(fit.settings, costs=(1.0, 10.0)))
    assert dear.certificate(0.05, "auto").bound == "cost"
    plain = dear.certificate(0.05, "compression")
    assert plain.bound == "compression"
    assert certified(bound="cost").risk >= certified().risk


def test_counts_by_class():
    counts = BASE.counts.class_counts
    assert (counts.n_positives, counts.n_negatives) == (33, 67)
    assert (counts.n_compressed_positives, counts.n_compressed_negatives) == (1, 1)
    assert (counts.n_false_positives, counts.n_false_negatives) == (4, 6)


def test_pools_say_so(fit):
    def notes(made):
        return any("without looking at labels" in n for n in made.certificate(0.05, "auto").notes)

    assert notes(_as_if(fit, scheme="pool"))
    assert not notes(fit)


def test_a_pool_is_an_assumption(fit):
    whole, pooled = (f.certificate(0.05, "auto") for f in (fit, _as_if(fit, pool_size=40)))
    expected = {Assumption("blind-pool"), Assumption("digest")}
    assert set(pooled.assumptions) - set(whole.assumptions) == expected


def test_unknown_bounds_are_refused(fit):
    with pytest.raises(ValueError, match=r"`bound` must be one of 'auto', .* got 'best'"):
        fit.certificate(0.05, "best")
