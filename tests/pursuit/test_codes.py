"""Codes: their prior sums to at most one, and the message rebuilds the machine."""

import itertools
import math

import numpy as np
import pytest

from handful.pursuit import KernelMatchingPursuitClassifier
from handful.pursuit.expansion_codes import (
    LEVELS,
    RIDGES,
    Expansion,
    chosen_codes,
    dyadic_shifts,
    integer_nats,
    quantised_codes,
)
from tests.oracles import pursuit as oracle


def test_dyadic_prior_sums_to_at_most_one():
    shifts = dyadic_shifts()
    assert len({share for share, _ in shifts}) == len(shifts)
    total = sum(math.exp(-nats) for _, nats in shifts)
    assert 0.9 < total <= 1.0


def test_integer_prior_sums_to_at_most_one():
    total = sum(math.exp(-integer_nats(n)) for n in range(-20_000, 20_001))
    assert 0.69 < total <= 1.0


@pytest.mark.parametrize("n_centers", [1, 2])
@pytest.mark.parametrize("level", [1, 2, 4])
def test_quantised_prior_over_all_coefficients_sums_to_one(n_centers, level):
    """All whole vectors of one level, intercept 0: prior 1 / number of levels altogether."""
    Y = np.where(np.arange(n_centers) % 2, 1.0, -1.0)[:, None]
    whole = [w for w in range(-level, level + 1) if w]
    total = 0.0
    for vector in itertools.product(whole, repeat=n_centers):
        if max(map(abs, vector)) < level:
            continue  # such a vector is offered at a lower level only
        base = Expansion(np.arange(n_centers), np.array(vector, float)[:, None], np.zeros(1))
        families = list(quantised_codes(base, Y))
        family = families[LEVELS.index(level)]
        assert family.coefficients[:, 0].tolist() == list(vector)
        middle = int(np.flatnonzero(family.intercepts[:, 0] == 0.0)[0])
        coded = family.code(middle)
        nats = math.fsum(term.nats for term in coded.terms)
        assert nats == pytest.approx(family.nats[middle])
        total += math.exp(-nats + integer_nats(0)) * len(LEVELS)
    assert total <= 1.0 + 1e-12
    if n_centers == 1:
        assert total == pytest.approx(1.0 / level)


def test_chosen_codes_pay_for_ridge_and_threshold(rng):
    X, y = rng.normal(size=(4, 2)), np.array([1.0, -1.0, 1.0, 1.0])
    K = oracle.gaussian_kernel(X, X, 0.5)
    families = list(chosen_codes(np.arange(4), K, y[:, None]))
    assert len(families) == len(RIDGES)
    total = sum(np.exp(-family.nats).sum() for family in families)
    assert 0.9 < total <= 1.0 + 1e-12
    code = families[1].code(0)
    np.testing.assert_allclose(
        code.expansion.coefficients[:, 0], np.linalg.solve(K + 0.1 * np.eye(4), y), rtol=1e-10
    )


@pytest.mark.parametrize("kind", ["chosen", "quantised"])
def test_machine_is_rebuilt_from_its_examples_and_message(rng, kind):
    X = rng.normal(size=(80, 2))
    y = np.where(X[:, 0] + X[:, 1] ** 2 + 0.5 * rng.normal(size=80) > 0.7, "b", "a")
    X_new = rng.normal(size=(200, 2))
    for stop in ("certificate", "size"):
        machine = KernelMatchingPursuitClassifier(
            5, gamma=[0.3, 1.0], coefficients=kind, stop=stop
        ).fit(X, y)
        kept = machine.centers_idx_
        said, values = oracle.rebuilt_decision(
            kind, machine.message_, X[kept], y[kept] == "b", machine.kernel_.gamma, X_new
        )
        is_clear = np.abs(values) > 1e-6
        assert is_clear.mean() > 0.9
        assert np.all(machine.predict(X_new)[is_clear] == np.array(["a", "b"])[said[is_clear]])
