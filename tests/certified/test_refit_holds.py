"""Certificates of refits by disagreement hold for an adversary; what is not paid for does not.

Cells of a small grid with known frequencies: the risk of any rule is a sum over cells. All rows of
the menu are learned again, and the worst of them is looked for.
"""

from __future__ import annotations

import numpy as np
import pytest

from handful import CertifiedClassifier
from handful.bounds import binomial_tail_inverse
from tests.certified.simulation import FORMS, law, n_allowed


def limit(k, n, nats):
    return binomial_tail_inverse(k, n, -nats) if n else 1.0


def worst(rng, kind, n, n_new, delta):
    """Does the refit of any row claim too little: as paid; by its errors on counted rows; by
    its disagreement on counted rows, which it learned from?
    """
    problem = law(kind)
    X, y = problem.draw(rng, n)
    if len(np.unique(y)) < 2:
        return np.zeros(3, dtype=bool)
    machine = CertifiedClassifier(FORMS, delta=delta).fit(X, y)
    new, _ = problem.draw(rng, n_new)
    missed = np.zeros(3, dtype=bool)
    counted = np.setdiff1d(np.arange(n), machine.held_back_)
    for row in range(len(machine.candidates_)):
        own = machine.choose(row)
        refit = own.refit(X, y)
        truth = problem.risk(refit.predict(problem.cells))
        made = refit.certify(new).certificate
        nats = own.candidate_.nats - np.log(delta)
        half = own.certify(delta / 2.0).risk
        said = refit.predict(X[counted])
        k_errors = int((said != y[counted]).sum())
        k_other = int((said != own.predict(X[counted])).sum())
        seen = limit(k_errors, len(counted), nats)
        agreed = min(1.0, half + limit(k_other, len(counted), nats + np.log(2.0)))
        missed |= truth > np.array([made.risk, seen, agreed])
    return missed


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore::handful.tables.TableCaution")  # few rows
@pytest.mark.parametrize("kind", ["noise", "rule"])
def test_the_worst_refit_of_a_menu(kind, rng):
    n_draws, delta = 150, 0.5
    found = sum(worst(rng, kind, 40, 60, delta).astype(int) for _ in range(n_draws))
    paid, by_errors, _ = found
    assert paid <= n_allowed(n_draws, delta)
    if kind == "noise":  # a refit has seen the rows on which its errors would be counted
        assert by_errors > paid + 0.1 * n_draws


@pytest.mark.thorough
@pytest.mark.parametrize("delta", [0.05, 0.2])
def test_an_adversary_who_picks_after_looking_at_disagreements(delta, rng):
    """Rows that agree nowhere with their refits but where they are right: both parts add up."""
    n_draws, n_counted, n_new = 4000, 20_000, 250
    masses = np.array([0.6, 0.3, *[0.1 / 18] * 18])
    k = rng.binomial(n_new, 0.3, size=(n_draws, len(masses)))
    own = np.asarray(binomial_tail_inverse(np.zeros(20), n_counted, np.log(delta / 2.0 * masses)))
    missed = []
    for price in (masses, np.ones(20)):
        levels = np.broadcast_to(np.log(delta / 2.0 * price), k.shape)
        limits = np.asarray(binomial_tail_inverse(k.ravel(), n_new, levels.ravel()))
        missed.append(int((own + limits.reshape(k.shape) < 0.3).any(axis=1).sum()))
    paid, unpaid = missed
    assert 0.2 * delta * n_draws < paid <= n_allowed(n_draws, delta)
    assert unpaid > 1.5 * n_allowed(n_draws, delta)
