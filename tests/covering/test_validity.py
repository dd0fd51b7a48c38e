"""The certificates hold as often as they say, selection included, on laws of known risk."""

from __future__ import annotations

import pytest

from tests.covering.simulation import PROCEDURES, n_allowed, run


@pytest.mark.parametrize("name", PROCEDURES)
def test_certificates_hold(name):
    n_draws = 30 if name == "defaults" else 6
    found = run(name, n_draws, delta=0.2, seed=1)
    assert found.n_missed <= n_allowed(n_draws, 0.2)
    assert found.certified > found.true


def test_the_simulation_would_notice():
    """Without the price of the code, the same fits would miss far too often."""
    found = run("stumps", 60, delta=0.2, seed=1)
    assert found.n_naive_missed > n_allowed(60, 0.2) >= found.n_missed


@pytest.mark.slow
@pytest.mark.parametrize("delta", [0.05, 0.5])
def test_the_default_procedure_holds_on_a_thousand_samples(delta):
    found = run("defaults", 1000, delta=delta)
    assert found.n_missed <= n_allowed(1000, delta)
    assert found.n_naive_missed > n_allowed(1000, delta)


@pytest.mark.slow
@pytest.mark.parametrize("delta", [0.05, 0.5])
@pytest.mark.parametrize("name", PROCEDURES)
def test_every_procedure_holds(name, delta):
    found = run(name, 200, delta=delta, seed=2)
    assert found.n_missed <= n_allowed(200, delta)
