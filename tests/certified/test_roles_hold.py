"""Masses by role pay for an adversary who picks the worst row; roles fixed too late do not.

Every form errs on half of the new cases, and its counted errors are independent of those of the
others: the hardest case for a union. The pool's order is given, as it says nothing of these counts.
"""

from __future__ import annotations

import numpy as np
import pytest

from handful.bounds import binomial_tail_inverse
from handful.certified import Roles
from tests.certified.simulation import misses, n_allowed

ORDER = ["additive", "linear", "score card", "prototypes", "one rule", "rule list", "half-spaces",
         "balls"]  # fmt: skip
N_DRAWS, N, DELTA = 2000, 400, 0.2
TRUTH = 0.5


@pytest.fixture
def errors(rng):
    return rng.binomial(N, TRUTH, size=(N_DRAWS, len(ORDER)))


def n_missed(errors, masses):
    """Draws in which any row claims less than the truth; a row without mass claims nothing."""
    masses = np.broadcast_to(masses, errors.shape)
    holds = masses > 0.0
    log_mass = np.log(np.where(holds, masses, 1.0))
    limits = binomial_tail_inverse(errors.ravel(), N, np.log(DELTA) + log_mass.ravel())
    return int(((np.asarray(limits).reshape(errors.shape) < TRUTH) & holds).any(axis=1).sum())


@pytest.mark.parametrize("named", [None, 5])
def test_the_worst_row_misses_no_more_often_than_it_says(errors, named):
    n = n_missed(errors, Roles.of(ORDER, named).masses)
    assert n <= n_allowed(N_DRAWS, DELTA)
    assert n > 0.5 * N_DRAWS * DELTA  # and delta is used


def test_a_row_that_fails_on_counted_rows_loses_its_mass(errors):
    """Nothing may be divided again: who fails is seen on counted rows."""
    masses = np.broadcast_to(Roles.of(ORDER).masses, errors.shape)
    kept = np.where(errors <= TRUTH * N, masses, 0.0)  # an estimator that raises where it errs
    assert n_missed(errors, kept) <= n_allowed(N_DRAWS, DELTA)
    with np.errstate(invalid="ignore"):
        again = np.nan_to_num(kept / kept.sum(axis=1, keepdims=True))
    assert n_missed(errors, again) > n_allowed(N_DRAWS, DELTA)


def test_roles_by_counted_rows_miss_too_often(errors):
    order = np.argsort(errors, axis=1, kind="stable")
    late = np.empty(errors.shape)
    for row, places in zip(late, order, strict=True):
        row[places] = Roles.of([ORDER[i] for i in places]).masses
    assert n_missed(errors, late) > n_allowed(N_DRAWS, DELTA)


def test_a_favourite_hunted_after_looking_misses_too_often(errors):
    hunted = np.empty(errors.shape)
    for row, best in zip(hunted, errors.argmin(axis=1), strict=True):
        row[:] = Roles.of(ORDER, int(best) + 1).masses
    assert n_missed(errors, hunted) > n_allowed(N_DRAWS, DELTA)


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore::handful.tables.TableCaution")  # few rows
@pytest.mark.parametrize("favourite", ["rule list", "linear"])
def test_menus_with_a_named_favourite(favourite, rng):
    found = misses(rng, "noise", 60, 60, favourite=favourite)
    assert found.any_row[1].sum() <= n_allowed(60, 0.5)
    assert found.named[1].sum() > 0.15 * 60


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::handful.tables.TableCaution")
@pytest.mark.parametrize("kind", ["noise", "ties"])
def test_menus_with_a_named_favourite_at_length(kind, rng):
    found = misses(rng, kind, (20, 60, 150), 2000, favourite="linear")
    for row, delta in enumerate((0.05, 0.5)):
        assert found.any_row[row].sum() <= n_allowed(2000, delta)
