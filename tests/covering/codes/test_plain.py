"""The regression of a pool as it is: a hold-out whose only price is the choice of the code."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from handful import SetCoveringMachine, load_dataset
from handful.bounds import Term, held_out_bound
from handful.covering.codes import plain_candidates
from handful.covering.codes.pool import plain_rule
from handful.rules import collapse_rows, signs_of

CODE = Term("code", "code", 1.0)


def sample(rng, m=120):
    X = rng.normal(size=(m, 3)) * [1.0, 100.0, 0.01] + [0.0, 1000.0, -5.0]
    y = np.where(X[:, 0] + 0.02 * (X[:, 1] - 1000) + rng.normal(size=m) > 0.4, 1, -1)
    return X, y


@pytest.mark.parametrize("op", ["<", ">"])
def test_it_is_the_regression_of_the_scaled_pool(rng, op):
    X, y = sample(rng)
    peer = make_pipeline(StandardScaler(), LogisticRegression(C=1.0, tol=1e-10)).fit(X, y)
    X_new, _ = sample(rng, 2000)
    covers = plain_rule(X, y, op).is_met(X_new)
    assert np.mean(covers == (peer.predict(X_new) == (-1 if op == "<" else 1))) > 0.999


@pytest.mark.parametrize("kinds", [("conjunction",), ("disjunction",), ("list",)])
def test_errors_are_counted_outside_the_pool(rng, kinds):
    X, y = sample(rng)
    X[3], y[3] = X[4], y[4]
    rows, pool = collapse_rows(X, y), rng.permutation(120)[:50]
    (candidate,) = plain_candidates(rows, pool, kinds=kinds, scheme_terms=(CODE,))
    outside = np.setdiff1d(np.arange(120), pool)
    wrong = signs_of(candidate.build(), X) != y
    assert candidate.n_errors == wrong[outside].sum()
    assert candidate.counts.n_errors_all == wrong.sum()
    assert candidate.terms == (CODE,)
    assert candidate.kept == tuple(sorted(pool.tolist()))


def test_only_the_pool_shapes_the_rule(rng):
    X, y = sample(rng)
    pool = rng.permutation(120)[:50]
    other, y_other = X.copy(), y.copy()
    outside = np.setdiff1d(np.arange(120), pool)
    other[outside] += 7.0
    y_other[outside] *= -1
    first, second = (
        next(plain_candidates(collapse_rows(A, b), pool, kinds=("conjunction",))).build()
        for A, b in ((X, y), (other, y_other))
    )
    assert first == second


def test_no_rule_where_the_pool_has_none(rng):
    X, y = sample(rng)
    assert plain_rule(X[:9], y[:9], "below") is None
    assert plain_rule(X, np.ones(120, int), "below") is None
    X[0, 0] = np.nan
    assert plain_rule(X, y, "below") is None


def test_a_chosen_one_costs_a_held_out_bound_and_the_code():
    data = load_dataset("breastw")
    machine = SetCoveringMachine("linear", random_state=7).fit(data.X, data.y)
    certificate = machine.certificate_
    assert [term.text for term in certificate.terms] == [
        "which code is used",
        "confidence, ln(1/delta)",
    ]
    n = certificate.n_samples - certificate.n_compressed
    delta = 0.05 * math.exp(-certificate.terms[0].nats)
    peer = held_out_bound(n, certificate.n_errors, delta=delta)
    assert certificate.risk == pytest.approx(peer.risk, rel=1e-9)
