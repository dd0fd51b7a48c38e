"""Margin bounds: printed constants, formulas, and what holds uniformly."""

from __future__ import annotations

import itertools
import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handful.bounds import (
    Criterion,
    adaboost_training_bound,
    finite_class_rademacher,
    margin_distribution_bound,
    multiple_kernel_bound,
    rademacher_margin_bound,
)
from tests.oracles import bounds as oracle


def is_outward(certificate, exact):
    exact = min(mp.mpf(1), exact)
    return exact <= mp.mpf(certificate.risk) <= exact * (1 + mp.mpf("1e-9"))


def test_printed_complexity_and_margin_bound():
    complexity = finite_class_rademacher(100, 1000)
    assert complexity == pytest.approx(0.191941036, abs=1e-9)
    certificate = rademacher_margin_bound(1000, 0.12, complexity, scale=4.0)
    terms = [term.nats for term in certificate.terms]
    assert terms == pytest.approx([0.12, 0.767764146, 0.038702276], abs=1e-9)
    assert certificate.risk == pytest.approx(0.926466422, abs=1e-9)
    assert certificate.unit == "risk"


def test_printed_multiple_kernels():
    certificate = multiple_kernel_bound(1000, 50, 0.1, 1000.0, 1.2)
    terms = [term.nats for term in certificate.terms]
    assert terms == pytest.approx([0.012, 0.632455532, 4.938244251, 0.140424784], abs=1e-8)
    assert sum(terms) == pytest.approx(5.723124566, abs=1e-8)
    assert certificate.is_vacuous
    assert certificate.risk == 1.0


def test_printed_adaboost():
    criterion = adaboost_training_bound([0.3, 0.21428571428571427, 0.18181818181818182])
    assert isinstance(criterion, Criterion)
    factors = [term.nats for term in criterion.terms]
    assert factors == pytest.approx([0.91651514, 0.82065181, 0.77138922], abs=1e-8)
    assert criterion.value == pytest.approx(0.58019253, abs=1e-8)


def test_adaboost_bounds_its_training_error():
    """Three rounds on ten points: the product is the mean of exp(-y f), above the error 0."""
    x = np.arange(10)
    y = np.array([1, 1, 1, -1, -1, -1, 1, 1, 1, -1])
    rounds = [(2.5, 1, 0.42364893), (8.5, 1, 0.64964149), (5.5, -1, 0.75203870)]
    f = sum(alpha * left * np.where(x < theta, 1, -1) for theta, left, alpha in rounds)
    bound = adaboost_training_bound([0.3, 3 / 14, 2 / 11]).value
    assert np.mean(np.exp(-y * f)) == pytest.approx(bound, rel=1e-6)
    assert np.mean(y * f <= 0) == 0.0
    assert adaboost_training_bound([]).value == 1.0
    assert adaboost_training_bound([0.5, 0.5]).value == 1.0
    assert adaboost_training_bound([0.0]).value == 0.0


def test_complexity_bounds_the_true_one():
    """Massart's lemma by listing all signs: stumps on eight points, both directions."""
    m = 8
    rows = np.array([np.where(np.arange(m) < t, -1, 1) for t in range(m)])
    rows = np.concatenate([rows, -rows])
    signs = np.array(list(itertools.product([-1, 1], repeat=m)))
    true = np.mean((signs @ rows.T).max(axis=1)) * 2 / m
    assert 0.4 * finite_class_rademacher(len(rows), m) < true
    assert true <= finite_class_rademacher(len(rows), m)
    assert finite_class_rademacher(1, 10) == pytest.approx(0.0, abs=1e-300)


@pytest.mark.parametrize("empirical", [False, True])
@pytest.mark.parametrize("fixed", [False, True])
@pytest.mark.parametrize("scale", [0.0, 0.3, 1.0, 1.5, 2.0, 4.0000001])
def test_rademacher_matches_the_formula(scale, fixed, empirical):
    certificate = rademacher_margin_bound(
        5000, 0.01, 0.02, scale=scale, scale_is_fixed=fixed, empirical=empirical, delta=0.1
    )
    exact = oracle.rademacher_margin(5000, 0.01, 0.02, scale, 0.1, fixed, empirical)
    assert is_outward(certificate, exact)
    assert certificate.assumes("scale") == fixed


@pytest.mark.parametrize("empirical", [False, True])
@pytest.mark.parametrize("fixed", [False, True])
@pytest.mark.parametrize("theta", [0.05, 0.4, 0.5, 1.0])
def test_margin_distribution_matches_the_formula(theta, fixed, empirical):
    certificate = margin_distribution_bound(
        5000, 0.01, theta, 0.02, margin_is_fixed=fixed, empirical=empirical, delta=0.1
    )
    exact = oracle.margin_distribution(5000, 0.01, theta, 0.02, 0.1, fixed, empirical)
    assert is_outward(certificate, exact)
    assert certificate.assumes("margin") == fixed


@pytest.mark.parametrize("theta", [0.001, 0.03, 0.25, 0.26, 0.5, 0.51, 1.0])
def test_uniform_margin_follows_from_a_grid_of_fixed_ones(theta):
    """The union over margins 2^-k with weights 1/k^2 that proves it, spelled out, is smaller."""
    m, error, complexity, delta = 3000, 0.02, 0.001, 0.05
    k = next(k for k in itertools.count(1) if 2.0**-k < theta)  # 2^-k < theta <= 2^-(k-1)
    share = delta / (math.pi**2 / 6 * k**2)
    proved = margin_distribution_bound(m, error, 2.0**-k, complexity, delta=share).risk
    stated = margin_distribution_bound(
        m, error, theta, complexity, margin_is_fixed=False, delta=delta
    ).risk
    assert proved <= stated


@pytest.mark.parametrize(
    "arguments", [(10**5, 3, 0.9, 1e5, 50.0), (10**6, 1, 0.5, 0.0, 0.0), (10, 2, 0.1, 10.0, 3.0)]
)
def test_multiple_kernels_match_the_formula(arguments):
    certificate = multiple_kernel_bound(*arguments, delta=0.1)
    assert is_outward(certificate, oracle.multiple_kernel(*arguments, 0.1))


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 8), st.floats(0.001, 0.5))
def test_monotone(slack, complexity, scale, delta):
    def risk(slack=slack, complexity=complexity, scale=scale, delta=delta, **more):
        return rademacher_margin_bound(
            10**6, slack, complexity, scale=scale, delta=delta, **more
        ).risk

    assert risk() <= risk(slack=min(1.0, slack + 0.1))
    assert risk() <= risk(complexity=complexity + 0.1)
    assert risk() <= risk(scale=scale + 0.1)
    assert risk() <= risk(delta=delta / 2)
    assert risk() <= risk(empirical=True)
    assert risk() <= risk(scale_is_fixed=False) or scale == 0.0


def test_extreme_scales_and_margins_are_vacuous():
    assert rademacher_margin_bound(10, 0.0, 1.0, scale=1e300, scale_is_fixed=False).is_vacuous
    assert margin_distribution_bound(10, 0.0, 5e-324, 1.0, margin_is_fixed=False).is_vacuous
    assert multiple_kernel_bound(10, 1, 5e-324, 0.0, 0.0).is_vacuous


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rademacher_margin_bound(9, 1.1, 0.1), "`mean_slack` must be in"),
        (lambda: rademacher_margin_bound(9, 0.1, -0.1), "`rademacher` must be in"),
        (lambda: rademacher_margin_bound(9, 0.1, 0.1, scale=-1), "`scale` must be in"),
        (lambda: rademacher_margin_bound(9, 0.1, 0.1, scale=1e308), "`scale` must be in"),
        (lambda: margin_distribution_bound(9, 0.1, 0.0, 0.1), "`margin` must be in"),
        (lambda: margin_distribution_bound(9, 0.1, 1.1, 0.1), "`margin` must be in"),
        (lambda: margin_distribution_bound(9, 1.1, 0.5, 0.1), "`margin_error` must be in"),
        (lambda: multiple_kernel_bound(9, 0, 0.5, 1.0, 0.0), "`n_kernels` must be"),
        (lambda: adaboost_training_bound(0.3), "`weighted_errors` must be a sequence"),
        (lambda: adaboost_training_bound("ab"), "`weighted_errors` must be a sequence"),
        (lambda: adaboost_training_bound([1.2]), "`weighted_errors` must be in"),
        (lambda: adaboost_training_bound([None]), "`weighted_errors` must be a number"),
        (lambda: finite_class_rademacher(0, 5), "`n_hypotheses` must be"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call()
